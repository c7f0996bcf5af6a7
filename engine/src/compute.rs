//! Pipelines of compute programs: compiled once, dispatched on the memories of any bindings.

use crate::accepted::Accepted;
use crate::bindings::Bindings;
#[cfg(feature = "gpu")]
use crate::compilers::gpu_error;
use crate::compilers::{check, compiler, lateness, simd_error, stopped};
#[cfg(feature = "gpu")]
use crate::engines::GpuDispatch;
#[cfg(feature = "spirv")]
use crate::engines::SpirvDispatch;
use crate::engines::{Cancelled, DispatchProgram, SimdError, first_invocation};
use crate::error::{Error, Report};
use crate::options::{Engine, Options};
use crate::settings::Settings;
use crate::shader::Shader;
use crate::undefined::{Reporting, Undefined, Unit};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Node, NodeId};
use lambdav_core::memory::MemoryOp;
use lambdav_core::op::Op;
use lambdav_core::probes::MetSites;
use lambdav_core::source::Span;
use lambdav_image::Size;
use lambdav_simd_backend::EmitError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A compute program, compiled for an engine. Clones share the code. All methods may be called from many threads at
/// once.
///
/// ```
/// # #[cfg(feature = "foreign")] fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use lambdav_engine as lambdav;
/// # let folder = tempfile::tempdir()?; std::env::set_current_dir(&folder)?;
/// # std::fs::write("sums.wgsl", "@group(0) @binding(0) var<storage, read> values: array<f32>;
/// # @group(0) @binding(1) var<storage, read_write> sums: array<f32>;
/// # @compute @workgroup_size(1) fn main() { for (var k = 0; k < 4; k++) { sums[0] += values[k]; } }")?;
/// use lambdav::{Options, Shader, ShaderOptions};
///
/// let shader = Shader::open_with("sums.wgsl", &ShaderOptions::default().compute())?;
/// let pipeline = shader.compute_pipeline(&Options::default())?;
/// let mut bindings = pipeline.bindings();
/// bindings.bind("values", &[1.0_f32, 2.0, 3.0, 4.0][..])?.bind_zeros("sums", 1)?;
/// pipeline.dispatch(&mut bindings, [1, 1, 1])?;
/// let sums: Vec<f32> = bindings.components("sums").unwrap().into_iter().map(f32::from_bits).collect();
/// # assert_eq!(sums, [10.0]);
/// # Ok(()) }
/// # #[cfg(not(feature = "foreign"))] fn main() {}
/// ```
#[derive(Clone)]
pub struct ComputePipeline(Arc<Compiled>);

struct Compiled {
    program: Arc<Accepted>,
    workgroup: [u32; 3],
    options: Options,
    /// None if the program with probes has the same results.
    code: Option<DispatchProgram>,
    /// The program with probes, and its code, if undefined behaviour is reported.
    reporting: Option<(Reporting, DispatchProgram)>,
}

/// Most invocations of a dispatch.
const MAX_INVOCATIONS: u64 = 1 << 48;

/// Options of a dispatch.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct DispatchOptions<'a> {
    /// Time limit; by default none.
    pub timeout: Option<Duration>,
    /// Called now and then with the numbers of finished and of all workgroups. (Machine code says none.)
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
}

/// Result of a dispatch, or of passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// The undefined behaviour that was met, by place in the text; empty unless [`Options::report_undefined`] asks for it.
    pub undefined: Vec<Undefined>,
}

impl<'a> DispatchOptions<'a> {
    /// Sets the time limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the callback for progress.
    #[must_use]
    pub fn progress(mut self, progress: &'a (dyn Fn(u64, u64) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }
}

impl fmt::Debug for DispatchOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DispatchOptions").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl fmt::Debug for ComputePipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compiled { program, workgroup, options, .. } = &*self.0;
        f.debug_struct("ComputePipeline")
            .field("program", &program.source.name())
            .field("workgroup", workgroup)
            .field("engine", &options.engine)
            .finish_non_exhaustive()
    }
}

impl Shader {
    /// The number of invocations of a workgroup, by axes, of a compute program.
    pub fn workgroup(&self) -> Option<[u32; 3]> {
        self.0.core.workgroup
    }

    /// Compiles a compute program for an engine.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] if this is no compute program, or the engine runs none; [`Error::Program`] if the program nests
    /// too deeply.
    pub fn compute_pipeline(&self, options: &Options) -> Result<ComputePipeline, Error> {
        let program = &self.0;
        let Some(workgroup) = program.core.workgroup else {
            let why = "this is no compute program: `ShaderOptions::compute` reads one";
            return Err(Error::Mismatch(why.to_owned()));
        };
        let reporting = options.reports_undefined.then(|| Reporting::new(program)).transpose()?;
        let of_core = || {
            let core = reporting.as_ref().map_or(&program.core, |of| &of.core);
            let code = DispatchProgram::of_core(core, workgroup);
            code.map_err(|diagnostic| Report::of(&program.source, diagnostic))
        };
        let of_code = || {
            let compiler = compiler(options)?;
            Ok::<_, Error>(match &reporting {
                Some(of) => DispatchProgram::of_reported(&of.core, workgroup, &compiler),
                None => DispatchProgram::of_code(&program.core, workgroup, &compiler),
            })
        };
        let code = match &options.engine {
            Engine::Fast => match of_code()? {
                Err(SimdError::Emit(error))
                    if error.is_limit() || matches!(error, EmitError::Barrier(_)) =>
                {
                    of_core()?
                }
                code => code.map_err(|error| simd_error(program, options, error))?,
            },
            Engine::Simd => of_code()?.map_err(|error| simd_error(program, options, error))?,
            Engine::Core => of_core()?,
            #[cfg(feature = "spirv")]
            Engine::Spirv => {
                let Some(module) = &program.module else {
                    let why = "the engine `spirv` dispatches modules, WGSL and GLSL";
                    return Err(Error::Mismatch(why.to_owned()));
                };
                let of =
                    SpirvDispatch::of_words(&module.words, &program.interface, &program.source);
                let of = of.map_err(|error| {
                    Error::Unsupported(format!("the engine `spirv` cannot run this: {error}"))
                })?;
                DispatchProgram::Spirv(of.into())
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu(device, mode) => {
                let code = GpuDispatch::new(&program.core, workgroup, device, *mode);
                DispatchProgram::Gpu(code.map_err(|error| gpu_error(program, error))?.into())
            }
            Engine::Source => {
                let why =
                    "the engine `source` evaluates λV, which has passes and no compute programs";
                return Err(Error::Mismatch(why.to_owned()));
            }
        };
        // Other engines run once more, without a report.
        let has_reports = matches!(options.engine, Engine::Fast | Engine::Simd | Engine::Core);
        let evaluated = (reporting.is_some() && !has_reports).then(of_core).transpose()?;
        let (code, reporting) = match (reporting, evaluated) {
            (None, _) => (Some(code), None),
            (Some(reporting), None) => (None, Some((reporting, code))),
            (Some(reporting), Some(evaluated)) => (Some(code), Some((reporting, evaluated))),
        };
        let (program, options) = (Arc::clone(program), options.clone());
        Ok(ComputePipeline(Arc::new(Compiled { program, workgroup, options, code, reporting })))
    }
}

/// The position of a memory's declaration.
fn state_span(program: &Accepted, memory: usize) -> Span {
    let graph = &program.core.graph;
    let is_state = |id: &NodeId| match graph.node(*id) {
        Node::Op(Op::Memory(MemoryOp::State(ty)), _) => graph.types().resource(*ty) == Some(memory),
        _ => false,
    };
    let found = (0..graph.len() as u32).map(NodeId).find(is_state);
    found.map_or(Span::default(), |id| graph.span(id))
}

/// The settings of a dispatch, and the words of all memories, which leave the bindings.
///
/// # Errors
///
/// A texture or buffer that is not bound.
pub(crate) fn prepared(
    program: &Accepted,
    bindings: &mut Bindings,
    max_iterations: u64,
) -> Result<(Settings, Vec<Vec<u32>>), Error> {
    let settings = bindings.settings(Size::new(1, 1)?, max_iterations);
    if let Some(unbound) = program.core.unbound(&settings.inputs.resources) {
        return Err(Report::of(&program.source, unbound).into());
    }
    let layout = |number: usize| program.interface.resources.get(number)?.memory.clone();
    let taken = bindings.memories.take(program.types(), layout);
    let words = taken.map_err(|number| {
        let name = &program.types().resources()[number].name;
        let message = format!("the buffer `{name}` has an array without a length, and no data");
        let found = Diagnostic::new(DiagnosticCode::Unbound, state_span(program, number), message)
            .label("declared here")
            .help("bind elements to it, --bind NAME=FILE, or a number of zeros, --zeros NAME=N");
        Report::of(&program.source, found)
    })?;
    Ok((settings, words))
}

impl ComputePipeline {
    /// Bindings with default uniforms, without data.
    pub fn bindings(&self) -> Bindings {
        Bindings::new(&self.0.program)
    }

    /// The number of invocations of a workgroup, by axes.
    pub fn workgroup(&self) -> [u32; 3] {
        self.0.workgroup
    }

    /// Dispatches so many workgroups along each axis. The memories in the bindings are those that the dispatch finds, and
    /// afterwards those that it leaves.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if a texture or buffer is not bound, a loop exceeds its limit, or a barrier is in divergent
    /// control flow; [`Error::Foreign`]; [`Error::Mismatch`] for more than 2^48 invocations. Then the memories are as before.
    pub fn dispatch(&self, bindings: &mut Bindings, groups: [u32; 3]) -> Result<(), Error> {
        self.dispatch_with(bindings, groups, &DispatchOptions::default()).map(drop)
    }

    /// Like [`Self::dispatch`], with a time limit or a callback for progress.
    ///
    /// # Errors
    ///
    /// As for [`Self::dispatch`], and [`Error::TimedOut`].
    pub fn dispatch_with(
        &self,
        bindings: &mut Bindings,
        groups: [u32; 3],
        options: &DispatchOptions<'_>,
    ) -> Result<Ran, Error> {
        let Compiled { program, options: compiled, code, .. } = &*self.0;
        check(program, bindings)?;
        let (settings, mut words) = prepared(program, bindings, compiled.max_iterations)?;
        let mut sizes = groups.iter().chain(&self.0.workgroup).map(|&along| u64::from(along));
        let invocations = sizes.try_fold(1, u64::checked_mul);
        if invocations.is_none_or(|all| all > MAX_INVOCATIONS) {
            let [x, y, z] = groups;
            let why = format!("{x} x {y} x {z} workgroups have more than 2^48 invocations");
            return Err(Error::Mismatch(why));
        }
        let all = groups.iter().map(|&along| u64::from(along)).product();
        let is_late = lateness(options.timeout);
        let cancelled = |done| {
            if let Some(progress) = options.progress {
                progress(done, all);
            }
            is_late.as_ref().is_some_and(|is_late| is_late())
        };
        // Nobody waits for a dispatch without a limit to be cancelled.
        let is_watched = is_late.is_some() || options.progress.is_some();
        let cancelled: Option<Cancelled<'_>> = if is_watched { Some(&cancelled) } else { None };
        let reported = |(reporting, of_reports): &(Reporting, DispatchProgram)| {
            let mut again = code.as_ref().map(|_| words.clone());
            let words = again.as_mut().unwrap_or(&mut words);
            let note = &first_invocation;
            let met = of_reports.run_reported(&settings, groups, words, cancelled, note)?;
            Ok(reporting.lines(MetSites::default(), [met.met(Unit::Invocation)]))
        };
        let mut ran = self.0.reporting.as_ref().map_or(Ok(Vec::new()), reported);
        if let (Ok(_), Some(code)) = (&ran, code) {
            let of_engine = code.run(&settings, groups, &mut words, cancelled);
            ran = of_engine.and(ran);
        }
        bindings.memories.put(program.types(), words);
        let undefined = ran.map_err(|stop| stopped(program, stop, options.timeout, "running"))?;
        Ok(Ran { undefined })
    }
}
