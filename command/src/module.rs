//! What is said on the command line of SPIR-V modules alone: entry point, inputs of locations, and the names
//! by which members of blocks are known.

use super::failure::{Failure, Result};
use super::setting::Setting;
use super::values::colour;
use clap::Args;
use lambdav_engine::settings::{SettingText, members};
use lambdav_engine::{LocationInput, ShaderOptions};
use std::rc::Rc;

/// How a module is read.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ModuleArguments {
    /// Of a SPIR-V module: the name of the fragment entry point, if it has several
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// Of a SPIR-V module: what the input of a location is: `uv`, from (0, 0) at the upper left to (1, 1);
    /// `position`, in pixels; or numbers, as --set has them. Can be given several times; others are 0
    #[arg(long, value_name = "LOC=VALUE")]
    pub(super) input: Vec<String>,
    /// Of a SPIR-V module: the colour of pixels that it discards; by default 0,0,0,0
    #[arg(long, value_name = "R,G,B,A", value_parser = colour, allow_hyphen_values = true)]
    pub(super) clear: Option<[f32; 4]>,
}

/// An input of a location that has a value.
pub(super) type LocationValue = (u32, String);

impl ModuleArguments {
    /// Checks that what is said of modules is said of one, which messages call `name`.
    pub(super) fn check(&self, is_module: bool, name: &str) -> Result {
        let given = [
            ("entry", self.entry.is_some()),
            ("input", !self.input.is_empty()),
            ("clear", self.clear.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given && !is_module) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::usage(format!(
                "--{option} is for SPIR-V modules, WGSL and GLSL, and `{name}` is λV"
            ))),
        }
    }

    /// Options by which a program is read, the locations of inputs that have a source, and the values of others.
    pub(super) fn read(&self) -> Result<(ShaderOptions, Vec<u32>, Vec<LocationValue>)> {
        let mut options = ShaderOptions::default().clear(self.clear.unwrap_or_default());
        if let Some(entry) = &self.entry {
            options = options.entry_point(entry);
        }
        let (mut sources, mut values) = (Vec::new(), Vec::new());
        for text in &self.input {
            let wrong = || {
                let how = "write --input LOC=uv, LOC=position or LOC=NUMBERS";
                Failure::usage(format!("`{text}` says nothing of an input: {how}"))
            };
            let (location, value) = text.split_once('=').ok_or_else(wrong)?;
            let location: u32 = location.parse().map_err(|_| wrong())?;
            let source = match value {
                "uv" => LocationInput::Uv,
                "position" => LocationInput::Position,
                _ => {
                    values.push((location, value.to_owned()));
                    continue;
                }
            };
            options = options.input(location, source);
            sources.push(location);
        }
        Ok((options, sources, values))
    }
}

/// The values of a JSON object, as text, which is in a file; messages call a name `what`.
pub(super) fn object(file: &str, bytes: &[u8], what: &str) -> Result<Vec<Setting>> {
    let fail = |error: String| Failure::input(format!("`{file}`: {error}"));
    let text = str::from_utf8(bytes).map_err(|error| fail(error.to_string()))?;
    let all = members(text).map_err(|error| {
        fail(format!("{error}; write {{\"{what}\": VALUE, \"{what}\": VALUE}}"))
    })?;
    let one = |of: SettingText<'_>| {
        let place = Some((Rc::from(file), of.at));
        Setting { path: of.name, value: of.value.to_owned(), place }
    };
    Ok(all.into_iter().map(one).collect())
}

/// How many names a note has.
const SOME: usize = 8;

/// The first of these names, in quotes.
pub(super) fn some_of(names: &[String]) -> String {
    let mut some: Vec<String> = names.iter().take(SOME).map(|name| format!("`{name}`")).collect();
    if names.len() > SOME {
        some.push("others".to_owned());
    }
    some.join(", ")
}
