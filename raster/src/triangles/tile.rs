//! A tile: all its pieces, in order, with tests, shading, blending and resolve.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_image::size::Size;

use super::bins::Bins;
use super::cover::{Coverage, CoveredQuad, offsets};
use super::draw::Draw;
use super::kernel::FragmentFault;
use super::piece::Piece;
use super::state::Blend;
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

/// Draws one tile after another; its memory is used again.
pub(super) struct TileDrawer<'a> {
    draw: &'a Draw<'a>,
    bins: &'a Bins,
    tile: Tile,
    samples: usize,
    /// Attachments of the picture.
    attachments: usize,
    /// Colours of samples: attachment by attachment, pixel by pixel, sample by sample.
    colours: Vec<[f32; 4]>,
    /// Depths of samples, pixel by pixel.
    depths: Vec<f32>,
    /// Results of a kernel, if they do not go to `colours`.
    shaded: Vec<f32>,
    /// Mask and depth of fragments with a depth of their own.
    tested: Vec<f32>,
    resolved: Vec<[f32; 4]>,
    first_depths: Vec<f32>,
    covered: Vec<CoveredQuad>,
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

impl<'a> TileDrawer<'a> {
    pub(super) fn new(
        draw: &'a Draw<'a>,
        bins: &'a Bins,
        largest: Tile,
    ) -> Self {
        let samples = usize::from(draw.state.samples.max(1));
        let attachments = draw.colours.attachments() - usize::from(draw.has_mask);
        let pixels = largest.pixels();
        let tested = if draw.test.is_some() { 4 * pixels } else { 0 };
        Self {
            draw,
            bins,
            tile: largest,
            samples,
            attachments,
            colours: vec![[0.0; 4]; attachments * pixels * samples],
            depths: vec![1.0; pixels * samples],
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
        self.colours[..self.attachments * tile.pixels() * self.samples].fill(self.draw.state.clear);
        self.depths[..tile.pixels() * self.samples].fill(1.0);
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
        let state = &self.draw.state;
        let is_early = self.draw.test.is_none();
        let depths = match state.depth {
            Some(_) if is_early => Some(piece.depths),
            _ => None,
        };
        let coverage = Coverage::new(piece, depths);
        let (size, tile) = (cancel.size(), self.tile);
        let mut covered = std::mem::take(&mut self.covered);
        covered.clear();
        coverage.quads(piece, tile, size, offsets(state.samples), |mut quad| {
            if is_early {
                self.test_depths(&mut quad);
            }
            if quad.pixels() != 0 {
                covered.push(quad);
            }
        });
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

    /// Removes the samples of a quad that fail the depth test.
    fn test_depths(&self, quad: &mut CoveredQuad) {
        let Some(compare) = self.draw.state.depth else { return };
        for sample in 0..self.samples {
            let mut mask = quad.samples[sample];
            for (k, (dx, dy)) in Quad::PIXELS.into_iter().enumerate() {
                let bit = Quad::bit(dx, dy);
                if mask & bit != 0 {
                    let stored = self.depths[self.at(quad.x + dx, quad.y + dy) + sample];
                    if !compare.passes(quad.depths[sample][k], stored) {
                        mask &= !bit;
                    }
                }
            }
            quad.samples[sample] = mask;
        }
    }

    /// The index of the first sample of the frame's pixel.
    fn at(&self, x: u32, y: u32) -> usize {
        self.pixel(x, y) * self.samples
    }

    /// The index of the frame's pixel in the tile.
    fn pixel(&self, x: u32, y: u32) -> usize {
        ((y - self.tile.y) * self.tile.width + (x - self.tile.x)) as usize
    }

    /// Shades the fragments of a piece and stores those that are kept.
    fn fragments(
        &mut self,
        covered: &mut Vec<CoveredQuad>,
        words: &[u32],
        cancel: &Cancel<'_>,
    ) -> Result<(), PieceStop> {
        let mut fault = None;
        if let Some(test) = self.draw.test {
            fault = self.run_test(test, covered, words, cancel)?;
        }
        let is_direct = self.is_direct();
        let quads = covered.iter().map(|quad| quad.quad(quad.pixels()));
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
        state.blend == Blend::Off && self.samples == 1 && !self.draw.has_mask
    }

    /// Runs the kernel of mask and depth, and keeps the samples that pass the depth test. After a fault, which is
    /// returned, only pixels before it are kept.
    fn run_test(
        &mut self,
        test: &dyn QuadKernel,
        covered: &mut Vec<CoveredQuad>,
        words: &[u32],
        cancel: &Cancel<'_>,
    ) -> Result<Option<Fault>, PieceStop> {
        let mut fault: Option<Fault> = None;
        loop {
            let quads = covered.iter().map(|quad| quad.quad(quad.pixels()));
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
                for sample in 0..self.samples {
                    quad.depths[sample][k] = self.tested[at + 1];
                    if !is_kept {
                        quad.samples[sample] &= !bit;
                    }
                }
            }
            self.test_depths(quad);
        }
        covered.retain(|quad| quad.pixels() != 0);
        Ok(fault)
    }

    /// Stores depths and colours of fragments that are kept.
    fn store(&mut self, covered: &[CoveredQuad], is_direct: bool) {
        let state = self.draw.state;
        let writes_depth = state.depth.is_some() && state.writes_depth;
        if is_direct && !writes_depth {
            return;
        }
        let plane = self.tile.pixels();
        for quad in covered {
            for (k, (dx, dy)) in Quad::PIXELS.into_iter().enumerate() {
                let bit = Quad::bit(dx, dy);
                if quad.pixels() & bit == 0 {
                    continue;
                }
                let pixel = self.pixel(quad.x + dx, quad.y + dy);
                let is_masked = self.draw.has_mask && !is_active(Mutant::DepthOfDiscarded);
                if is_masked && self.shaded[4 * (self.attachments * plane + pixel)] == 0.0 {
                    continue;
                }
                for sample in 0..self.samples {
                    if quad.samples[sample] & bit == 0 {
                        continue;
                    }
                    let at = pixel * self.samples + sample;
                    if writes_depth {
                        self.depths[at] = quad.depths[sample][k];
                    }
                    if is_direct {
                        continue;
                    }
                    for attachment in 0..self.attachments {
                        let shaded: &[[f32; 4]] = self.shaded.as_chunks().0;
                        let colour = shaded[attachment * plane + pixel];
                        let stored = &mut self.colours[attachment * plane * self.samples + at];
                        *stored = state.blend.blended(colour, *stored);
                    }
                }
            }
        }
    }

    /// The pixels of the tile, attachment by attachment.
    pub(super) fn resolved(&mut self, attachments: usize) -> &[[f32; 4]] {
        let count = attachments * self.tile.pixels();
        if self.samples == 1 {
            return &self.colours[..count];
        }
        self.resolved.clear();
        let all = self.colours[..count * self.samples].chunks_exact(self.samples);
        self.resolved.extend(all.map(|of| {
            std::array::from_fn(|k| ((of[0][k] + of[1][k]) + (of[2][k] + of[3][k])) * 0.25)
        }));
        &self.resolved
    }

    /// The depth of the first sample of each pixel.
    pub(super) fn first_depths(&mut self) -> &[f32] {
        let count = self.tile.pixels() * self.samples;
        self.first_depths.clear();
        let all = self.depths[..count].iter().step_by(self.samples);
        self.first_depths.extend(all);
        &self.first_depths
    }
}
