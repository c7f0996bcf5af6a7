//! The register program: a flow graph over machine registers, W lanes in each.
//!
//! It stands between the lane program, which knows no width, and the emitters, which only pick
//! instructions. Decided here are: how many registers a value takes ([`Shape::registers`]), their
//! order, where a number is broadcast to a register, where constants are made, the loop over the
//! groups of a row, and how loops count and stop.
//!
//! # Shape
//!
//! A group covers `columns × rows` pixels, `across × down` registers of W pixels side by side. A
//! varying value takes a register for each; one that differs by column only takes `across`, shared
//! by the rows; one that differs by row only takes `down`; one that is the same for all lanes is a
//! scalar. Binary64 and 64-bit integers take two half-filled registers in place of one.
//!
//! # Functions
//!
//! [`RegisterProgram::frame`] runs once and leaves what it computes in *slots*.
//! [`RegisterProgram::row`] runs for a row of groups, whole ones: at the image's edges the caller
//! passes room beside the image, and a mask without the lanes that lie outside. Of a program for listed lanes
//! ([`Items::Listed`]) it runs for the groups of a table, computes first what is the same for the primitive, and
//! stores the pixels of each group one after the other, row by row. Both return a [`Status`].
//!
//! # Quads
//!
//! What the lane of another pixel of the quad holds is in the same register, whose lanes are permuted
//! ([`Instr::Neighbour`]), or, where a register has one row, in that of the other row, which is taken as it is.
//!
//! # Columns
//!
//! Where an index grows from column to column, the words of a row follow one another in memory, and are read
//! without a gather. Clamps and wraps may spoil that, so it is asked for a register of lanes at a time
//! ([`Instr::Scattered`]); a cold block gathers ([`Instr::LoadColumns`]).
//!
//! # Arrays
//!
//! Which arrays share memory is decided of lane programs (`lanes::memory`); here what is not where it is
//! to be is copied: before an update, where blocks end, and where arrays are merged. A word of a varying
//! index is gathered, and scattered, for the lanes of a register.
//!
//! # Elementary functions
//!
//! Each that a program uses is one *procedure* for one register of operands, however many sites
//! there are: its body in binary64 and, where a lane is undecided, a call of the reference. So
//! functions are strip-mined, and all machine registers are the body's.
//!
//! # Loops
//!
//! A round costs one decrement. A loop counts down from the rounds that it may do before it polls
//! for cancellation ([`Limit::First`], at most [`POLL_ROUNDS`]). Then either it has no more
//! ([`Limit::Rest`]), or it polls and goes on. It also polls on leaving, so that no nest of loops
//! goes on for long without; and in each round, if that is long. So is the loop over the groups of a
//! row. Where a call is cancelled, call-outs return at once with undefined results.

mod bounds;
mod call;
mod halves;
pub mod interpret;
mod lower;
mod order;
mod print;
mod procedure;
mod shape;
mod spill;
mod verify;

use lambdav_core::elementary::Part;
use lambdav_core::graph::Side;
use lambdav_core::op::Elementary;

use crate::lanes::{Axis, Column, Descriptors, InputWords, Items, Kind, Op, Space, Spaces};
use crate::machine::{Class, Machine, Tile};

pub(crate) use bounds::Bounds;
pub use call::{Callable, Inputs, Listed, Poll, Row};
pub use lower::lower;
pub(crate) use order::{loop_depths, order as layout_order};
pub use shape::{Choice, Reason, Shape, Work};
pub use spill::{Between, spill};
pub use verify::{VerifyError, verify};

/// After how many rounds a loop polls for cancellation.
pub const POLL_ROUNDS: u64 = 1 << 16;

/// The bytes of a pixel in memory: four numbers of binary32.
pub const PIXEL_BYTES: u32 = 16;

/// A register, assigned once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

impl Reg {
    /// The index into [`Function::registers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterType {
    /// One number, or one truth value.
    Scalar(Kind),
    /// W of 32 bits, or two of 64 bits; a mask for W of 32 bits.
    Vector(Kind),
    /// A mask for two of 64 bits.
    WideMask,
}

impl RegisterType {
    /// The class of a machine's registers in which values of the type lie. Integers and truth
    /// values of scalar code have registers of their own, of which there are enough: they have no
    /// class.
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

/// An argument of [`RegisterProgram::row`]; which it has depends on the items of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// The first column of the first group. `I32`.
    Column,
    /// The first row. `I32`.
    Row,
    /// How many groups, at least one. `I32`.
    Groups,
    /// The address of the first pixel. `I64`.
    Pixels,
    /// How many bytes further the next row is. `I64`.
    Stride,
    /// The address of the table of lanes. `I64`.
    Lanes,
}

impl Argument {
    /// The arguments of the function for a row, in order.
    pub fn of(items: Items) -> &'static [Self] {
        match items {
            Items::Rows => &[Self::Column, Self::Row, Self::Groups, Self::Pixels, Self::Stride],
            Items::Listed => &[Self::Lanes, Self::Groups, Self::Pixels],
        }
    }

    /// What it is.
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
    /// Those before it asks for the first time.
    First,
    /// Those after.
    Rest,
}

/// Where the words of a register's lanes lie in an array.
///
/// Arrays lie in memory that each thread has for itself, word by word, of each word one lane after the
/// other: so an index that is the same for all lanes reads a whole register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayPlace {
    /// The number of words of each lane before the array's.
    pub array: u32,
    /// How many words of each lane the array has.
    pub words: u32,
    /// The word, or the one that an index counts from.
    pub first: u32,
    /// An `I32` without sign: of each lane, or one for all. In each lane, active or not, there is
    /// such a word.
    pub index: Option<Reg>,
    /// Which register of the group's lanes it is.
    pub register: u32,
}

/// How the indices of a register's lanes grow from column to column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// By one word, of one row, or by the four of a texel.
    pub step: u32,
    /// Whether they are the same in all rows of the tile. In a tile of one row they may be said to be.
    pub is_one_row: bool,
}

impl Columns {
    /// The lane from whose index that of a lane follows, and how much more that is.
    pub fn of(self, tile: Tile, lane: u32) -> (u32, u32) {
        let first = if self.is_one_row { 0 } else { tile.first_column(lane) };
        (first, self.step * tile.pixel(lane).0)
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instr {
    /// In every lane the same bits.
    Constant(Reg, u64),
    /// Any bits: no active lane looks at them.
    Undefined(Reg),
    /// The centres of the pixels of a register along an axis, plus a number: of the lane in column
    /// (or row) c, c + 0.5 plus the number. Of a scalar, the number plus 0.5.
    Centres(Reg, Axis, f32),
    /// An operation, lane by lane.
    Op(Reg, Op, Box<[Reg]>),
    /// Of `F64`, the product of the first two plus the third, rounded once or twice as is faster.
    /// Only procedures have it, since their results do not depend on that.
    MulAdd(Reg, [Reg; 3]),
    /// A part of each `F64`. Only procedures have it, where registers have 512 bits ([`Tile::has_512_bits`]).
    Part(Reg, Part, Reg),
    /// A number in every lane.
    Broadcast(Reg, Reg),
    /// Of each lane, what that of another pixel of its quad holds: `F32` or `I32`. A register has whole
    /// pairs along the axis.
    Neighbour(Reg, Reg, Axis, Side),
    /// The lower or, if true, the upper half: `F32` to `F64`, `I32` to `I64` with zeros above, or a
    /// mask to a wide one.
    Half(Reg, Reg, bool),
    /// Lower and upper half: `F64` to `F32`, the lower words of `I64` to `I32`, or wide masks to a
    /// mask.
    Join(Reg, [Reg; 2]),
    /// Of each 128 bits of two `I32`, the first or, if true, the last two words: the `I64` of which those of the first are the upper
    /// halves. Where [`Instr::Part`] is.
    Concat(Reg, [Reg; 2], bool),
    /// The lower or, if true, the upper words of two `I64`: for each 128 bits of them, two of the first, then two of the second.
    /// So it undoes [`Instr::Concat`]; or it may not matter which lane has which. Where [`Instr::Part`] is.
    Words(Reg, [Reg; 2], bool),
    /// Of two `I32`, the upper words of both, the first above, moved to the left by a number from 1 to 31. Where [`Instr::Part`] is.
    Funnel(Reg, u8, [Reg; 2]),
    /// Of three `I32`, bit by bit: the bit of a table whose number their bits make, the first one's highest. Where
    /// [`Instr::Part`] is.
    Logic(Reg, u8, [Reg; 3]),
    /// Whether any lane of any of the masks is set.
    Any(Reg, Box<[Reg]>),
    /// A word of input.
    Input(Reg, u32),
    /// A word of the primitive.
    Primitive(Reg, u32),
    /// That register of a column of the table of lanes, of the group whose part of the table begins at an address.
    Lanes(Reg, Column, u32, Reg),
    /// How many bytes further the pixels of the next attachment are. `I64`.
    Plane(Reg),
    /// The word of a space that many after the first, lane by lane: in each there is one.
    Load(Reg, Space, u32, Reg),
    /// Some of four words that follow one another in a space, lane by lane: in each there are all four.
    LoadFour {
        /// The results, of the first word to the fourth.
        to: [Option<Reg>; 4],
        /// Where they are.
        space: Space,
        /// The first of them, from which the index counts.
        first: u32,
        /// An `I32` without sign of each lane.
        index: Reg,
    },
    /// Whether a lane's index is not what that says.
    Scattered(Reg, Reg, Columns),
    /// Some of four words that follow one another in a space, lane by lane: in each there are those that are
    /// asked for. Of the index [`Instr::Scattered`] has just said that it grows so, and a row of the tile is
    /// one range of words.
    LoadColumns {
        /// The results, of the first word to the fourth.
        to: [Option<Reg>; 4],
        /// Where they are.
        space: Space,
        /// The first of them, from which the index counts.
        first: u32,
        /// An `I32` without sign of each lane.
        index: Reg,
        /// How it grows. All words of a texel are there.
        columns: Columns,
    },
    /// The word of each lane in an array.
    LoadArray(Reg, ArrayPlace),
    /// Stores a word of each lane in an array.
    StoreArray {
        /// Where.
        place: ArrayPlace,
        /// The words.
        word: Reg,
        /// The lanes that are stored, if not all.
        mask: Option<Reg>,
    },
    /// Reads a slot.
    Slot(Reg, u32),
    /// Fills a slot.
    SetSlot(u32, Reg),
    /// That register of the execution mask.
    ExecutionMask(Reg, u32),
    /// An argument of the function.
    Argument(Reg, Argument),
    /// A bound of loops.
    Limit(Reg, Limit),
    /// The cancellation poll: false if the call is cancelled.
    Poll(Reg),
    /// Calls that of [`RegisterProgram::procedures`].
    Call {
        /// Its number.
        procedure: u32,
        /// The result.
        to: Reg,
        /// One for each parameter of its first block.
        arguments: Box<[Reg]>,
    },
    /// Calls the reference mathematics for those lanes of its operands that are in the mask.
    Callout {
        /// Which.
        function: Elementary,
        /// The result.
        to: Reg,
        /// The mask.
        mask: Reg,
        /// One or two.
        operands: Box<[Reg]>,
    },
    /// Stores a register in a spill slot.
    Spill(u32, Reg),
    /// Reads a spill slot.
    Reload(Reg, u32),
    /// Stores W pixels, of which these are red, green, blue and alpha, row by row of the tile,
    /// those of a row one after the other.
    Store {
        /// Red, green, blue, alpha.
        channels: [Reg; 4],
        /// The address of each row.
        rows: Box<[Reg]>,
        /// Bytes from there.
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
            | Self::Any(to, _)
            | Self::Scattered(to, ..)
            | Self::Input(to, _)
            | Self::Primitive(to, _)
            | Self::Lanes(to, ..)
            | Self::Plane(to)
            | Self::Load(to, ..)
            | Self::LoadArray(to, _)
            | Self::Slot(to, _)
            | Self::ExecutionMask(to, _)
            | Self::Argument(to, _)
            | Self::Limit(to, _)
            | Self::Poll(to)
            | Self::Call { to, .. }
            | Self::Callout { to, .. }
            | Self::Reload(to, _) => f(*to),
            Self::LoadFour { to, .. } | Self::LoadColumns { to, .. } => {
                to.iter().flatten().copied().for_each(f);
            }
            Self::SetSlot(..) | Self::Spill(..) | Self::Store { .. } | Self::StoreArray { .. } => {}
        }
    }

    /// Whether it makes a value of nothing, which is cheaper to do again than to keep.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(..) | Self::Undefined(_) | Self::Centres(..))
    }

    /// Whether it calls a function, which leaves nothing in registers.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. } | Self::Callout { .. })
    }
}

/// A block of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The index into [`Function::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where to go, and with which values for the parameters there.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCall {
    /// The block.
    pub block: BlockId,
    /// One for each of its parameters.
    pub arguments: Vec<Reg>,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// All is computed.
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

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// In another block.
    Jump(BlockCall),
    /// In one of two.
    Branch {
        /// A scalar mask.
        condition: Reg,
        /// For true.
        then: BlockCall,
        /// For false.
        otherwise: BlockCall,
    },
    /// In the caller.
    Return(Status),
    /// In the caller of a procedure, with its result.
    ReturnValue(Reg),
}

impl End {
    /// Where it goes.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &BlockCall> {
        let [a, b] = match self {
            Self::Jump(target) => [Some(target), None],
            Self::Branch { then, otherwise, .. } => [Some(then), Some(otherwise)],
            Self::Return(_) | Self::ReturnValue(_) => [None, None],
        };
        a.into_iter().chain(b)
    }
}

/// What looks at operands, and what changes them.
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
                    | Self::LoadFour { index: from, .. }
                    | Self::Scattered(_, from, _)
                    | Self::LoadColumns { index: from, .. }
                    | Self::Half(_, from, _)
                    | Self::Part(_, _, from)
                    | Self::SetSlot(_, from)
                    | Self::Spill(_, from) => f(from),
                    Self::Join(_, of)
                    | Self::Concat(_, of, _)
                    | Self::Words(_, of, _)
                    | Self::Funnel(_, _, of) => of.$iter().for_each(f),
                    Self::Logic(_, _, of) => of.$iter().for_each(f),
                    Self::Any(_, masks) => masks.$iter().for_each(f),
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
            /// Calls `f` for each register that is looked at or passed on.
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

/// Instructions in order, and what comes after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Assigned on entry.
    pub params: Vec<Reg>,
    /// The instructions.
    pub instrs: Vec<Instr>,
    /// How the block ends.
    pub end: End,
    /// Whether it is hardly ever executed.
    pub cold: bool,
}

/// A flow graph; its first block is the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// What each register holds.
    pub registers: Vec<RegisterType>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// How many places it has for [`Instr::Spill`].
    pub spill_slots: u32,
}

impl Function {
    /// How many instructions it has.
    pub fn instrs(&self) -> usize {
        self.blocks.iter().map(|block| block.instrs.len()).sum()
    }

    /// All blocks, each after those that dominate it.
    pub fn reverse_postorder(&self) -> Vec<BlockId> {
        self.reverse_postorder_by(|_, _| true)
    }

    /// The same, where the second of two blocks that another ends in is visited before the first,
    /// and so comes after it as far as possible, unless `first` says so.
    fn reverse_postorder_by(&self, first: impl Fn(BlockId, BlockId) -> bool) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        // A block to enter, or one whose successors are done.
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

/// An elementary function of one register.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Which.
    pub elementary: Elementary,
    /// Its operands are vectors, followed by a mask of the lanes that matter; or else scalars.
    pub is_vector: bool,
    /// The code.
    pub code: Function,
}

/// A register program.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterProgram {
    /// How lanes lie.
    pub shape: Shape,
    /// What they compute.
    pub items: Items,
    /// How many attachments there are.
    pub attachments: usize,
    /// Computes what is the same for the frame.
    pub frame: Function,
    /// Computes a row of groups.
    pub row: Function,
    /// What the others call. The parameters of a procedure are those of its first block.
    pub procedures: Vec<Procedure>,
    /// What each slot holds: a scalar of that kind.
    pub slots: Vec<Kind>,
    /// The words that [`Instr::Input`] refers to.
    pub inputs: InputWords,
    /// How many words a primitive has.
    pub primitive_words: u32,
    /// The formats of resources, and where their sizes are.
    pub resources: Descriptors,
    /// How many words of each lane all arrays have that lie in memory at once.
    pub array_words: u32,
}

/// The words of a slot, as they lie in memory.
pub(crate) fn words_of_slot(slot: u64) -> [u32; 2] {
    let bytes = slot.to_ne_bytes();
    let word = |first: usize| std::array::from_fn(|i| bytes[first + i]);
    [0, 4].map(|first| u32::from_ne_bytes(word(first)))
}

impl RegisterProgram {
    /// What there is to be read.
    pub(crate) fn spaces(&self) -> Spaces<'_> {
        let (inputs, slots) = (self.inputs.len(), self.slots.len());
        Spaces { inputs, resources: &self.resources, slots }
    }

    /// The bytes of memory that a thread needs for arrays.
    pub fn array_bytes(&self) -> usize {
        self.array_words as usize * self.shape.lanes() as usize * size_of::<u32>()
    }
}
