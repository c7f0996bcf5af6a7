//! Why a script is not run.

use lambdav_core::source::Span;
use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmberError {
    /// Where it is in the script.
    pub span: Span,
    /// What it is.
    pub kind: AmberErrorKind,
}

/// What is wrong with a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AmberErrorKind {
    /// It does what is not known here: the feature.
    Unsupported(String),
    /// Something else stands where that belongs.
    Expected {
        /// What belongs there.
        expected: &'static str,
        /// What is there; empty at the end of a line.
        found: String,
    },
    /// There is nothing of that name.
    Unknown(&'static str, String),
    /// Something of that name is there already.
    Twice(&'static str, String),
    /// An `END` is missing.
    NoEnd(&'static str),
    /// An expectation is about no pixel.
    Empty,
}

impl fmt::Display for AmberErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::Expected { expected, found } if found.is_empty() => {
                write!(f, "expected {expected}, found the end of the line")
            }
            Self::Expected { expected, found } => write!(f, "expected {expected}, found `{found}`"),
            Self::Unknown(what, name) => write!(f, "there is no {what} `{name}`"),
            Self::Twice(what, name) => write!(f, "there are two {what}s `{name}`"),
            Self::NoEnd(what) => write!(f, "the {what} has no END"),
            Self::Empty => write!(f, "the rectangle is empty, so that nothing is expected"),
        }
    }
}
