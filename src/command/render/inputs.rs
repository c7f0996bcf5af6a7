//! What a frame is computed from, as the options say.

use super::options::RenderArguments;
use crate::command::failure::{Failure, Result};
use lambdav::core::graph::Uniform;
use lambdav::core::types::Types;
use lambdav::settings::Settings;

/// What a frame is computed from, as the options say; the constants have their values already.
pub(super) fn settings(
    options: &RenderArguments,
    types: &Types,
    uniforms: &[Uniform],
    constants: &[Uniform],
) -> Result<Settings> {
    let mut settings = Settings::with_uniforms(uniforms, options.size);
    settings.max_iterations = options.max_iterations;
    settings.inputs.time = options.time;
    settings.inputs.frame = options.frame;
    settings.inputs.mouse = options.mouse.unwrap_or_default();
    for set in &options.set {
        let name = set.split_once('=').map(|(name, _)| name);
        if !constants.iter().any(|constant| Some(&*constant.name) == name) {
            set_uniform(types, uniforms, &mut settings, set)?;
        }
    }
    Ok(settings)
}

/// The words that the options give a constant, if they do; the last counts.
pub(super) fn constant(
    options: &RenderArguments,
    types: &Types,
    constant: &Uniform,
) -> Option<Result<Box<[u32]>>> {
    let set = options.set.iter().rev().filter_map(|set| set.split_once('='));
    let (_, text) = set.into_iter().find(|(name, _)| *name == constant.name)?;
    let words = Settings::constant_words(types, constant, text);
    Some(words.map_err(|error| Failure::usage(error.to_string())))
}

fn set_uniform(types: &Types, uniforms: &[Uniform], settings: &mut Settings, text: &str) -> Result {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Failure::usage(format!("`{text}` sets nothing: write --set NAME=VALUE")));
    };
    settings
        .set_text(types, uniforms, name, value)
        .map_err(|error| Failure::usage(error.to_string()))
}
