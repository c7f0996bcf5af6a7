//! Engine of the core evaluator.

use super::{BoundKernel, Sites, bound, each_pixel, each_running, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{self, Program};
use lambdav_core::source::Span;
use lambdav_core::triangles::VertexStage;
use lambdav_raster::triangles::{VertexFault, VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Fault, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
        schedule::schedule_reported(core, locations).map(Self)
    }

    /// Creates a kernel for these inputs; all textures and buffers must be bound.
    pub fn bind(self: &Arc<Self>, settings: Settings) -> CoreEngine {
        let (program, of_triangle, sites) = (Arc::clone(self), Vec::new(), Sites::default());
        CoreEngine { program, settings, of_triangle, sites }
    }
}

/// The core evaluator with its inputs.
#[derive(Debug)]
pub struct CoreEngine {
    program: Arc<CoreProgram>,
    settings: Settings,
    /// The uniforms that are words of a triangle.
    of_triangle: Vec<u32>,
    sites: Sites,
}

impl CoreEngine {
    /// This kernel, with the indices of the uniforms that are words of a triangle.
    pub(super) fn of_triangle(self, of_triangle: Vec<u32>) -> Self {
        Self { of_triangle, ..self }
    }

    /// Diagnostic of a site, without the pixel.
    pub(super) fn site(&self, site: u32) -> Diagnostic {
        self.sites.get(site)
    }

    /// The number of a faulty site.
    fn fault(&self, span: Span) -> u32 {
        self.sites.number(evaluate::loop_limit_diagnostic(span, self.settings.max_iterations))
    }

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

/// The settings of a triangle's fragments. `of_triangle` are the uniforms that are its words.
pub(crate) fn of_primitive(
    settings: &Settings,
    of_triangle: &[u32],
    primitive: &[u32],
) -> Settings {
    let mut settings = settings.clone();
    let mut rest = primitive;
    for &index in of_triangle {
        let uniform = &mut settings.inputs.uniforms[index as usize];
        let (words, after) = rest.split_at(uniform.len());
        (*uniform, rest) = (words.into(), after);
    }
    settings
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

impl QuadKernel for CoreEngine {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let settings = of_primitive(&self.settings, &self.of_triangle, primitive);
        let mut evaluator = evaluate::Evaluator::new(&self.program.0, settings.max_iterations);
        each_running(quads, |x, y, is_stored| {
            match evaluator.run(&settings.at(x, y), &|| !cancel.wants(x, y)) {
                Ok(()) => {}
                Err(evaluate::EvaluationFault::Cancelled) => return Err(Stop::Cancelled),
                Err(evaluate::EvaluationFault::LoopLimit(span)) => {
                    return Err(Fault { x, y, site: self.fault(span) }.into());
                }
            }
            for attachment in 0..if is_stored { pixels.attachments() } else { 0 } {
                pixels.store(attachment, x, y, fill(evaluator.output(attachment)));
            }
            Ok(())
        })
    }
}

impl VertexKernel for CoreEngine {
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let limit = self.settings.max_iterations;
        let mut evaluator = evaluate::Evaluator::new(&self.program.0, limit);
        for (number, &[vertex, instance]) in items.iter().enumerate() {
            let frag_coord = VertexStage::item(vertex, instance);
            let inputs = Inputs { frag_coord, ..self.settings.inputs.clone() };
            match evaluator.run(&inputs, &|| frontier.load(Ordering::Relaxed) == 0) {
                Ok(()) => {}
                Err(evaluate::EvaluationFault::Cancelled) => return Err(VertexStop::Cancelled),
                Err(evaluate::EvaluationFault::LoopLimit(span)) => {
                    let fault = VertexFault { instance, vertex, site: self.fault(span) };
                    return Err(VertexStop::Fault(fault));
                }
            }
            for (attachment, results) in results.chunks_exact_mut(items.len()).enumerate() {
                results[number] = fill(evaluator.output(attachment));
            }
        }
        Ok(())
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
