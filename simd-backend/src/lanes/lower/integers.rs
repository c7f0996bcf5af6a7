//! Lowers core operations on integers, and conversions, component by component.

use lambdav_core::op::{NAN, Op};
use lambdav_core::types::Scalar;

use super::state::Lowering;
use crate::lanes::{Kind, LaneOp, ValueId};
use crate::mutants::{Mutant, is_active};

/// The single lane operation that is equivalent, if there is one.
fn simple(op: Op, is_signed: bool) -> Option<LaneOp> {
    let pick = |signed, unsigned| if is_signed { signed } else { unsigned };
    Some(match op {
        Op::Add => LaneOp::Add,
        Op::Sub => LaneOp::Sub,
        Op::Mul => LaneOp::Mul,
        Op::Min => pick(LaneOp::Min, LaneOp::MinUnsigned),
        Op::Max => pick(LaneOp::Max, LaneOp::MaxUnsigned),
        Op::Less => pick(LaneOp::Less, LaneOp::LessUnsigned),
        Op::LessEqual => pick(LaneOp::LessEqual, LaneOp::LessEqualUnsigned),
        Op::Equal => LaneOp::Equal,
        Op::NotEqual => LaneOp::NotEqual,
        Op::And => LaneOp::And,
        Op::Or => LaneOp::Or,
        Op::Xor => LaneOp::Xor,
        Op::Not => LaneOp::Not,
        Op::Convert(Scalar::F32) => pick(LaneOp::FromInteger, LaneOp::FromUnsigned),
        Op::FromBits => LaneOp::Bits,
        _ => return None,
    })
}

impl Lowering<'_> {
    /// A component of an operation whose first operand is an integer.
    pub(super) fn of_integers(&mut self, op: Op, is_signed: bool, of: &[ValueId]) -> ValueId {
        if let Some(simple) = simple(op, is_signed) {
            return self.op(simple, of);
        }
        match (op, of) {
            (Op::Neg, &[a]) => self.negated(a),
            (Op::Abs, &[a]) if is_signed => {
                let opposite = self.negated(a);
                self.op(LaneOp::Max, &[a, opposite])
            }
            (Op::Abs | Op::Convert(Scalar::I32 | Scalar::U32), &[a]) => a,
            (Op::Convert(Scalar::Bool), &[a]) => {
                let zero = self.integer(0);
                self.op(LaneOp::NotEqual, &[a, zero])
            }
            (Op::Div, &[a, b]) => self.quotient(is_signed, a, b),
            (Op::Rem, &[a, b]) => self.remainder(is_signed, a, b),
            (Op::MulHigh, &[a, b]) => self.product_above(is_signed, a, b),
            (Op::ShiftLeft | Op::ShiftRight, &[a, count]) => {
                let most = self.integer(if is_active(Mutant::LongShift) { 63 } else { 31 });
                let count = self.op(LaneOp::And, &[count, most]);
                let shift = match op {
                    Op::ShiftLeft => LaneOp::ShiftLeftBy,
                    _ if is_signed => LaneOp::ShiftRightSignedBy,
                    _ => LaneOp::ShiftRightBy,
                };
                self.op(shift, &[a, count])
            }
            _ => unreachable!("{op:?} is not defined on integers"),
        }
    }

    /// A component of an operation from a num to another type.
    pub(super) fn of_num(&mut self, op: Op, a: ValueId) -> ValueId {
        match op {
            Op::Convert(Scalar::I32) => self.op(LaneOp::ToInteger, &[a]),
            Op::Convert(Scalar::U32) => self.op(LaneOp::ToUnsigned, &[a]),
            Op::Convert(_) => {
                let zero = self.constant(Kind::F32, 0);
                self.op(LaneOp::NotEqual, &[a, zero])
            }
            _ => {
                let (bits, nan) = (self.op(LaneOp::Bits, &[a]), self.integer(NAN));
                let is_number = self.op(LaneOp::Equal, &[a, a]);
                self.op(LaneOp::Select, &[is_number, bits, nan])
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
        self.op(LaneOp::Select, &[condition, one, zero])
    }

    pub(super) fn integer(&mut self, bits: u32) -> ValueId {
        self.constant(Kind::I32, bits.into())
    }

    pub(super) fn negated(&mut self, a: ValueId) -> ValueId {
        let zero = self.integer(0);
        self.op(LaneOp::Sub, &[zero, a])
    }

    /// The upper half of a product. For signed operands it is the unsigned one minus each operand where the
    /// other is negative, since −a as bits is 2^32 − |a|.
    fn product_above(&mut self, is_signed: bool, a: ValueId, b: ValueId) -> ValueId {
        let product = self.op(LaneOp::MulHigh, &[a, b]);
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
        let is_negative = self.op(LaneOp::ShiftRightSigned(31), &[a]);
        let by = self.op(LaneOp::And, &[is_negative, by]);
        self.op(LaneOp::Sub, &[value, by])
    }
}
