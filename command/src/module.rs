//! What is said on the command line of SPIR-V modules alone: entry point, inputs of locations, and the names
//! by which members of blocks are known.

use super::failure::{Failure, Result};
use super::files::read_bytes;
use super::messages::{MessageFormat, Messages, note};
use super::setting::Setting;
use super::values::colour;
use clap::Args;
use lambdav_core::graph::Core;
use lambdav_engine::program::LoadedModule;
use lambdav_engine::settings::{SettingText, members};
use lambdav_spirv_frontend::{LocationSource, RaiseOptions};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

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

    /// How to raise, and the values of inputs.
    pub(super) fn read(&self) -> Result<(RaiseOptions, Vec<LocationValue>)> {
        let entry_point = self.entry.clone();
        let clear = self.clear.unwrap_or_default();
        let mut options = RaiseOptions { entry_point, clear, ..RaiseOptions::default() };
        let mut values = Vec::new();
        for text in &self.input {
            let wrong = || {
                let how = "write --input LOC=uv, LOC=position or LOC=NUMBERS";
                Failure::usage(format!("`{text}` says nothing of an input: {how}"))
            };
            let (location, value) = text.split_once('=').ok_or_else(wrong)?;
            let location: u32 = location.parse().map_err(|_| wrong())?;
            let source = match value {
                "uv" => LocationSource::Uv,
                "position" => LocationSource::Position,
                _ => {
                    values.push((location, value.to_owned()));
                    continue;
                }
            };
            options.locations.insert(location, source);
        }
        Ok((options, values))
    }
}

/// What a file says of a block of uniforms.
pub(super) enum BlockData {
    /// Values for members by their full names.
    Members(Vec<Setting>),
    /// The words of uniforms by their numbers.
    Words(Vec<(usize, Arc<[u32]>)>),
}

/// What the file at `path` says of the block that is called `name`: JSON gives members by their names, any
/// other file is the bytes of the block.
pub(super) fn block(module: &LoadedModule, name: &str, path: &Path) -> Result<BlockData> {
    let (file, bytes) = read_bytes(path)?;
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        let all = object(&file, &bytes, "MEMBER")?.into_iter();
        let all = all.map(|of| Setting { path: format!("{name}.{}", of.path), ..of });
        return Ok(BlockData::Members(all.collect()));
    }
    let fail = |what: &str| Failure::input(format!("`{file}`: {what}"));
    let of_block = module.interface.members.iter().filter(|of| of.binding.to_string() == name);
    let words = of_block.map(|member| {
        let words = member.words(&bytes).ok_or_else(|| {
            let end = member.offsets.iter().max().map_or(0, |last| last + 4);
            let (length, member) = (bytes.len(), &member.member);
            fail(&format!("{length} bytes, and `{member}` of the block {name} ends at byte {end}"))
        })?;
        Ok((member.uniform, words.into()))
    });
    Ok(BlockData::Words(words.collect::<Result<_>>()?))
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

/// The name of the uniform that is the input of a location; none of one that is not used.
pub(super) fn location_name(
    core: &Core,
    module: &LoadedModule,
    location: u32,
) -> Result<Option<String>> {
    let all = &module.interface.locations;
    let unused = module.interface.unused.iter().filter_map(|input| input.location);
    match all.iter().find(|input| input.location == location).map(|input| input.source) {
        Some(Err(index)) => Ok(Some(core.uniforms[index].name.clone())),
        Some(Ok(_)) => {
            Err(Failure::usage(format!("the input {location} has a value and a position")))
        }
        None if unused.clone().any(|of| of == location) => Ok(None),
        None => {
            let known = all.iter().map(|input| input.location).chain(unused);
            let known: Vec<String> = known.map(|of| of.to_string()).collect();
            let known = match known.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", known.join(", ")),
            };
            Err(Failure::usage(format!("the module has no input {location}; {known}")))
        }
    }
}

/// How many names a note has.
const SOME: usize = 8;

/// Uniforms of a module without a value: enough to tell of them all.
pub(super) const MOST_UNSET: usize = SOME + 1;

/// The first of these names, in quotes.
pub(super) fn some_of(names: &[String]) -> String {
    let mut some: Vec<String> = names.iter().take(SOME).map(|name| format!("`{name}`")).collect();
    if names.len() > SOME {
        some.push("others".to_owned());
    }
    some.join(", ")
}

/// Says which uniforms of a module have no value, once.
pub(super) fn note_unset(name: &str, unset: &[String], messages: Messages) {
    if unset.is_empty() || messages.format() == MessageFormat::Json {
        return;
    }
    let (are, them) = if unset.len() == 1 { ("is", "it a value") } else { ("are", "them values") };
    let names = some_of(unset);
    note(&format!("`{name}`: {names} {are} 0; --set gives {them}"), messages);
}
