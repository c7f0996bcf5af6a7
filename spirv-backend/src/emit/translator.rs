//! The state of a translation: the blocks so far, what stands for each value, and what the ends of
//! open blocks go to.

use super::declarations::Declarations;
use super::interface::Interface;
use super::lines::Lines;
use super::modes::{Calls, ExactState, Hiding, Library, Magnitudes, Mode, Suspect};
use super::options::EmitOptions;
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Places, Program, Statement, ValueId};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Type, TypeKind};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// What stands for a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot<'p> {
    /// Nothing yet, or nothing ever: a vector that only fills an output.
    Empty,
    Id(Word),
    /// A constant, declared when it is used.
    Constant(&'p [u32]),
}

/// Where a value lies.
#[derive(Clone, Debug)]
pub(super) enum Place<'p> {
    /// A constant of that type, which lies nowhere yet.
    Constant(Type, &'p [u32]),
    /// From a variable by these indices.
    Memory { class: StorageClass, base: Word, indices: Vec<Word> },
}

/// What the end of a block goes to.
#[derive(Debug)]
pub(super) enum OpenConstruct<'p> {
    /// The end of the program.
    Root,
    /// The merge block of an `if`.
    Join(Join),
    /// The continue or the merge block of a loop.
    Loop(Loop<'p>),
}

/// The values that come together in a block, and the blocks that they come from.
#[derive(Debug, Default)]
pub(super) struct Ways(pub(super) Vec<(Word, Word)>);

/// The merge block of an `if`.
#[derive(Debug)]
pub(super) struct Join {
    pub(super) value: ValueId,
    pub(super) label: Word,
    pub(super) ways: Ways,
    /// Which arm, if any, is that of pixels that are discarded, and which one is open.
    pub(super) discards: Option<bool>,
    pub(super) arm: bool,
}

/// A choice between two blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection {
    pub(super) on_true: Word,
    pub(super) on_false: Word,
    /// The selection's merge block.
    pub(super) merge: Word,
}

/// A loop whose body is being emitted.
#[derive(Debug)]
pub(super) struct Loop<'p> {
    pub(super) value: ValueId,
    pub(super) params: &'p [ValueId],
    pub(super) header: Word,
    /// The header's index among the blocks, and its first φ's among its instructions.
    pub(super) header_index: usize,
    pub(super) first_phi: usize,
    pub(super) continuing: Word,
    pub(super) merge: Word,
    /// Which arm of the choice at the end of the body leaves the loop where the pixel is computed again.
    pub(super) leaves: Option<bool>,
    /// The arguments of each `rec`, and the block that it stands in.
    pub(super) rounds: Vec<(Vec<Word>, Word)>,
    pub(super) exits: Ways,
}

/// A function that is being emitted: its blocks so far, and what stands for the values of its
/// program.
pub(super) struct FunctionState<'p> {
    pub(super) program: &'p Program,
    pub(super) mode: Mode,
    /// What stands for the program's uniforms where it is a function of them.
    pub(super) parameters: Vec<Word>,
    pub(super) slots: Vec<Slot<'p>>,
    /// The constructions of vectors whose components go straight to an output.
    pub(super) parts: Vec<Option<&'p [ValueId]>>,
    /// What lies in memory, and where.
    pub(super) places: Places,
    pub(super) place_of: FxHashMap<ValueId, Place<'p>>,
    /// The function's variables, one for each type of values that an index chooses from.
    pub(super) variables: FxHashMap<Type, (Word, Instruction)>,
    pub(super) blocks: Vec<Block>,
    /// The label of the open block.
    pub(super) current: Word,
    /// The place that the open block's last OpLine names.
    pub(super) line: Option<Span>,
    /// The place that instructions come from.
    pub(super) span: Span,
    /// What the ends of the blocks around the open one go to, innermost last.
    pub(super) targets: Vec<OpenConstruct<'p>>,
    /// The selections around the open block, innermost last.
    pub(super) selections: Vec<Selection>,
    /// What stands at the function's beginning, behind its variables.
    pub(super) prologue: Vec<Instruction>,
    /// What stands for constants whose values compilers are not to know, and the words that hide values, by kind and for
    /// vectors of each width.
    pub(super) hidden: FxHashMap<Word, Word>,
    pub(super) zeros: [[Option<Word>; 4]; Hiding::COUNT],
    /// What the open block notes, by switch.
    pub(super) noted: [Option<Word>; 2],
    /// Sums and products whose sizes are yet to be looked at.
    pub(super) suspects: Vec<Suspect>,
    /// For each value, whether the device's own operation will do, as far as subnormal numbers are concerned, where that is
    /// of interest; and whether it will for the one that is being computed.
    pub(super) magnitudes: Magnitudes,
    pub(super) is_harmless: bool,
    /// Whether the value that is being computed is never subnormal, and the ids of those that are not.
    pub(super) is_full: bool,
    pub(super) full: FxHashSet<Word>,
    /// Components of values of the open block in binary64 (`exact/doubles`).
    pub(super) doubles: FxHashMap<(Word, u32), Word>,
    /// The zero that hides numbers of binary64.
    pub(super) long_zero: Option<Word>,
    /// The loops that end by themselves, where others have a way out of their own for pixels that are computed again.
    pub(super) bounded: FxHashSet<ValueId>,
    /// How functions of the library are called that the module has once.
    pub(super) calls: Option<Calls>,
    /// Whether the fast function calls them so.
    pub(super) calls_once: bool,
}

impl<'p> FunctionState<'p> {
    /// Nothing of it yet.
    pub(super) fn new(program: &'p Program, mode: Mode, parameters: Vec<Word>) -> Self {
        Self {
            program,
            mode,
            parameters,
            slots: vec![Slot::Empty; program.values.len()],
            parts: parts_of_outputs(program),
            places: Places::new(program, 0),
            place_of: FxHashMap::default(),
            variables: FxHashMap::default(),
            blocks: Vec::new(),
            current: 0,
            line: None,
            span: Span::default(),
            targets: vec![OpenConstruct::Root],
            selections: Vec::new(),
            prologue: Vec::new(),
            hidden: FxHashMap::default(),
            zeros: [[None; 4]; Hiding::COUNT],
            noted: [None; 2],
            suspects: Vec::new(),
            magnitudes: Magnitudes::default(),
            is_harmless: false,
            is_full: false,
            full: FxHashSet::default(),
            doubles: FxHashMap::default(),
            long_zero: None,
            bounded: FxHashSet::default(),
            calls: None,
            calls_once: false,
        }
    }
}

/// Emits a program.
pub(super) struct Translator<'p> {
    pub(super) options: &'p EmitOptions,
    pub(super) declarations: Declarations<'p>,
    pub(super) interface: Interface,
    pub(super) lines: Option<Lines>,
    pub(super) exact: ExactState<'p>,
    /// The function that is open.
    pub(super) function: FunctionState<'p>,
    /// Those that are finished.
    pub(super) functions: Vec<Function>,
    pub(super) sites: Vec<(Word, Span)>,
    /// The largest number of ways into a block.
    pub(super) most_ways: usize,
}

impl<'p> Translator<'p> {
    pub(super) fn new(
        program: &'p Program,
        source: Option<&SourceFile>,
        options: &'p EmitOptions,
        library: &'p Library,
    ) -> Self {
        let mut declarations = Declarations::new(&program.types);
        let spans = program.values.iter().map(|value| value.span);
        let lines = source.map(|source| Lines::new(&mut declarations, source, spans));
        Self {
            options,
            declarations,
            interface: Interface::default(),
            lines,
            exact: ExactState::new(library),
            function: FunctionState::new(program, Mode::Native, Vec::new()),
            functions: Vec::new(),
            sites: Vec::new(),
            most_ways: 0,
        }
    }

    /// The id of a value.
    pub(super) fn value(&mut self, value: ValueId) -> Word {
        match self.function.slots[value.index()] {
            Slot::Id(id) => id,
            Slot::Constant(words) => {
                let ty = self.function.program.ty(value);
                let is_noted = self.note_constant(ty, words);
                let id = self.declarations.constant(ty, words);
                let id = self.hidden(id, ty, words);
                // What is noted is noted wherever it is used: not all pixels come to the first use.
                if !is_noted {
                    self.function.slots[value.index()] = Slot::Id(id);
                }
                id
            }
            Slot::Empty => unreachable!("the schedule defines values before their uses"),
        }
    }

    /// Defines a value at the beginning of a block by the ways into it.
    pub(super) fn merge(&mut self, value: ValueId, ways: Ways) {
        self.function.span = self.function.program.values[value.index()].span;
        let ty = self.function.program.ty(value);
        let ids: Vec<Word> = ways.0.iter().map(|&(id, _)| id).collect();
        let id = self.join(ty, ways);
        let id = self.hide_joined(ty, &ids, id);
        self.define(value, Slot::Id(id));
    }

    /// Says what stands for a value.
    pub(super) fn define(&mut self, value: ValueId, slot: Slot<'p>) {
        self.function.slots[value.index()] = slot;
        if let Slot::Id(id) = slot
            && self.function.magnitudes.full.get(value.index()) == Some(&true)
        {
            self.function.full.insert(id);
        }
        if let (Slot::Id(id), Some(name)) = (slot, self.function.program.name(value)) {
            self.declarations.name_value(id, name);
        }
    }

    /// The value of the way that was taken: a φ, unless all are one value, which then is there on
    /// all.
    pub(super) fn join(&mut self, ty: Type, ways: Ways) -> Word {
        self.most_ways = self.most_ways.max(ways.0.len());
        let first = ways.0[0].0;
        if ways.0.iter().all(|&(id, _)| id == first) {
            return first;
        }
        let ty = self.declarations.ty(ty);
        let operands = ways.0.iter().flat_map(|&(id, from)| [id, from]).map(Operand::IdRef);
        self.compute(Op::Phi, ty, operands.collect())
    }

    pub(super) fn begin(&mut self, label: Word) {
        let instruction = Instruction::new(Op::Label, None, Some(label), vec![]);
        self.function.blocks.push(Block { label: Some(instruction), instructions: Vec::new() });
        self.function.current = label;
        self.function.line = None;
        self.function.doubles.clear();
    }

    pub(super) fn branch(&mut self, to: Word) {
        self.settle();
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
    pub(super) fn mark_line(&mut self) {
        if let Some(lines) = &self.lines
            && self.function.line != Some(self.function.span)
        {
            let instruction = lines.instruction(self.function.span);
            self.function.line = Some(self.function.span);
            self.push(instruction);
        }
    }

    pub(super) fn push(&mut self, instruction: Instruction) {
        // `begin` comes before any instruction.
        if let Some(block) = self.function.blocks.last_mut() {
            block.instructions.push(instruction);
        }
    }
}

/// For each vector that is constructed in the root for outputs alone, its components.
fn parts_of_outputs(program: &Program) -> Vec<Option<&[ValueId]>> {
    let mut parts = vec![None; program.values.len()];
    for statement in &program.block(Program::ROOT).statements {
        if let Statement::Let { value, expr: Expr::Op(Core::Construct(ty), operands) } = statement
            && matches!(program.types.kind(*ty), TypeKind::Vector(..))
            && program.outputs().contains(value)
        {
            parts[value.index()] = Some(&operands[..]);
        }
    }
    let mut forget = |values: &[ValueId]| values.iter().for_each(|v| parts[v.index()] = None);
    for (index, block) in program.blocks.iter().enumerate() {
        block.statements.iter().for_each(|statement| forget(statement.uses()));
        if index != Program::ROOT.index() {
            forget(block.end.uses());
        }
    }
    parts
}
