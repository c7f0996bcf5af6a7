//! Errors of the reader.

use thiserror::Error;

use crate::registers::{BlockId, Reg};

/// A violation of the text form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
pub struct ReadError {
    /// The line, from 1. For a text that ends too soon, the line after the last one.
    pub line: usize,
    /// The violation.
    pub kind: ReadErrorKind,
}

/// The kinds of violations.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadErrorKind {
    /// Something else stands there.
    #[error("{expected} is expected, not `{found}`")]
    Expected {
        /// The expected part.
        expected: &'static str,
        /// The rest of the line.
        found: String,
    },
    /// Columns of invocations are not in order.
    #[error("these columns are not in order")]
    Columns,
    /// A line ends too soon.
    #[error("{0} is expected, and the line ends")]
    LineEnds(&'static str),
    /// The text ends too soon.
    #[error("the text ends, and a line is expected")]
    TextEnds,
    /// A number is too large, or written otherwise than it is printed.
    #[error("`{0}` is not printed so")]
    Number(String),
    /// No operation has that name.
    #[error("`{0}` is no operation")]
    Operation(String),
    /// Groups have other shapes.
    #[error("no group has this shape")]
    Shape,
    /// Parts are numbered from 0, without gaps.
    #[error("number {found} stands where {expected} is due")]
    Order {
        /// The number that is due.
        expected: u32,
        /// The number in the text.
        found: u32,
    },
    /// A register is assigned with two types.
    #[error("{0} has another type elsewhere")]
    Retyped(Reg),
    /// A register is used and never assigned.
    #[error("nothing assigns {0}")]
    Unassigned(Reg),
    /// A block is jumped to that the function does not have.
    #[error("there is no {0}")]
    NoBlock(BlockId),
    /// A resource is named that the program does not have.
    #[error("there is no resource {0}")]
    NoResource(u32),
    /// The descriptor of a resource is not among the inputs, or elsewhere.
    #[error("the sizes of resource {0} are not among the inputs where it says")]
    Sizes(u32),
    /// An input is followed by the name of another.
    #[error("input {word} is {name}")]
    InputName {
        /// The word.
        word: u32,
        /// The name of that word.
        name: String,
    },
}

impl ReadErrorKind {
    /// This error in a line.
    pub(super) fn at(self, line: usize) -> ReadError {
        ReadError { line, kind: self }
    }
}
