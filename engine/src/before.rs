//! The passes of a program before its picture.

use crate::accepted::Accepted;
#[cfg(feature = "spirv")]
use crate::compilers::spirv_error;
use crate::compilers::{at_fault, compiler, lateness, simd_error, source_program, stopped};
use crate::engines::{Cancelled, Invocations, PassEngine, PassError, PassesProgram};
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::settings::Settings;
use crate::undefined::{Met, Unit};
use lambdav_core::graph::{Core, Pass};
use lambdav_core::probes::MetSites;
use std::time::Duration;

/// The passes of a program, compiled. A device draws the picture only: passes run on the processor.
pub(crate) struct Before {
    /// Those of the engine. None if the program has none, or if `reported` has the same results.
    passes: Option<PassesProgram>,
    /// Those that report undefined behaviour. The source evaluator and that of SPIR-V do not: then the core evaluator runs
    /// them once more.
    reported: Option<PassesProgram>,
}

/// The sites that passes met.
#[derive(Debug, Default)]
pub(crate) struct MetBefore {
    /// Those of their sizes, which are of no unit.
    pub(crate) sizes: MetSites,
    /// Those of ids, pass by pass.
    pub(crate) passes: Vec<Met>,
}

impl Before {
    /// Compiles the passes of a program, `core`, which has probes if undefined behaviour is reported.
    ///
    /// # Errors
    ///
    /// A program that the engine cannot run.
    pub(crate) fn new(program: &Accepted, core: &Core, options: &Options) -> Result<Self, Error> {
        let of_code = || Ok::<_, Error>(PassEngine::Fast(compiler(options)?.into()));
        let engine = match &options.engine {
            _ if core.passes.is_none() => PassEngine::Core,
            Engine::Fast => of_code()?,
            Engine::Simd => PassEngine::Simd(compiler(options)?.into()),
            Engine::Core => PassEngine::Core,
            Engine::Source => {
                let outputs: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
                PassEngine::Source(source_program(program, core, &outputs)?.into())
            }
            #[cfg(feature = "spirv")]
            Engine::Spirv => PassEngine::Spirv,
            #[cfg(feature = "gpu")]
            Engine::Gpu(..) => of_code()?,
        };
        let failed = |error| match error {
            PassError::Simd(error) => simd_error(program, options, error),
            #[cfg(feature = "spirv")]
            PassError::Spirv(error) => spirv_error(program, error),
        };
        let plain = || PassesProgram::new(core, &engine).map_err(failed);
        let (passes, of_reports) = match &engine {
            _ if !options.reports_undefined => (plain()?, None),
            PassEngine::Fast(_) | PassEngine::Simd(_) | PassEngine::Core => (None, Some(&engine)),
            _ => (plain()?, Some(&PassEngine::Core)),
        };
        let reported =
            of_reports.map(|engine| PassesProgram::reported(core, engine).map_err(failed));
        Ok(Self { passes, reported: reported.transpose()?.flatten() })
    }

    /// The settings of a picture after all passes, or as they are without passes, and what the passes met.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if a texture or buffer is not bound, or a pass has a fault; [`Error::TimedOut`].
    pub(crate) fn run(
        &self,
        program: &Accepted,
        mut settings: Settings,
        timeout: Option<Duration>,
        work: &'static str,
    ) -> Result<(Settings, MetBefore), Error> {
        let Self { passes, reported } = self;
        if let Some(passes) = passes.as_ref().or(reported.as_ref()) {
            passes.begin(&mut settings).map_err(|found| at_fault(program, found))?;
        }
        if let Some(unbound) = program.core.unbound(&settings.inputs.resources) {
            return Err(at_fault(program, unbound));
        }
        let is_late = lateness(timeout).map(|is_late| move |_| is_late());
        let cancelled = is_late.as_ref().map(|is_late| is_late as Cancelled<'_>);
        let stopped = |stop| stopped(program, stop, timeout, work);
        let mut met = MetBefore::default();
        if let Some(reported) = reported {
            let mut of_engine = passes.as_ref().map(|_| settings.clone());
            let (sizes, found) =
                reported.run_reported(&mut settings, cancelled).map_err(stopped)?;
            let of = |(pass, met): (&Pass, Invocations)| {
                let axes = pass.size.len();
                met.met(|id| Unit::Id { pass: pass.name.clone(), id: id[..axes].to_vec() })
            };
            met = MetBefore { sizes, passes: found.into_iter().map(of).collect() };
            settings = of_engine.take().unwrap_or(settings);
        }
        if let Some(passes) = passes {
            passes.run(&mut settings, cancelled).map_err(stopped)?;
        }
        Ok((settings, met))
    }

    /// The numbers of the results' buffers; none without passes.
    pub(crate) fn results(&self) -> Option<impl Iterator<Item = usize>> {
        Some(self.passes.as_ref().or(self.reported.as_ref())?.results())
    }
}
