//! Names of engines on the command line, and failures of pipelines.

use super::failure::{Failure, Result};
use super::gpu::Gpu;
use super::messages::{Messages, report};
use super::supervise::Deadline;
use clap::ValueEnum;
use lambdav_core::limits;
use lambdav_engine::{Engine, Error, error_chain};

/// Engine that computes pixels or invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// Compiled machine code that computes many pixels or invocations at once: exact and fast
    Simd,
    /// Evaluator of the typed core: exact
    Core,
    /// Literal semantics by substitution: exact and very slow
    Source,
    /// Evaluator of the SPIR-V that the program compiles to: exact; runs the code that GPUs get
    Spirv,
    /// Vulkan device: fast, and exact unless --native is given; `lambdav devices` lists devices
    Gpu,
}

/// The engine of that name. For `gpu`, `gpu` must be the opened device.
pub(super) fn engine(name: Option<EngineName>, gpu: Option<&Gpu>) -> Engine {
    match (name, gpu) {
        (None, _) => Engine::Fast,
        (Some(EngineName::Simd), _) => Engine::Simd,
        (Some(EngineName::Core), _) => Engine::Core,
        (Some(EngineName::Source), _) => Engine::Source,
        (Some(EngineName::Spirv), _) => Engine::Spirv,
        (Some(EngineName::Gpu), Some(gpu)) => gpu.engine(),
        (Some(EngineName::Gpu), None) => unreachable!("the device was opened"),
    }
}

/// Rejects a limit of iterations for a device, which counts none.
pub(super) fn check_iterations(engine: Option<EngineName>, most: u64) -> Result {
    if engine == Some(EngineName::Gpu) && most != limits::ITERATIONS {
        let message = "--max-iterations: a device counts no iterations; use --timeout";
        return Err(Failure::usage(message));
    }
    Ok(())
}

/// Failure of a pipeline or picture; diagnostics are reported in the format of `messages`.
pub(super) fn failed(error: Error, messages: Messages) -> Failure {
    match error {
        Error::Program(found) => match report(&found.source, &found.diagnostics, messages) {
            Ok(()) => Failure::reported(),
            Err(failure) => failure,
        },
        error => not_drawn(error),
    }
}

/// Like [`failed`], with the diagnostics in the failure's message.
pub(super) fn failed_silently(error: Error) -> Failure {
    match error {
        Error::Program(found) => Failure::input(found.to_string()),
        error => not_drawn(error),
    }
}

/// Like [`failed`]; a timeout becomes the deadline's failure.
pub(super) fn in_time<T>(
    result: Result<T, Error>,
    deadline: Deadline,
    messages: Messages,
) -> Result<T> {
    result.map_err(|error| match error {
        Error::TimedOut { .. } => deadline.failure(),
        error => failed(error, messages),
    })
}

fn not_drawn(error: Error) -> Failure {
    match error {
        Error::Code { message, is_limit } => {
            let message = format!("{message}; --engine core needs no machine code");
            if is_limit { Failure::input(message) } else { Failure::machine(message) }
        }
        Error::Unsupported(message) => Failure::input(message),
        error
        @ (Error::Mismatch(_) | Error::Output { .. } | Error::Uniform(_) | Error::Bind(_)) => {
            Failure::usage(error_chain(&error))
        }
        error => Failure::machine(error_chain(&error)),
    }
}
