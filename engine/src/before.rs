//! The passes of a program before its picture.

use crate::accepted::Accepted;
#[cfg(feature = "spirv")]
use crate::compilers::spirv_error;
use crate::compilers::{at_fault, compiler, lateness, simd_error, source_program, stopped};
use crate::engines::{Cancelled, PassEngine, PassError, PassesProgram};
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::settings::Settings;
use crate::undefined::{Invocations, Met, Reporting, Unit};
use lambdav_core::graph::{Core, Pass};
use lambdav_core::probes::MetSites;
use std::time::Duration;

/// The passes of a program, compiled; none if it has none. A device draws the picture only: passes run on the processor.
pub(crate) fn compile(
    program: &Accepted,
    core: &Core,
    options: &Options,
) -> Result<Option<PassesProgram>, Error> {
    if core.passes.is_none() {
        return Ok(None);
    }
    let engine = match &options.engine {
        Engine::Fast => PassEngine::Fast(compiler(options)?.into()),
        Engine::Simd => PassEngine::Simd(compiler(options)?.into()),
        Engine::Core => PassEngine::Core,
        Engine::Source => {
            let outputs: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
            PassEngine::Source(source_program(program, core, &outputs)?.into())
        }
        #[cfg(feature = "spirv")]
        Engine::Spirv => PassEngine::Spirv,
        #[cfg(feature = "gpu")]
        Engine::Gpu(..) => PassEngine::Fast(compiler(options)?.into()),
    };
    PassesProgram::new(core, &engine).map_err(|error| match error {
        PassError::Simd(error) => simd_error(program, options, error),
        #[cfg(feature = "spirv")]
        PassError::Spirv(error) => spirv_error(program, error),
    })
}

/// The settings of a picture after all passes of a program, or as they are without passes.
///
/// # Errors
///
/// [`Error::Program`] if a texture or buffer is not bound, or a pass has a fault; [`Error::TimedOut`].
pub(crate) fn run(
    program: &Accepted,
    passes: Option<&PassesProgram>,
    mut settings: Settings,
    timeout: Option<Duration>,
    work: &'static str,
) -> Result<Settings, Error> {
    if let Some(passes) = passes {
        passes.begin(&mut settings).map_err(|found| at_fault(program, found))?;
    }
    if let Some(unbound) = program.core.unbound(&settings.inputs.resources) {
        return Err(at_fault(program, unbound));
    }
    let Some(passes) = passes else { return Ok(settings) };
    let is_late = lateness(timeout).map(|is_late| move |_| is_late());
    let cancelled = is_late.as_ref().map(|is_late| is_late as Cancelled<'_>);
    let ran = passes.run(&mut settings, cancelled);
    ran.map_err(|stop| stopped(program, stop, timeout, work))?;
    Ok(settings)
}

/// The passes of a program with probes, for the core evaluator; none if it has none.
pub(crate) fn observed(
    program: &Accepted,
    reporting: &Reporting,
    options: &Options,
) -> Result<Option<PassesProgram>, Error> {
    compile(program, &reporting.core, &options.clone().engine(Engine::Core))
}

/// The program with probes, and its passes for the core evaluator.
pub(crate) fn reporting(
    program: &Accepted,
    options: &Options,
) -> Result<(Reporting, PassesProgram), Error> {
    let reporting = Reporting::new(program)?;
    let passes = observed(program, &reporting, options)?;
    Ok((reporting, passes.expect("the program has passes")))
}

/// The sites that passes met.
#[derive(Debug, Default)]
pub(crate) struct MetBefore {
    /// Those of their sizes, which are of no unit.
    pub(crate) sizes: MetSites,
    /// Those of ids, pass by pass.
    pub(crate) passes: Vec<Met>,
}

/// The sites that the passes of a program meet. `settings` are those before the passes, and afterwards those after them.
///
/// # Errors
///
/// As for [`run`].
pub(crate) fn observe(
    program: &Accepted,
    passes: &PassesProgram,
    settings: &mut Settings,
    timeout: Option<Duration>,
) -> Result<MetBefore, Error> {
    passes.begin(settings).map_err(|found| at_fault(program, found))?;
    let is_late = lateness(timeout).map(|is_late| move |_| is_late());
    let cancelled = is_late.as_ref().map(|is_late| is_late as Cancelled<'_>);
    let mut sizes = MetSites::default();
    let ran = passes.run_observed::<Invocations>(settings, cancelled, &mut sizes);
    let ran = ran.map_err(|stop| stopped(program, stop, timeout, "running"))?;
    let of = |(pass, met): (&Pass, Invocations)| {
        let axes = pass.size.len();
        met.met(|id| Unit::Id { pass: pass.name.clone(), id: id[..axes].to_vec() })
    };
    Ok(MetBefore { sizes, passes: ran.into_iter().map(of).collect() })
}
