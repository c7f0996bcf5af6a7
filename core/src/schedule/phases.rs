//! Splits a program at its barriers.
//!
//! A *phase* is an ordinary program without barriers. Values that live across phases are *saved words* of the invocation: a
//! phase reads them as further uniforms and yields new words for some of them. The phases form a flow graph:
//! [`Next`] is the edge that an invocation takes after a phase. So no engine but the walker of this graph knows barriers.
//!
//! The spine of a program consists of the blocks with barriers in them, nested ones included. It is cut
//!
//! - after each barrier;
//! - before and after each `if` and each loop on the spine, and at each decision in such a loop's tail.
//!
//! All other statements stay whole. The values of an `if` and of a loop on the spine, and the loop's parameters, are words
//! that the phase before the edge saves.
//!
//! A value has saved words only if another phase than its own uses it, or if it is an output; each of its components has one; a
//! `bool` is 0 or 1. Constants,
//! inputs, parts of these and short sums and products of such integers are made again: so an index is known to be a
//! function of the invocation's in each phase. A state has no words: each phase begins with the states that it finds, which are those of the
//! machine's memories at this point of the invocation.

use super::program::{Block, BlockId, End, Expr, Program, Statement, ValueId, ValueInfo};
use super::walk::Event;
use super::{NO_LOCATION, verify};
use crate::graph::Uniform;
use crate::limits::PHASE_VALUES;
use crate::memory::MemoryOp;
use crate::op::Op;
use crate::source::Span;
use crate::types::{Scalar, Type, TypeKind, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::rc::Rc;

/// A program that is split at its barriers. The first phase begins it.
#[derive(Clone, Debug, PartialEq)]
pub struct Phases {
    /// The phases.
    pub all: Vec<Phase>,
    /// The indices of the saved words among the uniforms of each phase. Each is a uniform of its own, a number.
    pub saved: std::ops::Range<u32>,
    /// The saved words that are the outputs of an invocation at its end, beside the final states.
    pub outputs: Vec<u32>,
}

/// A part of a program between two cuts.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// The program. All outputs are numbers of one component.
    pub program: Program,
    /// For each output the saved word that it replaces. The condition of a [`Next::If`] is a further output, a `uint`.
    pub saves: Vec<u32>,
    /// The edge that the invocation takes next.
    pub next: Next,
}

/// An edge of the flow graph. Phases are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The invocation has ended.
    Done,
    /// It waits at a barrier.
    Barrier {
        /// The value of the barrier in the program.
        value: ValueId,
        /// The position of the barrier.
        span: Span,
        /// The phase behind it.
        phase: usize,
    },
    /// It goes on.
    Goto {
        /// The next phase.
        phase: usize,
        /// The loop that it enters or leaves.
        rounds: Rounds,
    },
    /// It goes on with one of two phases.
    If {
        /// The phase if the condition is not 0.
        then: usize,
        /// The other one.
        otherwise: usize,
    },
}

/// The effect of an edge on the loops around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// None.
    Same,
    /// A loop is entered.
    Enter,
    /// The innermost loop begins a further round. The span is the loop's.
    Again(Span),
    /// The innermost loop is left.
    Leave,
}

/// The reason that a program is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitError {
    /// A variant lives across a barrier: its words have no types of their own.
    Variant,
    /// The phases would be too large together.
    TooLarge {
        /// Number of phases.
        phases: usize,
        /// Number of values of the program.
        values: usize,
    },
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variant => f.write_str("a variant lives across a barrier"),
            Self::TooLarge { phases, values } => {
                write!(f, "barriers make {phases} parts of a program of {values} values, too many")
            }
        }
    }
}

impl Error for SplitError {}

/// The meaning of the end of a block on the spine.
enum Exit {
    Root,
    /// The arm of the `if` with this value, and the phase after it.
    Arm(ValueId, usize),
    Loop {
        value: ValueId,
        params: Box<[ValueId]>,
        /// The phase that begins a round.
        body: usize,
        /// The phase after the loop.
        after: usize,
    },
}

/// A phase under construction.
#[derive(Default)]
struct Node {
    /// Its statements: a block and an index.
    items: Vec<(BlockId, usize)>,
    /// Values that another value becomes at the end.
    copies: Vec<(ValueId, ValueId)>,
    condition: Option<ValueId>,
    next: Option<Next>,
    /// Values of other phases that it uses, apart from constants and inputs.
    imports: BTreeSet<ValueId>,
    /// Constants, inputs and their parts that it makes again.
    repeated: BTreeSet<ValueId>,
}

struct Splitter<'p> {
    program: &'p Program,
    /// `on_spine[b]`: there is a barrier in the block or in a block nested in it.
    on_spine: Vec<bool>,
    nodes: Vec<Node>,
    /// Constants, inputs and parts of them, with their computations.
    repeatable: FxHashMap<ValueId, &'p Expr>,
}

/// Splits a program.
///
/// # Errors
///
/// [`SplitError`].
pub fn split(program: &Program) -> Result<Phases, SplitError> {
    let (on_spine, repeatable) = (spine(program), repeatable(program));
    let mut splitter = Splitter { program, on_spine, nodes: Vec::new(), repeatable };
    splitter.cut()?;
    let found = splitter.uses();
    let mut saved_words = FxHashMap::default();
    let mut leaves = Vec::new();
    for value in found {
        let ty = program.ty(value);
        if has_variant(&program.types, ty) {
            return Err(SplitError::Variant);
        }
        saved_words.insert(value, leaves.len() as u32);
        leaves.extend(program.types.scalars(ty).map(|scalar| match scalar {
            Scalar::Bool => Type::UINT,
            scalar => Type::of(scalar, 1),
        }));
    }
    let of_output = |value: &ValueId| {
        let first = saved_words.get(value).copied().unwrap_or_default();
        first..first + program.types.components(program.ty(*value)) as u32
    };
    let outputs = program.outputs().iter().flat_map(of_output).collect();
    let first = program.uniforms.len() as u32;
    let mut uniforms = program.uniforms.clone();
    uniforms.extend(leaves.iter().enumerate().map(|(k, &ty)| Uniform {
        name: format!("saved {k}"),
        ty,
        default: [0].into(),
    }));
    let saved = first..uniforms.len() as u32;
    let repeatable = splitter.repeatable;
    let parts = Parts { program, uniforms, first, saved_words, repeatable };
    let all = splitter.nodes.iter().map(|node| parts.phase(node)).collect::<Result<_, _>>()?;
    Ok(Phases { all, saved, outputs })
}

fn is_barrier(statement: &Statement) -> bool {
    let Statement::Let { expr: Expr::Op(op, _), .. } = statement else { return false };
    matches!(op, Op::Memory(MemoryOp::Barrier(_)))
}

/// Constants, inputs, and what is cheaply made of them.
fn repeatable(program: &Program) -> FxHashMap<ValueId, &Expr> {
    /// The most operations on integers for one value.
    const MOST: u32 = 6;
    let mut found = FxHashMap::default();
    let mut costs: FxHashMap<ValueId, u32> = FxHashMap::default();
    for event in program.walk() {
        let Event::Statement(_, Statement::Let { value, expr }) = event else { continue };
        let cost = match expr {
            Expr::Op(op, of) => {
                let scalar = program.ty(*value).scalar();
                let is_integer = matches!(scalar, Some(Scalar::I32 | Scalar::U32));
                let own = match op {
                    _ if op.fixed_part().is_some() => 0,
                    Op::Add | Op::Sub | Op::Mul | Op::ShiftLeft | Op::Convert(_) if is_integer => 1,
                    _ => continue,
                };
                let of: Option<u32> = of.iter().map(|of| costs.get(of)).sum::<Option<u32>>();
                of.map(|of| of + own)
            }
            _ => Some(0),
        };
        if let Some(cost) = cost.filter(|&cost| cost <= MOST) {
            costs.insert(*value, cost);
            found.insert(*value, expr);
        }
    }
    found
}

fn spine(program: &Program) -> Vec<bool> {
    let mut on_spine = vec![false; program.blocks.len()];
    for event in program.walk() {
        let Event::Leave(id) = event else { continue };
        let block = program.block(id);
        let mut inner: Vec<BlockId> = block.statements.iter().flat_map(inner).collect();
        inner.extend(tails(&block.end));
        on_spine[id.index()] = block.statements.iter().any(is_barrier)
            || inner.into_iter().any(|inner| on_spine[inner.index()]);
    }
    on_spine
}

/// The inner blocks of a statement.
fn inner(statement: &Statement) -> impl Iterator<Item = BlockId> + use<> {
    let [a, b] = match *statement {
        Statement::Let { .. } => [None; 2],
        Statement::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        Statement::Loop { body, .. } => [Some(body), None],
    };
    a.into_iter().chain(b)
}

/// The blocks that an end chooses between.
fn tails(end: &End) -> impl Iterator<Item = BlockId> + use<> {
    let [a, b] = match *end {
        End::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        End::Yield(_) | End::Rec(_) => [None; 2],
    };
    a.into_iter().chain(b)
}

fn has_variant(types: &Types, ty: Type) -> bool {
    // Types nest a little, and so does this function.
    match types.kind(ty) {
        TypeKind::Variant(_) => true,
        TypeKind::Structure(_) => types.parts(ty).any(|part| has_variant(types, part)),
        TypeKind::Array(element, _) => has_variant(types, *element),
        _ => false,
    }
}

impl Splitter<'_> {
    fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// Cuts the spine into nodes with their edges.
    fn cut(&mut self) -> Result<(), SplitError> {
        let program = self.program;
        // Parts of the spine to be put into nodes: the node, the block, the first statement.
        let first = self.node();
        let mut pending = vec![(first, Program::ROOT, 0, Rc::new(Exit::Root))];
        while let Some((node, id, from, exit)) = pending.pop() {
            let values = program.values.len();
            if self.nodes.len() * values > PHASE_VALUES {
                return Err(SplitError::TooLarge { phases: self.nodes.len(), values });
            }
            let block = program.block(id);
            let cut = block.statements.iter().enumerate().skip(from).find(|(_, statement)| {
                is_barrier(statement) || inner(statement).any(|of| self.on_spine[of.index()])
            });
            let end = cut.map_or(block.statements.len(), |(index, _)| index);
            self.nodes[node].items.extend((from..end).map(|index| (id, index)));
            let Some((index, statement)) = cut else {
                self.end(node, &block.end, &exit, &mut pending);
                continue;
            };
            let after = self.node();
            pending.push((after, id, index + 1, exit));
            let next = match statement {
                Statement::Let { value, .. } => {
                    let (value, span) = (*value, program.values[value.index()].span);
                    Next::Barrier { value, span, phase: after }
                }
                &Statement::If { value, condition, then, otherwise } => {
                    self.nodes[node].condition = Some(condition);
                    let exit = Rc::new(Exit::Arm(value, after));
                    let [then, otherwise] = [then, otherwise].map(|arm| {
                        let node = self.node();
                        pending.push((node, arm, 0, Rc::clone(&exit)));
                        node
                    });
                    Next::If { then, otherwise }
                }
                Statement::Loop { value, params, inits, body: of } => {
                    let copies = params.iter().copied().zip(inits.iter().copied());
                    self.nodes[node].copies = copies.collect();
                    let (value, params, body) = (*value, params.clone(), self.node());
                    let exit = Exit::Loop { value, params, body, after };
                    pending.push((body, *of, 0, Rc::new(exit)));
                    Next::Goto { phase: body, rounds: Rounds::Enter }
                }
            };
            self.nodes[node].next = Some(next);
        }
        Ok(())
    }

    /// The edge at the end of a block.
    fn end(
        &mut self,
        node: usize,
        end: &End,
        exit: &Rc<Exit>,
        pending: &mut Vec<(usize, BlockId, usize, Rc<Exit>)>,
    ) {
        let next = match (end, &**exit) {
            (End::Yield(_), Exit::Root) => Next::Done,
            (End::Yield(values), &Exit::Arm(value, after)) => {
                self.nodes[node].copies = vec![(value, values[0])];
                Next::Goto { phase: after, rounds: Rounds::Same }
            }
            (End::Yield(values), &Exit::Loop { value, after, .. }) => {
                self.nodes[node].copies = vec![(value, values[0])];
                Next::Goto { phase: after, rounds: Rounds::Leave }
            }
            (End::Rec(arguments), Exit::Loop { value, params, body, .. }) => {
                let copies = params.iter().copied().zip(arguments.iter().copied());
                self.nodes[node].copies = copies.collect();
                let span = self.program.values[value.index()].span;
                Next::Goto { phase: *body, rounds: Rounds::Again(span) }
            }
            (&End::If { condition, then, otherwise }, _) => {
                self.nodes[node].condition = Some(condition);
                let [then, otherwise] = [then, otherwise].map(|of| {
                    let node = self.node();
                    pending.push((node, of, 0, Rc::clone(exit)));
                    node
                });
                Next::If { then, otherwise }
            }
            (End::Rec(_), _) => unreachable!("a `rec` stands in a loop"),
        };
        self.nodes[node].next = Some(next);
    }

    /// Finds the values that each node imports. Returns those with words, in order.
    fn uses(&mut self) -> BTreeSet<ValueId> {
        let program = self.program;
        let mut copies_to: FxHashMap<ValueId, Vec<(usize, ValueId)>> = FxHashMap::default();
        let (mut needed, mut worklist) = (BTreeSet::new(), Vec::new());
        let mut defined: Vec<FxHashSet<ValueId>> = Vec::new();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            for &(to, from) in &node.copies {
                copies_to.entry(to).or_default().push((number, from));
            }
            let (mut used, mut own) = (Vec::new(), FxHashSet::default());
            used.extend(node.condition);
            for &(id, index) in &node.items {
                uses_of(program, &program.block(id).statements[index], &mut used, &mut own);
            }
            worklist.extend(used.into_iter().map(|value| (number, value)));
            defined.push(own);
        }
        // The outputs, and what becomes one of them.
        for value in program.outputs() {
            if program.types.components(program.ty(*value)) > 0 && needed.insert(*value) {
                worklist.extend(copies_to.get(value).into_iter().flatten());
            }
        }
        while let Some((number, value)) = worklist.pop() {
            if defined[number].contains(&value) {
                continue;
            }
            let node = &mut self.nodes[number];
            if let Some(expr) = self.repeatable.get(&value) {
                node.repeated.insert(value);
                if let Expr::Op(_, of) = expr {
                    worklist.extend(of.iter().map(|&of| (number, of)));
                }
                continue;
            }
            let is_new = node.imports.insert(value);
            if is_new && program.types.components(program.ty(value)) > 0 && needed.insert(value) {
                worklist.extend(copies_to.get(&value).into_iter().flatten());
            }
        }
        needed
    }
}

/// The values that a statement uses and defines, nested ones included.
fn uses_of(
    program: &Program,
    statement: &Statement,
    used: &mut Vec<ValueId>,
    defined: &mut FxHashSet<ValueId>,
) {
    let (mut blocks, mut statements) = (Vec::new(), vec![statement]);
    loop {
        for statement in statements.drain(..) {
            used.extend(statement.uses());
            defined.insert(statement.value());
            if let Statement::Loop { params, .. } = statement {
                defined.extend(params);
            }
            blocks.extend(inner(statement));
        }
        let Some(id) = blocks.pop() else { return };
        let block: &Block = program.block(id);
        used.extend(block.end.uses());
        blocks.extend(tails(&block.end));
        statements.extend(&block.statements);
    }
}

/// The parts that all phases share.
struct Parts<'p> {
    program: &'p Program,
    uniforms: Vec<Uniform>,
    /// The uniform of the first saved word.
    first: u32,
    /// The first saved word of each value that has some.
    saved_words: FxHashMap<ValueId, u32>,
    /// Constants, inputs and parts of them, with their computations.
    repeatable: FxHashMap<ValueId, &'p Expr>,
}

/// The root of a phase under construction.
struct Root<'p> {
    types: &'p Types,
    values: Vec<ValueInfo>,
    statements: Vec<Statement>,
}

impl Root<'_> {
    fn value(&mut self, ty: Type) -> ValueId {
        self.values.push(ValueInfo { ty, span: Span::default() });
        ValueId(self.values.len() as u32 - 1)
    }

    fn define(&mut self, value: ValueId, expr: Expr) {
        self.statements.push(Statement::Let { value, expr });
    }

    fn op(&mut self, ty: Type, op: Op, operands: &[ValueId]) -> ValueId {
        let value = self.value(ty);
        self.define(value, Expr::Op(op, operands.into()));
        value
    }

    fn constant(&mut self, ty: Type, word: u32) -> ValueId {
        let value = self.value(ty);
        self.define(value, Expr::Constant([word].into()));
        value
    }

    /// Defines a value from its saved words, the next of which is a uniform.
    fn import(&mut self, value: ValueId, ty: Type, next: &mut u32) {
        match self.types.kind(ty) {
            TypeKind::Resource(_) if self.types.memory(ty).is_some() => {
                self.define(value, Expr::Op(Op::Memory(MemoryOp::State(ty)), Box::default()));
            }
            TypeKind::Resource(_) => self.define(value, Expr::Constant(Box::default())),
            TypeKind::Scalar(Scalar::Bool) => {
                let word = self.value(Type::UINT);
                self.define(word, Expr::Uniform(*next));
                *next += 1;
                let zero = self.constant(Type::UINT, 0);
                self.define(value, Expr::Op(Op::NotEqual, [word, zero].into()));
            }
            TypeKind::Scalar(_) => {
                self.define(value, Expr::Uniform(*next));
                *next += 1;
            }
            _ => {
                let parts: Vec<Type> = self.types.parts(ty).collect();
                let parts: Vec<ValueId> = parts
                    .into_iter()
                    .map(|part| {
                        let of = self.value(part);
                        self.import(of, part, next);
                        of
                    })
                    .collect();
                self.define(value, Expr::Op(Op::Construct(ty), parts.into()));
            }
        }
    }

    /// Adds the words of a value to the outputs.
    fn export(&mut self, value: ValueId, ty: Type, outputs: &mut Vec<ValueId>) {
        let part = |index: usize| match self.types.kind(ty) {
            TypeKind::Vector(..) => Op::Component(index as u8),
            TypeKind::Matrix(..) => Op::Column(index as u8),
            TypeKind::Structure(_) => Op::Field(index as u32),
            _ => Op::At,
        };
        match self.types.kind(ty) {
            TypeKind::Resource(_) => {}
            TypeKind::Scalar(Scalar::Bool) => {
                outputs.push(self.op(Type::UINT, Op::Convert(Scalar::U32), &[value]));
            }
            TypeKind::Scalar(_) => outputs.push(value),
            _ => {
                let parts: Vec<(Op, Type)> =
                    self.types.parts(ty).enumerate().map(|(k, ty)| (part(k), ty)).collect();
                for (k, (op, ty)) in parts.into_iter().enumerate() {
                    if self.types.components(ty) == 0 {
                        continue;
                    }
                    let of = match op {
                        Op::At => {
                            let index = self.constant(Type::INT, k as u32);
                            self.op(ty, op, &[value, index])
                        }
                        _ => self.op(ty, op, &[value]),
                    };
                    self.export(of, ty, outputs);
                }
            }
        }
    }
}

impl Parts<'_> {
    fn phase(&self, node: &Node) -> Result<Phase, SplitError> {
        let program = self.program;
        let (types, values) = (&program.types, program.values.clone());
        let mut root = Root { types, values, statements: Vec::new() };
        // Values keep their numbers: a phase defines each in one way.
        // Operands have smaller numbers.
        for &value in &node.repeated {
            root.define(value, self.repeatable[&value].clone());
        }
        for &value in &node.imports {
            let ty = program.ty(value);
            if has_variant(types, ty) {
                return Err(SplitError::Variant);
            }
            let word = self.saved_words.get(&value).copied().unwrap_or(0);
            root.import(value, ty, &mut (self.first + word));
        }
        // The blocks of its statements get other numbers; the root is the first.
        let mut blocks = vec![Block { statements: Vec::new(), end: End::Rec(Box::default()) }];
        let mut copied: Vec<BlockId> = Vec::new();
        let mut block_of = |id: BlockId| {
            copied.push(id);
            BlockId(copied.len() as u32)
        };
        for &(id, index) in &node.items {
            let statement = &program.block(id).statements[index];
            root.statements.push(with_blocks(statement, &mut block_of));
        }
        let mut next = 0;
        while next < copied.len() {
            let block = program.block(copied[next]);
            next += 1;
            let mut block_of = |id: BlockId| {
                copied.push(id);
                BlockId(copied.len() as u32)
            };
            let statements = block.statements.iter();
            let statements = statements.map(|of| with_blocks(of, &mut block_of)).collect();
            let end = match &block.end {
                &End::If { condition, then, otherwise } => {
                    let [then, otherwise] = [then, otherwise].map(&mut block_of);
                    End::If { condition, then, otherwise }
                }
                end => end.clone(),
            };
            blocks.push(Block { statements, end });
        }
        let (mut outputs, mut saves) = (Vec::new(), Vec::new());
        let own = node.items.iter().map(|&(id, index)| {
            let value = program.block(id).statements[index].value();
            (value, value)
        });
        for (to, from) in own.chain(node.copies.iter().copied()) {
            let Some(&word) = self.saved_words.get(&to) else { continue };
            root.export(from, program.ty(from), &mut outputs);
            saves.extend((word..).take(outputs.len() - saves.len()));
        }
        if let Some(condition) = node.condition {
            root.export(condition, Type::BOOL, &mut outputs);
        }
        let locations = vec![NO_LOCATION; outputs.len()];
        blocks[0] = Block { statements: root.statements, end: End::Yield(outputs.into()) };
        let phase = Program {
            types: types.clone(),
            values: root.values,
            names: FxHashMap::default(),
            neighbours: FxHashMap::default(),
            blocks,
            locations,
            uniforms: self.uniforms.clone(),
            // A value may be saved where its guard does not hold.
            guards: Vec::new(),
            discard: None,
        };
        if cfg!(debug_assertions)
            && let Err(errors) = verify(&phase)
        {
            panic!("the phase is malformed: {errors:?}");
        }
        let next = node.next.expect("each node has an edge");
        Ok(Phase { program: phase, saves, next })
    }
}

/// A statement whose inner blocks have the numbers that `block_of` gives.
fn with_blocks(statement: &Statement, block_of: &mut impl FnMut(BlockId) -> BlockId) -> Statement {
    let mut copy = statement.clone();
    match &mut copy {
        Statement::Let { .. } => {}
        Statement::If { then, otherwise, .. } => {
            *then = block_of(*then);
            *otherwise = block_of(*otherwise);
        }
        Statement::Loop { body, .. } => *body = block_of(*body),
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_text::read;
    use crate::schedule::schedule_all;
    use crate::source::SourceFile;

    fn program(lines: &str) -> Program {
        let text = format!(
            "lambdav-core 2
type #0 = memory \"m\"
type #1 = struct \"Barrier\" (\"m\": #0)
type #2 = variant \"Maybe\" (\"none\" (), \"some\" (\"x\": uint))
workgroup-size 4 1 1
%0: uint = input local-index
%1: uint = 1
%2: #0 = state
{lines}
"
        );
        let (core, diagnostics) = read(&SourceFile::new("a.core", &*text));
        let core = core.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
        schedule_all(&core).expect("it can be scheduled")
    }

    /// One value lives across: the sum. Index and constant are made again.
    #[test]
    fn values_that_live_are_saved() {
        let whole = program(
            "%3: uint = load %2, %1
%4: uint = add %3, %0
%5: uint = add %3, %3
%6: #0 = store %2, %0, %5
%7: #1 = barrier %6
%8: #0 = field.0 %7
%9: uint = load %8, %0
%10: uint = add %9, %4
%11: uint = add %10, %1
%12: #0 = store %8, %0, %11
effect %12",
        );
        let Phases { all, saved, .. } = split(&whole).expect("it has no variants");
        assert_eq!((all.len(), saved.len()), (2, 1));
        assert!(matches!(all[0].next, Next::Barrier { phase: 1, .. }));
        assert_eq!(all[1].next, Next::Done);
        assert_eq!((&all[0].saves[..], &all[1].saves[..]), (&[0][..], &[][..]));
        assert_eq!(all[1].program.uniforms.len(), 1);
        for phase in &all {
            assert_eq!(verify(&phase.program), Ok(()));
        }
    }

    /// A loop with a barrier: a phase before it, the body up to the barrier, its tail, both ends, and the rest.
    #[test]
    fn loops_are_edges() {
        let whole = program(
            "%3: #0 = loop (%4: #0 = %2, %5: uint = %0) {
%6: #1 = barrier %4
%7: #0 = field.0 %6
%8: #0 = store %7, %5, %1
%9: uint = sub %5, %1
%10: bool = less %9, %1
if %10 {
yield %8
} else {
rec %8, %9
}
}
effect %3",
        );
        let Phases { all, saved, .. } = split(&whole).expect("it has no variants");
        assert_eq!(all.len(), 6);
        // The counter, the next one, and the condition.
        assert!((1..=3).contains(&saved.len()), "{saved:?}");
        let count = |wanted: fn(&Next) -> bool| all.iter().filter(|of| wanted(&of.next)).count();
        let rounds = |wanted: fn(&Rounds) -> bool| {
            let edges = all.iter().filter_map(|of| match &of.next {
                Next::Goto { rounds, .. } => Some(rounds),
                _ => None,
            });
            edges.filter(|rounds| wanted(rounds)).count()
        };
        assert_eq!(count(|next| matches!(next, Next::Barrier { .. })), 1);
        assert_eq!(count(|next| matches!(next, Next::If { .. })), 1);
        assert_eq!(count(|next| *next == Next::Done), 1);
        assert_eq!(rounds(|rounds| *rounds == Rounds::Enter), 1);
        assert_eq!(rounds(|rounds| *rounds == Rounds::Leave), 1);
        assert_eq!(rounds(|rounds| matches!(rounds, Rounds::Again(_))), 1);
    }

    #[test]
    fn programs_that_cannot_be_split_are_refused() {
        let whole = program(
            "%3: uint = load %2, %0
%4: #2 = inject.1 %3
%5: #2 = inject.0
%6: bool = less %3, %0
%7: #2 = if %6 {
yield %4
} else {
yield %5
}
%8: uint = tag %7
%9: #0 = store %2, %8, %1
%10: #1 = barrier %9
%11: #0 = field.0 %10
%12: uint = payload.1.0 %7
%13: #0 = store %11, %1, %12
effect %13",
        );
        assert_eq!(split(&whole), Err(SplitError::Variant));
        let mut lines = String::new();
        let mut state = 2;
        // 3,000 barriers, and as many values again.
        for k in 0..3_000 {
            let next = 3 + 3 * k;
            let line = format!(
                "%{next}: #1 = barrier %{state}
%{}: #0 = field.0 %{next}
%{}: #0 = store %{}, %0, %1\n",
                next + 1,
                next + 2,
                next + 1
            );
            lines.push_str(&line);
            state = next + 2;
        }
        lines.push_str(&format!("effect %{state}"));
        let refused = split(&program(&lines));
        assert!(matches!(refused, Err(SplitError::TooLarge { .. })));
    }
}
