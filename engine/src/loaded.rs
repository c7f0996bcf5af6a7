//! Programs as loaded, accepted or not.

#[cfg(feature = "foreign")]
use crate::reading::ShaderOptions;
use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::flat::FlatType;
use lambdav_core::graph::Core;
use lambdav_core::interface::Interface;
use lambdav_core::source::SourceFile;
use lambdav_frontend::Times;
use std::path::PathBuf;

/// A program, read and compiled up to its first failing stage.
#[derive(Debug)]
pub struct Loaded {
    /// Text that the diagnostics point into.
    pub source: SourceFile,
    /// True for core text; the source evaluator accepts only shader text.
    pub is_core_text: bool,
    /// The core, if no diagnostic is an error.
    pub core: Option<Core>,
    /// All diagnostics of the program.
    pub diagnostics: Diagnostics,
    /// The interface of a module, if no diagnostic is an error. Other programs derive theirs from the
    /// core.
    pub interface: Option<Interface>,
    /// The module, for SPIR-V, WGSL and GLSL.
    pub module: Option<LoadedModule>,
    /// The type of the expression that takes the place of the picture, if the options have one, and the language
    /// has expressions.
    pub expression: Option<FlatType>,
    /// Times of the stages that compiled a shader text.
    pub times: Option<Times>,
    /// Canonical paths of the included files, and paths of missing ones.
    pub included: Vec<PathBuf>,
    /// Defaults of uniforms that the core cannot have.
    #[cfg(feature = "foreign")]
    pub(crate) defaults: Vec<lambdav_glsl_frontend::UniformDefault>,
    /// True if the first row of its pictures is the lowest one, as OpenGL has it.
    pub lower_left: bool,
    /// The dialect of GLSL, by its name; none for other languages.
    pub dialect: Option<&'static str>,
    /// True if the dialect was recognised, not given.
    pub is_dialect_found: bool,
    /// True for a compiled module of a stage that is not drawn. A diagnostic says so.
    pub is_undrawn: bool,
    /// What is worth a note to the user.
    pub notes: Vec<String>,
    /// What compiles a text in WGSL again.
    #[cfg(feature = "foreign")]
    pub(crate) wgsl: Option<WgslSettings>,
}

/// What a text in WGSL was compiled with.
#[cfg(feature = "foreign")]
#[derive(Clone, Debug)]
pub(crate) struct WgslSettings {
    pub(crate) path: Option<PathBuf>,
    pub(crate) options: ShaderOptions,
    /// Bits of the overrides that were given, by name.
    pub(crate) given: Vec<(String, u32)>,
}

/// A SPIR-V module.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The module's words; empty if it could not be read or compiled.
    pub words: Vec<u32>,
    /// True if this program compiled it from WGSL or GLSL.
    pub is_foreign: bool,
    /// Colour of discarded pixels.
    pub clear: [f32; 4],
    /// The options with which it was raised.
    #[cfg(feature = "spirv")]
    pub(crate) raise: lambdav_spirv_frontend::RaiseOptions,
    /// Instructions that are executed although the text does not ask for it.
    #[cfg(feature = "spirv")]
    pub(crate) guards: Vec<lambdav_spirv::Guard>,
}

impl Loaded {
    /// A program before reading.
    pub(crate) fn empty(most: usize) -> Self {
        Self {
            source: SourceFile::new("", ""),
            is_core_text: false,
            core: None,
            interface: None,
            diagnostics: Diagnostics::new(most),
            module: None,
            expression: None,
            times: None,
            included: Vec::new(),
            #[cfg(feature = "foreign")]
            defaults: Vec::new(),
            lower_left: false,
            dialect: None,
            is_dialect_found: false,
            is_undrawn: false,
            notes: Vec::new(),
            #[cfg(feature = "foreign")]
            wgsl: None,
        }
    }

    /// For each uniform, true if the text of a module gives its default.
    pub(crate) fn has_default(&self) -> Vec<bool> {
        #[cfg(feature = "foreign")]
        let knows = |name: &str| self.defaults.iter().any(|default| default.name == name);
        #[cfg(not(feature = "foreign"))]
        let knows = |_: &str| false;
        self.core.iter().flat_map(|core| &core.uniforms).map(|of| knows(&of.name)).collect()
    }

    /// True for a text in GLSL that does not itself define an entry point.
    pub fn lacks_entry(&self) -> bool {
        #[cfg(feature = "foreign")]
        let defines_main = |text: &str| lambdav_glsl_frontend::defines_main(text);
        #[cfg(not(feature = "foreign"))]
        let defines_main = |_: &str| true;
        // Files that the text includes, and its dialect's own text, stand behind it.
        let own = self.source.file(0).span;
        self.dialect.is_some()
            && !defines_main(&self.source.text()[own.start as usize..own.end as usize])
    }

    /// What the reader made of a text in GLSL, and its notes.
    pub fn remarks(&self) -> Vec<String> {
        let origin = if self.lower_left { "lower" } else { "upper" };
        let recognised = self.dialect.filter(|name| self.is_dialect_found && *name != "vulkan");
        let name = recognised.map(|name| match name {
            "opengl" => "an OpenGL",
            "shadertoy" => "a Shadertoy",
            _ => "an ISF",
        });
        let recognised = name
            .map(|name| format!("{name} text, origin at the {origin} left (--dialect, --origin)"));
        recognised.into_iter().chain(self.notes.iter().cloned()).collect()
    }
}
