//! The register program: a flow graph over machine registers, W lanes in each.
//!
//! It stands between the lane program, which knows no width, and the emitters, which only select
//! instructions. This stage decides how many registers a value takes ([`Shape::registers`]), their
//! order, the places of broadcasts and constants, the loop over the groups of a row, and how loops
//! count and poll.
//!
//! # Shape
//!
//! A group covers `columns × rows` pixels, in `across × down` registers of W pixels. A varying
//! value takes one register for each of these. A value that varies by column only takes `across`
//! registers, shared by the rows; one that varies by row only takes `down`; a uniform one is a
//! scalar. Binary64 and 64-bit integers take two half-filled registers for each.
//!
//! # Functions
//!
//! [`RegisterProgram::frame`] runs once and leaves its results in *slots*. [`RegisterProgram::row`]
//! runs for a row of whole groups: at the image's edges the caller passes memory beside the image,
//! and a mask without the lanes outside. In a program for listed lanes ([`Items::Listed`]) it runs
//! for the groups of a table. There it first computes the values that are uniform over the
//! primitive, and stores the pixels of each group one after the other, row by row. Both functions
//! return a [`Status`].
//!
//! # Quads
//!
//! The value of another pixel of the quad is in the same register, whose lanes are permuted
//! ([`Instr::Neighbour`]), or, if a register holds one row, in the register of the other row.
//!
//! # Columns
//!
//! If an index grows from column to column, the words of a row are consecutive in memory, and are
//! read without a gather. Clamps and wraps may break this order, so each register of lanes is
//! tested ([`Instr::Scattered`]) before such a load ([`Instr::LoadColumns`]); a cold block gathers.
//!
//! # Arrays
//!
//! The analysis of lane programs decides which arrays share memory (`lanes::memory`). This stage
//! copies arrays that must move: before an update, at the ends of blocks, and where arrays are
//! merged. Words at varying indices are gathered and scattered, a register of lanes at a time.
//!
//! # Memories
//!
//! Only the function for a row of [`Items::Invocations`] accesses memories. Accesses have the order of
//! instructions, which no later stage changes. A register of lanes is loaded at once; words are
//! replaced one by one.
//!
//! # Elementary functions
//!
//! Each elementary function that a program uses is one *procedure* for one register of operands,
//! shared by all its sites: a body in binary64, for some functions a second body for lanes beyond
//! its range, and a call of the reference mathematics for undecided lanes. So functions are strip-mined,
//! and their bodies have all machine registers.
//!
//! # Loops
//!
//! A round costs one decrement. A loop counts down from the number of rounds before its next poll
//! for cancellation ([`Limit::First`], at most [`POLL_ROUNDS`]). At zero it either has exceeded its
//! limit ([`Limit::Rest`] is used up), or it polls and goes on. It also polls on exit, so that a
//! nest of loops polls often enough, and in each round if rounds are long. So does the loop over
//! the groups of a row. If a call is cancelled, call-outs return at once with undefined results.

mod bounds;
mod call;
mod halves;
pub mod interpret;
mod lower;
mod order;
mod print;
mod procedure;
mod read;
mod shape;
mod spill;
mod verify;

use lambdav_core::elementary::Part;
use lambdav_core::graph::Side;
use lambdav_core::op::Elementary;

use crate::lanes::{Axis, Column, Descriptors, InputWords, Items, Kind, LaneOp, Space, Spaces};
use crate::machine::{Class, Machine, Tile};

pub use crate::lanes::Memories;
pub(crate) use bounds::Bounds;
pub use call::{Callable, Inputs, Listed, Poll, Row};
pub use lower::lower;
pub(crate) use order::{loop_depths, order as layout_order};
pub use read::{ReadError, ReadErrorKind, read};
pub use shape::{Choice, Reason, Shape, Work};
pub use spill::{Between, spill};
pub use verify::{VerifyError, verify};

/// The number of rounds between two polls of a loop.
pub const POLL_ROUNDS: u64 = 1 << 16;

/// The bytes of a pixel in memory: four numbers of binary32.
pub const PIXEL_BYTES: u32 = 16;

/// A register, assigned once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

impl Reg {
    /// The index into [`RegisterFunction::registers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterType {
    /// One number or one truth value.
    Scalar(Kind),
    /// W lanes of 32 bits, or W/2 of 64 bits; or a mask for W lanes of 32 bits.
    Vector(Kind),
    /// A mask for W/2 lanes of 64 bits.
    WideMask,
}

impl RegisterType {
    /// The class of machine registers for values of the type. Integers and truth values of scalar
    /// code have no class: they have separate registers, of which there are enough.
    pub fn class(self, machine: &Machine) -> Option<Class> {
        match self {
            Self::Vector(Kind::Mask) | Self::WideMask if machine.registers[Class::Mask] > 0 => {
                Some(Class::Mask)
            }
            Self::Vector(_) | Self::WideMask => Some(Class::Vector),
            Self::Scalar(kind) => kind.is_float().then_some(Class::Vector),
        }
    }
}

/// An argument of [`RegisterProgram::row`]; the items of the program decide which ones it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// The first column of the first group. `I32`.
    Column,
    /// The first row. `I32`.
    Row,
    /// The number of groups, at least one. `I32`.
    Groups,
    /// The address of the first pixel. `I64`.
    Pixels,
    /// The distance from a row of pixels to the next, in bytes. `I64`.
    Stride,
    /// The address of the table of lanes. `I64`.
    Lanes,
}

impl Argument {
    /// The arguments of the function for a row, in order.
    pub fn of(items: Items) -> &'static [Self] {
        match items {
            Items::Rows => &[Self::Column, Self::Row, Self::Groups, Self::Pixels, Self::Stride],
            Items::Listed | Items::Invocations { .. } => &[Self::Lanes, Self::Groups, Self::Pixels],
        }
    }

    /// Its kind.
    pub fn kind(self) -> Kind {
        match self {
            Self::Column | Self::Row | Self::Groups => Kind::I32,
            Self::Pixels | Self::Stride | Self::Lanes => Kind::I64,
        }
    }
}

/// A bound on a loop's rounds. `I64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The rounds before the first poll.
    First,
    /// The rounds after the first poll.
    Rest,
}

/// The place of a register's words in an array.
///
/// Arrays lie in memory that each thread has for itself: word by word, for each word all lanes. So
/// an index that is the same for all lanes accesses a whole register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayPlace {
    /// The position of the array, in words per lane.
    pub array: u32,
    /// The number of words of the array.
    pub words: u32,
    /// The word, or the origin of the index.
    pub first: u32,
    /// An unsigned `I32`: one for each lane, or one for all. In every lane, active or not, the word
    /// is in range.
    pub index: Option<Reg>,
    /// The number of the register among those of the group's lanes.
    pub register: u32,
}

/// The growth of an index from column to column within a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// By one word, for consecutive words, or by the four words of a texel.
    pub step: u32,
    /// The indices of the rows of a tile; [`Rows::Alike`] in a tile of one row.
    pub rows: Rows,
}

/// The relation of the indices of a tile's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Each row has indices of its own.
    Apart,
    /// All rows have the same indices.
    Alike,
    /// The indices grow from lane to lane, on from row to row.
    Joined,
}

impl Columns {
    /// Consecutive words of lanes.
    pub const LANES: Self = Self { step: 1, rows: Rows::Joined };

    /// One word for all lanes.
    pub const SAME: Self = Self { step: 0, rows: Rows::Joined };

    /// The lane from which the index of `lane` follows, and its distance from that lane's index.
    pub fn of(self, tile: Tile, lane: u32) -> (u32, u32) {
        match self.rows {
            Rows::Apart => (tile.first_column(lane), self.step * tile.pixel(lane).0),
            Rows::Alike => (0, self.step * tile.pixel(lane).0),
            Rows::Joined => (0, self.step * lane),
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instr {
    /// The same bits in every lane.
    Constant(Reg, u64),
    /// Arbitrary bits: no active lane depends on them.
    Undefined(Reg),
    /// The centres of a register's pixels along an axis, plus a number: c + 0.5 plus the number for
    /// a lane in column (or row) c. For a scalar, the number plus 0.5.
    Centres(Reg, Axis, f32),
    /// An operation, lane by lane.
    Op(Reg, LaneOp, Box<[Reg]>),
    /// For `F64`, the product of the first two plus the third, rounded once or twice, whichever is
    /// faster. Only procedures use it; their results do not depend on the rounding.
    MulAdd(Reg, [Reg; 3]),
    /// The exponent or significand of each `F64`. Only procedures use it, with registers of 512
    /// bits ([`Tile::has_512_bits`]).
    Part(Reg, Part, Reg),
    /// A scalar in every lane.
    Broadcast(Reg, Reg),
    /// For each lane, the value of another pixel of its quad: `F32` or `I32`. A register has whole
    /// pairs along the axis.
    Neighbour(Reg, Reg, Axis, Side),
    /// The lower or, if true, the upper half of the lanes, widened: `F32` to `F64`, `I32` to `I64`
    /// with zeros above, or a mask to a wide one.
    Half(Reg, Reg, bool),
    /// Joins a lower and an upper half: `F64` to `F32`, the lower words of `I64` to `I32`, or wide
    /// masks to a mask.
    Join(Reg, [Reg; 2]),
    /// From each 128 bits of two `I32`, the first or, if true, the last two words of both, paired
    /// to `I64`: the words of the first operand are the upper halves. Where [`Instr::Part`] is
    /// allowed.
    Concat(Reg, [Reg; 2], bool),
    /// The lower or, if true, the upper words of two `I64`: for each 128 bits, two words of the
    /// first, then two of the second. It reverses [`Instr::Concat`], or is used where the order of
    /// lanes does not matter. Where [`Instr::Part`] is allowed.
    Words(Reg, [Reg; 2], bool),
    /// Two `I32` as the upper and the lower word of a number that is shifted left by 1 to 31 bits:
    /// the upper word of the result. Where [`Instr::Part`] is allowed.
    Funnel(Reg, u8, [Reg; 2]),
    /// Bitwise logic of three `I32` by a truth table: three bits form the number of a bit in the
    /// table, the first operand's bit the highest. Where [`Instr::Part`] is allowed.
    Logic(Reg, u8, [Reg; 3]),
    /// In each lane the word at the last three bits of an `I32`: `I32`. Only procedures use it.
    Table(Reg, Box<[u32; 8]>, Reg),
    /// True if any lane of any of the masks is set.
    Any(Reg, Box<[Reg]>),
    /// A word of input.
    Input(Reg, u32),
    /// A word of the primitive.
    Primitive(Reg, u32),
    /// A register of a column of the table of lanes. The last operand is the address of the group's
    /// part of the table.
    Lanes(Reg, Column, u32, Reg),
    /// The distance from the pixels of an attachment to those of the next, in bytes. `I64`.
    Plane(Reg),
    /// The word at `first` plus an index in a space, lane by lane. In every lane it is in range.
    Load(Reg, Space, u32, Reg),
    /// Some of four consecutive words of a space, lane by lane. In every lane all four are in
    /// range.
    LoadFour {
        /// The results, from the first word to the fourth.
        to: [Option<Reg>; 4],
        /// The space.
        space: Space,
        /// The first word, the origin of the index.
        first: u32,
        /// An unsigned `I32` in each lane.
        index: Reg,
    },
    /// True if the index of some lane does not grow as `Columns` says.
    Scattered(Reg, Reg, Columns),
    /// Some of four consecutive words of a space, lane by lane. In every lane the requested words
    /// are in range. It is executed only where [`Instr::Scattered`] of the same index was false, so
    /// the words of each row of the tile are one range.
    LoadColumns {
        /// The results, from the first word to the fourth.
        to: [Option<Reg>; 4],
        /// The space.
        space: Space,
        /// The first word, the origin of the index.
        first: u32,
        /// An unsigned `I32` in each lane.
        index: Reg,
        /// The growth of the index. If it is by texels, all words of each texel are in range.
        columns: Columns,
    },
    /// True if in some lane the second index of a pair is not so many words more than the first.
    Apart(Reg, u32, Box<[[Reg; 2]]>),
    /// Two words of a space side by side, lane by lane. It is executed only where [`Instr::Apart`] by one word, of a pair that
    /// begins with this index, was false; both indices of that pair are in range.
    LoadTwo {
        /// The results.
        to: [Reg; 2],
        /// The space.
        space: Space,
        /// The first word, the origin of the index.
        first: u32,
        /// An unsigned `I32` in each lane.
        index: Reg,
    },
    /// A bilinear or trilinear mix, lane by lane, of each of four consecutive words of a space. At each index lie two texels, one behind
    /// the other, which are mixed by the first weights: `a·u + b·v`. The mixes are mixed by the next weights, pair by pair, to one.
    /// It is executed only where [`Instr::Apart`] by four words, of pairs that begin with these indices, was false; all indices of the pairs,
    /// and three more words, are in range.
    LoadMixed {
        /// The results, from the first word to the fourth: `F32`.
        to: [Option<Reg>; 4],
        /// The space.
        space: Space,
        /// The first word, the origin of the indices.
        first: u32,
        /// Unsigned `I32` in each lane: two, or four.
        indices: Box<[Reg]>,
        /// Weights along each axis: two axes, or three.
        weights: Box<[[Reg; 2]]>,
    },
    /// A word of an array in each lane.
    LoadArray(Reg, ArrayPlace),
    /// Stores a word of an array in each lane.
    StoreArray {
        /// The place.
        place: ArrayPlace,
        /// The words.
        word: Reg,
        /// The lanes that are stored; `None` for all.
        mask: Option<Reg>,
    },
    /// The word of the memory of that number at an index, lane by lane. In every lane it is in range.
    LoadMemory(Reg, u32, Reg),
    /// Replaces a word of a memory if the mask is true. All are scalars. Whatever the mask is, the word is
    /// in range.
    StoreMemory {
        /// The number of the memory.
        memory: u32,
        /// The index of the word.
        index: Reg,
        /// The new word.
        word: Reg,
        /// A truth value.
        mask: Reg,
    },
    /// Consecutive words of the memory of that number, where the index grows by one from lane to lane. It is executed
    /// only where [`Instr::Scattered`] of the index was false.
    LoadMemoryLanes(Reg, u32, Reg),
    /// Replaces consecutive words of a memory, where the index grows by one from lane to lane and every lane has its
    /// mask. It is executed only where [`Instr::Scattered`] of the index was false, and so was [`Instr::Any`] of the
    /// mask's negation.
    StoreMemoryLanes {
        /// The number of the memory.
        memory: u32,
        /// The indices of the words.
        index: Reg,
        /// The new words.
        words: Reg,
        /// Truth values.
        mask: Reg,
    },
    /// A lane of a register, as a scalar: `I32` or a truth value.
    Lane(Reg, Reg, u32),
    /// A register with these scalars as its lanes: `I32`.
    FromLanes(Reg, Box<[Reg]>),
    /// Loads a slot.
    Slot(Reg, u32),
    /// Stores a slot.
    SetSlot(u32, Reg),
    /// A register of the execution mask, by its number.
    ExecutionMask(Reg, u32),
    /// An argument of the function.
    Argument(Reg, Argument),
    /// A bound on loops' rounds.
    Limit(Reg, Limit),
    /// The cancellation poll: false if the call is cancelled.
    Poll(Reg),
    /// Calls a procedure of [`RegisterProgram::procedures`].
    Call {
        /// The procedure's number.
        procedure: u32,
        /// The result.
        to: Reg,
        /// One for each parameter of its first block.
        arguments: Box<[Reg]>,
    },
    /// Calls the reference mathematics for the lanes of a mask.
    Callout {
        /// The function.
        function: Elementary,
        /// The result.
        to: Reg,
        /// The mask.
        mask: Reg,
        /// One or two.
        operands: Box<[Reg]>,
    },
    /// Stores a register in a spill slot, by its number.
    Spill(u32, Reg),
    /// Loads a spill slot.
    Reload(Reg, u32),
    /// Stores W pixels row by row of the tile; the pixels of a row are contiguous.
    Store {
        /// Red, green, blue, alpha.
        channels: [Reg; 4],
        /// The address of the pixels of each row.
        rows: Box<[Reg]>,
        /// An offset from these addresses, in bytes.
        offset: u32,
    },
}

impl Instr {
    /// Calls `f` for each register that is assigned.
    pub(crate) fn definitions(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Self::Constant(to, _)
            | Self::Undefined(to)
            | Self::Centres(to, ..)
            | Self::Op(to, ..)
            | Self::MulAdd(to, _)
            | Self::Part(to, ..)
            | Self::Broadcast(to, _)
            | Self::Neighbour(to, ..)
            | Self::Half(to, ..)
            | Self::Join(to, _)
            | Self::Concat(to, ..)
            | Self::Words(to, ..)
            | Self::Funnel(to, ..)
            | Self::Logic(to, ..)
            | Self::Table(to, ..)
            | Self::Any(to, _)
            | Self::Scattered(to, ..)
            | Self::Apart(to, ..)
            | Self::Input(to, _)
            | Self::Primitive(to, _)
            | Self::Lanes(to, ..)
            | Self::Plane(to)
            | Self::Load(to, ..)
            | Self::LoadArray(to, _)
            | Self::LoadMemory(to, ..)
            | Self::LoadMemoryLanes(to, ..)
            | Self::Lane(to, ..)
            | Self::FromLanes(to, _)
            | Self::Slot(to, _)
            | Self::ExecutionMask(to, _)
            | Self::Argument(to, _)
            | Self::Limit(to, _)
            | Self::Poll(to)
            | Self::Call { to, .. }
            | Self::Callout { to, .. }
            | Self::Reload(to, _) => f(*to),
            Self::LoadTwo { to, .. } => to.iter().copied().for_each(f),
            Self::LoadFour { to, .. }
            | Self::LoadColumns { to, .. }
            | Self::LoadMixed { to, .. } => {
                to.iter().flatten().copied().for_each(f);
            }
            Self::SetSlot(..)
            | Self::Spill(..)
            | Self::Store { .. }
            | Self::StoreArray { .. }
            | Self::StoreMemory { .. }
            | Self::StoreMemoryLanes { .. } => {}
        }
    }

    /// True if it has no operands, so that repeating it is cheaper than keeping its result.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(..) | Self::Undefined(_) | Self::Centres(..))
    }

    /// True if it calls a function, which preserves few registers or none.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. } | Self::Callout { .. })
    }
}

/// A block of a [`RegisterFunction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The index into [`RegisterFunction::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A jump to a block, with the values of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCall {
    /// The target.
    pub block: BlockId,
    /// One for each of its parameters.
    pub arguments: Vec<Reg>,
}

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Everything is computed.
    Done,
    /// The call is cancelled.
    Cancelled,
    /// The loop of that site exceeded its limit.
    Limit(u32),
}

impl Status {
    /// As a number.
    pub fn code(self) -> i64 {
        match self {
            Self::Done => 0,
            Self::Cancelled => 1,
            Self::Limit(site) => 2 + i64::from(site),
        }
    }

    /// From a number.
    pub fn from_code(code: i64) -> Self {
        match code {
            0 => Self::Done,
            1 => Self::Cancelled,
            _ => Self::Limit((code - 2) as u32),
        }
    }
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Jumps to a block.
    Jump(BlockCall),
    /// Jumps to one of two blocks.
    Branch {
        /// A scalar mask.
        condition: Reg,
        /// The target if true.
        then: BlockCall,
        /// The target if false.
        otherwise: BlockCall,
    },
    /// Returns to the caller.
    Return(Status),
    /// Returns from a procedure with its result.
    ReturnValue(Reg),
}

impl End {
    /// The targets of its jumps.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &BlockCall> {
        let [a, b] = match self {
            Self::Jump(target) => [Some(target), None],
            Self::Branch { then, otherwise, .. } => [Some(then), Some(otherwise)],
            Self::Return(_) | Self::ReturnValue(_) => [None, None],
        };
        a.into_iter().chain(b)
    }
}

/// Visitors of operands, shared and mutable.
macro_rules! uses {
    ($name:ident, $iter:ident $(, $mut:ident)?) => {
        impl Instr {
            /// Calls `f` for each operand.
            pub(crate) fn $name(&$($mut)? self, f: &mut impl FnMut(&$($mut)? Reg)) {
                match self {
                    Self::Op(_, _, operands) => operands.$iter().for_each(f),
                    Self::MulAdd(_, operands) => operands.$iter().for_each(f),
                    Self::Broadcast(_, from)
                    | Self::Neighbour(_, from, ..)
                    | Self::Load(_, _, _, from)
                    | Self::Lanes(_, _, _, from)
                    | Self::LoadMemory(_, _, from)
                    | Self::LoadMemoryLanes(_, _, from)
                    | Self::Lane(_, from, _)
                    | Self::LoadTwo { index: from, .. }
                    | Self::LoadFour { index: from, .. }
                    | Self::Scattered(_, from, _)
                    | Self::LoadColumns { index: from, .. }
                    | Self::Half(_, from, _)
                    | Self::Part(_, _, from)
                    | Self::Table(_, _, from)
                    | Self::SetSlot(_, from)
                    | Self::Spill(_, from) => f(from),
                    Self::Apart(_, _, of) => of.$iter().flatten().for_each(f),
                    Self::LoadMixed { indices, weights, .. } => {
                        indices.$iter().chain(weights.$iter().flatten()).for_each(f);
                    }
                    Self::Join(_, of)
                    | Self::Concat(_, of, _)
                    | Self::Words(_, of, _)
                    | Self::Funnel(_, _, of) => of.$iter().for_each(f),
                    Self::Logic(_, _, of) => of.$iter().for_each(f),
                    Self::Any(_, of) | Self::FromLanes(_, of) => of.$iter().for_each(f),
                    Self::StoreMemory { index, word, mask, .. }
                    | Self::StoreMemoryLanes { index, words: word, mask, .. } => {
                        f(index);
                        f(word);
                        f(mask);
                    }
                    Self::Call { arguments, .. } => arguments.$iter().for_each(f),
                    Self::Callout { mask, operands, .. } => {
                        operands.$iter().for_each(&mut *f);
                        f(mask);
                    }
                    Self::Store { channels, rows, .. } => {
                        channels.$iter().chain(rows).for_each(f);
                    }
                    Self::LoadArray(_, place) => place.index.$iter().for_each(f),
                    Self::StoreArray { place, word, mask } => {
                        place.index.$iter().chain(mask.$iter()).for_each(&mut *f);
                        f(word);
                    }
                    Self::Constant(..)
                    | Self::Undefined(_)
                    | Self::Centres(..)
                    | Self::Input(..)
                    | Self::Primitive(..)
                    | Self::Plane(_)
                    | Self::Slot(..)
                    | Self::ExecutionMask(..)
                    | Self::Argument(..)
                    | Self::Limit(..)
                    | Self::Poll(_)
                    | Self::Reload(..) => {}
                }
            }
        }

        impl End {
            /// Calls `f` for each register that it reads or passes on.
            pub(crate) fn $name(&$($mut)? self, f: &mut impl FnMut(&$($mut)? Reg)) {
                match self {
                    Self::Jump(target) => target.arguments.$iter().for_each(f),
                    Self::Branch { condition, then, otherwise } => {
                        f(condition);
                        [then, otherwise].into_iter().flat_map(|t| &$($mut)? t.arguments).for_each(f);
                    }
                    Self::ReturnValue(reg) => f(reg),
                    Self::Return(_) => {}
                }
            }
        }
    };
}

uses!(uses, iter);
uses!(uses_mut, iter_mut, mut);

/// Instructions in order, and the end that follows them.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterBlock {
    /// Assigned on entry.
    pub params: Vec<Reg>,
    /// The instructions.
    pub instrs: Vec<Instr>,
    /// How the block ends.
    pub end: End,
    /// True if it is hardly ever executed.
    pub cold: bool,
}

/// A flow graph; its first block is the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterFunction {
    /// The type of each register.
    pub registers: Vec<RegisterType>,
    /// The blocks.
    pub blocks: Vec<RegisterBlock>,
    /// The number of spill slots.
    pub spill_slots: u32,
}

impl RegisterFunction {
    /// The number of its instructions.
    pub fn instrs(&self) -> usize {
        self.blocks.iter().map(|block| block.instrs.len()).sum()
    }

    /// All reachable blocks, each after its dominators.
    pub fn reverse_postorder(&self) -> Vec<BlockId> {
        self.reverse_postorder_by(|_, _| true)
    }

    /// The same. Of two successors of a block, the second is visited first, so that it comes as
    /// late as possible, unless `first` says to visit the first one first.
    fn reverse_postorder_by(&self, first: impl Fn(BlockId, BlockId) -> bool) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        // A block to enter or, with `true`, one whose successors are done.
        let mut stack = vec![(BlockId(0), false)];
        while let Some((id, done)) = stack.pop() {
            if done {
                order.push(id);
                continue;
            }
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            stack.push((id, true));
            match &self.blocks[id.index()].end {
                End::Jump(target) => stack.push((target.block, false)),
                End::Branch { then, otherwise, .. } => {
                    let (then, otherwise) = (then.block, otherwise.block);
                    let [a, b] =
                        if first(then, otherwise) { [otherwise, then] } else { [then, otherwise] };
                    stack.extend([(a, false), (b, false)]);
                }
                End::Return(_) | End::ReturnValue(_) => {}
            }
        }
        order.reverse();
        order
    }
}

/// An elementary function for one register.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// The function.
    pub elementary: Elementary,
    /// True if the operands are vectors, followed by a mask of the lanes that count; else they are
    /// scalars.
    pub is_vector: bool,
    /// The code.
    pub code: RegisterFunction,
}

/// A register program.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterProgram {
    /// The layout of lanes.
    pub shape: Shape,
    /// The items that the lanes compute.
    pub items: Items,
    /// The number of attachments.
    pub attachments: usize,
    /// Computes the values that are uniform over the frame.
    pub frame: RegisterFunction,
    /// Computes a row of groups.
    pub row: RegisterFunction,
    /// The procedures that the functions call. The parameters of a procedure are those of its first
    /// block.
    pub procedures: Vec<Procedure>,
    /// The kind of the scalar in each slot.
    pub slots: Vec<Kind>,
    /// The words for [`Instr::Input`].
    pub inputs: InputWords,
    /// The number of words of a primitive.
    pub primitive_words: u32,
    /// The formats of resources, and the positions of their sizes among the inputs.
    pub resources: Descriptors,
    /// The memory for arrays, in words per lane.
    pub array_words: u32,
}

/// The two words of a slot in memory order.
pub(crate) fn words_of_slot(slot: u64) -> [u32; 2] {
    let bytes = slot.to_ne_bytes();
    let word = |first: usize| std::array::from_fn(|i| bytes[first + i]);
    [0, 4].map(|first| u32::from_ne_bytes(word(first)))
}

impl RegisterProgram {
    /// The address spaces for loads.
    pub(crate) fn spaces(&self) -> Spaces<'_> {
        let (inputs, slots) = (self.inputs.len(), self.slots.len());
        Spaces { inputs, resources: &self.resources, slots }
    }

    /// The memory that a thread needs for arrays, in bytes.
    pub fn array_bytes(&self) -> usize {
        self.array_words as usize * self.shape.lanes() as usize * size_of::<u32>()
    }
}
