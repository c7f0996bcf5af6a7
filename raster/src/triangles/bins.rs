//! The pieces of each tile, in the order in which they are drawn.
//!
//! Triangles are set up in chunks, by all workers. A chunk lists its pieces by tile, and the pieces of a tile are
//! those of all chunks in their order.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Instant;

use super::assemble::Assembled;
use super::chunks::in_chunks;
use super::draw::{Draw, DrawError};
use super::piece::{self, ClippedVertices, Piece};
use super::vertices::Vertices;
use crate::mutants::{Mutant, is_active};
use crate::render::Tiles;

/// Triangles of a chunk.
const CHUNK: NonZeroUsize = NonZeroUsize::new(1 << 12).expect("it is not zero");

/// The pieces of a chunk of triangles.
#[derive(Debug, Default)]
pub(super) struct BinnedChunk {
    pub(super) pieces: Vec<Piece>,
    pub(super) clipped: ClippedVertices,
    /// Tile and piece, ascending.
    binned: Vec<(u32, u32)>,
}

/// The pieces of all triangles.
#[derive(Debug)]
pub(super) struct Bins {
    chunks: Vec<BinnedChunk>,
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
        let size = tiles.size;
        let (width, height) = (tiles.tile.width(), tiles.tile.height());
        let columns = tiles.columns() as u32;
        let make = |range: Range<usize>, _: &_| {
            let BinnedChunk { mut pieces, mut clipped, mut binned } = BinnedChunk::default();
            for triangle in range {
                piece::add(draw, assembled, vertices, size, triangle, &mut clipped, &mut pieces);
            }
            for (number, piece) in pieces.iter().enumerate() {
                let x = touched(piece.x, size.width());
                let y = touched(piece.y, size.height());
                if x.is_empty() || y.is_empty() {
                    continue;
                }
                for row in y.start / height..=(y.end - 1) / height {
                    for column in x.start / width..=(x.end - 1) / width {
                        binned.push((row * columns + column, number as u32));
                    }
                }
            }
            binned.sort_unstable();
            BinnedChunk { pieces, clipped, binned }
        };
        let chunks = in_chunks(assembled.triangles(), CHUNK, 0, (begun, deadline), make)?;
        Ok(Self { chunks: chunks.ok_or_else(timed_out)? })
    }

    /// The pieces of a tile, in order, with their chunks.
    pub(super) fn of_tile(&self, tile: u32) -> impl Iterator<Item = (&Piece, &BinnedChunk)> {
        self.chunks.iter().flat_map(move |chunk| {
            let first = chunk.binned.partition_point(|&(other, _)| other < tile);
            let all = chunk.binned[first..].iter().take_while(move |&&(other, _)| other == tile);
            let all = all.map(move |&(_, piece)| (&chunk.pieces[piece as usize], chunk));
            let mut all: Vec<(&Piece, &BinnedChunk)> = all.collect();
            if is_active(Mutant::LostOrder) {
                all.sort_by_key(|(piece, _)| piece.x.into_iter().min());
            }
            all
        })
    }
}
