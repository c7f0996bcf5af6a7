//! Compiles and draws the program of `render`.

use super::draw::{Job, MAX_TOLD};
use super::feedback::Feedback;
use super::options::{PictureArguments, RenderArguments};
use crate::engines::{EngineName, engine, failed_silently, in_time};
use crate::failure::{Failure, Result};
use crate::gpu::Gpu;
use crate::module::ProgramKind;
use crate::user_values::{UserValues, bind_test_cards, note_bindings};
use crate::values::locations;
use lambdav_engine::{Bindings, Options, Shader};
use std::path::PathBuf;

/// Compiles and draws a program. `bytes` is its file; `included` are the files that it includes.
pub(super) fn draw_program(
    options: &RenderArguments,
    gpu: Option<&Gpu>,
    values: &UserValues,
    shader: &Shader,
    bytes: &[u8],
    included: &[PathBuf],
    job: &mut Job<'_>,
) -> Result {
    let name = options.shader.display().to_string();
    options.picture.module.check(ProgramKind::of(shader), &name)?;
    let is_words = lambdav_spirv::words(bytes).is_some();
    if options.specialise && is_words && options.engine == Some(EngineName::Spirv) {
        return Err(Failure::usage("--specialise is for programs; this is a module"));
    }
    let mut bindings = options.picture.bindings(values.bindings(shader)?)?;
    let locations = locations(shader.outputs(), options.picture.output)?;
    job.begin(&locations, &[included, bindings.image_files()].concat())?;
    let begin = |name: &String| Feedback::begin(name, shader, options.picture.size, &mut bindings);
    job.feed_back(options.feedback.as_ref().map(begin).transpose()?);
    check_defaults(shader, &bindings, &name)?;
    bind_test_cards(&name, &mut bindings, options.messages)?;
    note_bindings(&name, &bindings, options.messages);
    let text = if is_words { bytes } else { shader.source().text().as_bytes() };
    job.describe(text, bindings.values(MAX_TOLD).as_deref());
    let messages = options.messages;
    for location in locations {
        let mut pipeline_options = Options::default()
            .engine(engine(options.engine, gpu))
            .output(location)
            .max_iterations(options.picture.max_iterations)
            .for_size(options.picture.size)
            .for_sizes(&bindings)
            .report_undefined(options.undefined.reports());
        if let Some(lanes) = options.lanes {
            pipeline_options = pipeline_options.lanes(lanes);
        }
        if let Some(target) = options.target {
            pipeline_options = pipeline_options.target(target);
        }
        if options.specialise {
            pipeline_options = pipeline_options.specialise(&bindings);
            let count = shader.uniforms().len();
            let plural = if count == 1 { "uniform" } else { "uniforms" };
            job.stats.note("specialised", format!("for the values of {count} {plural}"));
        }
        let pipeline = in_time(shader.pipeline(&pipeline_options), job.deadline(), messages)?;
        job.stats.compiled(&pipeline);
        job.draw(shader, &pipeline, &mut bindings)?;
        job.stats.drawn(&pipeline, &bindings, options.picture.size);
    }
    Ok(())
}

/// Shader of a module that is executed without raising it to a program, such as an exact one. None if
/// `bytes` is no such module; messages call it `name`.
pub(crate) fn executed_as_it_is(
    picture: &PictureArguments,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Shader>> {
    let Some(words) = lambdav_spirv::words(bytes) else { return Ok(None) };
    let clear = picture.module.clear.unwrap_or_default();
    let found = Shader::executed_as_it_is(name, &words, clear).map_err(failed_silently)?;
    if found.is_some() && (!picture.module.input.is_empty() || picture.module.entry.is_some()) {
        return Err(Failure::usage(format!(
            "`{name}` is executed as it is, with one entry point and no inputs of locations: leave out --entry and --input"
        )));
    }
    Ok(found)
}

/// Checks that all uniforms have values if the module does not hold their defaults.
pub(crate) fn check_defaults(shader: &Shader, bindings: &Bindings, name: &str) -> Result {
    match shader.without_default(bindings) {
        None => Ok(()),
        Some((missing, ty)) => {
            let ty = ty.map_or(String::new(), |ty| format!(", a {ty},"));
            Err(Failure::usage(format!(
                "`{name}` does not hold the defaults of uniforms; give `{missing}`{ty} with --set or --uniforms"
            )))
        }
    }
}
