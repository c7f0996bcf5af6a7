//! Pipelines: outputs of a program, compiled once, drawn with any bindings, at any size, from any
//! thread.
//!
//! All drawing goes through a pipeline: the command, golden tests, AmberScript and embedders.
//! Compilation depends on no value, data or size; a picture binds them without compiling.
//!
//! The first row of a picture is its highest one. Programs whose origin is at the lower left draw the lowest row first:
//! a finished picture gets its rows in reverse, here and nowhere else.

use crate::accepted::Accepted;
#[cfg(feature = "spirv")]
use crate::accepted::AsIs;
use crate::before::{Before, MetBefore};
use crate::bindings::Bindings;
#[cfg(feature = "gpu")]
use crate::compilers::gpu_error;
#[cfg(feature = "spirv")]
use crate::compilers::spirv_error;
use crate::compilers::{at_fault, check, compiler, simd_error, source_program};
use crate::engines::{
    BoundKernel, CoreProgram, FastProgram, SimdEngine, SimdError, SimdProgram, SourceProgram,
    StageEngine, TriangleError, TriangleProgram,
};
#[cfg(feature = "gpu")]
use crate::engines::{GpuMode, GpuProgram};
#[cfg(feature = "spirv")]
use crate::engines::{SpirvProgram, SpirvStages};
use crate::error::{Error, error_chain};
use crate::options::{Engine, Options};
use crate::picture_report::PictureReporting;
use crate::settings::Settings;
use crate::target::Target;
use crate::undefined::{PixelSet, ProbedStages, Undefined};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Core, Triangles};
use lambdav_core::types::Type;
use lambdav_image::{Frame, Size};
use lambdav_raster::triangles::DrawError;
use lambdav_raster::{Attachment, RenderError, RenderOptions, render_attachments};
use lambdav_simd_backend::activity::Activity;
use lambdav_simd_backend::emit::Allocation;
use lambdav_simd_backend::registers::Callable;
#[cfg(feature = "spirv")]
use lambdav_spirv_eval::Module;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Outputs of a program, compiled for an engine: one output, or those of [`Options::outputs`]. Clones
/// share the code. All methods may be called from many threads at once.
#[derive(Clone)]
pub struct Pipeline(Arc<Compiled>);

struct Compiled {
    program: Arc<Accepted>,
    locations: Vec<u32>,
    options: Options,
    /// The passes that run before each picture.
    passes: Before,
    code: Code,
    reporting: Option<PictureReporting>,
    /// The stages of triangles with probes.
    probed: Option<Box<ProbedStages>>,
    /// Triangles of a program that reports, whose engine has no attachments for sites: they are drawn once more.
    again: Option<Box<TriangleProgram>>,
}

/// The program of an engine.
enum Code {
    Simd(SimdProgram),
    /// The core evaluator; with the exceeded limit if it replaces machine code.
    Core(Arc<CoreProgram>, Option<String>),
    Source(Arc<SourceProgram>),
    #[cfg(feature = "spirv")]
    Spirv(Arc<SpirvProgram>),
    #[cfg(feature = "gpu")]
    Gpu(Arc<GpuProgram>),
    /// Both stages of a program that draws triangles.
    Triangles(Box<TriangleProgram>),
}

/// Properties of machine code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CodeReport {
    /// Bytes of code.
    pub size: usize,
    /// Bytes of stack for a call.
    pub stack: usize,
    /// The target, as [`Options::target`] names it.
    pub target: &'static str,
    /// The reason for the target.
    pub target_reason: String,
    /// Number of pixels that are computed together.
    pub lanes: u32,
    /// Columns and rows of a group of pixels that are computed together.
    pub group: [u32; 2],
    /// The reason for that number of lanes.
    pub lanes_reason: String,
    /// True if registers were allocated in one pass, which pays off for few pixels.
    pub is_quick: bool,
    /// Duration of each stage.
    pub stages: Vec<(&'static str, Duration)>,
}

/// Result of drawing a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drawn {
    /// Remark of the engine: a device that flushes subnormal numbers reports how many pixels met one.
    pub remark: Option<String>,
    /// The undefined behaviour that pixels met, by place in the text; empty unless [`Options::report_undefined`] asks for it.
    pub undefined: Vec<Undefined>,
    /// The pixels that met any.
    pub undefined_pixels: PixelSet,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compiled { program, locations, options, .. } = &*self.0;
        f.debug_struct("Pipeline")
            .field("program", &program.source.name())
            .field("outputs", locations)
            .field("engine", &options.engine)
            .finish_non_exhaustive()
    }
}

/// Side of a tile of triangles. Tiles of pixels are wide and flat, which would cut triangles into many parts.
const TILE_OF_TRIANGLES: u32 = 64;

impl Pipeline {
    pub(crate) fn new(program: &Arc<Accepted>, options: &Options) -> Result<Self, Error> {
        if program.core.workgroup.is_some() {
            let why = "a compute program draws no picture: `Shader::compute_pipeline` runs it";
            return Err(Error::Mismatch(why.to_owned()));
        }
        let outputs = program.outputs();
        if let Some(found) = without_outputs(&program.core) {
            return Err(at_fault(program, found));
        }
        let asked = if options.outputs.is_empty() { &outputs[..1] } else { &options.outputs };
        if let Some(&location) = asked.iter().find(|location| !outputs.contains(location)) {
            return Err(Error::Output { location, outputs });
        }
        // In the order of a schedule.
        let all = program.core.outputs.iter().map(|output| output.location);
        let locations: Vec<u32> = all.filter(|location| asked.contains(location)).collect();
        let reporting =
            options.reports_undefined.then(|| PictureReporting::new(program, &locations));
        let reporting = reporting.transpose()?;
        let core = reporting.as_ref().map_or(&program.core, |of| &of.reporting.core);
        let specialised = options.specialised.as_ref();
        let fixed = specialised.map(|bindings| fixed(program, core, options, bindings));
        let fixed = fixed.transpose()?;
        let core = fixed.as_ref().unwrap_or(core);
        let passes = Before::new(program, core, options)?;
        let code = compile(program, core, &locations, options)?;
        let triangles = core.triangles.as_deref().filter(|_| !core.sites.is_empty());
        let probed = triangles.map(|of| ProbedStages::new(core, of, &locations)).transpose();
        let probed = probed.map_err(|found| at_fault(program, found))?.map(Box::new);
        let has_sites = matches!(options.engine, Engine::Fast | Engine::Simd | Engine::Core);
        let again = match triangles {
            Some(triangles) if !has_sites => {
                let fast = options.clone().engine(Engine::Fast);
                match compile_triangles(program, core, triangles, &locations, &fast)? {
                    Code::Triangles(code) => Some(code),
                    _ => unreachable!("the engine draws triangles"),
                }
            }
            _ => None,
        };
        let (program, options) = (Arc::clone(program), options.clone());
        Ok(Self(Arc::new(Compiled {
            program,
            locations,
            options,
            passes,
            code,
            reporting,
            probed,
            again,
        })))
    }

    /// Bindings with default uniforms, at time 0, without data.
    pub fn bindings(&self) -> Bindings {
        Bindings::new(&self.0.program)
    }

    /// Location of the output; with several outputs, of the one declared first.
    pub fn output(&self) -> u32 {
        self.0.locations[0]
    }

    /// Locations of all drawn outputs, in the order of declaration.
    pub fn outputs(&self) -> &[u32] {
        &self.0.locations
    }

    /// The type of the integers that an output has, `int` or `uint`; `None` for one of nums.
    pub fn integers(&self, location: u32) -> Option<Type> {
        let ty = Type::of(self.0.program.interface.output_scalar(location), 1);
        ty.is_integer().then_some(ty)
    }

    /// Draws a picture of integers. [`Self::render`] gives their bits, as the bits of floats.
    ///
    /// # Errors
    ///
    /// As for [`Self::render`], and [`Error::Mismatch`] for an output of nums.
    pub fn render_integers(&self, bindings: &Bindings, size: Size) -> Result<Vec<[u32; 4]>, Error> {
        if self.integers(self.output()).is_none() {
            let why = format!("the output {} has nums, no integers", self.output());
            return Err(Error::Mismatch(why));
        }
        let frame = self.render(bindings, size)?;
        let (pixels, _) = frame.samples().as_chunks::<4>();
        Ok(pixels.iter().map(|pixel| pixel.map(f32::to_bits)).collect())
    }

    /// Draws a picture on the threads of the caller's rayon pool, or of the global pool.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if a texture or buffer is not bound or a loop exceeds its limit,
    /// [`Error::Machine`], [`Error::Foreign`], and [`Error::Mismatch`] if the pipeline has several
    /// outputs.
    pub fn render(&self, bindings: &Bindings, size: Size) -> Result<Frame, Error> {
        let mut frame = Frame::zeros(size).map_err(|error| Error::Machine(error.to_string()))?;
        self.render_into(bindings, &mut frame)?;
        Ok(frame)
    }

    /// Draws a picture into the caller's memory: a [`Target`], or an image. Allocating fresh memory
    /// takes about as long as drawing cheap pixels.
    ///
    /// # Errors
    ///
    /// As for [`Self::render`]. After an error the memory holds a mixture of the new and the old
    /// picture.
    pub fn render_into<'t>(
        &self,
        bindings: &Bindings,
        target: impl Into<Target<'t>>,
    ) -> Result<Drawn, Error> {
        self.render_with(bindings, target, &RenderOptions::default())
    }

    /// Like [`Self::render_into`], with a time limit, a callback for progress, or a counter of
    /// non-finite samples.
    ///
    /// # Errors
    ///
    /// As for [`Self::render_into`], and [`Error::TimedOut`].
    pub fn render_with<'t>(
        &self,
        bindings: &Bindings,
        target: impl Into<Target<'t>>,
        options: &RenderOptions<'_>,
    ) -> Result<Drawn, Error> {
        self.render_outputs_with(bindings, vec![target.into()], options)
    }

    /// Draws a picture of each output, all at once, in the order of [`Self::outputs`].
    ///
    /// # Errors
    ///
    /// As for [`Self::render`].
    pub fn render_outputs(&self, bindings: &Bindings, size: Size) -> Result<Vec<Frame>, Error> {
        let mut frames = self.blank_frames(size)?;
        let targets = frames.iter_mut().map(Target::from).collect();
        self.render_outputs_with(bindings, targets, &RenderOptions::default())?;
        Ok(frames)
    }

    /// Draws a picture of each output into the caller's memory, all at once.
    ///
    /// # Errors
    ///
    /// As for [`Self::render_with`], and [`Error::Mismatch`] if the number of targets differs from that
    /// of outputs, or targets differ in size.
    pub fn render_outputs_with(
        &self,
        bindings: &Bindings,
        targets: Vec<Target<'_>>,
        options: &RenderOptions<'_>,
    ) -> Result<Drawn, Error> {
        let mut attachments: Vec<_> = targets.into_iter().map(Target::attachment).collect();
        let drawn = self.draw(bindings, attachments.iter_mut().collect(), options)?;
        if self.0.program.lower_left {
            attachments.iter_mut().for_each(Attachment::reverse_rows);
        }
        Ok(drawn)
    }

    /// Draws a picture of each output. Its first row is the program's, also of programs whose pictures are
    /// written in reverse.
    pub(crate) fn draw(
        &self,
        bindings: &Bindings,
        attachments: Vec<&mut Attachment<'_>>,
        options: &RenderOptions<'_>,
    ) -> Result<Drawn, Error> {
        let size = self.size_of(&attachments)?;
        for (attachment, &location) in attachments.iter().zip(self.outputs()) {
            if self.integers(location).is_some() && !matches!(attachment, Attachment::Float(_)) {
                let why = format!(
                    "the output {location} has integers, and a picture of 8 or 16 bits has none: NPY has"
                );
                return Err(Error::Mismatch(why));
            }
        }
        if self.0.program.core.triangles.is_some() {
            return self.draw_triangles(bindings, attachments, None, options);
        }
        let (began, timeout) = (Instant::now(), options.timeout);
        let (kernel, settings, before) = self.bind_within(bindings, size, options)?;
        let options = left(options, began);
        let outputs = self.outputs().iter().map(|&location| self.integers(location));
        let attachments = attachments.into_iter().map(Attachment::reborrow).zip(outputs);
        let as_they_are = |(attachment, integers): (_, Option<Type>)| match (attachment, integers) {
            (Attachment::Float(surface), Some(_)) => Attachment::Bits(surface),
            (attachment, _) => attachment,
        };
        let attachments = attachments.map(as_they_are).collect();
        let failed = |error| whole(self.failed(error, &*kernel, size), timeout);
        let Some(reporting) = &self.0.reporting else {
            render_attachments(&*kernel, attachments, &options).map_err(failed)?;
            return Ok(Drawn { remark: kernel.remark(), ..Drawn::default() });
        };
        let (outputs, is_reversed) = (self.0.locations.len(), self.0.program.lower_left);
        let watched = reporting.watched(&*kernel, outputs, &settings, size, is_reversed);
        render_attachments(&watched, attachments, &options).map_err(failed)?;
        let (met, undefined_pixels) = watched.into_met();
        let undefined = reporting.lines(before, [met]);
        Ok(Drawn { remark: kernel.remark(), undefined, undefined_pixels })
    }

    /// Like [`Self::render_outputs_with`], for a program that draws triangles. The depth of the first sample of
    /// each pixel goes to `depths`, row by row.
    ///
    /// # Errors
    ///
    /// As for [`Self::render_outputs_with`], and [`Error::Mismatch`] if the program draws no triangles, or the
    /// depth buffer has another number of pixels.
    pub fn render_with_depth(
        &self,
        bindings: &Bindings,
        targets: Vec<Target<'_>>,
        depths: &mut [f32],
        options: &RenderOptions<'_>,
    ) -> Result<Drawn, Error> {
        let mut attachments: Vec<_> = targets.into_iter().map(Target::attachment).collect();
        let attachments: Vec<_> = attachments.iter_mut().collect();
        let size = self.size_of(&attachments)?;
        if self.0.program.core.triangles.is_none() {
            return Err(Error::Mismatch("only programs with a position have depths".to_owned()));
        }
        if depths.len() != size.pixels() {
            let why = format!("{} depths are not those of a picture of {size}", depths.len());
            return Err(Error::Mismatch(why));
        }
        self.draw_triangles(bindings, attachments, Some(depths), options)
    }

    /// The size of the targets, one for each output.
    fn size_of(&self, targets: &[&mut Attachment<'_>]) -> Result<Size, Error> {
        let outputs = self.0.locations.len();
        if targets.len() != outputs {
            let found = targets.len();
            let why = format!(
                "the pipeline draws {outputs} outputs at once, and there are {found} targets"
            );
            return Err(Error::Mismatch(why));
        }
        let size = targets[0].size();
        match targets.iter().map(|target| target.size()).find(|other| *other != size) {
            Some(other) => {
                let why = format!(
                    "targets of one picture have one size, and these have {size} and {other}"
                );
                Err(Error::Mismatch(why))
            }
            None => Ok(size),
        }
    }

    /// Draws triangles, with the depth buffer of the caller, if there is one.
    fn draw_triangles(
        &self,
        bindings: &Bindings,
        targets: Vec<&mut Attachment<'_>>,
        depths: Option<&mut [f32]>,
        options: &RenderOptions<'_>,
    ) -> Result<Drawn, Error> {
        let Compiled { program, options: compiled, code, reporting, probed, again, .. } = &*self.0;
        check(program, bindings)?;
        let size = targets[0].size();
        let settings = bindings.settings(size, compiled.max_iterations);
        let (began, whole_timeout) = (Instant::now(), options.timeout);
        let (settings, before) = self.after_passes(settings, options)?;
        let options = &left(options, began);
        let triangles = program.core.triangles.as_deref().expect("it draws triangles");
        if let Some(missing) = bindings.draw.missing(triangles) {
            return Err(Error::Mismatch(missing));
        }
        let attachments = targets.into_iter().map(Attachment::reborrow).collect();
        let failed = |error| triangles_failed(program, error, whole_timeout);
        let draw =
            |code: &TriangleProgram, attachments, depths, options: &_, probed: Option<&_>| {
                let options = tiles_of_triangles(options)?;
                let bound = code.bind(&settings, &bindings.draw).map_err(failed)?;
                let drawn = match probed {
                    Some(probed) => {
                        ProbedStages::draw(probed, &bound, attachments, depths, &options)
                    }
                    None => bound.draw(attachments, depths, &options).map(|()| Default::default()),
                };
                drawn.map_err(failed)
            };
        let probed = probed.as_deref();
        let (report, remark) = match code {
            Code::Triangles(code) => {
                let probed = probed.filter(|_| again.is_none());
                (draw(code, attachments, depths, options, probed)?, None)
            }
            #[cfg(feature = "gpu")]
            Code::Gpu(code) => {
                let keeps_depth = depths.is_some();
                let draw = &bindings.draw;
                let engine = code.bind_triangles(&settings, draw, triangles, keeps_depth);
                let drawn = render_attachments(&engine, attachments, options);
                drawn.map_err(|error| whole(self.failed(error, &engine, size), whole_timeout))?;
                depths.into_iter().for_each(|depths| engine.copy_depths(depths));
                (Default::default(), engine.remark())
            }
            _ => unreachable!("other engines compile no program that draws triangles"),
        };
        let Some(reporting) = reporting else {
            return Ok(Drawn { remark, ..Drawn::default() });
        };
        let report = match again {
            None => report,
            Some(code) => {
                let mut frames = self.blank_frames(size)?;
                let targets = frames.iter_mut().map(|of| Target::from(of).attachment()).collect();
                let timeout = whole_timeout.map(|all| all.saturating_sub(began.elapsed()));
                let options = RenderOptions { timeout, ..RenderOptions::default() };
                draw(code, targets, None, &options, probed)?
            }
        };
        let undefined = reporting.lines(before, report.met);
        Ok(Drawn { remark, undefined, undefined_pixels: report.pixels })
    }

    /// A frame of zeros for each output.
    fn blank_frames(&self, size: Size) -> Result<Vec<Frame>, Error> {
        let blank = |_: &u32| Frame::zeros(size).map_err(|error| Error::Machine(error.to_string()));
        self.0.locations.iter().map(blank).collect()
    }

    /// Kernel for pictures of that size with these bindings.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if a texture or buffer is not bound, and [`Error::Foreign`].
    #[doc(hidden)]
    pub fn bind(&self, bindings: &Bindings, size: Size) -> Result<Box<dyn BoundKernel>, Error> {
        self.bind_within(bindings, size, &RenderOptions::default()).map(|(kernel, ..)| kernel)
    }

    /// The kernel, its settings, and what passes met.
    fn bind_within(
        &self,
        bindings: &Bindings,
        size: Size,
        options: &RenderOptions<'_>,
    ) -> Result<(Box<dyn BoundKernel>, Settings, MetBefore), Error> {
        let Compiled { program, options: compiled, .. } = &*self.0;
        check(program, bindings)?;
        let settings = bindings.settings(size, compiled.max_iterations);
        let (settings, before) = self.after_passes(settings, options)?;
        Ok((self.0.code.bind(settings.clone())?, settings, before))
    }

    /// The settings after all passes, and what these met.
    fn after_passes(
        &self,
        settings: Settings,
        options: &RenderOptions<'_>,
    ) -> Result<(Settings, MetBefore), Error> {
        let Compiled { program, passes, .. } = &*self.0;
        passes.run(program, settings, options.timeout, "rendering")
    }

    /// Properties of the machine code; none for other engines.
    pub fn code(&self) -> Option<CodeReport> {
        let Code::Simd(program) = &self.0.code else { return None };
        let (kernel, times) = (program.code(), program.code().times());
        let (code, target) = (kernel.code(), kernel.target());
        let shape = code.shape();
        Some(CodeReport {
            size: code.size(),
            stack: code.stack(),
            target: target.name(),
            target_reason: target.reason().to_string(),
            lanes: shape.lanes(),
            group: [shape.columns(), shape.rows()],
            lanes_reason: kernel.reason().to_string(),
            is_quick: matches!(kernel.allocation(), Allocation::Quick),
            stages: vec![
                ("schedule", program.scheduling()),
                ("lane program", times.lanes),
                ("register program", times.registers),
                ("machine code", times.code),
            ],
        })
    }

    /// The exceeded limit of machine code, if the core evaluator draws instead.
    pub fn exceeded_limit(&self) -> Option<&str> {
        match &self.0.code {
            Code::Core(_, why) => why.as_deref(),
            _ => None,
        }
    }

    /// Share of active lanes of machine code in a picture, from a sample of its groups; none for other
    /// engines.
    ///
    /// # Errors
    ///
    /// As for [`Self::render`].
    #[doc(hidden)]
    pub fn activity(&self, bindings: &Bindings, size: Size) -> Result<Option<Activity>, Error> {
        check(&self.0.program, bindings)?;
        let Code::Simd(program) = &self.0.code else { return Ok(None) };
        let settings = bindings.settings(size, self.0.options.max_iterations);
        let (settings, _) = self.after_passes(settings, &RenderOptions::default())?;
        Ok(Some(simd_kernel(program, &settings)?.kernel().activity(size)))
    }

    fn failed(&self, error: RenderError, kernel: &dyn BoundKernel, size: Size) -> Error {
        match (error, kernel.failure()) {
            (RenderError::Fault(mut fault), _) => {
                if self.0.program.lower_left {
                    fault.y = size.height() - 1 - fault.y;
                }
                at_fault(&self.0.program, kernel.explain(&fault))
            }
            (RenderError::TimedOut { timeout }, _) => {
                Error::TimedOut { work: "rendering", timeout }
            }
            (_, Some(failure)) => Error::Machine(failure),
            (error, None) => Error::Machine(error_chain(&error)),
        }
    }
}

impl Code {
    /// Creates a kernel for these inputs; all textures and buffers must be bound.
    fn bind(&self, settings: Settings) -> Result<Box<dyn BoundKernel>, Error> {
        Ok(match self {
            Self::Simd(program) => Box::new(simd_kernel(program, &settings)?),
            Self::Core(program, _) => Box::new(program.bind(settings)),
            Self::Source(program) => Box::new(program.bind(settings)),
            #[cfg(feature = "spirv")]
            Self::Spirv(program) => Box::new(program.bind(settings)),
            #[cfg(feature = "gpu")]
            Self::Gpu(program) => Box::new(program.bind(&settings)),
            Self::Triangles(_) => {
                let why = "triangles have no kernel of whole pictures";
                return Err(Error::Mismatch(why.to_owned()));
            }
        })
    }
}

/// The error of a draw with a time limit.
pub(crate) fn triangles_failed(
    program: &Accepted,
    error: TriangleError,
    timeout: Option<Duration>,
) -> Error {
    match error {
        TriangleError::Program(diagnostic) => at_fault(program, diagnostic),
        TriangleError::Bind(error) => Error::Mismatch(error.to_string()),
        TriangleError::Draw(DrawError::TimedOut { timeout: rest }) => {
            whole(Error::TimedOut { work: "rendering", timeout: rest }, timeout)
        }
        TriangleError::Draw(error @ DrawError::TooLarge { .. }) => {
            Error::Unsupported(error.to_string())
        }
        TriangleError::Draw(error) => Error::Machine(error_chain(&error)),
    }
}

/// The options with tiles for triangles, unless they name other ones.
fn tiles_of_triangles<'a>(options: &RenderOptions<'a>) -> Result<RenderOptions<'a>, Error> {
    let mut options = *options;
    if options.tile == RenderOptions::default().tile {
        options.tile = Size::new(TILE_OF_TRIANGLES, TILE_OF_TRIANGLES)?;
    }
    Ok(options)
}

/// Machine code with its inputs, which must have the specialised sizes.
fn simd_kernel(program: &SimdProgram, settings: &Settings) -> Result<SimdEngine, Error> {
    program.bind(settings).map_err(|error| Error::Mismatch(error.to_string()))
}

/// The options of a picture with the time that is left since its passes began.
fn left<'a>(options: &RenderOptions<'a>, began: Instant) -> RenderOptions<'a> {
    let timeout = options.timeout.map(|timeout| timeout.saturating_sub(began.elapsed()));
    RenderOptions { timeout, ..*options }
}

/// An error with the whole time limit, in place of what its passes left.
fn whole(error: Error, whole: Option<Duration>) -> Error {
    match (error, whole) {
        (Error::TimedOut { work, .. }, Some(timeout)) => Error::TimedOut { work, timeout },
        (error, _) => error,
    }
}

/// The error of a program with passes alone, of which a picture is asked for.
pub(crate) fn without_outputs(core: &Core) -> Option<Diagnostic> {
    let pass = core.passes.iter().flat_map(|of| &of.passes).next();
    let pass = pass.filter(|_| core.outputs.is_empty())?.span;
    let message = "the program has passes, and no output to draw";
    let diagnostic = Diagnostic::new(DiagnosticCode::NoOutput, pass, message);
    let help = "`lambdav run` writes results to files; an `output` draws them: `(at result i)`";
    Some(diagnostic.label("it computes results alone").help(help))
}

/// The program with the values of uniforms as constants, except for those that change from picture to
/// picture.
fn fixed(
    program: &Arc<Accepted>,
    core: &Core,
    options: &Options,
    bindings: &Bindings,
) -> Result<Core, Error> {
    check(program, bindings)?;
    #[cfg(feature = "spirv")]
    let is_executed = program.as_is.is_some()
        || matches!(options.engine, Engine::Spirv) && program.executed_module().is_some();
    #[cfg(not(feature = "spirv"))]
    let is_executed = false;
    let mismatch = |why: &str| Err(Error::Mismatch(why.to_owned()));
    if matches!(options.engine, Engine::Source) {
        return mismatch("the engine `source` reads the text, which cannot be specialised");
    }
    if is_executed {
        return mismatch("a module is executed as it is, and cannot be specialised");
    }
    let settings = bindings.settings(Size::new(1, 1)?, options.max_iterations);
    let values = &settings.inputs.uniforms;
    Ok(core.with_uniforms_fixed(values, |index| !bindings.varies(index)))
}

fn compile(
    program: &Accepted,
    core: &Core,
    locations: &[u32],
    options: &Options,
) -> Result<Code, Error> {
    let fault = |diagnostic| at_fault(program, diagnostic);
    if let Some(native) = core.native() {
        return Err(fault(native));
    }
    #[cfg(feature = "spirv")]
    if let Some(AsIs { words, clear }) = &program.as_is {
        let (source, name) = (&program.source, program.source.name());
        if !matches!(options.engine, Engine::Fast | Engine::Spirv) {
            let why = format!("`{name}` is SPIR-V, which the engine `spirv` executes");
            return Err(Error::Mismatch(why));
        }
        let module =
            Module::new(words).map_err(|error| Error::Unsupported(format!("`{name}`: {error}")))?;
        let compiled = SpirvProgram::of_module(module, source, locations, *clear);
        return Ok(Code::Spirv(Arc::new(compiled)));
    }
    if let Some(triangles) = core.triangles.as_deref() {
        return compile_triangles(program, core, triangles, locations, options);
    }
    match &options.engine {
        Engine::Fast => {
            let compiled = FastProgram::new(core, locations, compiler(options)?);
            Ok(match compiled.map_err(|error| simd_error(program, options, error))? {
                FastProgram::Simd(program) => Code::Simd(program),
                FastProgram::Core(program, why) => Code::Core(program, Some(why.to_string())),
            })
        }
        Engine::Simd => {
            let compiled = SimdProgram::new(core, locations, compiler(options)?);
            compiled.map(Code::Simd).map_err(|error| simd_error(program, options, error))
        }
        Engine::Core => {
            let compiled = CoreProgram::new(core, locations).map_err(fault)?;
            Ok(Code::Core(Arc::new(compiled), None))
        }
        Engine::Source => Ok(Code::Source(source_program(program, core, locations)?.into())),
        #[cfg(feature = "spirv")]
        Engine::Spirv => {
            let compiled = match program.executed_module().filter(|_| core.sites.is_empty()) {
                Some(of) => {
                    let (words, interface, clear) = (&of.words, &program.interface, of.clear);
                    let source = &program.source;
                    let compiled =
                        SpirvProgram::of_words(words, interface, source, locations, clear);
                    compiled.map_err(|error| {
                        Error::Unsupported(format!("`{}`: {error}", source.name()))
                    })
                }
                None => SpirvProgram::new(core, locations, options.max_iterations)
                    .map_err(|error| spirv_error(program, error)),
            };
            compiled.map(|compiled| Code::Spirv(Arc::new(compiled)))
        }
        #[cfg(feature = "gpu")]
        Engine::Gpu(device, mode) => {
            let limit = options.max_iterations;
            let compiled = gpu_program(program, core, locations, (device, *mode), limit)?;
            Ok(Code::Gpu(compiled.into()))
        }
    }
}

fn compile_triangles(
    program: &Accepted,
    core: &Core,
    triangles: &Triangles,
    locations: &[u32],
    options: &Options,
) -> Result<Code, Error> {
    let made = |engine: &StageEngine| TriangleProgram::new(core, triangles, locations, engine);
    let fails = |error| simd_error(program, options, error);
    let simd = || compiler(options).map(|compiler| StageEngine::Simd(compiler.into()));
    let compiled = match &options.engine {
        Engine::Fast => match made(&simd()?) {
            Err(SimdError::Emit(error)) if error.is_limit() => made(&StageEngine::Core),
            compiled => compiled,
        },
        Engine::Simd => made(&simd()?),
        Engine::Core => made(&StageEngine::Core),
        Engine::Source => {
            let source = source_program(program, core, locations)?;
            made(&StageEngine::Source(source.into()))
        }
        #[cfg(feature = "spirv")]
        Engine::Spirv => {
            let limit = options.max_iterations;
            let stages = SpirvStages::new(core, locations, &options.module, limit);
            let stages = stages.map_err(|error| spirv_error(program, error))?;
            made(&StageEngine::Spirv(stages.into()))
        }
        #[cfg(feature = "gpu")]
        Engine::Gpu(device, mode) => {
            let limit = options.max_iterations;
            let compiled = gpu_program(program, core, locations, (device, *mode), limit)?;
            return Ok(Code::Gpu(compiled.into()));
        }
    };
    compiled.map(|compiled| Code::Triangles(compiled.into())).map_err(fails)
}

#[cfg(feature = "gpu")]
fn gpu_program(
    program: &Accepted,
    core: &Core,
    locations: &[u32],
    (device, mode): (&lambdav_gpu::Device, GpuMode),
    max_iterations: u64,
) -> Result<GpuProgram, Error> {
    let compiled = GpuProgram::new(core, locations, device, mode, max_iterations);
    compiled.map_err(|error| gpu_error(program, error))
}
