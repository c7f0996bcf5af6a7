//! Engine of the core evaluator.

use super::{BoundKernel, Sites, bound, each_pixel, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate;
use lambdav_core::graph::Core;
use lambdav_core::schedule::{self, Program};
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use std::sync::Arc;

/// A scheduled program for the core evaluator.
#[derive(Debug)]
pub struct CoreProgram(Program);

impl CoreProgram {
    /// Schedules the outputs at these locations, which must exist.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply.
    pub fn new(core: &Core, locations: &[u32]) -> Result<Self, Diagnostic> {
        schedule::schedule(core, locations).map(Self)
    }

    /// Creates a kernel for these inputs; all textures and buffers must be bound.
    pub fn bind(self: &Arc<Self>, settings: Settings) -> CoreEngine {
        CoreEngine { program: Arc::clone(self), settings, sites: Sites::default() }
    }
}

/// The core evaluator with its inputs.
#[derive(Debug)]
pub struct CoreEngine {
    program: Arc<CoreProgram>,
    settings: Settings,
    sites: Sites,
}

impl CoreEngine {
    /// Engine for the output at `location`, which must exist.
    ///
    /// # Errors
    ///
    /// As for [`CoreProgram::new`], and a texture or buffer that is not bound.
    pub fn new(core: &Core, location: u32, settings: &Settings) -> Result<Self, Diagnostic> {
        let settings = bound(core, settings)?;
        let program = Arc::new(CoreProgram::new(core, &[location])?);
        Ok(program.bind(settings))
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
        let mut evaluator = evaluate::Evaluator::new(&self.program.0, limit);
        each_pixel(tile, pixels, cancel, |x, y, cancelled, found| {
            match evaluator.run(&self.settings.at(x, y), cancelled) {
                Ok(()) => {
                    for (index, pixel) in found.iter_mut().enumerate() {
                        *pixel = fill(evaluator.output(index));
                    }
                    Ok(())
                }
                Err(evaluate::EvaluationFault::Cancelled) => Err(Stop::Cancelled),
                Err(evaluate::EvaluationFault::LoopLimit(span)) => {
                    Err(self.sites.stop(evaluate::loop_limit_diagnostic(span, limit), x, y))
                }
            }
        })
    }

    fn attachments(&self) -> usize {
        self.program.0.outputs().len()
    }
}

impl BoundKernel for CoreEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }
}
