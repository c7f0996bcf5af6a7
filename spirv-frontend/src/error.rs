//! Errors of the raise.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

/// A mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RaiseError {
    pub(crate) code: DiagnosticCode,
    pub(crate) message: String,
    /// The index of the first word of the instruction.
    pub(crate) at: Option<usize>,
    /// Place in the source that the module embeds.
    pub(crate) span: Option<Span>,
    pub(crate) help: Option<String>,
}

pub(crate) type Result<T> = std::result::Result<T, RaiseError>;

impl RaiseError {
    fn new(code: DiagnosticCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at: None, span: None, help: None }
    }

    /// The module breaks a rule of SPIR-V.
    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self::new(DiagnosticCode::MalformedModule, what)
    }

    /// The core lacks a feature, or the raise does not support it.
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Self::new(DiagnosticCode::UnsupportedModule, what)
    }

    /// The program becomes too large.
    pub(crate) fn too_large(what: impl Into<String>) -> Self {
        Self::new(DiagnosticCode::ExpansionTooLarge, what)
    }

    /// Adds the instruction, unless it is known.
    pub(crate) fn at(mut self, at: usize, span: Option<Span>) -> Self {
        let is_here = self.at.is_none_or(|known| known == at);
        if is_here && self.span.is_none() {
            self.span = span;
        }
        self.at = self.at.or(Some(at));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The error as a diagnostic; without the number of the word if the words were made from a text.
    pub(crate) fn diagnostic(self, is_text: bool) -> Diagnostic {
        let Self { code, message, at, span, help } = self;
        let message = match at.filter(|_| !is_text) {
            Some(at) => format!("{message} (at word {at})"),
            None => message,
        };
        let mut diagnostic = Diagnostic::new(code, span.unwrap_or_default(), message);
        diagnostic.help = help;
        diagnostic
    }
}
