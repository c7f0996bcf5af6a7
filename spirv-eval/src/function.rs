//! Reads functions: blocks and instructions, with ids replaced by places in memory.

use super::arithmetic::{Binary, word};
use super::binary::Instruction;
use super::code::{
    Argument, Atomic, Axes, Block, Call, End, Header, Level, Operand, Part, Passed, Phi, Position,
    Sample, SampleResult, Step,
};
use super::compute::{compute, place};
use super::debug::{BlockDebug, FunctionDebug};
use super::error::LoadError;
use super::functions::with_pointer;
use super::global::Globals;
use super::images::{Sampled, opaque, sample};
use super::note::Notes;
use super::order::reverse_postorder;
use super::signature::Signature;
use super::values::{ComponentType, Entity, Ids, Index, MemoryRegion, SpirvType, ValueType};
use lambdav_core::interface::Stage;
use rspirv::spirv::{Decoration, Op, StorageClass};
use rustc_hash::FxHashMap;

/// The components of a place by its last one.
fn quotients(of: &[Operand<'_>], out: &mut [u32]) {
    if let Some((&last, rest)) = of[0].words.split_last() {
        out.iter_mut().zip(rest).for_each(|(out, &a)| *out = divided(a, last));
    }
}

/// A number by the last component of a place.
fn quotient(of: &[Operand<'_>], out: &mut [u32]) {
    if let Some(&last) = of[1].words.last() {
        out[0] = divided(of[0].words[0], last);
    }
}

fn divided(a: u32, b: u32) -> u32 {
    word(f32::from_bits(a) / f32::from_bits(b))
}

/// An instruction whose operands may be defined later.
#[derive(Debug)]
struct Pending {
    op: Op,
    operands: Vec<u32>,
    at: usize,
}

impl Pending {
    fn new(instruction: &Instruction<'_>) -> Self {
        let Instruction { op, operands, at } = *instruction;
        Self { op, operands: operands.to_vec(), at }
    }

    fn instruction(&self) -> Instruction<'_> {
        Instruction { op: self.op, operands: &self.operands, at: self.at }
    }
}

/// A block that is being read.
#[derive(Debug)]
struct Draft {
    label: u32,
    is_header: bool,
    line: Option<Position>,
    header: Option<Position>,
    phis: Vec<(usize, ValueType, Pending)>,
    steps: Vec<Step>,
    /// Products that may be contracted: places and factors.
    products: FxHashMap<usize, [usize; 2]>,
    end: Option<Pending>,
}

/// A function that is being read.
#[derive(Debug)]
pub(super) struct LoadedFunction {
    pub(super) number: usize,
    result: Option<ValueType>,
    blocks: Vec<Draft>,
    /// Line of the next block.
    line: Option<Position>,
    /// Number of parameters read.
    parameters: usize,
    /// Debug information, if it is read.
    notes: Option<Notes>,
}

/// The function of an atomic instruction; true if it has a result.
fn atomic(op: Op) -> Option<(Atomic, bool)> {
    Some(match op {
        Op::AtomicStore => (Atomic::Exchange, false),
        Op::AtomicLoad => (Atomic::Load, true),
        Op::AtomicExchange => (Atomic::Exchange, true),
        Op::AtomicCompareExchange => (Atomic::CompareExchange, true),
        Op::AtomicIIncrement => (Atomic::Increment, true),
        Op::AtomicIDecrement => (Atomic::Decrement, true),
        Op::AtomicIAdd => (Atomic::Add, true),
        Op::AtomicISub => (Atomic::Sub, true),
        Op::AtomicSMin => (Atomic::IntMin, true),
        Op::AtomicUMin => (Atomic::UintMin, true),
        Op::AtomicSMax => (Atomic::IntMax, true),
        Op::AtomicUMax => (Atomic::UintMax, true),
        Op::AtomicAnd => (Atomic::And, true),
        Op::AtomicOr => (Atomic::Or, true),
        Op::AtomicXor => (Atomic::Xor, true),
        _ => return None,
    })
}

impl LoadedFunction {
    /// Begins at OpFunction.
    pub(super) fn new(number: usize, signature: &Signature, ids: &Ids, globals: &Globals) -> Self {
        let notes = globals.has_debug.then(|| Notes::new(ids, globals, signature));
        let (result, blocks) = (signature.result, Vec::new());
        Self { number, result, blocks, line: None, parameters: 0, notes }
    }

    /// Reads an instruction of the function.
    pub(super) fn instruction(
        &mut self,
        ids: &mut Ids,
        globals: &mut Globals,
        signatures: &[Signature],
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let is_first = self.blocks.is_empty();
        let open = self.blocks.last_mut().filter(|block| block.end.is_none());
        match (instruction.op, open) {
            (Op::Nop | Op::NoLine, _) | (Op::FunctionEnd, None) => Ok(()),
            (Op::Line, None) => {
                self.line = Some(position(instruction)?);
                Ok(())
            }
            (Op::FunctionParameter, None) if is_first => {
                let parameters = &signatures[self.number].parameters;
                let (id, entity) = &parameters[self.parameters];
                self.parameters += 1;
                ids.define(instruction, *id, entity.clone())
            }
            (Op::Label, None) => {
                let label = instruction.operand(0)?;
                ids.define(instruction, label, Entity::Label)?;
                if let Some(notes) = &mut self.notes {
                    notes.begin(self.line);
                }
                self.blocks.push(Draft {
                    label,
                    is_header: false,
                    line: self.line.take(),
                    header: None,
                    phis: Vec::new(),
                    steps: Vec::new(),
                    products: FxHashMap::default(),
                    end: None,
                });
                Ok(())
            }
            (Op::Label | Op::FunctionEnd, Some(_)) => {
                Err(instruction.malformed("the block before it has no end"))
            }
            (_, None) => Err(instruction.malformed("it is outside a block")),
            (op, Some(block)) => {
                let before = block.steps.len();
                match op {
                    Op::FunctionCall => block.call(ids, globals, signatures, instruction),
                    _ => block.instruction(ids, globals, instruction),
                }?;
                if let Some(notes) = &mut self.notes {
                    let steps = [before, block.steps.len()];
                    notes.instruction((ids, globals), instruction, block.line, block.label, steps);
                }
                Ok(())
            }
        }
    }

    /// Completes the blocks once all ids are known; `headers` counts loop headers of the module.
    pub(super) fn finish(
        self,
        ids: &Ids,
        headers: &mut usize,
    ) -> Result<(Vec<Block>, FunctionDebug), LoadError> {
        if self.blocks.last().is_none_or(|block| block.end.is_none()) {
            return Err(LoadError::Missing("end of its function"));
        }
        let given: FxHashMap<u32, usize> =
            self.blocks.iter().enumerate().map(|(index, block)| (block.label, index)).collect();
        let successors: Vec<Vec<usize>> =
            self.blocks.iter().map(|block| block.successors(&given)).collect();
        let (order, reached) = reverse_postorder(&successors);
        let mut debug = FunctionDebug::default();
        if let Some(notes) = self.notes {
            let Notes { mut function, merges, .. } = notes;
            let mut read = std::mem::take(&mut function.blocks);
            let mut places = vec![0; order.len()];
            order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
            let at = |label: &u32| given.get(label).map(|&index| places[index]);
            for (header, merge) in &merges {
                if let Some(&index) = given.get(header) {
                    read[index].merge = at(merge);
                }
            }
            let blocks = order.iter().map(|&index| std::mem::take(&mut read[index]));
            function.blocks = blocks.collect::<Vec<BlockDebug>>();
            debug = function;
        }
        let mut drafts: Vec<Option<Draft>> = self.blocks.into_iter().map(Some).collect();
        let drafts: Vec<Draft> = order.into_iter().filter_map(|at| drafts[at].take()).collect();
        let labels = drafts.iter().enumerate().map(|(index, block)| (block.label, index));
        let labels: FxHashMap<u32, usize> = labels.collect();
        let is_header: Vec<bool> = drafts.iter().map(|block| block.is_header).collect();
        let result = self.result;
        let mut blocks = Vec::with_capacity(drafts.len());
        for (index, draft) in drafts.into_iter().enumerate() {
            // An unreachable block may branch anywhere.
            let before = if index < reached { Some(index) } else { None };
            let mut block = draft.finish(before, ids, &labels, &is_header, result)?;
            if let Some(header) = &mut block.header {
                header.number = *headers;
                *headers += 1;
            }
            blocks.push(block);
        }
        Ok((blocks, debug))
    }
}

impl Draft {
    fn instruction(
        &mut self,
        ids: &mut Ids,
        globals: &mut Globals,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let operand = |index| instruction.operand(index);
        match instruction.op {
            Op::Line => {
                self.line = Some(position(instruction)?);
                Ok(())
            }
            // A line of the debug information.
            Op::ExtInst if matches!(ids.get(operand(2)?), Some(Entity::DebugInfo)) => {
                let number = |index| match operand(index).map(|id| globals.constant(id)) {
                    Ok(Some(&[number])) => Some(number),
                    _ => None,
                };
                if operand(3)? == 103
                    && let (Some(line), Some(column)) = (number(5), number(7))
                {
                    self.line = Some(Position { file: operand(4)?, line, column });
                }
                Ok(())
            }
            Op::SelectionMerge => instruction.exactly(2),
            Op::LoopMerge => {
                (self.is_header, self.header) = (true, self.line);
                operand(2).map(drop)
            }
            Op::ControlBarrier if globals.stage == Stage::Compute => {
                self.steps.push(Step::Barrier);
                Ok(())
            }
            Op::ControlBarrier | Op::MemoryBarrier => Ok(()),
            Op::DemoteToHelperInvocation => {
                self.steps.push(Step::Demote);
                instruction.exactly(0)
            }
            Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::Unreachable => {
                self.end = Some(Pending::new(instruction));
                Ok(())
            }
            Op::Store => {
                let region = place(ids, instruction, operand(0)?)?;
                let a = ids.value_of(instruction, operand(1)?, region.kind)?;
                self.store(ids, globals, instruction, &region.clone(), a)
            }
            Op::CopyMemory => {
                let [to, from] = [operand(0)?, operand(1)?];
                let from = place(ids, instruction, from)?.clone();
                let to_region = place(ids, instruction, to)?.clone();
                if from.kind != to_region.kind {
                    return Err(instruction.malformed("its pointers are of different types"));
                }
                let to = allocate(ids, instruction, from.kind)?;
                self.steps.push(Step::Load { to, place: globals.place(ids, instruction, &from)? });
                self.store(ids, globals, instruction, &to_region, to)
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                let pointer = match self.element(ids, instruction)? {
                    Some(element) => element,
                    None => globals.access(ids, instruction)?,
                };
                ids.define(instruction, operand(1)?, pointer)
            }
            Op::Undef => globals.define_constant(ids, instruction),
            Op::Variable if operand(2)? == StorageClass::Function as u32 => {
                globals.variable(ids, instruction)
            }
            Op::Variable => Err(instruction.malformed("it is no variable of the function")),
            Op::ExtInst if matches!(ids.get(operand(2)?), Some(Entity::NonSemantic)) => {
                ids.define(instruction, operand(1)?, Entity::Nothing)
            }
            Op::ExtInst if matches!(ids.get(operand(2)?), Some(Entity::DebugPrintf)) => {
                self.steps.push(Step::Print);
                ids.define(instruction, operand(1)?, Entity::Nothing)
            }
            Op::CopyObject if let Some(&Entity::Pointer(ty, _)) = ids.get(operand(2)?) => {
                if operand(0)? != ty {
                    return Err(instruction.malformed("its result is of another type"));
                }
                let pointer = place(ids, instruction, operand(2)?)?.clone();
                ids.define(instruction, operand(1)?, Entity::Pointer(ty, pointer))
            }
            op if let Some((function, is_result)) = atomic(op) => {
                self.atomic(ids, globals, instruction, function, is_result)
            }
            op => {
                if let Some(entity) = opaque(ids, instruction)? {
                    return ids.define(instruction, operand(1)?, entity);
                }
                let kind = ids.kind(instruction, operand(0)?)?;
                let to = allocate(ids, instruction, kind)?;
                if op == Op::Phi {
                    if !self.steps.is_empty() {
                        return Err(instruction.malformed("it follows other instructions"));
                    }
                    self.phis.push((to, kind, Pending::new(instruction)));
                } else if op == Op::Load {
                    let region = place(ids, instruction, operand(2)?)?;
                    if region.kind != kind {
                        return Err(instruction.malformed("its result is of another type"));
                    }
                    let place = globals.place(ids, instruction, region)?;
                    self.steps.push(Step::Load { to, place });
                } else if op == Op::IsHelperInvocationEXT {
                    if kind != ValueType::scalar(ComponentType::Bool) {
                        return Err(instruction.malformed("its result is of another type"));
                    }
                    self.steps.push(Step::IsDemoted { to });
                } else if let Some(of) =
                    sample(globals.undefined, |id| globals.constant(id), ids, instruction, kind)?
                {
                    self.sample(ids, globals, instruction, of, to)?;
                } else if op == Op::ArrayLength {
                    self.steps.push(globals.length(ids, instruction, kind, to)?);
                } else if !self.with_pointer(ids, globals, instruction, kind, to)? {
                    self.steps.push(compute(globals.undefined, ids, instruction, kind, to)?);
                    self.contract(globals, operand(1)?);
                }
                ids.define(instruction, operand(1)?, Entity::Value(kind, to))
            }
        }
    }

    /// Adds a sample. One whose level matters needs derivatives of its position.
    fn sample(
        &mut self,
        ids: &mut Ids,
        globals: &Globals,
        instruction: &Instruction<'_>,
        of: Sampled,
        to: usize,
    ) -> Result<(), LoadError> {
        let mut sample = Sample { to, ..of.sample };
        let axes = sample.ty.axes();
        if of.is_divided {
            let place = Argument { at: sample.place, words: axes + 1, rows: axes + 1 };
            let to = allocate(ids, instruction, ValueType::numbers(axes as u8))?;
            self.steps.push(Step::Apply {
                meaning: quotients,
                to,
                of: [place].into(),
                words: axes,
            });
            sample.place = to;
            if let Some(at) = sample.reference {
                let reference = Argument { at, words: 1, rows: 1 };
                let to = allocate(ids, instruction, ValueType::numbers(1))?;
                self.steps.push(Step::Apply {
                    meaning: quotient,
                    to,
                    of: [reference, place].into(),
                    words: 1,
                });
                sample.reference = Some(to);
            }
        }
        let has_levels = globals.has_levels || !globals.images.has_one_level();
        let is_asked = matches!(sample.result, SampleResult::Level);
        sample.level = match (of.level, of.gradients) {
            _ if matches!(sample.result, SampleResult::Gathered { .. }) => None,
            _ if !has_levels && !is_asked => None,
            (Some(level), _) => Some(Level::Given(level)),
            (None, Some(gradients)) => Some(Level::Moved(gradients, of.bias)),
            (None, None) => {
                let mut moves = [0; 2];
                for (to, axes) in moves.iter_mut().zip([Axes::X, Axes::Y]) {
                    let words = sample.ty.axes();
                    *to = allocate(ids, instruction, ValueType::numbers(words as u8))?;
                    self.steps.push(Step::Derivative { to: *to, a: sample.place, words, axes });
                }
                Some(Level::Moved(moves, of.bias))
            }
        };
        self.steps.push(Step::Sample(Box::new(sample)));
        Ok(())
    }

    /// Adds the choice of an element of an array of textures or samplers; `None` for other instructions.
    fn element(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<Option<Entity>, LoadError> {
        let Some(&Entity::Opaques { of, count, place, sampler }) = ids.get(instruction.operand(2)?)
        else {
            return Ok(None);
        };
        instruction.exactly(4)?;
        let (kind, value) = ids.value(instruction, instruction.operand(3)?)?;
        let is_that = match *ids.ty(instruction, instruction.operand(0)?)? {
            SpirvType::Pointer(StorageClass::UniformConstant, to) => {
                matches!(*ids.ty(instruction, to)?, SpirvType::Opaque(wanted) if wanted == of)
            }
            _ => false,
        };
        if !is_that || !kind.is_scalar() || !kind.scalar.is_integer() {
            let what = "its result is of another type, or its index no integer";
            return Err(instruction.malformed(what));
        }
        let is_signed = kind.scalar == ComponentType::Int;
        let index = Index { value, count, stride: 1, is_signed };
        let word = ValueType::scalar(ComponentType::Uint);
        let mut places = [place, sampler];
        for first in &mut places {
            let to = allocate(ids, instruction, word)?;
            self.steps.push(Step::Element { to, first: *first, index });
            *first = to;
        }
        let [place, sampler] = places;
        Ok(Some(Entity::Opaque { of, is_pointer: true, place, sampler }))
    }

    /// Contracts the last step, whose result is `id`, with a product of this block, if the module allows
    /// that.
    fn contract(&mut self, globals: &Globals, id: u32) {
        let Some(&Step::Binary { function, to, a, b, words }) = self.steps.last() else { return };
        if globals.decoration(id, Decoration::NoContraction).is_some() {
            return;
        }
        let product = |at| self.products.get(&at).copied();
        let (of, opposite) = match (function, product(a), product(b)) {
            (Binary::Mul, ..) => {
                self.products.insert(to, [a, b]);
                return;
            }
            (Binary::Add, Some([x, y]), _) => ([x, y, b], [false, false]),
            (Binary::Add, _, Some([x, y])) => ([x, y, a], [false, false]),
            (Binary::Sub, Some([x, y]), _) => ([x, y, b], [false, true]),
            (Binary::Sub, _, Some([x, y])) => ([x, y, a], [true, false]),
            _ => return,
        };
        self.steps.push(Step::Contract { to, of, opposite, words });
    }

    fn store(
        &mut self,
        ids: &Ids,
        globals: &mut Globals,
        instruction: &Instruction<'_>,
        region: &MemoryRegion,
        a: usize,
    ) -> Result<(), LoadError> {
        globals.write(instruction, region)?;
        let place = globals.place(ids, instruction, region)?;
        self.steps.push(match region.space.is_written_by_others() {
            true => Step::Write { place, a, numbers: globals.numbers(ids, region.kind) },
            false => Step::Store { place, a },
        });
        Ok(())
    }

    /// Adds an atomic operation.
    fn atomic(
        &mut self,
        ids: &mut Ids,
        globals: &Globals,
        instruction: &Instruction<'_>,
        function: Atomic,
        is_result: bool,
    ) -> Result<(), LoadError> {
        // Pointer, scope, semantics, and values.
        let first = if is_result { 2 } else { 0 };
        let region = place(ids, instruction, instruction.operand(first)?)?;
        let kind = region.kind;
        if !region.space.is_written_by_others() || !kind.is_scalar() || kind.words() != 1 {
            return Err(instruction.malformed("not of a word in memory that is shared"));
        }
        let place = globals.place(ids, instruction, region)?;
        let value = |index| ids.value_of(instruction, instruction.operand(first + index)?, kind);
        let [operand, comparand] = match function {
            Atomic::Load | Atomic::Increment | Atomic::Decrement => [None, None],
            // It has the semantics of both outcomes.
            Atomic::CompareExchange => [Some(value(4)?), Some(value(5)?)],
            _ => [Some(value(3)?), None],
        };
        let mut to = None;
        if is_result {
            if ids.kind(instruction, instruction.operand(0)?)? != kind {
                return Err(instruction.malformed("its result is of another type"));
            }
            let at = allocate(ids, instruction, kind)?;
            ids.define(instruction, instruction.operand(1)?, Entity::Value(kind, at))?;
            to = Some(at);
        }
        self.steps.push(Step::Atomic { to, function, place, operand, comparand });
        Ok(())
    }

    /// Adds a function of GLSL.std.450 that stores its second result through a pointer; false for other
    /// instructions.
    fn with_pointer(
        &mut self,
        ids: &mut Ids,
        globals: &mut Globals,
        instruction: &Instruction<'_>,
        kind: ValueType,
        to: usize,
    ) -> Result<bool, LoadError> {
        let Some((meaning, scalar)) = with_pointer(ids, instruction)? else { return Ok(false) };
        let operand = super::functions::argument(ids, instruction, 4, kind)?;
        let region = place(ids, instruction, instruction.operand(5)?)?.clone();
        let is_number = kind.scalar == ComponentType::Float && kind.aggregate.is_none();
        let is_stored = region.kind == kind.of(scalar)
            || scalar.is_integer() && region.kind == kind.of(ComponentType::Uint);
        if !is_number || !is_stored {
            return Err(instruction.malformed("its operands are of other types"));
        }
        let words = kind.words();
        let both = allocate(ids, instruction, kind)?;
        let second = allocate(ids, instruction, kind)?;
        // Both results are contiguous: consecutive allocations are adjacent.
        self.steps.push(Step::Apply { meaning, to: both, of: [operand].into(), words: 2 * words });
        let stored = allocate(ids, instruction, region.kind)?;
        for (to, at) in [(to, both), (stored, second)] {
            let parts = [Part { value: both, at, words }].into();
            self.steps.push(Step::Compose { to, parts });
        }
        self.store(ids, globals, instruction, &region, stored)?;
        Ok(true)
    }

    fn call(
        &mut self,
        ids: &mut Ids,
        globals: &mut Globals,
        signatures: &[Signature],
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let Some(&Entity::Function(function)) = ids.get(instruction.operand(2)?) else {
            return Err(instruction.malformed("it calls no function"));
        };
        let (signature, given) = (&signatures[function], instruction.rest(3)?);
        if signature.parameters.len() != given.len() {
            return Err(instruction.malformed("the function takes another number of arguments"));
        }
        let of_another_type = || instruction.malformed("an argument is of another type");
        let mut arguments = Vec::with_capacity(given.len());
        for (&id, (_, parameter)) in given.iter().zip(&signature.parameters) {
            if let (
                &Entity::Opaque { sampler: to, .. } | &Entity::Opaques { sampler: to, .. },
                Some(&Entity::Opaque { sampler: a, .. } | &Entity::Opaques { sampler: a, .. }),
            ) = (parameter, ids.get(id).as_ref())
            {
                arguments.push(Passed::Words { a: *a, to, words: 1 });
            }
            arguments.push(match (parameter, ids.get(id)) {
                (&Entity::Value(kind, to), _) => {
                    let a = ids.value_of(instruction, id, kind)?;
                    Passed::Words { a, to, words: kind.words() }
                }
                (
                    &Entity::Opaque { of, is_pointer, place: to, .. },
                    Some(&Entity::Opaque {
                        of: found, is_pointer: is_found_pointer, place: a, ..
                    }),
                ) if of == found && is_pointer == is_found_pointer => {
                    Passed::Words { a, to, words: 1 }
                }
                (
                    &Entity::Opaques { of, count, place: to, .. },
                    Some(&Entity::Opaques { of: found, count: found_count, place: a, .. }),
                ) if of == found && count == found_count => Passed::Words { a, to, words: 1 },
                (Entity::Pointer(wanted, region), Some(Entity::Pointer(ty, from))) => {
                    let class = |ty| match ids.ty(instruction, ty) {
                        Ok(SpirvType::Pointer(class, _)) => Some(*class),
                        _ => None,
                    };
                    let is_that = region.kind == from.kind && class(*wanted) == class(*ty);
                    let Some(to) = region.base.filter(|_| is_that && !from.space.is_shared())
                    else {
                        return Err(of_another_type());
                    };
                    if class(*ty) != Some(StorageClass::Input) {
                        globals.write(instruction, from)?;
                    }
                    Passed::Address { place: globals.place(ids, instruction, from)?, to }
                }
                _ => return Err(of_another_type()),
            });
        }
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let (to, entity) = match (ids.ty(instruction, ty)?, signature.result) {
            (SpirvType::Void, None) => (0, Entity::Nothing),
            (_, Some(result)) if ids.kind(instruction, ty)? == result => {
                let to = allocate(ids, instruction, result)?;
                (to, Entity::Value(result, to))
            }
            _ => return Err(instruction.malformed("its result is of another type")),
        };
        self.steps.push(Step::Call(Box::new(Call { function, arguments, to })));
        ids.define(instruction, id, entity)
    }

    /// Successors of the block. (An id that is no block is reported later.)
    fn successors(&self, labels: &FxHashMap<u32, usize>) -> Vec<usize> {
        let Some(Pending { op, operands, .. }) = &self.end else { return Vec::new() };
        let ids: Vec<u32> = match op {
            Op::Branch => operands.iter().take(1).copied().collect(),
            Op::BranchConditional => operands.iter().skip(1).take(2).copied().collect(),
            Op::Switch => operands.iter().skip(1).step_by(2).copied().collect(),
            _ => Vec::new(),
        };
        ids.iter().filter_map(|id| labels.get(id).copied()).collect()
    }

    fn finish(
        self,
        index: Option<usize>,
        ids: &Ids,
        labels: &FxHashMap<u32, usize>,
        headers: &[bool],
        result: Option<ValueType>,
    ) -> Result<Block, LoadError> {
        let pending = self.end.ok_or(LoadError::Missing("end of a block"))?;
        let end = pending.instruction();
        let block = |id: u32| {
            let to = labels.get(&id).copied();
            let to = to.ok_or_else(|| end.malformed(format!("%{id} is no block")))?;
            if to == 0 || index.is_some_and(|index| to <= index && !headers[to]) {
                return Err(end.malformed(format!("it branches back to %{id}, no loop header")));
            }
            Ok(to)
        };
        let target = |k| block(end.operand(k)?);
        let end = match end.op {
            Op::Branch => End::Branch(target(0)?),
            Op::BranchConditional => {
                let bool = ValueType::scalar(ComponentType::Bool);
                let condition = ids.value_of(&end, end.operand(0)?, bool)?;
                End::Conditional { condition, then: target(1)?, otherwise: target(2)? }
            }
            Op::Switch => {
                let (of, selector) = ids.value(&end, end.operand(0)?)?;
                let (pairs, rest) = end.rest(2)?.as_chunks::<2>();
                if !of.is_scalar() || !of.scalar.is_integer() || !rest.is_empty() {
                    return Err(end.malformed("its selector is no integer, or a case has no block"));
                }
                let cases = pairs.iter().map(|&[literal, id]| Ok((literal, block(id)?)));
                let mut cases = cases.collect::<Result<Vec<_>, LoadError>>()?;
                cases.sort_by_key(|&(literal, _)| literal);
                if cases.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(end.malformed("a case is named twice"));
                }
                End::Switch { selector, default: target(1)?, cases: cases.into() }
            }
            Op::Return if result.is_none() => End::Return,
            Op::ReturnValue => match result {
                Some(kind) => {
                    let a = ids.value_of(&end, end.operand(0)?, kind)?;
                    End::ReturnValue { a, words: kind.words() }
                }
                None => return Err(end.malformed("the function has no result")),
            },
            Op::Return => return Err(end.malformed("the function has a result")),
            Op::Kill | Op::TerminateInvocation => End::Kill,
            _ => End::Unreachable,
        };
        let mut phis = Vec::with_capacity(self.phis.len());
        for (to, kind, pending) in self.phis {
            let instruction = pending.instruction();
            let (pairs, rest) = instruction.rest(2)?.as_chunks::<2>();
            if !rest.is_empty() {
                return Err(instruction.malformed("a value has no block"));
            }
            let mut ways = Vec::with_capacity(pairs.len());
            for &[value, block] in pairs {
                let from = labels.get(&block).copied();
                let from =
                    from.ok_or_else(|| instruction.malformed(format!("%{block} is no block")))?;
                ways.push((from, ids.value_of(&instruction, value, kind)?));
            }
            ways.sort_unstable_by_key(|&(from, _)| from);
            if ways.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(instruction.malformed("a block is named twice"));
            }
            phis.push(Phi { to, words: kind.words(), ways });
        }
        let header = self.is_header.then_some(Header { number: 0, position: self.header });
        Ok(Block { label: self.label, header, phis, steps: self.steps, end })
    }
}

/// The position in an OpLine.
fn position(instruction: &Instruction<'_>) -> Result<Position, LoadError> {
    let operand = |index| instruction.operand(index);
    Ok(Position { file: operand(0)?, line: operand(1)?, column: operand(2)? })
}

/// Allocates memory for a value, within the limit.
fn allocate(
    ids: &mut Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
) -> Result<usize, LoadError> {
    let to = ids.allocate(kind);
    match ids.is_full() {
        false => Ok(to),
        true => {
            let what = "values beyond the limit".into();
            Err(LoadError::Unknown { what, at: instruction.at })
        }
    }
}
