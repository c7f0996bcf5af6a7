//! The lane program: the computation of a group of lanes, for any number of lanes.
//!
//! A lane program is structured SSA like a [schedule], with three differences. Vectors and matrices are
//! split into components. Every value has a [`Rate`], from uniform over the frame to varying. *Control flow
//! is uniform*: a condition is a single bool for all lanes. Divergent control flow becomes masks: both arms
//! of an `if` are executed one after the other, and a loop runs until the last lane has left it. All
//! decisions about masks are made here ([`lower`](mod@lower)); later stages only select instructions.
//!
//! # Inactive lanes
//!
//! The language is pure, so an inactive lane (one outside the current mask) may hold any value: it is
//! *undefined*. Operations are never masked, but undefined values must not affect any active lane. Lanes
//! meet in three places:
//!
//! - A divergent arm that needs a test is entered only `if any` lane is active in it. After the `if`, a
//!   select by the condition takes each lane's value.
//! - A loop runs while `any` lane is *live*. The initial live mask is the mask at the loop, and lanes only
//!   leave it. So undefined lanes neither start a round nor prolong a loop.
//! - The result of a lane is captured in the round in which the lane leaves, by a select under the exit
//!   mask. Loop parameters are not blended: those of a lane that has left are never read again.
//!
//! Inputs and resources are read-only, and loads are not masked: [`LaneExpr::Load`] reads in inactive lanes
//! too, and so does [`LaneExpr::Lookup`], which reads one of the words that were computed once for the frame.
//! So ordinary operations on all lanes clamp every index, and the verifier checks for them.
//!
//! An array that is dynamically indexed and is no input is a value of its own kind ([`Kind::Array`]). It is
//! made, read ([`LaneExpr::At`]), updated to a new array ([`LaneExpr::Put`]), and passed through `if`s and loops as
//! one value. Updates store in active lanes only, and *unwritten words keep their values*. So an array that
//! one arm updates needs no select after the `if`, and an array that a loop updates holds the final words
//! of lanes that have left ([`lower`](mod@lower) has the rules). Only [`memory`] decides which arrays share
//! memory and which copies are made.
//!
//! Pixels are not masked either. A group that crosses an edge is stored in a buffer beside the image, and
//! its pixels inside are copied from there. Listed lanes ([`Items::Listed`]) are stored beside the image
//! too. The caller has two masks for them: the run mask is the execution mask, and the store mask selects
//! the lanes that are stored. No code reads the store mask.
//!
//! # Items
//!
//! Lanes compute rows of pixels, listed pixels, or invocations of a dispatch. In rows, the coordinates of pixels
//! follow from the group's position. Other items come from a table with a word for each lane in each [`Column`].
//! Words of a primitive ([`LaneExpr::Primitive`]) are uniform over a call; those of a dispatch are its numbers of
//! workgroups. Expressions of these words and of values of the frame are computed once for a call.
//!
//! # Memories
//!
//! An invocation reads and changes memories that others see. A program for invocations has no states: an
//! [`Access`] is a *statement*, and no pass moves, merges or repeats one. So the accesses of a lane have the order of
//! the schedule. Both arms of a divergent `if` may stand in either order, since their lanes are disjoint.
//!
//! - A *load* reads in inactive lanes too, since its index is clamped like any other.
//! - A *change* replaces words under a mask, lane by lane in the order of lanes. Its mask is the exact execution mask,
//!   without the lanes whose index is beyond the end. Stores are exchanges whose old word nobody needs.
//! - A memory may be empty. Its only addressable word is one that no program observes.
//!
//! A load of a uniform index is one load for all lanes of a group. So the lanes of a group must be free of
//! races: only the caller knows when that holds. A program for one lane is right in any case.
//!
//! Every loop is entered under a mask with at least one lane. At the root the caller guarantees that
//! ([`LaneExpr::ExecutionMask`]); in a round the live mask has a lane; an arm with a loop in it stands under
//! `if any`. So an endless loop with a uniform condition runs only if some active pixel reaches it.
//!
//! A program for groups of one lane ([`Width::One`]) needs no masks: one lane cannot diverge, so its
//! control flow is the source's.
//!
//! # Quads
//!
//! A derivative needs an expression at the other pixel of a pair. If lanes lie in whole quads, some of
//! these values are already in other lanes ([`LaneExpr::Neighbour`]). Such a lane may be inactive. So a value
//! read in another lane must be *whole*: right in every lane, whatever the masks are. (`whole` defines the
//! property, `quads` decides where to use it.)
//!
//! # Narrow textures
//!
//! If a program reads one component of a texture alone, memory holds that component (`narrow`). Its descriptor names the component
//! ([`Resource::component`]), and [`Inputs`](crate::registers::Inputs) take the words from the data.
//!
//! # Invariants (checked by [`verify()`])
//!
//! - Each value is defined once, before its uses, by a statement or a loop. The block of the definition is
//!   the block of each use, or encloses it.
//! - Kinds are those of [`LaneOp::result`]. The yields of both arms of an `if` agree in number and kinds with
//!   its values, and so do the yields of a loop. Initial values and `rec` arguments of a loop agree with
//!   its parameters.
//! - A value has at least the rate of each operand. The exception is [`LaneExpr::Any`], which reduces every
//!   rate to [`Rate::GROUP`]. Conditions are masks of at most that rate.
//! - The values of an `if` have at least its condition's rate, and the values of a loop at least the rates
//!   of all conditions in its tail.
//! - The first [`LaneProgram::frame_len`] statements of the root compute values of rate [`Rate::FRAME`]
//!   only. The [`LaneProgram::primitive_len`] statements after them compute values of at most
//!   [`Rate::PRIMITIVE`].
//! - Words of a primitive have the rate [`Rate::PRIMITIVE`] and lie below [`LaneProgram::primitive_words`].
//!   Only programs for listed lanes have any.
//! - The root yields four numbers for each attachment. There is at least one attachment, but for invocations, which
//!   may have none.
//! - Only programs for invocations have accesses and inputs of invocations. An access names a memory; its value, index
//!   and words are `I32`. A loaded word has at least the rate [`Rate::GROUP`], an old word that of lanes. Frame and
//!   primitive have no access.
//! - The words of an [`LaneExpr::Lookup`] are constants, or are computed by the first
//!   [`LaneProgram::frame_len`] statements of the root. The value of the lookup is not of the frame.
//! - Operations clamp the index of each [`LaneExpr::Load`], [`LaneExpr::Lookup`], [`LaneExpr::At`],
//!   [`LaneExpr::Put`] and [`Access`] in every lane, active or not. Limits are constants. For a resource of unbaked sizes
//!   they are words of the *same* resource's descriptor. An element is min-unsigned of any integer and the last element. A texel
//!   is that too; or it is row times width plus column, where the row is min-unsigned of any integer and
//!   the last row of the first level, and the column min-unsigned of any integer and its last column. Then
//!   the index is scaled by the words of a texel or an element (`extents` has the rules).
//! - Values read in other lanes are whole, and lanes lie in pairs or quads.
//! - Arrays have the rate of lanes: varying, or [`Rate::GROUP`] in a program for one lane.
//! - Blocks form a tree. `rec` stands only in tails of loop bodies, and each loop has an exit.
//!
//! [schedule]: lambdav_core::schedule

mod arrays;
pub mod checks;
mod dead_code;
pub(crate) mod extents;
mod frame;
pub mod independence;
pub(crate) mod inputs;
pub mod interpret;
mod limits;
mod lower;
mod memories;
pub(crate) mod memory;
mod narrow;
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
use lambdav_core::memory::{Atomic, InvocationInput};
use lambdav_core::op::Elementary;
use lambdav_core::source::Span;

use crate::cost;
pub(crate) use dead_code::{lookups, uses};
pub(crate) use extents::Bound;
pub use extents::{Descriptors, Extent, Extents, Mismatch, Resource};
pub use inputs::InputWords;
pub use lambdav_core::graph::Axis;
pub use lower::lower;
pub use memories::Memories;
pub use straight_line::StraightLine;
pub use verify::{VerifyError, verify};

/// The type of one lane of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 32 bits. Each operation defines if they are signed (two's complement) or unsigned.
    I32,
    /// 64 bits, two's complement.
    I64,
    /// A truth value. Only selects and logical operations read it: its representation is a vector of
    /// all-ones and zeros, or a bit of a mask register.
    Mask,
    /// An array in memory with this number of words. The reader of a word decides if it is `F32` or `I32`.
    /// Arrays have the rate of lanes, and no operation of [`LaneOp`] takes them.
    Array(u32),
}

impl Kind {
    /// True for `F32` and `F64`.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// True for `I32` and `I64`.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    /// The number of words of an array.
    pub fn words(self) -> Option<u32> {
        match self {
            Self::Array(words) => Some(words),
            _ => None,
        }
    }
}

/// The rate of a value: the set of dimensions in which it may vary, namely primitives, groups, the columns
/// of a group and its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate(u8);

impl Rate {
    /// Uniform over the frame.
    pub const FRAME: Self = Self(0);
    /// Uniform over a primitive. A call computes one primitive.
    pub const PRIMITIVE: Self = Self(0b0001);
    /// Uniform over a group of lanes.
    pub const GROUP: Self = Self(0b0011);
    /// One value for each column.
    pub const X: Self = Self(0b0111);
    /// One value for each row.
    pub const Y: Self = Self(0b1011);
    /// One value for each lane.
    pub const VARYING: Self = Self(0b1111);

    /// True if all lanes of a group have the same value.
    pub fn is_uniform(self) -> bool {
        self.0 <= Self::GROUP.0
    }

    /// True if a value of this rate may depend on a value of the other rate.
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

/// Kind and rate of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// The type of one lane.
    pub kind: Kind,
    /// The dimensions in which the value may vary.
    pub rate: Rate,
}

/// An operation that computes each lane from the same lane of its operands (no lane crossing).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneOp {
    /// Float: flips the sign bit.
    Neg,
    /// Float: clears the sign bit.
    Abs,
    /// Float: rounds toward −∞.
    Floor,
    /// Float: rounds toward +∞.
    Ceil,
    /// Float: rounds toward zero.
    Trunc,
    /// Float: rounds to nearest, ties to even.
    RoundEven,
    /// Float: IEEE square root.
    Sqrt,
    /// Two of a kind. Integers wrap around.
    Add,
    /// Two of a kind. Integers wrap around.
    Sub,
    /// Two floats, or two `I32`, which wrap around.
    Mul,
    /// Two unsigned `I32`: the upper half of the product.
    MulHigh,
    /// Two floats.
    Div,
    /// `(a, b, c)`, three `F32`: a·b + c, rounded once.
    Fma,
    /// Two floats or two signed `I32`: `b < a ? b : a`.
    Min,
    /// Two floats or two signed `I32`: `a < b ? b : a`.
    Max,
    /// Two unsigned `I32`.
    MinUnsigned,
    /// Two unsigned `I32`.
    MaxUnsigned,
    /// Two of a kind, to a mask. Integers are signed.
    Less,
    /// Two of a kind, to a mask. Integers are signed.
    LessEqual,
    /// Two unsigned `I32`, to a mask.
    LessUnsigned,
    /// Two unsigned `I32`, to a mask.
    LessEqualUnsigned,
    /// Two of a kind, masks included, to a mask.
    Equal,
    /// The negation of [`LaneOp::Equal`].
    NotEqual,
    /// Masks or integers.
    And,
    /// Masks or integers: `a` and not `b`.
    AndNot,
    /// Masks or integers.
    Or,
    /// Integers.
    Xor,
    /// Masks or integers.
    Not,
    /// Integer, shifted left by a constant below its size.
    ShiftLeft(u8),
    /// Integer, shifted right logically by a constant below its size.
    ShiftRight(u8),
    /// `I32`, shifted right arithmetically by a constant below 32.
    ShiftRightSigned(u8),
    /// Two `I32`: the first shifted left by the second. Any bits if the second is not below 32.
    ShiftLeftBy,
    /// Two `I32`: the first shifted right logically by the second. Any bits if the second is not below 32.
    ShiftRightBy,
    /// Two `I32`: the first shifted right arithmetically by the second. Any bits if the second is not below
    /// 32.
    ShiftRightSignedBy,
    /// `(c, a, b)`: `a` if the mask `c` is true, else `b`.
    Select,
    /// `F32` to `F64`, exact.
    Promote,
    /// `F64` to `F32`, rounded to nearest, ties to even.
    Demote,
    /// Signed `I32` to `F32`, rounded to nearest, ties to even.
    FromInteger,
    /// Unsigned `I32` to `F32`, rounded to nearest, ties to even.
    FromUnsigned,
    /// `F32` to signed `I32`: toward zero, saturating, NaN to 0.
    ToInteger,
    /// `F32` to unsigned `I32`: toward zero, saturating, NaN to 0.
    ToUnsigned,
    /// `F32` to signed `I32`: toward zero. Any bits if the result does not fit.
    ToIntegerInRange,
    /// `I32` to `I64`, zero-extended.
    Widen,
    /// `I64` to `I32`: the lower half.
    Narrow,
    /// A float's bits as an integer of its size, or the reverse.
    Bits,
}

impl LaneOp {
    /// The kind of the result for operands of these kinds, or `None` if the operation is not defined on
    /// them.
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

/// The lanes of its operands that a computation reads for one lane of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The same lane: undefined values stay in undefined lanes.
    Own,
    /// Another lane of its quad: the operand is whole.
    Quad,
    /// All lanes: the operand is already restricted to active lanes.
    All,
}

/// The memory that an [`LaneExpr::Load`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The words of [`LaneProgram::inputs`].
    Inputs,
    /// The words of the resource of that number. A texture has red, green, blue and alpha, texel by texel, or one component alone;
    /// a buffer has the components of its elements.
    Resource(u32),
    /// In register programs: the slots as they lie in memory, two words each. (Lane programs have
    /// [`LaneExpr::Lookup`].)
    Slots,
}

/// The sizes of all [`Space`]s, for checks of bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spaces<'a> {
    /// Number of words of inputs.
    pub(crate) inputs: usize,
    pub(crate) resources: &'a Descriptors,
    pub(crate) slots: usize,
}

impl Spaces<'_> {
    /// Number of words of a space, if it is known at compile time.
    pub(crate) fn words(self, space: Space) -> Option<usize> {
        match space {
            Space::Inputs => Some(self.inputs),
            Space::Resource(number) => self.resources.words_of(number).map(|words| words as usize),
            Space::Slots => Some(2 * self.slots),
        }
    }

    /// True if the words from `first + index` to `first + index + more` exist for every index within a
    /// bound.
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
pub enum LaneExpr {
    /// A constant by its bits, in the lower part of the word. A mask is 0 or 1.
    Constant(u64),
    /// Any bits: for a value that no active lane reads.
    Undefined,
    /// A word of [`LaneProgram::inputs`], as `F32` or `I32`. A mask is true if the word is not zero.
    Input(u32),
    /// A word of the primitive, as `F32` or `I32`.
    Primitive(u32),
    /// The word `first + index` of a space, as `F32` or `I32`. The word must exist for every lane, active
    /// or not.
    Load {
        /// The memory.
        space: Space,
        /// The offset of the index.
        first: u32,
        /// An unsigned `I32`.
        index: ValueId,
    },
    /// The word `first + index` of a list of values of the frame, as `F32` or `I32`. The word must exist
    /// for every lane, active or not.
    Lookup {
        /// The words, `F32` or `I32`.
        words: Box<[ValueId]>,
        /// The offset of the index.
        first: u32,
        /// An unsigned `I32`.
        index: ValueId,
    },
    /// An array of these words.
    Array(Box<[ValueId]>),
    /// An array of words of [`LaneProgram::inputs`], from this one on.
    Table(u32),
    /// The word `first + index` of an array. It must exist for every lane, active or not.
    At {
        /// The array.
        array: ValueId,
        /// The offset of the index.
        first: u32,
        /// An unsigned `I32`; absent means 0.
        index: Option<ValueId>,
    },
    /// An array with the word `first + index` replaced. The word must exist for every lane, active or not.
    Put {
        /// The array.
        array: ValueId,
        /// The offset of the index.
        first: u32,
        /// An unsigned `I32`; absent means 0.
        index: Option<ValueId>,
        /// `F32` or `I32`.
        word: ValueId,
        /// The lanes that store the word; absent means all. *Other lanes keep theirs.*
        mask: Option<ValueId>,
    },
    /// `(mask, [a, b])`, two arrays: `a` in the lanes of the mask, `b` in the others.
    Merge(ValueId, [ValueId; 2]),
    /// A component of `frag-coord`: the pixel's column or row plus one half, as `F32`.
    Coordinate(Axis),
    /// A component of an input of the invocation, as `I32`. It varies by lane, so it is not
    /// [`InvocationInput::Workgroups`].
    Invocation(InvocationInput, u8),
    /// A word that the invocation has saved, as `I32`.
    Saved(u32),
    /// The active lanes of the group, at least one.
    ExecutionMask,
    /// An operation on its operands.
    Op(LaneOp, Box<[ValueId]>),
    /// A correctly rounded elementary function, in the lanes of the mask. Other lanes hold any bits.
    Elementary {
        /// The function.
        function: Elementary,
        /// One or two of kind `F32`.
        operands: Box<[ValueId]>,
        /// The active lanes; absent if the value is uniform.
        mask: Option<ValueId>,
    },
    /// The value in the lane of another pixel of the quad. The value is `F32` or `I32`, and
    /// [whole](self#quads).
    Neighbour {
        /// The value.
        of: ValueId,
        /// The axis along which the two pixels of the pair lie.
        axis: Axis,
        /// The side of the pair to read.
        side: Side,
    },
    /// True if any lane of a mask is set.
    Any(ValueId),
}

impl LaneExpr {
    /// The cost for one register, in simple operations.
    pub fn cost(&self) -> u64 {
        match self {
            Self::Elementary { .. } => cost::ELEMENTARY,
            Self::Op(LaneOp::Div | LaneOp::Sqrt, _) => cost::DIVISION,
            Self::Op(..) | Self::Neighbour { .. } => 1,
            Self::Load { .. } | Self::Lookup { .. } | Self::At { index: Some(_), .. } => cost::LOAD,
            Self::Put { index: Some(_), .. } => cost::STORE,
            Self::At { .. } | Self::Put { .. } => 1,
            Self::Array(words) => words.len() as u64,
            _ => 0,
        }
    }
}

impl LaneExpr {
    /// The lanes of operands that the expression reads.
    pub fn reads(&self) -> Reads {
        match self {
            Self::Any(_) => Reads::All,
            Self::Neighbour { .. } => Reads::Quad,
            _ => Reads::Own,
        }
    }

    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        let (several, others): (&[ValueId], [Option<ValueId>; 3]) = match self {
            Self::Constant(_)
            | Self::Undefined
            | Self::Input(_)
            | Self::Primitive(_)
            | Self::Table(_)
            | Self::Coordinate(_)
            | Self::Invocation(..)
            | Self::Saved(_)
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

/// An access to a word of a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The number of the memory among the resources.
    pub memory: u32,
    /// The index of the word, an unsigned `I32`. The word must exist for every lane, active or not.
    pub index: ValueId,
    /// Of a load: the lanes that use the word; absent if all do. Other lanes read one, too.
    pub mask: Option<ValueId>,
    /// The replacement of the word; absent for a load.
    pub change: Option<Change>,
}

/// A replacement of a word by a function of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The function.
    pub atomic: Atomic,
    /// Its operand and, for [`Atomic::CompareExchange`], the comparand: `I32`.
    pub words: Box<[ValueId]>,
    /// The lanes that replace their word. Old words of other lanes are undefined.
    pub mask: ValueId,
}

impl Access {
    /// The values that it reads.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        let change = self.change.iter();
        let of_change = change.flat_map(|change| change.words.iter().chain([&change.mask]));
        std::iter::once(self.index).chain(self.mask).chain(of_change.copied())
    }

    /// The same, to be changed.
    pub(crate) fn operands_mut(&mut self) -> impl Iterator<Item = &mut ValueId> {
        let change = self.change.iter_mut();
        let of_change = change.flat_map(|change| change.words.iter_mut().chain([&mut change.mask]));
        std::iter::once(&mut self.index).chain(&mut self.mask).chain(of_change)
    }

    /// The cost for one register, in simple operations.
    pub(crate) fn cost(&self) -> u64 {
        if self.change.is_some() { cost::STORE } else { cost::LOAD }
    }
}

/// A statement of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneStatement {
    /// Computes a value.
    Let {
        /// The value defined.
        value: ValueId,
        /// Its computation.
        expr: LaneExpr,
    },
    /// Accesses a word of a memory.
    Access {
        /// The value defined: the word that was there. A change need not define it.
        value: Option<ValueId>,
        /// The access.
        access: Access,
    },
    /// Executes one of two blocks, whose yields become the values.
    If {
        /// The values defined.
        values: Box<[ValueId]>,
        /// A uniform mask.
        condition: ValueId,
        /// The block executed if the condition is true.
        then: BlockId,
        /// The block executed if the condition is false.
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
        /// Index into [`LaneProgram::sites`].
        site: u32,
    },
}

impl LaneStatement {
    /// The values that the statement defines for those after it.
    pub fn values(&self) -> &[ValueId] {
        match self {
            Self::Let { value, .. } => std::slice::from_ref(value),
            Self::Access { value, .. } => value.as_slice(),
            Self::If { values, .. } | Self::Loop { values, .. } => values,
        }
    }
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneEnd {
    /// Yields these values.
    Yield(Box<[ValueId]>),
    /// Continues with the next round of the innermost loop.
    Rec(Box<[ValueId]>),
    /// Continues as one of two blocks.
    If {
        /// A uniform mask.
        condition: ValueId,
        /// The block executed if the condition is true.
        then: BlockId,
        /// The block executed if the condition is false.
        otherwise: BlockId,
    },
}

/// Statements in order, and an end.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneBlock {
    /// The statements.
    pub statements: Vec<LaneStatement>,
    /// The end of the block.
    pub end: LaneEnd,
}

/// The meaning of a word of a program's inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputWord {
    /// Width or height of the image.
    Resolution(Axis),
    /// The time in seconds.
    Time,
    /// The index of the frame.
    Frame,
    /// A component of the mouse.
    Mouse(u8),
    /// A word of a uniform: its index in the program, and the component.
    Uniform(u32, u32),
    /// A word of the descriptor of the resource of that number.
    Extent(u32, Extent),
    /// These bits, a word of a constant array.
    Constant(u32),
}

/// The widths and layouts of groups that a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Any number of lanes in any layout.
    Any,
    /// Any number of lanes in whole pairs: the pixel of an even column and the next one of its row are both
    /// in the group.
    Pairs,
    /// Any number of lanes in whole quads: whole pairs along columns, too.
    Quads,
    /// One lane. Values that vary between pixels have [`Rate::GROUP`], so nothing diverges and nothing is
    /// masked.
    One,
}

/// The items that the lanes of a group compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Items {
    /// Pixels side by side. Coordinates follow from the position of the group.
    #[default]
    Rows,
    /// Pixels listed in a table. For each group it has its columns one after the other, each with a word
    /// for each lane.
    Listed,
    /// Invocations of a dispatch, listed in a table likewise.
    Invocations {
        /// The inputs of invocations that the table has.
        inputs: InputSet,
        /// Number of words that each has saved in an earlier phase ([`lambdav_core::schedule::phases`]).
        saved: u32,
    },
}

/// A set of components of inputs of invocations that vary by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSet(u16);

impl InputSet {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// All of them.
    pub const ALL: Self = Self((1 << Self::COLUMNS.len()) - 1);

    /// Their columns, in the order of the table of lanes.
    const COLUMNS: [Column; 10] = {
        use InvocationInput::{GlobalId, LocalId, LocalIndex, WorkgroupId};
        [
            Column::Invocation(GlobalId, 0),
            Column::Invocation(GlobalId, 1),
            Column::Invocation(GlobalId, 2),
            Column::Invocation(LocalId, 0),
            Column::Invocation(LocalId, 1),
            Column::Invocation(LocalId, 2),
            Column::Invocation(WorkgroupId, 0),
            Column::Invocation(WorkgroupId, 1),
            Column::Invocation(WorkgroupId, 2),
            Column::Invocation(LocalIndex, 0),
        ]
    };

    /// The set with another component, if that varies by lane.
    #[must_use]
    pub fn with(self, input: InvocationInput, k: u8) -> Option<Self> {
        let of = Column::Invocation(input, k);
        let at = Self::COLUMNS.iter().position(|&known| known == of)?;
        Some(Self(self.0 | 1 << at))
    }

    /// The components of both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn columns(self) -> impl Iterator<Item = Column> {
        let all = Self::COLUMNS.into_iter().enumerate();
        all.filter(move |(at, _)| self.0 >> at & 1 != 0).map(|(_, column)| column)
    }
}

impl Items {
    /// The rate of a pixel's column or row.
    pub fn rate(self, width: Width, axis: Axis) -> Rate {
        match (self, width, axis) {
            (Self::Listed | Self::Invocations { .. }, ..) | (_, Width::One, _) => width.lanes(),
            (_, _, Axis::X) => Rate::X,
            (_, _, Axis::Y) => Rate::Y,
        }
    }

    /// Invocations with all inputs and without saved words.
    pub const INVOCATIONS: Self = Self::Invocations { inputs: InputSet::ALL, saved: 0 };

    /// The inputs of invocations that the table has.
    pub fn inputs(self) -> InputSet {
        if let Self::Invocations { inputs, .. } = self { inputs } else { InputSet::NONE }
    }

    /// Number of saved words.
    pub fn saved(self) -> u32 {
        if let Self::Invocations { saved, .. } = self { saved } else { 0 }
    }

    /// The columns of the table of lanes, in order.
    pub fn columns(self) -> impl Iterator<Item = Column> {
        let (own, inputs): (&[Column], _) = match self {
            Self::Rows => (&[], InputSet::NONE),
            Self::Listed => (&[Column::Mask, Column::X, Column::Y], InputSet::NONE),
            Self::Invocations { inputs, .. } => (&[Column::Mask], inputs),
        };
        let saved = (0..self.saved()).map(Column::Saved);
        own.iter().copied().chain(inputs.columns()).chain(saved)
    }

    /// The number of columns of the table of lanes.
    pub fn column_count(self) -> usize {
        match self {
            Self::Rows => 0,
            Self::Listed => 3,
            Self::Invocations { inputs: InputSet(bits), saved } => {
                1 + bits.count_ones() as usize + saved as usize
            }
        }
    }

    /// The position of a column in the table of lanes, if it has that column.
    pub fn position(self, column: Column) -> Option<usize> {
        match column {
            // There may be many.
            Column::Saved(word) => {
                let first = self.column_count() - self.saved() as usize;
                (word < self.saved()).then(|| first + word as usize)
            }
            _ => self
                .columns()
                .take_while(|of| !matches!(of, Column::Saved(_)))
                .position(|of| of == column),
        }
    }
}

/// A column of the table of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// All ones in lanes that run, else zero.
    Mask,
    /// The centre of the pixel's column, `F32`.
    X,
    /// The centre of the pixel's row, `F32`.
    Y,
    /// A component of an input of the invocation, `I32`.
    Invocation(InvocationInput, u8),
    /// A saved word of the invocation, `I32`.
    Saved(u32),
}

impl Column {
    /// The kind of its words.
    pub fn kind(self) -> Kind {
        match self {
            Self::Mask => Kind::Mask,
            Self::X | Self::Y => Kind::F32,
            Self::Invocation(..) | Self::Saved(_) => Kind::I32,
        }
    }

    /// The column of a coordinate.
    pub fn of(axis: Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
        }
    }
}

/// Options of lowering to a lane program.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The widths of groups that the program is for.
    pub width: Width,
    /// The items that lanes compute.
    pub items: Items,
    /// Moves uniform computations of the frame and the primitive to the front of the root. If false, loops
    /// keep the order of the schedule. So if several loops exceed their limit, the first of them is the
    /// same as in the schedule.
    pub hoist: bool,
    /// Sizes of the program's resources that are to be baked.
    pub extents: &'a [Extents],
    /// Indices of uniforms that the items have, in order: words of the primitive of listed pixels, saved words of
    /// invocations. They are numbers and vectors without truth values.
    pub of_primitive: &'a [u32],
}

impl Options<'_> {
    /// Options for rows of groups of that width, hoisted, with no size baked.
    pub fn new(width: Width) -> Self {
        Self { width, items: Items::Rows, hoist: true, extents: &[], of_primitive: &[] }
    }
}

impl Width {
    /// The rate of a value that is computed in each lane.
    pub fn lanes(self) -> Rate {
        match self {
            Self::One => Rate::GROUP,
            Self::Any | Self::Pairs | Self::Quads => Rate::VARYING,
        }
    }

    /// True if a lane may read its neighbour's lane along an axis.
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
    /// The widths of groups that the program is for.
    pub width: Width,
    /// The items that lanes compute.
    pub items: Items,
    /// All values, in order of creation.
    pub values: Vec<ValueInfo>,
    /// All blocks. The first is the root, which yields red, green, blue and alpha of each attachment.
    pub blocks: Vec<LaneBlock>,
    /// Number of statements at the front of the root that run once for the frame.
    pub frame_len: usize,
    /// Number of statements after those that run once for the primitive.
    pub primitive_len: usize,
    /// Number of words of a primitive.
    pub primitive_words: u32,
    /// The words that [`LaneExpr::Input`] refers to.
    pub inputs: InputWords,
    /// The formats of resources, and the positions of their descriptors.
    pub resources: Descriptors,
    /// The source spans of the loops.
    pub sites: Vec<Span>,
    /// Maximum nesting of loops.
    pub loop_nesting: usize,
}

impl LaneProgram {
    /// The root block.
    pub const ROOT: BlockId = BlockId(0);

    /// The block of that index.
    pub fn block(&self, id: BlockId) -> &LaneBlock {
        &self.blocks[id.index()]
    }

    /// The type of one lane of a value.
    pub fn kind(&self, id: ValueId) -> Kind {
        self.values[id.index()].kind
    }

    /// The rate of a value.
    pub fn rate(&self, id: ValueId) -> Rate {
        self.values[id.index()].rate
    }

    /// The number of values plus operands of ends of blocks, and the maximum number of such operands of one
    /// block.
    pub(crate) fn size(&self) -> (usize, usize) {
        let ends = self.blocks.iter().map(|block| match &block.end {
            LaneEnd::Yield(values) | LaneEnd::Rec(values) => values.len(),
            LaneEnd::If { .. } => 1,
        });
        let (sum, most) = ends.fold((0, 0), |(sum, most), of| (sum + of, usize::max(most, of)));
        (self.values.len() + sum, most)
    }

    /// Number of attachments.
    pub fn attachments(&self) -> usize {
        self.outputs().len() / 4
    }

    /// Red, green, blue and alpha of each attachment.
    pub fn outputs(&self) -> &[ValueId] {
        match &self.block(Self::ROOT).end {
            LaneEnd::Yield(values) => values,
            LaneEnd::Rec(_) | LaneEnd::If { .. } => unreachable!("the root yields"),
        }
    }
}
