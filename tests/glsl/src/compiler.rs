//! Compilers of GLSL text to a shader that engines draw.

use crate::dialect::Dialect;
use crate::print::Style;
use lambdav_core::diagnostics::render_text;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_engine::Shader;
use lambdav_engine::program::Loaded;
use lambdav_glsl_frontend::{Options, Stage, compile};
use std::process::{Command, Stdio};
use std::{fs, io};
use thiserror::Error;

/// A compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// `glslangValidator -V`, of which the front end for SPIR-V raises the module.
    Glslang,
    /// The front end for GLSL of `glsl-frontend/`.
    Own,
}

/// A program that was not compiled.
#[derive(Debug, Error)]
pub enum CompileError {
    /// The compiler's messages.
    #[error("refused: {0}")]
    Refused(String),
    /// The module was not raised.
    #[error("not raised: {0}")]
    NotRaised(String),
    /// A program could not be run, or a file not be written.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl Compiler {
    /// The style of text that the compiler is given, for programs of a dialect. glslang makes modules of desktop
    /// dialects only; programs of the others are printed in that for Vulkan.
    pub fn style(self, dialect: Dialect) -> Style {
        match self {
            Self::Own => Style { dialect, is_opaque: false },
            Self::Glslang => {
                let dialect = if dialect.is_es() { Dialect::Vulkan } else { dialect };
                Style { dialect, is_opaque: true }
            }
        }
    }

    /// Compiles a text.
    ///
    /// # Errors
    ///
    /// [`CompileError`].
    pub fn compile(self, text: &str) -> Result<Shader, CompileError> {
        match self {
            Self::Own => {
                let options = Options { most: 1, ..Options::new(Stage::Fragment) };
                let source = SourceFile::new("program.frag", text);
                let compiled = compile(source, &options, &mut NoFiles);
                let Some(words) = compiled.words else {
                    let first = compiled.diagnostics.first();
                    let first = first
                        .map(|of| render_text(std::slice::from_ref(of), &compiled.source, false));
                    return Err(CompileError::Refused(first.unwrap_or_default()));
                };
                let loaded = Loaded::from_bytes("program.spv", lambdav_spirv::bytes(&words));
                Shader::of(loaded).map_err(|error| CompileError::NotRaised(error.to_string()))
            }
            Self::Glslang => {
                let folder = tempfile::tempdir()?;
                let [source, module] =
                    ["program.frag", "program.spv"].map(|name| folder.path().join(name));
                fs::write(&source, text)?;
                let mut glslang = Command::new("glslangValidator");
                glslang.args([
                    "-V",
                    "-R",
                    "--auto-map-locations",
                    "--auto-map-bindings",
                    "--target-env",
                    "vulkan1.1",
                    "-o",
                ]);
                glslang.arg(&module).arg(&source);
                accepted(glslang)?;
                let loaded = Loaded::from_bytes("program.spv", fs::read(&module)?);
                Shader::of(loaded).map_err(|error| CompileError::NotRaised(error.to_string()))
            }
        }
    }
}

/// Runs glslang; its messages if it refuses.
fn accepted(mut glslang: Command) -> Result<(), CompileError> {
    let output = glslang.stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(CompileError::Refused(String::from_utf8_lossy(&output.stdout).into_owned())),
    }
}

/// Asks glslang whether a text follows the rules of its version.
///
/// # Errors
///
/// [`CompileError::Refused`] with the messages, and failures of the system.
pub fn check(text: &str) -> Result<(), CompileError> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("program.frag");
    fs::write(&source, text)?;
    let mut glslang = Command::new("glslangValidator");
    glslang.arg(&source);
    accepted(glslang)
}
