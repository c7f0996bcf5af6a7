//! Engines by the names that the command line has for them, and why there is none.

use super::failure::{Failure, chain};
use super::gpu::Gpu;
use super::messages::{Messages, fault};
use super::supervise::Deadline;
use super::trouble::Trouble;
use clap::ValueEnum;
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;
use lambdav_engine::engines::{
    CoreEngine, Engine, FastEngine, SimdEngine, SimdError, SourceEngine, SpirvEngine, SpirvError,
};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::Settings;
use lambdav_raster::RenderError;
use lambdav_simd_backend::EmitError;

/// What computes the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// Compiled to machine code that computes many pixels at once: exact and fast
    Simd,
    /// The evaluator of the typed core: exact
    Core,
    /// The literal semantics by substitution: exact and very slow
    Source,
    /// The evaluator of the SPIR-V that the program compiles to: exact, and what GPUs are asked for
    Spirv,
    /// A Vulkan device: fast, and exact unless told otherwise; `lambdav devices` lists them
    Gpu,
}

/// Why there is no picture, which is said where the program is at fault.
pub(super) fn not_drawn(
    error: RenderError,
    engine: &dyn Engine,
    source: &SourceFile,
    deadline: Deadline,
    messages: Messages,
) -> Failure {
    if let (Some(trouble), false) =
        (engine.trouble(), matches!(error, RenderError::TimedOut { .. }))
    {
        return Failure::machine(trouble);
    }
    match error {
        RenderError::Fault(wrong) => fault(source, engine.explain(&wrong), messages),
        RenderError::TimedOut { .. } => deadline.failure(),
        error => Failure::machine(chain(&error)),
    }
}

/// Why there is no machine code.
pub(super) fn simd_trouble(error: SimdError) -> Trouble {
    let error = match error {
        SimdError::Program(diagnostic) => return diagnostic.into(),
        SimdError::Emit(error) => error,
    };
    let message = format!("{error}; --engine core does without");
    Trouble::Other(match error {
        EmitError::IndexedArray(diagnostic) => return Trouble::Program(diagnostic),
        error if error.is_limit() => Failure::input(message),
        EmitError::Absent(_) => Failure::input(error.to_string()),
        _ => Failure::machine(message),
    })
}

/// An engine of that name for the output at that location, which the program has; `gpu` is the device that
/// was opened if that is its name.
pub(super) fn engine(
    name: Option<EngineName>,
    gpu: Option<&Gpu>,
    loaded: &Loaded,
    core: &Core,
    location: u32,
    settings: &Settings,
) -> Result<Box<dyn Engine>, Trouble> {
    match name {
        None => {
            Ok(Box::new(FastEngine::new(core, location, settings, None).map_err(simd_trouble)?))
        }
        Some(name) => evaluator(name, gpu, loaded, core, location, settings),
    }
}

/// The same by a name, machine code without further options.
pub(super) fn evaluator(
    name: EngineName,
    gpu: Option<&Gpu>,
    loaded: &Loaded,
    core: &Core,
    location: u32,
    settings: &Settings,
) -> Result<Box<dyn Engine>, Trouble> {
    if let Some(unbound) = core.unbound(&settings.inputs.resources) {
        return Err(unbound.into());
    }
    Ok(match name {
        EngineName::Simd => {
            Box::new(SimdEngine::new(core, location, settings, None).map_err(simd_trouble)?)
        }
        EngineName::Core => Box::new(CoreEngine::new(core, location, settings)?),
        EngineName::Source if !loaded.is_shader() => {
            let what = if loaded.is_core_text { "core text" } else { "a module" };
            return Err(Trouble::Other(Failure::usage(format!(
                "the engine `source` evaluates shader text, and this is {what}"
            ))));
        }
        EngineName::Source => {
            let (source, constants) = (&loaded.source, &core.constants);
            Box::new(SourceEngine::with_constants(source, constants, location, settings)?)
        }
        EngineName::Gpu => gpu.expect("it was opened").engine(core, location, settings)?,
        EngineName::Spirv
            if let Some(module) = &loaded.module
                && !module.is_foreign =>
        {
            let words = &module.words;
            let (source, clear) = (&loaded.source, module.clear);
            let interface = &module.interface;
            let engine = SpirvEngine::of_words(words, interface, source, location, clear, settings);
            let name = source.name();
            Box::new(
                engine.map_err(|error| {
                    Trouble::Other(Failure::input(format!("`{name}`: {error}")))
                })?,
            )
        }
        EngineName::Spirv => {
            let engine = SpirvEngine::new(core, location, settings);
            Box::new(engine.map_err(|error| match error {
                SpirvError::Program(diagnostic) => diagnostic.into(),
                SpirvError::Emit(error) => Trouble::Other(Failure::input(error.to_string())),
                error @ SpirvError::Load(_) => Trouble::Other(Failure::machine(chain(&error))),
            })?)
        }
    })
}
