//! Pixels of programs that draw triangles: each fragment is a scope, in the order of drawing.
//!
//! Machine code computes the vertices. The rasterizer chooses the fragments of the pixel, which the source evaluator computes:
//! once for the picture, and once for the events.

use super::error::TraceError;
use super::one_pixel::draw_pixel;
use super::pixel::{Needed, Traced};
use super::source::{Adapter, of_words, stop};
use crate::accepted::Accepted;
use crate::compilers::{compiler, simd_error, source_program};
use crate::draw_inputs::DrawInputs;
use crate::engines::{Fragment, StageEngine, TriangleProgram};
use crate::error::Error;
use crate::options::Options;
use crate::pipeline::triangles_failed;
use crate::settings::Settings;
use crate::target::Target;
use lambdav_core::graph::{Triangles, Varying};
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::reduction::{Limits, SourceProgram, StageResult};
use lambdav_image::{Frame, Size};
use lambdav_raster::RenderOptions;
use lambdav_trace::Sink;
use std::sync::Arc;
use std::time::Duration;

/// A program that draws triangles, with its vertices, for traces of an output.
pub(super) struct Fragments {
    source: Arc<SourceProgram>,
    program: TriangleProgram,
    draw: DrawInputs,
    /// The varyings that the fragment stage reads, with their indices.
    varyings: Vec<(u32, Varying)>,
    output: u32,
    timeout: Option<Duration>,
}

impl Fragments {
    /// A program that draws triangles, for the output at a location.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] for vertices or attributes that are missing; as for [`crate::Shader::pipeline`].
    pub(super) fn new(
        program: &Accepted,
        triangles: &Triangles,
        draw: &DrawInputs,
        output: u32,
        timeout: Option<Duration>,
    ) -> Result<Self, Error> {
        if let Some(missing) = draw.missing(triangles) {
            return Err(Error::Mismatch(missing));
        }
        let (core, options) = (&program.core, Options::default());
        let source = source_program(program, core, &[output])?;
        let text = Arc::clone(source.text());
        let of_fragments = StageEngine::Source(source.into());
        let made = |of_vertices: &StageEngine| {
            TriangleProgram::with_engines(core, triangles, &[output], of_vertices, &of_fragments)
        };
        let fast = StageEngine::Simd(compiler(&options)?.into());
        let compiled = made(&fast).or_else(|_| made(&StageEngine::Core));
        let read = triangles.used(core, &[output]).into_iter();
        Ok(Self {
            source: text,
            program: compiled.map_err(|error| simd_error(program, &options, error))?,
            draw: draw.clone(),
            varyings: read.map(|k| (k, triangles.varyings[k as usize].clone())).collect(),
            output,
            timeout,
        })
    }

    /// The source program, for its names.
    pub(super) fn source(&self) -> &SourceProgram {
        &self.source
    }

    /// Evaluates a pixel. Its events go to `sink`.
    ///
    /// # Errors
    ///
    /// A loop that exceeds its limit, a limit of the evaluator, and cancellation.
    pub(super) fn pixel(
        &self,
        program: &Accepted,
        settings: &Settings,
        size: Size,
        [x, y]: [u32; 2],
        sink: &mut dyn Sink,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Traced, TraceError> {
        let options = RenderOptions { timeout: self.timeout, ..RenderOptions::default() };
        let mut frame = Frame::zeros(size).map_err(|error| Error::Machine(error.to_string()))?;
        let target = Target::from(&mut frame).attachment();
        let bound = self.program.bind(settings, &self.draw);
        let drawn = bound.and_then(|bound| draw_pixel(&bound, [x, y], target, &options));
        let drawn = drawn.map_err(|error| triangles_failed(program, error, self.timeout))?;
        let inputs = settings.at(x, y);
        let limits = Limits { max_iterations: settings.max_iterations, ..Limits::default() };
        let mut observer = Adapter::new(&program.source, sink);
        let mut drawn = drawn.into_iter().peekable();
        while let Some((words, is_test)) = drawn.next() {
            let values = Fragment { words: &words, varyings: &self.varyings, x, y };
            let stopped =
                |fault| TraceError::stopped(program, stop(fault, settings.max_iterations));
            let discard = StageResult::Discard;
            let found = self.source.run_stage(discard, &inputs, &values, limits, cancelled);
            let is_discarded = found.map_err(stopped)?[0] != 0;
            let name = if is_discarded { "discarded fragment" } else { "fragment" };
            observer.open_fragment(name, words[Fragment::PRIMITIVE_INDEX]);
            let mut run = |result| {
                let source = &self.source;
                let (inputs, observer) = (&inputs, &mut observer);
                let found =
                    source.run_stage_observed(result, inputs, &values, limits, cancelled, observer);
                found.map_err(stopped)
            };
            run(discard)?;
            let mut result = None;
            if !is_discarded {
                if is_test {
                    run(StageResult::Depth)?;
                }
                // A fragment that passes its test goes on.
                let is_it = |(next, of_test): &(Arc<[u32]>, bool)| !of_test && *next == words;
                if !is_test || drawn.next_if(is_it).is_some() {
                    let found = run(StageResult::Output(self.output))?;
                    let ty = Type::of(Scalar::F32, found.len() as u8);
                    result = Some(of_words(ty, found));
                }
            }
            observer.close_fragment(result);
        }
        let colour = frame.pixels()[size.index(x, y) as usize].map(f32::to_bits);
        Ok(Traced { colour, is_discarded: false, needed: Needed::default() })
    }
}
