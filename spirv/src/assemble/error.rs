//! Errors of the assembler.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;
use std::fmt;

/// A mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// Place in the text.
    pub span: Span,
    /// Kind of mistake.
    pub kind: AssembleErrorKind,
}

/// Kinds of mistakes in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssembleErrorKind {
    /// A string has no end.
    OpenString,
    /// Something else stands where an instruction begins.
    NoInstruction(String),
    /// There is no instruction of that name.
    UnknownInstruction(String),
    /// An instruction with a result has no `%id =`.
    NoResult(&'static str),
    /// An instruction without a result has `%id =`.
    HasResult(&'static str),
    /// The instruction ends before a required operand; its name and the operand expected.
    Missing(&'static str, &'static str),
    /// The instruction takes no further operand; its name and the text found.
    Surplus(&'static str, String),
    /// An operand is of another kind than expected.
    Unexpected {
        /// Text found.
        found: String,
        /// Operand expected.
        expected: &'static str,
    },
    /// A number does not fit.
    OutOfRange(String),
    /// A number literal has no known type.
    NoNumberType(String),
    /// An extended set lacks the instruction.
    UnknownExtended {
        /// The name of the instruction.
        name: String,
        /// The name of the set.
        set: String,
    },
    /// An instruction exceeds the 65,535 words that its first word can count.
    TooLong(&'static str),
}

impl fmt::Display for AssembleErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenString => f.write_str("the string has no end"),
            Self::NoInstruction(found) => {
                write!(
                    f,
                    "expected an instruction, such as `OpNop` or `%1 = OpTypeVoid`, found `{found}`"
                )
            }
            Self::UnknownInstruction(name) => write!(f, "there is no instruction `{name}`"),
            Self::NoResult(name) => write!(f, "Op{name} has a result: write `%id = Op{name}`"),
            Self::HasResult(name) => write!(f, "Op{name} has no result"),
            Self::Missing(name, what) => write!(f, "Op{name} ends too early: expected {what}"),
            Self::Surplus(name, found) => write!(f, "Op{name} has an operand too many: `{found}`"),
            Self::Unexpected { found, expected } => {
                write!(f, "expected {expected}, found `{found}`")
            }
            Self::OutOfRange(number) => write!(f, "`{number}` does not fit its type"),
            Self::NoNumberType(id) => {
                write!(f, "the type of the number `{id}` is unknown")
            }
            Self::UnknownExtended { name, set } => {
                write!(f, "there is no instruction `{name}` in `{set}`")
            }
            Self::TooLong(name) => write!(f, "Op{name} has more than 65535 words"),
        }
    }
}

impl AssembleError {
    /// The mistake as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(DiagnosticCode::MalformedModule, self.span, self.kind.to_string())
    }
}
