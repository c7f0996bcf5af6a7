//! Functions: blocks of instructions whose operands are places in memory.

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

/// What a function does to whole operands: its result, of so many words.
pub(super) type Meaning = fn(&[Operand<'_>], &mut [u32]);

/// The words of an operand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operand<'w> {
    pub(super) words: &'w [u32],
    /// How many of them are one column.
    pub(super) rows: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) blocks: Vec<Block>,
    /// The numbers of its variables.
    pub(super) variables: Vec<usize>,
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) label: u32,
    /// What it is if it is the header of a loop.
    pub(super) header: Option<Header>,
    pub(super) phis: Vec<Phi>,
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
}

/// The header of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Its number among all headers.
    pub(super) number: usize,
    /// Where it is in the source.
    pub(super) position: Option<Position>,
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
    /// The sum that has been computed, or difference, rounded once where a device is rough: `a·b + c`, a and c with the
    /// opposite sign if so said.
    Contract {
        to: usize,
        of: [usize; 3],
        opposite: [bool; 2],
        words: usize,
    },
    /// A number of 64 bits for one of 32, and the other way round.
    Lengthen {
        to: usize,
        a: usize,
    },
    Shorten {
        to: usize,
        a: usize,
    },
    /// A function of whole operands.
    Apply {
        meaning: Meaning,
        to: usize,
        of: Box<[Argument]>,
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
    /// A component of a vector.
    Pick {
        to: usize,
        a: usize,
        index: Index,
    },
    /// A vector with another component.
    Replace {
        to: usize,
        a: usize,
        part: usize,
        index: Index,
    },
    Load {
        to: usize,
        place: Place,
    },
    Store {
        place: Place,
        a: usize,
    },
    /// A texel in a column and a row of a level. (Textures are where their number lies.)
    Fetch {
        to: usize,
        texture: usize,
        place: usize,
        offset: Option<usize>,
        level: Option<usize>,
    },
    /// A sample, without a level of the largest one.
    Sample {
        to: usize,
        texture: usize,
        place: usize,
        offset: Option<usize>,
        level: Option<Level>,
    },
    /// Width and height of a level.
    Size {
        to: usize,
        texture: usize,
        level: Option<usize>,
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
    /// How a value differs between the two pixels of a quad, in a row, in a column, or the sum of both sizes.
    Derivative {
        to: usize,
        a: usize,
        words: usize,
        axes: Axes,
    },
    /// The pixel is discarded, and goes on for its neighbours.
    Demote,
    /// Whether it is.
    IsDemoted {
        to: usize,
    },
    Call(Box<Call>),
}

/// Of which level a sample is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    /// Of that number, which may lie between two.
    Given(usize),
    /// Of that in which texels are as far apart as the place moves from pixel to pixel, to the right and down, and
    /// something added.
    Moved([usize; 2], Option<usize>),
}

/// Along what a derivative is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    X,
    Y,
    /// The sum of the sizes of both.
    Both,
}

/// A value that is given to a function of whole operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub(super) at: usize,
    pub(super) words: usize,
    /// How many of them are one column.
    pub(super) rows: usize,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: usize,
    pub(super) arguments: Vec<Passed>,
    /// Where the result goes.
    pub(super) to: usize,
}

/// What is passed to a function, and where its parameter lies.
#[derive(Clone, Debug)]
pub(super) enum Passed {
    Words { a: usize, to: usize, words: usize },
    Address { place: Place, to: usize },
}

/// Where words of a value lie in a space.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) space: Space,
    /// Where the address lies in memory that is to be added.
    pub(super) base: Option<usize>,
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
#[derive(Clone, Debug)]
pub(super) enum End {
    Branch(usize),
    Conditional {
        condition: usize,
        then: usize,
        otherwise: usize,
    },
    Switch {
        selector: usize,
        default: usize,
        /// Ascending.
        cases: Box<[(u32, usize)]>,
    },
    Return,
    /// With a value of so many words.
    ReturnValue {
        a: usize,
        words: usize,
    },
    /// The pixel is discarded.
    Kill,
    Unreachable,
}
