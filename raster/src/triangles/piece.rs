//! Pieces of triangles in the image: edge functions, and the words that kernels read.

use super::draw::{Interpolated, Varied};
use crate::mutants::{Mutant, is_active};

/// The number of words of a triangle before the values of varyings. For each of the three edges: its growth with
/// x, as the sum of two numbers, with y, likewise, and its value at the upper left corner, as the sum of three.
/// Then twice the area, rounded to a number; 1/w of each vertex; z/w of each vertex; 1 if all w are equal; the
/// number of the triangle in its instance; 1 on the front.
///
/// The values of a varying follow: its components at the three vertices or, if it is flat, at the first one.
pub const TRIANGLE_WORDS: usize = 3 * 7 + 1 + 3 + 3 + 3;

/// A piece of a triangle, with positive area. Coordinates are in 1/256 of a pixel. The values of varyings, which are
/// the rest of its words, lie beside it ([`values_of`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The number of the triangle in all instances.
    pub(super) triangle: u32,
    /// The number of the triangle in its instance.
    pub(super) primitive: u32,
    /// Vertices are in the order after the exchange that makes the area positive.
    pub(super) x: [i32; 3],
    pub(super) y: [i32; 3],
    /// 1/w of each vertex.
    pub(super) reciprocals: [f32; 3],
    /// z/w of each vertex.
    pub(super) depths: [f32; 3],
    /// The number of the piece in its triangle.
    pub(super) piece: u8,
    pub(super) has_equal_w: bool,
    pub(super) is_front: bool,
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

    /// The words of the piece: [`TRIANGLE_WORDS`] and the values of varyings.
    pub(super) fn words(&self, values: &[u32], words: &mut Vec<u32>) {
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
        words.extend(self.reciprocals.map(f32::to_bits));
        words.extend(self.depths.map(f32::to_bits));
        words.extend([self.has_equal_w.into(), self.primitive, self.is_front.into()]);
        words.extend_from_slice(values);
    }
}

/// The number of words of the values of varyings.
pub(super) fn values_of(varied: &[Varied]) -> usize {
    let words = varied.iter().map(|varied| {
        let vertices = if varied.interpolated == Interpolated::Flat { 1 } else { 3 };
        vertices * usize::from(varied.components)
    });
    words.sum()
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
pub(super) fn area(x: [i32; 3], y: [i32; 3]) -> i64 {
    let [x0, x1, x2] = x.map(i64::from);
    let [y0, y1, y2] = y.map(i64::from);
    (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
}
