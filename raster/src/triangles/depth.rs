//! The depths of a tile's samples, in blocks of 8 by 8 pixels.
//!
//! A block knows bounds of its depths, so a piece may be hidden in a whole block. A draw has one comparison, and a
//! depth is replaced only by one that passes it: so the bound that decides whether a piece is hidden stays a bound,
//! and it is found again only after some quads were written. Blocks begin at columns and rows that are multiples of
//! their side. Samples outside of the tile keep the depth 1.

use super::state::Compare;
use crate::kernel::{Quad, Tile};

/// Side of a block of pixels.
pub(super) const BLOCK: u32 = 8;
/// Quads of a block.
const QUADS: usize = (BLOCK * BLOCK / 4) as usize;

/// The range of a block is found again if so many quads have been written since.
const STALE: u8 = 4;

/// Depths of the four pixels of a quad, sample by sample.
pub(super) type QuadDepths<const SAMPLES: usize> = [[f32; 4]; SAMPLES];

#[derive(Clone, Debug)]
struct Block<const SAMPLES: usize> {
    quads: [QuadDepths<SAMPLES>; QUADS],
    /// Least and greatest depth when they were last found.
    range: [f32; 2],
    /// Quads written since then, up to [`STALE`].
    written: u8,
}

/// The depths of a tile.
#[derive(Debug, Default)]
pub(super) struct DepthBuffer<const SAMPLES: usize> {
    blocks: Vec<Block<SAMPLES>>,
    /// Column and row of the first block, counted in blocks.
    first: [u32; 2],
    /// Blocks of a row.
    across: u32,
}

impl<const SAMPLES: usize> DepthBuffer<SAMPLES> {
    /// Clears the depths of a tile to 1.
    pub(super) fn clear(&mut self, tile: Tile) {
        self.first = [tile.x / BLOCK, tile.y / BLOCK];
        let [across, down] = [
            (tile.x + tile.width).div_ceil(BLOCK) - self.first[0],
            (tile.y + tile.height).div_ceil(BLOCK) - self.first[1],
        ];
        self.across = across;
        let cleared = Block { quads: [[[1.0; 4]; SAMPLES]; QUADS], range: [1.0; 2], written: 0 };
        self.blocks.clear();
        self.blocks.resize((across * down) as usize, cleared);
    }

    #[inline]
    fn block(&self, x: u32, y: u32) -> usize {
        let [column, row] = [x / BLOCK - self.first[0], y / BLOCK - self.first[1]];
        (row * self.across + column) as usize
    }

    /// The number in its block of the quad of a pixel.
    #[inline]
    fn quad(x: u32, y: u32) -> usize {
        ((y / 2 % (BLOCK / 2)) * (BLOCK / 2) + x / 2 % (BLOCK / 2)) as usize
    }

    /// True if no depth in this range, least and greatest, passes in the block of a pixel.
    #[inline]
    pub(super) fn hides(&mut self, x: u32, y: u32, compare: Compare, range: [f32; 2]) -> bool {
        let at = self.block(x, y);
        let block = &mut self.blocks[at];
        // A look at one depth mostly saves finding the range of all.
        let depth = block.quads[Self::quad(x, y)][0][0];
        hidden(compare, range, [depth; 2]) && hidden(compare, range, block.range())
    }

    /// Removes from the masks of a quad, one for each sample, the pixels whose depths fail. Stores the others if
    /// they are to be written.
    #[inline]
    pub(super) fn test(
        &mut self,
        [x, y]: [u32; 2],
        masks: &mut [u8; SAMPLES],
        depths: &QuadDepths<SAMPLES>,
        compare: Compare,
        writes: bool,
    ) {
        let at = self.block(x, y);
        let block = &mut self.blocks[at];
        let stored = &mut block.quads[Self::quad(x, y)];
        let mut any = 0;
        for ((mask, depths), stored) in masks.iter_mut().zip(depths).zip(stored) {
            *mask &= passing(compare, depths, stored);
            any |= *mask;
            if writes {
                select(stored, *mask, depths);
            }
        }
        if writes && any != 0 {
            block.write();
        }
    }

    /// Stores the depths of a quad under a mask for each sample.
    pub(super) fn store(
        &mut self,
        [x, y]: [u32; 2],
        masks: &[u8; SAMPLES],
        depths: &QuadDepths<SAMPLES>,
    ) {
        let at = self.block(x, y);
        let block = &mut self.blocks[at];
        let stored = &mut block.quads[Self::quad(x, y)];
        for ((&mask, depths), stored) in masks.iter().zip(depths).zip(stored) {
            select(stored, mask, depths);
        }
        block.write();
    }

    /// The depth of the first sample of a pixel.
    pub(super) fn first_sample(&self, x: u32, y: u32) -> f32 {
        let bit = Quad::bit(x % 2, y % 2);
        let k = bit.trailing_zeros() as usize;
        self.blocks[self.block(x, y)].quads[Self::quad(x, y)][0][k]
    }
}

impl<const SAMPLES: usize> Block<SAMPLES> {
    /// Notes that a quad was written.
    #[inline]
    fn write(&mut self) {
        self.written = (self.written + 1).min(STALE);
    }

    #[inline]
    fn range(&mut self) -> [f32; 2] {
        if self.written == STALE {
            self.range = self.found_range();
            self.written = 0;
        }
        self.range
    }

    fn found_range(&self) -> [f32; 2] {
        let mut least = [f32::INFINITY; 4];
        let mut most = [f32::NEG_INFINITY; 4];
        for depths in self.quads.as_flattened() {
            for k in 0..4 {
                least[k] = if depths[k] < least[k] { depths[k] } else { least[k] };
                most[k] = if depths[k] > most[k] { depths[k] } else { most[k] };
            }
        }
        let least = least.into_iter().fold(f32::INFINITY, f32::min);
        let most = most.into_iter().fold(f32::NEG_INFINITY, f32::max);
        [least, most]
    }
}

/// True if no depth of the first range, least and greatest, passes against one of the second.
#[inline]
fn hidden(compare: Compare, [least, most]: [f32; 2], [nearest, farthest]: [f32; 2]) -> bool {
    match compare {
        Compare::Never => true,
        Compare::Less => least >= farthest,
        Compare::LessEqual => least > farthest,
        Compare::Equal => least > farthest || most < nearest,
        Compare::GreaterEqual => most < nearest,
        Compare::Greater => most <= nearest,
        Compare::NotEqual | Compare::Always => false,
    }
}

/// The mask of the pixels of a quad whose depths pass.
#[inline]
fn passing(compare: Compare, depths: &[f32; 4], stored: &[f32; 4]) -> u8 {
    // One comparison for all four, so that the choice stands outside of the loop.
    let all = |passes: fn(f32, f32) -> bool| {
        mask(std::array::from_fn(|k| -i32::from(passes(depths[k], stored[k]))))
    };
    match compare {
        Compare::Never => 0,
        Compare::Less => all(|depth, stored| depth < stored),
        Compare::Equal => all(|depth, stored| depth == stored),
        Compare::LessEqual => all(|depth, stored| depth <= stored),
        Compare::Greater => all(|depth, stored| depth > stored),
        Compare::NotEqual => all(|depth, stored| depth != stored),
        Compare::GreaterEqual => all(|depth, stored| depth >= stored),
        Compare::Always => 0b1111,
    }
}

/// Replaces the depths under a mask.
#[inline]
fn select(stored: &mut [f32; 4], mask: u8, depths: &[f32; 4]) {
    // Without a branch: masks are unpredictable.
    let chosen = Quad::WORDS[usize::from(mask & 0b1111)];
    *stored = std::array::from_fn(|k| {
        f32::from_bits(depths[k].to_bits() & chosen[k] | stored[k].to_bits() & !chosen[k])
    });
}

/// The mask of the pixels of a quad whose words have all bits set; the others are zero.
#[inline]
pub(super) fn mask(all: [i32; 4]) -> u8 {
    let bits: [i32; 4] = std::array::from_fn(|k| all[k] & 1 << k);
    (bits[0] | bits[1] | bits[2] | bits[3]) as u8
}
