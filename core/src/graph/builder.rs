//! Construction of core nodes: hash-consing, types, and local simplification.
//!
//! Simplification folds constants by [`Op::apply`] itself and applies identities that hold for every binary32
//! value, NaN, infinities and −0 included. It never drops an operand whose evaluation might not end.

use super::{ExprType, Loop, LoopId, Name, Neighbour, Node, NodeId, StageInput};
use crate::float::canonical;
use crate::inputs::Input;
use crate::memory::MemoryOp;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::sets::{SetId, Sets};
use crate::source::Span;
use crate::types::{Scalar, Type, TypeKind, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most source positions of a node.
const MAX_SPANS: usize = 4;

/// Properties of a node, derived from its operands.
#[derive(Clone, Copy, Debug)]
struct Facts {
    ty: ExprType,
    free: SetId,
    may_diverge: bool,
    has_effect: bool,
    span: Span,
}

/// The facts that a node has from its operands together.
#[derive(Clone, Copy, Debug, Default)]
struct Below {
    free: SetId,
    may_diverge: bool,
    has_effect: bool,
}

/// The nodes and loops of a program under construction.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    types: Types,
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    more_spans: FxHashMap<NodeId, Vec<Span>>,
    names: FxHashMap<NodeId, Name>,
    neighbours: FxHashMap<NodeId, Neighbour<NodeId>>,
    loops: Vec<Option<Loop>>,
    interned: FxHashMap<Node, NodeId>,
    sets: Sets<LoopId>,
    extent: usize,
}

impl Graph {
    /// The number of words of all constants plus operands of all other nodes.
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// The types of the program.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The program's types, to add some.
    pub fn types_mut(&mut self) -> &mut Types {
        &mut self.types
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The computation of a node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The type of an expression, in the sense of the report.
    pub fn expr_type(&self, id: NodeId) -> ExprType {
        self.facts[id.index()].ty
    }

    /// The type of a node that is a value.
    pub fn value_type(&self, id: NodeId) -> Type {
        self.expr_type(id).value().expect("a tail is not used as a value")
    }

    /// True if evaluating the node might not end, since it contains a loop, or is reported, since it contains a probe. Such a
    /// node is evaluated exactly where it is needed.
    pub fn may_diverge(&self, id: NodeId) -> bool {
        self.facts[id.index()].may_diverge
    }

    /// True if the node changes a memory or makes another name of its state ([`Self::is_effect`]), or depends on such a
    /// node.
    pub fn has_effect(&self, id: NodeId) -> bool {
        self.facts[id.index()].has_effect
    }

    /// True if the node may not be evaluated anywhere: it might not end, or it depends on an effect.
    pub fn is_ordered(&self, id: NodeId) -> bool {
        self.may_diverge(id) || self.has_effect(id)
    }

    /// True if the node may change a memory, or makes another name of its state: an operation with an effect, a state that
    /// waits for others, or an `if` or loop whose value or parameters hold states.
    pub fn is_effect(&self, id: NodeId) -> bool {
        let holds_state =
            |id: NodeId| self.expr_type(id).value().is_some_and(|ty| self.types.holds_state(ty));
        match self.node(id) {
            Node::Op(Op::After, _) => holds_state(id),
            Node::Op(op, _) => op.is_effect(),
            Node::If(_) => holds_state(id),
            Node::Loop(of) => {
                holds_state(id) || self.loop_(*of).params.iter().any(|&param| holds_state(param))
            }
            _ => false,
        }
    }

    /// The loops on whose parameters the node depends, ascending.
    pub fn free_loops(&self, id: NodeId) -> &[LoopId] {
        self.sets.get(self.facts[id.index()].free)
    }

    /// True if the node depends on a parameter of this loop.
    pub fn depends_on(&self, id: NodeId, of: LoopId) -> bool {
        self.free_loops(id).binary_search(&of).is_ok()
    }

    /// The first position in the source of the node.
    pub fn span(&self, id: NodeId) -> Span {
        self.facts[id.index()].span
    }

    /// The first few positions in the source of the node.
    pub fn spans(&self, id: NodeId) -> impl Iterator<Item = Span> {
        let more = self.more_spans.get(&id).map_or(&[][..], Vec::as_slice);
        std::iter::once(self.span(id)).chain(more.iter().copied())
    }

    /// The node's name in the source, if it has one.
    pub fn name(&self, id: NodeId) -> Option<&Name> {
        self.names.get(&id)
    }

    /// Names a node; the first name stays. A constant gets no name, since equal constants are one node;
    /// inputs and uniforms have their own.
    pub fn set_name(&mut self, id: NodeId, name: &Name) {
        if !matches!(
            self.node(id),
            Node::Constant(..) | Node::Input(_) | Node::Uniform(..) | Node::Stage(..)
        ) {
            self.names.entry(id).or_insert_with(|| name.clone());
        }
    }

    /// The node that has this node's value at another pixel of the quad, if known.
    pub fn neighbour_of(&self, id: NodeId) -> Option<Neighbour<NodeId>> {
        self.neighbours.get(&id).copied()
    }

    /// Links a node to its value at another pixel; the first link stays.
    pub(super) fn set_neighbour(&mut self, id: NodeId, neighbour: Neighbour<NodeId>) {
        if id != neighbour.of {
            self.neighbours.entry(id).or_insert(neighbour);
        }
    }

    /// True if the node depends on an input, a uniform or a resource's data.
    pub fn depends_on_inputs(&self, root: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![root]);
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.node(id) {
                Node::Input(_) | Node::Uniform(..) | Node::Stage(..) => return true,
                Node::Op(op, _) if op.reads_resource() => return true,
                Node::Loop(of) => stack.push(self.loop_(*of).body),
                _ => {}
            }
            stack.extend_from_slice(self.operands(id));
        }
        false
    }

    /// A finished loop.
    pub fn loop_(&self, id: LoopId) -> &Loop {
        self.loops[id.index()].as_ref().expect("the loop is finished")
    }

    /// The loop, if it is finished.
    pub(super) fn finished_loop(&self, id: LoopId) -> Option<&Loop> {
        self.loops[id.index()].as_ref()
    }

    /// The number of loops, unfinished ones included.
    pub fn loop_count(&self) -> usize {
        self.loops.len()
    }

    /// The words of a constant node.
    pub fn constant_words(&self, id: NodeId) -> Option<&[u32]> {
        match self.node(id) {
            Node::Constant(_, words) => Some(words),
            _ => None,
        }
    }

    fn facts_of(&mut self, node: &Node, span: Span) -> Facts {
        let none = Below::default();
        let (ty, below) = match node {
            Node::Constant(ty, _) | Node::Uniform(_, ty) | Node::Stage(_, ty) => {
                (ExprType::Value(*ty), none)
            }
            Node::Input(input) => (ExprType::Value(input.ty()), none),
            Node::Param(of, _, ty) => {
                (ExprType::Value(*ty), Below { free: self.sets.single(*of), ..none })
            }
            Node::Op(op, operands) => {
                let types: Vec<Type> = operands.iter().map(|&o| self.value_type(o)).collect();
                let ty = op.result_type(&self.types, &types).unwrap_or_else(|| {
                    panic!("{op:?} is not defined on {types:?}; the caller has checked the types")
                });
                let below = self.joint(operands);
                // A state that waits for others is another name of it.
                let waits = *op == Op::After && self.types.holds_state(ty);
                let has_effect = below.has_effect || op.is_effect() || waits;
                let may_diverge = below.may_diverge || matches!(op, Op::Probe(_));
                (ExprType::Value(ty), Below { has_effect, may_diverge, ..below })
            }
            Node::If(operands) => {
                let [_, then, otherwise] = *operands;
                let ty = self
                    .expr_type(then)
                    .rec_match(self.expr_type(otherwise))
                    .expect("the caller has matched the arms");
                let below = self.joint(operands);
                // An `if` that yields a state makes another name of it.
                let yields_state = ty.value().is_some_and(|ty| self.types.holds_state(ty));
                (ty, Below { has_effect: below.has_effect || yields_state, ..below })
            }
            Node::Loop(of) => {
                let l = self.loop_(*of);
                let (ty, body, inits) = (l.ty, l.body, l.inits.clone());
                let inside = self.sets.filter(self.facts[body.index()].free, |l| l != *of);
                let outside = self.joint(&inits);
                let has_effect = outside.has_effect || self.facts[body.index()].has_effect;
                let free = self.sets.union(inside, outside.free);
                (ExprType::Value(ty), Below { free, may_diverge: true, has_effect })
            }
            Node::Rec(_, arguments) => (ExprType::PureRec, self.joint(arguments)),
        };
        let Below { free, may_diverge, has_effect } = below;
        Facts { ty, free, may_diverge, has_effect, span }
    }

    fn joint(&mut self, operands: &[NodeId]) -> Below {
        operands.iter().fold(Below::default(), |below, &o| {
            let facts = self.facts[o.index()];
            Below {
                free: self.sets.union(below.free, facts.free),
                may_diverge: below.may_diverge | facts.may_diverge,
                has_effect: below.has_effect | facts.has_effect,
            }
        })
    }

    /// The node equal to this one, without simplification; added if there is none.
    pub(super) fn intern(&mut self, node: Node, span: Span) -> NodeId {
        if let Some(&known) = self.interned.get(&node) {
            self.add_span(known, span);
            return known;
        }
        let id = self.push(node.clone(), span);
        self.interned.insert(node, id);
        id
    }

    /// Adds a copy of `original`, with its source position and name, even if an equal node exists.
    pub(crate) fn push_copy(&mut self, node: Node, original: NodeId) -> NodeId {
        let id = self.push(node, self.span(original));
        if let Some(name) = self.names.get(&original) {
            self.names.insert(id, name.clone());
        }
        id
    }

    /// Adds a node even if an equal one exists: passes that place nodes put equal nodes in different places.
    pub(crate) fn push(&mut self, node: Node, span: Span) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let facts = self.facts_of(&node, span);
        self.extent += match &node {
            Node::Constant(_, words) => words.len(),
            Node::Op(_, operands) | Node::Rec(_, operands) => operands.len(),
            _ => 0,
        };
        self.nodes.push(node);
        self.facts.push(facts);
        id
    }

    /// Replaces an operand of an existing node, for passes that own the graph. `slot` is an index into
    /// [`Graph::operands`]. The new operand must have the same type. The hash-consing table becomes stale:
    /// afterwards only [`Graph::push`] may be used.
    pub(crate) fn replace_operand(&mut self, user: NodeId, slot: usize, new: NodeId) {
        match &mut self.nodes[user.index()] {
            Node::Op(_, operands) | Node::Rec(_, operands) => operands[slot] = new,
            Node::If(operands) => operands[slot] = new,
            Node::Loop(of) => {
                let of = of.index();
                self.loops[of].as_mut().expect("the loop is finished").inits[slot] = new;
            }
            Node::Constant(..)
            | Node::Input(_)
            | Node::Uniform(..)
            | Node::Stage(..)
            | Node::Param(..) => {
                unreachable!("has no operands")
            }
        }
    }

    /// The nodes whose values a node needs, in order. For a loop: its initial values, not its body.
    pub fn operands(&self, id: NodeId) -> &[NodeId] {
        match self.node(id) {
            Node::Op(_, operands) | Node::Rec(_, operands) => operands,
            Node::If(operands) => operands,
            Node::Loop(of) => &self.loop_(*of).inits,
            Node::Constant(..)
            | Node::Input(_)
            | Node::Uniform(..)
            | Node::Stage(..)
            | Node::Param(..) => &[],
        }
    }

    fn add_span(&mut self, id: NodeId, span: Span) {
        if self.span(id) == span || span == Span::default() {
            return;
        }
        let more = self.more_spans.entry(id).or_default();
        if more.len() + 1 < MAX_SPANS && !more.contains(&span) {
            more.push(span);
        }
    }

    /// A constant. NaN components become 0x7fc00000.
    pub fn constant(&mut self, ty: Type, words: &[u32], span: Span) -> NodeId {
        self.constant_of(ty, words.into(), span)
    }

    fn constant_of(&mut self, ty: Type, mut words: Box<[u32]>, span: Span) -> NodeId {
        for (word, scalar) in words.iter_mut().zip(self.types.scalars(ty)) {
            if scalar == Scalar::F32 {
                *word = canonical(*word);
            }
        }
        self.intern(Node::Constant(ty, words), span)
    }

    /// A constant number.
    pub fn number(&mut self, value: f32, span: Span) -> NodeId {
        self.constant(Type::NUM, &[value.to_bits()], span)
    }

    /// A constant truth value.
    pub fn bool(&mut self, value: bool, span: Span) -> NodeId {
        self.constant(Type::BOOL, &[u32::from(value)], span)
    }

    /// An input.
    pub fn input(&mut self, input: Input, span: Span) -> NodeId {
        self.intern(Node::Input(input), span)
    }

    /// A uniform, by index.
    pub fn uniform(&mut self, index: u32, ty: Type, span: Span) -> NodeId {
        self.intern(Node::Uniform(index, ty), span)
    }

    /// An input of a stage, of this type.
    pub fn stage_input(&mut self, input: StageInput, ty: Type, span: Span) -> NodeId {
        self.intern(Node::Stage(input, ty), span)
    }

    /// Begins a loop; the caller adds its parameters next.
    pub fn begin_loop(&mut self) -> LoopId {
        self.loops.push(None);
        LoopId(self.loops.len() as u32 - 1)
    }

    /// A parameter of an unfinished loop.
    pub fn param(&mut self, of: LoopId, index: u32, ty: Type, span: Span) -> NodeId {
        self.intern(Node::Param(of, index, ty), span)
    }

    /// The next round of a loop, with new values of its parameters.
    pub fn rec(&mut self, of: LoopId, arguments: Vec<NodeId>, span: Span) -> NodeId {
        self.intern(Node::Rec(of, arguments.into()), span)
    }

    pub(super) fn define_loop(&mut self, of: LoopId, l: Loop) {
        self.loops[of.index()] = Some(l);
    }

    pub(super) fn set_loop(&mut self, of: LoopId, l: Loop) -> NodeId {
        let span = l.span;
        self.define_loop(of, l);
        self.intern(Node::Loop(of), span)
    }

    /// `value` broadcast to a vector type; `value` itself if it has that type already.
    pub fn broadcast(&mut self, value: NodeId, ty: Type, span: Span) -> NodeId {
        match *self.types.kind(ty) {
            TypeKind::Vector(_, n) if self.value_type(value) != ty => {
                self.op(Op::Construct(ty), vec![value; usize::from(n)], span)
            }
            _ => value,
        }
    }

    /// An operation. Panics if the operands' types do not fit: the caller must have checked them.
    pub fn op(&mut self, op: Op, operands: Vec<NodeId>, span: Span) -> NodeId {
        if let Some(folded) = self.fold(op, &operands, span) {
            return folded;
        }
        match self.simplify(op, &operands, span) {
            Some(simpler) => simpler,
            // Equal effects at two places are two effects.
            None if op.is_effect() && !is_active(Mutant::MergedEffects) => {
                self.push(Node::Op(op, operands.into()), span)
            }
            None => self.intern(Node::Op(op, operands.into()), span),
        }
    }

    /// The word of a memory at an index, and the state to go on with: it waits for an index that might not end or that
    /// depends on effects, so that the word is read before the state is consumed.
    pub fn load(&mut self, state: NodeId, index: NodeId, span: Span) -> [NodeId; 2] {
        let word = self.op(Op::Memory(MemoryOp::Load), vec![state, index], span);
        [word, self.waiting(state, [index], span)]
    }

    /// `state`, after those of `others` that might not end or that depend on effects.
    pub(super) fn waiting(
        &mut self,
        state: NodeId,
        others: impl IntoIterator<Item = NodeId>,
        span: Span,
    ) -> NodeId {
        let others: Vec<NodeId> =
            others.into_iter().filter(|&other| self.is_ordered(other)).collect();
        self.after_all(state, others, span)
    }

    /// `value`, after those of `others` that might not end.
    pub fn after(
        &mut self,
        value: NodeId,
        others: impl IntoIterator<Item = NodeId>,
        span: Span,
    ) -> NodeId {
        let others: Vec<NodeId> =
            others.into_iter().filter(|&other| self.may_diverge(other)).collect();
        self.after_all(value, others, span)
    }

    fn after_all(&mut self, value: NodeId, others: Vec<NodeId>, span: Span) -> NodeId {
        let (mut operands, mut seen) = (vec![value], FxHashSet::default());
        operands.extend(others.into_iter().filter(|&other| other != value && seen.insert(other)));
        if operands.len() == 1 || is_active(Mutant::DroppedOperand) {
            return value;
        }
        self.intern(Node::Op(Op::After, operands.into()), span)
    }

    fn fold(&mut self, op: Op, operands: &[NodeId], span: Span) -> Option<NodeId> {
        if op.reads_resource() || matches!(op, Op::Probe(_)) {
            return None;
        }
        let words: Vec<&[u32]> =
            operands.iter().map(|&o| self.constant_words(o)).collect::<Option<_>>()?;
        let types: Vec<Type> = operands.iter().map(|&o| self.value_type(o)).collect();
        let ty = op.result_type(&self.types, &types).expect("the caller has checked the types");
        let mut out: Box<[u32]> = vec![0; self.types.components(ty)].into();
        op.apply(&self.types, &types, &words, &mut out);
        if op == Op::Mul && is_active(Mutant::InexactFolding) {
            out.iter_mut().for_each(|word| *word = f32::from_bits(*word).next_up().to_bits());
        }
        Some(self.constant_of(ty, out, span))
    }

    /// True if all components of a constant are the number with these bits.
    fn is_all(&self, id: NodeId, bits: u32) -> bool {
        matches!(self.node(id), Node::Constant(ty, words)
            if self.types.scalars(*ty).all(|scalar| scalar == Scalar::F32)
                && words.iter().all(|&w| w == bits))
    }

    fn simplify(&mut self, op: Op, operands: &[NodeId], span: Span) -> Option<NodeId> {
        const ZERO: u32 = 0;
        const MINUS_ZERO: u32 = 0x8000_0000;
        const ONE: u32 = 0x3f80_0000;
        let inner = |o: NodeId| match self.node(o) {
            Node::Op(op, operands) => Some((*op, &**operands)),
            _ => None,
        };
        match (op, operands) {
            (
                Op::Component(_)
                | Op::Column(_)
                | Op::Field(_)
                | Op::At
                | Op::Update
                | Op::Construct(_)
                | Op::Tag
                | Op::Payload(..)
                | Op::After,
                _,
            ) => self.simplify_parts(op, operands, span),
            // x·1, x/1, x−0 and x+(−0) are x for every x; x+0 and x·0 are not.
            (Op::Mul | Op::Div, &[x, c]) | (Op::Mul, &[c, x]) if self.is_all(c, ONE) => Some(x),
            (Op::Sub, &[x, c]) if self.is_all(c, ZERO) => Some(x),
            (Op::Add, &[x, c] | &[c, x]) if self.is_all(c, MINUS_ZERO) => Some(x),
            (Op::Neg, &[x]) => match inner(x)? {
                (Op::Neg, &[y]) => Some(y),
                _ => None,
            },
            (Op::Not, &[x]) => match inner(x)? {
                (Op::Not, &[y]) => Some(y),
                (Op::Equal, pair) => Some(self.op(Op::NotEqual, pair.to_vec(), span)),
                (Op::NotEqual, pair) => Some(self.op(Op::Equal, pair.to_vec(), span)),
                _ => None,
            },
            (Op::Select, &[c, a, b]) if a == b && !self.may_diverge(c) => Some(a),
            _ => None,
        }
    }

    /// An `if`, whose arms' types must match ([`ExprType::rec_match`]).
    ///
    /// An `if` of tails is kept even if its condition is constant, so that a loop keeps its `Rec` and its
    /// exit.
    pub fn if_(
        &mut self,
        [mut condition, mut then, mut otherwise]: [NodeId; 3],
        span: Span,
    ) -> NodeId {
        while let Node::Op(Op::Not, negated) = self.node(condition) {
            condition = negated[0];
            std::mem::swap(&mut then, &mut otherwise);
        }
        let arms = (self.expr_type(then), self.expr_type(otherwise));
        if let (ExprType::Value(ty), ExprType::Value(_)) = arms {
            if let Some(words) = self.constant_words(condition) {
                return if (words[0] != 0) != is_active(Mutant::FoldedToOtherArm) {
                    then
                } else {
                    otherwise
                };
            }
            // Inside an arm the same condition is known. (The state that an `if` yields has consumed those in its arms.)
            let has_state = self.types.holds_state(ty);
            let arm = |this: &Self, node, index: usize| match this.node(node) {
                Node::If(inner) if inner[0] == condition && !has_state => inner[index],
                _ => node,
            };
            (then, otherwise) = (arm(self, then, 1), arm(self, otherwise, 2));
            if then == otherwise && !self.may_diverge(condition) {
                return then;
            }
            if ty == Type::BOOL {
                let known = |id| self.constant_words(id).map(|words| words[0] != 0);
                match (known(then), known(otherwise)) {
                    (Some(true), Some(false)) => return condition,
                    (Some(false), Some(true)) => return self.op(Op::Not, vec![condition], span),
                    _ => {}
                }
            }
        }
        self.intern(Node::If([condition, then, otherwise]), span)
    }
}
