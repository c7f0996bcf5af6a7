//! Lowers core operations on integers, and conversions, component by component.

use lambdav_core::op::{NAN, Op as CoreOp};
use lambdav_core::types::Scalar;

use super::state::Lowering;
use crate::lanes::{Kind, Op, ValueId};
use crate::mutants::{Mutant, is_active};

/// The single lane operation that is equivalent, if there is one.
fn simple(op: CoreOp, is_signed: bool) -> Option<Op> {
    let pick = |signed, unsigned| if is_signed { signed } else { unsigned };
    Some(match op {
        CoreOp::Add => Op::Add,
        CoreOp::Sub => Op::Sub,
        CoreOp::Mul => Op::Mul,
        CoreOp::Min => pick(Op::Min, Op::MinUnsigned),
        CoreOp::Max => pick(Op::Max, Op::MaxUnsigned),
        CoreOp::Less => pick(Op::Less, Op::LessUnsigned),
        CoreOp::LessEqual => pick(Op::LessEqual, Op::LessEqualUnsigned),
        CoreOp::Equal => Op::Equal,
        CoreOp::NotEqual => Op::NotEqual,
        CoreOp::And => Op::And,
        CoreOp::Or => Op::Or,
        CoreOp::Xor => Op::Xor,
        CoreOp::Not => Op::Not,
        CoreOp::Convert(Scalar::F32) => pick(Op::FromInteger, Op::FromUnsigned),
        CoreOp::FromBits => Op::Bits,
        _ => return None,
    })
}

impl Lowering<'_> {
    /// A component of an operation whose first operand is an integer.
    pub(super) fn of_integers(&mut self, op: CoreOp, is_signed: bool, of: &[ValueId]) -> ValueId {
        if let Some(simple) = simple(op, is_signed) {
            return self.op(simple, of);
        }
        match (op, of) {
            (CoreOp::Neg, &[a]) => self.negated(a),
            (CoreOp::Abs, &[a]) if is_signed => {
                let opposite = self.negated(a);
                self.op(Op::Max, &[a, opposite])
            }
            (CoreOp::Abs | CoreOp::Convert(Scalar::I32 | Scalar::U32), &[a]) => a,
            (CoreOp::Convert(Scalar::Bool), &[a]) => {
                let zero = self.integer(0);
                self.op(Op::NotEqual, &[a, zero])
            }
            (CoreOp::Div, &[a, b]) => self.quotient(is_signed, a, b),
            (CoreOp::Rem, &[a, b]) => self.remainder(is_signed, a, b),
            (CoreOp::MulHigh, &[a, b]) => self.product_above(is_signed, a, b),
            (CoreOp::ShiftLeft | CoreOp::ShiftRight, &[a, count]) => {
                let most = self.integer(if is_active(Mutant::LongShift) { 63 } else { 31 });
                let count = self.op(Op::And, &[count, most]);
                let shift = match op {
                    CoreOp::ShiftLeft => Op::ShiftLeftBy,
                    _ if is_signed => Op::ShiftRightSignedBy,
                    _ => Op::ShiftRightBy,
                };
                self.op(shift, &[a, count])
            }
            _ => unreachable!("{op:?} is not defined on integers"),
        }
    }

    /// A component of an operation from a num to another type.
    pub(super) fn of_num(&mut self, op: CoreOp, a: ValueId) -> ValueId {
        match op {
            CoreOp::Convert(Scalar::I32) => self.op(Op::ToInteger, &[a]),
            CoreOp::Convert(Scalar::U32) => self.op(Op::ToUnsigned, &[a]),
            CoreOp::Convert(_) => {
                let zero = self.constant(Kind::F32, 0);
                self.op(Op::NotEqual, &[a, zero])
            }
            _ => {
                let (bits, nan) = (self.op(Op::Bits, &[a]), self.integer(NAN));
                let is_number = self.op(Op::Equal, &[a, a]);
                self.op(Op::Select, &[is_number, bits, nan])
            }
        }
    }

    /// A truth value as 0 or 1.
    pub(super) fn of_bool(&mut self, to: Scalar, condition: ValueId) -> ValueId {
        let (kind, one) = match to {
            Scalar::F32 => (Kind::F32, 1.0_f32.to_bits()),
            Scalar::I32 | Scalar::U32 => (Kind::I32, 1),
            Scalar::Bool => return condition,
        };
        let [one, zero] = [one, 0].map(|bits| self.constant(kind, bits.into()));
        self.op(Op::Select, &[condition, one, zero])
    }

    pub(super) fn integer(&mut self, bits: u32) -> ValueId {
        self.constant(Kind::I32, bits.into())
    }

    pub(super) fn negated(&mut self, a: ValueId) -> ValueId {
        let zero = self.integer(0);
        self.op(Op::Sub, &[zero, a])
    }

    /// The upper half of a product. For signed operands it is the unsigned one minus each operand where the
    /// other is negative, since −a as bits is 2^32 − |a|.
    fn product_above(&mut self, is_signed: bool, a: ValueId, b: ValueId) -> ValueId {
        let product = self.op(Op::MulHigh, &[a, b]);
        if !is_signed {
            return product;
        }
        let product = self.less_where_negative(product, a, b);
        self.less_where_negative(product, b, a)
    }

    /// `value`, minus `by` where `a` is negative.
    pub(super) fn less_where_negative(
        &mut self,
        value: ValueId,
        a: ValueId,
        by: ValueId,
    ) -> ValueId {
        let is_negative = self.op(Op::ShiftRightSigned(31), &[a]);
        let by = self.op(Op::And, &[is_negative, by]);
        self.op(Op::Sub, &[value, by])
    }
}
