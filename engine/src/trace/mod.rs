//! Evaluation of single pixels with their events, for `lambdav trace`.
//!
//! λV is evaluated by the source evaluator, and every module by the evaluator of SPIR-V: a module of any compiler, or the
//! words that our front ends make of GLSL and WGSL. Both are independent of the raise, the core and the backends.

mod drawn;
mod pixel;
mod source;
#[cfg(feature = "spirv")]
mod words;

use crate::accepted::Accepted;
use crate::before;
use crate::bindings::Bindings;
use crate::compilers::{at_fault, check, source_program};
use crate::error::Error;
use crate::options::Options;
use crate::pipeline::without_outputs;
use crate::settings::Settings;
use crate::shader::Shader;
use lambdav_image::Size;
use lambdav_trace::{Sink, Subject};
use pixel::Stop;
pub use pixel::Traced;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A program with the inputs of one picture, whose pixels can be traced.
pub struct Tracer {
    program: Arc<Accepted>,
    evaluator: Evaluator,
    settings: Settings,
    size: Size,
    output: u32,
}

enum Evaluator {
    Source(Arc<lambdav_frontend::reduction::SourceProgram>),
    #[cfg(feature = "spirv")]
    Words(Box<words::Words>),
}

/// Reason why a pixel has no trace.
#[derive(Debug)]
pub enum TraceError {
    /// The caller asked to stop.
    Cancelled,
    /// The program is at fault, or too large.
    Error(Error),
}

impl Shader {
    /// A tracer of one output, with these bindings, for pictures of that size. Passes run now.
    ///
    /// # Errors
    ///
    /// As for [`Self::pipeline`] and [`Pipeline::render`](crate::Pipeline::render); programs that draw triangles, compute
    /// programs and core text are [`Error::Mismatch`].
    pub fn tracer(
        &self,
        bindings: &Bindings,
        size: Size,
        output: u32,
        max_iterations: u64,
        timeout: Option<Duration>,
    ) -> Result<Tracer, Error> {
        let program = &self.0;
        check(program, bindings)?;
        let mismatch =
            |why: &str| Err(Error::Mismatch(format!("`{}` {why}", program.source.name())));
        if program.core.workgroup.is_some() {
            return mismatch("is a compute program, which has no pixels to trace");
        }
        if program.core.triangles.is_some() {
            return mismatch(
                "draws triangles, whose pixels cannot be traced; `trace` is for full-screen programs",
            );
        }
        if program.is_core_text {
            return mismatch(
                "is core text, which cannot be traced; trace the shader from which it was made",
            );
        }
        if let Some(found) = without_outputs(&program.core) {
            return Err(at_fault(program, found));
        }
        let outputs = program.outputs();
        if !outputs.contains(&output) {
            return Err(Error::Output { location: output, outputs });
        }
        let options = Options::default().max_iterations(max_iterations);
        let passes = before::compile(program, &program.core, &options)?;
        let settings = bindings.settings(size, max_iterations);
        let settings = before::run(program, passes.as_ref(), settings, timeout, "tracing")?;
        let evaluator = match program.is_shader() {
            true => {
                let compiled = source_program(program, &program.core, &[output])?;
                Evaluator::Source(Arc::clone(compiled.text()))
            }
            #[cfg(feature = "spirv")]
            false => Evaluator::Words(words::Words::new(program, output, &settings)?.into()),
            #[cfg(not(feature = "spirv"))]
            false => return mismatch("is no shader in λV"),
        };
        Ok(Tracer { program: Arc::clone(program), evaluator, settings, size, output })
    }
}

impl Tracer {
    /// All names that may get values.
    pub fn names(&self) -> BTreeSet<String> {
        match &self.evaluator {
            Evaluator::Source(program) => {
                let source = &self.program.source;
                program.names().map(|name| source.slice(name).to_owned()).collect()
            }
            #[cfg(feature = "spirv")]
            Evaluator::Words(words) => words.names(),
        }
    }

    /// True if scopes are put in the order of the text, since their events come as they are needed.
    pub fn is_by_need(&self) -> bool {
        matches!(self.evaluator, Evaluator::Source(_))
    }

    /// Evaluates the pixel in a column and row, from the upper left, which must be inside of the picture. Its events go to
    /// `sink`; `cancelled` is polled at intervals.
    ///
    /// # Errors
    ///
    /// A loop that exceeds its limit, and a limit of the evaluator.
    pub fn pixel(
        &self,
        [x, y]: [u32; 2],
        sink: &mut dyn Sink,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Traced, TraceError> {
        let row = if self.program.lower_left { self.size.height() - 1 - y } else { y };
        let error = |diagnostic| TraceError::Error(at_fault(&self.program, diagnostic));
        match &self.evaluator {
            Evaluator::Source(program) => {
                let mut observer = source::Adapter::new(&self.program.source, sink);
                let inputs = self.settings.at(x, row);
                observer.pixel(
                    program,
                    self.output,
                    &inputs,
                    self.settings.max_iterations,
                    cancelled,
                )
            }
            #[cfg(feature = "spirv")]
            Evaluator::Words(words) => words.pixel(&self.program.source, [x, row], sink, cancelled),
        }
        .map_err(|stop| match stop {
            Stop::Cancelled => TraceError::Cancelled,
            Stop::Fault(diagnostic) => error(*diagnostic),
        })
    }

    /// The subject of a trace.
    pub fn subject(&self, pixel: [u32; 2], traced: Traced) -> Subject {
        let source = &self.program.source;
        let parts = source.files().iter();
        Subject {
            files: parts.clone().map(|file| file.name.clone()).collect(),
            texts: parts.map(|file| source.slice(file.span).to_owned()).collect(),
            pixel,
            size: [self.size.width(), self.size.height()],
            output: self.output,
            colour: traced.colour,
            is_discarded: traced.is_discarded,
            drawn: None,
        }
    }
}
