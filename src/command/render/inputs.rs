//! What a frame is computed from, as the options say.

use super::options::RenderArguments;
use crate::command::failure::{Failure, Result};
use lambdav::core::graph::Uniform;
use lambdav::core::types::Types;
use lambdav::settings::Settings;

/// What a frame is computed from, as the options say.
pub(super) fn settings(
    options: &RenderArguments,
    types: &Types,
    uniforms: &[Uniform],
) -> Result<Settings> {
    let mut settings = Settings::with_uniforms(uniforms, options.size);
    settings.max_iterations = options.max_iterations;
    settings.inputs.time = options.time;
    settings.inputs.frame = options.frame;
    settings.inputs.mouse = options.mouse.unwrap_or_default();
    for set in &options.set {
        set_uniform(types, uniforms, &mut settings, set)?;
    }
    Ok(settings)
}

fn set_uniform(types: &Types, uniforms: &[Uniform], settings: &mut Settings, text: &str) -> Result {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Failure::usage(format!("`{text}` sets nothing: write --set NAME=VALUE")));
    };
    settings
        .set_text(types, uniforms, name, value)
        .map_err(|error| Failure::usage(error.to_string()))
}
