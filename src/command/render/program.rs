//! Rendering a program: a shader or core text.

use super::draw::{How, draw};
use super::options::{EngineName, RenderArguments};
use crate::command::failure::{Failure, Result, chain};
use crate::command::given::Given;
use crate::command::messages::{fault, report};
use crate::command::stats::Stats;
use crate::command::supervise::Deadline;
use crate::command::values::{location, machine_target};
use lambdav::engine::{
    CoreEngine, FastEngine, SimdEngine, SimdError, SourceEngine, SpirvEngine, SpirvError,
};
use lambdav::program::Loaded;
use lambdav::raster::AnyImage;
use lambdav::simd::{Compiler, EmitError};

/// Compiles and draws a program.
pub(super) fn draw_program(
    options: &RenderArguments,
    given: &Given,
    how: &How,
    loaded: Loaded,
    deadline: Deadline,
    stats: &mut Stats,
) -> Result<AnyImage> {
    report(&loaded.source, &loaded.diagnostics, options.messages)?;
    let core = loaded.core.as_ref().ok_or_else(Failure::reported)?;
    let location = location(core.outputs.iter().map(|o| o.location), options.output)?;
    let mut settings = options.settings(&core.uniforms);
    given.apply(&mut settings, core.graph.types(), &core.uniforms, &core.constants)?;
    stats.read(loaded.times);
    let specialised = options.specialise.then(|| {
        let core = core.with_uniforms_fixed(&settings.inputs.uniforms);
        let count = core.uniforms.len();
        let plural = if count == 1 { "uniform" } else { "uniforms" };
        stats.took("specialise");
        stats.note("specialised", format!("for the values of {count} {plural}"));
        core
    });
    let core = specialised.as_ref().unwrap_or(core);
    let fail = |diagnostic| fault(&loaded.source, diagnostic, options.messages);
    let machine = |error: EmitError| {
        let message = format!("{error}; --engine core does without");
        match error {
            EmitError::IndexedArray(diagnostic) => fail(*diagnostic),
            error if error.is_limit() => Failure::input(message),
            EmitError::Absent(_) => Failure::input(error.to_string()),
            _ => Failure::machine(message),
        }
    };
    let fail_simd = |error| match error {
        SimdError::Program(diagnostic) => fail(diagnostic),
        SimdError::Emit(error) => machine(error),
    };
    let evaluate = |engine: &CoreEngine, stats: &mut Stats| {
        stats.took("compile");
        draw(&loaded.source, engine, options, how, deadline, stats)
    };
    let execute = |engine: &SimdEngine, stats: &mut Stats| {
        stats.compiled(engine);
        let frame = draw(&loaded.source, engine, options, how, deadline, stats)?;
        stats.drawn(engine, options.size);
        Ok(frame)
    };
    let compiler = || {
        let target = machine_target(options.target).map_err(machine)?;
        Ok(Compiler { lanes: options.lanes, ..Compiler::new(target) })
    };
    match options.engine {
        None => match FastEngine::with_compiler(core, location, &settings, compiler()?) {
            Ok(FastEngine::Simd(engine)) => execute(&engine, stats),
            Ok(FastEngine::Core(engine, why)) => {
                stats.note("engine", format!("core: {why}"));
                evaluate(&engine, stats)
            }
            Err(error) => Err(fail_simd(error)),
        },
        Some(EngineName::Simd) => {
            let engine = SimdEngine::with_compiler(core, location, &settings, compiler()?);
            execute(&engine.map_err(fail_simd)?, stats)
        }
        Some(EngineName::Core) => {
            evaluate(&CoreEngine::new(core, location, &settings).map_err(fail)?, stats)
        }
        Some(EngineName::Source) if loaded.is_core_text => {
            Err(Failure::usage("the engine `source` evaluates shader text, and this is core text"))
        }
        Some(EngineName::Source) => {
            let engine =
                SourceEngine::with_constants(&loaded.source, &core.constants, location, &settings);
            let engine = engine.map_err(fail)?;
            stats.took("compile");
            draw(&loaded.source, &engine, options, how, deadline, stats)
        }
        Some(EngineName::Spirv) => {
            let engine =
                SpirvEngine::new(core, location, &settings).map_err(|error| match error {
                    SpirvError::Program(diagnostic) => fail(diagnostic),
                    SpirvError::Emit(error) => Failure::input(error.to_string()),
                    error @ SpirvError::Load(_) => Failure::machine(chain(&error)),
                })?;
            stats.took("compile");
            draw(&loaded.source, &engine, options, how, deadline, stats)
        }
    }
}
