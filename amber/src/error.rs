//! Errors of scripts.

use lambdav_core::source::Span;
use std::fmt;

/// An error and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmberError {
    /// Place in the script.
    pub span: Span,
    /// Kind of the error.
    pub kind: AmberErrorKind,
}

/// Kind of an error in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AmberErrorKind {
    /// An unsupported feature.
    Unsupported(String),
    /// Another word stands in place of the expected one.
    Expected {
        /// The expected word.
        expected: &'static str,
        /// The word found; empty at the end of a line.
        found: String,
    },
    /// An unknown name, with the kind of thing it should name.
    Unknown(&'static str, String),
    /// A name that is defined twice, with the kind of thing it names.
    Twice(&'static str, String),
    /// A file of data that cannot be read or has other data, with the reason.
    File(String, String),
    /// An `END` is missing.
    NoEnd(&'static str),
    /// No number of the buffer begins at that byte.
    NoNumber(usize),
    /// The rectangle of an expectation is empty, or it has no number.
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
            Self::File(name, why) => write!(f, "the file `{name}`: {why}"),
            Self::NoEnd(what) => write!(f, "the {what} has no END"),
            Self::NoNumber(byte) => write!(f, "no number of the buffer begins at byte {byte}"),
            Self::Empty => {
                write!(f, "nothing is expected: the rectangle is empty, or there is no number")
            }
        }
    }
}
