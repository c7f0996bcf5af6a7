//! Operations lane by lane, and splitting and joining of registers.
//!
//! Each operation takes the form that compiles to the fewest machine instructions on x86-64, as
//! measured: minima and maxima are a comparison and a select of its operands (`minps`); signs are
//! flipped and cleared by bit operations; selects are `blendv` there and `bitselect` elsewhere.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{
    self, Endianness, InstBuilder, MemFlagsData, Opcode, Value, ValueDef, types,
};

use lambdav_core::graph::Side;

use super::selection::{Selection, TableBytes, clif_type};
use crate::lanes::{Axis, Kind, LaneOp};
use crate::mutants::{Mutant, is_active};
use crate::registers::RegisterType;

pub(super) fn same_bits() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl Selection<'_, '_> {
    pub(super) fn vector(&mut self, ty: ir::Type, bits: u128) -> Value {
        let constants = &mut self.builder.func.dfg.constants;
        let insert = || constants.insert(bits.to_le_bytes().to_vec().into());
        let constant = *self.constants.entry(bits).or_insert_with(insert);
        self.builder.ins().vconst(ty, constant)
    }

    pub(super) fn constant(&mut self, ty: RegisterType, bits: u64) -> Value {
        match ty {
            RegisterType::Scalar(Kind::F32) => {
                self.builder.ins().f32const(Ieee32::with_bits(bits as u32))
            }
            RegisterType::Scalar(Kind::F64) => self.builder.ins().f64const(Ieee64::with_bits(bits)),
            RegisterType::Scalar(Kind::I32) => {
                self.builder.ins().iconst(types::I32, i64::from(bits as u32))
            }
            RegisterType::Scalar(_) => self.builder.ins().iconst(clif_type(ty), bits as i64),
            RegisterType::Vector(Kind::F32 | Kind::I32) => {
                let lane = u128::from(bits as u32);
                self.vector(clif_type(ty), lane * 0x0000_0001_0000_0001_0000_0001_0000_0001)
            }
            RegisterType::Vector(Kind::F64 | Kind::I64) => {
                self.vector(clif_type(ty), u128::from(bits) << 64 | u128::from(bits))
            }
            RegisterType::Vector(Kind::Mask) | RegisterType::WideMask => {
                self.vector(clif_type(ty), if bits == 0 { 0 } else { u128::MAX })
            }
            RegisterType::Vector(Kind::Array(_)) => unreachable!("arrays lie in memory"),
        }
    }

    pub(super) fn op(
        &mut self,
        op: LaneOp,
        to: RegisterType,
        from: RegisterType,
        values: &[Value],
    ) -> Value {
        let is_vector = !matches!(from, RegisterType::Scalar(_));
        let is_mask = matches!(from, RegisterType::Scalar(Kind::Mask));
        let is_float = matches!(
            from,
            RegisterType::Scalar(Kind::F32 | Kind::F64)
                | RegisterType::Vector(Kind::F32 | Kind::F64)
        );
        let mut a = values[0];
        let mut b = *values.get(1).unwrap_or(&a);
        // x86 instructions read a constant from memory only as the second operand. (The swap may
        // choose the other NaN of two, but all NaNs are equal here.)
        if matches!(op, LaneOp::Add | LaneOp::Mul) && self.is_constant(a) {
            (a, b) = (b, a);
        }
        match op {
            LaneOp::Neg if is_vector => {
                let sign = self.sign_bit(to);
                self.builder.ins().bxor(a, sign)
            }
            LaneOp::Abs if is_vector => {
                let sign = self.sign_bit(to);
                self.builder.ins().band_not(a, sign)
            }
            LaneOp::Neg => self.builder.ins().fneg(a),
            LaneOp::Abs => self.builder.ins().fabs(a),
            LaneOp::Floor => self.builder.ins().floor(a),
            LaneOp::Ceil => self.builder.ins().ceil(a),
            LaneOp::Trunc => self.builder.ins().trunc(a),
            LaneOp::RoundEven => self.builder.ins().nearest(a),
            LaneOp::Sqrt => self.builder.ins().sqrt(a),
            LaneOp::Add if is_float => self.builder.ins().fadd(a, b),
            LaneOp::Sub if is_float => self.builder.ins().fsub(a, b),
            LaneOp::Mul if is_float => self.builder.ins().fmul(a, b),
            LaneOp::Div => self.builder.ins().fdiv(a, b),
            LaneOp::Fma => self.fused(to, [a, b, values[2]]),
            LaneOp::Min if is_float && is_active(Mutant::SwappedMinimum) => {
                self.extremum(is_vector, to, a, b)
            }
            LaneOp::Min if is_float => self.extremum(is_vector, to, b, a),
            LaneOp::Max if is_float => {
                // a < b ? b : a, as maxps computes it of (b, a): b > a ? b : a.
                let mask = self.builder.ins().fcmp(FloatCC::LessThan, a, b);
                self.choose(is_vector, to, mask, b, a)
            }
            LaneOp::Less | LaneOp::LessEqual | LaneOp::Equal | LaneOp::NotEqual if is_float => {
                let condition = match op {
                    LaneOp::Less if !is_active(Mutant::WrongComparison) => FloatCC::LessThan,
                    LaneOp::Less | LaneOp::LessEqual => FloatCC::LessThanOrEqual,
                    LaneOp::Equal => FloatCC::Equal,
                    _ => FloatCC::NotEqual,
                };
                self.builder.ins().fcmp(condition, a, b)
            }
            LaneOp::Equal => self.builder.ins().icmp(IntCC::Equal, a, b),
            LaneOp::NotEqual => self.builder.ins().icmp(IntCC::NotEqual, a, b),
            LaneOp::And => self.builder.ins().band(a, b),
            LaneOp::Or => self.builder.ins().bor(a, b),
            LaneOp::AndNot if is_mask => {
                let not = self.builder.ins().bxor_imm_s(b, 1);
                self.builder.ins().band(a, not)
            }
            LaneOp::AndNot => self.builder.ins().band_not(a, b),
            LaneOp::Not if is_mask => self.builder.ins().bxor_imm_s(a, 1),
            LaneOp::Not => self.builder.ins().bnot(a),
            LaneOp::Select if is_vector && is_active(Mutant::SwappedSelect) => {
                self.blend(to, a, values[2], values[1])
            }
            LaneOp::Select if is_vector => self.blend(to, a, values[1], values[2]),
            LaneOp::Select => self.builder.ins().select(a, values[1], values[2]),
            LaneOp::Promote => self.builder.ins().fpromote(types::F64, a),
            LaneOp::Demote => self.builder.ins().fdemote(types::F32, a),
            LaneOp::ToInteger => self.builder.ins().fcvt_to_sint_sat(clif_type(to), a),
            LaneOp::ToIntegerInRange if is_vector && self.is_x86 => {
                self.builder.ins().x86_cvtt2dq(clif_type(to), a)
            }
            LaneOp::ToIntegerInRange => self.builder.ins().fcvt_to_sint_sat(clif_type(to), a),
            LaneOp::ToUnsigned => self.builder.ins().fcvt_to_uint_sat(clif_type(to), a),
            LaneOp::Bits => self.builder.ins().bitcast(clif_type(to), same_bits(), a),
            _ => self.integers(op, to, is_vector, [a, b]),
        }
    }

    pub(super) fn is_constant(&self, value: Value) -> bool {
        let ValueDef::Result(instr, _) = self.builder.func.dfg.value_def(value) else {
            return false;
        };
        let opcode = self.builder.func.dfg.insts[instr].opcode();
        matches!(opcode, Opcode::Vconst | Opcode::F32const | Opcode::F64const)
    }

    /// `x < y ? x : y`.
    pub(super) fn extremum(
        &mut self,
        is_vector: bool,
        ty: RegisterType,
        x: Value,
        y: Value,
    ) -> Value {
        let mask = self.builder.ins().fcmp(FloatCC::LessThan, x, y);
        self.choose(is_vector, ty, mask, x, y)
    }

    /// A select in the form that the code generator recognises as a minimum or maximum.
    pub(super) fn choose(
        &mut self,
        is_vector: bool,
        ty: RegisterType,
        mask: Value,
        x: Value,
        y: Value,
    ) -> Value {
        if !is_vector {
            return self.builder.ins().select(mask, x, y);
        }
        let mask = self.builder.ins().bitcast(clif_type(ty), same_bits(), mask);
        self.builder.ins().bitselect(mask, x, y)
    }

    /// A select by a vector mask of whole lanes.
    pub(super) fn blend(&mut self, ty: RegisterType, mask: Value, x: Value, y: Value) -> Value {
        let ty = clif_type(ty);
        let as_mask = self.builder.func.dfg.value_type(mask);
        let mut cast = |value, to| {
            if self.builder.func.dfg.value_type(value) == to {
                value
            } else {
                self.builder.ins().bitcast(to, same_bits(), value)
            }
        };
        if self.is_x86 {
            let (x, y) = (cast(x, as_mask), cast(y, as_mask));
            let value = self.builder.ins().blendv(mask, x, y);
            return if ty == as_mask {
                value
            } else {
                self.builder.ins().bitcast(ty, same_bits(), value)
            };
        }
        let mask = cast(mask, ty);
        self.builder.ins().bitselect(mask, x, y)
    }

    pub(super) fn sign_bit(&mut self, ty: RegisterType) -> Value {
        let bits = if ty == RegisterType::Vector(Kind::F64) { 1 << 63 } else { 1 << 31 };
        self.constant(ty, bits)
    }

    /// The words of a table at the last three bits of each word. The table is 32 bytes in two vectors.
    pub(super) fn table(&mut self, table: &[u32; 8], index: Value) -> Value {
        let words = [0, 4].into_iter().zip(self.bytes_at(index)).map(|(start, bytes)| {
            let bits = (0..4).rev().fold(0, |bits, i| bits << 32 | u128::from(table[start + i]));
            let half = self.vector(types::I8X16, bits);
            match self.is_x86 {
                true => self.builder.ins().x86_pshufb(half, bytes),
                false => self.builder.ins().swizzle(half, bytes),
            }
        });
        let words: Vec<Value> = words.collect();
        let both = self.builder.ins().bor(words[0], words[1]);
        self.builder.ins().bitcast(types::I32X4, same_bits(), both)
    }

    /// The numbers of the bytes of a table's words in its first and in its second vector. A number that is
    /// beyond a vector stands for zero.
    fn bytes_at(&mut self, index: Value) -> [Value; 2] {
        let block = self.builder.current_block();
        if let Some(known) = self.table_bytes
            && (known.block, known.index) == (block, index)
        {
            return known.bytes;
        }
        let ty = RegisterType::Vector(Kind::I32);
        let [last, first, second] =
            [7, 0x0302_0100, 0x1010_1010].map(|bits| self.constant(ty, bits));
        let word = self.builder.ins().band(index, last);
        let byte = self.shifted(Opcode::Ishl, word, 2);
        let above = self.shifted(Opcode::Ishl, byte, 8);
        let two = self.builder.ins().bor(byte, above);
        let above = self.shifted(Opcode::Ishl, two, 16);
        let four = self.builder.ins().bor(two, above);
        let low = self.builder.ins().bor(four, first);
        let high = self.builder.ins().bxor(low, second);
        let bytes = [low, high].map(|bytes| {
            let bytes = self.builder.ins().bitcast(types::I8X16, same_bits(), bytes);
            if !self.is_x86 {
                return bytes;
            }
            // The instruction gives zero if the highest bit is set.
            let beyond = self.vector(types::I8X16, u128::from_le_bytes([0x70; 16]));
            self.builder.ins().iadd(bytes, beyond)
        });
        self.table_bytes = Some(TableBytes { block, index, bytes });
        bytes
    }

    /// A vector of type `ty`, of 16 bytes picked from two vectors.
    pub(super) fn shuffle(&mut self, ty: ir::Type, a: Value, b: Value, bytes: [u8; 16]) -> Value {
        let [a, b] = [a, b].map(|v| self.builder.ins().bitcast(types::I8X16, same_bits(), v));
        let mask = self.builder.func.dfg.immediates.push(bytes.to_vec().into());
        let value = self.builder.ins().shuffle(a, b, mask);
        self.builder.ins().bitcast(ty, same_bits(), value)
    }

    /// Moves the value of another pixel of the pair along `axis` into each lane.
    pub(super) fn neighbour(
        &mut self,
        ty: RegisterType,
        value: Value,
        axis: Axis,
        side: Side,
    ) -> Value {
        let tile = self.program.shape.tile;
        let lane = |lane: usize| tile.neighbour(lane as u32, axis, side) as usize;
        let bytes = std::array::from_fn(|i| (4 * lane(i / 4) + i % 4) as u8);
        self.shuffle(clif_type(ty), value, value, bytes)
    }

    pub(super) fn half(&mut self, from: RegisterType, value: Value, upper: bool) -> Value {
        if from == RegisterType::Vector(Kind::Mask) {
            return if upper {
                self.builder.ins().swiden_high(value)
            } else {
                self.builder.ins().swiden_low(value)
            };
        }
        if from == RegisterType::Vector(Kind::I32) {
            return if upper {
                self.builder.ins().uwiden_high(value)
            } else {
                self.builder.ins().uwiden_low(value)
            };
        }
        let mut value = value;
        if upper {
            let bytes = std::array::from_fn(|i| 8 + i as u8 % 8);
            value = self.shuffle(types::F32X4, value, value, bytes);
        }
        self.builder.ins().fvpromote_low(value)
    }

    pub(super) fn join(&mut self, to: RegisterType, [low, high]: [Value; 2]) -> Value {
        if let RegisterType::Vector(Kind::Mask | Kind::I32) = to {
            // The lower four bytes of each of the four lanes of 64 bits.
            let bytes = std::array::from_fn(|i| (i / 4 * 8 + i % 4) as u8);
            return self.shuffle(types::I32X4, low, high, bytes);
        }
        let [low, high] = [low, high].map(|v| self.builder.ins().fvdemote(v));
        let bytes = std::array::from_fn(|i| (i / 8 * 16 + i % 8) as u8);
        self.shuffle(types::F32X4, low, high, bytes)
    }
}
