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

use crate::preprocess::scan_version;
use crate::version::Version;

mod isf;

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

    /// Recognises the dialect of a text.
    pub fn of(text: &str) -> Self {
        if isf::header(text).is_some() {
            return Self::Isf;
        }
        let code = without_comments(text);
        let words: Vec<&str> = words(&code).collect();
        let follows = |first: &str, second: &str| words.windows(2).any(|w| w == [first, second]);
        if follows("mainImage", "(") && !follows("main", "(") {
            return Self::Shadertoy;
        }
        let modern = scan_version(text).is_some_and(|(version, _)| match version.es {
            true => version.number >= 310,
            false => version.number >= 420,
        });
        let own = words.windows(2).any(|w| {
            matches!(w, ["set", "="] | ["push_constant", _] | ["constant_id", "="])
                || matches!(
                    w,
                    ["uniform", "texture2D" | "sampler" | "subpassInput" | "textureCube"]
                )
                || *w == ["input_attachment_index", "="]
        });
        if own {
            return Self::Vulkan;
        }
        let old = ["gl_FragColor", "gl_FragData", "varying", "attribute", "texture2D"];
        if modern && !words.iter().any(|word| old.contains(word)) && !has_loose(&words) {
            return Self::Vulkan;
        }
        Self::OpenGl
    }
}

/// The text around a shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) before: String,
    pub(crate) behind: String,
    /// What is worth a note to the user.
    pub(crate) notes: Vec<String>,
}

/// The text that a dialect puts around a shader, and the version of a text that names none.
pub(crate) fn frame(dialect: Dialect, text: &str) -> (Frame, Version) {
    let code = without_comments(text);
    let words: Vec<&str> = words(&code).collect();
    let old = ["gl_FragColor", "gl_FragData", "varying", "attribute", "texture2D", "textureCube"];
    let version = match dialect {
        Dialect::OpenGl if words.iter().any(|word| old.contains(word)) => {
            Version { number: 120, es: false }
        }
        Dialect::Vulkan => Version { number: 460, es: false },
        // Programs that borrow Shadertoy's form compile it as desktop GLSL, which takes all of ES 3.00.
        Dialect::Shadertoy | Dialect::OpenGl | Dialect::Isf => Version { number: 330, es: false },
    };
    let frame = match dialect {
        Dialect::Shadertoy => shadertoy(&words),
        Dialect::Isf => isf::frame(text, &words),
        Dialect::OpenGl | Dialect::Vulkan => Frame::default(),
    };
    (frame, version)
}

/// True if a uniform stands outside of blocks, and is no texture.
fn has_loose(words: &[&str]) -> bool {
    let skipped = ["highp", "mediump", "lowp"];
    words.iter().enumerate().any(|(k, word)| {
        if *word != "uniform" {
            return false;
        }
        let mut rest = words[k + 1..].iter().filter(|word| !skipped.contains(word));
        let (Some(ty), Some(next)) = (rest.next(), rest.next()) else { return false };
        *next != "{"
            && !["sampler", "image", "texture", "isampler", "usampler", "iimage", "uimage"]
                .iter()
                .any(|start| ty.starts_with(start))
    })
}

/// True if the text declares a uniform of this name itself.
fn declares(words: &[&str], name: &str) -> bool {
    words.iter().enumerate().any(|(k, word)| {
        *word == "uniform"
            && words[k..].iter().take_while(|word| **word != ";").any(|word| *word == name)
    })
}

/// What Shadertoy declares, and Ghostty, a terminal that takes such texts.
const SHADERTOY: [(&str, &str); 24] = [
    ("iResolution", "uniform vec3 iResolution;"),
    ("iTime", "uniform float iTime;"),
    ("iGlobalTime", "#define iGlobalTime iTime"),
    ("iTimeDelta", "uniform float iTimeDelta = 0.0166666675;"),
    ("iFrameRate", "uniform float iFrameRate = 60.0;"),
    ("iFrame", "uniform int iFrame;"),
    ("iMouse", "uniform vec4 iMouse;"),
    ("iDate", "uniform vec4 iDate;"),
    ("iSampleRate", "uniform float iSampleRate = 44100.0;"),
    ("iChannelTime", "uniform float iChannelTime[4];"),
    ("iBlockOffset", "uniform float iBlockOffset;"),
    ("iCurrentCursor", "uniform vec4 iCurrentCursor;"),
    ("iPreviousCursor", "uniform vec4 iPreviousCursor;"),
    ("iCurrentCursorColor", "uniform vec4 iCurrentCursorColor;"),
    ("iPreviousCursorColor", "uniform vec4 iPreviousCursorColor;"),
    ("iCurrentCursorStyle", "uniform int iCurrentCursorStyle;"),
    ("iPreviousCursorStyle", "uniform int iPreviousCursorStyle;"),
    ("iCursorVisible", "uniform int iCursorVisible;"),
    ("iTimeCursorChange", "uniform float iTimeCursorChange;"),
    ("iTimeFocus", "uniform float iTimeFocus;"),
    ("iFocus", "uniform int iFocus;"),
    ("iPalette", "uniform vec3 iPalette[256];"),
    ("iBackgroundColor", "uniform vec3 iBackgroundColor;"),
    ("iForegroundColor", "uniform vec3 iForegroundColor;"),
];

fn shadertoy(words: &[&str]) -> Frame {
    let mut before = String::new();
    for (name, text) in SHADERTOY {
        let needed = words.contains(&name) || (name == "iTime" && words.contains(&"iGlobalTime"));
        if needed && !declares(words, name) {
            before += text;
            before.push('\n');
        }
    }
    let mut sizes = Vec::new();
    for k in 0..4 {
        let channel = format!("iChannel{k}");
        let used = words.contains(&&*channel);
        if used && !declares(words, &channel) {
            before += &format!("uniform sampler2D {channel};\n");
        }
        sizes.push(match used {
            true => format!("vec3(textureSize({channel}, 0), 1.0)"),
            false => "vec3(0.0)".to_owned(),
        });
    }
    if words.contains(&"iChannelResolution") && !declares(words, "iChannelResolution") {
        before += &format!("vec3 iChannelResolution[4] = vec3[4]({});\n", sizes.join(", "));
    }
    before += "out vec4 lambdavColour;\n";
    let behind = "void main() { lambdavColour = vec4(0.0, 0.0, 0.0, 1.0); \
                  mainImage(lambdavColour, gl_FragCoord.xy); }\n";
    Frame { before, behind: behind.to_owned(), notes: Vec::new() }
}

/// The text with blanks for its comments; lines stay.
fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut k = 0;
    while k < bytes.len() {
        match (bytes[k], bytes.get(k + 1)) {
            (b'/', Some(b'/')) => {
                while k < bytes.len() && bytes[k] != b'\n' {
                    k += 1;
                }
            }
            (b'/', Some(b'*')) => {
                let end = text[k + 2..].find("*/").map_or(bytes.len(), |at| k + 2 + at + 2);
                out.extend(bytes[k..end].iter().filter(|&&byte| byte == b'\n'));
                out.push(b' ');
                k = end;
            }
            (byte, _) => {
                out.push(byte);
                k += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Words and single characters of punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}
