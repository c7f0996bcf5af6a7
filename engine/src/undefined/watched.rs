//! A kernel that notes the sites of each pixel beside its outputs.
//!
//! Machine code and the evaluators of programs compute the sites as further attachments, which are read where a tile is drawn. For
//! other engines the core evaluator computes each pixel again.

use super::pixels::{FirstPixel, PixelSet, Pixels};
use super::reporting::Met;
use super::unit::Unit;
use crate::engines::BoundKernel;
use crate::settings::Settings;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::probes::MetSites;
use lambdav_core::schedule::Program;
use lambdav_core::schedule::probes::{BITS, report_outputs};
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use std::sync::{Mutex, PoisonError};

/// A kernel with the sites that its pixels met.
pub(crate) struct Watched<'a> {
    kernel: &'a dyn BoundKernel,
    /// The program with probes.
    program: &'a Program,
    settings: &'a Settings,
    size: Size,
    /// True if the first row of the kernel is the last one of the picture.
    is_reversed: bool,
    /// Number of attachments that the kernel has for sites.
    words: usize,
    met: Pixels,
    /// Memory of tiles, for the next ones.
    memory: Mutex<Vec<Vec<f32>>>,
}

impl<'a> Watched<'a> {
    /// `outputs` is the number of the picture's outputs; the kernel may have attachments for `sites` behind them. `settings` are
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
        let (met, memory) = (Pixels::new(sites, size, is_reversed), Mutex::default());
        Self { kernel, program, settings, size, is_reversed, words, met, memory }
    }

    /// The sites that pixels met, and all pixels that met any, in scan order.
    pub(crate) fn into_met(self) -> (Met, PixelSet) {
        let Self { program, settings, size, is_reversed, met, .. } = self;
        let (sites, pixels) = met.into_found();
        let mut evaluator = Evaluator::new(program, settings.max_iterations);
        let of_site = |(site, ([x, y], count)): (usize, FirstPixel)| {
            let row = if is_reversed { size.height() - 1 - y } else { y };
            let mut operands = MetSites::default();
            // The kernel has computed this pixel without a fault.
            let _ = evaluator.run_observed(&settings.at(x, row), &|| false, &mut operands);
            let number = site as u32;
            let operands = operands.0.remove(&number).unwrap_or_default();
            (number, (Unit::Pixel([x, y]), operands, count))
        };
        (sites.into_iter().map(of_site).collect(), pixels)
    }

    /// Evaluates the pixels of a tile again.
    fn evaluate(&self, tile: Tile, cancel: &Cancel<'_>, met: &mut [u32]) -> Result<(), Stop> {
        let mut evaluator = Evaluator::new(self.program, self.settings.max_iterations);
        let places = (tile.y..tile.y + tile.height)
            .flat_map(|y| (tile.x..tile.x + tile.width).map(move |x| (x, y)));
        for (at, (x, y)) in places.enumerate() {
            let cancelled = || !cancel.wants(x, y);
            let mut found = MetSites::default();
            // The kernel has computed this pixel without a fault.
            let _ = evaluator.run_observed(&self.settings.at(x, y), &cancelled, &mut found);
            if cancelled() {
                return Err(Stop::Cancelled);
            }
            for site in found.0.into_keys() {
                met[(site / BITS) as usize * tile.pixels() + at] |= 1 << (site % BITS);
            }
        }
        Ok(())
    }
}

impl Kernel for Watched<'_> {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        if self.met.words == 0 {
            return self.kernel.tile(tile, pixels, cancel);
        }
        if self.words == 0 {
            self.kernel.tile(tile, pixels, cancel)?;
            let mut met = self.met.blank(tile);
            self.evaluate(tile, cancel, &mut met)?;
            self.met.put(tile, &met);
            return Ok(());
        }
        let kept = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.kernel.attachments();
        let mut samples = kept().pop().unwrap_or_default();
        samples.resize(count * tile.samples(), 0.0);
        let mut buffer = TileBuffer::with_attachments(tile, count, &mut samples);
        self.kernel.tile(tile, &mut buffer, cancel)?;
        let outputs = pixels.samples_mut();
        let (drawn, words) = samples.split_at(outputs.len());
        outputs.copy_from_slice(drawn);
        // Most tiles meet nothing.
        if words.iter().fold(0, |any, word| any | word.to_bits()) != 0 {
            let words: &[[f32; 4]] = words.as_chunks().0;
            let mut met = self.met.blank(tile);
            for (word, met) in met.chunks_exact_mut(tile.pixels()).enumerate() {
                let attachment = &words[word / 4 * tile.pixels()..];
                met.iter_mut().zip(attachment).for_each(|(met, of)| *met = of[word % 4] as u32);
            }
            self.met.put(tile, &met);
        }
        kept().push(samples);
        Ok(())
    }

    fn stack_size(&self) -> usize {
        self.kernel.stack_size()
    }

    fn attachments(&self) -> usize {
        self.kernel.attachments() - self.words
    }
}
