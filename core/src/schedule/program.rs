//! Scheduled programs: nested blocks of `let`, `if` and `loop`.

use crate::graph::{Discard, Name, Neighbour, StageInput, Uniform};
use crate::inputs::Input;
use crate::op::Op;
use crate::source::Span;
use crate::types::{Type, Types};
use rustc_hash::FxHashMap;

/// The location of a root that is no output: of triangles, a final state, or a report.
pub const NO_LOCATION: u32 = u32::MAX;

/// A value of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

impl ValueId {
    /// The index into [`Program::values`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The index into [`Program::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Type and source position of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Type,
    /// The position in the source.
    pub span: Span,
}

/// A computation without control flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant: one word per component, as in [`Op::apply`].
    Constant(Box<[u32]>),
    /// A built-in input.
    Input(Input),
    /// A uniform, by index.
    Uniform(u32),
    /// An input of a stage. Programs for engines of the processor have none.
    Stage(StageInput),
    /// An operation on its operands.
    Op(Op, Box<[ValueId]>),
}

/// A step of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Computes a value.
    Let {
        /// The value defined.
        value: ValueId,
        /// Its computation.
        expr: Expr,
    },
    /// Executes one of two blocks, whose yield becomes the value.
    If {
        /// The value defined.
        value: ValueId,
        /// A `bool`.
        condition: ValueId,
        /// The block for true.
        then: BlockId,
        /// The block for false.
        otherwise: BlockId,
    },
    /// Binds the parameters to the initial values and executes the body until it yields; the yield becomes
    /// the value.
    Loop {
        /// The value defined.
        value: ValueId,
        /// The parameters, defined in the body.
        params: Box<[ValueId]>,
        /// Their initial values.
        inits: Box<[ValueId]>,
        /// The body.
        body: BlockId,
    },
}

impl Statement {
    /// The values that the statement itself uses, not those used in its blocks.
    pub fn uses(&self) -> &[ValueId] {
        match self {
            Self::Let { expr: Expr::Op(_, operands), .. } => operands,
            Self::Let { .. } => &[],
            Self::If { condition, .. } => std::slice::from_ref(condition),
            Self::Loop { inits, .. } => inits,
        }
    }

    /// The value that the statement defines for those after it.
    pub fn value(&self) -> ValueId {
        match *self {
            Self::Let { value, .. } | Self::If { value, .. } | Self::Loop { value, .. } => value,
        }
    }
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Yields values: the root one for each output, other blocks one.
    Yield(Box<[ValueId]>),
    /// Starts the next round of the innermost loop.
    Rec(Box<[ValueId]>),
    /// Ends as one of two blocks does.
    If {
        /// A `bool`.
        condition: ValueId,
        /// The block for true.
        then: BlockId,
        /// The block for false.
        otherwise: BlockId,
    },
}

impl End {
    /// The values that the end itself uses, not those used in its blocks.
    pub fn uses(&self) -> &[ValueId] {
        match self {
            Self::Yield(values) | Self::Rec(values) => values,
            Self::If { condition, .. } => std::slice::from_ref(condition),
        }
    }
}

/// Statements in order, and an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// The end.
    pub end: End,
}

/// A scheduled program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The types of its values.
    pub types: Types,
    /// All values, in order of definition.
    pub values: Vec<ValueInfo>,
    /// The source names of values that have one.
    pub names: FxHashMap<ValueId, Name>,
    /// Links from a value to the value that it is at another pixel of the quad, if the program has that
    /// value; it may be defined in another block. No result depends on them.
    pub neighbours: FxHashMap<ValueId, Neighbour<ValueId>>,
    /// All blocks; the first is the root.
    pub blocks: Vec<Block>,
    /// The locations of the outputs, in the order in which the root yields them.
    pub locations: Vec<u32>,
    /// All uniforms of the program, unused ones included.
    pub uniforms: Vec<Uniform>,
    /// The values of the `if`s that are guards (see [`super`]), ascending. If the condition of a guard is
    /// false, its value is never needed.
    pub guards: Vec<ValueId>,
    /// The condition of the `if`s in the root that choose the clear colour for discarded pixels. No result
    /// depends on this field.
    pub discard: Option<Discard<ValueId>>,
}

impl Program {
    /// The words of the clear colour, kept by discarded pixels.
    pub fn clear(&self) -> [u32; 4] {
        self.discard.map_or([0; 4], |discard| discard.clear)
    }

    /// The root block.
    pub const ROOT: BlockId = BlockId(0);

    /// The block with this index.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> Type {
        self.values[id.index()].ty
    }

    /// The offset of each value's components if all values lie one after the other; the last entry is the
    /// total.
    pub fn component_offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for value in &self.values {
            offsets.push(offsets[offsets.len() - 1] + self.types.components(value.ty));
        }
        offsets
    }

    /// The name of a value in the source, if it has one.
    pub fn name(&self, id: ValueId) -> Option<&str> {
        self.names.get(&id).map(Name::as_str)
    }

    /// True if the value is that of a guard.
    pub fn is_guard(&self, id: ValueId) -> bool {
        self.guards.binary_search(&id).is_ok()
    }

    /// The values that the root yields.
    pub fn outputs(&self) -> &[ValueId] {
        match &self.block(Self::ROOT).end {
            End::Yield(values) => values,
            End::Rec(_) | End::If { .. } => unreachable!("the root yields"),
        }
    }
}
