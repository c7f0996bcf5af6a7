//! Blocks: `if`s, loops and tails as structured control flow, and the function around them.
//!
//! φ's name the block that control really came
//! from, which is the open block where an arm, a `rec` or an exit ended, not the one where it began.
//!
//! In tails, `if`s whose arms go to the next round or out of the loop become selections whose arms
//! branch to the loop's continue and merge blocks: SPIR-V lets any construct inside a loop do so. Their own
//! merge blocks are never reached.

mod loops;
mod values;

use super::Options;
use super::declarations::{Declarations, Shape};
use super::functions::Lowering;
use super::interface::Interface;
use super::lines::Lines;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Elementary;
use lambdav_core::schedule::{End, Event, Program, Role, Statement, ValueId};
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
#[derive(Debug)]
enum Target<'p> {
    /// The end of the program.
    Root,
    /// The merge block of an `if`.
    Join(Join),
    /// The continue or the merge block of a loop.
    Loop(Loop<'p>),
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

/// A choice between two blocks.
#[derive(Clone, Copy, Debug)]
struct Selection {
    on_true: Word,
    on_false: Word,
    /// The selection's merge block.
    merge: Word,
}

/// Emits a program.
pub(super) struct Translator<'p> {
    program: &'p Program,
    options: &'p Options,
    lowering: fn(Elementary) -> Lowering,
    pub(super) declarations: Declarations<'p>,
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
    /// What the ends of the blocks around the open one go to, innermost last.
    targets: Vec<Target<'p>>,
    /// The selections around the open block, innermost last.
    selections: Vec<Selection>,
    sites: Vec<(Word, Span)>,
    /// The largest number of ways into a block.
    most_ways: usize,
}

impl<'p> Translator<'p> {
    pub(super) fn new(
        program: &'p Program,
        source: Option<&SourceFile>,
        options: &'p Options,
        lowering: fn(Elementary) -> Lowering,
    ) -> Self {
        let mut declarations = Declarations::new(&program.types);
        let spans = program.values.iter().map(|value| value.span);
        let lines = source.map(|source| Lines::new(&mut declarations, source, spans));
        Self {
            program,
            options,
            lowering,
            declarations,
            interface: Interface::default(),
            lines,
            slots: vec![Slot::Empty; program.values.len()],
            parts: parts_of_outputs(program),
            blocks: Vec::new(),
            current: 0,
            line: None,
            span: Span::default(),
            targets: vec![Target::Root],
            selections: Vec::new(),
            sites: Vec::new(),
            most_ways: 0,
        }
    }

    pub(super) fn program(&self) -> &'p Program {
        self.program
    }

    /// How a function is computed.
    pub(super) fn lowering(&self, function: Elementary) -> Lowering {
        (self.lowering)(function)
    }

    /// The module, the loops' headers, and the largest number of ways into a block.
    pub(super) fn translate(mut self) -> (Module, Vec<(Word, Span)>, usize) {
        let main = self.declarations.id();
        self.declarations.name(main, "main");
        let void = self.declarations.shape(Shape::Void);
        let ty = self.declarations.shape(Shape::Main);
        let entry = self.declarations.id();
        self.begin(entry);
        for event in self.program.walk() {
            self.event(event);
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

    fn event(&mut self, event: Event<'p>) {
        match event {
            Event::Enter(_, Role::Then(_)) => self.begin(self.selection().on_true),
            Event::Enter(_, Role::Otherwise(_)) => self.begin(self.selection().on_false),
            // Where a loop opens, its header and the first block of its body begin.
            Event::Enter(_, Role::Root | Role::Body(_)) => {}
            Event::Statement(_, statement) => self.statement(statement),
            Event::After(..) => self.close(),
            Event::End(_, end) => self.end(end),
            Event::Leave(block) => {
                if let End::If { .. } = self.program.block(block).end {
                    let merge = self.selection().merge;
                    self.selections.pop();
                    self.begin(merge);
                    self.push(Instruction::new(Op::Unreachable, None, None, vec![]));
                }
            }
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        self.span = self.program.values[statement.value().index()].span;
        match *statement {
            Statement::Let { value, ref expr } => {
                let slot = self.expression(value, expr);
                self.define(value, slot);
            }
            Statement::If { value, condition, .. } => {
                let label = self.declarations.id();
                self.targets.push(Target::Join(Join { value, label, ways: Ways::default() }));
                self.select_block(condition, label, false);
            }
            Statement::Loop { value, ref params, ref inits, .. } => {
                let opened = self.open_loop(value, params, inits);
                self.targets.push(Target::Loop(opened));
            }
        }
    }

    /// Begins the merge block of the innermost `if` or loop.
    fn close(&mut self) {
        match self.targets.pop().expect("a statement with blocks has a target") {
            Target::Join(Join { value, label, mut ways }) => {
                self.selections.pop();
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
            Target::Loop(closed) => self.close_loop(closed),
            Target::Root => unreachable!("the root is no statement"),
        }
    }

    fn end(&mut self, end: &'p End) {
        let values: Vec<Word> = match (end, self.target()) {
            (End::Yield(values), Target::Root) => return self.store_outputs(values),
            (&End::If { condition, .. }, _) => {
                let label = self.declarations.id();
                return self.select_block(condition, label, is_active(Mutant::SwappedBranches));
            }
            (End::Yield(values) | End::Rec(values), _) => {
                values.iter().map(|&value| self.value(value)).collect()
            }
        };
        let from = self.current;
        let to = match (end, self.target()) {
            (End::Yield(_), Target::Join(join)) => {
                join.ways.0.push((values[0], from));
                join.label
            }
            (End::Yield(_), Target::Loop(open)) => {
                open.exits.0.push((values[0], from));
                open.merge
            }
            (End::Rec(_), Target::Loop(open)) => {
                open.rounds.push((values, from));
                open.continuing
            }
            _ => unreachable!("tails stand in loops only"),
        };
        self.branch(to);
    }

    /// What the end of the open block goes to.
    fn target(&mut self) -> &mut Target<'p> {
        self.targets.last_mut().expect("the root is there to the end")
    }

    /// The innermost choice around the open block.
    fn selection(&self) -> Selection {
        *self.selections.last().expect("the block is that of a choice")
    }

    /// Ends the open block with a choice between two; `merge` is where they meet.
    fn select_block(&mut self, condition: ValueId, merge: Word, is_swapped: bool) {
        let condition = self.value(condition);
        let (on_true, on_false) = (self.declarations.id(), self.declarations.id());
        let control = Operand::SelectionControl(SelectionControl::NONE);
        let operands = vec![Operand::IdRef(merge), control];
        self.push(Instruction::new(Op::SelectionMerge, None, None, operands));
        let operands = [condition, on_true, on_false].map(Operand::IdRef).to_vec();
        self.push(Instruction::new(Op::BranchConditional, None, None, operands));
        let (on_true, on_false) =
            if is_swapped { (on_false, on_true) } else { (on_true, on_false) };
        self.selections.push(Selection { on_true, on_false, merge });
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
