//! The flow graph of a function, and the dispatch on instructions.

use regalloc2::{Block, PReg, VReg};
use rustc_hash::FxHashMap;

use super::calls;
use super::selection::{END, PASSED, Selection, Source, Uses, Value, is_comparison};
use crate::emit::Role;
use crate::emit::abi::Field;
use crate::emit::wide::code::{Arg, Code, CodeBlock, Step};
use crate::emit::wide::instruction::Mem;
use crate::emit::wide::machine::{GENERAL, VECTOR, Wide};
use crate::lanes::{Column, Kind, LaneOp, Space};
use crate::registers::{
    Argument, BlockCall, BlockId, Bounds, End, Instr, Limit, Reg, RegisterFunction,
    RegisterProgram, RegisterType, layout_order,
};

/// Selects the instructions of a function. `has_funnels`: AVX-512 VBMI2 may be used.
pub(in super::super) fn select(
    wide: Wide,
    has_funnels: bool,
    program: &RegisterProgram,
    function: &RegisterFunction,
    role: Role,
    bounds: &Bounds,
) -> Code {
    let bounds = match role {
        Role::Procedure => &[],
        Role::Frame => &bounds.frame[..],
        Role::Row => &bounds.row[..],
    };
    // A function without vectors, such as that for the frame, spills 64 bits at most.
    let has_vectors = function.registers.iter().any(|ty| !matches!(ty, RegisterType::Scalar(_)));
    let words = if has_vectors { wide.size().bytes() as usize / 8 } else { 1 };
    Selection {
        wide,
        has_funnels,
        program,
        function,
        role,
        bounds,
        code: Code::new(words, wide.clobbers()),
        values: vec![Value::Unset; function.registers.len()],
        uses: uses(function),
        block: BlockId(0),
        instrs: &[],
        last_spills: FxHashMap::default(),
        kept: FxHashMap::default(),
        slots: None,
        inputs: None,
        arrays: None,
        resources: None,
        primitive: None,
        arguments: Vec::new(),
    }
    .select()
}

fn uses(function: &RegisterFunction) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); function.registers.len()];
    for (block, code) in function.blocks.iter().enumerate() {
        let mut add = |reg: Reg, instr| {
            let count = uses[reg.index()].count + 1;
            uses[reg.index()] = Uses { count, block: block as u32, instr };
        };
        for (i, instr) in code.instrs.iter().enumerate() {
            instr.uses(&mut |&reg| add(reg, i as u32));
        }
        match &code.end {
            End::Branch { condition, .. } => add(*condition, END),
            end => end.uses(&mut |&reg| add(reg, PASSED)),
        }
    }
    uses
}

impl<'p> Selection<'p> {
    fn select(mut self) -> Code {
        let order = layout_order(self.function);
        let mut numbers = vec![usize::MAX; self.function.blocks.len()];
        for (number, id) in order.iter().enumerate() {
            numbers[id.index()] = number;
        }
        for &id in &order {
            let block = &self.function.blocks[id.index()];
            let mut made = CodeBlock { cold: block.cold, ..CodeBlock::default() };
            if id != BlockId(0) {
                for &param in &block.params {
                    made.params.push(self.define(param));
                }
            }
            self.code.blocks.push(made);
        }
        for (number, &id) in order.iter().enumerate() {
            let from = self.code.steps.len();
            let block = &self.function.blocks[id.index()];
            (self.block, self.instrs) = (id, &block.instrs);
            let spills = block.instrs.iter().enumerate();
            let spills = spills.filter_map(|(index, instr)| match instr {
                Instr::Spill(slot, _) => Some((*slot, index)),
                _ => None,
            });
            self.last_spills = spills.collect();
            self.kept.clear();
            if number == 0 {
                self.entry();
            }
            for (index, instr) in block.instrs.iter().enumerate() {
                if let Some(to) = self.defers(index, instr) {
                    self.values[to.index()] = Value::Deferred(index);
                } else {
                    self.instr(instr);
                }
            }
            let successors = self.end(&block.end, number, &numbers);
            let to = self.code.steps.len();
            let made = &mut self.code.blocks[number];
            (made.range, made.successors) = ((from, to), successors);
        }
        self.code.finish();
        self.code
    }

    /// Defines the function's arguments, and loads the addresses that it needs.
    fn entry(&mut self) {
        let general = |number| PReg::new(number, GENERAL);
        let mut defs = Vec::new();
        match self.role {
            Role::Procedure => {
                let params = &self.function.blocks[0].params;
                let types: Vec<RegisterType> = params.iter().map(|&reg| self.ty(reg)).collect();
                for (&reg, at) in params.iter().zip(calls::places(&types, self.wide)) {
                    defs.push((self.define(reg), at));
                }
            }
            Role::Frame => {}
            Role::Row => {
                // The argument registers after the context's in the System V convention.
                let count = Argument::of(self.program.items).len();
                for &number in &[6, 2, 1, 8, 9][..count] {
                    let reg = self.code.register(GENERAL);
                    self.arguments.push(reg);
                    defs.push((reg, general(number)));
                }
            }
        }
        self.code.push_fixed(Step::Arguments, &[], &defs);
        let instrs = || self.function.blocks.iter().flat_map(|block| &block.instrs);
        let space = |instr: &Instr| match instr {
            Instr::Input(..) => Some(Space::Inputs),
            Instr::Slot(..) | Instr::SetSlot(..) => Some(Space::Slots),
            Instr::Load(_, space, ..)
            | Instr::LoadTwo { space, .. }
            | Instr::LoadFour { space, .. }
            | Instr::LoadColumns { space, .. }
            | Instr::LoadMixed { space, .. } => Some(*space),
            Instr::LoadMemory(_, memory, _)
            | Instr::StoreMemory { memory, .. }
            | Instr::LoadMemoryLanes(_, memory, _)
            | Instr::StoreMemoryLanes { memory, .. } => Some(Space::Resource(*memory)),
            _ => None,
        };
        let [has_inputs, has_slots] =
            [Space::Inputs, Space::Slots].map(|of| instrs().any(|instr| space(instr) == Some(of)));
        let has_resources = instrs().any(|instr| matches!(space(instr), Some(Space::Resource(_))));
        let has_arrays =
            instrs().any(|it| matches!(it, Instr::LoadArray(..) | Instr::StoreArray { .. }));
        self.slots = has_slots.then(|| self.field(Field::Slots));
        self.inputs = has_inputs.then(|| self.field(Field::Inputs));
        self.arrays = has_arrays.then(|| self.field(Field::Arrays));
        let has_primitive = instrs().any(|it| matches!(it, Instr::Primitive(..)));
        self.resources = has_resources.then(|| self.field(Field::Resources));
        self.primitive = has_primitive.then(|| self.field(Field::Primitive));
    }

    /// Ends the block of that number, and returns its successors.
    fn end(&mut self, end: &End, number: usize, numbers: &[usize]) -> Vec<Block> {
        let block = |call: &BlockCall| Block::new(numbers[call.block.index()]);
        match end {
            End::Jump(call) => {
                let arguments: Vec<VReg> =
                    call.arguments.iter().map(|&reg| self.register(reg)).collect();
                self.code.blocks[number].arguments = arguments;
                self.code.push_fixed(Step::Jump, &[], &[]);
                vec![block(call)]
            }
            End::Branch { condition, then, otherwise } => {
                let condition = self.flags(*condition);
                self.code.push_fixed(Step::Branch(condition), &[], &[]);
                vec![block(then), block(otherwise)]
            }
            End::Return(status) => {
                let code = i32::try_from(status.code()).expect("there are few loops");
                self.code.push_fixed(Step::Return(Some(code)), &[], &[]);
                Vec::new()
            }
            End::ReturnValue(reg) => {
                let value = self.register(*reg);
                let at = calls::result_place();
                self.code.push_fixed(Step::Return(None), &[(value, at)], &[]);
                Vec::new()
            }
        }
    }

    /// The register that an instruction assigns, if the instruction is better selected at its only
    /// use.
    fn defers(&self, index: usize, instr: &Instr) -> Option<Reg> {
        let mut to = None;
        instr.definitions(&mut |reg| to = Some(reg));
        let to = to?;
        let uses = self.uses_of(to);
        if uses.count != 1 || uses.block != self.block.0 || uses.instr == PASSED {
            return None;
        }
        let user = self.instrs.get(uses.instr as usize);
        let is_vector = |ty| !matches!(ty, RegisterType::Scalar(_));
        let into = match instr {
            // Their results are flags.
            Instr::Poll(_) | Instr::Any(..) | Instr::Scattered(..) | Instr::Apart(..) => {
                uses.instr == END
            }
            Instr::Input(..) if self.ty(to) == RegisterType::Scalar(Kind::Mask) => {
                uses.instr == END
            }
            Instr::Op(_, op, _) if is_comparison(*op) => match user {
                None => !is_vector(self.ty(to)),
                Some(Instr::Op(_, LaneOp::And, _)) => is_vector(self.ty(to)),
                Some(Instr::Op(_, LaneOp::AndNot, of)) => {
                    is_vector(self.ty(to)) && self.wide.has_masks() && of[1] == to
                }
                Some(Instr::Op(_, LaneOp::Not, _)) => is_vector(self.ty(to)),
                Some(_) => false,
            },
            // One instruction tests whether two words share a set bit.
            Instr::Op(_, LaneOp::And, of) => {
                let is_integer =
                    matches!(self.ty(of[0]), RegisterType::Vector(Kind::I32 | Kind::I64));
                let is_tested =
                    matches!(user, Some(Instr::Op(_, LaneOp::Equal | LaneOp::NotEqual, _)));
                is_integer && is_tested && self.wide.has_masks()
            }
            Instr::Slot(..) | Instr::Input(..) | Instr::Primitive(..) => match user {
                Some(Instr::Broadcast(..)) => self.ty(to) != RegisterType::Scalar(Kind::Mask),
                Some(Instr::Op(_, op, _)) => {
                    matches!(self.ty(to), RegisterType::Scalar(Kind::F32 | Kind::F64))
                        && *op != LaneOp::Select
                }
                _ => false,
            },
            Instr::Broadcast(_, from) => {
                let is_in_memory = matches!(self.values[from.index()], Value::Deferred(_));
                self.wide.has_masks() && is_in_memory && matches!(user, Some(Instr::Op(..)))
            }
            Instr::Reload(_, slot) => {
                // The user may itself be deferred, at most to the end of the block.
                let stays = self.last_spills.get(slot).is_none_or(|&last| last < index);
                let has_user = matches!(user, Some(Instr::Op(..) | Instr::Half(..)));
                has_user && self.class(self.ty(to)) == VECTOR && stays
            }
            _ => false,
        };
        let is_of_masks = |of: &[Reg]| {
            matches!(self.ty(of[0]), RegisterType::Vector(Kind::Mask) | RegisterType::WideMask)
                || self.ty(of[0]) == RegisterType::Scalar(Kind::Mask)
        };
        // Comparisons of masks are logic, which is not deferred.
        let is_logic =
            matches!(instr, Instr::Op(_, op, of) if is_comparison(*op) && is_of_masks(of));
        (into && !is_logic).then_some(to)
    }

    pub(super) fn instr(&mut self, instr: &Instr) {
        match instr {
            Instr::Constant(to, bits) => self.values[to.index()] = Value::Constant(*bits),
            Instr::Undefined(to) => self.values[to.index()] = Value::Constant(0),
            Instr::Centres(to, axis, first) => {
                self.values[to.index()] = Value::Centres(*axis, *first);
            }
            Instr::Op(to, op, operands) => {
                if matches!(self.ty(operands[0]), RegisterType::Scalar(_)) {
                    self.scalar(*to, *op, operands);
                } else {
                    self.vector(*to, *op, operands);
                }
            }
            Instr::MulAdd(to, operands) => self.mul_add(*to, *operands),
            Instr::Part(to, part, from) => self.part(*to, *part, *from),
            Instr::Broadcast(to, from) => self.broadcast(*to, *from),
            Instr::Neighbour(to, from, axis, side) => self.neighbour(*to, *from, *axis, *side),
            Instr::Half(to, from, upper) => self.half(*to, *from, *upper),
            Instr::Join(to, halves) => self.join(*to, *halves),
            Instr::Concat(to, of, upper) => self.concat(*to, *of, *upper),
            Instr::Words(to, of, upper) => self.words(*to, *of, *upper),
            Instr::Funnel(to, by, of) => self.funnel(*to, *by, *of),
            Instr::Logic(to, table, of) => self.logic(*to, *table, *of),
            Instr::Table(to, table, index) => self.constant_table(*to, table, *index),
            Instr::Any(to, _)
            | Instr::Poll(to)
            | Instr::Scattered(to, ..)
            | Instr::Apart(to, ..) => {
                let condition = self.flags_of(instr);
                self.set(*to, condition);
            }
            Instr::Input(to, _) if self.ty(*to) == RegisterType::Scalar(Kind::Mask) => {
                let condition = self.flags_of(instr);
                self.set(*to, condition);
            }
            Instr::Input(to, _)
            | Instr::Primitive(to, _)
            | Instr::Slot(to, _)
            | Instr::Reload(to, _) => {
                let source = self.place_of(instr).expect("it is in memory");
                let made = self.define(*to);
                self.load(made, self.ty(*to), source);
            }
            Instr::Load(to, space, first, index) => self.load_word(*to, *space, *first, *index),
            Instr::LoadTwo { to, space, first, index } => {
                self.load_two(*to, *space, *first, *index);
            }
            Instr::LoadFour { to, space, first, index } => {
                self.load_four(*to, *space, *first, *index);
            }
            Instr::LoadColumns { to, space, first, index, columns } => {
                self.load_columns(*to, *space, *first, *index, *columns);
            }
            Instr::LoadMixed { to, space, first, indices, weights } => {
                self.load_mixed(*to, *space, *first, indices, weights);
            }
            Instr::LoadMemory(to, memory, index) => {
                let base = self.words_of(Space::Resource(*memory));
                self.load_at(*to, base, 0, *index);
            }
            Instr::StoreMemory { memory, index, word, mask } => {
                self.store_memory(*memory, *index, *word, *mask);
            }
            Instr::LoadMemoryLanes(to, memory, index) => {
                self.load_memory_lanes(*to, *memory, *index);
            }
            Instr::StoreMemoryLanes { memory, index, words, .. } => {
                self.store_memory_lanes(*memory, *index, *words);
            }
            Instr::Lane(to, from, lane) => self.lane(*to, *from, *lane as i32),
            Instr::FromLanes(to, of) => self.join_lanes(*to, of),
            Instr::LoadArray(to, place) => self.load_array(*to, place),
            Instr::StoreArray { place, word, mask } => self.store_array(place, *word, *mask),
            Instr::SetSlot(slot, from) => self.set_slot(*slot, *from),
            Instr::ExecutionMask(to, index) => {
                let (base, first) = (self.field(Field::Mask), *index * self.size().bytes());
                self.mask(*to, Mem::at(Arg::Use(base), first as i32));
            }
            Instr::Lanes(to, column, index, group) => {
                let (base, shape) = (self.register(*group), self.program.shape);
                let position = self.program.items.position(*column).expect("the items have it");
                let first = position as u32 * shape.lanes() * 4 + *index * self.size().bytes();
                let mem = Mem::at(Arg::Use(base), first as i32);
                if *column == Column::Mask {
                    self.mask(*to, mem);
                } else {
                    let made = self.define(*to);
                    self.load(made, self.ty(*to), Source::memory(mem));
                }
            }
            Instr::Plane(to) => {
                let made = self.field(Field::Plane);
                self.values[to.index()] = Value::Register(made);
            }
            Instr::Argument(to, argument) => {
                let mut all = Argument::of(self.program.items).iter();
                let index = all.position(|known| known == argument).expect("the function has it");
                self.values[to.index()] = Value::Register(self.arguments[index]);
            }
            Instr::Limit(to, limit) => {
                let field = match limit {
                    Limit::First => Field::FirstRounds,
                    Limit::Rest => Field::RestRounds,
                };
                let made = self.field(field);
                self.values[to.index()] = Value::Register(made);
            }
            Instr::Call { procedure, to, arguments } => self.call(*procedure, *to, arguments),
            Instr::Callout { function, to, mask, operands } => {
                self.callout(*function as u32, *to, *mask, operands);
            }
            Instr::Spill(slot, from) => {
                let from = self.register(*from);
                self.store(from, self.spill_slot(*slot));
            }
            Instr::Store { channels, rows, offset } => {
                self.pixels(*channels, rows, *offset as i32);
            }
        }
    }
}
