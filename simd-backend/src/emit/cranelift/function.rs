//! The flow graph of a function, and the dispatch on instructions.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::immediates::Ieee32;
use cranelift_codegen::ir::{
    self, BlockArg, InstBuilder, InstructionData, MemFlagsData, StackSlotData, StackSlotKind,
    UserFuncName, Value, ValueDef, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use rustc_hash::FxHashMap;

use super::calls::{procedure_signature, signature};
use super::memory::UNALIGNED;
use super::selection::{Conventions, Selection, clif_type, word_type};
use crate::emit::abi::{self, Field};
use crate::emit::{Allocation, Part, Role};
use crate::lanes::Kind;
use crate::machine::{Machine, Tile};
use crate::registers::{
    self, Argument, BlockCall, BlockId, End, Instr, Limit, RegisterBlock, RegisterProgram,
    RegisterType,
};

/// Function number `index` of a program. `context` is reused from function to function.
pub(super) fn function(
    program: &RegisterProgram,
    index: usize,
    part: &Part<'_>,
    machine: &Machine,
    is_x86: bool,
    conventions: Conventions,
    context: &mut FunctionBuilderContext,
) -> ir::Function {
    let Part { function, role, allocation, .. } = *part;
    let signature = match role {
        Role::Procedure => procedure_signature(function, conventions),
        Role::Frame => signature(&[], conventions),
        Role::Row => signature(Argument::of(program.items), conventions),
    };
    let id = UserFuncName::user(0, abi::symbol(index));
    let mut out = ir::Function::with_name_signature(id, signature);
    Selection {
        program,
        function,
        is_x86,
        conventions,
        machine,
        builder: FunctionBuilder::new(&mut out, context),
        blocks: Vec::new(),
        values: vec![None; function.registers.len()],
        arguments: Vec::new(),
        reference: None,
        procedures: vec![None; program.procedures.len()],
        constants: FxHashMap::default(),
        table_bytes: None,
        spill_slots: None,
        depths: match allocation {
            Allocation::Thorough => None,
            Allocation::Quick => Some(registers::loop_depths(function)),
        },
    }
    .select();
    out
}

impl Selection<'_, '_> {
    fn select(mut self) {
        for block in &self.function.blocks {
            let id = self.builder.create_block();
            self.blocks.push(id);
            for &param in &block.params {
                let ty = clif_type(self.function.registers[param.index()]);
                let value = self.builder.append_block_param(id, ty);
                self.set(param, value);
            }
        }
        // A procedure's arguments are already the parameters of its first block.
        if self.function.blocks[0].params.is_empty() {
            for param in self.builder.func.signature.params.clone() {
                let entry = self.blocks[0];
                let value = self.builder.append_block_param(entry, param.value_type);
                self.arguments.push(value);
            }
        }
        for id in self.function.reverse_postorder() {
            let (block, into) = (&self.function.blocks[id.index()], self.blocks[id.index()]);
            self.builder.switch_to_block(into);
            if block.cold {
                self.builder.set_cold_block(into);
            }
            if id == BlockId(0) && self.function.spill_slots > 0 {
                let size = self.function.spill_slots * self.machine.register_bytes();
                let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
                let slot = self.builder.create_sized_stack_slot(slot);
                self.spill_slots = Some(self.builder.ins().stack_addr(types::I64, slot, 0));
            }
            self.block(block);
        }
        self.builder.seal_all_blocks();
        self.builder.finalize(self.conventions.config);
    }

    fn block(&mut self, block: &RegisterBlock) {
        for instr in &block.instrs {
            self.instr(instr);
        }
        match &block.end {
            End::Jump(to) => {
                let (block, arguments) = self.block_call(to);
                self.builder.ins().jump(block, &arguments);
            }
            End::Branch { condition, then, otherwise } => {
                let condition = self.get(*condition);
                let (a, xs) = self.block_call(then);
                let (b, ys) = self.block_call(otherwise);
                if self.leaves_loop(otherwise, then) {
                    let condition = self.inverted(condition);
                    self.builder.ins().brif(condition, b, &ys, a, &xs);
                } else {
                    self.builder.ins().brif(condition, a, &xs, b, &ys);
                }
            }
            End::Return(status) => {
                let code = self.builder.ins().iconst(types::I64, status.code());
                self.builder.ins().return_(&[code]);
            }
            End::ReturnValue(reg) => {
                let value = self.get(*reg);
                self.builder.ins().return_(&[value]);
            }
        }
    }

    /// True if `way` leaves a loop in which `other` stays: `way` must then be the first successor
    /// of the branch.
    ///
    /// Cranelift lays out the blocks behind the first successor after those behind the second. In
    /// the other order, the code behind a loop would come before half of the loop. The single-pass
    /// allocator takes values used in that half for live all the way, and scans them in every block
    /// between.
    fn leaves_loop(&self, way: &BlockCall, other: &BlockCall) -> bool {
        let depth = |depths: &Vec<u32>, to: &BlockCall| depths[to.block.index()];
        self.depths.as_ref().is_some_and(|depths| depth(depths, way) < depth(depths, other))
    }

    /// Negates a truth value, by the complementary comparison if the value was compared in this
    /// block.
    fn inverted(&mut self, condition: Value) -> Value {
        let func = &self.builder.func;
        let made = match func.dfg.value_def(condition) {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        };
        let here = |inst: &ir::Inst| func.layout.inst_block(*inst) == self.builder.current_block();
        match made.filter(here).map(|inst| func.dfg.insts[inst]) {
            Some(InstructionData::FloatCompare { cond, args: [a, b], .. }) => {
                self.builder.ins().fcmp(cond.complement(), a, b)
            }
            Some(InstructionData::IntCompare { cond, args: [a, b], .. }) => {
                self.builder.ins().icmp(cond.complement(), a, b)
            }
            _ => self.builder.ins().icmp_imm_s(IntCC::Equal, condition, 0),
        }
    }

    fn block_call(&self, to: &BlockCall) -> (ir::Block, Vec<BlockArg>) {
        let arguments = to.arguments.iter().map(|&reg| BlockArg::Value(self.get(reg)));
        (self.blocks[to.block.index()], arguments.collect())
    }

    fn instr(&mut self, instr: &Instr) {
        match instr {
            Instr::Constant(to, bits) => {
                let value = self.constant(self.ty(*to), *bits);
                self.set(*to, value);
            }
            Instr::Undefined(to) => {
                let value = self.constant(self.ty(*to), 0);
                self.set(*to, value);
            }
            Instr::Centres(to, axis, first) => {
                let value = match self.ty(*to) {
                    RegisterType::Vector(_) => {
                        let tile = self.program.shape.tile;
                        let lane = |lane| tile.centre(*axis, lane, *first).to_bits();
                        let bits = (0..tile.width()).rev();
                        let bits = bits.fold(0, |bits, k| bits << 32 | u128::from(lane(k)));
                        self.vector(types::F32X4, bits)
                    }
                    _ => {
                        let centre = Tile::ONE.centre(*axis, 0, *first);
                        self.builder.ins().f32const(Ieee32::with_bits(centre.to_bits()))
                    }
                };
                self.set(*to, value);
            }
            Instr::Op(to, op, operands) => {
                let values: Vec<Value> = operands.iter().map(|&reg| self.get(reg)).collect();
                let value = self.op(*op, self.ty(*to), self.ty(operands[0]), &values);
                self.set(*to, value);
            }
            Instr::Broadcast(to, from) => {
                let mut value = self.get(*from);
                if self.ty(*from) == RegisterType::Scalar(Kind::Mask) {
                    value = self.builder.ins().bmask(types::I32, value);
                }
                let ty = clif_type(self.ty(*to));
                let value = self.builder.ins().splat(ty, value);
                self.set(*to, value);
            }
            Instr::Neighbour(to, from, axis, side) => {
                let value = self.neighbour(self.ty(*to), self.get(*from), *axis, *side);
                self.set(*to, value);
            }
            Instr::MulAdd(to, operands) => {
                let [a, b, c] = operands.map(|reg| self.get(reg));
                let value = if self.machine.fma {
                    self.builder.ins().fma(a, b, c)
                } else {
                    let product = self.builder.ins().fmul(a, b);
                    self.builder.ins().fadd(product, c)
                };
                self.set(*to, value);
            }
            Instr::Part(..)
            | Instr::Concat(..)
            | Instr::Words(..)
            | Instr::Funnel(..)
            | Instr::Logic(..) => {
                unreachable!("only procedures for registers of 512 bits have it")
            }
            Instr::Table(to, table, index) => {
                let value = self.table(table, self.get(*index));
                self.set(*to, value);
            }
            Instr::Half(to, from, upper) => {
                let value = self.half(self.ty(*from), self.get(*from), *upper);
                self.set(*to, value);
            }
            Instr::Join(to, halves) => {
                let value = self.join(self.ty(*to), halves.map(|reg| self.get(reg)));
                self.set(*to, value);
            }
            Instr::Any(to, masks) => {
                let mut value = self.get(masks[0]);
                for &mask in &masks[1..] {
                    let mask = self.get(mask);
                    value = self.builder.ins().bor(value, mask);
                }
                if matches!(self.ty(masks[0]), RegisterType::Vector(_)) {
                    value = self.builder.ins().vany_true(value);
                }
                self.set(*to, value);
            }
            Instr::Input(to, word) => {
                let ty = self.ty(*to);
                let value = self.load(Field::Inputs, word * 4, word_type(ty));
                let value = self.truth(ty, value);
                self.set(*to, value);
            }
            Instr::Load(to, space, first, index) => {
                let value = self.load_words(self.ty(*to), *space, *first, *index);
                self.set(*to, value);
            }
            Instr::LoadFour { to, space, first, index } => {
                let values = self.load_four(*space, *first, *index);
                for (to, value) in to.iter().zip(values) {
                    if let Some(to) = to {
                        let value = self.words_as(clif_type(self.ty(*to)), value);
                        self.set(*to, value);
                    }
                }
            }
            Instr::Scattered(to, index, columns) => {
                let value = self.scattered(*index, columns.step);
                self.set(*to, value);
            }
            Instr::LoadColumns { to, space, first, index, columns } => {
                let values = self.load_columns(
                    *space,
                    *first,
                    *index,
                    columns.step,
                    to.map(|to| to.is_some()),
                );
                for (to, value) in to.iter().zip(values) {
                    if let (Some(to), Some(value)) = (to, value) {
                        let value = self.words_as(clif_type(self.ty(*to)), value);
                        self.set(*to, value);
                    }
                }
            }
            Instr::Apart(to, step, pairs) => {
                let value = self.apart(*step, pairs);
                self.set(*to, value);
            }
            Instr::LoadTwo { to, space, first, index } => {
                for (k, &to) in (0..).zip(to) {
                    let value = self.load_words(self.ty(to), *space, *first + k, *index);
                    self.set(to, value);
                }
            }
            Instr::LoadMixed { to, space, first, indices, weights } => {
                let values = self.load_mixed(*space, *first, indices, weights);
                for (to, value) in to.iter().zip(values) {
                    if let Some(to) = to {
                        self.set(*to, value);
                    }
                }
            }
            Instr::LoadMemory(to, memory, index) => {
                let value = self.load_memory(self.ty(*to), *memory, *index);
                self.set(*to, value);
            }
            Instr::StoreMemory { memory, index, word, mask } => {
                self.store_memory(*memory, *index, *word, *mask);
            }
            Instr::LoadMemoryLanes(to, memory, index) => {
                let address = self.lanes_of_memory(*memory, *index);
                let value = self.builder.ins().load(types::I32X4, UNALIGNED, address, 0);
                self.set(*to, value);
            }
            Instr::StoreMemoryLanes { memory, index, words, .. } => {
                let (address, words) = (self.lanes_of_memory(*memory, *index), self.get(*words));
                self.builder.ins().store(UNALIGNED, words, address, 0);
            }
            Instr::Lane(to, from, lane) => {
                let from = self.get(*from);
                let value = self.builder.ins().extractlane(from, *lane as u8);
                let value = self.truth(self.ty(*to), value);
                self.set(*to, value);
            }
            Instr::FromLanes(to, of) => {
                let mut value = self.vector(types::I32X4, 0);
                for (lane, &reg) in (0..).zip(of) {
                    let word = self.get(reg);
                    value = self.builder.ins().insertlane(value, word, lane);
                }
                self.set(*to, value);
            }
            Instr::LoadArray(to, place) => {
                let value = self.load_array(self.ty(*to), place);
                self.set(*to, value);
            }
            Instr::StoreArray { place, word, mask } => self.store_array(place, *word, *mask),
            Instr::Slot(to, slot) => {
                let value = self.load(Field::Slots, slot * 8, clif_type(self.ty(*to)));
                self.set(*to, value);
            }
            Instr::SetSlot(slot, from) => {
                let slots = self.field(Field::Slots);
                let value = self.get(*from);
                let offset = (slot * 8) as i32;
                self.builder.ins().store(MemFlagsData::trusted(), value, slots, offset);
            }
            Instr::ExecutionMask(to, index) => {
                let ty = self.ty(*to);
                let offset = index * self.program.shape.tile.width() * 4;
                let value = self.load(Field::Mask, offset, word_type(ty));
                let value = self.truth(ty, value);
                self.set(*to, value);
            }
            Instr::Primitive(to, word) => {
                let value = self.load(Field::Primitive, word * 4, clif_type(self.ty(*to)));
                self.set(*to, value);
            }
            Instr::Lanes(to, column, index, group) => {
                let (ty, shape) = (self.ty(*to), self.program.shape);
                let column =
                    self.program.items.position(*column).expect("the items have it") as u32;
                let first = column * shape.lanes() + index * shape.tile.width();
                let base = self.get(*group);
                let value = self.load_from(base, first * 4, word_type(ty));
                let value = self.truth(ty, value);
                self.set(*to, value);
            }
            Instr::Plane(to) => {
                let value = self.field(Field::Plane);
                self.set(*to, value);
            }
            Instr::Argument(to, argument) => {
                let mut all = Argument::of(self.program.items).iter();
                let index = all.position(|known| known == argument).expect("the function has it");
                self.set(*to, self.arguments[1 + index]);
            }
            Instr::Limit(to, limit) => {
                let field = match limit {
                    Limit::First => Field::FirstRounds,
                    Limit::Rest => Field::RestRounds,
                };
                let value = self.field(field);
                self.set(*to, value);
            }
            Instr::Poll(to) => {
                let address = self.field(Field::Frontier);
                let flags = MemFlagsData::trusted();
                let frontier = self.builder.ins().load(types::I64, flags, address, 0);
                let first = self.field(Field::FirstPixel);
                let value = self.builder.ins().icmp(IntCC::UnsignedLessThan, first, frontier);
                self.set(*to, value);
            }
            Instr::Call { procedure, to, arguments } => {
                let callee = self.procedure(*procedure);
                let arguments: Vec<Value> = arguments.iter().map(|&reg| self.get(reg)).collect();
                let call = self.builder.ins().call(callee, &arguments);
                let value = self.builder.func.dfg.first_result(call);
                self.set(*to, value);
            }
            Instr::Callout { function, to, mask, operands } => {
                self.callout(*function as u32, *to, *mask, operands);
            }
            Instr::Spill(slot, from) => self.spill(*slot, *from),
            Instr::Reload(to, slot) => {
                let value = self.reload(self.ty(*to), *slot);
                self.set(*to, value);
            }
            Instr::Store { channels, rows, offset } => {
                self.store(channels.map(|reg| self.get(reg)), rows, *offset);
            }
        }
    }
}
