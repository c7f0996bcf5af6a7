//! The state of a translation: blocks so far, the id or constant of each value, and the open constructs.

use super::declarations::Declarations;
use super::interface::Interface;
use super::lines::Lines;
use super::modes::{Calls, ExactState, Hiding, Library, Magnitudes, Mode, UntestedResult};
use super::options::EmitOptions;
use lambdav_core::graph::StageInput;
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Places, Program, Statement, ValueId};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Type, TypeKind};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// Representation of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot<'p> {
    /// Not defined yet, or never needed: a vector that only fills an output.
    Empty,
    Id(Word),
    /// A constant, declared when it is used.
    Constant(&'p [u32]),
}

/// Place of a value in memory.
#[derive(Clone, Debug)]
pub(super) enum Place<'p> {
    /// A constant of that type that is not in memory yet.
    Constant(Type, &'p [u32]),
    /// An access chain: a variable and indices.
    Memory { class: StorageClass, base: Word, indices: Vec<Word> },
}

/// Construct that receives the end of a block.
#[derive(Debug)]
pub(super) enum OpenConstruct<'p> {
    /// The end of the program.
    Root,
    /// The merge block of an `if`.
    Join(Join),
    /// The continue or the merge block of a loop.
    Loop(Loop<'p>),
}

/// Values that meet in a block, with their predecessor blocks.
#[derive(Debug, Default)]
pub(super) struct Ways(pub(super) Vec<(Word, Word)>);

/// The merge block of an `if`.
#[derive(Debug)]
pub(super) struct Join {
    pub(super) value: ValueId,
    pub(super) label: Word,
    pub(super) ways: Ways,
    /// The arm whose pixels are discarded, if any; `arm` is the open one.
    pub(super) discards: Option<bool>,
    pub(super) arm: bool,
}

/// A selection between two blocks.
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
    /// Index of the header among the blocks; `first_phi` is the index of its first φ among its
    /// instructions.
    pub(super) header_index: usize,
    pub(super) first_phi: usize,
    pub(super) continuing: Word,
    pub(super) merge: Word,
    /// The arm of the `if` at the end of the body by which a pixel leaves the loop early, if it must be
    /// computed again.
    pub(super) leaves: Option<bool>,
    /// The arguments of each `rec`, with its block.
    pub(super) rounds: Vec<(Vec<Word>, Word)>,
    pub(super) exits: Ways,
}

/// A function that is being emitted: its blocks so far, and the representation of its program's values.
pub(super) struct FunctionState<'p> {
    pub(super) program: &'p Program,
    pub(super) mode: Mode,
    /// Ids of the parameters that replace the program's uniforms in a library function.
    pub(super) parameters: Vec<Word>,
    pub(super) slots: Vec<Slot<'p>>,
    /// Components of vectors that are constructed only to fill an output.
    pub(super) parts: Vec<Option<&'p [ValueId]>>,
    /// The values that are read in memory; `place_of` is the place of each.
    pub(super) places: Places,
    pub(super) place_of: FxHashMap<ValueId, Place<'p>>,
    /// The function's variables, one for each type of values with dynamic indices.
    pub(super) variables: FxHashMap<Type, (Word, Instruction)>,
    pub(super) blocks: Vec<Block>,
    /// The label of the open block.
    pub(super) current: Word,
    /// The source position of the open block's last OpLine.
    pub(super) line: Option<Span>,
    /// The source position of the current instructions.
    pub(super) span: Span,
    /// Open constructs, innermost last.
    pub(super) targets: Vec<OpenConstruct<'p>>,
    /// The selections around the open block, innermost last.
    pub(super) selections: Vec<Selection>,
    /// True if a selection in the root discards pixels.
    pub(super) discards: bool,
    /// Stage inputs at other pixels of the quad, read at the function's beginning.
    pub(super) moved: FxHashMap<StageInput, Word>,
    /// Instructions for the function's beginning, after its variables.
    pub(super) prologue: Vec<Instruction>,
    /// Hidden copies of constants, whose values compilers must not know; and the words that hide values,
    /// by kind and vector width.
    pub(super) hidden: FxHashMap<Word, Word>,
    pub(super) zeros: [[Option<Word>; 4]; Hiding::COUNT],
    /// Conditions noted by the open block, by switch.
    pub(super) noted: [Option<Word>; 2],
    /// Sums and products whose magnitudes are not tested yet.
    pub(super) untested: Vec<UntestedResult>,
    /// For each value, true if subnormal numbers allow the device's own operation, as far as that
    /// matters. `is_harmless` is true for the value that is being computed.
    pub(super) magnitudes: Magnitudes,
    pub(super) is_harmless: bool,
    /// True if the value that is being computed is never subnormal; `never_subnormal` has the ids of such values.
    pub(super) is_never_subnormal: bool,
    pub(super) never_subnormal: FxHashSet<Word>,
    /// Components of the open block's values in binary64 (`exact/doubles`).
    pub(super) doubles: FxHashMap<(Word, u32), Word>,
    /// A zero that hides binary64 numbers.
    pub(super) long_zero: Option<Word>,
    /// Loops that end by themselves. Other loops have an extra exit for pixels that are computed again.
    pub(super) bounded: FxHashSet<ValueId>,
    /// Calls of library functions that the function makes from one place each.
    pub(super) calls: Option<Calls>,
    /// True if the fast function also makes them from one place.
    pub(super) calls_once: bool,
    /// True if the function has barriers, which need the program's own control flow.
    pub(super) has_barriers: bool,
}

impl<'p> FunctionState<'p> {
    /// A function without blocks.
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
            discards: false,
            moved: FxHashMap::default(),
            prologue: Vec::new(),
            hidden: FxHashMap::default(),
            zeros: [[None; 4]; Hiding::COUNT],
            noted: [None; 2],
            untested: Vec::new(),
            magnitudes: Magnitudes::default(),
            is_harmless: false,
            is_never_subnormal: false,
            never_subnormal: FxHashSet::default(),
            doubles: FxHashMap::default(),
            long_zero: None,
            bounded: FxHashSet::default(),
            calls: None,
            calls_once: false,
            has_barriers: false,
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
    /// The open function.
    pub(super) function: FunctionState<'p>,
    /// In exact modules, the variables of stage inputs at other pixels of the quad.
    pub(super) moved: FxHashMap<StageInput, Word>,
    /// The finished functions.
    pub(super) functions: Vec<Function>,
    pub(super) sites: Vec<(Word, Span)>,
    /// The largest number of predecessors of a block with a φ.
    pub(super) most_ways: usize,
}

impl<'p> Translator<'p> {
    /// No functions, for a module of these programs, which have the same table of types.
    pub(super) fn new(
        programs: &[&'p Program],
        source: Option<&SourceFile>,
        options: &'p EmitOptions,
        library: &'p Library,
    ) -> Self {
        let first = programs[0];
        let mut declarations = Declarations::new(&first.types);
        let spans = programs.iter().flat_map(|of| &of.values).map(|value| value.span);
        let lines = source.map(|source| Lines::new(&mut declarations, source, spans));
        Self {
            options,
            declarations,
            interface: Interface::default(),
            lines,
            exact: ExactState::new(library),
            function: FunctionState::new(first, Mode::Native, Vec::new()),
            moved: FxHashMap::default(),
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
                // A noted constant is noted at each use: not every pixel reaches the first one.
                if !is_noted {
                    self.function.slots[value.index()] = Slot::Id(id);
                }
                id
            }
            Slot::Empty => unreachable!("the schedule defines values before their uses"),
        }
    }

    /// Defines a value at the beginning of a merge block.
    pub(super) fn merge(&mut self, value: ValueId, ways: Ways) {
        self.function.span = self.function.program.values[value.index()].span;
        let ty = self.function.program.ty(value);
        let ids: Vec<Word> = ways.0.iter().map(|&(id, _)| id).collect();
        let id = self.join(ty, ways);
        let id = self.hide_joined(ty, &ids, id);
        self.define(value, Slot::Id(id));
    }

    /// Sets the representation of a value.
    pub(super) fn define(&mut self, value: ValueId, slot: Slot<'p>) {
        self.function.slots[value.index()] = slot;
        if let Slot::Id(id) = slot
            && self.function.magnitudes.never_subnormal.get(value.index()) == Some(&true)
        {
            self.function.never_subnormal.insert(id);
        }
        if let (Slot::Id(id), Some(name)) = (slot, self.function.program.name(value)) {
            self.declarations.name_value(id, name);
        }
    }

    /// The value at a merge block: a φ, unless all predecessors pass the same id, which then dominates
    /// the block.
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

    /// Pushes an instruction with a result.
    pub(super) fn compute(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        self.mark_line();
        let id = self.declarations.id();
        self.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Pushes an OpLine for the current position, unless it is in effect.
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

/// The components of each vector that is constructed in the root only for outputs.
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
