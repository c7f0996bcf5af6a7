//! A program as it was read, accepted or not.

use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::graph::Core;
use lambdav_core::interface::Interface;
use lambdav_core::source::SourceFile;
use lambdav_frontend::Times;
use std::path::PathBuf;

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
    /// The interface of a module, if no diagnostic is an error. That of another program follows from its core.
    pub interface: Option<Interface>,
    /// The SPIR-V module that it is.
    pub module: Option<LoadedModule>,
    /// How long compiling a shader text took.
    pub times: Option<Times>,
    /// The canonical paths of the files that it includes, and the paths of those that are not there.
    pub included: Vec<PathBuf>,
}

/// A SPIR-V module.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its words; none, if it could not be read or compiled.
    pub words: Vec<u32>,
    /// Whether it was compiled from another language by a part of this program.
    pub is_foreign: bool,
    /// The colour that a pixel keeps that it discards.
    pub clear: [f32; 4],
}

impl Loaded {
    /// Nothing yet.
    pub(crate) fn empty(most: usize) -> Self {
        Self {
            source: SourceFile::new("", ""),
            is_core_text: false,
            core: None,
            interface: None,
            diagnostics: Diagnostics::new(most),
            module: None,
            times: None,
            included: Vec::new(),
        }
    }
}
