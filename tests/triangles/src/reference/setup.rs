//! Snapping of clipped triangles to the grid, and their faces.

use super::clip::{Corner, clip};
use super::interface::VaryingKind;
use super::number::{clamp, num};
use super::state::State;

/// A place in the image, in 1/256 of a pixel.
pub(crate) type Place = [i128; 2];

/// A piece of a clipped triangle, with the vertices in clockwise order as seen.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Number in the fan of the polygon.
    pub(crate) number: usize,
    /// Vertices.
    pub(crate) corners: [Corner; 3],
    /// Snapped vertices.
    pub(crate) places: [Place; 3],
    /// `A`, which is positive.
    pub(crate) area: i128,
}

/// A triangle that has an area.
#[derive(Clone, Debug)]
pub(crate) struct Primitive {
    /// Pieces with the orientation of the whole.
    pub(crate) pieces: Vec<Piece>,
    /// True if the front is seen.
    pub(crate) is_front: bool,
}

/// Clips, snaps and orients a triangle. `None` where nothing of it is drawn, whatever is culled.
pub(crate) fn set_up(
    triangle: [Corner; 3],
    kinds: &[VaryingKind],
    [width, height]: [u32; 2],
    state: &State,
) -> Option<Primitive> {
    if !triangle.iter().all(Corner::is_drawable) {
        return None;
    }
    let polygon = clip(triangle, kinds);
    let snapped: Vec<Place> = polygon
        .iter()
        .map(|v| {
            let [x, y, _, w] = v.position;
            [snap(x, w, width), snap(y, w, height)]
        })
        .collect();
    let fan = (2..polygon.len()).map(|i| [0, i - 1, i]);
    let pieces = fan.enumerate().map(|(number, of)| {
        let places = of.map(|i| snapped[i]);
        let corners = of.map(|i| polygon[i].clone());
        Piece { number, corners, places, area: area(places) }
    });
    face(pieces.collect(), state)
}

/// Finds the face that is seen, and the pieces that show it.
fn face(pieces: Vec<Piece>, state: &State) -> Option<Primitive> {
    let sum: i128 = pieces.iter().map(|piece| piece.area).sum();
    if sum == 0 {
        return None;
    }
    let is_kept = |piece: &Piece| piece.area != 0 && (piece.area < 0) == (sum < 0);
    let pieces = pieces.into_iter().filter(is_kept).map(Piece::clockwise).collect();
    Some(Primitive { pieces, is_front: state.front.is_front(sum) })
}

/// The place of a coordinate in an image with that side.
fn snap(x: f32, w: f32, side: u32) -> i128 {
    let side = num(i128::from(side));
    let half = side / 2.0;
    let place = ((x / w) * half + half) * 256.0;
    clamp(place, -2048.0 * side, 2048.0 * side).round_ties_even() as i128
}

/// `A`: twice the area, positive if the vertices are in clockwise order as seen.
fn area([[x0, y0], [x1, y1], [x2, y2]]: [Place; 3]) -> i128 {
    (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
}

impl Piece {
    /// Exchanges vertices 1 and 2 if `A` is negative.
    fn clockwise(mut self) -> Self {
        if self.area < 0 {
            self.corners.swap(1, 2);
            self.places.swap(1, 2);
            self.area = -self.area;
        }
        self
    }

    /// `Ei` of the edges at a place, each opposite to its vertex. Their sum is `A`.
    pub(crate) fn edges(&self, [px, py]: Place) -> [i128; 3] {
        std::array::from_fn(|i| {
            let [[xj, yj], [xk, yk]] = self.edge(i);
            (xk - xj) * (py - yj) - (yk - yj) * (px - xj)
        })
    }

    /// The edge opposite to vertex `i`, in clockwise order.
    fn edge(&self, i: usize) -> [Place; 2] {
        [self.places[(i + 1) % 3], self.places[(i + 2) % 3]]
    }

    /// True if the piece covers a place: it lies inside, or on top and left edges.
    pub(crate) fn covers(&self, place: Place) -> bool {
        let edges = self.edges(place);
        (0..3).all(|i| {
            let [[xj, yj], [xk, yk]] = self.edge(i);
            let is_top = yk == yj && xk > xj;
            let is_left = yk < yj;
            edges[i] > 0 || (edges[i] == 0 && (is_top || is_left))
        })
    }

    /// The pixels that may be covered: first and last column, first and last row, inside the image. Empty
    /// where a last one is below the first.
    pub(crate) fn bounds(&self, size: [u32; 2]) -> [[i64; 2]; 2] {
        [0, 1].map(|axis| {
            let all = self.places.map(|place| place[axis].div_euclid(256) as i64);
            let least = all.into_iter().fold(i64::MAX, i64::min);
            let most = all.into_iter().fold(i64::MIN, i64::max);
            [least.max(0), most.min(i64::from(size[axis]) - 1)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::{Front, Samples};
    use super::*;
    use lambdav_test_support::Random;

    fn corner(position: [f32; 4]) -> Corner {
        Corner { position, varyings: Vec::new() }
    }

    /// A piece as it comes from the fan.
    fn unoriented(number: usize, places: [Place; 3]) -> Piece {
        let corners = [0, 1, 2].map(|_| corner([0.0, 0.0, 0.0, 1.0]));
        Piece { number, corners, places, area: area(places) }
    }

    fn piece(places: [Place; 3]) -> Piece {
        unoriented(0, places).clockwise()
    }

    #[test]
    fn coordinates_are_snapped() {
        // The middle, the edges and the guard band of an image of 100 pixels.
        let at = |x: f32| snap(x, 1.0, 100);
        assert_eq!([0.0, -1.0, 1.0, 8.0, -8.0].map(at), [12_800, 0, 25_600, 115_200, -89_600]);
        assert_eq!(snap(3.0, 2.0, 4), 1280);
        // Ties go to the even neighbour: 2.5/256 and 3.5/256 of one pixel.
        let from = |subpixels: f32| snap(subpixels / 128.0 - 1.0, 1.0, 1);
        assert_eq!([2.5, 3.5, 3.75].map(from), [2, 4, 4]);
        // Beyond the guard band, which clipping does not leave.
        assert_eq!(snap(1e9, 1.0, 3), 6144);
        assert_eq!(snap(-1e9, 1.0, 3), -6144);
    }

    #[test]
    fn faces_follow_the_sum_of_areas() {
        let triangle =
            [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]].map(|[x, y]| corner([x, y, 0.0, 1.0]));
        let is_front = |triangle: [Corner; 3], front| {
            let state = State { front, ..State::default() };
            set_up(triangle, &[], [8, 8], &state).map(|primitive| primitive.is_front)
        };
        // With y down, these vertices are in clockwise order as seen.
        assert_eq!(is_front(triangle.clone(), Front::Cw), Some(true));
        assert_eq!(is_front(triangle.clone(), Front::Ccw), Some(false));
        let [a, b, c] = triangle;
        assert_eq!(is_front([a.clone(), c, b.clone()], Front::Ccw), Some(true));
        assert_eq!(is_front([a.clone(), b, a], Front::Ccw), None);
    }

    #[test]
    fn pieces_are_clockwise() {
        let triangle =
            [[-9.0, -9.0], [-9.0, 20.0], [20.0, -9.0]].map(|[x, y]| corner([x, y, 0.5, 1.0]));
        let primitive = set_up(triangle, &[], [10, 10], &State::default()).expect("it has an area");
        assert!(primitive.is_front);
        assert!(primitive.pieces.len() > 1);
        for piece in primitive.pieces {
            assert!(piece.area > 0);
            assert_eq!(area(piece.places), piece.area);
            assert_eq!(piece.edges([77, -3]).iter().sum::<i128>(), piece.area);
        }
    }

    #[test]
    fn pieces_of_the_other_sign_are_dropped() {
        // A polygon that is not convex after snapping: areas 2522, −9862 and 0.
        let [a, b, c, d] = [[64, 5285], [-1365, -2401], [-1326, -2193], [585, 8095]];
        let fan = [[a, b, c], [a, c, d], [a, d, a]];
        let numbers = |fan: [[Place; 3]; 3]| {
            let pieces = (0..3).map(|i| unoriented(i, fan[i])).collect();
            let primitive = face(pieces, &State::default()).expect("the sum is not 0");
            let numbers: Vec<usize> = primitive.pieces.iter().map(|piece| piece.number).collect();
            (primitive.is_front, numbers)
        };
        assert_eq!(numbers(fan), (true, vec![1]));
        assert_eq!(numbers(fan.map(|[a, b, c]| [a, c, b])), (false, vec![1]));
        let back = unoriented(1, [a, c, b]);
        assert!(face(vec![unoriented(0, [a, b, c]), back], &State::default()).is_none());
    }

    #[test]
    fn top_and_left_edges_cover() {
        let lower_left = piece([[0, 0], [512, 512], [0, 512]]);
        let upper_right = piece([[0, 0], [512, 0], [512, 512]]);
        // The left edge, the diagonal (a left edge of the upper triangle), top, right and bottom.
        let cases = [
            ([0, 256], true, false),
            ([256, 256], false, true),
            ([256, 0], false, true),
            ([512, 256], false, false),
            ([256, 512], false, false),
            ([0, 0], false, true),
            ([100, 400], true, false),
        ];
        for (place, lower, upper) in cases {
            assert_eq!(lower_left.covers(place), lower, "{place:?}");
            assert_eq!(upper_right.covers(place), upper, "{place:?}");
        }
    }

    #[test]
    fn bounds_leave_out_no_covered_pixel() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let mut place = || [0, 1].map(|_| random.below(16 * 256) as i128 - 1024);
            let piece = piece([place(), place(), place()]);
            let [columns, rows] = piece.bounds([9, 7]);
            for y in 0..7 {
                for x in 0..9 {
                    let is_in_bounds =
                        (columns[0]..=columns[1]).contains(&x) && (rows[0]..=rows[1]).contains(&y);
                    for [dx, dy] in Samples::Four.places().iter().chain(Samples::One.places()) {
                        let place = [256 * i128::from(x) + dx, 256 * i128::from(y) + dy];
                        assert!(is_in_bounds || !piece.covers(place));
                    }
                }
            }
        }
    }
}
