//! A tile: all its pieces, in order, with tests, shading, blending and resolve.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_image::size::Size;

use super::bins::Bins;
use super::cover::{Coverage, CoveredQuad, Receiver};
use super::depth::DepthBuffer;
use super::draw::Draw;
use super::kernel::FragmentFault;
use super::piece::Piece;
use super::state::{Blend, Compare};
use crate::kernel::{Cancel, Fault, Quad, QuadKernel, Stop, Tile, TileBuffer};
use crate::mutants::{Mutant, is_active};

/// The place of a faulty fragment in the order of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ordinal {
    /// The number of the triangle in all instances.
    pub(super) triangle: u64,
    /// The index of the pixel in scan order.
    pixel: u64,
    /// The piece of the triangle.
    piece: u8,
}

/// A faulty fragment.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstFault {
    pub(super) ordinal: Ordinal,
    pub(super) fault: FragmentFault,
}

/// Draws one tile after another; its memory is used again. Pixels have `SAMPLES` samples.
pub(super) struct TileDrawer<'a, const SAMPLES: usize> {
    draw: &'a Draw<'a>,
    bins: &'a Bins,
    tile: Tile,
    /// Attachments of the picture.
    attachments: usize,
    /// Colours of samples: attachment by attachment, pixel by pixel, sample by sample.
    colours: Vec<[f32; 4]>,
    depths: DepthBuffer<SAMPLES>,
    /// Results of a kernel, if they do not go to `colours`.
    shaded: Vec<f32>,
    /// Mask and depth of fragments with a depth of their own.
    tested: Vec<f32>,
    resolved: Vec<[f32; 4]>,
    first_depths: Vec<f32>,
    covered: Vec<CoveredQuad<SAMPLES>>,
    quads: Vec<Quad>,
    words: Vec<u32>,
}

/// A tile that was not finished: a fault, or `None` if it is no longer wanted.
type Unfinished = Option<FirstFault>;

/// Reason why a piece was not finished.
enum PieceStop {
    Fault(FragmentFault),
    Cancelled,
}

impl PieceStop {
    fn of_colours(stop: Stop) -> Self {
        match stop {
            Stop::Fault(fault) => Self::Fault(FragmentFault::new(fault, false)),
            Stop::Cancelled => Self::Cancelled,
        }
    }
}

/// Tests the depths of covered quads, and keeps those with samples that pass.
struct DepthTest<'a, const SAMPLES: usize> {
    depths: &'a mut DepthBuffer<SAMPLES>,
    /// The comparison, and true if depths that pass are stored; `None` if all pass.
    compare: Option<(Compare, bool)>,
    covered: &'a mut Vec<CoveredQuad<SAMPLES>>,
}

impl<const SAMPLES: usize> Receiver<SAMPLES> for DepthTest<'_, SAMPLES> {
    #[inline]
    fn hides(&mut self, x: u32, y: u32, range: [f32; 2]) -> bool {
        self.compare.is_some_and(|(compare, _)| self.depths.hides(x, y, compare, range))
    }

    #[inline]
    fn take(&mut self, mut quad: CoveredQuad<SAMPLES>) {
        if let Some((compare, writes)) = self.compare {
            let CoveredQuad { x, y, samples, depths } = &mut quad;
            self.depths.test([*x, *y], samples, depths, compare, writes);
            if quad.pixels() == 0 {
                return;
            }
        }
        self.covered.push(quad);
    }
}

impl<'a, const SAMPLES: usize> TileDrawer<'a, SAMPLES> {
    pub(super) fn new(draw: &'a Draw<'a>, bins: &'a Bins, largest: Tile) -> Self {
        let attachments = draw.colours.attachments() - usize::from(draw.has_mask);
        let pixels = largest.pixels();
        let tested = if draw.test.is_some() { 4 * pixels } else { 0 };
        Self {
            draw,
            bins,
            tile: largest,
            attachments,
            colours: vec![[0.0; 4]; attachments * pixels * SAMPLES],
            depths: DepthBuffer::default(),
            shaded: vec![0.0; 4 * pixels * draw.colours.attachments()],
            tested: vec![0.0; tested],
            resolved: Vec::new(),
            first_depths: Vec::new(),
            covered: Vec::new(),
            quads: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Draws all pieces of a tile. Triangles from the frontier on are not wanted.
    pub(super) fn draw(
        &mut self,
        number: usize,
        tile: Tile,
        size: Size,
        frontier: &AtomicU64,
    ) -> Result<(), Unfinished> {
        self.tile = tile;
        self.colours[..self.attachments * tile.pixels() * SAMPLES].fill(self.draw.state.clear);
        self.depths.clear(tile);
        let mut found: Option<FirstFault> = None;
        for (piece, values) in self.bins.of_tile(number) {
            let triangle = u64::from(piece.triangle);
            // The pieces after a faulty one matter only if they belong to its triangle.
            if let Some(found) = found
                && triangle > found.ordinal.triangle
            {
                break;
            }
            if triangle >= frontier.load(Ordering::Relaxed) {
                return Err(found);
            }
            let cancel = Cancel::of_triangle(frontier, size, triangle);
            match self.piece(piece, values, &cancel) {
                Ok(()) => {}
                Err(PieceStop::Cancelled) => return Err(found),
                Err(PieceStop::Fault(fault)) => {
                    let pixel = size.index(fault.x, fault.y);
                    let ordinal = Ordinal { triangle, pixel, piece: piece.piece };
                    if found.is_none_or(|first| ordinal < first.ordinal) {
                        found = Some(FirstFault { ordinal, fault });
                    }
                }
            }
        }
        match found {
            Some(found) => Err(Some(found)),
            None => Ok(()),
        }
    }

    fn piece(
        &mut self,
        piece: &Piece,
        values: &[u32],
        cancel: &Cancel<'_>,
    ) -> Result<(), PieceStop> {
        let is_early = self.draw.test.is_none();
        let (size, tile) = (cancel.size(), self.tile);
        let mut covered = std::mem::take(&mut self.covered);
        covered.clear();
        let writes = self.writes_early();
        let compare = self.draw.state.depth.filter(|_| is_early).map(|compare| (compare, writes));
        let coverage = Coverage::new(piece, compare.is_some());
        let mut test = DepthTest { depths: &mut self.depths, compare, covered: &mut covered };
        coverage.quads(piece, tile, size, &mut test);
        let result = match covered.is_empty() {
            true => Ok(()),
            false => {
                let mut words = std::mem::take(&mut self.words);
                piece.words(values, &mut words);
                let result = self.fragments(&mut covered, &words, cancel);
                self.words = words;
                result
            }
        };
        self.covered = covered;
        result
    }

    /// True if fragments that pass the depth test are kept, so that the test stores their depths.
    fn writes_early(&self) -> bool {
        self.draw.state.writes_depth && self.draw.test.is_none() && !self.draw.has_mask
    }

    /// The index of the frame's pixel in the tile.
    fn pixel(&self, x: u32, y: u32) -> usize {
        ((y - self.tile.y) * self.tile.width + (x - self.tile.x)) as usize
    }

    /// Shades the fragments of a piece and stores those that are kept.
    fn fragments(
        &mut self,
        covered: &mut Vec<CoveredQuad<SAMPLES>>,
        words: &[u32],
        cancel: &Cancel<'_>,
    ) -> Result<(), PieceStop> {
        let mut fault = None;
        if let Some(test) = self.draw.test {
            fault = self.run_test(test, covered, words, cancel)?;
        }
        let is_direct = self.is_direct();
        let quads = covered.iter().map(CoveredQuad::quad);
        self.quads.clear();
        self.quads.extend(quads);
        let buffer = match is_direct {
            true => self.colours.as_flattened_mut(),
            false => &mut self.shaded[..],
        };
        let count = self.draw.colours.attachments();
        let mut buffer = TileBuffer::with_attachments(self.tile, count, buffer);
        let shaded = self.draw.colours.quads(&self.quads, words, &mut buffer, cancel);
        // Only pixels before a fault of the test are shaded, so a fault among them comes first.
        shaded.map_err(PieceStop::of_colours)?;
        if let Some(fault) = fault {
            return Err(PieceStop::Fault(FragmentFault::new(fault, true)));
        }
        self.store(covered, is_direct);
        Ok(())
    }

    /// True if kernels write the colours themselves.
    fn is_direct(&self) -> bool {
        let state = &self.draw.state;
        state.blend == Blend::Off && SAMPLES == 1 && !self.draw.has_mask
    }

    /// Runs the kernel of mask and depth, and keeps the samples that pass the depth test. After a fault, which is
    /// returned, only pixels before it are kept.
    fn run_test(
        &mut self,
        test: &dyn QuadKernel,
        covered: &mut Vec<CoveredQuad<SAMPLES>>,
        words: &[u32],
        cancel: &Cancel<'_>,
    ) -> Result<Option<Fault>, PieceStop> {
        let mut fault: Option<Fault> = None;
        loop {
            let quads = covered.iter().map(CoveredQuad::quad);
            self.quads.clear();
            self.quads.extend(quads);
            let mut buffer = TileBuffer::new(self.tile, &mut self.tested);
            match test.quads(&self.quads, words, &mut buffer, cancel) {
                Ok(()) => break,
                Err(Stop::Cancelled) => return Err(PieceStop::Cancelled),
                Err(Stop::Fault(found)) => {
                    let end = cancel.size().index(found.x, found.y);
                    for quad in covered.iter_mut() {
                        for (dx, dy) in Quad::PIXELS {
                            if cancel.size().index(quad.x + dx, quad.y + dy) >= end {
                                let bit = Quad::bit(dx, dy);
                                quad.samples.iter_mut().for_each(|mask| *mask &= !bit);
                            }
                        }
                    }
                    covered.retain(|quad| quad.pixels() != 0);
                    fault = Some(found);
                }
            }
        }
        for quad in covered.iter_mut() {
            for (k, (dx, dy)) in Quad::PIXELS.into_iter().enumerate() {
                let bit = Quad::bit(dx, dy);
                if quad.pixels() & bit == 0 {
                    continue;
                }
                let at = 4 * self.pixel(quad.x + dx, quad.y + dy);
                let is_kept = self.tested[at] != 0.0;
                for sample in 0..SAMPLES {
                    quad.depths[sample][k] = self.tested[at + 1];
                    if !is_kept {
                        quad.samples[sample] &= !bit;
                    }
                }
            }
            if let Some(compare) = self.draw.state.depth {
                let CoveredQuad { x, y, samples, depths } = quad;
                self.depths.test([*x, *y], samples, depths, compare, false);
            }
        }
        covered.retain(|quad| quad.pixels() != 0);
        Ok(fault)
    }

    /// Stores colours, and depths that are not stored yet, of fragments that are kept.
    fn store(&mut self, covered: &mut [CoveredQuad<SAMPLES>], is_direct: bool) {
        let state = self.draw.state;
        if self.draw.has_mask && !is_active(Mutant::DepthOfDiscarded) {
            self.discard(covered);
        }
        if state.depth.is_some() && state.writes_depth && !self.writes_early() {
            for CoveredQuad { x, y, samples, depths } in &*covered {
                self.depths.store([*x, *y], samples, depths);
            }
        }
        if is_direct {
            return;
        }
        let plane = self.tile.pixels();
        let shaded: &[[f32; 4]] = self.shaded.as_chunks().0;
        for quad in covered {
            for (k, (dx, dy)) in Quad::PIXELS.into_iter().enumerate() {
                let masks = quad.samples.map(|mask| mask & 1 << k);
                if masks == [0; SAMPLES] {
                    continue;
                }
                let at =
                    (quad.y + dy - self.tile.y) * self.tile.width + (quad.x + dx - self.tile.x);
                for attachment in 0..self.attachments {
                    let pixel = attachment * plane + at as usize;
                    let colour = shaded[pixel];
                    let stored = &mut self.colours[pixel * SAMPLES..][..SAMPLES];
                    for (stored, mask) in stored.iter_mut().zip(masks) {
                        if mask != 0 {
                            *stored = state.blend.blended(colour, *stored);
                        }
                    }
                }
            }
        }
    }

    /// Removes fragments that are discarded.
    fn discard(&self, covered: &mut [CoveredQuad<SAMPLES>]) {
        let mask = self.attachments * self.tile.pixels();
        for quad in covered {
            for (dx, dy) in Quad::PIXELS {
                let bit = Quad::bit(dx, dy);
                let is_covered = quad.pixels() & bit != 0;
                let kept = |at: usize| self.shaded[4 * (mask + at)] != 0.0;
                if is_covered && !kept(self.pixel(quad.x + dx, quad.y + dy)) {
                    quad.samples.iter_mut().for_each(|mask| *mask &= !bit);
                }
            }
        }
    }

    /// The pixels of the tile, attachment by attachment.
    pub(super) fn resolved(&mut self, attachments: usize) -> &[[f32; 4]] {
        let count = attachments * self.tile.pixels();
        if SAMPLES == 1 {
            return &self.colours[..count];
        }
        self.resolved.clear();
        let all = self.colours[..count * SAMPLES].chunks_exact(SAMPLES);
        self.resolved.extend(all.map(|of| {
            std::array::from_fn(|k| ((of[0][k] + of[1][k]) + (of[2][k] + of[3][k])) * 0.25)
        }));
        &self.resolved
    }

    /// The depth of the first sample of each pixel.
    pub(super) fn first_depths(&mut self) -> &[f32] {
        let Tile { x, y, width, height } = self.tile;
        let pixels = (y..y + height).flat_map(|y| (x..x + width).map(move |x| (x, y)));
        self.first_depths.clear();
        self.first_depths.extend(pixels.map(|(x, y)| self.depths.first_sample(x, y)));
        &self.first_depths
    }
}
