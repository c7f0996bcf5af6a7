//! Instructions of the register program as Cranelift's.
//!
//! Each is the one that compiles to the fewest machine instructions on x86-64, as measured: minima and maxima
//! are a compare and a select of its operands (`minps`), signs are flipped and cleared by bits,
//! selects are `blendv` there and `bitselect` elsewhere.

#[cfg(test)]
mod tests;

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, Constant, Endianness, ExtFuncData, ExternalName, FuncRef,
    InstBuilder, InstructionData, MemFlagsData, Opcode, Signature, StackSlotData, StackSlotKind,
    UserExternalName, UserFuncName, Value, ValueDef, types,
};
use cranelift_codegen::isa::CallConv;
use rustc_hash::FxHashMap;

use super::jit::context;
use super::{Allocation, Target};
use crate::lanes::{Kind, Op};
use crate::mutants::{Mutant, is_active};
use crate::registers::{
    self, Argument, Between, Block, BlockId, End, Function, Instr, Limit, Program, Reg,
    Target as Goal, Type,
};

/// The number of the imported function that computes elementary functions, for the JIT. The procedures follow.
pub(super) const ELEMENTARY: u32 = 0;

/// A function with its name.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) function: ir::Function,
    /// How its registers are to be allocated.
    pub(super) allocation: Allocation,
}

/// All procedures, and then the functions for the frame and for a row, once it is decided what the target's registers
/// have no room for.
pub(super) fn functions(program: &mut Program, target: &Target) -> Vec<Named> {
    let allocation = target.allocation.unwrap_or(Allocation::Thorough);
    let between = match allocation {
        Allocation::Thorough => Between::Registers,
        Allocation::Quick => Between::Memory,
    };
    registers::spill(program, target.vector_registers, between);
    let program = &*program;
    let procedures = program.procedures.iter().enumerate().map(|(i, procedure)| {
        let lanes = if procedure.is_vector { "register" } else { "number" };
        let name = format!("procedure {i}: {} of a {lanes}", procedure.elementary.name());
        let signature = procedure_signature(&procedure.code);
        (name, &procedure.code, signature, Allocation::Thorough)
    });
    let frame = ("frame".to_owned(), &program.frame, signature(false), Allocation::Thorough);
    let row = ("row".to_owned(), &program.row, signature(true), allocation);
    procedures
        .chain([frame, row])
        .enumerate()
        .map(|(i, (name, function, signature, allocation))| {
            let id = UserFuncName::user(0, ELEMENTARY + 1 + i as u32);
            let mut out = ir::Function::with_name_signature(id, signature);
            Emitter {
                program,
                function,
                is_x86: target.is_x86(),
                has_fma: target.has_fma(),
                pos: FuncCursor::new(&mut out),
                blocks: Vec::new(),
                values: vec![None; function.registers.len()],
                arguments: Vec::new(),
                elementary: None,
                procedures: vec![None; program.procedures.len()],
                constants: FxHashMap::default(),
                spilled: None,
                depths: match allocation {
                    Allocation::Thorough => None,
                    Allocation::Quick => Some(registers::loop_depths(function)),
                },
            }
            .emit();
            Named { name, function: out, allocation }
        })
        .collect()
}

/// The signature of the function for the frame, or of that for a row.
pub(super) fn signature(is_row: bool) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.push(AbiParam::new(types::I64));
    if is_row {
        let row = [types::I32, types::I32, types::I32, types::I64, types::I64];
        signature.params.extend(row.map(AbiParam::new));
    }
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// The parameters of the first block, and what the procedure gives.
fn procedure_signature(function: &Function) -> Signature {
    let ty = |reg: &Reg| AbiParam::new(clif_type(function.registers[reg.index()]));
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.extend(function.blocks[0].params.iter().map(ty));
    let given = function.blocks.iter().find_map(|block| match &block.end {
        End::Give(reg) => Some(ty(reg)),
        _ => None,
    });
    signature.returns.push(given.expect("a procedure gives something"));
    signature
}

/// The signature of `elementary` in `jit.rs`.
pub(super) fn elementary_signature() -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.extend([types::I32, types::I32, types::I64].map(AbiParam::new));
    signature
}

/// The type of the values of a register.
fn clif_type(ty: Type) -> ir::Type {
    match ty {
        Type::Scalar(Kind::F32) => types::F32,
        Type::Scalar(Kind::F64) => types::F64,
        Type::Scalar(Kind::I32) => types::I32,
        Type::Scalar(Kind::I64) => types::I64,
        Type::Scalar(Kind::Mask) => types::I8,
        Type::Vector(Kind::F32) => types::F32X4,
        Type::Vector(Kind::F64) => types::F64X2,
        Type::Vector(Kind::I32 | Kind::Mask) => types::I32X4,
        Type::Vector(Kind::I64) | Type::WideMask => types::I64X2,
    }
}

fn same_bits() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

struct Emitter<'p, 'f> {
    program: &'p Program,
    function: &'p Function,
    is_x86: bool,
    has_fma: bool,
    pos: FuncCursor<'f>,
    blocks: Vec<ir::Block>,
    values: Vec<Option<Value>>,
    /// The address of the `Context` of `jit.rs`, then those of [`Argument`].
    arguments: Vec<Value>,
    /// The imported function and room for its operands, once there is a call of it.
    elementary: Option<(FuncRef, ir::StackSlot)>,
    /// The procedures that have been called here.
    procedures: Vec<Option<FuncRef>>,
    /// What the function's vectors of constants are called.
    constants: FxHashMap<u128, Constant>,
    /// The address of what is spilled, if anything is.
    spilled: Option<Value>,
    /// How many loops are around each block, if their order counts.
    depths: Option<Vec<u32>>,
}

impl Emitter<'_, '_> {
    fn emit(mut self) {
        for block in &self.function.blocks {
            let id = self.pos.func.dfg.make_block();
            self.blocks.push(id);
            for &param in &block.params {
                let ty = clif_type(self.function.registers[param.index()]);
                let value = self.pos.func.dfg.append_block_param(id, ty);
                self.set(param, value);
            }
        }
        // Those of a procedure are parameters of its first block already.
        if self.function.blocks[0].params.is_empty() {
            for param in self.pos.func.signature.params.clone() {
                let entry = self.blocks[0];
                let value = self.pos.func.dfg.append_block_param(entry, param.value_type);
                self.arguments.push(value);
            }
        }
        for id in self.function.reverse_postorder() {
            let (block, into) = (&self.function.blocks[id.index()], self.blocks[id.index()]);
            self.pos.insert_block(into);
            if block.cold {
                self.pos.func.layout.set_cold(into);
            }
            if id == BlockId(0) && self.function.spill_slots > 0 {
                let size = self.function.spill_slots * 16;
                let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
                let slot = self.pos.func.create_sized_stack_slot(slot);
                self.spilled = Some(self.pos.ins().stack_addr(types::I64, slot, 0));
            }
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        for instr in &block.instrs {
            self.instr(instr);
        }
        match &block.end {
            End::Jump(goal) => {
                let (block, arguments) = self.goal(goal);
                self.pos.ins().jump(block, &arguments);
            }
            End::Branch { condition, then, otherwise } => {
                let condition = self.get(*condition);
                let (a, xs) = self.goal(then);
                let (b, ys) = self.goal(otherwise);
                if self.leaves_loop(otherwise, then) {
                    let condition = self.inverted(condition);
                    self.pos.ins().brif(condition, b, &ys, a, &xs);
                } else {
                    self.pos.ins().brif(condition, a, &xs, b, &ys);
                }
            }
            End::Return(status) => {
                let code = self.pos.ins().iconst(types::I64, status.code());
                self.pos.ins().return_(&[code]);
            }
            End::Give(reg) => {
                let value = self.get(*reg);
                self.pos.ins().return_(&[value]);
            }
        }
    }

    /// Whether the one of two ways leaves a loop that the other does not, and is to be the first of a branch.
    ///
    /// Cranelift lays out what it finds behind the first way after what is behind the second: all that comes after a loop
    /// before half of the loop itself, else. The single pass takes what lives in that half for alive all the way, and looks
    /// at it in every block between.
    fn leaves_loop(&self, way: &Goal, other: &Goal) -> bool {
        let depth = |depths: &Vec<u32>, goal: &Goal| depths[goal.block.index()];
        self.depths.as_ref().is_some_and(|depths| depth(depths, way) < depth(depths, other))
    }

    /// A truth value's opposite: the opposite comparison, if it is one that has just been made.
    fn inverted(&mut self, condition: Value) -> Value {
        let func = &self.pos.func;
        let made = match func.dfg.value_def(condition) {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        };
        let here = |inst: &ir::Inst| func.layout.inst_block(*inst) == self.pos.current_block();
        match made.filter(here).map(|inst| func.dfg.insts[inst]) {
            Some(InstructionData::FloatCompare { cond, args: [a, b], .. }) => {
                self.pos.ins().fcmp(cond.complement(), a, b)
            }
            Some(InstructionData::IntCompare { cond, args: [a, b], .. }) => {
                self.pos.ins().icmp(cond.complement(), a, b)
            }
            _ => self.pos.ins().icmp_imm_s(IntCC::Equal, condition, 0),
        }
    }

    fn goal(&self, goal: &Goal) -> (ir::Block, Vec<BlockArg>) {
        let arguments = goal.arguments.iter().map(|&reg| BlockArg::Value(self.get(reg)));
        (self.blocks[goal.block.index()], arguments.collect())
    }

    fn get(&self, reg: Reg) -> Value {
        self.values[reg.index()].expect("assigned before it is used")
    }

    fn set(&mut self, reg: Reg, value: Value) {
        self.values[reg.index()] = Some(value);
    }

    fn ty(&self, reg: Reg) -> Type {
        self.function.registers[reg.index()]
    }

    fn instr(&mut self, instr: &Instr) {
        match instr {
            Instr::Constant(to, bits) => {
                let value = self.constant(self.ty(*to), *bits);
                self.set(*to, value);
            }
            Instr::Centres(to, first) => {
                let value = match self.ty(*to) {
                    Type::Vector(_) => {
                        let lane = |k: u8| u128::from((first + f32::from(k) + 0.5).to_bits());
                        let bits = (0..4).rev().fold(0, |bits, k| bits << 32 | lane(k));
                        self.vector(types::F32X4, bits)
                    }
                    _ => self.pos.ins().f32const(Ieee32::with_bits((first + 0.5).to_bits())),
                };
                self.set(*to, value);
            }
            Instr::Op(to, op, operands) => {
                let values: Vec<Value> = operands.iter().map(|&reg| self.get(reg)).collect();
                let value = self.op(*op, self.ty(*to), self.ty(operands[0]), &values);
                self.set(*to, value);
            }
            Instr::Splat(to, from) => {
                let mut value = self.get(*from);
                if self.ty(*from) == Type::Scalar(Kind::Mask) {
                    value = self.pos.ins().bmask(types::I32, value);
                }
                let ty = clif_type(self.ty(*to));
                let value = self.pos.ins().splat(ty, value);
                self.set(*to, value);
            }
            Instr::MulAdd(to, operands) => {
                let [a, b, c] = operands.map(|reg| self.get(reg));
                let value = if self.has_fma {
                    self.pos.ins().fma(a, b, c)
                } else {
                    let product = self.pos.ins().fmul(a, b);
                    self.pos.ins().fadd(product, c)
                };
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
                    value = self.pos.ins().bor(value, mask);
                }
                if matches!(self.ty(masks[0]), Type::Vector(_)) {
                    value = self.pos.ins().vany_true(value);
                }
                self.set(*to, value);
            }
            Instr::Given(to, word) => {
                let ty = self.ty(*to);
                let value = self.load(context::GIVEN, word * 4, word_type(ty));
                let value = self.truth(ty, value);
                self.set(*to, value);
            }
            Instr::Slot(to, slot) => {
                let value = self.load(context::SLOTS, slot * 8, clif_type(self.ty(*to)));
                self.set(*to, value);
            }
            Instr::SetSlot(slot, from) => {
                let slots = self.field(context::SLOTS);
                let value = self.get(*from);
                let offset = (slot * 8) as i32;
                self.pos.ins().store(MemFlagsData::trusted(), value, slots, offset);
            }
            Instr::Run(to, index) => {
                let ty = self.ty(*to);
                let value =
                    self.load(context::RUN, index * self.program.shape.width * 4, word_type(ty));
                let value = self.truth(ty, value);
                self.set(*to, value);
            }
            Instr::Argument(to, argument) => {
                let index = match argument {
                    Argument::Column => 1,
                    Argument::Row => 2,
                    Argument::Groups => 3,
                    Argument::Pixels => 4,
                    Argument::Stride => 5,
                };
                self.set(*to, self.arguments[index]);
            }
            Instr::Limit(to, limit) => {
                let field = match limit {
                    Limit::First => context::FIRST_ROUNDS,
                    Limit::Rest => context::REST_ROUNDS,
                };
                let value = self.field(field);
                self.set(*to, value);
            }
            Instr::Wanted(to) => {
                let address = self.field(context::FRONTIER);
                let flags = MemFlagsData::trusted();
                let frontier = self.pos.ins().load(types::I64, flags, address, 0);
                let first = self.field(context::FIRST_PIXEL);
                let value = self.pos.ins().icmp(IntCC::UnsignedLessThan, first, frontier);
                self.set(*to, value);
            }
            Instr::Call { procedure, to, arguments } => {
                let callee = self.procedure(*procedure);
                let arguments: Vec<Value> = arguments.iter().map(|&reg| self.get(reg)).collect();
                let call = self.pos.ins().call(callee, &arguments);
                let value = self.pos.func.dfg.first_result(call);
                self.set(*to, value);
            }
            Instr::Callout { function, to, mask, operands } => {
                self.callout(*function as u32, to, mask, operands);
            }
            Instr::Spill(slot, from) => {
                let (value, address) = (self.get(*from), self.spilled());
                let flags = MemFlagsData::trusted();
                self.pos.ins().store(flags, value, address, (slot * 16) as i32);
            }
            Instr::Reload(to, slot) => {
                let (ty, address) = (clif_type(self.ty(*to)), self.spilled());
                let flags = MemFlagsData::trusted();
                let value = self.pos.ins().load(ty, flags, address, (slot * 16) as i32);
                self.set(*to, value);
            }
            Instr::Store { channels, address, offset } => {
                self.store(channels.map(|reg| self.get(reg)), *address, *offset);
            }
        }
    }

    /// A field of the context, all of which stay as they are during a call.
    fn field(&mut self, offset: i32) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.pos.ins().load(types::I64, flags, self.arguments[0], offset)
    }

    fn spilled(&self) -> Value {
        self.spilled.expect("whoever spills has a place for it")
    }

    /// What lies `offset` bytes from where a field of the context points.
    fn load(&mut self, field: i32, offset: u32, ty: ir::Type) -> Value {
        let address = self.field(field);
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.pos.ins().load(ty, flags, address, offset as i32)
    }

    /// A word as a truth value, if that is what is wanted of it.
    fn truth(&mut self, ty: Type, word: Value) -> Value {
        if ty == Type::Scalar(Kind::Mask) {
            self.pos.ins().icmp_imm_s(IntCC::NotEqual, word, 0)
        } else {
            word
        }
    }

    fn vector(&mut self, ty: ir::Type, bits: u128) -> Value {
        let constants = &mut self.pos.func.dfg.constants;
        let insert = || constants.insert(bits.to_le_bytes().to_vec().into());
        let constant = *self.constants.entry(bits).or_insert_with(insert);
        self.pos.ins().vconst(ty, constant)
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        match ty {
            Type::Scalar(Kind::F32) => self.pos.ins().f32const(Ieee32::with_bits(bits as u32)),
            Type::Scalar(Kind::F64) => self.pos.ins().f64const(Ieee64::with_bits(bits)),
            Type::Scalar(Kind::I32) => self.pos.ins().iconst(types::I32, i64::from(bits as u32)),
            Type::Scalar(_) => self.pos.ins().iconst(clif_type(ty), bits as i64),
            Type::Vector(Kind::F32 | Kind::I32) => {
                let lane = u128::from(bits as u32);
                self.vector(clif_type(ty), lane * 0x0000_0001_0000_0001_0000_0001_0000_0001)
            }
            Type::Vector(Kind::F64 | Kind::I64) => {
                self.vector(clif_type(ty), u128::from(bits) << 64 | u128::from(bits))
            }
            Type::Vector(Kind::Mask) | Type::WideMask => {
                self.vector(clif_type(ty), if bits == 0 { 0 } else { u128::MAX })
            }
        }
    }

    fn op(&mut self, op: Op, to: Type, from: Type, values: &[Value]) -> Value {
        let is_vector = !matches!(from, Type::Scalar(_));
        let is_mask = matches!(from, Type::Scalar(Kind::Mask));
        let is_float = matches!(
            from,
            Type::Scalar(Kind::F32 | Kind::F64) | Type::Vector(Kind::F32 | Kind::F64)
        );
        let mut a = values[0];
        let mut b = *values.get(1).unwrap_or(&a);
        // A constant is read from memory by the instruction itself if it is the second operand. (The other NaN of two
        // may come out then, but all are one.)
        if matches!(op, Op::Add | Op::Mul) && self.is_constant(a) {
            (a, b) = (b, a);
        }
        match op {
            Op::Neg if is_vector => {
                let sign = self.sign_bit(to);
                self.pos.ins().bxor(a, sign)
            }
            Op::Abs if is_vector => {
                let sign = self.sign_bit(to);
                self.pos.ins().band_not(a, sign)
            }
            Op::Neg => self.pos.ins().fneg(a),
            Op::Abs => self.pos.ins().fabs(a),
            Op::Floor => self.pos.ins().floor(a),
            Op::Ceil => self.pos.ins().ceil(a),
            Op::Trunc => self.pos.ins().trunc(a),
            Op::RoundEven => self.pos.ins().nearest(a),
            Op::Sqrt => self.pos.ins().sqrt(a),
            Op::Add if is_float => self.pos.ins().fadd(a, b),
            Op::Sub if is_float => self.pos.ins().fsub(a, b),
            Op::Add => self.pos.ins().iadd(a, b),
            Op::Sub => self.pos.ins().isub(a, b),
            Op::Mul => self.pos.ins().fmul(a, b),
            Op::Div => self.pos.ins().fdiv(a, b),
            Op::Min if is_active(Mutant::SwappedMinimum) => self.extremum(is_vector, to, a, b),
            Op::Min => self.extremum(is_vector, to, b, a),
            Op::Max => {
                // a < b ? b : a, as maxps computes it of (b, a): b > a ? b : a.
                let mask = self.pos.ins().fcmp(FloatCC::LessThan, a, b);
                self.choose(is_vector, to, mask, b, a)
            }
            Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual if is_float => {
                let condition = match op {
                    Op::Less if !is_active(Mutant::WrongComparison) => FloatCC::LessThan,
                    Op::Less | Op::LessEqual => FloatCC::LessThanOrEqual,
                    Op::Equal => FloatCC::Equal,
                    _ => FloatCC::NotEqual,
                };
                self.pos.ins().fcmp(condition, a, b)
            }
            Op::Less => self.pos.ins().icmp(IntCC::SignedLessThan, a, b),
            Op::LessEqual => self.pos.ins().icmp(IntCC::SignedLessThanOrEqual, a, b),
            Op::Equal => self.pos.ins().icmp(IntCC::Equal, a, b),
            Op::NotEqual => self.pos.ins().icmp(IntCC::NotEqual, a, b),
            Op::And => self.pos.ins().band(a, b),
            Op::Or => self.pos.ins().bor(a, b),
            Op::AndNot if is_mask => {
                let not = self.pos.ins().bxor_imm_s(b, 1);
                self.pos.ins().band(a, not)
            }
            Op::AndNot => self.pos.ins().band_not(a, b),
            Op::Not if is_mask => self.pos.ins().bxor_imm_s(a, 1),
            Op::Not => self.pos.ins().bnot(a),
            Op::ShiftLeft(n) => {
                let n = self.pos.ins().iconst(types::I32, i64::from(n));
                self.pos.ins().ishl(a, n)
            }
            Op::ShiftRight(n) => {
                let n = self.pos.ins().iconst(types::I32, i64::from(n));
                self.pos.ins().ushr(a, n)
            }
            Op::Select if is_vector && is_active(Mutant::SwappedSelect) => {
                self.blend(to, a, values[2], values[1])
            }
            Op::Select if is_vector => self.blend(to, a, values[1], values[2]),
            Op::Select => self.pos.ins().select(a, values[1], values[2]),
            Op::Promote => self.pos.ins().fpromote(types::F64, a),
            Op::Demote => self.pos.ins().fdemote(types::F32, a),
            Op::FromInteger => self.pos.ins().fcvt_from_sint(clif_type(to), a),
            Op::Bits => self.pos.ins().bitcast(clif_type(to), same_bits(), a),
        }
    }

    fn is_constant(&self, value: Value) -> bool {
        let ValueDef::Result(instr, _) = self.pos.func.dfg.value_def(value) else {
            return false;
        };
        let opcode = self.pos.func.dfg.insts[instr].opcode();
        matches!(opcode, Opcode::Vconst | Opcode::F32const | Opcode::F64const)
    }

    /// `x < y ? x : y`.
    fn extremum(&mut self, is_vector: bool, ty: Type, x: Value, y: Value) -> Value {
        let mask = self.pos.ins().fcmp(FloatCC::LessThan, x, y);
        self.choose(is_vector, ty, mask, x, y)
    }

    /// A select in the form that the code generator knows as a minimum or maximum.
    fn choose(&mut self, is_vector: bool, ty: Type, mask: Value, x: Value, y: Value) -> Value {
        if !is_vector {
            return self.pos.ins().select(mask, x, y);
        }
        let mask = self.pos.ins().bitcast(clif_type(ty), same_bits(), mask);
        self.pos.ins().bitselect(mask, x, y)
    }

    /// A select by a vector mask of whole lanes.
    fn blend(&mut self, ty: Type, mask: Value, x: Value, y: Value) -> Value {
        let ty = clif_type(ty);
        let as_mask = self.pos.func.dfg.value_type(mask);
        let mut cast = |value, to| {
            if self.pos.func.dfg.value_type(value) == to {
                value
            } else {
                self.pos.ins().bitcast(to, same_bits(), value)
            }
        };
        if self.is_x86 {
            let (x, y) = (cast(x, as_mask), cast(y, as_mask));
            let value = self.pos.ins().blendv(mask, x, y);
            return if ty == as_mask {
                value
            } else {
                self.pos.ins().bitcast(ty, same_bits(), value)
            };
        }
        let mask = cast(mask, ty);
        self.pos.ins().bitselect(mask, x, y)
    }

    fn sign_bit(&mut self, ty: Type) -> Value {
        let bits = if ty == Type::Vector(Kind::F64) { 1 << 63 } else { 1 << 31 };
        self.constant(ty, bits)
    }

    /// Bytes picked from two vectors, as a vector of that type.
    fn shuffle(&mut self, ty: ir::Type, a: Value, b: Value, bytes: [u8; 16]) -> Value {
        let [a, b] = [a, b].map(|v| self.pos.ins().bitcast(types::I8X16, same_bits(), v));
        let mask = self.pos.func.dfg.immediates.push(bytes.to_vec().into());
        let value = self.pos.ins().shuffle(a, b, mask);
        self.pos.ins().bitcast(ty, same_bits(), value)
    }

    fn half(&mut self, from: Type, value: Value, upper: bool) -> Value {
        if from == Type::Vector(Kind::Mask) {
            return if upper {
                self.pos.ins().swiden_high(value)
            } else {
                self.pos.ins().swiden_low(value)
            };
        }
        let mut value = value;
        if upper {
            let bytes = std::array::from_fn(|i| 8 + i as u8 % 8);
            value = self.shuffle(types::F32X4, value, value, bytes);
        }
        self.pos.ins().fvpromote_low(value)
    }

    fn join(&mut self, to: Type, [low, high]: [Value; 2]) -> Value {
        if to == Type::Vector(Kind::Mask) {
            // The lower four bytes of each of the four.
            let bytes = std::array::from_fn(|i| (i / 4 * 8 + i % 4) as u8);
            return self.shuffle(types::I32X4, low, high, bytes);
        }
        let [low, high] = [low, high].map(|v| self.pos.ins().fvdemote(v));
        let bytes = std::array::from_fn(|i| (i / 8 * 16 + i % 8) as u8);
        self.shuffle(types::F32X4, low, high, bytes)
    }

    /// Operands and masks go through memory, as `elementary` in `jit.rs` wants them.
    fn callout(&mut self, function: u32, to: &[Reg], mask: &[Reg], operands: &[Reg]) {
        let size = if matches!(self.ty(to[0]), Type::Vector(_)) { 16 } else { 4 };
        let (callee, slot) = self.elementary();
        let address = self.pos.ins().stack_addr(types::I64, slot, 0);
        let bytes = to.len() as i32 * size;
        let flags = MemFlagsData::trusted();
        for (i, &reg) in mask.iter().chain(operands).enumerate() {
            let mut value = self.get(reg);
            if self.ty(reg) == Type::Scalar(Kind::Mask) {
                value = self.pos.ins().uextend(types::I32, value);
            }
            self.pos.ins().store(flags, value, address, i as i32 * size);
        }
        let function = self.pos.ins().iconst(types::I32, i64::from(function));
        let lanes = self.pos.ins().iconst(types::I32, i64::from(bytes / 4));
        self.pos.ins().call(callee, &[function, lanes, address]);
        for (i, &reg) in to.iter().enumerate() {
            let offset = 3 * bytes + i as i32 * size;
            let ty = clif_type(self.ty(reg));
            let value = self.pos.ins().load(ty, flags, address, offset);
            self.set(reg, value);
        }
    }

    fn procedure(&mut self, index: u32) -> FuncRef {
        if let Some(known) = self.procedures[index as usize] {
            return known;
        }
        let func = &mut *self.pos.func;
        let name = UserExternalName { namespace: 0, index: ELEMENTARY + 1 + index };
        let name = func.declare_imported_user_function(name);
        let code = &self.program.procedures[index as usize].code;
        let signature = func.import_signature(procedure_signature(code));
        let callee = func.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: true,
            patchable: false,
        });
        *self.procedures[index as usize].insert(callee)
    }

    fn elementary(&mut self) -> (FuncRef, ir::StackSlot) {
        if let Some(known) = self.elementary {
            return known;
        }
        let func = &mut *self.pos.func;
        let name = UserExternalName { namespace: 0, index: ELEMENTARY };
        let name = func.declare_imported_user_function(name);
        let signature = func.import_signature(elementary_signature());
        let callee = func.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: false,
            patchable: false,
        });
        let size = self.program.shape.lanes() * 4 * 4;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
        let slot = func.create_sized_stack_slot(slot);
        *self.elementary.insert((callee, slot))
    }

    /// Pixels are stored one after the other: a transposition of four registers.
    fn store(&mut self, channels: [Value; 4], address: Reg, offset: u32) {
        let is_scalar = self.program.shape.width == 1;
        let address = self.get(address);
        let values = if is_scalar { channels } else { self.transpose(channels) };
        let step = if is_scalar { 4 } else { 16 };
        for (i, value) in values.into_iter().enumerate() {
            let offset = offset as i32 + i as i32 * step;
            self.pos.ins().store(MemFlagsData::trusted(), value, address, offset);
        }
    }

    fn transpose(&mut self, [r, g, b, a]: [Value; 4]) -> [Value; 4] {
        // Interleaves words of 4 or 8 bytes of the lower or upper halves.
        let interleave = |size: u8, upper: bool| -> [u8; 16] {
            let first = if upper { 8 } else { 0 };
            std::array::from_fn(|i| {
                let (word, byte) = (i as u8 / size, i as u8 % size);
                first + word / 2 * size + word % 2 * 16 + byte
            })
        };
        let mut mix = |x, y, size, upper| self.shuffle(types::F32X4, x, y, interleave(size, upper));
        let (rg, ba) = (mix(r, g, 4, false), mix(b, a, 4, false));
        let (rg_high, ba_high) = (mix(r, g, 4, true), mix(b, a, 4, true));
        [
            mix(rg, ba, 8, false),
            mix(rg, ba, 8, true),
            mix(rg_high, ba_high, 8, false),
            mix(rg_high, ba_high, 8, true),
        ]
    }
}

/// What is read of memory for a register: a mask is kept in words.
fn word_type(ty: Type) -> ir::Type {
    if ty == Type::Scalar(Kind::Mask) { types::I32 } else { clif_type(ty) }
}
