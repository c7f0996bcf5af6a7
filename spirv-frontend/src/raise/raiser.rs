//! The state of raising, and what all parts of it need.

use crate::error::{RaiseError, Result};
use crate::flow::{Flow, FlowId};
use crate::memory::Memory;
use crate::module::{Function, Instruction, Merge, Module};
use crate::structure::FunctionFacts;
use lambdav_core::graph::{Graph, LoopId, Neighbours, NodeId};
use lambdav_core::interface::Stage;
use lambdav_core::limits::{EXPANSION_STEPS, EXTENT, NODES};
use lambdav_core::op::Op;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an id stands for.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Node(NodeId),
    Pointer(Pointer),
    /// A texture: the node of the resource.
    Image(NodeId),
    Sampler,
}

/// What a pointer goes back to.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A variable that is written.
    Slot(usize),
    /// One that is only read: what is in it.
    Constant(NodeId),
    /// A texture or sampler.
    Opaque(Box<Value>),
    /// A block whose last member, of that number, is an array as long as the buffer: the node of the
    /// resource.
    Buffer(NodeId, u32),
}

/// A place in a variable.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// The type of what is there, in the module.
    pub(super) ty: u32,
    /// The parts on the way to it: indices.
    pub(super) path: Vec<NodeId>,
}

/// A function that is being raised, for one call of it.
#[derive(Debug)]
pub(super) struct Frame<'m, 'w> {
    pub(super) function: &'m Function<'w>,
    pub(super) facts: &'m FunctionFacts,
    pub(super) values: FxHashMap<u32, Value>,
    /// The slots of roots that have one.
    pub(super) root_slots: Vec<Option<usize>>,
    /// The roots of each slot.
    pub(super) slot_roots: FxHashMap<usize, Vec<usize>>,
    /// Blocks that end constructs which are being raised, how often.
    targets: FxHashMap<usize, u32>,
    /// Blocks that have been raised.
    pub(super) visited: Vec<bool>,
    /// How many slots its caller has.
    pub(super) first_slot: usize,
    /// Whether ways may meet where no merge instruction says so.
    pub(super) has_odd_joins: bool,
}

/// A loop that is being raised.
#[derive(Debug)]
pub(super) struct OpenLoop {
    pub(super) id: LoopId,
    pub(super) header: usize,
    pub(super) merge: usize,
    pub(super) next: usize,
    /// Where it stands, and what its body does.
    pub(super) at: FlowId,
    pub(super) body: FlowId,
    pub(super) params: Vec<NodeId>,
    pub(super) inits: Vec<NodeId>,
    /// The slots that the last of the parameters are of.
    pub(super) slots: Vec<usize>,
    pub(super) before: Memory,
    pub(super) span: Span,
}

/// What remains to be done.
#[derive(Debug)]
pub(super) enum Task {
    /// A block, with its φ's.
    Enter { block: usize, at: FlowId, values: Vec<NodeId>, memory: Memory, is_again: bool },
    /// What is behind the arms that began there.
    Merge { block: usize, at: FlowId },
    /// The cases of a switch that others fall into, the next one last.
    Cases { pending: Vec<usize>, at: FlowId },
    /// A loop whose body has been raised, and its continue construct then.
    Continue(Box<OpenLoop>),
    /// A loop of which all has been raised.
    Finish(Box<OpenLoop>),
    /// The rest of a block behind a call.
    Return { block: usize, next: usize, at: FlowId },
}

/// The program as far as it is raised.
pub(super) struct Raiser<'m, 'w> {
    pub(super) module: &'m Module<'w>,
    pub(super) source: &'m SourceFile,
    pub(super) stage: Stage,
    pub(super) facts: &'m FxHashMap<u32, FunctionFacts>,
    pub(super) graph: Graph,
    pub(super) flow: Flow,
    pub(super) frames: Vec<Frame<'m, 'w>>,
    pub(super) tasks: Vec<Task>,
    pub(super) globals: FxHashMap<u32, Value>,
    pub(super) constants: FxHashMap<u32, NodeId>,
    pub(super) types: FxHashMap<u32, Type>,
    /// The zeros of types, each made once: they may be large.
    pub(super) zeros: FxHashMap<Type, NodeId>,
    pub(super) neighbours: Neighbours,
    /// What loops compute that is taken to be the same at all pixels, and where that is.
    pub(super) alike: Vec<(NodeId, Span)>,
    pub(super) span: Span,
    pub(super) steps: usize,
    /// Whether textures have levels.
    pub(super) has_levels: bool,
}

impl<'m, 'w> Raiser<'m, 'w> {
    /// Counts work, and refuses too much of it.
    pub(super) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        let is_too_large = self.steps + self.flow.work / 4 > EXPANSION_STEPS as usize
            || self.graph.len() > NODES
            || self.graph.extent() > EXTENT;
        match is_too_large {
            true => Err(RaiseError::too_large("the module is too large with all calls in place")),
            false => Ok(()),
        }
    }

    /// The innermost function.
    pub(super) fn frame(&mut self) -> &mut Frame<'m, 'w> {
        self.frames.last_mut().expect("a function is being raised")
    }

    /// The node of an operation.
    pub(super) fn op(&mut self, op: Op, operands: &[NodeId]) -> Result<NodeId> {
        let of: Vec<Type> = operands.iter().map(|&node| self.graph.value_type(node)).collect();
        if op.result_type(self.graph.types(), &of).is_none() {
            return Err(RaiseError::malformed("its operands are of other types"));
        }
        if let Some(simpler) = self.unguarded(op, operands) {
            return Ok(simpler);
        }
        Ok(self.graph.op(op, operands.to_vec(), self.span))
    }

    /// The type of a node.
    pub(super) fn type_of(&self, node: NodeId) -> Type {
        self.graph.value_type(node)
    }

    /// A constant with that word in each component.
    pub(super) fn splat(&mut self, ty: Type, word: u32) -> NodeId {
        let count = self.graph.types().components(ty);
        self.graph.constant(ty, &vec![word; count], self.span)
    }

    /// What a value is of which nothing is said.
    pub(super) fn zero(&mut self, ty: Type) -> NodeId {
        if let Some(&known) = self.zeros.get(&ty) {
            return known;
        }
        let zero = self.splat(ty, 0);
        self.zeros.insert(ty, zero);
        zero
    }

    /// The same of a number.
    pub(super) fn number(&mut self, ty: Type, value: f32) -> NodeId {
        self.splat(ty, value.to_bits())
    }

    /// An integer as one with or without a sign, of the same bits; what has that type already as it is.
    pub(super) fn integer_as(&mut self, node: NodeId, scalar: Scalar) -> Result<NodeId> {
        match self.type_of(node).scalar() {
            Some(found) if found == scalar => Ok(node),
            Some(Scalar::I32 | Scalar::U32) if matches!(scalar, Scalar::I32 | Scalar::U32) => {
                self.op(Op::Convert(scalar), &[node])
            }
            _ => Err(RaiseError::malformed("its operands are of other types")),
        }
    }

    /// A value as one of that type, which it is up to the signs of integers.
    pub(super) fn of_type(&mut self, node: NodeId, ty: Type) -> Result<NodeId> {
        let found = self.type_of(node);
        if found == ty {
            return Ok(node);
        }
        match ty.scalar() {
            Some(scalar) if found.width() == ty.width() => self.integer_as(node, scalar),
            _ => Err(RaiseError::malformed("its result is of another type")),
        }
    }

    /// What an id stands for.
    pub(super) fn value(&mut self, id: u32) -> Result<Value> {
        if let Some(frame) = self.frames.last()
            && let Some(value) = frame.values.get(&id)
        {
            return Ok(value.clone());
        }
        if let Some(value) = self.globals.get(&id) {
            return Ok(value.clone());
        }
        self.constant(id).map(Value::Node)
    }

    /// The node of a value.
    pub(super) fn node(&mut self, id: u32) -> Result<NodeId> {
        match self.value(id)? {
            Value::Node(node) => Ok(node),
            _ => Err(RaiseError::malformed(format!("%{id} is no value"))),
        }
    }

    /// The node of an operand.
    pub(super) fn operand(&mut self, of: &Instruction<'_>, index: usize) -> Result<NodeId> {
        let id = of.operand(index)?;
        self.node(id)
    }

    /// The nodes of all operands from an index on.
    pub(super) fn operands(&mut self, of: &Instruction<'_>, from: usize) -> Result<Vec<NodeId>> {
        of.rest(from).iter().map(|&id| self.node(id)).collect()
    }

    /// Says of which slots the content matters where a block begins, or at the end of the function.
    pub(super) fn liveness<'f>(
        frame: &'f Frame<'m, 'w>,
        block: Option<usize>,
    ) -> impl Fn(usize) -> bool + 'f {
        move |slot| {
            let roots = frame.slot_roots.get(&slot).map_or(&[][..], Vec::as_slice);
            roots.iter().any(|&root| frame.facts.is_live(block, root))
        }
    }
}

/// Whether control comes from several blocks to one that ends no construct, or, beside the way back, to the
/// header of a loop.
fn has_odd_joins(function: &Function<'_>, facts: &FunctionFacts) -> bool {
    let ends = function.blocks.iter().flat_map(|block| match block.merge {
        Some(Merge::Selection(merge)) => [Some(merge), None],
        Some(Merge::Loop(merge, next)) => [Some(merge), Some(next)],
        None => [None; 2],
    });
    let ends: FxHashSet<u32> = ends.flatten().collect();
    function.blocks.iter().zip(&facts.predecessors).any(|(block, from)| {
        let usual = if matches!(block.merge, Some(Merge::Loop(..))) { 2 } else { 1 };
        from.len() > usual && !ends.contains(&block.label)
    })
}

impl<'m, 'w> Frame<'m, 'w> {
    /// A call of a function, whose caller has so many slots.
    pub(super) fn new(
        function: &'m Function<'w>,
        facts: &'m FunctionFacts,
        first_slot: usize,
    ) -> Self {
        Self {
            function,
            facts,
            values: FxHashMap::default(),
            root_slots: vec![None; facts.roots.len()],
            slot_roots: FxHashMap::default(),
            targets: FxHashMap::default(),
            visited: vec![false; function.blocks.len()],
            first_slot,
            has_odd_joins: has_odd_joins(function, facts),
        }
    }

    /// Says where a root's content is.
    pub(super) fn set_root(&mut self, root: usize, slot: usize) {
        self.root_slots[root] = Some(slot);
        self.slot_roots.entry(slot).or_default().push(root);
    }

    /// Begins a construct that ends there.
    pub(super) fn add_target(&mut self, block: usize) {
        *self.targets.entry(block).or_default() += 1;
    }

    /// Ends it.
    pub(super) fn remove_target(&mut self, block: usize) {
        *self.targets.get_mut(&block).expect("it was added") -= 1;
    }

    /// Whether a construct that is being raised ends there.
    pub(super) fn is_target(&self, block: usize) -> bool {
        self.targets.get(&block).is_some_and(|&count| count > 0)
    }
}
