//! Decoded functions: blocks of steps whose operands are places in memory.

use super::arithmetic::{Binary, Unary};
use super::values::{ImageType, Index, Space};

/// A source position; lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The id of the file.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A function of whole operands; it writes the words of the result.
pub(super) type Meaning = fn(&[Operand<'_>], &mut [u32]);

/// The words of an operand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operand<'w> {
    pub(super) words: &'w [u32],
    /// Words per column.
    pub(super) rows: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) blocks: Vec<Block>,
    /// Indices of its variables.
    pub(super) variables: Vec<usize>,
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) label: u32,
    /// Set for the header of a loop.
    pub(super) header: Option<Header>,
    pub(super) phis: Vec<Phi>,
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
}

/// The header of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Index among all headers.
    pub(super) number: usize,
    /// Position in the source.
    pub(super) position: Option<Position>,
}

/// A φ.
#[derive(Clone, Debug)]
pub(super) struct Phi {
    pub(super) to: usize,
    pub(super) words: usize,
    /// Predecessors in ascending order, each with the place of its value.
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
    /// Contracts the preceding sum or difference on a rough device: `a·b + c` rounded once, where
    /// `opposite` negates a and c.
    Contract {
        to: usize,
        of: [usize; 3],
        opposite: [bool; 2],
        words: usize,
    },
    /// Converts a number of 32 bits to 64 bits; `Shorten` converts back.
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
    /// Selects by component; `stride` is 0 if one condition holds for all components, else 1.
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
    /// Composes a value from parts of others.
    Compose {
        to: usize,
        parts: Box<[Part]>,
    },
    /// Extracts a component of a vector by a dynamic index.
    Pick {
        to: usize,
        a: usize,
        index: Index,
    },
    /// Replaces a component of a vector by a dynamic index.
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
    /// Stores into memory that other invocations see. `numbers` are the words that are floats.
    Write {
        place: Place,
        a: usize,
        numbers: Box<[bool]>,
    },
    /// Replaces a word of such memory in one step. `to` is the place of the old word.
    Atomic {
        to: Option<usize>,
        function: Atomic,
        place: Place,
        operand: Option<usize>,
        comparand: Option<usize>,
    },
    /// Waits for the other invocations of the workgroup.
    Barrier,
    /// Fetches a texel of a level. `texture` is the place of the texture's number.
    Fetch {
        to: usize,
        texture: usize,
        ty: ImageType,
        place: usize,
        offset: Option<usize>,
        level: Option<usize>,
        sample: Option<usize>,
    },
    /// Reads a texture by a sampler.
    Sample(Box<Sample>),
    /// The number of the element of an array of textures or samplers: that of the first, plus a clamped index.
    Element {
        to: usize,
        first: usize,
        index: Index,
    },
    /// The sides of a level, and its layers.
    Size {
        to: usize,
        texture: usize,
        ty: ImageType,
        level: Option<usize>,
    },
    /// Number of samples of a texel.
    Samples {
        to: usize,
        texture: usize,
    },
    /// Number of elements of the last array of a memory, which begins at `offset`.
    Elements {
        to: usize,
        memory: usize,
        offset: usize,
        stride: usize,
    },
    /// Number of elements of a buffer.
    Length {
        to: usize,
        buffer: usize,
    },
    /// Number of levels of a texture.
    Levels {
        to: usize,
        texture: usize,
    },
    /// Difference of a value between pixels of the quad.
    Derivative {
        to: usize,
        a: usize,
        words: usize,
        axes: Axes,
    },
    /// The value of another pixel of the quad.
    Swap {
        to: usize,
        a: usize,
        words: usize,
        /// Place of the direction: 0 horizontal, 1 vertical, 2 diagonal.
        direction: usize,
    },
    /// Discards the pixel but continues its execution for its neighbours.
    Demote,
    /// Tells an observer a message; nothing else.
    Print,
    /// True if the pixel was discarded.
    IsDemoted {
        to: usize,
    },
    Call(Box<Call>),
}

/// The new word of an atomic operation, from the old word, the operand and, for `CompareExchange`, the comparand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atomic {
    Load,
    /// The operand; a store is an exchange without a result.
    Exchange,
    CompareExchange,
    Increment,
    Decrement,
    Add,
    Sub,
    IntMin,
    UintMin,
    IntMax,
    UintMax,
    And,
    Or,
    Xor,
}

impl Atomic {
    pub(super) fn apply(self, old: u32, operand: u32, comparand: u32) -> u32 {
        match self {
            Self::Load => old,
            Self::Exchange => operand,
            Self::CompareExchange => {
                if old == comparand {
                    operand
                } else {
                    old
                }
            }
            Self::Increment => old.wrapping_add(1),
            Self::Decrement => old.wrapping_sub(1),
            Self::Add => old.wrapping_add(operand),
            Self::Sub => old.wrapping_sub(operand),
            Self::IntMin => (old as i32).min(operand as i32) as u32,
            Self::UintMin => old.min(operand),
            Self::IntMax => (old as i32).max(operand as i32) as u32,
            Self::UintMax => old.max(operand),
            Self::And => old & operand,
            Self::Or => old | operand,
            Self::Xor => old ^ operand,
        }
    }
}

/// A read of a texture by a sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) to: usize,
    /// Places of the numbers of both.
    pub(super) texture: usize,
    pub(super) sampler: usize,
    pub(super) ty: ImageType,
    pub(super) place: usize,
    pub(super) reference: Option<usize>,
    pub(super) offset: Option<usize>,
    /// Without one, the largest.
    pub(super) level: Option<Level>,
    pub(super) least_level: Option<usize>,
    pub(super) result: SampleResult,
}

/// The result of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) enum SampleResult {
    /// A colour, or the mean of comparisons.
    Filtered,
    /// A component of the four texels; with the place of four offsets, if there are.
    Gathered { component: usize, offsets: Option<usize> },
    /// The level that is taken, and the level of detail.
    Level,
}

impl Sample {
    /// The number of words of its result.
    pub(super) fn words(&self) -> usize {
        match self.result {
            SampleResult::Filtered if self.reference.is_some() => 1,
            SampleResult::Filtered | SampleResult::Gathered { .. } => 4,
            SampleResult::Level => 2,
        }
    }

    /// Places of its operands.
    pub(super) fn operands(&self) -> Vec<usize> {
        let level: Vec<usize> = match self.level {
            Some(Level::Given(at)) => vec![at],
            Some(Level::Moved(by, bias)) => by.into_iter().chain(bias).collect(),
            None => Vec::new(),
        };
        let offsets = match self.result {
            SampleResult::Gathered { offsets, .. } => offsets,
            _ => None,
        };
        let all = [self.texture, self.sampler, self.place].into_iter();
        let all = all.chain(self.reference).chain(self.offset).chain(offsets);
        all.chain(self.least_level).chain(level).collect()
    }
}

/// Level of detail of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    /// An explicit level, which may lie between two.
    Given(usize),
    /// From the movement of the sample position to the pixels on the right and below, plus a bias.
    Moved([usize; 2], Option<usize>),
}

/// Direction of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    X,
    Y,
    /// The sum of the absolute values of both.
    Both,
}

/// An operand of a function of whole operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub(super) at: usize,
    pub(super) words: usize,
    /// Words per column.
    pub(super) rows: usize,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: usize,
    pub(super) arguments: Vec<Passed>,
    /// Place of the result.
    pub(super) to: usize,
}

/// An argument, and the place of its parameter.
#[derive(Clone, Debug)]
pub(super) enum Passed {
    Words { a: usize, to: usize, words: usize },
    Address { place: Place, to: usize },
}

/// Place of a value's words in a space.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) space: Space,
    /// Place of a base address, which is added.
    pub(super) base: Option<usize>,
    pub(super) at: usize,
    pub(super) indices: Box<[Index]>,
    pub(super) words: Words,
}

/// Layout of a value's words.
#[derive(Clone, Debug)]
pub(super) enum Words {
    /// Number of consecutive words.
    Together(usize),
    /// Offset of each word from the value's beginning.
    Apart(Box<[u32]>),
}

/// A run of words of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Place of the value, whose definedness is checked.
    pub(super) value: usize,
    /// Place of the words.
    pub(super) at: usize,
    pub(super) words: usize,
}

/// Terminator of a block. Blocks are indices.
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
        /// Ascending by literal.
        cases: Box<[(u32, usize)]>,
    },
    Return,
    /// Returns a value of that many words.
    ReturnValue {
        a: usize,
        words: usize,
    },
    /// Discards the pixel.
    Kill,
    Unreachable,
}

impl End {
    /// The blocks that may follow.
    pub(super) fn targets(&self) -> Vec<usize> {
        match self {
            Self::Branch(target) => vec![*target],
            Self::Conditional { then, otherwise, .. } => vec![*then, *otherwise],
            Self::Switch { default, cases, .. } => {
                cases.iter().map(|&(_, target)| target).chain([*default]).collect()
            }
            Self::Return | Self::ReturnValue { .. } | Self::Kill | Self::Unreachable => Vec::new(),
        }
    }
}
