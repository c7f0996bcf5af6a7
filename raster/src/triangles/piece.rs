//! Pieces of triangles in the image: snapped coordinates, edge functions, and the words that kernels read.

use lambdav_image::size::Size;

use super::assemble::Assembled;
use super::clip::{self, ClipVertex, Clipping};
use super::draw::{Draw, Interpolated, Varied};
use super::state::Face;
use super::vertices::Vertices;
use crate::mutants::{Mutant, is_active};

/// The number of words of a triangle before the values of varyings. For each of the three edges: its growth with
/// x, as the sum of two numbers, with y, likewise, and its value at the upper left corner, as the sum of three.
/// Then twice the area, rounded to a number; 1/w of each vertex; z/w of each vertex; 1 if all w are equal; the
/// number of the triangle in its instance; 1 on the front.
///
/// The values of a varying follow: its components at the three vertices or, if it is flat, at the first one.
pub const TRIANGLE_WORDS: usize = 3 * 7 + 1 + 3 + 3 + 3;

/// Marks a number of a vertex that clipping made, in its chunk.
const CLIPPED: u32 = 1 << 31;

/// A piece of a triangle, with positive area. Coordinates are in 1/256 of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The number of the triangle in all instances.
    pub(super) triangle: u64,
    /// The number of the piece in its triangle.
    pub(super) piece: u32,
    /// The number of the triangle in its instance.
    pub(super) primitive: u32,
    /// The vertex whose values flat varyings have.
    first: u32,
    /// Vertices, in the order after the exchange that makes the area positive.
    vertices: [u32; 3],
    pub(super) x: [i32; 3],
    pub(super) y: [i32; 3],
    is_front: bool,
}

/// An edge function `x·X + y·Y + origin` of a piece, X and Y in 1/256 of a pixel; positive inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) origin: i64,
    /// True if points on the edge are covered: it is a top or a left edge.
    pub(super) is_closed: bool,
}

/// Vertices that clipping made: for each its position and the values of varyings.
#[derive(Debug, Default)]
pub(super) struct ClippedVertices(Vec<[f32; 4]>);

impl Piece {
    /// Twice the area.
    pub(super) fn area(&self) -> i64 {
        area(self.x, self.y)
    }

    /// The three edge functions; edge i is opposite to vertex i.
    pub(super) fn edges(&self) -> [Edge; 3] {
        [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let [xj, yj, xk, yk] = [self.x[j], self.y[j], self.x[k], self.y[k]].map(i64::from);
            let (dx, dy) = (xk - xj, yk - yj);
            let is_left = if is_active(Mutant::RightEdge) { dy > 0 } else { dy < 0 };
            let is_closed = is_left || dy == 0 && dx > 0;
            Edge { x: -dy, y: dx, origin: dy * xj - dx * yj, is_closed }
        })
    }

    /// Positions of the vertices.
    fn value(&self, k: usize, value: usize, of: &Vertices, clipped: &ClippedVertices) -> [f32; 4] {
        let number = self.vertices[k];
        if number & CLIPPED == 0 {
            return of.get(number, value);
        }
        clipped.0[(number & !CLIPPED) as usize * of.values + value]
    }

    /// z/w of each vertex.
    pub(super) fn depths(&self, of: &Vertices, clipped: &ClippedVertices) -> [f32; 3] {
        [0, 1, 2].map(|k| {
            let [_, _, z, w] = self.value(k, 0, of, clipped);
            z / w
        })
    }

    /// The words of the piece: [`TRIANGLE_WORDS`] and the values of varyings.
    pub(super) fn words(
        &self,
        varied: &[Varied],
        of: &Vertices,
        clipped: &ClippedVertices,
        words: &mut Vec<u32>,
    ) {
        words.clear();
        for edge in self.edges() {
            // In pixels: a growth is 256 times that for 1/256 of a pixel.
            for part in parts::<2>(256 * edge.x) {
                words.push(part.to_bits());
            }
            for part in parts::<2>(256 * edge.y) {
                words.push(part.to_bits());
            }
            for part in parts::<3>(edge.origin) {
                words.push(part.to_bits());
            }
        }
        words.push((self.area() as f32).to_bits());
        let mut positions = [0, 1, 2].map(|k| self.value(k, 0, of, clipped));
        if is_active(Mutant::WrongW) {
            let [_, second, third] = positions.map(|[.., w]| w);
            (positions[1][3], positions[2][3]) = (third, second);
        }
        words.extend(positions.map(|[.., w]| (1.0 / w).to_bits()));
        words.extend(positions.map(|[_, _, z, w]| (z / w).to_bits()));
        let has_equal_w = positions[0][3] == positions[1][3] && positions[1][3] == positions[2][3];
        words.extend([has_equal_w.into(), self.primitive, self.is_front.into()]);
        for (number, varied) in varied.iter().enumerate() {
            let count = usize::from(varied.components);
            let mut put =
                |value: [f32; 4]| words.extend(value[..count].iter().map(|part| part.to_bits()));
            match varied.interpolated {
                Interpolated::Flat if is_active(Mutant::FlatOfPolygon) => {
                    put(self.value(0, 1 + number, of, clipped));
                }
                Interpolated::Flat => put(of.get(self.first, 1 + number)),
                Interpolated::Perspective | Interpolated::Linear => {
                    (0..3).for_each(|k| put(self.value(k, 1 + number, of, clipped)));
                }
            }
        }
    }
}

/// A number of at most 24·N bits as the sum of N numbers.
fn parts<const N: usize>(mut number: i64) -> [f32; N] {
    std::array::from_fn(|_| {
        let part = number as f32;
        number -= part as i64;
        part
    })
}

/// Twice the signed area; negative if the vertices are anticlockwise as seen.
fn area(x: [i32; 3], y: [i32; 3]) -> i64 {
    let [x0, x1, x2] = x.map(i64::from);
    let [y0, y1, y2] = y.map(i64::from);
    (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
}

/// A coordinate in 1/256 of a pixel of an image with that side.
fn snapped(coordinate: f32, w: f32, side: u32) -> i32 {
    let side = side as f32;
    let half = side / 2.0;
    let place = ((coordinate / w) * half + half) * 256.0;
    let (least, most) = (-2048.0 * side, 2048.0 * side);
    let place = if place < least { least } else { place };
    let place = if most < place { most } else { place };
    place.round_ties_even() as i32
}

/// Adds the pieces of a triangle, given its number in all instances.
pub(super) fn add(
    draw: &Draw<'_>,
    assembled: &Assembled,
    of: &Vertices,
    size: Size,
    triangle: usize,
    clipped: &mut ClippedVertices,
    pieces: &mut Vec<Piece>,
) {
    let count = assembled.triangles.len();
    let (instance, primitive) = (triangle / count, triangle % count);
    let base = (instance * assembled.indices.len()) as u32;
    let numbers = assembled.triangles[primitive].map(|vertex| base + vertex);
    let positions = numbers.map(|number| of.get(number, 0));
    if positions.into_iter().any(clip::is_unusable) {
        return;
    }
    let clipping = clip::effect(positions);
    if clipping == Clipping::Nothing {
        return;
    }
    let snap = |[x, y, _, w]: [f32; 4]| [snapped(x, w, size.width()), snapped(y, w, size.height())];
    let begun = pieces.len();
    let mut add = |vertices: [u32; 3], places: [[i32; 2]; 3]| {
        pieces.push(Piece {
            triangle: triangle as u64,
            piece: (pieces.len() - begun) as u32,
            primitive: primitive as u32,
            first: numbers[0],
            vertices,
            x: places.map(|[x, _]| x),
            y: places.map(|[_, y]| y),
            is_front: false,
        });
    };
    if clipping == Clipping::Whole {
        add(numbers, positions.map(snap));
    } else {
        let polygon = numbers.iter().zip(positions).map(|(&number, position)| {
            let values = (1..of.values).map(|value| of.get(number, value)).collect();
            ClipVertex { position, values, number: Some(number) }
        });
        let polygon = clip::clip(polygon.collect(), draw.varied);
        let made: Vec<(u32, [i32; 2])> = polygon
            .iter()
            .map(|vertex| {
                let number = vertex.number.unwrap_or_else(|| {
                    let number = clipped.0.len() / of.values;
                    clipped.0.push(vertex.position);
                    clipped.0.extend_from_slice(&vertex.values);
                    CLIPPED | number as u32
                });
                (number, snap(vertex.position))
            })
            .collect();
        for last in 2..made.len() {
            let of_piece = [made[0], made[last - 1], made[last]];
            add(of_piece.map(|(number, _)| number), of_piece.map(|(_, place)| place));
        }
    }
    face(draw, pieces, begun);
}

/// Decides which side of the triangle is seen. Drops all its pieces, those from `begun` on, if it is not drawn, and
/// single ones that have no area or another side.
fn face(draw: &Draw<'_>, pieces: &mut Vec<Piece>, begun: usize) {
    let sum: i64 = pieces[begun..].iter().map(Piece::area).sum();
    let is_front = (sum < 0) != draw.state.is_clockwise;
    let face = if is_front { Face::Front } else { Face::Back };
    if sum == 0 || draw.state.cull == Some(face) {
        return pieces.truncate(begun);
    }
    let mut kept = begun;
    for at in begun..pieces.len() {
        let mut piece = pieces[at];
        if piece.area().signum() != sum.signum() {
            continue;
        }
        if sum < 0 {
            piece.vertices.swap(1, 2);
            piece.x.swap(1, 2);
            piece.y.swap(1, 2);
        }
        piece.is_front = is_front;
        pieces[kept] = piece;
        kept += 1;
    }
    pieces.truncate(kept);
}
