//! Errors of the public API. No error contains a type of a backend.

use crate::settings::{BindError, UniformError};
use lambdav_core::diagnostics::{Diagnostic, Diagnostics, render_text};
use lambdav_core::source::SourceFile;
use lambdav_image::SizeError;
use lambdav_image::file::{EncodeError, FormatError, LoadError, SaveError};
use lambdav_mesh::files::FileError;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// Diagnostics of a program, with the text that they point into. `Display` gives the text that the
/// command prints.
#[derive(Clone)]
pub struct Report {
    /// The text.
    pub source: SourceFile,
    /// The findings.
    pub diagnostics: Diagnostics,
}

impl Report {
    /// A report of one diagnostic.
    pub(crate) fn of(source: &SourceFile, diagnostic: Diagnostic) -> Self {
        Self { source: source.clone(), diagnostics: vec![diagnostic].into() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render_text(&self.diagnostics, &self.source, false).trim_end())?;
        match self.diagnostics.omitted() {
            omitted if omitted.is_none() => Ok(()),
            omitted => write!(f, "\n\n{omitted}"),
        }
    }
}

/// Same as `Display`, since Rust prints the error of `main` with `Debug`.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Report {}

/// Reason why there is no shader, pipeline or picture.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// The program is at fault.
    #[error(transparent)]
    Program(#[from] Report),
    /// The file of the program, or of data that is bound, cannot be read.
    #[error("cannot read `{}`", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file for a texture is no image.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A uniform does not exist, or has another type.
    #[error(transparent)]
    Uniform(#[from] UniformError),
    /// Data cannot be bound to a texture or buffer.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A material's image, which a texture asks for, cannot be read.
    #[error("no image for the texture `{texture}`")]
    MeshImage {
        /// The texture.
        texture: String,
        /// The cause.
        source: FileError,
    },
    /// The program has no output at that location.
    #[error("the program has no output {location}; it has {}", listed(.outputs))]
    Output {
        /// The requested location.
        location: u32,
        /// The locations of the program's outputs.
        outputs: Vec<u32>,
    },
    /// The bindings belong to another program than the pipeline.
    #[error("these bindings are of `{bindings}`, and the pipeline is of `{pipeline}`")]
    Foreign {
        /// Program of the bindings.
        bindings: String,
        /// Program of the pipeline.
        pipeline: String,
    },
    /// No image has that size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The engine does not read programs of this form.
    #[error("{0}")]
    Mismatch(String),
    /// The program exceeds a limit of the engine.
    #[error("{0}")]
    Unsupported(String),
    /// The program has no machine code, because of a limit or on this machine.
    #[error("{message}; `Engine::Core` needs no machine code")]
    Code {
        /// The reason.
        message: String,
        /// True if the program exceeds a limit.
        is_limit: bool,
    },
    /// The machine or the device is at fault: it cannot execute the code, or has no memory or thread
    /// left.
    #[error("{0}")]
    Machine(String),
    /// The time limit was exceeded.
    #[error("{work} took longer than {} s", .timeout.as_secs_f64())]
    TimedOut {
        /// The unfinished work: `compiling`, `rendering` or `running`.
        work: &'static str,
        /// The time limit.
        timeout: Duration,
    },
    /// The file name extension belongs to no format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file was not written.
    #[error(transparent)]
    Save(#[from] SaveError<EncodeError>),
}

fn listed(outputs: &[u32]) -> String {
    outputs.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// Same as `Display`, with the causes, since Rust prints the error of `main` with `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&error_chain(self))
    }
}

/// The message of an error, followed by those of its causes. Leaves out a cause that the text already ends with.
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !message.ends_with(&next) {
            message = format!("{message}: {next}");
        }
        cause = error.source();
    }
    message
}
