//! The lane program: what a group of lanes executes together, whatever their number.
//!
//! It is structured SSA like a [schedule], with three differences. Vectors and matrices are
//! components of their own. Every value has a [`Rate`]: one number for all lanes, or one each. And
//! *control flow is the same for all lanes*: a condition is a single bool. Where the source
//! diverges, the lane program computes with masks: both arms of an `if` one after the other, a loop
//! until the last lane has left it. All decisions about masks are made here ([`lower`](mod@lower));
//! what comes after only picks instructions.
//!
//! # Lanes that are not active
//!
//! The language is pure, so an inactive lane, one outside the current mask, may hold any value: it
//! is *undefined*. Operations are never masked, but undefined values must not be *seen*. There are
//! three places where lanes meet:
//!
//! - an arm that needs it is entered only `if any` lane is active in it; after it a select by the
//!   `if`'s condition takes each lane's own value;
//! - a loop runs while `any` lane is *live*. The live mask begins as the mask of the place where
//!   the loop stands and only loses lanes, so undefined lanes neither begin a round nor prolong a
//!   loop;
//! - a lane's result is captured, by a select under the exit mask, in the round that it leaves.
//!   Loop parameters are not blended: those of a lane that has left are never looked at again.
//!
//! Inputs and resources are read only, and read whole: [`Expr::Load`] reads in inactive lanes, too. So an index is
//! made to lie inside by ordinary operations on all lanes, and the verifier finds them. So does [`Expr::Lookup`],
//! which reads a word of those that were computed once for the frame.
//!
//! An array that an index chooses from, and that is no input, is a value of its own kind
//! ([`Kind::Array`]): it is made, read ([`Expr::At`]) and made anew with another word
//! ([`Expr::Put`]), and passes through `if`s and loops, as one value. It is written for active lanes
//! only, and *what is not written keeps its words*: so an array of which one arm puts words in needs
//! no select after the `if`, and one that a loop goes round with holds the last words of lanes that
//! have left ([`lower`](mod@lower) says where). Which arrays share memory, and what is copied, is
//! decided by [`memory`] alone.
//!
//! Stores are whole: a group that reaches over an edge is stored beside the image, and its pixels
//! inside are copied from there. So are those of lanes that a table lists ([`Items::Listed`]): the caller has two
//! masks for them. The first says which lanes run, and is the execution mask. The second says which of
//! these are stored, and no code reads it.
//!
//! # Items
//!
//! Lanes compute pixels of a row of groups, whose coordinates follow from the group's place; or they compute
//! what a table lists, with a word for each lane in each [`Column`]. Words of a primitive
//! ([`Expr::Primitive`]) are the same for all lanes of a call; what is computed of them and of the frame alone
//! is computed once for the call.
//!
//! Every loop is entered under a mask with at least one lane: at the root that is the caller's part
//! ([`Expr::ExecutionMask`]); in a round the live mask has one; an arm with a loop in it stands
//! under `if any`. So an endless loop with a condition that is the same for all lanes runs only
//! where some pixel asked for it.
//!
//! A program for groups of one lane ([`Width::One`]) needs none of this: a lane agrees with itself,
//! so its control flow is that of the source.
//!
//! # Quads
//!
//! A derivative asks for an expression at the other pixel of a pair. Where lanes lie in whole quads, some of these
//! values are in the lanes already ([`Expr::Neighbour`]). The lane that is read may be inactive. So what is read
//! must be *whole*: right in every lane, whatever the masks are (`whole` defines it, `quads` says when
//! that is used).
//!
//! # Invariants (checked by [`verify()`])
//!
//! - Each value is defined once, and before its uses, by a statement or a loop of a block that
//!   encloses or is the block of the use.
//! - Kinds are those of [`Op::result`]; the yields of both arms of an `if`, and initial values,
//!   parameters and `rec` arguments of a loop, agree; its yields agree with its values.
//! - A value has at least the rate of each operand, except that [`Expr::Any`] brings every rate
//!   down to [`Rate::GROUP`]. Conditions are masks of no more than that rate.
//! - The values of an `if` have at least its condition's rate, and the values of a loop the rates
//!   of all conditions in its tail.
//! - The first [`LaneProgram::frame_len`] statements of the root compute with values of rate
//!   [`Rate::FRAME`] alone, and the [`LaneProgram::primitive_len`] after them with values of no more than
//!   [`Rate::PRIMITIVE`].
//! - Words of a primitive have the rate [`Rate::PRIMITIVE`], and there are as many as the program says. Only
//!   programs for listed lanes have any.
//! - The root yields four numbers for each attachment, at least one.
//! - The words of an [`Expr::Lookup`] are constants, or are computed by the first
//!   [`LaneProgram::frame_len`] statements of the root, and its value is not.
//! - An index of a [`Expr::Load`], [`Expr::Lookup`], [`Expr::At`] or [`Expr::Put`] is computed by operations whose operands' limits keep it
//!   inside, whatever the lanes hold. These limits are constants; of a resource, whose sizes are not known
//!   when code is made, they are words of the *same* resource's descriptor: an element is min-unsigned of
//!   anything and the last one; a texel is that, too, or it is a row, min-unsigned of anything and the
//!   last row of the first level, times the width, and a column, min-unsigned of anything and the last
//!   column. Then it is scaled by the words of a texel or an element (`extents` has the rules).
//! - What is read in other lanes is whole, and lanes lie in pairs or quads.
//! - Arrays are of every lane: varying, or, in a program for one lane, of the group.
//! - Blocks form a tree. `rec` stands in tails of loop bodies only, and each loop can be left.
//!
//! [schedule]: lambdav_core::schedule

mod arrays;
mod dead_code;
pub(crate) mod extents;
mod frame;
mod inputs;
pub mod interpret;
mod limits;
mod lower;
pub(crate) mod memory;
pub(crate) mod print;
mod quads;
mod rates;
mod sink;
mod sources;
mod straight_line;
mod value_numbering;
mod verify;
pub(crate) mod walk;
mod whole;

use std::ops::{BitOr, BitOrAssign};

use lambdav_core::graph::Side;
use lambdav_core::op::Elementary;
use lambdav_core::source::Span;

use crate::cost;
pub use crate::machine::Axis;
pub(crate) use dead_code::{lookups, uses};
pub(crate) use extents::Bound;
pub use extents::{Descriptors, Extent, Extents, Mismatch, Resource};
pub use inputs::InputWords;
pub use lower::lower;
pub use straight_line::StraightLine;
pub use verify::{VerifyError, verify};

/// What one lane of a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 32 bits, two's complement or without sign, as operations take them.
    I32,
    /// 64 bits, two's complement.
    I64,
    /// True or false. Only selects and the operations of logic look into it: it may be a vector of
    /// all-ones and zeros as well as a bit of a mask register.
    Mask,
    /// So many words, each of them `F32` or `I32` as who reads it says, in memory. Values of the
    /// kind are of every lane, and no operation of [`Op`] takes them.
    Array(u32),
}

impl Kind {
    /// Whether it is `F32` or `F64`.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Whether it is `I32` or `I64`.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    /// Of an array, how many words it has.
    pub fn words(self) -> Option<u32> {
        match self {
            Self::Array(words) => Some(words),
            _ => None,
        }
    }
}

/// What a value may differ by: between primitives, between groups, between the columns of a group, between its
/// rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate(u8);

impl Rate {
    /// One for the whole frame.
    pub const FRAME: Self = Self(0);
    /// One for each primitive, of which a call computes one.
    pub const PRIMITIVE: Self = Self(0b0001);
    /// One for each group of lanes.
    pub const GROUP: Self = Self(0b0011);
    /// One for each column.
    pub const X: Self = Self(0b0111);
    /// One for each row.
    pub const Y: Self = Self(0b1011);
    /// One for each lane.
    pub const VARYING: Self = Self(0b1111);

    /// Whether all lanes of a group have the same value.
    pub fn is_uniform(self) -> bool {
        self.0 <= Self::GROUP.0
    }

    /// Whether a value of this rate may depend on one of that.
    pub fn includes(self, other: Self) -> bool {
        self.0 | other.0 == self.0
    }
}

impl BitOr for Rate {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Rate {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// A value of a [`LaneProgram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

impl ValueId {
    /// The index into [`LaneProgram::values`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block of a [`LaneProgram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The index into [`LaneProgram::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// What one lane of it is.
    pub kind: Kind,
    /// What it may differ by.
    pub rate: Rate,
}

/// An operation that computes each lane from the same lane of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Of floats: the sign bit flipped.
    Neg,
    /// Of floats: the sign bit cleared.
    Abs,
    /// Of floats: toward −∞.
    Floor,
    /// Of floats: toward +∞.
    Ceil,
    /// Of floats: toward zero.
    Trunc,
    /// Of floats: to nearest, ties to even.
    RoundEven,
    /// Of floats: IEEE square root.
    Sqrt,
    /// Of two of a kind; of integers modulo their size.
    Add,
    /// Of two of a kind; of integers modulo their size.
    Sub,
    /// Of two floats or two `I32`, modulo their size.
    Mul,
    /// Of two `I32`: the upper half of the product, without signs.
    MulHigh,
    /// Of two floats.
    Div,
    /// `(a, b, c)`, of three `F32`: a·b + c, rounded once.
    Fma,
    /// Of two floats or two signed `I32`: `b < a ? b : a`.
    Min,
    /// Of two floats or two signed `I32`: `a < b ? b : a`.
    Max,
    /// Of two `I32` without signs.
    MinUnsigned,
    /// Of two `I32` without signs.
    MaxUnsigned,
    /// Of two of a kind, to a mask; integers are signed.
    Less,
    /// Of two of a kind, to a mask; integers are signed.
    LessEqual,
    /// Of two `I32` without signs, to a mask.
    LessUnsigned,
    /// Of two `I32` without signs, to a mask.
    LessEqualUnsigned,
    /// Of two of a kind, masks too, to a mask.
    Equal,
    /// The negation of [`Op::Equal`].
    NotEqual,
    /// Of masks or integers.
    And,
    /// Of masks or integers: `a` and not `b`.
    AndNot,
    /// Of masks or integers.
    Or,
    /// Of integers.
    Xor,
    /// Of masks or integers.
    Not,
    /// Of integers: to the left by a constant below their size.
    ShiftLeft(u8),
    /// Of integers: to the right by a constant below their size, zeros shifted in.
    ShiftRight(u8),
    /// Of `I32`: to the right by a constant below 32, the sign shifted in.
    ShiftRightSigned(u8),
    /// Of two `I32`: to the left by the second. Any bits where that is not below 32.
    ShiftLeftBy,
    /// Of two `I32`: to the right by the second, zeros shifted in. Any bits where that is not below
    /// 32.
    ShiftRightBy,
    /// Of two `I32`: to the right by the second, the sign shifted in. Any bits where that is not
    /// below 32.
    ShiftRightSignedBy,
    /// `(c, a, b)`: by a mask, `a` where it holds, else `b`.
    Select,
    /// From `F32` to `F64`, exactly.
    Promote,
    /// From `F64` to `F32`, to nearest even.
    Demote,
    /// From `I32` to `F32`, to nearest even.
    FromInteger,
    /// From `I32` without sign to `F32`, to nearest even.
    FromUnsigned,
    /// From `F32` to `I32`: toward zero, what is too large or too small to the last that there is,
    /// NaN to 0.
    ToInteger,
    /// The same to `I32` without sign.
    ToUnsigned,
    /// From `F32` to `I32`: toward zero. Any bits of what does not fit.
    ToIntegerInRange,
    /// From `I32` to `I64`, zeros above.
    Widen,
    /// From `I64` to `I32`: the lower half.
    Narrow,
    /// The bits of a float as an integer of its size, or of an integer as a float.
    Bits,
}

impl Op {
    /// The kind of the result for operands of these kinds, or `None` where the operation is not
    /// defined on them.
    pub fn result(self, operands: &[Kind]) -> Option<Kind> {
        if operands.iter().any(|kind| kind.words().is_some()) {
            return None;
        }
        match (self, operands) {
            (
                Self::Neg
                | Self::Abs
                | Self::Floor
                | Self::Ceil
                | Self::Trunc
                | Self::RoundEven
                | Self::Sqrt,
                &[a],
            ) if a.is_float() => Some(a),
            (Self::Add | Self::Sub, &[a, b]) if a == b && a != Kind::Mask => Some(a),
            (Self::Mul | Self::Min | Self::Max, &[a, b])
                if a == b && (a.is_float() || a == Kind::I32) =>
            {
                Some(a)
            }
            (Self::Div, &[a, b]) if a == b && a.is_float() => Some(a),
            (Self::Fma, &[Kind::F32, Kind::F32, Kind::F32]) => Some(Kind::F32),
            (
                Self::MulHigh
                | Self::MinUnsigned
                | Self::MaxUnsigned
                | Self::ShiftLeftBy
                | Self::ShiftRightBy
                | Self::ShiftRightSignedBy,
                &[Kind::I32, Kind::I32],
            ) => Some(Kind::I32),
            (Self::Less | Self::LessEqual, &[a, b]) if a == b && a != Kind::Mask => {
                Some(Kind::Mask)
            }
            (Self::LessUnsigned | Self::LessEqualUnsigned, &[Kind::I32, Kind::I32]) => {
                Some(Kind::Mask)
            }
            (Self::Equal | Self::NotEqual, &[a, b]) if a == b => Some(Kind::Mask),
            (Self::And | Self::AndNot | Self::Or, &[a, b]) if a == b && !a.is_float() => Some(a),
            (Self::Xor, &[a, b]) if a == b && a.is_integer() => Some(a),
            (Self::Not, &[a]) if !a.is_float() => Some(a),
            (
                Self::ShiftLeft(n) | Self::ShiftRight(n) | Self::ShiftRightSigned(n),
                &[Kind::I32],
            ) if n < 32 => Some(Kind::I32),
            (Self::ShiftLeft(n) | Self::ShiftRight(n), &[Kind::I64]) if n < 64 => Some(Kind::I64),
            (Self::Select, &[Kind::Mask, a, b]) if a == b => Some(a),
            (Self::Promote, &[Kind::F32]) => Some(Kind::F64),
            (Self::Demote, &[Kind::F64]) => Some(Kind::F32),
            (Self::FromInteger | Self::FromUnsigned, &[Kind::I32]) => Some(Kind::F32),
            (Self::ToInteger | Self::ToUnsigned | Self::ToIntegerInRange, &[Kind::F32]) => {
                Some(Kind::I32)
            }
            (Self::Widen, &[Kind::I32]) => Some(Kind::I64),
            (Self::Narrow, &[Kind::I64]) => Some(Kind::I32),
            (Self::Bits, &[a]) => match a {
                Kind::F32 => Some(Kind::I32),
                Kind::I32 => Some(Kind::F32),
                Kind::F64 => Some(Kind::I64),
                Kind::I64 => Some(Kind::F64),
                Kind::Mask | Kind::Array(_) => None,
            },
            _ => None,
        }
    }
}

/// Which lanes of its operands a computation looks at to make one lane of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The same lane: undefined lanes stay where they are.
    Own,
    /// A lane of its quad: the operand is whole, that is, right in every lane.
    Quad,
    /// All lanes: the operand must have been restricted to the lanes that count.
    All,
}

/// What an [`Expr::Load`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The words of [`LaneProgram::inputs`].
    Inputs,
    /// The words of the resource of that number: of a texture red, green, blue and alpha, texel by
    /// texel; of a buffer its elements' components.
    Resource(u32),
    /// Of a register program, the words of its slots, two for each, as they lie in memory. (Lane programs
    /// have [`Expr::Lookup`].)
    Slots,
}

/// What the words of each [`Space`] are, to say whether one is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spaces<'a> {
    /// How many words of input there are.
    pub(crate) inputs: usize,
    pub(crate) resources: &'a Descriptors,
    pub(crate) slots: usize,
}

impl Spaces<'_> {
    /// How many words there are to be read, as far as that is known when code is made.
    pub(crate) fn words(self, space: Space) -> Option<usize> {
        match space {
            Space::Inputs => Some(self.inputs),
            Space::Resource(number) => self.resources.words_of(number).map(|words| words as usize),
            Space::Slots => Some(2 * self.slots),
        }
    }

    /// Whether the word that many after the first, for an index within a bound, and so many more after it
    /// are there.
    pub(crate) fn hold(self, space: Space, first: u32, more: u32, index: Bound) -> bool {
        if let Space::Resource(number) = space {
            return self.resources.holds(number, first, more, index);
        }
        let last = u64::from(first) + u64::from(more) + u64::from(index.most);
        self.words(space).is_some_and(|words| last < words as u64)
    }
}

/// A computation without control flow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Its bits, in the lower part of the word; 0 or 1 of a mask.
    Constant(u64),
    /// Any bits: for a value that no lane will look at.
    Undefined,
    /// That word of [`LaneProgram::inputs`], as `F32` or `I32`, or, of a mask, compared with zero.
    Input(u32),
    /// That word of the primitive, as `F32` or `I32`.
    Primitive(u32),
    /// The word of a space that many words after the first, as `F32` or `I32`. In every lane, active or
    /// not, there must be one.
    Load {
        /// What is read.
        space: Space,
        /// Where the index counts from.
        first: u32,
        /// An `I32` without sign.
        index: ValueId,
    },
    /// Of these words, which are the same for the frame, the one that many after the first, as `F32` or
    /// `I32`. In every lane, active or not, there must be one.
    Lookup {
        /// The words, `F32` or `I32`.
        words: Box<[ValueId]>,
        /// Where the index counts from.
        first: u32,
        /// An `I32` without sign.
        index: ValueId,
    },
    /// An array of these words.
    Array(Box<[ValueId]>),
    /// An array of the words of [`LaneProgram::inputs`] from that one on.
    Table(u32),
    /// The word of an array that many after the first. In every lane, active or not, there must be
    /// one.
    At {
        /// The array.
        array: ValueId,
        /// Where the index counts from.
        first: u32,
        /// An `I32` without sign, or 0.
        index: Option<ValueId>,
    },
    /// An array with that word in place of one. In every lane, active or not, there must be one.
    Put {
        /// The array.
        array: ValueId,
        /// Where the index counts from.
        first: u32,
        /// An `I32` without sign, or 0.
        index: Option<ValueId>,
        /// `F32` or `I32`.
        word: ValueId,
        /// The lanes in which it is replaced, if not all: *the others keep what they have*.
        mask: Option<ValueId>,
    },
    /// `[a, b]`, of two arrays: in the lanes of the mask the first, in the others the second.
    Merge(ValueId, [ValueId; 2]),
    /// `frag-coord`: the number of the pixel's column or row, plus one half. `F32`.
    Coordinate(Axis),
    /// The lanes that are active in the group: at least one.
    ExecutionMask,
    /// An operation on its operands.
    Op(Op, Box<[ValueId]>),
    /// A correctly rounded function of the operands, in the lanes of the mask; any bits in the
    /// others.
    Elementary {
        /// Which.
        function: Elementary,
        /// One or two of kind `F32`.
        operands: Box<[ValueId]>,
        /// The lanes that matter; absent if the value is the same for all of them.
        mask: Option<ValueId>,
    },
    /// What the lane of another pixel of the quad holds. `F32` or `I32`, and [whole](self#quads).
    Neighbour {
        /// Of this value.
        of: ValueId,
        /// Along which axis the pixel lies.
        axis: Axis,
        /// Which of the two there.
        side: Side,
    },
    /// Whether any lane of a mask is set.
    Any(ValueId),
}

impl Expr {
    /// What it costs for one register, in simple operations.
    pub fn cost(&self) -> u64 {
        match self {
            Self::Elementary { .. } => cost::ELEMENTARY,
            Self::Op(Op::Div | Op::Sqrt, _) => cost::DIVISION,
            Self::Op(..) | Self::Neighbour { .. } => 1,
            Self::Load { .. } | Self::Lookup { .. } | Self::At { index: Some(_), .. } => cost::LOAD,
            Self::Put { index: Some(_), .. } => cost::STORE,
            Self::At { .. } | Self::Put { .. } => 1,
            Self::Array(words) => words.len() as u64,
            _ => 0,
        }
    }
}

impl Expr {
    /// Which lanes it looks at.
    pub fn reads(&self) -> Reads {
        match self {
            Self::Any(_) => Reads::All,
            Self::Neighbour { .. } => Reads::Quad,
            _ => Reads::Own,
        }
    }

    /// The values that it uses.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        let (several, others): (&[ValueId], [Option<ValueId>; 3]) = match self {
            Self::Constant(_)
            | Self::Undefined
            | Self::Input(_)
            | Self::Primitive(_)
            | Self::Table(_)
            | Self::Coordinate(_)
            | Self::ExecutionMask => (&[], [None; 3]),
            Self::Op(_, operands) | Self::Array(operands) => (operands, [None; 3]),
            Self::Elementary { operands, mask, .. } => (operands, [*mask, None, None]),
            Self::Any(mask) => (&[], [Some(*mask), None, None]),
            Self::Load { index: of, .. } | Self::Neighbour { of, .. } => {
                (&[], [Some(*of), None, None])
            }
            Self::Lookup { words, index, .. } => (words, [Some(*index), None, None]),
            Self::At { array, index, .. } => (std::slice::from_ref(array), [*index, None, None]),
            Self::Put { array, index, word, mask, .. } => {
                (std::slice::from_ref(array), [*index, Some(*word), *mask])
            }
            Self::Merge(mask, arrays) => (arrays, [Some(*mask), None, None]),
        };
        several.iter().copied().chain(others.into_iter().flatten())
    }
}

/// A step of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Computes a value.
    Let {
        /// The value defined.
        value: ValueId,
        /// What it is.
        expr: Expr,
    },
    /// Executes one of two blocks, whose yields become the values.
    If {
        /// The values defined.
        values: Box<[ValueId]>,
        /// A mask that is the same for all lanes.
        condition: ValueId,
        /// The block for true.
        then: BlockId,
        /// The block for false.
        otherwise: BlockId,
    },
    /// Binds the parameters to the initial values and executes the body until it yields.
    Loop {
        /// The values defined.
        values: Box<[ValueId]>,
        /// The parameters, defined in the body.
        params: Box<[ValueId]>,
        /// Their initial values.
        inits: Box<[ValueId]>,
        /// The body.
        body: BlockId,
        /// Which of [`LaneProgram::sites`] it is.
        site: u32,
    },
}

impl Statement {
    /// The values that the statement defines for those after it.
    pub fn values(&self) -> &[ValueId] {
        match self {
            Self::Let { value, .. } => std::slice::from_ref(value),
            Self::If { values, .. } | Self::Loop { values, .. } => values,
        }
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// With these values.
    Yield(Box<[ValueId]>),
    /// With the next round of the innermost loop.
    Rec(Box<[ValueId]>),
    /// As one of two blocks ends.
    If {
        /// A mask that is the same for all lanes.
        condition: ValueId,
        /// The block for true.
        then: BlockId,
        /// The block for false.
        otherwise: BlockId,
    },
}

/// Statements in order, and what comes after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// How the block ends.
    pub end: End,
}

/// What a word of a program's inputs stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputWord {
    /// Width or height of the image.
    Resolution(Axis),
    /// The time in seconds.
    Time,
    /// The number of the frame.
    Frame,
    /// That component of the mouse.
    Mouse(u8),
    /// A word of a uniform: its index in the program, and the component.
    Uniform(u32, u32),
    /// A word of the descriptor of the resource of that number.
    Extent(u32, Extent),
    /// These bits: a word of a constant array.
    Constant(u32),
}

/// For groups of how many lanes a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Of any number, wherever they lie.
    Any,
    /// Of any number in whole pairs: with a pixel of an even column lies the next one of its row, and
    /// the other way round.
    Pairs,
    /// Of any number in whole quads: pairs of rows, too.
    Quads,
    /// Of one: what differs between pixels is of the group ([`Rate::GROUP`]), so that nothing
    /// diverges and nothing is masked.
    One,
}

/// What the lanes of a group compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Items {
    /// Pixels side by side: their coordinates follow from the place of the group.
    #[default]
    Rows,
    /// What a table lists: for each group its columns one after the other, in each of them a word a lane.
    Listed,
}

impl Items {
    /// What the column or the row of a pixel differs by.
    pub fn rate(self, width: Width, axis: Axis) -> Rate {
        match (self, width, axis) {
            (Self::Listed, ..) | (_, Width::One, _) => width.lanes(),
            (_, _, Axis::X) => Rate::X,
            (_, _, Axis::Y) => Rate::Y,
        }
    }
}

/// A column of the table of lanes ([`Items::Listed`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// All ones in lanes that run, else zero.
    Mask,
    /// The centre of the pixel's column, `F32`.
    X,
    /// The centre of the pixel's row, `F32`.
    Y,
}

impl Column {
    /// All of them, in the order in which they lie.
    pub const ALL: [Self; 3] = [Self::Mask, Self::X, Self::Y];

    /// That of a coordinate.
    pub fn of(axis: Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
        }
    }
}

/// How a scheduled program becomes a lane program.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// For groups of how many lanes.
    pub width: Width,
    /// What the lanes compute.
    pub items: Items,
    /// Whether what all pixels, or all of a primitive, compute alike is moved to the front of the root. Without
    /// that, loops stand in the order of the schedule, so that of several loops that exceed their limit the
    /// same is met first.
    pub hoist: bool,
    /// The sizes of the program's resources, as far as they are to be baked.
    pub extents: &'a [Extents],
    /// The indices of uniforms that are words of the primitive, in their order: numbers and vectors without truth
    /// values. Only listed lanes have them.
    pub of_primitive: &'a [u32],
}

impl Options<'_> {
    /// For rows of groups of that width, hoisted, with nothing baked.
    pub fn new(width: Width) -> Self {
        Self { width, items: Items::Rows, hoist: true, extents: &[], of_primitive: &[] }
    }
}

impl Width {
    /// What is of each lane differs by.
    pub fn lanes(self) -> Rate {
        match self {
            Self::One => Rate::GROUP,
            Self::Any | Self::Pairs | Self::Quads => Rate::VARYING,
        }
    }

    /// Whether a lane may read that of its neighbour along an axis.
    pub fn shares(self, axis: Axis) -> bool {
        match self {
            Self::Any | Self::One => false,
            Self::Pairs => axis == Axis::X,
            Self::Quads => true,
        }
    }
}

/// A lane program.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneProgram {
    /// For how many lanes it is.
    pub width: Width,
    /// What the lanes compute.
    pub items: Items,
    /// All values, in order of creation.
    pub values: Vec<ValueInfo>,
    /// All blocks; the first is the root, which yields red, green, blue and alpha of each attachment.
    pub blocks: Vec<Block>,
    /// How many of the root's first statements are executed once for the frame.
    pub frame_len: usize,
    /// How many of the root's statements after those are executed once for the primitive.
    pub primitive_len: usize,
    /// How many words a primitive has.
    pub primitive_words: u32,
    /// The words that [`Expr::Input`] refers to.
    pub inputs: InputWords,
    /// The formats of resources, and where their sizes are.
    pub resources: Descriptors,
    /// Where the loops are in the source.
    pub sites: Vec<Span>,
    /// How many loops lie around the innermost block.
    pub loop_nesting: usize,
}

impl LaneProgram {
    /// The root block.
    pub const ROOT: BlockId = BlockId(0);

    /// The block of that index.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// What one lane of a value is.
    pub fn kind(&self, id: ValueId) -> Kind {
        self.values[id.index()].kind
    }

    /// What a value may differ by.
    pub fn rate(&self, id: ValueId) -> Rate {
        self.values[id.index()].rate
    }

    /// How many values there are, and operands of ends of blocks; and how many such operands one
    /// block has at most.
    pub(crate) fn size(&self) -> (usize, usize) {
        let ends = self.blocks.iter().map(|block| match &block.end {
            End::Yield(values) | End::Rec(values) => values.len(),
            End::If { .. } => 1,
        });
        let (sum, most) = ends.fold((0, 0), |(sum, most), of| (sum + of, usize::max(most, of)));
        (self.values.len() + sum, most)
    }

    /// How many attachments there are.
    pub fn attachments(&self) -> usize {
        self.outputs().len() / 4
    }

    /// Red, green, blue and alpha of each attachment.
    pub fn outputs(&self) -> &[ValueId] {
        match &self.block(Self::ROOT).end {
            End::Yield(values) => values,
            End::Rec(_) | End::If { .. } => unreachable!("the root yields"),
        }
    }
}
