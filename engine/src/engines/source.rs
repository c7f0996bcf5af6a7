//! Engine of the source evaluator.

use super::{BoundKernel, Sites, each_pixel, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate;
use lambdav_core::graph::Uniform;
use lambdav_core::source::{SourceFile, Span};
use lambdav_frontend::reduction::{self, Limits, SourceFault};
use lambdav_frontend::syntax;
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use std::sync::Arc;

/// Text of a shader for the source evaluator.
#[derive(Debug)]
pub struct SourceProgram {
    program: Arc<reduction::SourceProgram>,
    locations: Vec<u32>,
}

impl SourceProgram {
    /// Program for the outputs at these locations of a shader text that the compiler accepts, with the
    /// values of `constants`; other constants have their defaults.
    ///
    /// # Errors
    ///
    /// A text that exceeds the evaluator's limits.
    pub fn new(
        text: &SourceFile,
        constants: &[Uniform],
        locations: &[u32],
    ) -> Result<Self, Diagnostic> {
        let (tree, _) = syntax::parse(text);
        let given: Vec<(&str, &[u32])> =
            constants.iter().map(|c| (c.name.as_str(), &*c.default)).collect();
        let program = reduction::SourceProgram::with_constants(&tree, &given);
        let program = program.map_err(|fault| explain_source(fault, 0))?;
        Ok(Self { program: Arc::new(program), locations: locations.to_vec() })
    }

    /// The text, for a tracer, and for stages of a program that draws triangles.
    pub(crate) fn text(&self) -> &Arc<reduction::SourceProgram> {
        &self.program
    }

    /// Creates a kernel for these inputs; all textures and buffers must be bound.
    pub fn bind(self: &Arc<Self>, settings: Settings) -> SourceEngine {
        SourceEngine { program: Arc::clone(self), settings, sites: Sites::default() }
    }
}

/// The source evaluator, which substitutes in the text, with its inputs.
#[derive(Debug)]
pub struct SourceEngine {
    program: Arc<SourceProgram>,
    settings: Settings,
    sites: Sites,
}

impl SourceEngine {
    /// Engine for the output at `location` of a shader text that the compiler accepts, with the
    /// defaults of its constants.
    ///
    /// # Errors
    ///
    /// As for [`SourceProgram::new`].
    pub fn new(text: &SourceFile, location: u32, settings: &Settings) -> Result<Self, Diagnostic> {
        let program = Arc::new(SourceProgram::new(text, &[], &[location])?);
        Ok(program.bind(settings.clone()))
    }
}

pub(crate) fn explain_source(fault: SourceFault, max_iterations: u64) -> Diagnostic {
    match fault {
        SourceFault::Pixel(evaluate::EvaluationFault::LoopLimit(span)) => {
            evaluate::loop_limit_diagnostic(span, max_iterations)
        }
        SourceFault::Limit(what) => Diagnostic::new(
            DiagnosticCode::EvaluatorLimit,
            Span::default(),
            format!("the source evaluator gave up: too many {what}"),
        )
        .help("use another engine"),
        SourceFault::Unexpected(span, what) => Diagnostic::new(
            DiagnosticCode::EvaluatorLimit,
            span,
            format!("the source evaluator did not expect this: {what}"),
        )
        .note("the compiler accepted the program, so this is a bug in lambdav"),
        SourceFault::Pixel(evaluate::EvaluationFault::Cancelled) => {
            unreachable!("a cancelled pixel is no finding")
        }
    }
}

impl Kernel for SourceEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let max_iterations = self.settings.max_iterations;
        let limits = Limits { max_iterations, ..Limits::default() };
        each_pixel(tile, pixels, cancel, |x, y, cancelled, found| {
            let SourceProgram { program, locations } = &*self.program;
            for (location, pixel) in locations.iter().zip(found) {
                match program.run(*location, &self.settings.at(x, y), limits, cancelled) {
                    Ok(words) => *pixel = fill(&words),
                    Err(SourceFault::Pixel(evaluate::EvaluationFault::Cancelled)) => {
                        return Err(Stop::Cancelled);
                    }
                    Err(fault) => {
                        let diagnostic = explain_source(fault, max_iterations);
                        return Err(self.sites.stop(diagnostic, x, y));
                    }
                }
            }
            Ok(())
        })
    }

    fn attachments(&self) -> usize {
        self.program.locations.len()
    }
}

impl BoundKernel for SourceEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }
}
