//! Values of a fragment: varyings and `frag-coord`, at its pixel and at neighbours.

use super::interface::{DrawCall, Interpolation, Vertex};
use super::number::{canonical, depth, num};
use super::setup::{Piece, Place};

/// A piece of a triangle at a pixel.
///
/// Columns and rows of neighbours may lie outside the image and outside the triangle.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// The pixel's column.
    pub x: u32,
    /// The pixel's row.
    pub y: u32,
    /// The instance.
    pub instance: u32,
    /// The number of the triangle in its instance, dropped ones counted.
    pub primitive_index: u32,
    /// True if the front is seen.
    pub front_facing: bool,
    pub(crate) call: &'a DrawCall,
    pub(crate) piece: &'a Piece,
    /// First vertex of the triangle before clipping.
    pub(crate) first: &'a Vertex,
}

/// Weights of a piece's vertices at the centre of a pixel.
struct Weights {
    /// `b`, linear in the image.
    linear: [f32; 3],
    /// `B`, linear in the plane of the triangle.
    perspective: [f32; 3],
    q: f32,
}

impl Fragment<'_> {
    /// The words of a varying. Every NaN is 0x7fc00000, except in integers.
    pub fn varying(&self, index: usize) -> Vec<u32> {
        self.varying_at(index, i64::from(self.x), i64::from(self.y))
    }

    /// The words of a varying at a neighbour.
    pub fn varying_at(&self, index: usize, x: i64, y: i64) -> Vec<u32> {
        let kind = &self.call.varyings[index];
        let weights = self.weights(x, y);
        // Vertex 0 has the rest of the weight.
        let [_, b1, b2] = match kind.interpolation {
            Interpolation::Flat => return self.first.varyings[index].clone(),
            Interpolation::Perspective => weights.perspective,
            Interpolation::Linear => weights.linear,
        };
        let component = |k: usize| {
            let [v0, v1, v2] = [0, 1, 2].map(|i| self.piece.corners[i].varyings[index][k]);
            let value = v0 + ((v1 - v0) * b1 + (v2 - v0) * b2);
            canonical(value).to_bits()
        };
        (0..kind.components).map(component).collect()
    }

    /// `(frag-coord)`.
    pub fn frag_coord(&self) -> [f32; 4] {
        self.frag_coord_at(i64::from(self.x), i64::from(self.y))
    }

    /// `(frag-coord)` at a neighbour.
    pub fn frag_coord_at(&self, x: i64, y: i64) -> [f32; 4] {
        let z = self.piece.depth(centre(x, y));
        let q = self.weights(x, y).q;
        [num(i128::from(x)) + 0.5, num(i128::from(y)) + 0.5, z, canonical(q)]
    }

    fn weights(&self, x: i64, y: i64) -> Weights {
        let b = self.piece.barycentric(centre(x, y));
        let [w0, w1, w2] = self.piece.corners.each_ref().map(|corner| corner.w());
        if w0 == w1 && w1 == w2 {
            return Weights { linear: b, perspective: b, q: 1.0 / w0 };
        }
        let r = [b[0] * (1.0 / w0), b[1] * (1.0 / w1), b[2] * (1.0 / w2)];
        let q = (r[0] + r[1]) + r[2];
        Weights { linear: b, perspective: r.map(|r| r / q), q }
    }
}

/// The centre of a pixel.
fn centre(x: i64, y: i64) -> Place {
    [256 * i128::from(x) + 128, 256 * i128::from(y) + 128]
}

impl Piece {
    /// `bi` at a place.
    fn barycentric(&self, place: Place) -> [f32; 3] {
        self.edges(place).map(|edge| num(edge) / num(self.area))
    }

    /// The depth at a place, clamped.
    pub(crate) fn depth(&self, place: Place) -> f32 {
        let [_, b1, b2] = self.barycentric(place);
        let [d0, d1, d2] = self.corners.each_ref().map(|corner| {
            let [_, _, z, w] = corner.position;
            z / w
        });
        depth(d0 + ((d1 - d0) * b1 + (d2 - d0) * b2))
    }
}
