//! Options of programs in other languages than λV, and JSON objects of values.

use super::failure::{Failure, Result};
use super::setting::Setting;
use super::values::colour;
use clap::{Args, ValueEnum};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::{SettingText, members};
use lambdav_engine::{GlslOptions, LocationInput, Shader, ShaderOptions, TextLanguage};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Options of SPIR-V modules, WGSL and GLSL.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ModuleArguments {
    /// For a SPIR-V module, WGSL and GLSL: the fragment entry point to use, if there are several
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// For a SPIR-V module, WGSL and GLSL: the value of the input at a location: `uv`, from (0, 0) at the
    /// upper left to (1, 1), or with the origin at the lower left from there; `position`, in pixels; or
    /// numbers, as in --set. May be given more than once; other inputs are 0
    #[arg(long, value_name = "LOC=VALUE")]
    pub(super) input: Vec<String>,
    /// For a SPIR-V module, WGSL and GLSL: the colour of discarded pixels; by default 0,0,0,0
    #[arg(long, value_name = "R,G,B,A", value_parser = colour, allow_hyphen_values = true)]
    pub(super) clear: Option<[f32; 4]>,
    /// For a SPIR-V module, WGSL and GLSL: options of a sampler, or of a texture that is combined with one: filter, mag,
    /// min, mip, wrap, border, bias, min-level, max-level, compare and others, as KEY=VALUE,KEY=VALUE; or a JSON file with a
    /// GPUSamplerDescriptor. May be given more than once
    #[arg(long, value_name = "NAME=OPTIONS")]
    pub(super) sampler: Vec<String>,
    #[command(flatten)]
    pub(super) text: TextArguments,
}

/// Where texts in GLSL and WGSL find files, and what is defined for them.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct SearchArguments {
    /// For GLSL and WGSL: a folder in which `#include` and imports look for files, after the folder of the file
    /// that includes. May be given more than once
    #[arg(long, value_name = "DIR")]
    pub(super) include: Vec<PathBuf>,
    /// For GLSL and WGSL: define a macro, or a name for conditions, by default as 1. May be given more than once
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = define)]
    pub(super) define: Vec<(String, String)>,
}

impl SearchArguments {
    /// Adds others, which come second.
    pub(super) fn add(&mut self, other: &Self) {
        self.include.extend_from_slice(&other.include);
        let known = |name: &str| self.define.iter().any(|(own, _)| own == name);
        let new: Vec<_> = other.define.iter().filter(|(name, _)| !known(name)).cloned().collect();
        self.define.extend(new);
    }
}

/// Options of texts in GLSL, and the language of a text.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct TextArguments {
    #[command(flatten)]
    pub(super) search: SearchArguments,
    /// For GLSL: the dialect; by default the one that the text looks like
    #[arg(long, value_name = "DIALECT", value_enum)]
    pub(super) dialect: Option<DialectName>,
    /// For GLSL: the place of the pixel (0, 0); by default upper-left for Vulkan and lower-left for the
    /// other dialects
    #[arg(long, value_name = "CORNER", value_enum)]
    pub(super) origin: Option<Origin>,
    /// Language of standard input and of files whose names do not tell it; by default GLSL is recognised
    /// by its content, and everything else is λV
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub(super) language: Option<LanguageName>,
}

/// A dialect of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DialectName {
    /// GLSL for Vulkan
    Vulkan,
    /// GLSL for OpenGL, OpenGL ES and WebGL
    #[value(name = "opengl")]
    OpenGl,
    /// A function `mainImage`, with Shadertoy's uniforms
    Shadertoy,
    /// The Interactive Shader Format
    Isf,
}

/// A corner of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Origin {
    /// As in OpenGL: the first row is the lowest one
    LowerLeft,
    /// As in Vulkan: the first row is the highest one
    UpperLeft,
}

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LanguageName {
    /// GLSL
    Glsl,
    /// WGSL
    Wgsl,
    /// λV
    Lv,
}

/// Parses `NAME` or `NAME=VALUE`.
fn define(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let mut chars = name.chars();
    let is_name = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    match is_name && !value.contains(['\n', '\r']) {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err(format!("`{text}` defines no macro: write NAME or NAME=VALUE")),
    }
}

impl TextArguments {
    fn read(&self) -> GlslOptions {
        let named = |dialect: DialectName| {
            dialect.to_possible_value().map(|value| value.get_name().to_owned())
        };
        GlslOptions {
            dialect: self.dialect.and_then(named),
            defines: self.search.define.clone(),
            roots: self.search.include.clone(),
            lower_left: self.origin.map(|origin| origin == Origin::LowerLeft),
        }
    }

    /// The same options, with paths relative to a folder.
    pub(super) fn within(&mut self, folder: &Path) {
        self.search.include.iter_mut().for_each(|path| *path = folder.join(&*path));
    }
}

/// Location and value of an input.
pub(super) type LocationValue = (u32, String);

/// The kind of a program, by the options that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProgramKind {
    /// λV or core text.
    #[default]
    Lv,
    /// SPIR-V.
    Module,
    /// WGSL.
    Wgsl,
    /// GLSL.
    Glsl,
}

impl ProgramKind {
    /// The kind of a loaded program.
    pub(super) fn of_loaded(loaded: &Loaded) -> Self {
        let module = loaded.module.as_ref();
        let is_text = module.is_some_and(|module| module.is_foreign);
        Self::new(module.is_some(), is_text, loaded.dialect.is_some())
    }

    /// The kind of a shader.
    pub(super) fn of(shader: &Shader) -> Self {
        Self::new(shader.is_module(), shader.is_foreign(), shader.dialect().is_some())
    }

    fn new(is_module: bool, is_text: bool, is_glsl: bool) -> Self {
        match (is_module, is_text, is_glsl) {
            (.., true) => Self::Glsl,
            (true, true, false) => Self::Wgsl,
            (true, false, false) => Self::Module,
            (false, ..) => Self::Lv,
        }
    }
}

impl ModuleArguments {
    /// Rejects options that a program of this kind does not take; messages call it `name`.
    pub(super) fn check(&self, kind: ProgramKind, name: &str) -> Result {
        let text = &self.text;
        let given = [
            ("entry", self.entry.is_some(), ProgramKind::Module),
            ("input", !self.input.is_empty(), ProgramKind::Module),
            ("clear", self.clear.is_some(), ProgramKind::Module),
            ("sampler", !self.sampler.is_empty(), ProgramKind::Module),
            // A folder to search in does no harm where nothing is included.
            ("include", !text.search.include.is_empty(), ProgramKind::Module),
            ("define", !text.search.define.is_empty(), ProgramKind::Wgsl),
            ("dialect", text.dialect.is_some(), ProgramKind::Glsl),
            ("origin", text.origin.is_some(), ProgramKind::Glsl),
        ];
        let wrong = given.iter().find(|(_, is_given, needs)| *is_given && kind < *needs);
        let Some((option, _, needs)) = wrong else { return Ok(()) };
        let takers = match needs {
            ProgramKind::Glsl => "GLSL",
            ProgramKind::Wgsl => "WGSL and GLSL",
            _ => "SPIR-V modules, WGSL and GLSL",
        };
        let is = match (kind, needs) {
            (ProgramKind::Lv, _) => "is λV",
            (_, ProgramKind::Wgsl) => "is a module",
            _ => "is not GLSL",
        };
        Err(Failure::usage(format!("--{option} is for {takers}, and `{name}` {is}")))
    }

    /// Returns options of the reader, the locations of inputs with a source, and the values of the
    /// other inputs.
    pub(super) fn read(&self) -> Result<(ShaderOptions, Vec<u32>, Vec<LocationValue>)> {
        let mut options = ShaderOptions::default().clear(self.clear.unwrap_or_default());
        options = options.glsl(self.text.read());
        if let Some(language) = self.text.language {
            options = options.language(match language {
                LanguageName::Glsl => TextLanguage::Glsl,
                LanguageName::Wgsl => TextLanguage::Wgsl,
                LanguageName::Lv => TextLanguage::Lv,
            });
        }
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
