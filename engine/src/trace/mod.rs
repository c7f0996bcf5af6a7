//! Evaluation of single pixels with their events, for `lambdav trace`.
//!
//! λV is evaluated by the source evaluator, and every module by the evaluator of SPIR-V: a module of any compiler, or the
//! words that our front ends make of GLSL and WGSL. Both are independent of the raise, the core and the backends.

mod core;
mod drawn;
mod error;
mod fragments;
#[cfg(feature = "spirv")]
mod invocation;
mod one_pixel;
mod pixel;
mod source;
mod unit;
mod units;
#[cfg(feature = "spirv")]
mod words;

use crate::accepted::Accepted;
use crate::before::Before;
use crate::bindings::Bindings;
#[cfg(feature = "spirv")]
use crate::compilers::spirv_error;
use crate::compilers::{at_fault, check, source_program};
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::pipeline::without_outputs;
use crate::settings::Settings;
use crate::shader::Shader;
pub use error::TraceError;
use fragments::Fragments;
use lambdav_core::types::Scalar;
use lambdav_frontend::reduction::SourceProgram;
use lambdav_image::Size;
use lambdav_trace::{Event, NamedValues, Recorder, Sink, Subject, Trace, Unit, Value};
pub use pixel::{Needed, Traced};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
pub use unit::TracedUnit;

/// A program with the inputs of one picture, whose pixels can be traced.
pub struct Tracer {
    program: Arc<Accepted>,
    evaluator: Evaluator,
    settings: Settings,
    size: Size,
    output: u32,
}

enum Evaluator {
    Source(Arc<SourceProgram>),
    Fragments(Box<Fragments>),
    #[cfg(feature = "spirv")]
    Words(Box<words::Words>),
}

/// A sink that passes events on to two others.
struct Both<'a>(&'a mut dyn Sink, &'a mut dyn Sink);

impl Sink for Both<'_> {
    fn event(&mut self, event: Event) {
        self.0.event(event.clone());
        self.1.event(event);
    }
}

/// The subject of a trace of a program.
fn subject(program: &Accepted, unit: Unit, results: Vec<(Arc<str>, Value)>) -> Subject {
    let source = &program.source;
    let parts = source.files().iter();
    Subject {
        files: parts.clone().map(|file| file.name.clone()).collect(),
        texts: parts.map(|file| source.slice(file.span).to_owned()).collect(),
        unit,
        results,
        is_discarded: false,
        against: None,
    }
}

impl Shader {
    /// A tracer of one output, with these bindings, for pictures of that size. Passes run now.
    ///
    /// # Errors
    ///
    /// As for [`Self::pipeline`] and [`Pipeline::render`](crate::Pipeline::render); compute programs and core text are
    /// [`Error::Mismatch`].
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
            return mismatch(
                "is a compute program, which has no pixels to trace: name an invocation, as in `--of id:0 --groups 1`",
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
        let passes = Before::new(program, &program.core, &options)?;
        let settings = bindings.settings(size, max_iterations);
        let (settings, _) = passes.run(program, settings, timeout, "tracing")?;
        let Some(triangles) = &program.core.triangles else {
            return self.tracer_with(settings, size, output);
        };
        let fragments = Fragments::new(program, triangles, &bindings.draw, output, timeout)?;
        let (program, evaluator) = (Arc::clone(program), Evaluator::Fragments(fragments.into()));
        Ok(Tracer { program, evaluator, settings, size, output })
    }

    /// A tracer of an output that exists, with these settings, of a program that draws a picture without triangles.
    ///
    /// # Errors
    ///
    /// As for [`Self::tracer`].
    #[doc(hidden)]
    pub fn tracer_with(
        &self,
        settings: Settings,
        size: Size,
        output: u32,
    ) -> Result<Tracer, Error> {
        let program = &self.0;
        let evaluator = match program.is_shader() {
            true => {
                let compiled = source_program(program, &program.core, &[output])?;
                Evaluator::Source(Arc::clone(compiled.text()))
            }
            #[cfg(feature = "spirv")]
            false => Evaluator::Words(words::Words::new(program, output, &settings)?.into()),
            #[cfg(not(feature = "spirv"))]
            false => {
                let why = format!("`{}` is no shader in λV", program.source.name());
                return Err(Error::Mismatch(why));
            }
        };
        Ok(Tracer { program: Arc::clone(program), evaluator, settings, size, output })
    }
}

impl Tracer {
    /// The text, if the program is in λV.
    fn text(&self) -> Option<&SourceProgram> {
        match &self.evaluator {
            Evaluator::Source(program) => Some(program),
            Evaluator::Fragments(fragments) => Some(fragments.source()),
            #[cfg(feature = "spirv")]
            Evaluator::Words(_) => None,
        }
    }

    /// All names that may get values.
    pub fn names(&self) -> BTreeSet<String> {
        #[cfg(feature = "spirv")]
        if let Evaluator::Words(words) = &self.evaluator {
            return words.names();
        }
        let source = &self.program.source;
        let all = self.text().into_iter().flat_map(SourceProgram::names);
        all.map(|name| source.slice(name).to_owned()).collect()
    }

    /// The names that the program binds at one place alone, by which evaluators are compared.
    pub fn distinct_names(&self) -> BTreeSet<String> {
        #[cfg(feature = "spirv")]
        if let Evaluator::Words(words) = &self.evaluator {
            return words.distinct_names();
        }
        let source = &self.program.source;
        let mut places = BTreeMap::new();
        for name in self.text().into_iter().flat_map(SourceProgram::names) {
            let all: &mut BTreeSet<u32> = places.entry(source.slice(name)).or_default();
            all.insert(name.start);
        }
        let alone = places.into_iter().filter(|(_, places)| places.len() == 1);
        alone.map(|(name, _)| name.to_owned()).collect()
    }

    /// True if scopes are put in the order of the text, since their events come as they are needed.
    pub fn is_by_need(&self) -> bool {
        self.text().is_some()
    }

    /// Evaluates the pixel in a column and row, from the upper left, which must be inside of the picture. Its events go to
    /// `sink`, which may be dropped before the slice is known; `cancelled` is polled at intervals.
    ///
    /// # Errors
    ///
    /// A loop that exceeds its limit, and a limit of the evaluator.
    pub fn pixel(
        &self,
        pixel: [u32; 2],
        sink: &mut dyn Sink,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Traced, TraceError> {
        self.evaluate(pixel, sink, false, cancelled)
    }

    /// The trace of a pixel that keeps about `limit` events, and the values of its names.
    ///
    /// # Errors
    ///
    /// As for [`Self::pixel`].
    pub fn trace(
        &self,
        pixel: [u32; 2],
        limit: Option<usize>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Trace, NamedValues), TraceError> {
        let mut recorder = limit.map_or_else(Recorder::default, Recorder::with_limit);
        let mut values = NamedValues::of(self.is_by_need());
        let mut both = Both(&mut recorder, &mut values);
        let traced = self.evaluate(pixel, &mut both, true, cancelled)?;
        Ok((self.unit(pixel, traced).trace(recorder), values))
    }

    /// Evaluates a pixel, whose events go to `sink`.
    ///
    /// # Errors
    ///
    /// As for [`Self::pixel`].
    pub fn observe(
        &self,
        pixel: [u32; 2],
        sink: &mut dyn Sink,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<TracedUnit, TraceError> {
        let traced = self.evaluate(pixel, sink, false, cancelled)?;
        Ok(self.unit(pixel, traced))
    }

    fn unit(&self, pixel: [u32; 2], traced: Traced) -> TracedUnit {
        let (subject, is_by_need) = (self.subject(pixel, &traced), self.is_by_need());
        TracedUnit { subject, is_by_need, needed: traced.needed }
    }

    /// The trace of the first pixel as that of another unit, with all its events and without a result.
    fn all(&self, unit: Unit, cancelled: &dyn Fn() -> bool) -> Result<Trace, TraceError> {
        let mut recorder = Recorder::default();
        self.evaluate([0, 0], &mut recorder, false, cancelled)?;
        let subject = subject(&self.program, unit, Vec::new());
        Ok(recorder.finish(subject, self.is_by_need(), &|_| true))
    }

    fn evaluate(
        &self,
        pixel: [u32; 2],
        sink: &mut dyn Sink,
        is_sliced: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Traced, TraceError> {
        let [x, row] = self.place(pixel);
        match &self.evaluator {
            Evaluator::Source(program) => {
                let mut observer = source::Adapter::new(&self.program.source, sink);
                let inputs = self.settings.at(x, row);
                let limit = self.settings.max_iterations;
                observer.pixel(program, self.output, &inputs, limit, cancelled)
            }
            Evaluator::Fragments(fragments) => {
                let (program, settings) = (&self.program, &self.settings);
                return fragments.pixel(program, settings, self.size, [x, row], sink, cancelled);
            }
            #[cfg(feature = "spirv")]
            Evaluator::Words(words) => {
                words.pixel(&self.program.source, [x, row], sink, is_sliced, cancelled)
            }
        }
        .map_err(|stop| TraceError::stopped(&self.program, stop))
    }

    /// Column and row of a pixel as the program counts them.
    fn place(&self, [x, y]: [u32; 2]) -> [u32; 2] {
        let row = if self.program.lower_left { self.size.height() - 1 - y } else { y };
        [x, row]
    }

    /// The values of names at a pixel, by another evaluator; `None` for an engine that names no values, or that is the
    /// tracer itself.
    ///
    /// # Errors
    ///
    /// As for [`Self::pixel`], and a program that the engine cannot evaluate.
    pub fn values_by(
        &self,
        engine: &Engine,
        pixel: [u32; 2],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<NamedValues>, TraceError> {
        if matches!(self.evaluator, Evaluator::Fragments(_)) {
            return Ok(None);
        }
        let place = self.place(pixel);
        let stopped = |stop| TraceError::stopped(&self.program, stop);
        match engine {
            Engine::Core => {
                let values =
                    core::values(&self.program, self.output, &self.settings, place, cancelled);
                values.map(Some).map_err(stopped)
            }
            #[cfg(feature = "spirv")]
            Engine::Spirv if self.program.executed_module().is_none() => {
                let program = &self.program;
                let words = words::Words::emitted(program, self.output, &self.settings);
                let words = words.map_err(|error| spirv_error(program, error))?;
                let mut values = NamedValues::default();
                let of = words.pixel(&program.source, place, &mut values, false, cancelled);
                of.map_err(stopped)?;
                Ok(Some(values))
            }
            _ => Ok(None),
        }
    }

    /// The bits of a pixel of the output as a value.
    pub fn value(&self, pixel: [u32; 4]) -> Value {
        match self.program.interface.output_scalar(self.output) {
            Scalar::I32 => Subject::integers(pixel, lambdav_trace::Scalar::Int),
            Scalar::U32 => Subject::integers(pixel, lambdav_trace::Scalar::Uint),
            _ => Subject::colour(pixel),
        }
    }

    /// The subject of a trace.
    pub fn subject(&self, at: [u32; 2], traced: &Traced) -> Subject {
        let size = [self.size.width(), self.size.height()];
        let unit = Unit::Pixel { at, size, output: self.output };
        let name = format!("output {}", self.output).into();
        let results = vec![(name, self.value(traced.colour))];
        let is_discarded = traced.is_discarded;
        Subject { is_discarded, ..subject(&self.program, unit, results) }
    }
}
