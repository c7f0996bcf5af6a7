//! Why a text is no module.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;
use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// Where it is in the text.
    pub span: Span,
    /// What it is.
    pub kind: AssembleErrorKind,
}

/// What is wrong with a text.
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
    /// An instruction without one has it.
    HasResult(&'static str),
    /// Operands are missing; which comes next.
    Missing(&'static str, &'static str),
    /// There is an operand too many.
    Surplus(&'static str, String),
    /// An operand is something else than what belongs there.
    Unexpected {
        /// What is there.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A number does not fit.
    OutOfRange(String),
    /// An id is no number of which the type is known.
    NoNumberType(String),
    /// There is no such instruction in a set.
    UnknownExtended {
        /// The name of the instruction.
        name: String,
        /// The name of the set.
        set: String,
    },
    /// An instruction has more words than its first can say.
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
            Self::Missing(name, what) => write!(f, "Op{name} ends where {what} belongs"),
            Self::Surplus(name, found) => write!(f, "Op{name} has no operand `{found}` more"),
            Self::Unexpected { found, expected } => {
                write!(f, "expected {expected}, found `{found}`")
            }
            Self::OutOfRange(number) => write!(f, "`{number}` does not fit its type"),
            Self::NoNumberType(id) => {
                write!(f, "the type of `{id}` is no type of numbers that is known here")
            }
            Self::UnknownExtended { name, set } => {
                write!(f, "there is no instruction `{name}` in `{set}`")
            }
            Self::TooLong(name) => write!(f, "Op{name} has more than 65535 words"),
        }
    }
}

impl AssembleError {
    /// As it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(DiagnosticCode::MalformedModule, self.span, self.kind.to_string())
    }
}
