//! Covered pixels of a piece in a tile, and the depths of their samples.
//!
//! Edge functions are evaluated for a quad of pixels at once: of a small piece in 32-bit integers, else in binary64,
//! both exact. In a large piece, blocks of pixels that lie outside of an edge, or where the piece is hidden, are
//! skipped, and blocks that lie inside of all edges need no edge functions for their coverage.

use super::bins::touched;
use super::depth::{BLOCK, QuadDepths, mask};
use super::piece::{Edge, Piece};
use crate::kernel::{Quad, Tile};
use crate::mutants::{Mutant, is_active};
use lambdav_image::size::Size;

/// A quad with covered samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoveredQuad<const SAMPLES: usize> {
    pub(super) x: u32,
    pub(super) y: u32,
    /// For each sample a mask of pixels; the bits are those of [`Quad`].
    pub(super) samples: [u8; SAMPLES],
    /// The depths of covered samples, if they are wanted.
    pub(super) depths: QuadDepths<SAMPLES>,
}

impl<const SAMPLES: usize> CoveredQuad<SAMPLES> {
    /// Mask of the pixels with a covered sample.
    pub(super) fn pixels(&self) -> u8 {
        self.samples.iter().fold(0, |all, mask| all | mask)
    }

    /// The quad for a kernel: covered pixels run.
    pub(super) fn quad(&self) -> Quad {
        let mask = self.pixels();
        Quad { x: self.x, y: self.y, run: mask, stored: mask }
    }
}

/// The receiver of covered quads.
pub(super) trait Receiver<const SAMPLES: usize> {
    /// True if no depth in this range, least and greatest, passes in the block of a pixel.
    fn hides(&mut self, x: u32, y: u32, range: [f32; 2]) -> bool;

    /// Takes a quad with covered samples.
    fn take(&mut self, quad: CoveredQuad<SAMPLES>);
}

/// The rectangle of pixels of a tile that a piece may touch.
#[derive(Clone, Copy)]
struct Part {
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
    tile: Tile,
    /// True if each quad lies in the tile or outside.
    has_whole_quads: bool,
}

impl Part {
    fn of(piece: &Piece, tile: Tile, size: Size) -> Option<Self> {
        let (x, y) = (touched(piece.x, size.width()), touched(piece.y, size.height()));
        let (left, right) = (x.start.max(tile.x), x.end.min(tile.x + tile.width));
        let (top, bottom) = (y.start.max(tile.y), y.end.min(tile.y + tile.height));
        let has_whole_quads = (tile.x | tile.y | tile.width | tile.height).is_multiple_of(2);
        let is_empty = left >= right || top >= bottom;
        (!is_empty).then_some(Self { left, right, top, bottom, tile, has_whole_quads })
    }

    /// Mask of the pixels of a quad that lie in the tile.
    #[inline]
    fn inside(&self, x: u32, y: u32) -> u8 {
        if self.has_whole_quads {
            return 0b1111;
        }
        let tile = self.tile;
        let all = Quad::PIXELS.into_iter().filter(|&(dx, dy)| tile.contains(x + dx, y + dy));
        all.fold(0, |mask, (dx, dy)| mask | Quad::bit(dx, dy))
    }
}

/// The sides of a small piece are at most this long, in 1/256 of a pixel: values of its edge functions around it
/// are less than 2^29.
const SMALL: i32 = 1 << 13;

/// Coverage of a piece.
pub(super) struct Coverage<const SAMPLES: usize> {
    /// The edge functions. Values at the origin are lowered by 1 for an open edge: covered points have no negative
    /// value.
    edges: [Edge; 3],
    /// 1 for an open edge, else 0.
    open: [i32; 3],
    area: f32,
    depths: Option<DepthPlane>,
    /// The samples of a pixel, in 1/256 of a pixel.
    offsets: [[i64; 2]; SAMPLES],
}

/// The depths of a piece: that of vertex 0, and the differences of the others to it.
#[derive(Clone, Copy)]
struct DepthPlane {
    first: f32,
    differences: [f32; 2],
}

impl DepthPlane {
    /// The depths of four points with these weights of vertices 1 and 2.
    #[inline]
    fn at(&self, weights: [[f32; 4]; 2]) -> [f32; 4] {
        let [first, second] = self.differences;
        std::array::from_fn(|k| {
            clamped(self.first + (first * weights[0][k] + second * weights[1][k]))
        })
    }

    /// More than rounding changes a depth of a covered sample, whose weights are at most 1; `None` if it has no bound.
    #[inline]
    fn margin(&self) -> Option<f64> {
        let [first, second] = self.differences.map(|of| f64::from(of.abs()));
        let margin = 2_f64.powi(-18) * (first + second + f64::from(self.first.abs()));
        margin.is_finite().then_some(margin)
    }

    /// The depth of each point, if it is constant.
    fn constant(&self) -> Option<f32> {
        (self.differences == [0.0, 0.0]).then(|| self.at([[0.0; 4]; 2])[0])
    }
}

/// The samples of a pixel, in 1/256 of a pixel: the centre, or Vulkan's standard positions.
fn offsets<const SAMPLES: usize>() -> [[i64; 2]; SAMPLES] {
    std::array::from_fn(|number| {
        let [x, y] = match SAMPLES {
            4 => [[96, 32], [224, 96], [32, 160], [160, 224]][number],
            _ => [128, 128],
        };
        let is_moved = number == 2 && is_active(Mutant::SamplePosition);
        [x + if is_moved { 16 } else { 0 }, y]
    })
}

impl<const SAMPLES: usize> Coverage<SAMPLES> {
    /// `needs_depths` if depths of samples are wanted.
    pub(super) fn new(piece: &Piece, needs_depths: bool) -> Self {
        let mut edges = piece.edges();
        let open = edges.map(|edge| i32::from(!edge.is_closed));
        for (edge, open) in edges.iter_mut().zip(open) {
            edge.origin -= i64::from(open);
        }
        let [d0, d1, d2] = piece.depths;
        let plane = DepthPlane { first: d0, differences: [d1 - d0, d2 - d0] };
        Self {
            edges,
            open,
            area: piece.area() as f32,
            depths: needs_depths.then_some(plane),
            offsets: offsets(),
        }
    }

    /// Gives the quads of a tile that have covered samples to `receiver`, row by row or block by block.
    pub(super) fn quads(
        &self,
        piece: &Piece,
        tile: Tile,
        size: Size,
        receiver: &mut impl Receiver<SAMPLES>,
    ) {
        let Some(part) = Part::of(piece, tile, size) else { return };
        let is_short = |edge: &Edge| edge.x.abs().max(edge.y.abs()) <= SMALL.into();
        if self.edges.iter().all(is_short) {
            if !self.is_all_hidden(piece, part, receiver) {
                self.small(part, receiver);
            }
        } else {
            self.blocks(part, receiver);
        }
    }

    /// True if a small piece is hidden in each block of a part.
    fn is_all_hidden(
        &self,
        piece: &Piece,
        part: Part,
        receiver: &mut impl Receiver<SAMPLES>,
    ) -> bool {
        let Some(plane) = self.depths else { return false };
        let Some(margin) = plane.margin() else { return false };
        let [first, second, third] = piece.depths.map(f64::from);
        let least = first.min(second).min(third) - margin;
        let most = first.max(second).max(third) + margin;
        let range = [least, most].map(|depth| clamped(depth as f32));
        let block = |at: u32| at / BLOCK;
        (block(part.top)..=block(part.bottom - 1)).all(|by| {
            (block(part.left)..=block(part.right - 1))
                .all(|bx| receiver.hides(bx * BLOCK, by * BLOCK, range))
        })
    }

    /// All quads of a part that a small piece may touch.
    #[inline(never)]
    fn small(&self, part: Part, receiver: &mut impl Receiver<SAMPLES>) {
        let (left, top) = (part.left & !1, part.top & !1);
        let [x, y] = [left, top].map(|at| 256 * i64::from(at));
        let growth = self.edges.map(|edge| [256 * edge.x as i32, 256 * edge.y as i32]);
        let within = growth.map(|[right, down]| [0, right, down, right + down]);
        let mut rows: [[Fours; 3]; SAMPLES] = self.offsets.map(|offset| {
            let at = [x + offset[0], y + offset[1]];
            std::array::from_fn(|k| {
                let edge = self.edges[k];
                let first = (edge.x * at[0] + (edge.y * at[1] + edge.origin)) as i32;
                Fours::new(within[k].map(|more| first + more))
            })
        });
        let [right, down] = [0, 1].map(|axis| growth.map(|of| Fours::step(2 * of[axis])));
        // Of edges 1 and 2: the value of each pixel over the lowered one of the first.
        let within = [1, 2].map(|edge| within[edge].map(|more| more + self.open[edge]));
        let mut qy = top;
        while qy < part.bottom {
            let mut values = rows;
            let mut qx = left;
            while qx < part.right {
                self.small_quad([qx, qy], &values, &within, part, receiver);
                for of_sample in &mut values {
                    of_sample.iter_mut().zip(right).for_each(|(values, step)| values.add(step));
                }
                qx += 2;
            }
            for of_sample in &mut rows {
                of_sample.iter_mut().zip(down).for_each(|(values, step)| values.add(step));
            }
            qy += 2;
        }
    }

    /// Gives a quad to `receiver` if it has covered samples.
    #[inline(always)]
    fn small_quad(
        &self,
        [x, y]: [u32; 2],
        values: &[[Fours; 3]; SAMPLES],
        within: &[[i32; 4]; 2],
        part: Part,
        receiver: &mut impl Receiver<SAMPLES>,
    ) {
        let covered = values.map(|[first, second, third]| first.and(second).and(third));
        if !covered.iter().any(Fours::has_any) {
            return;
        }
        let Some(samples) = Self::seen(covered.map(Fours::mask), part.inside(x, y)) else { return };
        let mut depths = [[0.0; 4]; SAMPLES];
        if let Some(plane) = &self.depths {
            for (depths, values) in depths.iter_mut().zip(values) {
                *depths = plane.at([0, 1].map(|k| {
                    let first = values[1 + k].first();
                    within[k].map(|more| first.wrapping_add(more) as f32 / self.area)
                }));
            }
        }
        receiver.take(CoveredQuad { x, y, samples, depths });
    }

    /// The masks of samples inside of a tile; `None` if they are empty.
    #[inline]
    fn seen(mut samples: [u8; SAMPLES], inside: u8) -> Option<[u8; SAMPLES]> {
        let mut any = 0;
        for mask in &mut samples {
            if *mask & inside != 0 && is_active(Mutant::StoredHelpers) {
                *mask = inside;
            }
            *mask &= inside;
            any |= *mask;
        }
        (any != 0).then_some(samples)
    }

    /// All blocks of a part.
    #[inline(never)]
    fn blocks(&self, part: Part, receiver: &mut impl Receiver<SAMPLES>) {
        let side = f64::from(256 * BLOCK);
        let lines = self.edges.map(Line::of);
        let spans = lines.map(|Line { x: by_x, y: by_y, .. }| {
            let least = by_x.min(0.0) * side + by_y.min(0.0) * side;
            [least, by_x.max(0.0) * side + by_y.max(0.0) * side]
        });
        let mut by = part.top & !(BLOCK - 1);
        while by < part.bottom {
            let mut bx = part.left & !(BLOCK - 1);
            while bx < part.right {
                let at = [256.0 * f64::from(bx), 256.0 * f64::from(by)];
                let values = lines.map(|line| line.at(at));
                let is_outside =
                    values.iter().zip(spans).any(|(value, [_, most])| value + most < 0.0);
                if !is_outside && !self.is_hidden([bx, by], &lines, values, receiver) {
                    let mut inside = values.iter().zip(spans);
                    let is_full = inside.all(|(value, [least, _])| value + least >= 0.0);
                    self.block([bx, by], &lines, is_full, part, receiver);
                }
                bx += BLOCK;
            }
            by += BLOCK;
        }
    }

    /// True if all depths of a block fail, given the values of the edge functions at its first corner.
    fn is_hidden(
        &self,
        [x, y]: [u32; 2],
        lines: &[Line; 3],
        values: [f64; 3],
        receiver: &mut impl Receiver<SAMPLES>,
    ) -> bool {
        let Some(plane) = self.depths else { return false };
        if let Some(depth) = plane.constant() {
            return receiver.hides(x, y, [depth, depth]);
        }
        let side = f64::from(256 * BLOCK);
        let [first, second] = plane.differences.map(f64::from);
        let [_, value1, value2] = std::array::from_fn(|k| values[k] + f64::from(self.open[k]));
        let area = f64::from(self.area);
        // The growth of the depth over a block along each axis.
        let grown = [[lines[1].x, lines[2].x], [lines[1].y, lines[2].y]]
            .map(|by| (first * by[0] + second * by[1]) / area * side);
        let corner = f64::from(plane.first) + (first * value1 + second * value2) / area;
        let Some(margin) = plane.margin() else { return false };
        let least = corner + grown[0].min(0.0) + grown[1].min(0.0) - margin;
        let most = corner + grown[0].max(0.0) + grown[1].max(0.0) + margin;
        receiver.hides(x, y, [clamped(least as f32), clamped(most as f32)])
    }

    /// The quads of a block. It is full if all its points are covered.
    fn block(
        &self,
        [bx, by]: [u32; 2],
        lines: &[Line; 3],
        is_full: bool,
        part: Part,
        receiver: &mut impl Receiver<SAMPLES>,
    ) {
        let mut qy = part.top.max(by) & !1;
        while qy < part.bottom.min(by + BLOCK) {
            let mut qx = part.left.max(bx) & !1;
            while qx < part.right.min(bx + BLOCK) {
                let inside = part.inside(qx, qy);
                if let Some(quad) = self.quad([qx, qy], lines, is_full, inside) {
                    receiver.take(quad);
                }
                qx += 2;
            }
            qy += 2;
        }
    }

    #[inline(always)]
    fn quad(
        &self,
        at: [u32; 2],
        lines: &[Line; 3],
        is_full: bool,
        inside: u8,
    ) -> Option<CoveredQuad<SAMPLES>> {
        let mut samples = [0b1111; SAMPLES];
        if !is_full {
            samples = self.offsets.map(|offset| {
                let [first, second, third] = [0, 1, 2].map(|edge| lines[edge].of_quad(at, offset));
                mask(std::array::from_fn(|k| {
                    -i32::from(first[k] >= 0.0 && second[k] >= 0.0 && third[k] >= 0.0)
                }))
            });
        }
        let samples = Self::seen(samples, inside)?;
        let mut depths = [[0.0; 4]; SAMPLES];
        if let Some(plane) = &self.depths {
            match plane.constant() {
                Some(depth) => depths = [[depth; 4]; SAMPLES],
                None => {
                    depths = self.offsets.map(|offset| {
                        plane.at([1, 2].map(|edge| {
                            let open = f64::from(self.open[edge]);
                            let values = lines[edge].of_quad(at, offset);
                            values.map(|value| (value + open) as f32 / self.area)
                        }))
                    });
                }
            }
        }
        let [x, y] = at;
        Some(CoveredQuad { x, y, samples, depths })
    }
}

/// An edge function in binary64, lowered by 1 for an open edge.
#[derive(Clone, Copy)]
struct Line {
    /// The growth with x and y, for 1/256 of a pixel.
    x: f64,
    y: f64,
    origin: f64,
}

impl Line {
    fn of(Edge { x, y, origin, .. }: Edge) -> Self {
        Self { x: x as f64, y: y as f64, origin: origin as f64 }
    }

    /// The value at a point, in 1/256 of a pixel.
    #[inline]
    fn at(&self, [x, y]: [f64; 2]) -> f64 {
        self.x * x + (self.y * y + self.origin)
    }

    /// The values at a sample of the four pixels of a quad.
    #[inline]
    fn of_quad(&self, at: [u32; 2], offset: [i64; 2]) -> [f64; 4] {
        let [x, y] = at.map(|at| 256.0 * f64::from(at));
        let first = self.at([x + offset[0] as f64, y + offset[1] as f64]);
        let (right, down) = (256.0 * self.x, 256.0 * self.y);
        [0.0, right, down, right + down].map(|more| first + more)
    }
}

/// Four integers of less than 2^29 in magnitude, the values of an edge function at the pixels of a quad. Each is a
/// half of a word and raised by 2^30, so that a sum of words has no carry from half to half, and bit 30 of a half says
/// that its value is not negative.
#[derive(Clone, Copy)]
struct Fours([u64; 2]);

impl Fours {
    /// Bit 30 of both halves.
    const SIGNS: u64 = 1 << 62 | 1 << 30;

    fn new(values: [i32; 4]) -> Self {
        let word = |low: i32, high: i32| {
            let sum = (i64::from(high) << 32) + i64::from(low);
            Self::SIGNS.wrapping_add_signed(sum)
        };
        Self([word(values[0], values[1]), word(values[2], values[3])])
    }

    /// The same growth of all four, for [`Self::add`].
    fn step(by: i32) -> u64 {
        ((i64::from(by) << 32) + i64::from(by)).cast_unsigned()
    }

    #[inline(always)]
    fn add(&mut self, step: u64) {
        self.0 = self.0.map(|word| word.wrapping_add(step));
    }

    #[inline(always)]
    fn and(self, Self([upper, lower]): Self) -> Self {
        Self([self.0[0] & upper, self.0[1] & lower])
    }

    /// True if one is not negative.
    #[inline(always)]
    fn has_any(&self) -> bool {
        (self.0[0] | self.0[1]) & Self::SIGNS != 0
    }

    /// The mask of those that are not negative.
    #[inline(always)]
    fn mask(self) -> u8 {
        let [upper, lower] = self.0.map(|word| (word >> 30 & 1 | word >> 61 & 2) as u8);
        upper | lower << 2
    }

    /// The first of them.
    #[inline(always)]
    fn first(self) -> i32 {
        (self.0[0] as u32).wrapping_sub(1 << 30).cast_signed()
    }
}

/// A depth clamped to [0, 1]; 0 for NaN.
#[inline]
fn clamped(depth: f32) -> f32 {
    let depth = if depth < 0.0 { 0.0 } else { depth };
    let depth = if 1.0 < depth { 1.0 } else { depth };
    if depth.is_nan() { 0.0 } else { depth }
}
