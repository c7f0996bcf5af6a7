//! Passes of a program, which run before its picture (LANGUAGE §18).
//!
//! Each pass is a compute program ([`lambdav_core::passes`]), dispatched on the words of the results that it writes. It
//! reads the buffers of the inputs, which change between passes alone. The source evaluator runs passes by itself.

use super::dispatch::DispatchProgram;
use super::invocations::Invocations;
use super::running::{Cancelled, DispatchStop};
use super::source::explain_source;
#[cfg(feature = "spirv")]
use super::spirv::{SpirvDispatch, SpirvError};
use super::{SimdError, SourceProgram};
use crate::settings::Settings;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate::{EvaluationFault, Observer};
use lambdav_core::graph::{Core, Pass, PassResult, Passes};
use lambdav_core::passes::{Form, Ids, PassMemory, PassProgram, Record, Role, WrittenTwice};
use lambdav_core::probes::MetSites;
use lambdav_core::resource::{Bound, BufferData, BufferError, element_type};
use lambdav_core::source::Span;
use lambdav_core::types::{Type, Types};
use lambdav_frontend::reduction::{Limits, PassFault, SourceFault};
use lambdav_simd_backend::{Compiler, EmitError};
use std::sync::Arc;

/// The engine of passes.
#[derive(Debug)]
pub enum PassEngine {
    /// Machine code; the core evaluator for a pass that exceeds its limits.
    Fast(Box<Compiler>),
    /// Machine code.
    Simd(Box<Compiler>),
    /// The core evaluator.
    Core,
    /// The source evaluator.
    Source(Arc<SourceProgram>),
    /// The evaluator of SPIR-V.
    #[cfg(feature = "spirv")]
    Spirv,
}

/// The passes of a program, compiled by an engine.
#[derive(Debug)]
pub struct PassesProgram {
    types: Types,
    results: Vec<PassResult>,
    code: Code,
}

#[derive(Debug)]
enum Code {
    Dispatches(Vec<Compiled>),
    Source(Arc<SourceProgram>),
}

/// The sites that the sizes of passes met, and those that the ids of each pass met.
pub(crate) type MetByPasses<'a> = (MetSites, Vec<(&'a Pass, Invocations)>);

/// A compiled pass.
#[derive(Debug)]
struct Compiled {
    pass: Pass,
    sizes: DispatchProgram,
    memories: Vec<PassMemory>,
    program: DispatchProgram,
}

/// The reason that passes cannot be compiled.
#[derive(Debug)]
pub enum PassError {
    /// The program is at fault, or machine code cannot be made.
    Simd(SimdError),
    /// No module can be made.
    #[cfg(feature = "spirv")]
    Spirv(SpirvError),
}

impl From<Diagnostic> for PassError {
    fn from(found: Diagnostic) -> Self {
        Self::Simd(SimdError::Program(found))
    }
}

/// The data of a result before all passes.
fn zeros(types: &Types, result: &PassResult, resources: &[Bound]) -> Option<ResultData> {
    let bound = |buffer: u32| resources.get(buffer as usize)?.buffer().map(|data| data.len());
    let count = PassProgram::elements(result, bound)?;
    Some(BufferData::zeros(types, element_type(types, result.resource), count))
}

type ResultData = Result<BufferData, BufferError>;

/// Binds zeros to all results, except those that are as long as a buffer without data.
///
/// # Errors
///
/// A result that is too large.
pub fn bind_results(
    types: &Types,
    results: &[PassResult],
    resources: &mut Vec<Bound>,
) -> Result<(), Diagnostic> {
    resources.resize(types.resources().len().max(resources.len()), Bound::Nothing);
    for result in results {
        let Some(data) = zeros(types, result, resources) else { continue };
        let data = data.map_err(|error| {
            let name = &types.resources()[result.resource as usize].name;
            let message = format!("the result `{name}` is too large: {error}");
            Diagnostic::new(DiagnosticCode::ResultLength, result.span, message)
        })?;
        resources[result.resource as usize] = Bound::Buffer(data.into());
        if let Some(counter) = result.counter {
            let data = BufferData::zeros(types, Type::UINT, 1).expect("one word is few");
            resources[counter as usize] = Bound::Buffer(data.into());
        }
    }
    Ok(())
}

impl PassesProgram {
    /// Compiles the passes of a program; none if it has no results.
    ///
    /// # Errors
    ///
    /// [`PassError`].
    pub fn new(core: &Core, engine: &PassEngine) -> Result<Option<Self>, PassError> {
        Self::compile(core, engine, false)
    }

    /// Like [`Self::new`], of a program with probes for [`Self::run_reported`]. Machine code or the core evaluator runs them.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(crate) fn reported(core: &Core, engine: &PassEngine) -> Result<Option<Self>, PassError> {
        Self::compile(core, engine, true)
    }

    fn compile(
        core: &Core,
        engine: &PassEngine,
        is_reported: bool,
    ) -> Result<Option<Self>, PassError> {
        let Some(passes) = core.passes.as_deref() else { return Ok(None) };
        let types = core.graph.types().clone();
        let results = passes.results.clone();
        let code = match engine {
            PassEngine::Source(source) => Code::Source(Arc::clone(source)),
            engine => {
                let all = passes.passes.iter();
                Code::Dispatches(
                    all.map(|pass| Compiled::new(core, passes, pass, engine, is_reported))
                        .collect::<Result<_, _>>()?,
                )
            }
        };
        Ok(Some(Self { types, results, code }))
    }

    /// Binds zeros to results.
    ///
    /// # Errors
    ///
    /// A result that is too large.
    pub fn begin(&self, settings: &mut Settings) -> Result<(), Diagnostic> {
        bind_results(&self.types, &self.results, &mut settings.inputs.resources)
    }

    /// Runs all passes. Textures, buffers and results must be bound ([`Self::begin`]); afterwards results are those that the
    /// passes leave. `cancelled`, if there is one, is polled.
    ///
    /// # Errors
    ///
    /// The first fault, in the order of passes and ids, or cancellation.
    pub fn run(
        &self,
        settings: &mut Settings,
        cancelled: Option<Cancelled<'_>>,
    ) -> Result<(), DispatchStop> {
        match &self.code {
            Code::Dispatches(all) => {
                all.iter().try_for_each(|pass| pass.run(&self.types, settings, cancelled))
            }
            Code::Source(source) => self.run_source(source, settings, cancelled),
        }
    }

    /// Like [`Self::run`], of [`Self::reported`], and returns the sites that were met.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`].
    pub(crate) fn run_reported(
        &self,
        settings: &mut Settings,
        cancelled: Option<Cancelled<'_>>,
    ) -> Result<MetByPasses<'_>, DispatchStop> {
        let mut sizes = MetSites::default();
        let Code::Dispatches(all) = &self.code else { return Ok((sizes, Vec::new())) };
        let run = |of: &'_ Compiled| of.run_reported(&self.types, settings, cancelled, &mut sizes);
        let ran: Result<Vec<_>, _> = all.iter().map(run).collect();
        Ok((sizes, all.iter().map(|of| &of.pass).zip(ran?).collect()))
    }

    /// The numbers of the results' buffers.
    pub fn results(&self) -> impl Iterator<Item = usize> {
        self.results.iter().map(|result| result.resource as usize)
    }

    fn run_source(
        &self,
        source: &SourceProgram,
        settings: &mut Settings,
        cancelled: Option<Cancelled<'_>>,
    ) -> Result<(), DispatchStop> {
        let max_iterations = settings.max_iterations;
        let limits = Limits { max_iterations, ..Limits::default() };
        let ran = source.text().run_passes(&mut settings.inputs, limits, &|| {
            cancelled.is_some_and(|cancelled| cancelled(0))
        });
        ran.map_err(|fault| match fault {
            PassFault::Value { fault: SourceFault::Pixel(EvaluationFault::Cancelled), .. } => {
                DispatchStop::Cancelled
            }
            PassFault::Value { fault, note } => {
                let found = explain_source(fault, max_iterations);
                DispatchStop::Program(note.into_iter().fold(found, Diagnostic::note))
            }
            PassFault::Program(found) => DispatchStop::Program(*found),
        })
    }
}

impl Compiled {
    fn new(
        core: &Core,
        passes: &Passes,
        pass: &Pass,
        engine: &PassEngine,
        is_reported: bool,
    ) -> Result<Self, PassError> {
        let sizes = DispatchProgram::of_core(&PassProgram::sizes(core, pass), [1; 3])?;
        let lowered = PassProgram::new(core, passes, pass, Form::Ordered).map_err(|limit| {
            let message = format!("the pass `{}` writes too many results: {limit}", pass.name);
            Diagnostic::new(DiagnosticCode::TypeTooLarge, pass.span, message)
        })?;
        let (of, workgroup) = (&lowered.core, [1; 3]);
        let of_code = |compiler: &Compiler| match is_reported {
            true => DispatchProgram::of_reported(of, workgroup, compiler),
            false => DispatchProgram::of_code(of, workgroup, compiler),
        };
        let program = match engine {
            PassEngine::Fast(compiler) => match of_code(compiler) {
                Err(SimdError::Emit(error))
                    if error.is_limit() || matches!(error, EmitError::IndexedArray(_)) =>
                {
                    DispatchProgram::of_core(of, workgroup)?
                }
                code => code.map_err(PassError::Simd)?,
            },
            PassEngine::Simd(compiler) => of_code(compiler).map_err(PassError::Simd)?,
            #[cfg(feature = "spirv")]
            PassEngine::Spirv if !of.effects.is_empty() => {
                let program = SpirvDispatch::of_pass(&lowered).map_err(PassError::Spirv)?;
                DispatchProgram::Spirv(program.into())
            }
            _ => DispatchProgram::of_core(of, workgroup)?,
        };
        Ok(Self { pass: pass.clone(), sizes, memories: lowered.memories, program })
    }

    /// The numbers of ids.
    fn ids(
        &self,
        types: &Types,
        settings: &Settings,
        cancelled: Option<Cancelled<'_>>,
        observer: &mut impl Observer,
    ) -> Result<Ids, DispatchStop> {
        let mut words = vec![Vec::new(); types.resources().len()];
        words.push(vec![0; 3]);
        let note = |_| format!("in the size of the pass `{}`", self.pass.name);
        self.sizes.run_observed(settings, [1; 3], &mut words, cancelled, &note, observer)?;
        let counts = words.last().and_then(|words| words.first_chunk().copied());
        Ok(Ids { counts: counts.unwrap_or_default(), axes: self.pass.size.len() })
    }

    fn run(
        &self,
        types: &Types,
        settings: &mut Settings,
        cancelled: Option<Cancelled<'_>>,
    ) -> Result<(), DispatchStop> {
        self.dispatch(types, settings, cancelled, &mut (), |settings, groups, words, note| {
            self.program.run_observed(settings, groups, words, cancelled, note, &mut ())
        })
        .map(drop)
    }

    /// Like [`Self::run`], and returns the sites that ids met.
    fn run_reported(
        &self,
        types: &Types,
        settings: &mut Settings,
        cancelled: Option<Cancelled<'_>>,
        sizes: &mut MetSites,
    ) -> Result<Invocations, DispatchStop> {
        self.dispatch(types, settings, cancelled, sizes, |settings, groups, words, note| {
            self.program.run_reported(settings, groups, words, cancelled, note)
        })
    }

    /// Dispatches the pass, by `run`. Its size is observed.
    fn dispatch<T: Default>(
        &self,
        types: &Types,
        settings: &mut Settings,
        cancelled: Option<Cancelled<'_>>,
        of_size: &mut impl Observer,
        run: impl FnOnce(
            &Settings,
            [u32; 3],
            &mut Vec<Vec<u32>>,
            &dyn Fn([u32; 3]) -> String,
        ) -> Result<T, DispatchStop>,
    ) -> Result<T, DispatchStop> {
        let ids = self.ids(types, settings, cancelled, of_size)?;
        if let Some(found) = ids.too_many(&self.pass.name, self.pass.span) {
            return Err(DispatchStop::Program(found));
        }
        if ids.total() == 0 || self.memories.is_empty() {
            return Ok(T::default());
        }
        let resources = &settings.inputs.resources;
        let mut words = vec![Vec::new(); types.resources().len() + self.memories.len()];
        for memory in &self.memories {
            let data = resources[memory.resource as usize].buffer();
            let data = data.expect("results are bound");
            words[memory.number] = match memory.role {
                Role::Elements | Role::Counter => data.words().to_vec(),
                Role::Writers => vec![0; data.len() * Record::WORDS],
            };
        }
        let note = |id| ids.first(&self.pass.name, id);
        let ran = run(settings, ids.counts, &mut words, &note)?;
        self.check_records(types, &words, ids)?;
        for memory in self.memories.iter().filter(|of| of.role != Role::Writers) {
            let element = element_type(types, memory.resource);
            let words = std::mem::take(&mut words[memory.number]);
            let data = BufferData::new(types, element, words).expect("it is as large as before");
            settings.inputs.resources[memory.resource as usize] = Bound::Buffer(data.into());
        }
        Ok(ran)
    }

    /// Reports the first second write of a `unique` scatter.
    fn check_records(
        &self,
        types: &Types,
        found: &[Vec<u32>],
        ids: Ids,
    ) -> Result<(), DispatchStop> {
        let records = self.memories.iter().filter(|of| of.role == Role::Writers);
        let all =
            records.filter_map(|of| Some((WrittenTwice::first(&found[of.number])?, of.resource)));
        let Some((twice, resource)) = all.min() else { return Ok(()) };
        let name = &types.resources()[resource as usize].name;
        let span: Span = self.pass.writes[twice.write as usize].span;
        Err(DispatchStop::Program(ids.twice(name, span, &twice)))
    }
}
