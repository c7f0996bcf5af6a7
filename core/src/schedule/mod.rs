//! The schedule: a place for every node of the core, as nested blocks of `let`, `if` and `loop`.
//!
//! The graph says what is computed, lazily; a [`Program`] says where, strictly: its statements are
//! executed in order. This is Schneider's IL with structure: read as a functional program, blocks
//! bind names and end in a value or a tail call of their loop; read as an imperative one, they are
//! SSA with block parameters. Evaluators and backends work on it.
//!
//! # Placement
//!
//! *Regions* are the program, the arms of each `if` and the body of each loop; they form a tree.
//!
//! 1. What might not end — loops, and `if`s around them — is *pinned*: it runs exactly where
//!    substitution would have run it ([`demand`]). Needed in one region, it is placed there. Needed in
//!    several, it is placed in their common ancestor, under a guard: the disjunction of the conditions
//!    on the ways down. A guard is an ordinary `if`. Where the guard itself would depend on the
//!    node (a condition that needs it in some cases), or on a parameter of a loop that lies between,
//!    the node is copied.
//! 2. All else *floats* ([`place`]): out of every loop that it does not depend on,
//!    and otherwise down to the deepest region that holds all its uses. So work sinks into the arm
//!    that alone needs it, and leaves an arm only together with a loop.
//!
//! # Invariants (checked by [`verify()`])
//!
//! - Each value is defined once, by a statement of a block that encloses (or is) the block of its
//!   use, before it; parameters of a loop in its body only.
//! - Types are those of [`crate::op::Op::result_type`]; the arms of an `if` yield the type of its
//!   value; a loop's yields have the type of its value; initial values and the arguments of
//!   every [`End::Rec`] have the types of the parameters.
//! - [`End::If`] and [`End::Rec`] stand in tails of loop bodies only; arms of an [`Statement::If`]
//!   and the root end in [`End::Yield`]. Each loop has at least one `Rec` and one `Yield`.
//! - Blocks form a tree: each is referred to once.

mod demand;
mod emit;
mod place;
mod regions;
mod verify;

use crate::diagnostics::Diagnostic;
use crate::graph::{Core, Name, Uniform};
use crate::inputs::Input;
use crate::op::Op;
use crate::source::Span;
use crate::types::Type;
use rustc_hash::FxHashMap;

pub use verify::{VerifyError, verify};

/// How deep blocks may nest.
pub const MAX_BLOCK_NESTING: usize = 20_000;

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
    /// All values, in order of definition.
    pub values: Vec<ValueInfo>,
    /// What the source calls values, of those that it does.
    pub names: FxHashMap<ValueId, Name>,
    /// All blocks; the first is the root.
    pub blocks: Vec<Block>,
    /// The locations of the outputs, in the order in which the root yields them.
    pub locations: Vec<u32>,
    /// All uniforms of the program, also those that are not used.
    pub uniforms: Vec<Uniform>,
    /// The values of the `if`s that are guards (see above), ascending: where the condition does not
    /// hold, the value is never needed.
    pub guards: Vec<ValueId>,
}

impl Program {
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

    /// Where the components of each value begin if those of all values lie one after the other, and, at the end, how
    /// many there are.
    pub fn component_offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for value in &self.values {
            offsets.push(offsets[offsets.len() - 1] + value.ty.components());
        }
        offsets
    }

    /// What the source calls a value, if it does.
    pub fn name(&self, id: ValueId) -> Option<&str> {
        self.names.get(&id).map(Name::as_str)
    }

    /// How many blocks lie around the innermost one, itself included.
    pub fn nesting(&self) -> usize {
        let (mut deepest, mut stack) = (0, vec![(Self::ROOT, 1)]);
        while let Some((id, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            let block = self.block(id);
            let mut inner = |id| stack.push((id, depth + 1));
            for statement in &block.statements {
                match *statement {
                    Statement::Let { .. } => {}
                    Statement::If { then, otherwise, .. } => {
                        inner(then);
                        inner(otherwise);
                    }
                    Statement::Loop { body, .. } => inner(body),
                }
            }
            if let End::If { then, otherwise, .. } = block.end {
                inner(then);
                inner(otherwise);
            }
        }
        deepest
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

/// Finds a place for what the outputs at `locations` need (which the program must have), and for
/// nothing else: an output that is not asked for is not evaluated.
pub fn schedule(core: &Core, locations: &[u32]) -> Result<Program, Diagnostic> {
    let outputs: Vec<_> = core
        .outputs
        .iter()
        .filter(|output| locations.contains(&output.location))
        .map(|output| (output.location, output.node))
        .collect();
    let mut placed = demand::pin(core.graph.clone(), outputs.iter().map(|&(_, node)| node));
    place::place(&mut placed);
    let locations = outputs.iter().map(|&(location, _)| location).collect();
    let program = emit::emit(&placed, locations, core.uniforms.clone())?;
    if cfg!(debug_assertions)
        && let Err(errors) = verify(&program)
    {
        panic!("the schedule is malformed: {errors:?}");
    }
    Ok(program)
}
