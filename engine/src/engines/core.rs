//! The evaluator of the core as an engine.

use super::{Engine, Sites, each_pixel, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate;
use lambdav_core::graph::Core;
use lambdav_core::schedule::{self, Program};
use lambdav_core::texture::TextureData;
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use std::sync::Arc;

/// The evaluator of the scheduled core.
#[derive(Debug)]
pub struct CoreEngine {
    program: Program,
    settings: Settings,
    sites: Sites,
}

impl CoreEngine {
    /// For the output at `location`, which the program must have.
    pub fn new(core: &Core, location: u32, settings: &Settings) -> Result<Self, Diagnostic> {
        if let Some(unbound) = core.unbound(&settings.inputs.resources) {
            return Err(unbound);
        }
        let program = schedule::schedule(core, &[location])?;
        Ok(Self { program, settings: settings.clone(), sites: Sites::default() })
    }
}

impl Kernel for CoreEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let limit = self.settings.max_iterations;
        let mut evaluator = evaluate::Evaluator::new(&self.program, limit);
        each_pixel(tile, pixels, cancel, |x, y, cancelled| {
            match evaluator.run(&self.settings.at(x, y), cancelled) {
                Ok(()) => Ok(fill(evaluator.output(0))),
                Err(evaluate::EvaluationFault::Cancelled) => Err(Stop::Cancelled),
                Err(evaluate::EvaluationFault::LoopLimit(span)) => {
                    Err(self.sites.stop(evaluate::loop_limit_diagnostic(span, limit), x, y))
                }
            }
        })
    }
}

impl Engine for CoreEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }

    fn set_time(&mut self, time: f32, frame: f32) {
        self.settings.set_time(time, frame);
    }

    fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        self.settings.set_texture(number, texture);
    }
}
