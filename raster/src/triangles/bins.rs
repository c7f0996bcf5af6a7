//! The pieces of each tile, in the order in which they are drawn.
//!
//! Triangles are set up in chunks, by all workers. A chunk lists its pieces by tile, and the pieces of a tile are
//! those of all chunks in their order. The pieces of a chunk lie in memory in the order of their first tiles: small
//! triangles are anywhere in the image, and a tile reads its pieces one after the other.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Instant;

use super::assemble::Assembled;
use super::chunks::in_chunks;
use super::draw::{Draw, DrawError};
use super::piece::{Piece, values_of};
use super::setup::Setup;
use super::vertices::Vertices;
use crate::mutants::{Mutant, is_active};
use crate::render::Tiles;

/// Least and greatest number of triangles of a chunk.
const CHUNK: [usize; 2] = [1 << 12, 1 << 14];
/// Number of chunks, if they have neither the least nor the greatest number of triangles.
const CHUNKS: usize = 16;

/// The pieces of a chunk of triangles.
#[derive(Debug, Default)]
struct BinnedChunk {
    pieces: Vec<Piece>,
    /// The words of the values of varyings, piece by piece.
    values: Vec<u32>,
    /// Pieces of all tiles, tile by tile, by index.
    binned: Vec<u32>,
    /// For each tile the index of its first piece in `binned`; then its length.
    firsts: Vec<u32>,
}

/// The pieces of all triangles.
#[derive(Debug)]
pub(super) struct Bins {
    chunks: Vec<BinnedChunk>,
    /// Words of the values of a piece.
    values: usize,
}

/// The columns or rows of pixels that a piece may touch, given the least and the greatest coordinate of its
/// vertices; empty outside the image.
pub(super) fn touched(coordinates: [i32; 3], side: u32) -> Range<u32> {
    let least = coordinates.into_iter().min().expect("there are three").max(0) as u32;
    let most = coordinates.into_iter().max().expect("there are three");
    if most < 0 {
        return 0..0;
    }
    let end = (most as u32 / 256 + 1).min(side);
    (least / 256).min(end)..end
}

/// Calls `each` with the number of each tile that a piece may touch.
fn tiles_of(piece: &Piece, tiles: Tiles, mut each: impl FnMut(usize)) {
    let (width, height) = (tiles.tile.width(), tiles.tile.height());
    let x = touched(piece.x, tiles.size.width());
    let y = touched(piece.y, tiles.size.height());
    if x.is_empty() || y.is_empty() {
        return;
    }
    for row in y.start / height..=(y.end - 1) / height {
        for column in x.start / width..=(x.end - 1) / width {
            each(row as usize * tiles.columns() + column as usize);
        }
    }
}

impl BinnedChunk {
    /// Sorts pieces, with so many words of values each, by tile.
    fn new(pieces: &[Piece], words: &[u32], values: usize, tiles: Tiles) -> Self {
        let mut firsts = vec![0_u32; tiles.count() + 1];
        for piece in pieces {
            tiles_of(piece, tiles, |tile| firsts[tile + 1] += 1);
        }
        for tile in 0..tiles.count() {
            firsts[tile + 1] += firsts[tile];
        }
        let mut binned = vec![0_u32; firsts[tiles.count()] as usize];
        let mut next = firsts.clone();
        for (number, piece) in (0..).zip(pieces) {
            tiles_of(piece, tiles, |tile| {
                binned[next[tile] as usize] = number;
                next[tile] += 1;
            });
        }
        if is_active(Mutant::LostOrder) {
            for tile in firsts.array_windows().map(|&[first, end]| first as usize..end as usize) {
                binned[tile].sort_by_key(|&piece| pieces[piece as usize].x.into_iter().min());
            }
        }
        const UNKNOWN: u32 = u32::MAX;
        let mut places = vec![UNKNOWN; pieces.len()];
        let mut sorted = Self {
            pieces: Vec::with_capacity(pieces.len()),
            values: Vec::with_capacity(words.len()),
            binned,
            firsts,
        };
        for piece in &mut sorted.binned {
            let number = *piece as usize;
            if places[number] == UNKNOWN {
                places[number] = sorted.pieces.len() as u32;
                sorted.pieces.push(pieces[number]);
                sorted.values.extend_from_slice(&words[number * values..][..values]);
            }
            *piece = places[number];
        }
        sorted
    }
}

impl Bins {
    pub(super) fn of(
        draw: &Draw<'_>,
        assembled: &Assembled,
        vertices: &Vertices,
        tiles: Tiles,
        begun: Instant,
        deadline: Option<Instant>,
        timed_out: impl Fn() -> DrawError,
    ) -> Result<Self, DrawError> {
        let values = values_of(draw.varied);
        let make = |range: Range<usize>, _: &_| {
            let mut setup = Setup::new(draw, assembled, vertices, tiles.size);
            let (mut pieces, mut words) = (Vec::new(), Vec::new());
            for triangle in range {
                setup.add(triangle, &mut pieces, &mut words);
            }
            BinnedChunk::new(&pieces, &words, values, tiles)
        };
        let count = assembled.triangles();
        let chunk = (count / CHUNKS).clamp(CHUNK[0], CHUNK[1]);
        let chunk = NonZeroUsize::new(chunk).expect("it is not zero");
        let chunks = in_chunks(count, chunk, 0, (begun, deadline), make)?;
        Ok(Self { chunks: chunks.ok_or_else(timed_out)?, values })
    }

    /// The pieces of a tile, in order, with the words of their values.
    pub(super) fn of_tile(&self, tile: usize) -> impl Iterator<Item = (&Piece, &[u32])> {
        self.chunks.iter().flat_map(move |chunk| {
            let [first, end] = [tile, tile + 1].map(|tile| chunk.firsts[tile] as usize);
            chunk.binned[first..end].iter().map(move |&piece| {
                let at = piece as usize;
                (&chunk.pieces[at], &chunk.values[at * self.values..][..self.values])
            })
        })
    }
}
