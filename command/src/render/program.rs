//! Rendering a program: a shader or core text.

use super::draw::{Job, MOST_TOLD};
use super::feedback::Feedback;
use super::options::RenderArguments;
use crate::engines::{EngineName, evaluator, simd_trouble};
use crate::failure::{Failure, Result};
use crate::given::Given;
use crate::gpu::Gpu;
use crate::messages::report;
use crate::module::MOST_UNSET;
use crate::values::{locations, machine_target};
use lambdav_core::graph::Core;
use lambdav_engine::engines::{Engine, FastEngine, SimdEngine};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::{Settings, to_json_within};
use lambdav_simd_backend::Compiler;

/// Compiles and draws a program.
pub(super) fn draw_program(
    options: &RenderArguments,
    gpu: Option<&Gpu>,
    given: &Given,
    loaded: &Loaded,
    job: &mut Job<'_>,
) -> Result {
    report(&loaded.source, &loaded.diagnostics, options.messages)?;
    let core = loaded.core.as_ref().ok_or_else(Failure::reported)?;
    let name = options.shader.display().to_string();
    options.picture.module.check(loaded.module.is_some(), &name)?;
    let given = &given.for_program(loaded)?;
    let all = core.outputs.iter().map(|output| output.location);
    let locations = locations(all, options.picture.output)?;
    job.begin(&locations, &loaded.included)?;
    let mut settings = options.picture.settings(&core.uniforms);
    given.apply(&mut settings, core.graph.types(), &core.uniforms, &core.constants)?;
    let begin = |name: &String| {
        Feedback::begin(name, options.picture.size, &mut settings, core.graph.types())
    };
    job.feed_back(options.feedback.as_ref().map(begin).transpose()?);
    let constants = core.constants.iter().map(|c| (c.name.as_str(), c.ty, &*c.default));
    let values = settings.values(&core.uniforms).chain(constants);
    let text = match &loaded.module {
        Some(module) => {
            let unset = given.unset(core.graph.types(), &core.uniforms, MOST_UNSET);
            given.note(&name, &unset, options.messages);
            &module.bytes[..]
        }
        None => loaded.source.text().as_bytes(),
    };
    let told = to_json_within(core.graph.types(), values, MOST_TOLD);
    job.describe(text, told.as_deref());
    job.stats.read(loaded.times);
    let specialised = options.specialise.then(|| {
        let core = core.with_uniforms_fixed(&settings.inputs.uniforms);
        let count = core.uniforms.len();
        let plural = if count == 1 { "uniform" } else { "uniforms" };
        job.stats.took("specialise");
        job.stats.note("specialised", format!("for the values of {count} {plural}"));
        core
    });
    let core = specialised.as_ref().unwrap_or(core);
    for location in locations {
        match compile(options, gpu, loaded, core, location, &settings)? {
            Compiled::Simd(mut engine) => {
                job.stats.compiled(&engine);
                job.draw(&loaded.source, &mut *engine, location)?;
                job.stats.drawn(&engine, options.picture.size);
            }
            Compiled::Evaluator(mut engine, why) => {
                job.stats.took("compile");
                if let Some(why) = why {
                    job.stats.note("engine", format!("core: {why}"));
                }
                job.draw(&loaded.source, &mut *engine, location)?;
            }
        }
    }
    Ok(())
}

/// What computes the pixels of an output.
enum Compiled {
    Simd(Box<SimdEngine>),
    /// And why there is no machine code, if it is not for being asked for.
    Evaluator(Box<dyn Engine>, Option<String>),
}

fn compile(
    options: &RenderArguments,
    gpu: Option<&Gpu>,
    loaded: &Loaded,
    core: &Core,
    location: u32,
    settings: &Settings,
) -> Result<Compiled> {
    let fail_simd = |error| simd_trouble(error).failure(&loaded.source, options.messages);
    let compiler = || {
        let target = machine_target(options.target).map_err(|error| fail_simd(error.into()))?;
        let compiler = Compiler { lanes: options.lanes, ..Compiler::new(target) };
        let resources = &settings.inputs.resources;
        Ok(if options.specialise { compiler.specialised(resources) } else { compiler })
    };
    Ok(match options.engine {
        None => match FastEngine::with_compiler(core, location, settings, compiler()?) {
            Ok(FastEngine::Simd(engine)) => Compiled::Simd(engine),
            Ok(FastEngine::Core(engine, why)) => Compiled::Evaluator(engine, Some(why.to_string())),
            Err(error) => return Err(fail_simd(error)),
        },
        Some(EngineName::Simd) => {
            let engine = SimdEngine::with_compiler(core, location, settings, compiler()?);
            Compiled::Simd(Box::new(engine.map_err(fail_simd)?))
        }
        Some(name) => {
            let engine = evaluator(name, gpu, loaded, core, location, settings)
                .map_err(|trouble| trouble.failure(&loaded.source, options.messages))?;
            Compiled::Evaluator(engine, None)
        }
    })
}
