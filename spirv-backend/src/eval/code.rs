//! The function: blocks of instructions whose operands are places in memory.

use super::arithmetic::{Binary, Unary};
use super::values::{Index, Space};

/// A place in the source, lines and columns from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The id of the file.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) label: u32,
    /// Whether it is the header of a loop, and where that is in the source.
    pub(super) header: Option<Option<Position>>,
    pub(super) phis: Vec<Phi>,
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
}

/// A value that depends on where control came from.
#[derive(Clone, Debug)]
pub(super) struct Phi {
    pub(super) to: usize,
    pub(super) words: usize,
    /// Index of a block, ascending, and where the value for it lies.
    pub(super) ways: Vec<(usize, usize)>,
}

/// An instruction. `to`, `a`, `b` … are places in memory.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Unary {
        function: Unary,
        to: usize,
        a: usize,
        words: usize,
    },
    Binary {
        function: Binary,
        to: usize,
        a: usize,
        b: usize,
        words: usize,
    },
    /// `a·b + c`, rounded once.
    Fma {
        to: usize,
        of: [usize; 3],
        words: usize,
    },
    /// Componentwise; `stride` is 0 for one condition for all, else 1.
    Select {
        to: usize,
        condition: usize,
        a: usize,
        b: usize,
        words: usize,
        stride: usize,
    },
    Any {
        to: usize,
        a: usize,
        words: usize,
    },
    All {
        to: usize,
        a: usize,
        words: usize,
    },
    /// A value from parts of others: `value` names each (its first word says whether it is
    /// defined).
    Compose {
        to: usize,
        parts: Box<[Part]>,
    },
    /// A component of a vector of so many.
    Pick {
        to: usize,
        a: usize,
        index: usize,
        count: usize,
    },
    /// A vector with another component.
    Replace {
        to: usize,
        a: usize,
        part: usize,
        index: usize,
        count: usize,
    },
    Load {
        to: usize,
        place: Place,
    },
    Store {
        place: Place,
        a: usize,
    },
    /// A texel in a column and a row of a level.
    Fetch {
        to: usize,
        texture: usize,
        place: usize,
        level: usize,
    },
    /// Width and height of a level.
    Size {
        to: usize,
        texture: usize,
        level: usize,
    },
    /// How many elements a buffer has.
    Length {
        to: usize,
        buffer: usize,
    },
    /// How many levels there are.
    Levels {
        to: usize,
        texture: usize,
    },
}

/// Where words of a value lie in a space.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) at: usize,
    pub(super) indices: Box<[Index]>,
    pub(super) words: Words,
}

/// How the words of a value lie.
#[derive(Clone, Debug)]
pub(super) enum Words {
    /// So many, one after the other.
    Together(usize),
    /// Each so many words from where the value begins.
    Apart(Box<[u32]>),
}

/// Words of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Where the value begins.
    pub(super) value: usize,
    /// Where the words are.
    pub(super) at: usize,
    pub(super) words: usize,
}

/// How a block ends. Blocks are indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Branch(usize),
    Conditional { condition: usize, then: usize, otherwise: usize },
    Return,
    Unreachable,
}
