//! Failures of commands and their exit statuses.

use lambdav_core::diagnostics::one_line;
use lambdav_engine::error_chain;
use lambdav_image::file::SaveError;
use std::io::{self, ErrorKind, Write};

/// Failure of a command. Without `message`, the error has been printed already.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) status: u8,
    pub(super) message: Option<String>,
}

impl Failure {
    /// The program, image or comparison is at fault; the error has been printed already.
    pub(super) fn reported() -> Self {
        Self { status: 1, message: None }
    }

    /// The program, image or comparison is at fault.
    pub(super) fn input(message: impl Into<String>) -> Self {
        Self { status: 1, message: Some(message.into()) }
    }

    /// The command line is at fault.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { status: 2, message: Some(message.into()) }
    }

    /// The machine is at fault.
    pub(super) fn machine(message: impl Into<String>) -> Self {
        Self { status: 3, message: Some(message.into()) }
    }

    /// A file cannot be read or written: the command line is at fault if the path is wrong, else the
    /// machine.
    pub(super) fn file(message: impl Into<String>, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidFilename => Self::usage(message),
            _ => Self::machine(message),
        }
    }
}

pub(super) type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Failure to write a file.
pub(super) fn save_failure<E: std::error::Error>(error: &SaveError<E>) -> Failure {
    let message = error_chain(error);
    match error {
        SaveError::File { source, .. } => Failure::file(message, source),
        SaveError::Content { .. } => Failure::machine(message),
    }
}

/// Prints an error to standard error, on one line but for list items (lines indented by two blanks).
pub(super) fn complain(message: &str) {
    let lines: Vec<_> = message.split("\n  ").map(one_line).collect();
    // Standard error failed: no channel is left for an error.
    let _ = writeln!(io::stderr(), "error: {}", lines.join("\n  "));
}
