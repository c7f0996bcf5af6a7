//! A kernel that notes the sites of each pixel beside its outputs.
//!
//! Machine code and the evaluators of programs compute the sites as further attachments, which are read where a tile is drawn. For
//! other engines the core evaluator computes each pixel again.

use crate::engines::BoundKernel;
use crate::mutants::{Mutant, is_active};
use crate::settings::Settings;
use lambdav_core::evaluate::{Evaluated, Evaluator, Observer};
use lambdav_core::op::Op;
use lambdav_core::schedule::Program;
use lambdav_core::schedule::probes::{BITS, report_outputs};
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use std::sync::{Mutex, PoisonError};

/// The sites that pixels met so far.
#[derive(Debug, Default)]
struct Pixels {
    /// For each site the first pixel, as its index in the picture, and the number of pixels.
    sites: Vec<Option<(u64, u64)>>,
    /// Indices of the pixels that met any, in no order.
    pixels: Vec<u64>,
}

impl Pixels {
    fn new(sites: usize) -> Self {
        Self { sites: vec![None; sites], pixels: Vec::new() }
    }

    /// Notes that the pixel of this index met a site.
    fn note(&mut self, site: usize, pixel: u64) {
        // A word may have bits of no site.
        let Some(met) = self.sites.get_mut(site) else { return };
        let (first, count) = met.get_or_insert((pixel, 0));
        *first = earlier(pixel, *first);
        *count += if is_active(Mutant::DoubledUnit) { 2 } else { 1 };
    }

    fn merge(&mut self, other: Self) {
        for (mine, theirs) in self.sites.iter_mut().zip(other.sites) {
            let Some((pixel, pixels)) = theirs else { continue };
            let (first, count) = mine.get_or_insert((pixel, 0));
            (*first, *count) = (earlier(pixel, *first), *count + pixels);
        }
        self.pixels.extend(other.pixels);
    }
}

/// The earlier one of two pixels in scan order.
fn earlier(a: u64, b: u64) -> u64 {
    if is_active(Mutant::LastPixel) { a.max(b) } else { a.min(b) }
}

/// A kernel with the sites that its pixels met.
pub(crate) struct Watched<'a> {
    kernel: &'a dyn BoundKernel,
    /// The program with probes, and the number of its sites.
    program: &'a Program,
    sites: usize,
    settings: &'a Settings,
    size: Size,
    /// True if the first row of the kernel is the last one of the picture.
    is_reversed: bool,
    /// Number of attachments that the kernel has for sites.
    words: usize,
    met: Mutex<Pixels>,
}

impl<'a> Watched<'a> {
    /// `outputs` is the number of the picture's outputs; the kernel may have attachments for sites behind them. `settings` are
    /// the picture's.
    pub(crate) fn new(
        kernel: &'a dyn BoundKernel,
        outputs: usize,
        (program, sites): (&'a Program, usize),
        settings: &'a Settings,
        size: Size,
        is_reversed: bool,
    ) -> Self {
        let words = kernel.attachments() - outputs;
        debug_assert!(words == 0 || words == report_outputs(sites));
        let met = Mutex::new(Pixels::new(sites));
        Self { kernel, program, sites, settings, size, is_reversed, words, met }
    }

    /// For each site the first pixel, as its index in the picture, and the number of pixels; indices of the pixels that met any.
    pub(super) fn into_met(self) -> (Vec<Option<(u64, u64)>>, Vec<u64>) {
        let Pixels { sites, pixels } =
            self.met.into_inner().unwrap_or_else(PoisonError::into_inner);
        (sites, pixels)
    }

    /// The index of a pixel in the picture.
    fn index(&self, x: u32, y: u32) -> u64 {
        let y = if self.is_reversed { self.size.height() - 1 - y } else { y };
        self.size.index(x, y)
    }

    /// Notes what the attachments for sites say.
    fn read(&self, tile: Tile, words: &[[f32; 4]], met: &mut Pixels) {
        for (k, row) in (tile.y..).zip(0..tile.height as usize) {
            for (x, column) in (tile.x..).zip(0..tile.width as usize) {
                let at = row * tile.width as usize + column;
                let mut is_met = false;
                for word in 0..4 * self.words {
                    let mut bits = words[word / 4 * tile.pixels() + at][word % 4] as u32;
                    while bits != 0 {
                        let site = word * BITS as usize + bits.trailing_zeros() as usize;
                        met.note(site, self.index(x, k));
                        bits &= bits - 1;
                        is_met = true;
                    }
                }
                if is_met {
                    met.pixels.push(self.index(x, k));
                }
            }
        }
    }

    /// Evaluates the pixels of a tile again.
    fn evaluate(&self, tile: Tile, cancel: &Cancel<'_>, met: &mut Pixels) -> Result<(), Stop> {
        let limit = self.settings.max_iterations;
        let mut evaluator = Evaluator::new(self.program, limit);
        for y in tile.y..tile.y + tile.height {
            for x in tile.x..tile.x + tile.width {
                let cancelled = || !cancel.wants(x, y);
                let mut hits = Hits::default();
                // The kernel has computed this pixel without a fault.
                let _ = evaluator.run_observed(&self.settings.at(x, y), &cancelled, &mut hits);
                if cancelled() {
                    return Err(Stop::Cancelled);
                }
                hits.0.sort_unstable();
                hits.0.dedup();
                let index = self.index(x, y);
                hits.0.iter().for_each(|&site| met.note(site as usize, index));
                if !hits.0.is_empty() {
                    met.pixels.push(index);
                }
            }
        }
        Ok(())
    }
}

/// The sites that an evaluation meets.
#[derive(Default)]
struct Hits(Vec<u32>);

impl Observer for Hits {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        if let (Op::Probe(site), [1]) = (evaluated.op, evaluated.result) {
            self.0.push(site);
        }
    }
}

impl Kernel for Watched<'_> {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let mut met = Pixels::new(self.sites);
        if self.words == 0 {
            self.kernel.tile(tile, pixels, cancel)?;
            self.evaluate(tile, cancel, &mut met)?;
        } else {
            let count = self.kernel.attachments();
            let mut samples = vec![0.0; count * tile.samples()];
            let mut buffer = TileBuffer::with_attachments(tile, count, &mut samples);
            self.kernel.tile(tile, &mut buffer, cancel)?;
            let outputs = pixels.samples_mut();
            let (drawn, words) = samples.split_at(outputs.len());
            outputs.copy_from_slice(drawn);
            self.read(tile, words.as_chunks().0, &mut met);
        }
        self.met.lock().unwrap_or_else(PoisonError::into_inner).merge(met);
        Ok(())
    }

    fn stack_size(&self) -> usize {
        self.kernel.stack_size()
    }

    fn attachments(&self) -> usize {
        self.kernel.attachments() - self.words
    }
}
