//! Programs as loaded, accepted or not.

use lambdav_core::diagnostics::Diagnostics;
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
    /// Times of the stages that compiled a shader text.
    pub times: Option<Times>,
    /// Canonical paths of the included files, and paths of missing ones.
    pub included: Vec<PathBuf>,
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
            times: None,
            included: Vec::new(),
        }
    }
}
