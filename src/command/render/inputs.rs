//! What a frame is computed from, as the options say.

use super::options::PictureArguments;
use crate::command::failure::{Failure, Result};
use crate::command::files::read_bytes;
use lambdav::core::graph::Uniform;
use lambdav::core::types::Types;
use lambdav::settings::{Settings, members};

/// The values of uniforms that are given, as text: first those of the file, then those of the
/// command line, of which the last counts.
pub(in crate::command) struct Given {
    file: Vec<(String, String)>,
    /// What messages call the file.
    name: String,
    set: Vec<(String, String)>,
}

impl Given {
    /// Reads the file of uniforms, if there is one, and takes the options apart.
    pub(in crate::command) fn read(picture: &PictureArguments) -> Result<Self> {
        let set = picture.set.iter().map(|text| match text.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Failure::usage(format!("`{text}` sets nothing: write --set NAME=VALUE"))),
        });
        let set = set.collect::<Result<_>>()?;
        let Some(path) = &picture.uniforms else {
            return Ok(Self { file: Vec::new(), name: String::new(), set });
        };
        let (name, bytes) = read_bytes(path)?;
        let fail = |what: &str| Failure::input(format!("`{name}`: {what}"));
        let text = str::from_utf8(&bytes).map_err(|error| fail(&error.to_string()))?;
        let all = members(text).map_err(|error| {
            fail(&format!("{error}; write {{\"NAME\": VALUE, \"NAME\": VALUE}}"))
        })?;
        let file = all.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        Ok(Self { file, name, set })
    }

    /// The values that are given to the uniform of that name, in order.
    pub(in crate::command) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.file.iter().chain(&self.set);
        all.filter(move |(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// What a frame is computed from, for a program with these uniforms.
    pub(in crate::command) fn settings(
        &self,
        picture: &PictureArguments,
        types: &Types,
        uniforms: &[Uniform],
    ) -> Result<Settings> {
        let mut settings = Settings::with_uniforms(uniforms, picture.size);
        settings.max_iterations = picture.max_iterations;
        settings.inputs.time = picture.time;
        settings.inputs.frame = picture.frame;
        settings.inputs.mouse = picture.mouse.unwrap_or_default();
        for (name, value) in &self.file {
            settings
                .set_text(types, uniforms, name, value)
                .map_err(|error| Failure::input(format!("`{}`: {error}", self.name)))?;
        }
        for (name, value) in &self.set {
            settings
                .set_text(types, uniforms, name, value)
                .map_err(|error| Failure::usage(error.to_string()))?;
        }
        Ok(settings)
    }
}
