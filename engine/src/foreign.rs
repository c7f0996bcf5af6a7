//! Texts in other languages, GLSL and WGSL: front ends of our own make SPIR-V of them, which is raised.

use crate::endings::{COMPUTE, FRAGMENT, VERTEX};
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::Stage;
use std::path::Path;

/// A shading language other than λV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL: `.wgsl`.
    Wgsl,
    /// GLSL of a stage.
    Glsl(Stage),
}

impl Language {
    /// The language of a file name extension.
    pub fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "wgsl" => Self::Wgsl,
            ending if FRAGMENT.contains(&ending) => Self::Glsl(Stage::Fragment),
            ending if VERTEX.contains(&ending) => Self::Glsl(Stage::Vertex),
            ending if COMPUTE.contains(&ending) => Self::Glsl(Stage::Compute),
            _ => return None,
        })
    }
}

/// Compiles a text that includes no files to the words of a SPIR-V module.
///
/// # Errors
///
/// All errors of the text.
pub fn to_spirv(language: Language, source: &SourceFile) -> Result<Vec<u32>, Vec<Diagnostic>> {
    match language {
        Language::Wgsl => {
            let options = lambdav_wgsl_frontend::Options::default();
            let compiled = lambdav_wgsl_frontend::compile(source.clone(), &options, &mut NoFiles);
            compiled.words.ok_or_else(|| compiled.diagnostics.into_vec())
        }
        Language::Glsl(stage) => {
            let options = lambdav_glsl_frontend::Options::new(stage);
            let compiled = lambdav_glsl_frontend::compile(source.clone(), &options, &mut NoFiles);
            compiled.words.ok_or_else(|| compiled.diagnostics.into_vec())
        }
    }
}
