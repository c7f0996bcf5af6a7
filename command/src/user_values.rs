//! Values of uniforms and constants, and files for textures, buffers and blocks, from the command line.

use super::binds::Binds;
use super::failure::{Failure, Result};
use super::files::{compile_fixed, read_bytes};
use super::messages::{MessageFormat, Messages, note};
use super::module::{LocationValue, ModuleArguments, object, some_of};
use super::sampling::named;
use super::setting::Setting;
use lambdav_core::flat::PlacedExpression;
use lambdav_core::graph::Uniform;
use lambdav_core::inputs::Input;
use lambdav_core::interface::NamedValue;
use lambdav_core::types::Types;
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::{Paths, Settings};
use lambdav_engine::{Bindings, LocationUse, Shader, ShaderOptions, Slot};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Values from the user, in order: those of files, then those of the command line. The last one for a
/// path counts.
#[derive(Clone)]
pub(super) struct UserValues {
    set: Vec<Setting>,
    /// Files for textures, buffers and blocks.
    binds: Binds,
    /// Options of the reader.
    options: ShaderOptions,
    /// Locations of inputs with a source, such as `uv`.
    sources: Vec<u32>,
    inputs: Vec<LocationValue>,
    /// Names in `--sampler`.
    samplers: Vec<String>,
}

impl UserValues {
    /// Reads the file of uniforms, if any, and parses the values of `--set`.
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
            samplers: Vec::new(),
        })
    }

    /// Adds the options of modules. Samplers are also those of the files that are bound by then.
    pub(super) fn with_module(self, arguments: &ModuleArguments) -> Result<Self> {
        let (mut options, sources, inputs) = arguments.read()?;
        for (name, sampling) in self.binds.samplings() {
            options = sampling.add_to(&name, options);
        }
        for (name, length) in self.binds.lengths() {
            options = options.texture_count(name, length);
        }
        let mut samplers = Vec::new();
        for text in &arguments.sampler {
            let (name, sampling) = named(text)?;
            options = sampling.add_to(&name, options);
            samplers.push(name);
        }
        Ok(Self { options, sources, inputs, samplers, ..self })
    }

    /// The same values, of a compute program.
    #[must_use]
    pub(super) fn compute(self) -> Self {
        Self { options: self.options.compute(), ..self }
    }

    /// The same values, for an expression in place of the picture.
    #[must_use]
    pub(super) fn expressing(self, expression: PlacedExpression) -> Self {
        Self { options: self.options.expression(expression), ..self }
    }

    /// The values without inputs of locations that the program does not have.
    #[must_use]
    pub(super) fn known_to(mut self, shader: &Shader) -> Self {
        self.inputs.retain(|(location, _)| shader.location(*location).is_some());
        self.sources.retain(|location| shader.location(*location).is_some());
        self
    }

    /// Adds files for textures, buffers and blocks.
    #[must_use]
    pub(super) fn with_binds(self, binds: Binds) -> Self {
        Self { binds, ..self }
    }

    /// Values for the first of two programs: all but those that only the second one knows.
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
        all.samplers.retain(|name| is_for_this(both.map(|of| of.has_sampler(name))));
        all.binds = all
            .binds
            .filter(|name| is_for_this([0, 1].map(|k: usize| bindings[k].slot(name).is_ok())));
        all
    }

    /// Bindings of a program with these values.
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
        if !shader.is_module()
            && let Some((name, _)) = self.binds.samplings().next()
        {
            let what = format!(
                "`{name}`: options of a sampler are for SPIR-V modules, WGSL and GLSL; in λV they stand in the declaration of the texture"
            );
            return Err(Failure::usage(what));
        }
        if let Some(name) = self.samplers.iter().find(|name| !shader.has_sampler(name)) {
            let known = shader.samplers().join(", ");
            let known =
                if known.is_empty() { "it has none".to_owned() } else { format!("it has {known}") };
            let what = format!("the program has no sampler or texture `{name}`; {known}");
            return Err(Failure::usage(what));
        }
        all.extend_from_slice(&self.set);
        let texts = all.iter().map(|of| (of.path.as_str(), of.value.as_str()));
        bindings.set_texts(texts).map_err(|(number, error)| all[number].failure(error))?;
        Ok(bindings)
    }

    /// Compiles the bytes of the file at `path` with the values of constants; prints nothing.
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

    /// True if a value is given for one of these constants, or for a part of one.
    pub(super) fn sets_any(&self, types: &Types, constants: &[Uniform]) -> bool {
        let paths = Paths::new(types, constants);
        self.set.iter().any(|setting| paths.knows(&setting.path))
    }

    /// Rejects values for anything but constants.
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
                    "`{path}` is a uniform, which gets its value when the program is drawn; `compile` sets constants"
                )));
            }
            of_constants.find(path).map_err(|error| Failure::usage(error.to_string()))?;
        }
        Ok(())
    }

    /// Words of a constant with the values given to it; none if there are none. The last value for a
    /// path counts; a structure keeps omitted fields.
    pub(super) fn constant(&self, types: &Types, constant: &Uniform) -> Result<Option<Arc<[u32]>>> {
        let (mut constant, mut is_given) = (constant.clone(), false);
        for setting in &self.set {
            let Setting { path, value, .. } = setting;
            // The path may name another uniform or constant, whose name begins with this one's.
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

/// Most uniforms without a value that a note lists.
const MAX_UNSET: usize = 9;

/// Prints notes on the bindings of the program `name`: uniforms of a module without a value, and
/// [`remarks`].
pub(super) fn note_bindings(name: &str, bindings: &Bindings, messages: Messages) {
    note_unset(name, &bindings.unset(MAX_UNSET), messages);
    for remark in remarks(name, bindings) {
        note(&remark, messages);
    }
}

/// Remarks on the bindings of the program `name`: unused names, and parts of uniforms that take inputs
/// of λV.
pub(super) fn remarks(name: &str, bindings: &Bindings) -> impl Iterator<Item = String> {
    let unused: Vec<String> = bindings.unused().into_iter().map(str::to_owned).collect();
    let changes = if unused.len() == 1 { "its value changes" } else { "their values change" };
    let unused = (!unused.is_empty())
        .then(|| format!("`{name}` does not use {}: {changes} nothing", some_of(&unused)));
    let option = |value| match value {
        NamedValue::Input(Input::Resolution) => "--size",
        NamedValue::Input(Input::Time) => "--time",
        NamedValue::Input(Input::Frame) | NamedValue::Delta => "--frame",
        NamedValue::Input(_) => "--mouse",
        NamedValue::Date => "--date",
    };
    let all = bindings.reached().into_iter();
    let all: Vec<String> =
        all.map(|(path, value)| format!("`{path}` by {}", option(value))).collect();
    let reached = (!all.is_empty())
        .then(|| format!("`{name}`: set by their names: {}; --set gives others", all.join(", ")));
    [unused, reached].into_iter().flatten()
}

/// Notes the dialect of a text in GLSL, and what the reader has to say.
pub(super) fn note_remarks(path: &Path, loaded: &Loaded, messages: Messages) {
    for remark in loaded.remarks() {
        note(&format!("`{}`: {remark}", path.display()), messages);
    }
}

/// Notes images that the dialect's own programs would turn, and whose order of rows is unsaid.
pub(super) fn note_rows(path: &Path, shader: &Shader, binds: &Binds, messages: Messages) {
    let owner = match shader.dialect() {
        Some("shadertoy") => "Shadertoy",
        Some("opengl") => "glslViewer",
        _ => return,
    };
    let bindings = shader.bindings();
    let is_turned = |name: &&str| {
        // Of OpenGL's texts, those for glslViewer are known by the names of textures.
        let number = name.strip_prefix("u_tex").filter(|of| !of.is_empty());
        let is_own = owner != "glslViewer"
            || number.is_some_and(|of| of.bytes().all(|byte| byte.is_ascii_digit()));
        is_own && matches!(bindings.slot(name), Ok(Slot::Texture))
    };
    let names: Vec<String> = binds.unsaid().filter(is_turned).map(str::to_owned).collect();
    if !names.is_empty() {
        let (names, path) = (some_of(&names), path.display());
        let what = format!(
            "`{path}`: {names}: t = 0 is the first row of the file, and in {owner} the last one; \
             --bind NAME=FILE:flip turns it, FILE:as-is hides this note"
        );
        note(&what, messages);
    }
}

/// Binds test cards to the textures of a program in GLSL that have no image, with a note.
pub(super) fn bind_test_cards(name: &str, bindings: &mut Bindings, messages: Messages) -> Result {
    let bound = bindings.bind_test_cards();
    let bound = bound.map_err(|error| Failure::machine(error.to_string()))?;
    if !bound.is_empty() {
        let (names, has) = (some_of(&bound), if bound.len() == 1 { "has" } else { "have" });
        let what = format!(
            "`{name}`: {names} {has} no image, and a test card instead; --bind NAME=FILE binds one"
        );
        note(&what, messages);
    }
    Ok(())
}

/// Notes the uniforms of a module without a value, in one message.
fn note_unset(name: &str, unset: &[String], messages: Messages) {
    if unset.is_empty() || messages.format() == MessageFormat::Json {
        return;
    }
    let (are, them) = if unset.len() == 1 { ("is", "it a value") } else { ("are", "them values") };
    let names = some_of(unset);
    note(&format!("`{name}`: {names} {are} 0; --set gives {them}"), messages);
}
