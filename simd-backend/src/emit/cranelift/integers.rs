//! Operations on integers.
//!
//! Vectors have 128 bits, and before AVX2 x86-64 shifts all lanes of a vector by one count. Here
//! lanes are shifted by their own counts through products.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Opcode, Value, types};

use super::operations::same_bits;
use super::selection::{Selection, clif_type};
use crate::lanes::{Kind, LaneOp};
use crate::registers::RegisterType;

/// The vectors whose lanes are shifted one by one.
const LANES: RegisterType = RegisterType::Vector(Kind::I32);

impl Selection<'_, '_> {
    /// Lowers operations that only integers have.
    pub(super) fn integers(
        &mut self,
        op: LaneOp,
        to: RegisterType,
        is_vector: bool,
        [a, b]: [Value; 2],
    ) -> Value {
        let comparison = match op {
            LaneOp::Less => Some(IntCC::SignedLessThan),
            LaneOp::LessEqual => Some(IntCC::SignedLessThanOrEqual),
            LaneOp::LessUnsigned => Some(IntCC::UnsignedLessThan),
            LaneOp::LessEqualUnsigned => Some(IntCC::UnsignedLessThanOrEqual),
            _ => None,
        };
        if let Some(comparison) = comparison {
            return self.builder.ins().icmp(comparison, a, b);
        }
        match op {
            LaneOp::Add => self.builder.ins().iadd(a, b),
            LaneOp::Sub => self.builder.ins().isub(a, b),
            LaneOp::Mul => self.builder.ins().imul(a, b),
            LaneOp::MulHigh => self.product_above(is_vector, [a, b]),
            LaneOp::Min => self.builder.ins().smin(a, b),
            LaneOp::Max => self.builder.ins().smax(a, b),
            LaneOp::MinUnsigned => self.builder.ins().umin(a, b),
            LaneOp::MaxUnsigned => self.builder.ins().umax(a, b),
            LaneOp::Xor => self.builder.ins().bxor(a, b),
            LaneOp::ShiftLeft(n) => self.shifted(Opcode::Ishl, a, n),
            LaneOp::ShiftRight(n) => self.shifted(Opcode::Ushr, a, n),
            LaneOp::ShiftRightSigned(n) => self.shifted(Opcode::Sshr, a, n),
            LaneOp::ShiftLeftBy if is_vector => self.lanes_to_the_left(a, b),
            LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy
                if is_vector && self.splat(b).is_some() =>
            {
                let count = self.splat(b).expect("just checked");
                match op {
                    LaneOp::ShiftRightBy => self.builder.ins().ushr(a, count),
                    _ => self.builder.ins().sshr(a, count),
                }
            }
            LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy if is_vector => {
                self.lanes_to_the_right(a, b, op == LaneOp::ShiftRightSignedBy)
            }
            LaneOp::ShiftLeftBy => self.builder.ins().ishl(a, b),
            LaneOp::ShiftRightBy => self.builder.ins().ushr(a, b),
            LaneOp::ShiftRightSignedBy => self.builder.ins().sshr(a, b),
            LaneOp::FromInteger => self.builder.ins().fcvt_from_sint(clif_type(to), a),
            LaneOp::FromUnsigned => self.builder.ins().fcvt_from_uint(clif_type(to), a),
            LaneOp::Widen => self.builder.ins().uextend(types::I64, a),
            LaneOp::Narrow => self.builder.ins().ireduce(types::I32, a),
            _ => unreachable!("{op} is not an operation on integers"),
        }
    }

    /// The scalar that was broadcast to a vector.
    fn splat(&self, of: Value) -> Option<Value> {
        let dfg = &self.builder.func.dfg;
        let inst = dfg.value_def(of).inst()?;
        (dfg.insts[inst].opcode() == Opcode::Splat).then(|| dfg.inst_args(inst)[0])
    }

    /// Shifts all lanes, or a number, by the same count.
    pub(super) fn shifted(&mut self, shift: Opcode, value: Value, count: u8) -> Value {
        let count = self.builder.ins().iconst(types::I32, i64::from(count));
        match shift {
            Opcode::Ishl => self.builder.ins().ishl(value, count),
            Opcode::Ushr => self.builder.ins().ushr(value, count),
            _ => self.builder.ins().sshr(value, count),
        }
    }

    /// The upper halves of 64-bit products.
    fn product_above(&mut self, is_vector: bool, [a, b]: [Value; 2]) -> Value {
        if !is_vector {
            let [a, b] = [a, b].map(|v| self.builder.ins().uextend(types::I64, v));
            let product = self.builder.ins().imul(a, b);
            let above = self.shifted(Opcode::Ushr, product, 32);
            return self.builder.ins().ireduce(types::I32, above);
        }
        let [low, high] = [false, true].map(|upper| {
            let [a, b] = [a, b].map(|v| self.half(LANES, v, upper));
            self.builder.ins().imul(a, b)
        });
        let bytes = std::array::from_fn(|i| (i / 4 * 8 + 4 + i % 4) as u8);
        self.shuffle(types::I32X4, low, high, bytes)
    }

    /// Shifts each lane left by its own count: multiplies by 2^n.
    fn lanes_to_the_left(&mut self, value: Value, count: Value) -> Value {
        let exponent = self.shifted(Opcode::Ishl, count, 23);
        let one = self.constant(LANES, 1.0_f32.to_bits().into());
        let bits = self.builder.ins().iadd(exponent, one);
        let power = self.power(bits);
        self.builder.ins().imul(value, power)
    }

    /// Converts powers of two, from 1 to 2^31, from binary32 to integers.
    fn power(&mut self, bits: Value) -> Value {
        let power = self.builder.ins().bitcast(types::F32X4, same_bits(), bits);
        if self.is_x86 {
            // 2^31 is out of range; the instruction then returns exactly the bits of 2^31.
            self.builder.ins().x86_cvtt2dq(types::I32X4, power)
        } else {
            self.builder.ins().fcvt_to_uint_sat(types::I32X4, power)
        }
    }

    /// Shifts each lane right by its own count: the 64-bit product with 2^(31 − n), without its
    /// last 31 bits. A signed number is biased by 2^31 first. In the result the bias has become
    /// 2^(31 − n), which is subtracted.
    fn lanes_to_the_right(&mut self, value: Value, count: Value, is_signed: bool) -> Value {
        let exponent = self.shifted(Opcode::Ishl, count, 23);
        let highest = self.constant(LANES, (2.0_f32.powi(31)).to_bits().into());
        let bits = self.builder.ins().isub(highest, exponent);
        let power = self.power(bits);
        let value = if is_signed {
            let sign = self.constant(LANES, 1 << 31);
            self.builder.ins().bxor(value, sign)
        } else {
            value
        };
        let [low, high] = [false, true].map(|upper| {
            let [a, b] = [value, power].map(|v| self.half(LANES, v, upper));
            let product = self.builder.ins().imul(a, b);
            self.shifted(Opcode::Ushr, product, 31)
        });
        let bytes = std::array::from_fn(|i| (i / 4 * 8 + i % 4) as u8);
        let shifted = self.shuffle(types::I32X4, low, high, bytes);
        if is_signed { self.builder.ins().isub(shifted, power) } else { shifted }
    }
}
