//! Scheduled programs: nested blocks of `let`, `if` and `loop`.

use crate::graph::{Discard, Name, Neighbour, Uniform};
use crate::inputs::Input;
use crate::op::Op;
use crate::source::Span;
use crate::types::{Type, Types};
use rustc_hash::FxHashMap;

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

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Type,
    /// The place in the source that it stands for.
    pub span: Span,
}

/// A computation without control flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// One word per component, as [`Op::apply`] wants them.
    Constant(Box<[u32]>),
    /// A quantity given from outside.
    Input(Input),
    /// The uniform of that index.
    Uniform(u32),
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
        /// What it is.
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
    /// Binds the parameters to the initial values and executes the body until it yields.
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
    /// The values that the statement itself uses, the blocks inside it apart.
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

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With these values: of the root, one for each output; else one.
    Yield(Box<[ValueId]>),
    /// With the next round of the innermost loop.
    Rec(Box<[ValueId]>),
    /// As one of two blocks ends.
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
    /// The values that the end itself uses, the blocks inside it apart.
    pub fn uses(&self) -> &[ValueId] {
        match self {
            Self::Yield(values) | Self::Rec(values) => values,
            Self::If { condition, .. } => std::slice::from_ref(condition),
        }
    }
}

/// Statements in order, and what comes after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// How the block ends.
    pub end: End,
}

/// A scheduled program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The types of its values.
    pub types: Types,
    /// All values, in order of definition.
    pub values: Vec<ValueInfo>,
    /// What the source calls values, of those that it does.
    pub names: FxHashMap<ValueId, Name>,
    /// Of values at other pixels of the quad, what they are of, if that is a value of the program: it
    /// may be defined elsewhere. No meaning depends on it.
    pub neighbours: FxHashMap<ValueId, Neighbour<ValueId>>,
    /// All blocks; the first is the root.
    pub blocks: Vec<Block>,
    /// The locations of the outputs, in the order in which the root yields them.
    pub locations: Vec<u32>,
    /// All uniforms of the program, also those that are not used.
    pub uniforms: Vec<Uniform>,
    /// The values of the `if`s that are guards (see above), ascending: where the condition does not
    /// hold, the value is never needed.
    pub guards: Vec<ValueId>,
    /// The condition of the `if`s in the root that choose the colours of pixels that are discarded. No
    /// meaning depends on it.
    pub discard: Option<Discard<ValueId>>,
}

impl Program {
    /// The words of the colour that a pixel keeps which is discarded.
    pub fn clear(&self) -> [u32; 4] {
        self.discard.map_or([0; 4], |discard| discard.clear)
    }

    /// The root block.
    pub const ROOT: BlockId = BlockId(0);

    /// The block of that index.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> Type {
        self.values[id.index()].ty
    }

    /// Where the components of each value begin if those of all values lie one after the other,
    /// and, at the end, how many there are.
    pub fn component_offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for value in &self.values {
            offsets.push(offsets[offsets.len() - 1] + self.types.components(value.ty));
        }
        offsets
    }

    /// What the source calls a value, if it does.
    pub fn name(&self, id: ValueId) -> Option<&str> {
        self.names.get(&id).map(Name::as_str)
    }

    /// Whether the value is that of a guard.
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
