//! Options of SPIR-V modules: entry point and inputs of locations; and JSON objects of values.

use super::failure::{Failure, Result};
use super::setting::Setting;
use super::values::colour;
use clap::Args;
use lambdav_engine::settings::{SettingText, members};
use lambdav_engine::{LocationInput, ShaderOptions};
use std::rc::Rc;

/// Options of SPIR-V modules.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ModuleArguments {
    /// For a SPIR-V module: the fragment entry point to use, if there are several
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// For a SPIR-V module: the value of the input at a location: `uv`, from (0, 0) at the upper left
    /// to (1, 1); `position`, in pixels; or numbers, as in --set. May be given more than once; other
    /// inputs are 0
    #[arg(long, value_name = "LOC=VALUE")]
    pub(super) input: Vec<String>,
    /// For a SPIR-V module: the colour of discarded pixels; by default 0,0,0,0
    #[arg(long, value_name = "R,G,B,A", value_parser = colour, allow_hyphen_values = true)]
    pub(super) clear: Option<[f32; 4]>,
}

/// Location and value of an input.
pub(super) type LocationValue = (u32, String);

impl ModuleArguments {
    /// Rejects options of modules for a program that is none; messages call it `name`.
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

    /// Returns options of the reader, the locations of inputs with a source, and the values of the
    /// other inputs.
    pub(super) fn read(&self) -> Result<(ShaderOptions, Vec<u32>, Vec<LocationValue>)> {
        let mut options = ShaderOptions::default().clear(self.clear.unwrap_or_default());
        if let Some(entry) = &self.entry {
            options = options.entry_point(entry);
        }
        let (mut sources, mut values) = (Vec::new(), Vec::new());
        for text in &self.input {
            let wrong = || {
                let how = "write --input LOC=uv, LOC=position or LOC=NUMBERS";
                Failure::usage(format!("`{text}` is not an input: {how}"))
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

/// Members of the JSON object in `file`, with their values as text. `what` stands for a member's name
/// in errors.
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

/// Most names in a note.
const SOME: usize = 8;

/// The first [`SOME`] names, in backquotes.
pub(super) fn some_of(names: &[String]) -> String {
    let mut some: Vec<String> = names.iter().take(SOME).map(|name| format!("`{name}`")).collect();
    if names.len() > SOME {
        some.push("others".to_owned());
    }
    some.join(", ")
}
