//! Parts of all pipelines: the compiler that options describe, and errors of programs and of compilers.

use crate::accepted::Accepted;
use crate::bindings::Bindings;
#[cfg(feature = "gpu")]
use crate::engines::GpuError;
#[cfg(feature = "spirv")]
use crate::engines::SpirvError;
use crate::engines::{DispatchStop, SimdError, SourceProgram};
#[cfg(feature = "spirv")]
use crate::error::error_chain;
use crate::error::{Error, Report};
use crate::options::Options;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_simd_backend::{Compiler, EmitError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Checks that bindings belong to the program.
pub(crate) fn check(program: &Arc<Accepted>, bindings: &Bindings) -> Result<(), Error> {
    if Arc::ptr_eq(program, &bindings.program) {
        return Ok(());
    }
    let name = |of: &Accepted| of.source.name().to_owned();
    Err(Error::Foreign { bindings: name(&bindings.program), pipeline: name(program) })
}

/// Error of a program with one diagnostic.
pub(crate) fn at_fault(program: &Accepted, diagnostic: Diagnostic) -> Error {
    Report::of(&program.source, diagnostic).into()
}

/// Error of a dispatch, or of passes, without results.
pub(crate) fn stopped(
    program: &Accepted,
    stop: DispatchStop,
    timeout: Option<Duration>,
    work: &'static str,
) -> Error {
    match stop {
        DispatchStop::Program(found) => at_fault(program, found),
        DispatchStop::Machine(why) => Error::Machine(why),
        DispatchStop::Cancelled => Error::TimedOut { work, timeout: timeout.unwrap_or_default() },
    }
}

/// Says if a time limit that begins now is over; none without a limit.
pub(crate) fn lateness(timeout: Option<Duration>) -> Option<impl Fn() -> bool + Sync> {
    let end = Instant::now().checked_add(timeout?)?;
    Some(move || Instant::now() >= end)
}

/// The text for the source evaluator.
pub(crate) fn source_program(
    program: &Accepted,
    core: &Core,
    locations: &[u32],
) -> Result<SourceProgram, Error> {
    if !program.is_shader() {
        let what = if program.is_core_text { "core text" } else { "a module" };
        let why = format!("the engine `source` evaluates shader text, and this is {what}");
        return Err(Error::Mismatch(why));
    }
    let compiled = SourceProgram::new(&program.source, &core.constants, locations);
    compiled.map_err(|diagnostic| at_fault(program, diagnostic))
}

#[cfg(feature = "spirv")]
pub(crate) fn spirv_error(program: &Accepted, error: SpirvError) -> Error {
    match error {
        SpirvError::Program(diagnostic) => at_fault(program, diagnostic),
        SpirvError::Emit(error) => Error::Unsupported(error.to_string()),
        error @ SpirvError::Load(_) => Error::Machine(error_chain(&error)),
    }
}

#[cfg(feature = "gpu")]
pub(crate) fn gpu_error(program: &Accepted, error: GpuError) -> Error {
    match error {
        GpuError::Program(diagnostic) => at_fault(program, diagnostic),
        GpuError::Emit(error) => Error::Unsupported(error.to_string()),
    }
}

pub(crate) fn compiler(options: &Options) -> Result<Compiler, Error> {
    match options.compiler() {
        Ok(Some(compiler)) => Ok(compiler),
        Ok(None) => {
            let name = options.target.as_deref().unwrap_or_default();
            let known: Vec<&str> = crate::options::targets().collect();
            Err(Error::Unsupported(format!("`{name}` is none of {}", known.join(", "))))
        }
        Err(error) => Err(emit_error(error)),
    }
}

pub(crate) fn simd_error(program: &Accepted, options: &Options, error: SimdError) -> Error {
    match (error, options.timeout) {
        (SimdError::Program(diagnostic), _) => at_fault(program, diagnostic),
        (SimdError::Emit(EmitError::IndexedArray(diagnostic)), _) => at_fault(program, *diagnostic),
        (SimdError::Emit(EmitError::TimedOut), Some(timeout)) => {
            Error::TimedOut { work: "compiling", timeout }
        }
        (SimdError::Emit(error), _) => emit_error(error),
    }
}

fn emit_error(error: EmitError) -> Error {
    match error {
        EmitError::Absent(_) | EmitError::Native(_) => Error::Unsupported(error.to_string()),
        error => Error::Code { message: error.to_string(), is_limit: error.is_limit() },
    }
}
