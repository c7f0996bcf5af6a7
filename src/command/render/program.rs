//! Rendering a program: a shader or core text.

use super::draw::{How, draw};
use super::options::RenderArguments;
use crate::command::engines::{EngineName, evaluator, simd_trouble};
use crate::command::failure::{Failure, Result};
use crate::command::given::Given;
use crate::command::messages::report;
use crate::command::stats::Stats;
use crate::command::supervise::Deadline;
use crate::command::values::{location, machine_target};
use lambdav::engine::{Engine, FastEngine, SimdEngine};
use lambdav::program::Loaded;
use lambdav::raster::AnyImage;
use lambdav::simd::Compiler;

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
    let location = location(core.outputs.iter().map(|o| o.location), options.picture.output)?;
    let mut settings = options.picture.settings(&core.uniforms);
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
    let fail_simd = |error| simd_trouble(error).failure(&loaded.source, options.messages);
    let evaluate = |engine: &dyn Engine, stats: &mut Stats| {
        stats.took("compile");
        draw(&loaded.source, engine, options, how, deadline, stats)
    };
    let execute = |engine: &SimdEngine, stats: &mut Stats| {
        stats.compiled(engine);
        let frame = draw(&loaded.source, engine, options, how, deadline, stats)?;
        stats.drawn(engine, options.picture.size);
        Ok(frame)
    };
    let compiler = || {
        let target = machine_target(options.target).map_err(|error| fail_simd(error.into()))?;
        Ok(Compiler { lanes: options.lanes, ..Compiler::new(target) })
    };
    match options.engine {
        None => match FastEngine::with_compiler(core, location, &settings, compiler()?) {
            Ok(FastEngine::Simd(engine)) => execute(&engine, stats),
            Ok(FastEngine::Core(engine, why)) => {
                stats.note("engine", format!("core: {why}"));
                evaluate(&*engine, stats)
            }
            Err(error) => Err(fail_simd(error)),
        },
        Some(EngineName::Simd) => {
            let engine = SimdEngine::with_compiler(core, location, &settings, compiler()?);
            execute(&engine.map_err(fail_simd)?, stats)
        }
        Some(name) => {
            let engine = evaluator(name, &loaded, core, location, &settings)
                .map_err(|trouble| trouble.failure(&loaded.source, options.messages))?;
            evaluate(&*engine, stats)
        }
    }
}
