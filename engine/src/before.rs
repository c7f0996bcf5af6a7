//! The passes of a program before its picture.

use crate::accepted::Accepted;
#[cfg(feature = "spirv")]
use crate::compilers::spirv_error;
use crate::compilers::{at_fault, compiler, lateness, simd_error, source_program, stopped};
use crate::engines::{Cancelled, PassEngine, PassError, PassesProgram};
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::settings::Settings;
use lambdav_core::graph::Core;
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
