//! Clipping of a triangle to a polygon.

use super::interface::{Interpolation, VaryingKind};
use super::number::{max, power_of_two};

/// Least w of a clipped vertex.
const LEAST_W: f32 = power_of_two(-64);

/// Components of positions are below this in magnitude.
const LIMIT: f32 = power_of_two(96);

/// A vertex of a polygon.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Corner {
    /// Position in clip space.
    pub(crate) position: [f32; 4],
    /// Numbers of each varying; none for flat ones, which are not interpolated.
    pub(crate) varyings: Vec<Vec<f32>>,
}

impl Corner {
    /// The w of the position.
    pub(crate) fn w(&self) -> f32 {
        self.position[3]
    }

    /// True if no component of the position is NaN, infinite or huge.
    pub(crate) fn is_drawable(&self) -> bool {
        self.position.iter().all(|x| x.abs() < LIMIT)
    }
}

/// A plane of the clip volume. Left, right, top and bottom are eight times as far as the image's edges.
#[derive(Clone, Copy, Debug)]
enum Plane {
    W,
    Near,
    Far,
    Left,
    Right,
    Top,
    Bottom,
}

impl Plane {
    const ALL: [Self; 7] =
        [Self::W, Self::Near, Self::Far, Self::Left, Self::Right, Self::Top, Self::Bottom];

    /// `d`, which is at least 0 inside.
    fn distance(self, [x, y, z, w]: [f32; 4]) -> f32 {
        match self {
            Self::W => w - LEAST_W,
            Self::Near => z,
            Self::Far => w - z,
            Self::Left => x + 8.0 * w,
            Self::Right => 8.0 * w - x,
            Self::Top => y + 8.0 * w,
            Self::Bottom => 8.0 * w - y,
        }
    }

    /// Makes the plane's equation exact.
    fn put_on(self, position: &mut [f32; 4]) {
        let [x, y, z, w] = position;
        match self {
            Self::W => *w = LEAST_W,
            Self::Near => *z = 0.0,
            Self::Far => *z = *w,
            Self::Left => *x = -8.0 * *w,
            Self::Right => *x = 8.0 * *w,
            Self::Top => *y = -8.0 * *w,
            Self::Bottom => *y = 8.0 * *w,
        }
    }

    /// The polygon's part inside.
    fn clip(self, polygon: &[Corner], kinds: &[VaryingKind]) -> Vec<Corner> {
        let mut clipped = Vec::new();
        for (i, v) in polygon.iter().enumerate() {
            let next = &polygon[(i + 1) % polygon.len()];
            let is_inside = self.distance(v.position) >= 0.0;
            let is_next_inside = self.distance(next.position) >= 0.0;
            if is_inside {
                clipped.push(v.clone());
            }
            match (is_inside, is_next_inside) {
                (true, false) => clipped.push(self.intersection(v, next, kinds)),
                (false, true) => clipped.push(self.intersection(next, v, kinds)),
                (true, true) | (false, false) => {}
            }
        }
        clipped
    }

    /// The intersection of an edge from `a`, inside, to `b`, outside.
    fn intersection(self, a: &Corner, b: &Corner, kinds: &[VaryingKind]) -> Corner {
        let (da, db) = (self.distance(a.position), self.distance(b.position));
        let t = da / (da - db);
        let between = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let mut position: [f32; 4] =
            std::array::from_fn(|k| between(a.position[k], b.position[k], t));
        position[3] = max(position[3], LEAST_W);
        self.put_on(&mut position);
        let linear_t = (t * b.w()) / position[3];
        let varyings =
            kinds.iter().zip(a.varyings.iter().zip(&b.varyings)).map(|(kind, (a, b))| {
                let t = match kind.interpolation {
                    Interpolation::Linear => linear_t,
                    Interpolation::Perspective | Interpolation::Flat => t,
                };
                a.iter().zip(b).map(|(&a, &b)| between(a, b, t)).collect()
            });
        Corner { position, varyings: varyings.collect() }
    }
}

/// The polygon of a triangle inside all planes, which may be empty.
pub(crate) fn clip(triangle: [Corner; 3], kinds: &[VaryingKind]) -> Vec<Corner> {
    Plane::ALL.iter().fold(triangle.to_vec(), |polygon, plane| plane.clip(&polygon, kinds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_test_support::Random;

    const KINDS: [VaryingKind; 2] = [
        VaryingKind { components: 1, interpolation: Interpolation::Perspective, is_integer: false },
        VaryingKind { components: 1, interpolation: Interpolation::Linear, is_integer: false },
    ];

    /// A corner whose two varyings have one value.
    fn corner(position: [f32; 4], value: f32) -> Corner {
        Corner { position, varyings: vec![vec![value]; 2] }
    }

    #[test]
    fn triangles_inside_stay() {
        let on_planes = [
            corner([-8.0, 8.0, 0.0, 1.0], 1.0),
            corner([8.0, -8.0, 1.0, 1.0], 2.0),
            corner([0.0, 0.0, 0.0, LEAST_W], 3.0),
        ];
        assert_eq!(clip(on_planes.clone(), &KINDS), on_planes);
    }

    #[test]
    fn near_plane() {
        // One vertex outside: the polygon has four vertices and begins with the first intersection.
        let triangle = [
            corner([0.0, 0.0, -1.5, 3.0], 1.0),
            corner([0.0, 0.0, 0.5, 1.0], 0.0),
            corner([4.0, 0.0, 0.5, 1.0], 0.0),
        ];
        let polygon = clip(triangle.clone(), &KINDS);
        assert_eq!(polygon.len(), 4);
        // t = 0.5/(0.5 + 1.5); w = 1 + 2t; linear: 3t/w.
        let first = &polygon[0];
        assert_eq!(first.position, [0.0, 0.0, 0.0, 1.5]);
        assert_eq!(first.varyings, [[0.25], [0.5]]);
        assert_eq!(polygon[1..3], triangle[1..3]);
        assert_eq!(polygon[3].position, [3.0, 0.0, 0.0, 1.5]);
        // Two vertices outside: an intersection, the vertex inside, another intersection.
        let [far, near, _] = triangle;
        let outside = corner([4.0, 0.0, -0.5, 1.0], 0.0);
        let polygon = clip([far.clone(), near.clone(), outside], &KINDS);
        let z = polygon.iter().map(|v| v.position[2]).collect::<Vec<_>>();
        assert_eq!(z, [0.0, 0.5, 0.0]);
        assert_eq!(polygon[2].position, [2.0, 0.0, 0.0, 1.0]);
        assert_eq!(clip([far.clone(), far.clone(), far], &KINDS).len(), 0);
    }

    #[test]
    fn edges_have_one_intersection_in_both_directions() {
        let a = corner([0.3, 0.7, 0.1, 1.3], 0.2);
        let b = corner([11.0, -0.9, -0.7, 0.1], 0.9);
        let c = corner([-0.4, 0.2, 0.3, 0.9], 0.5);
        let polygon = clip([a.clone(), b.clone(), c.clone()], &KINDS);
        let reversed = clip([c, b, a], &KINDS);
        assert_eq!(polygon.len(), reversed.len());
        assert!(polygon.iter().all(|v| reversed.contains(v)));
    }

    #[test]
    fn w_is_at_least_the_limit() {
        // d is 1 and −1 after rounding, so w becomes 0 before the maximum.
        let inside = corner([1.0, 0.0, 0.0, 1.0], 0.0);
        let behind = corner([0.0, 0.0, 0.0, -1.0], 1.0);
        let found = Plane::W.intersection(&inside, &behind, &KINDS);
        assert_eq!(found.position, [0.5, 0.0, 0.0, LEAST_W]);
        assert_eq!(found.varyings, [[0.5], [-0.5 / LEAST_W]]);
    }

    #[test]
    fn planes_are_exact() {
        let inside = corner([0.1, 0.2, 0.3, 0.7], 0.0);
        let outside = |x, y, z| {
            Plane::ALL.map(|plane| (plane, corner([x, y, z, 0.9], 1.0))).map(|(p, b)| {
                (p.distance(b.position) < 0.0).then(|| p.intersection(&inside, &b, &KINDS).position)
            })
        };
        let [_, _, Some([.., z, w]), _, Some([x, .., right_w]), _, Some([_, y, _, bottom_w])] =
            outside(77.3, 31.7, 1.1)
        else {
            panic!("three planes are passed");
        };
        assert_eq!((z, x, y), (w, 8.0 * right_w, 8.0 * bottom_w));
        let [_, Some([_, _, z, _]), _, Some([x, .., left_w]), _, Some([_, y, _, top_w]), _] =
            outside(-77.3, -31.7, -1.1)
        else {
            panic!("three planes are passed");
        };
        assert_eq!((z, x, y), (0.0, -8.0 * left_w, -8.0 * top_w));
    }

    /// Vertices of clipped random triangles, with components up to the given magnitudes.
    fn clipped(magnitude: impl Fn(&mut Random) -> [f32; 4]) -> Vec<[f32; 4]> {
        let mut random = Random::new(3);
        let mut all = Vec::new();
        for _ in 0..50_000 {
            let triangle = [0, 1, 2].map(|_| {
                let position = magnitude(&mut random)
                    .map(|most| most * (random.below(1 << 24) as f32 / 8_388_608.0 - 1.0));
                corner(position, 0.0)
            });
            all.extend(clip(triangle, &KINDS).into_iter().map(|v| v.position));
        }
        assert!(all.len() > 10_000, "{}", all.len());
        all
    }

    #[test]
    fn clipped_vertices_are_inside() {
        for [x, y, z, w] in clipped(|_| [20.0, 20.0, 2.0, 1.0]) {
            let (limit, depths) = (8.0 * w, 0.0..=w);
            assert!(w >= LEAST_W && x.abs() <= limit && y.abs() <= limit && depths.contains(&z));
        }
    }

    /// Large numbers cancel, so that a later plane can move a vertex outside of an earlier one. `snap` and the
    /// depth's clamp limit that.
    #[test]
    fn clipped_vertices_are_finite_with_positive_w() {
        let powers =
            |random: &mut Random| [0; 4].map(|_| power_of_two(random.below(192) as i32 - 96));
        for position in clipped(powers) {
            assert!(position[3] >= LEAST_W && position.iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn huge_positions_are_not_drawn() {
        for (x, is_drawable) in [
            (LIMIT.next_down(), true),
            (LIMIT, false),
            (-LIMIT, false),
            (f32::INFINITY, false),
            (f32::NAN, false),
        ] {
            for k in 0..4 {
                let mut position = [0.5; 4];
                position[k] = x;
                assert_eq!(corner(position, 0.0).is_drawable(), is_drawable);
            }
        }
    }
}
