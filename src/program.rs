//! Programs from files: shader text, or core text in its place.

use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::graph::Core;
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_core::{core_text, decode};
use lambdav_frontend::{Times, compile_within};

/// A program, read and compiled as far as it goes.
#[derive(Debug)]
pub struct Loaded {
    /// The text that the diagnostics point into.
    pub source: SourceFile,
    /// Whether the text is core text; only shader text can be given to the `source` evaluator.
    pub is_core_text: bool,
    /// The core, if no diagnostic is an error.
    pub core: Option<Core>,
    /// All that is to be said about the program.
    pub diagnostics: Diagnostics,
    /// How long compiling a shader text took.
    pub times: Option<Times>,
}

impl Loaded {
    /// From the bytes of a file that messages call `name`. Of core text, which spells out what a
    /// shader says in few words, more is taken than of a shader.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self::from_bytes_within(name, bytes, limits::ERRORS)
    }

    /// The same with at most so many errors and as many warnings; of the others only the number.
    pub fn from_bytes_within(name: &str, bytes: Vec<u8>, most: usize) -> Self {
        let long = bytes.len() > limits::TEXT;
        let is_core_text = long && core_text::is_core_text(&String::from_utf8_lossy(&bytes));
        let limit = if is_core_text { limits::CORE_TEXT } else { limits::TEXT };
        match decode::decode(name, bytes, limit) {
            Ok(source) => Self::from_source(source, most),
            Err((source, diagnostic)) => Self {
                source,
                is_core_text: false,
                core: None,
                diagnostics: vec![diagnostic].into(),
                times: None,
            },
        }
    }

    /// From text that messages call `name`.
    pub fn from_text(name: &str, text: &str) -> Self {
        Self::from_bytes(name, text.into())
    }

    fn from_source(source: SourceFile, most: usize) -> Self {
        let is_core_text = core_text::is_core_text(source.text());
        let (core, diagnostics, times) = if is_core_text {
            let (core, diagnostics) = core_text::read_within(&source, most);
            (core, diagnostics, None)
        } else {
            let (core, diagnostics, times) = compile_within(&source, most);
            (core, diagnostics, Some(times))
        };
        Self { source, is_core_text, core, diagnostics, times }
    }
}
