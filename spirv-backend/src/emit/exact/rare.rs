//! Operations on numbers that may be subnormal, by integers, for devices that may flush such numbers.

use super::subnormal::{LEAST, SIZE};
use crate::emit::modes::Variant;
use crate::emit::translator::Translator;
use crate::library::LibraryFunction;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::{Op, Word};

/// The sign bit.
const SIGN: u32 = 1 << 31;

impl Translator<'_> {
    /// An operation that depends on the magnitudes of its operands, the first of which has the type
    /// `kind`; `None` for others.
    pub(super) fn rarely(&mut self, op: Core, kind: Type, ty: Type, ids: &[Word]) -> Option<Word> {
        if self.has_float64()
            && let Some(id) = self.in_doubles(op, kind, ty, ids)
        {
            return Some(id);
        }
        let id = match op {
            Core::Add => self.each(LibraryFunction::Add, Variant::Rare, ty, ids),
            Core::Sub => {
                let opposite = self.with_bits(ty, ids[1], Op::BitwiseXor, SIGN);
                self.each(LibraryFunction::Add, Variant::Rare, ty, &[ids[0], opposite])
            }
            Core::Mul => self.each(LibraryFunction::Mul, Variant::Rare, ty, ids),
            Core::Neg => self.with_bits(ty, ids[0], Op::BitwiseXor, SIGN),
            Core::Abs => self.with_bits(ty, ids[0], Op::BitwiseAnd, SIZE),
            Core::Convert(to @ (Scalar::I32 | Scalar::U32)) => {
                let number = self.without_subnormal(kind, ids[0]);
                self.of_nums(to, kind, ty, number)
            }
            Core::Less => self.compare(Op::SLessThan, kind, ids),
            Core::LessEqual => self.compare(Op::SLessThanEqual, kind, ids),
            Core::Equal => self.compare(Op::IEqual, kind, ids),
            Core::NotEqual => {
                let equal = self.compare(Op::IEqual, kind, ids);
                self.instruction(Op::LogicalNot, ty, &[equal])
            }
            Core::Min => {
                let is_less = self.compare(Op::SLessThan, kind, &[ids[1], ids[0]]);
                self.instruction(Op::Select, ty, &[is_less, ids[1], ids[0]])
            }
            Core::Max => {
                let is_less = self.compare(Op::SLessThan, kind, &[ids[0], ids[1]]);
                self.instruction(Op::Select, ty, &[is_less, ids[1], ids[0]])
            }
            _ => return None,
        };
        Some(id)
    }

    /// Combines the bits of a number with a constant word.
    pub(super) fn with_bits(&mut self, ty: Type, id: Word, op: Op, word: u32) -> Word {
        let uints = Type::of(Scalar::U32, ty.width().expect("a number or a vector"));
        let word = self.everywhere(uints, word);
        self.with_bits_of(ty, id, op, word)
    }

    /// Combines the bits of a number with those of a value.
    pub(super) fn with_bits_of(&mut self, ty: Type, id: Word, op: Op, word: Word) -> Word {
        let uints = Type::of(Scalar::U32, ty.width().expect("a number or a vector"));
        let bits = self.instruction(Op::Bitcast, uints, &[id]);
        let bits = self.instruction(op, uints, &[bits, word]);
        self.instruction(Op::Bitcast, ty, &[bits])
    }

    /// A number that rounds to the same integer, not subnormal: a subnormal number becomes 2^-126 with its
    /// sign.
    pub(super) fn without_subnormal(&mut self, ty: Type, id: Word) -> Word {
        let is_subnormal = self.is_subnormal(id, ty);
        let sign = self.with_bits(ty, id, Op::BitwiseAnd, SIGN);
        let least = self.with_bits(ty, sign, Op::BitwiseOr, LEAST);
        self.instruction(Op::Select, ty, &[is_subnormal, least, id])
    }

    /// Compares numbers as integers of the same order, in which both zeros are equal. A NaN is neither
    /// less than nor equal to any number.
    fn compare(&mut self, op: Op, ty: Type, ids: &[Word]) -> Word {
        let width = ty.width().expect("numbers and vectors are compared");
        let (ints, bools) = (Type::of(Scalar::I32, width), Type::bvec(width));
        let (last, size) = (self.everywhere(ints, 31), self.everywhere(ints, SIZE));
        let [a, b] = [ids[0], ids[1]].map(|id| {
            let bits = self.instruction(Op::Bitcast, ints, &[id]);
            let sign = self.instruction(Op::ShiftRightArithmetic, ints, &[bits, last]);
            let size = self.instruction(Op::BitwiseAnd, ints, &[bits, size]);
            let flipped = self.instruction(Op::BitwiseXor, ints, &[size, sign]);
            self.instruction(Op::ISub, ints, &[flipped, sign])
        });
        let mut is_so = self.instruction(op, bools, &[a, b]);
        let mut numbers: Vec<Word> = ids.to_vec();
        numbers.dedup();
        for id in numbers {
            let is_number = self.instruction(Op::FOrdEqual, bools, &[id, id]);
            is_so = self.apply(Core::And, bools, bools, &[is_so, is_number]);
        }
        is_so
    }
}
