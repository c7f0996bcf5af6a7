//! Dialects: what a program around the shader declares and expects.
//!
//! | dialect | recognised by | what it adds |
//! |---|---|---|
//! | Vulkan | version 310 es, 420 or later, no loose uniforms, no old outputs | `VULKAN`, separate textures and samplers; origin at the upper left |
//! | OpenGL | anything else, glslViewer and GLSL Sandbox among it | origin at the lower left |
//! | Shadertoy | `mainImage` without `main` | the uniforms `iTime`, `iChannel0` …, and `main` |
//! | ISF | a JSON object in the first comment | uniforms of its inputs, `TIME`, `RENDERSIZE`, `IMG_PIXEL` … |
//!
//! A dialect is text in front of the shader and behind it ([`Frame`]), so nothing behind the preprocessor
//! knows dialects.

mod content;
mod isf;
mod shadertoy;
mod text;

pub use content::{defines_main, is_glsl};
pub(crate) use text::{Frame, TextWords, without_comments};

use crate::preprocess::scan_version;
use crate::version::Version;
use std::path::Path;

/// A dialect of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// GLSL for Vulkan.
    Vulkan,
    /// GLSL for OpenGL, OpenGL ES and WebGL, whose uniforms have any names.
    OpenGl,
    /// A function `mainImage`.
    Shadertoy,
    /// The Interactive Shader Format.
    Isf,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 4] = [Self::Vulkan, Self::OpenGl, Self::Shadertoy, Self::Isf];

    /// The name of the option `--dialect`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::OpenGl => "opengl",
            Self::Shadertoy => "shadertoy",
            Self::Isf => "isf",
        }
    }

    /// The dialect of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// True if the first row of pixels is the lowest one.
    pub fn is_lower_left(self) -> bool {
        self != Self::Vulkan
    }

    /// Recognises the dialect of a text with these words.
    pub(crate) fn of(text: &str, words: &TextWords<'_>) -> Self {
        if isf::header(text).is_some() {
            return Self::Isf;
        }
        if words.has_pair("mainImage", "(") && !words.has_pair("main", "(") {
            return Self::Shadertoy;
        }
        let modern = scan_version(text).is_some_and(|(version, _)| match version.es {
            true => version.number >= 310,
            false => version.number >= 420,
        });
        let own = words.pairs().any(|pair| {
            matches!(
                pair,
                ["set" | "constant_id" | "input_attachment_index", "="]
                    | ["push_constant", _]
                    | ["uniform", "texture2D" | "sampler" | "subpassInput" | "textureCube"]
            )
        });
        if own {
            return Self::Vulkan;
        }
        let old = ["gl_FragColor", "gl_FragData", "varying", "attribute", "texture2D"];
        if modern && !old.iter().any(|word| words.has(word)) && !words.has_loose() {
            return Self::Vulkan;
        }
        Self::OpenGl
    }
}

/// The text that a dialect puts around a shader, and the version of a text that names none.
/// `words` are its words, `cubes` Shadertoy's channels that are cube maps, `path` is the path of the text.
pub(crate) fn frame(
    dialect: Dialect,
    text: &str,
    words: &TextWords<'_>,
    path: Option<&Path>,
    cubes: &[String],
) -> (Frame, Version) {
    let old = ["gl_FragColor", "gl_FragData", "varying", "attribute", "texture2D", "textureCube"];
    let version = match dialect {
        Dialect::OpenGl if old.iter().any(|word| words.has(word)) => {
            Version { number: 120, es: false }
        }
        Dialect::Vulkan => Version { number: 460, es: false },
        // Programs that borrow Shadertoy's form compile it as desktop GLSL, which takes all of ES 3.00.
        Dialect::Shadertoy | Dialect::OpenGl | Dialect::Isf => Version { number: 330, es: false },
    };
    let frame = match dialect {
        Dialect::Shadertoy => shadertoy::frame(words, cubes, path.is_some_and(is_buffer)),
        Dialect::Isf => isf::frame(text, words),
        Dialect::OpenGl | Dialect::Vulkan => Frame::default(),
    };
    (frame, version)
}

/// True for the path of one of Shadertoy's buffers: `Buffer A.glsl`, `bufferB.frag`.
fn is_buffer(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("buffer"))
}
