//! The passes of a program before its picture.

use crate::accepted::Accepted;
#[cfg(feature = "spirv")]
use crate::compilers::spirv_error;
use crate::compilers::{compiler, simd_error, source_program};
use crate::engines::{DispatchStop, PassEngine, PassError, PassesProgram};
use crate::error::{Error, Report};
use crate::options::{Engine, Options};
use crate::settings::Settings;
use lambdav_core::graph::Core;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    let fault = |found| Error::from(Report::of(&program.source, found));
    if let Some(passes) = passes {
        passes.begin(&mut settings).map_err(fault)?;
    }
    if let Some(unbound) = program.core.unbound(&settings.inputs.resources) {
        return Err(fault(unbound));
    }
    let Some(passes) = passes else { return Ok(settings) };
    let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let timed_out = AtomicBool::new(false);
    let cancelled = |_| {
        let is_late = end.is_some_and(|end| Instant::now() >= end);
        timed_out.fetch_or(is_late, Ordering::Relaxed);
        is_late
    };
    passes.run(&mut settings, &cancelled).map_err(|stop| match stop {
        DispatchStop::Program(found) => fault(found),
        DispatchStop::Machine(why) => Error::Machine(why),
        DispatchStop::Cancelled => Error::TimedOut { work, timeout: timeout.unwrap_or_default() },
    })?;
    Ok(settings)
}
