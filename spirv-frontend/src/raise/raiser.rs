//! The state of the raise, and helpers for all its parts.

use super::opened::Memories;
use super::unset::Unset;
use crate::error::{RaiseError, Result};
use crate::flow::{Flow, FlowId, Target};
use crate::memory::Memory;
use crate::module::{Function, ImageType, Instruction, Merge, Module};
use crate::mutants::{Mutant, is_active};
use crate::options::OperationNames;
use crate::structure::FunctionFacts;
use lambdav_core::graph::{Graph, LoopId, Neighbours, NodeId};
use lambdav_core::interface::Stage;
use lambdav_core::limits::{EXPANSION_STEPS, EXTENT, NODES};
use lambdav_core::op::Op;
use lambdav_core::probes::Sites;
use lambdav_core::sampler::Sampler;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type};
use lambdav_spirv::Guard;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Meaning of an id.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Node(NodeId),
    Pointer(Pointer),
    Image(Image),
    Sampler(Choice<Sampler>),
}

/// One of several, by an index.
#[derive(Clone, Debug)]
pub(super) struct Choice<T> {
    /// At least one.
    pub(super) all: Vec<T>,
    /// An `int` or `uint`, which chooses the nearest element; `None` if there is one.
    pub(super) index: Option<NodeId>,
}

/// A texture, with a sampler if it has one.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) ty: ImageType,
    /// Resources and their samplers.
    pub(super) of: Choice<(NodeId, Sampler)>,
}

impl<T: Copy> Choice<T> {
    /// The same choice among the images of a function.
    pub(super) fn map<U>(&self, of: impl Fn(T) -> U) -> Choice<U> {
        Choice { all: self.all.iter().map(|&one| of(one)).collect(), index: self.index }
    }
}

/// Origin of a pointer.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A writable variable.
    Slot(usize),
    /// A read-only variable; its content.
    Constant(NodeId),
    /// A texture or sampler.
    Opaque(Box<Value>),
    /// A buffer: the node of the resource, and the number of the runtime array among the block's
    /// members.
    Buffer(NodeId, u32),
    /// A memory: the slot of its state, and the type of its content in the module.
    Memory(usize, u32),
}

impl Root {
    /// The slot of a variable or of a memory's state.
    pub(super) fn slot(&self) -> Option<usize> {
        match *self {
            Self::Slot(slot) | Self::Memory(slot, _) => Some(slot),
            Self::Constant(_) | Self::Opaque(_) | Self::Buffer(..) => None,
        }
    }
}

/// A place in a variable.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// Pointee type in the module.
    pub(super) ty: u32,
    /// Indices of the parts on the path.
    pub(super) path: Vec<NodeId>,
}

/// A function that is being raised, for one call of it.
#[derive(Debug)]
pub(super) struct Frame<'m, 'w> {
    pub(super) function: &'m Function<'w>,
    pub(super) facts: &'m FunctionFacts,
    pub(super) values: FxHashMap<u32, Value>,
    /// The slot of each root, if it has one.
    pub(super) root_slots: Vec<Option<usize>>,
    /// The roots of each slot.
    pub(super) slot_roots: FxHashMap<usize, Vec<usize>>,
    /// Number of open constructs that each block ends.
    targets: FxHashMap<usize, u32>,
    /// Blocks that have been raised.
    pub(super) visited: Vec<bool>,
    /// Number of slots of the caller.
    pub(super) first_slot: usize,
    /// True if ways may meet outside merge and continue blocks.
    pub(super) has_odd_joins: bool,
}

/// A loop that is being raised.
#[derive(Debug)]
pub(super) struct OpenLoop {
    pub(super) id: LoopId,
    pub(super) header: usize,
    pub(super) merge: usize,
    pub(super) next: usize,
    /// The loop's place in the tree; `body` is the tree of its body.
    pub(super) at: FlowId,
    pub(super) body: FlowId,
    pub(super) params: Vec<NodeId>,
    pub(super) inits: Vec<NodeId>,
    /// The slots of the last parameters.
    pub(super) slots: Vec<usize>,
    pub(super) before: Memory,
    pub(super) span: Span,
}

/// Remaining work.
#[derive(Debug)]
pub(super) enum Task {
    /// Enter a block, with the values of its φ's.
    Enter { block: usize, at: FlowId, values: Vec<NodeId>, memory: Memory, is_again: bool },
    /// Join the arms of a construct that began at `at`.
    Merge { block: usize, at: FlowId },
    /// Join the cases of a switch that others fall into, next one last.
    Cases { pending: Vec<usize>, at: FlowId },
    /// Raise the continue construct of a loop whose body has been raised.
    Continue(Box<OpenLoop>),
    /// Finish a loop that has been raised.
    Finish(Box<OpenLoop>),
    /// Continue a block after a call, at the place of the call.
    Return { block: usize, next: usize, at: FlowId, span: Span },
}

/// The interface of a stage to the rest of its pipeline.
#[derive(Clone, Debug)]
pub(super) struct Link<'m> {
    /// Locations of attributes of instances.
    pub(super) instanced: &'m BTreeSet<u32>,
    /// Types of the varyings that the vertex stage wrote, by location.
    pub(super) written: Vec<(u32, Type)>,
}

/// The program under construction.
pub(super) struct Raiser<'m, 'w> {
    pub(super) module: &'m Module<'w>,
    pub(super) source: &'m SourceFile,
    pub(super) stage: Stage,
    /// The pipeline that the stage belongs to; `None` in a full-screen program.
    pub(super) pipeline: Option<Link<'m>>,
    pub(super) facts: &'m FxHashMap<u32, FunctionFacts>,
    pub(super) graph: Graph,
    pub(super) flow: Flow,
    pub(super) frames: Vec<Frame<'m, 'w>>,
    pub(super) tasks: Vec<Task>,
    pub(super) globals: FxHashMap<u32, Value>,
    pub(super) constants: FxHashMap<u32, NodeId>,
    pub(super) types: FxHashMap<u32, Type>,
    /// Zeros by type, each made once, since they may be large.
    pub(super) zeros: FxHashMap<Type, NodeId>,
    pub(super) neighbours: Neighbours,
    /// Loop values that must be the same at all pixels, with the places that require it.
    pub(super) alike: Vec<(NodeId, Span)>,
    pub(super) span: Span,
    pub(super) steps: usize,
    /// True if textures have levels.
    pub(super) has_levels: bool,
    /// The memories of a compute program.
    pub(super) memories: Memories,
    /// Names of operations in reports; `None` if nothing is reported.
    pub(super) names: Option<OperationNames>,
    /// Conditions under which instructions are reported, by result ids.
    pub(super) guards: FxHashMap<u32, Vec<Guard>>,
    pub(super) sites: Sites,
    /// Variables to which nothing may have been stored.
    pub(super) unset: Unset,
    /// The slot that waits for probes.
    pub(super) reported: Option<usize>,
}

impl<'m, 'w> Raiser<'m, 'w> {
    /// Counts work and limits it.
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

    /// The frame of the current function.
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

    /// A zero of that type, as for a variable without initialiser.
    pub(super) fn zero(&mut self, ty: Type) -> NodeId {
        if let Some(&known) = self.zeros.get(&ty) {
            return known;
        }
        let zero = self.splat(ty, 0);
        self.zeros.insert(ty, zero);
        zero
    }

    /// A constant with that float in each component.
    pub(super) fn number(&mut self, ty: Type, value: f32) -> NodeId {
        self.splat(ty, value.to_bits())
    }

    /// Converts an integer to the signedness of `scalar`, keeping its bits; a value of that type stays.
    pub(super) fn integer_as(&mut self, node: NodeId, scalar: Scalar) -> Result<NodeId> {
        match self.type_of(node).scalar() {
            Some(found) if found == scalar => Ok(node),
            Some(Scalar::I32 | Scalar::U32) if matches!(scalar, Scalar::I32 | Scalar::U32) => {
                self.op(Op::Convert(scalar), &[node])
            }
            _ => Err(RaiseError::malformed("its operands are of other types")),
        }
    }

    /// Converts a value to a type that differs only in the signedness of integers.
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

    /// The meaning of an id.
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
            Value::Pointer(_) => Err(RaiseError::unsupported("pointers as values")),
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

    /// Tells which slots are live where a way leads to. A state of a memory always is, and so is `reported`.
    pub(super) fn liveness<'f>(
        frame: &'f Frame<'m, 'w>,
        memories: usize,
        reported: Option<usize>,
        unset: &'f Unset,
    ) -> impl Fn(Target, usize) -> bool + 'f {
        move |target, slot| {
            let slot = unset.variable_of(slot);
            if reported == Some(slot) {
                return !is_active(Mutant::LostArm);
            }
            let block = match target {
                Target::Block(block) => Some(block),
                Target::Return => None,
                Target::Kill => return slot < memories,
            };
            let roots = frame.slot_roots.get(&slot).map_or(&[][..], Vec::as_slice);
            slot < memories || roots.iter().any(|&root| frame.facts.is_live(block, root))
        }
    }
}

/// True if a block that ends no construct has several predecessors, or a loop header more than one
/// beside its continue block.
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
    /// A frame for a call; the caller has `first_slot` slots.
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

    /// Sets the slot of a root.
    pub(super) fn set_root(&mut self, root: usize, slot: usize) {
        self.root_slots[root] = Some(slot);
        self.slot_roots.entry(slot).or_default().push(root);
    }

    /// Begins a construct that `block` ends.
    pub(super) fn add_target(&mut self, block: usize) {
        *self.targets.entry(block).or_default() += 1;
    }

    /// Ends a construct that `block` ends.
    pub(super) fn remove_target(&mut self, block: usize) {
        *self.targets.get_mut(&block).expect("it was added") -= 1;
    }

    /// True if `block` ends an open construct.
    pub(super) fn is_target(&self, block: usize) -> bool {
        self.targets.get(&block).is_some_and(|&count| count > 0)
    }
}
