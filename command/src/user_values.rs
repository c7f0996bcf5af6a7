//! Values of uniforms and constants, and files for textures, buffers and blocks, as options give them.

use super::binds::Binds;
use super::failure::{Failure, Result};
use super::files::{compile_fixed, read_bytes};
use super::messages::{MessageFormat, Messages, note};
use super::module::{LocationValue, ModuleArguments, object, some_of};
use super::setting::Setting;
use lambdav_core::graph::Uniform;
use lambdav_core::inputs::Input;
use lambdav_core::types::Types;
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::{Paths, Settings};
use lambdav_engine::{Bindings, LocationUse, Shader, ShaderOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The values that a user gives, in order: those of files, then those of the command line. The last for a path counts.
#[derive(Clone)]
pub(super) struct UserValues {
    set: Vec<Setting>,
    /// The files for textures, buffers and blocks.
    binds: Binds,
    /// Options by which the program is read.
    options: ShaderOptions,
    /// Locations of inputs that have a source.
    sources: Vec<u32>,
    inputs: Vec<LocationValue>,
}

impl UserValues {
    /// Reads the file of uniforms, if there is one, and takes the options apart.
    pub(super) fn read(set: &[String], uniforms: Option<&PathBuf>) -> Result<Self> {
        let mut all = match uniforms {
            Some(path) => {
                let (name, bytes) = read_bytes(path)?;
                object(&name, &bytes, "NAME")?
            }
            None => Vec::new(),
        };
        for text in set {
            let Some((path, value)) = text.split_once('=') else {
                let what = format!("`{text}` sets nothing: write --set NAME=VALUE");
                return Err(Failure::usage(what));
            };
            let (path, value) = (path.to_owned(), value.to_owned());
            all.push(Setting { path, value, place: None });
        }
        Ok(Self {
            set: all,
            binds: Binds::default(),
            options: ShaderOptions::default(),
            sources: Vec::new(),
            inputs: Vec::new(),
        })
    }

    /// The same with the options of modules.
    pub(super) fn with_module(self, arguments: &ModuleArguments) -> Result<Self> {
        let (options, sources, inputs) = arguments.read()?;
        Ok(Self { options, sources, inputs, ..self })
    }

    /// The same with files for textures, buffers and blocks.
    #[must_use]
    pub(super) fn with_binds(self, binds: Binds) -> Self {
        Self { binds, ..self }
    }

    /// The same for the first of two programs, without the values that only the other one knows.
    #[must_use]
    pub(super) fn for_one_of(&self, [this, other]: [&Shader; 2]) -> Self {
        let both = [this, other];
        let bindings = both.map(Shader::bindings);
        let is_for_this = |knows: [bool; 2]| knows[0] || !knows[1];
        let mut all = self.clone();
        let has_location =
            |location: u32| is_for_this(both.map(|of| of.location(location).is_some()));
        all.inputs.retain(|(location, _)| has_location(*location));
        all.sources.retain(|location| has_location(*location));
        all.set.retain(|of| is_for_this([0, 1].map(|k| bindings[k].knows(&of.path))));
        all.binds = all
            .binds
            .filter(|name| is_for_this([0, 1].map(|k: usize| bindings[k].slot(name).is_ok())));
        all
    }

    /// The bindings of a program with these values.
    pub(super) fn bindings(&self, shader: &Shader) -> Result<Bindings> {
        let mut bindings = shader.bindings();
        let inputs = self.inputs.iter().map(|(location, value)| (*location, Some(value)));
        for (location, value) in inputs.chain(self.sources.iter().map(|of| (*of, None))) {
            let path = format!("input.{location}");
            match (shader.location(location), value) {
                (Some(LocationUse::Value), Some(value)) => {
                    let set = bindings.set_text(&path, value);
                    set.map_err(|error| Failure::usage(error.to_string()))?;
                }
                (Some(LocationUse::Source), Some(_)) => {
                    let what = format!("the input {location} has a value and a position");
                    return Err(Failure::usage(what));
                }
                (Some(LocationUse::Unused), _) => bindings.note_unused(format!("input {location}")),
                (Some(_), _) => {}
                (None, _) => {
                    let known: Vec<String> =
                        shader.locations().iter().map(u32::to_string).collect();
                    let known = match known.is_empty() {
                        true => "it has none".to_owned(),
                        false => format!("it has {}", known.join(", ")),
                    };
                    let what = format!("the module has no input {location}; {known}");
                    return Err(Failure::usage(what));
                }
            }
        }
        let mut all = self.binds.apply(&mut bindings)?;
        all.extend_from_slice(&self.set);
        let texts = all.iter().map(|of| (of.path.as_str(), of.value.as_str()));
        bindings.set_texts(texts).map_err(|(number, error)| all[number].failure(error))?;
        Ok(bindings)
    }

    /// Compiles the bytes of the file at `path` with the values of its constants, without saying anything.
    pub(super) fn compile(&self, path: &Path, bytes: Vec<u8>, most: usize) -> Result<Loaded> {
        let mut wrong = None;
        let mut fix = |types: &Types, constant: &Uniform| {
            self.constant(types, constant).unwrap_or_else(|failure| {
                wrong.get_or_insert(failure);
                None
            })
        };
        let loaded = compile_fixed(path, bytes, most, &mut fix, &self.options);
        wrong.map_or(Ok(loaded), Err)
    }

    /// Whether one of these constants, or a part of one, has a value here.
    pub(super) fn sets_any(&self, types: &Types, constants: &[Uniform]) -> bool {
        let paths = Paths::new(types, constants);
        self.set.iter().any(|setting| paths.knows(&setting.path))
    }

    /// Checks that only constants are given values.
    pub(super) fn are_constants(
        &self,
        types: &Types,
        uniforms: &[Uniform],
        constants: &[Uniform],
    ) -> Result {
        let [of_uniforms, of_constants] = [uniforms, constants].map(|all| Paths::new(types, all));
        for Setting { path, .. } in &self.set {
            if of_uniforms.knows(path) {
                return Err(Failure::usage(format!(
                    "`{path}` is a uniform, which has its value when something is drawn; `compile` sets constants"
                )));
            }
            of_constants.find(path).map_err(|error| Failure::usage(error.to_string()))?;
        }
        Ok(())
    }

    /// The words that are given to a constant, if any are. The last value for a path counts; a structure
    /// keeps the fields that it leaves out.
    pub(super) fn constant(&self, types: &Types, constant: &Uniform) -> Result<Option<Arc<[u32]>>> {
        let (mut constant, mut is_given) = (constant.clone(), false);
        for setting in &self.set {
            let Setting { path, value, .. } = setting;
            // Another uniform or constant may have a longer name that begins so.
            if Paths::new(types, std::slice::from_ref(&constant)).find(path).is_err() {
                continue;
            }
            let words = Settings::constant_words(types, &constant, path, value);
            constant.default = words.map_err(|error| setting.failure(error))?;
            is_given = true;
        }
        Ok(is_given.then_some(constant.default))
    }
}

/// Uniforms of a module without a value that a message lists.
const MOST_UNSET: usize = 9;

/// Notes on a program, which they call `name`, and its bindings: uniforms of a module that have no value, and
/// [`remarks`].
pub(super) fn note_bindings(name: &str, bindings: &Bindings, messages: Messages) {
    note_unset(name, &bindings.unset(MOST_UNSET), messages);
    for remark in remarks(name, bindings) {
        note(&remark, messages);
    }
}

/// Notes on a program, which they call `name`, and its bindings: names that it declares without using them,
/// and parts of uniforms that are inputs of λV.
pub(super) fn remarks(name: &str, bindings: &Bindings) -> impl Iterator<Item = String> {
    let unused: Vec<String> = bindings.unused().into_iter().map(str::to_owned).collect();
    let changes = if unused.len() == 1 { "its value changes" } else { "their values change" };
    let unused = (!unused.is_empty())
        .then(|| format!("`{name}` does not use {}: {changes} nothing", some_of(&unused)));
    let option = |input| match input {
        Input::Resolution => "--size",
        Input::Time => "--time",
        Input::Frame => "--frame",
        _ => "--mouse",
    };
    let all = bindings.reached().into_iter();
    let all: Vec<String> =
        all.map(|(path, input)| format!("`{path}` by {}", option(input))).collect();
    let reached = (!all.is_empty())
        .then(|| format!("`{name}`: set by their names: {}; --set gives others", all.join(", ")));
    [unused, reached].into_iter().flatten()
}

/// Says which uniforms of a module have no value, once.
fn note_unset(name: &str, unset: &[String], messages: Messages) {
    if unset.is_empty() || messages.format() == MessageFormat::Json {
        return;
    }
    let (are, them) = if unset.len() == 1 { ("is", "it a value") } else { ("are", "them values") };
    let names = some_of(unset);
    note(&format!("`{name}`: {names} {are} 0; --set gives {them}"), messages);
}
