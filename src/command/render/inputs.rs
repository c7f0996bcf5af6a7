//! What a frame is computed from, as the options say.

use super::options::RenderArguments;
use crate::command::failure::{Failure, Result};
use crate::command::files::read_bytes;
use lambdav::core::graph::Uniform;
use lambdav::core::types::Types;
use lambdav::settings::{Settings, UniformError, members};

/// The values of uniforms that are given, as text: first those of the file, then those of the
/// command line, of which the last counts.
pub(super) struct Given {
    file: Vec<(String, String)>,
    /// What messages call the file.
    name: String,
    set: Vec<(String, String)>,
}

impl Given {
    /// Reads the file of uniforms, if there is one, and takes the options apart.
    pub(super) fn read(options: &RenderArguments) -> Result<Self> {
        let set = options.set.iter().map(|text| match text.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Failure::usage(format!("`{text}` sets nothing: write --set NAME=VALUE"))),
        });
        let set = set.collect::<Result<_>>()?;
        let Some(path) = &options.uniforms else {
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
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.file.iter().chain(&self.set);
        all.filter(move |(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The words that are given to a constant, if any are. What comes later counts; a structure
    /// keeps the fields that it leaves out.
    pub(super) fn constant(&self, types: &Types, constant: &Uniform) -> Result<Option<Box<[u32]>>> {
        let (mut constant, mut is_given) = (constant.clone(), false);
        for (all, fail) in self.all() {
            for (_, text) in all.iter().filter(|(name, _)| *name == constant.name) {
                let words = Settings::constant_words(types, &constant, text);
                constant.default = words.map_err(fail)?;
                is_given = true;
            }
        }
        Ok(is_given.then_some(constant.default))
    }

    /// The values of the file and of the command line, and what an error in them is.
    fn all(&self) -> [(&[(String, String)], impl Fn(UniformError) -> Failure + Copy); 2] {
        let fail = |in_file: bool| {
            move |error: UniformError| match in_file {
                true => Failure::input(format!("`{}`: {error}", self.name)),
                false => Failure::usage(error.to_string()),
            }
        };
        [(&self.file, fail(true)), (&self.set, fail(false))]
    }

    /// What a frame is computed from, for a program with these uniforms, and with constants that
    /// have their values already.
    pub(super) fn settings(
        &self,
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
        for (all, fail) in self.all() {
            for (name, value) in all {
                if constants.iter().any(|constant| constant.name == *name) {
                    continue;
                }
                let result = settings.set_text(types, uniforms, name, value);
                result.map_err(|error| fail(error.or_one_of(constants)))?;
            }
        }
        Ok(settings)
    }
}
