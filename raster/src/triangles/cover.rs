//! Covered pixels of a piece in a tile, and the depths of their samples.
//!
//! Edge functions are evaluated in binary64, for a quad of pixels at once. Blocks of 8 by 8 pixels that lie
//! outside of an edge are skipped.

use super::bins::touched;
use super::piece::{Edge, Piece};
use crate::kernel::{Quad, Tile};
use crate::mutants::{Mutant, is_active};
use lambdav_image::size::Size;

/// Offsets of the samples of a pixel, in 1/256 of a pixel: the centre, or Vulkan's standard positions.
pub(super) fn offsets(samples: u8) -> &'static [[i64; 2]] {
    match samples {
        4 => &[[96, 32], [224, 96], [32, 160], [160, 224]],
        _ => &[[128, 128]],
    }
}

/// A quad with covered samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoveredQuad {
    pub(super) x: u32,
    pub(super) y: u32,
    /// For each sample a mask of pixels; the bits are those of [`Quad`].
    pub(super) samples: [u8; 4],
    /// For each sample the depths of the pixels.
    pub(super) depths: [[f32; 4]; 4],
}

impl CoveredQuad {
    /// Mask of the pixels with a covered sample.
    pub(super) fn pixels(&self) -> u8 {
        self.samples.iter().fold(0, |all, mask| all | mask)
    }

    /// The quad for a kernel; the pixels in `mask` run.
    pub(super) fn quad(&self, mask: u8) -> Quad {
        Quad { x: self.x, y: self.y, run: mask, stored: mask }
    }
}

/// Side of a block of pixels.
const BLOCK: u32 = 8;

/// Coverage of a piece.
pub(super) struct Coverage {
    /// The growth of each edge function with x and y, for 1/256 of a pixel, and its value at the origin, lowered by
    /// 1 for an open edge: covered points have no negative value.
    edges: [[f64; 3]; 3],
    /// 1 for an open edge, else 0.
    open: [f64; 3],
    area: f32,
    depths: [f32; 3],
    needs_depths: bool,
}

impl Coverage {
    /// `depths` are z/w of the vertices, if depths of samples are wanted.
    pub(super) fn new(piece: &Piece, depths: Option<[f32; 3]>) -> Self {
        let edges = piece.edges();
        let open = edges.map(|edge| if edge.is_closed { 0.0 } else { 1.0 });
        let biased = |Edge { x, y, origin, is_closed }: Edge| {
            [x as f64, y as f64, (origin - i64::from(!is_closed)) as f64]
        };
        Self {
            edges: edges.map(biased),
            open,
            area: piece.area() as f32,
            depths: depths.unwrap_or_default(),
            needs_depths: depths.is_some(),
        }
    }

    /// Calls `each` with the quads of a tile that have covered samples.
    pub(super) fn quads(
        &self,
        piece: &Piece,
        tile: Tile,
        size: Size,
        offsets: &[[i64; 2]],
        mut each: impl FnMut(CoveredQuad),
    ) {
        let (x, y) = (touched(piece.x, size.width()), touched(piece.y, size.height()));
        let (left, right) = (x.start.max(tile.x), x.end.min(tile.x + tile.width));
        let (top, bottom) = (y.start.max(tile.y), y.end.min(tile.y + tile.height));
        if left >= right || top >= bottom {
            return;
        }
        let mut by = top & !(BLOCK - 1);
        while by < bottom {
            let mut bx = left & !(BLOCK - 1);
            while bx < right {
                if self.may_touch(bx, by) {
                    let rows = top.max(by) & !1..bottom.min(by + BLOCK);
                    for qy in rows.step_by(2) {
                        let columns = left.max(bx) & !1..right.min(bx + BLOCK);
                        for qx in columns.step_by(2) {
                            let inside = inside(qx, qy, tile);
                            if let Some(quad) = self.quad(qx, qy, inside, offsets) {
                                each(quad);
                            }
                        }
                    }
                }
                bx += BLOCK;
            }
            by += BLOCK;
        }
    }

    /// False if no point of a block is covered.
    fn may_touch(&self, x: u32, y: u32) -> bool {
        let side = f64::from(256 * BLOCK);
        let (x, y) = (256.0 * f64::from(x), 256.0 * f64::from(y));
        self.edges.iter().all(|&[by_x, by_y, origin]| {
            let most = by_x.max(0.0) * side + by_y.max(0.0) * side;
            by_x * x + (by_y * y + origin) + most >= 0.0
        })
    }

    fn quad(&self, x: u32, y: u32, inside: u8, offsets: &[[i64; 2]]) -> Option<CoveredQuad> {
        let mut quad = CoveredQuad { x, y, samples: [0; 4], depths: [[0.0; 4]; 4] };
        let mut any = 0;
        for (number, offset) in offsets.iter().enumerate() {
            let is_moved = number == 2 && is_active(Mutant::SamplePosition);
            let at_x = 256.0 * f64::from(x) + (offset[0] + if is_moved { 16 } else { 0 }) as f64;
            let at_y = 256.0 * f64::from(y) + offset[1] as f64;
            let values = self.edges.map(|[by_x, by_y, origin]| {
                let first = by_x * at_x + (by_y * at_y + origin);
                let (right, down) = (256.0 * by_x, 256.0 * by_y);
                [first, first + right, first + down, first + right + down]
            });
            let mut mask = 0;
            let [first, second, third] = values;
            for (k, ((&first, second), third)) in first.iter().zip(second).zip(third).enumerate() {
                let is_covered = first >= 0.0 && second >= 0.0 && third >= 0.0;
                mask |= u8::from(is_covered) << k;
            }
            if mask & inside != 0 && is_active(Mutant::StoredHelpers) {
                mask = inside;
            }
            mask &= inside;
            quad.samples[number] = mask;
            any |= mask;
            if mask != 0 && self.needs_depths {
                quad.depths[number] = self.depths_of(values);
            }
        }
        (any != 0).then_some(quad)
    }

    /// The depths of four points with these lowered values of the edge functions.
    fn depths_of(&self, values: [[f64; 4]; 3]) -> [f32; 4] {
        let weight = |edge: usize, k: usize| (values[edge][k] + self.open[edge]) as f32 / self.area;
        let [d0, d1, d2] = self.depths;
        let (first, second) = (d1 - d0, d2 - d0);
        std::array::from_fn(|k| {
            let depth = d0 + (first * weight(1, k) + second * weight(2, k));
            clamped(depth)
        })
    }
}

/// A depth clamped to [0, 1]; 0 for NaN.
fn clamped(depth: f32) -> f32 {
    let depth = if depth < 0.0 { 0.0 } else { depth };
    let depth = if 1.0 < depth { 1.0 } else { depth };
    if depth.is_nan() { 0.0 } else { depth }
}

/// Mask of the pixels of a quad that lie in a tile.
fn inside(x: u32, y: u32, tile: Tile) -> u8 {
    let all = Quad::PIXELS.into_iter().filter(|&(dx, dy)| tile.contains(x + dx, y + dy));
    all.fold(0, |mask, (dx, dy)| mask | Quad::bit(dx, dy))
}
