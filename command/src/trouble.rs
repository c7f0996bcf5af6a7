//! Why there is no engine for a program.

use super::failure::Failure;
use super::messages::{Messages, fault};
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::source::SourceFile;

/// Why there is no engine for a program.
pub(super) enum Trouble {
    /// For something in its text.
    Program(Box<Diagnostic>),
    /// For something else.
    Other(Failure),
}

impl From<Diagnostic> for Trouble {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Program(Box::new(diagnostic))
    }
}

impl Trouble {
    /// The failure, when what is to be said of the program has been said.
    pub(super) fn failure(self, source: &SourceFile, messages: Messages) -> Failure {
        match self {
            Self::Program(diagnostic) => fault(source, *diagnostic, messages),
            Self::Other(failure) => failure,
        }
    }
}
