//! Blocks: `if`s, loops and tails as structured control flow, and the function around them.
//!
//! The walk over the schedule is a stack of [`Step`]s. φ's name the block that control really came
//! from, which is the open block where an arm, a `rec` or an exit ended, not the one where it began.
//!
//! In tails, `if`s whose arms go to the next round or out of the loop become selections whose arms
//! branch to the loop's continue and merge blocks: SPIR-V lets any construct inside a loop do so. Their own
//! merge blocks are never reached.

mod loops;
mod values;

use super::Options;
use super::declarations::{Declarations, Shape};
use super::interface::Interface;
use super::lines::Lines;
use crate::mutants::{Mutant, is_active};
use lambdav_core::schedule::{BlockId, End, Program, Statement, ValueId};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Type;
use loops::Loop;
use rspirv::dr::{Block, Function, Instruction, Module, ModuleHeader, Operand};
use rspirv::spirv::{FunctionControl, Op, SelectionControl, Word};
use values::parts_of_outputs;

/// What stands for a value.
#[derive(Clone, Copy, Debug)]
enum Slot<'p> {
    /// Nothing yet, or nothing ever: a vector that only fills an output.
    Empty,
    Id(Word),
    /// A constant, declared when it is used.
    Constant(&'p [u32]),
}

/// What the end of a block goes to.
#[derive(Clone, Copy, Debug)]
enum Context {
    Root,
    /// The join of that index.
    Arm(usize),
    /// The loop of that index.
    Body(usize),
}

/// The values that come together in a block, and the blocks that they come from.
#[derive(Debug, Default)]
struct Ways(Vec<(Word, Word)>);

/// The merge block of an `if`.
#[derive(Debug)]
struct Join {
    value: ValueId,
    label: Word,
    ways: Ways,
}

/// What is still to be done.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A block's statements from that index on, and its end.
    Statements(BlockId, usize, Context),
    /// Begin a block.
    Label(Word),
    /// Begin the merge block of the join of that index.
    Join(usize),
    /// A merge block that is never reached.
    Unreachable(Word),
    /// Close the loop of that index.
    Close(usize),
}

/// Emits a program.
pub(super) struct Translator<'p> {
    program: &'p Program,
    options: &'p Options,
    pub(super) declarations: Declarations,
    interface: Interface,
    lines: Option<Lines>,
    slots: Vec<Slot<'p>>,
    /// The constructions of vectors whose components go straight to an output.
    parts: Vec<Option<&'p [ValueId]>>,
    blocks: Vec<Block>,
    /// The label of the open block.
    current: Word,
    /// The place that the open block's last OpLine names.
    line: Option<Span>,
    /// The place that instructions come from.
    span: Span,
    steps: Vec<Step>,
    joins: Vec<Join>,
    loops: Vec<Loop>,
    sites: Vec<(Word, Span)>,
    /// The largest number of ways into a block.
    most_ways: usize,
}

impl<'p> Translator<'p> {
    pub(super) fn new(
        program: &'p Program,
        source: Option<&SourceFile>,
        options: &'p Options,
    ) -> Self {
        let mut declarations = Declarations::new();
        let spans = program.values.iter().map(|value| value.span);
        let lines = source.map(|source| Lines::new(&mut declarations, source, spans));
        Self {
            program,
            options,
            declarations,
            interface: Interface::default(),
            lines,
            slots: vec![Slot::Empty; program.values.len()],
            parts: parts_of_outputs(program),
            blocks: Vec::new(),
            current: 0,
            line: None,
            span: Span::default(),
            steps: Vec::new(),
            joins: Vec::new(),
            loops: Vec::new(),
            sites: Vec::new(),
            most_ways: 0,
        }
    }

    pub(super) fn program(&self) -> &'p Program {
        self.program
    }

    /// The module, the loops' headers, and the largest number of ways into a block.
    pub(super) fn translate(mut self) -> (Module, Vec<(Word, Span)>, usize) {
        let main = self.declarations.id();
        self.declarations.name(main, "main");
        let void = self.declarations.shape(Shape::Void);
        let ty = self.declarations.shape(Shape::Main);
        let entry = self.declarations.id();
        self.steps.push(Step::Statements(Program::ROOT, 0, Context::Root));
        self.begin(entry);
        while let Some(step) = self.steps.pop() {
            self.step(step);
        }
        self.interface.finish(&mut self.declarations, main, self.options);
        let definition = vec![Operand::FunctionControl(FunctionControl::NONE), Operand::IdRef(ty)];
        let mut header = ModuleHeader::new(self.declarations.bound());
        header.set_version(1, self.options.version.0);
        let mut module = self.declarations.module;
        module.header = Some(header);
        module.functions.push(Function {
            def: Some(Instruction::new(Op::Function, Some(void), Some(main), definition)),
            end: Some(Instruction::new(Op::FunctionEnd, None, None, vec![])),
            parameters: Vec::new(),
            blocks: self.blocks,
        });
        self.sites.sort_unstable_by_key(|&(label, _)| label);
        (module, self.sites, self.most_ways)
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Statements(block, from, context) => self.statements(block, from, context),
            Step::Label(label) => self.begin(label),
            Step::Join(index) => {
                let Join { value, label, ways } = &mut self.joins[index];
                let (value, label, mut ways) = (*value, *label, std::mem::take(ways));
                if let (true, [a, b]) = (is_active(Mutant::SwappedWays), &mut ways.0[..]) {
                    std::mem::swap(&mut a.0, &mut b.0);
                }
                let before = self.current;
                self.begin(label);
                self.merge(value, ways);
                if is_active(Mutant::StaleBlock) {
                    self.current = before;
                }
            }
            Step::Unreachable(label) => {
                self.begin(label);
                self.push(Instruction::new(Op::Unreachable, None, None, vec![]));
            }
            Step::Close(index) => self.close(index),
        }
    }

    fn statements(&mut self, id: BlockId, from: usize, context: Context) {
        let block = self.program.block(id);
        for (i, statement) in block.statements.iter().enumerate().skip(from) {
            self.span = self.program.values[statement.value().index()].span;
            match *statement {
                Statement::Let { value, ref expr } => {
                    let slot = self.expression(value, expr);
                    self.define(value, slot);
                }
                Statement::If { value, condition, then, otherwise } => {
                    let label = self.declarations.id();
                    let join = self.joins.len();
                    self.joins.push(Join { value, label, ways: Ways::default() });
                    self.steps.push(Step::Statements(id, i + 1, context));
                    self.steps.push(Step::Join(join));
                    let arm = Context::Arm(join);
                    self.selection(condition, label, then, otherwise, arm);
                    return;
                }
                Statement::Loop { value, ref params, ref inits, body } => {
                    self.steps.push(Step::Statements(id, i + 1, context));
                    self.open_loop(value, params, inits, body);
                    return;
                }
            }
        }
        self.end(&block.end, context);
    }

    fn end(&mut self, end: &'p End, context: Context) {
        match (end, context) {
            (End::Yield(values), Context::Root) => self.store_outputs(values),
            (End::Yield(values), Context::Arm(join)) => {
                let way = (self.value(values[0]), self.current);
                let Join { label, ways, .. } = &mut self.joins[join];
                ways.0.push(way);
                let label = *label;
                self.branch(label);
            }
            (End::Yield(values), Context::Body(index)) => {
                let way = (self.value(values[0]), self.current);
                self.loops[index].exits.0.push(way);
                self.branch(self.loops[index].merge);
            }
            (End::Rec(values), Context::Body(index)) => {
                let arguments = values.iter().map(|&value| self.value(value)).collect();
                self.loops[index].rounds.push((arguments, self.current));
                self.branch(self.loops[index].continuing);
            }
            (&End::If { condition, then, otherwise }, Context::Body(_)) => {
                let label = self.declarations.id();
                self.steps.push(Step::Unreachable(label));
                let swapped = is_active(Mutant::SwappedBranches);
                let [then, otherwise] = if swapped { [otherwise, then] } else { [then, otherwise] };
                self.selection(condition, label, then, otherwise, context);
            }
            (End::Rec(_) | End::If { .. }, Context::Root | Context::Arm(_)) => {
                unreachable!("tails stand in loops only")
            }
        }
    }

    /// Ends the open block with a choice between two; `merge` is where they meet.
    fn selection(
        &mut self,
        condition: ValueId,
        merge: Word,
        then: BlockId,
        otherwise: BlockId,
        context: Context,
    ) {
        let condition = self.value(condition);
        let (on_true, on_false) = (self.declarations.id(), self.declarations.id());
        self.steps.push(Step::Statements(otherwise, 0, context));
        self.steps.push(Step::Label(on_false));
        self.steps.push(Step::Statements(then, 0, context));
        self.steps.push(Step::Label(on_true));
        let control = Operand::SelectionControl(SelectionControl::NONE);
        let operands = vec![Operand::IdRef(merge), control];
        self.push(Instruction::new(Op::SelectionMerge, None, None, operands));
        let operands = [condition, on_true, on_false].map(Operand::IdRef).to_vec();
        self.push(Instruction::new(Op::BranchConditional, None, None, operands));
    }

    /// Defines a value at the beginning of a block by the ways into it.
    fn merge(&mut self, value: ValueId, ways: Ways) {
        self.span = self.program.values[value.index()].span;
        let id = self.join(self.program.ty(value), ways);
        self.define(value, Slot::Id(id));
    }

    /// Says what stands for a value.
    fn define(&mut self, value: ValueId, slot: Slot<'p>) {
        self.slots[value.index()] = slot;
        if let (Slot::Id(id), Some(name)) = (slot, self.program.name(value)) {
            self.declarations.name_value(id, name);
        }
    }

    /// The value of the way that was taken: a φ, unless all are one value, which then is there on all.
    fn join(&mut self, ty: Type, ways: Ways) -> Word {
        self.most_ways = self.most_ways.max(ways.0.len());
        let first = ways.0[0].0;
        if ways.0.iter().all(|&(id, _)| id == first) {
            return first;
        }
        let ty = self.declarations.ty(ty);
        let operands = ways.0.iter().flat_map(|&(id, from)| [id, from]).map(Operand::IdRef);
        self.compute(Op::Phi, ty, operands.collect())
    }

    fn begin(&mut self, label: Word) {
        let instruction = Instruction::new(Op::Label, None, Some(label), vec![]);
        self.blocks.push(Block { label: Some(instruction), instructions: Vec::new() });
        self.current = label;
        self.line = None;
    }

    fn branch(&mut self, to: Word) {
        self.push(Instruction::new(Op::Branch, None, None, vec![Operand::IdRef(to)]));
    }

    /// An instruction with a result of that type.
    pub(super) fn compute(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        self.mark_line();
        let id = self.declarations.id();
        self.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Says where the next instruction comes from, unless that has been said.
    fn mark_line(&mut self) {
        if let Some(lines) = &self.lines
            && self.line != Some(self.span)
        {
            let instruction = lines.instruction(self.span);
            self.line = Some(self.span);
            self.push(instruction);
        }
    }

    fn push(&mut self, instruction: Instruction) {
        // `begin` comes before any instruction.
        if let Some(block) = self.blocks.last_mut() {
            block.instructions.push(instruction);
        }
    }
}
