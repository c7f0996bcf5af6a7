//! Operations on integers, and conversions.
//!
//! SPIR-V leaves these undefined: division by zero, division of the least number by −1, shifts by 32 and
//! more, and conversions of numbers out of range. The module never executes one: operands are replaced
//! first. It also avoids operations that Vulkan leaves open: remainders of negative numbers, and
//! GLSL.std.450 functions of the least number.

use super::declarations::TypeDeclaration;
use super::modes::Mode;
use super::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::{NAN, Op as Core};
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

/// 2^31 and 2^32 in binary32.
const TWO_31: u32 = 0x4f00_0000;
const TWO_32: u32 = 0x4f80_0000;

/// A bool for each component of a type.
pub(super) fn bools(ty: Type) -> Type {
    Type::bvec(ty.width().expect("a scalar or a vector"))
}

impl Translator<'_> {
    /// A constant with `word` in each component.
    pub(super) fn everywhere(&mut self, ty: Type, word: u32) -> Word {
        let words = vec![word; self.function.program.types.components(ty)];
        self.declarations.constant(ty, &words)
    }

    /// An operation whose first operand is an integer or a vector of integers, of type `kind`.
    pub(super) fn of_integers(&mut self, op: Core, kind: Type, ty: Type, ids: &[Word]) -> Word {
        let is_signed = kind.scalar() == Some(Scalar::I32);
        let pick = |signed, unsigned| if is_signed { signed } else { unsigned };
        let instruction = match op {
            Core::Neg if is_signed => Op::SNegate,
            Core::Neg => {
                let zero = self.everywhere(ty, 0);
                return self.instruction(Op::ISub, ty, &[zero, ids[0]]);
            }
            Core::Add => Op::IAdd,
            Core::Sub => Op::ISub,
            Core::Mul => Op::IMul,
            Core::Less => pick(Op::SLessThan, Op::ULessThan),
            Core::LessEqual => pick(Op::SLessThanEqual, Op::ULessThanEqual),
            Core::Equal => Op::IEqual,
            Core::NotEqual => Op::INotEqual,
            Core::And => Op::BitwiseAnd,
            Core::Or => Op::BitwiseOr,
            Core::Xor => Op::BitwiseXor,
            Core::Not => Op::Not,
            Core::Convert(Scalar::F32) => pick(Op::ConvertSToF, Op::ConvertUToF),
            Core::Convert(Scalar::I32 | Scalar::U32) | Core::FromBits => Op::Bitcast,
            Core::Convert(Scalar::Bool) => {
                let zero = self.everywhere(kind, 0);
                return self.instruction(Op::INotEqual, ty, &[ids[0], zero]);
            }
            Core::Abs if is_signed => {
                let opposite = self.instruction(Op::SNegate, ty, ids);
                return self.glsl(Glsl::SMax, ty, &[ids[0], opposite]);
            }
            Core::Abs => return ids[0],
            Core::Min => {
                return self.glsl(if is_signed { Glsl::SMin } else { Glsl::UMin }, ty, ids);
            }
            Core::Max => {
                return self.glsl(if is_signed { Glsl::SMax } else { Glsl::UMax }, ty, ids);
            }
            Core::Div => return self.quotient(is_signed, ty, ids).0,
            Core::Rem => return self.remainder(is_signed, ty, ids),
            Core::MulHigh => return self.product_above(is_signed, ty, ids),
            Core::ShiftLeft | Core::ShiftRight => {
                let counts = Type::of(Scalar::U32, ty.width().expect("a scalar or a vector"));
                let most = if is_active(Mutant::LongShift) { 63 } else { 31 };
                let most = self.everywhere(counts, most);
                let count = self.instruction(Op::BitwiseAnd, counts, &[ids[1], most]);
                let shift = match op {
                    Core::ShiftLeft => Op::ShiftLeftLogical,
                    _ => pick(Op::ShiftRightArithmetic, Op::ShiftRightLogical),
                };
                return self.instruction(shift, ty, &[ids[0], count]);
            }
            _ => unreachable!("{op:?} is not defined on integers"),
        };
        self.instruction(instruction, ty, ids)
    }

    /// The quotient and the divisor used. The divisor is 1 if the true one is zero or the quotient
    /// overflows; the result is then the dividend.
    fn quotient(&mut self, is_signed: bool, ty: Type, ids: &[Word]) -> (Word, Word) {
        let (a, b, bools) = (ids[0], ids[1], bools(ty));
        let (zero, one) = (self.everywhere(ty, 0), self.everywhere(ty, 1));
        let mut is_left = self.instruction(Op::IEqual, bools, &[b, zero]);
        if is_signed {
            let (least, minus) = (self.everywhere(ty, 1 << 31), self.everywhere(ty, u32::MAX));
            let is_least = self.instruction(Op::IEqual, bools, &[a, least]);
            let is_minus = self.instruction(Op::IEqual, bools, &[b, minus]);
            let overflows = self.apply(Core::And, bools, bools, &[is_least, is_minus]);
            is_left = self.apply(Core::Or, bools, bools, &[is_left, overflows]);
        }
        let divisor = self.instruction(Op::Select, ty, &[is_left, one, b]);
        let divide = if is_signed { Op::SDiv } else { Op::UDiv };
        (self.instruction(divide, ty, &[a, divisor]), divisor)
    }

    fn remainder(&mut self, is_signed: bool, ty: Type, ids: &[Word]) -> Word {
        let (quotient, divisor) = self.quotient(is_signed, ty, ids);
        let product = self.instruction(Op::IMul, ty, &[quotient, divisor]);
        self.instruction(Op::ISub, ty, &[ids[0], product])
    }

    /// The upper half of a product, from halves of 16 bits: naga lacks OpUMulExtended, which only the
    /// library of exact modules uses. The signed product is the unsigned one of the same bits, minus
    /// each operand where the other is negative.
    fn product_above(&mut self, is_signed: bool, ty: Type, ids: &[Word]) -> Word {
        if self.function.mode == Mode::Library && ty == Type::UINT {
            let halves = self.of_shape(Op::UMulExtended, TypeDeclaration::Halves, ids);
            return self.extract(ty, halves, 1);
        }
        let (half, mask) = (self.everywhere(ty, 16), self.everywhere(ty, 0xffff));
        let lower = |s: &mut Self, v| s.instruction(Op::BitwiseAnd, ty, &[v, mask]);
        let upper = |s: &mut Self, v| s.instruction(Op::ShiftRightLogical, ty, &[v, half]);
        let product = |s: &mut Self, a, b| s.instruction(Op::IMul, ty, &[a, b]);
        let sum = |s: &mut Self, a, b| s.instruction(Op::IAdd, ty, &[a, b]);
        let (a, b) = (ids[0], ids[1]);
        let [a0, b0] = [a, b].map(|v| lower(self, v));
        let [a1, b1] = [a, b].map(|v| upper(self, v));
        let low = product(self, a0, b0);
        let low = upper(self, low);
        let cross = product(self, a1, b0);
        let cross = sum(self, cross, low);
        let (carried, rest) = (upper(self, cross), lower(self, cross));
        let other = product(self, a0, b1);
        let other = if is_active(Mutant::LostCarry) { other } else { sum(self, other, rest) };
        let other = upper(self, other);
        let high = product(self, a1, b1);
        let high = sum(self, high, carried);
        let mut high = sum(self, high, other);
        if is_signed {
            let last = self.everywhere(ty, 31);
            for [of, by] in [[a, b], [b, a]] {
                let sign = self.instruction(Op::ShiftRightArithmetic, ty, &[of, last]);
                let by = self.instruction(Op::BitwiseAnd, ty, &[sign, by]);
                high = self.instruction(Op::ISub, ty, &[high, by]);
            }
        }
        high
    }

    /// A conversion from nums of type `kind`; numbers out of range are replaced first.
    pub(super) fn of_nums(&mut self, to: Scalar, kind: Type, ty: Type, value: Word) -> Word {
        let (least, limit, last, convert) = match to {
            Scalar::I32 => (TWO_31 | 1 << 31, TWO_31, i32::MAX as u32, Op::ConvertFToS),
            Scalar::U32 => (0, TWO_32, u32::MAX, Op::ConvertFToU),
            Scalar::F32 | Scalar::Bool => {
                let zero = self.everywhere(kind, 0);
                return self.apply(Core::NotEqual, kind, ty, &[value, zero]);
            }
        };
        let bools = bools(kind);
        let [least, limit, zero] = [least, limit, 0].map(|word| self.everywhere(kind, word));
        let is_below = self.instruction(Op::FOrdLessThan, bools, &[value, least]);
        let raised = self.instruction(Op::Select, kind, &[is_below, least, value]);
        let is_inside = self.instruction(Op::FOrdLessThan, bools, &[raised, limit]);
        let inside = self.instruction(Op::Select, kind, &[is_inside, raised, zero]);
        let converted = self.instruction(convert, ty, &[inside]);
        let is_above = self.instruction(Op::FOrdLessThanEqual, bools, &[limit, value]);
        let last = self.everywhere(ty, last);
        self.instruction(Op::Select, ty, &[is_above, last, converted])
    }

    /// The bits of nums of type `kind`; every NaN becomes the canonical one.
    pub(super) fn bits(&mut self, kind: Type, ty: Type, value: Word) -> Word {
        let is_number = self.instruction(Op::FOrdEqual, bools(kind), &[value, value]);
        let bits = self.instruction(Op::Bitcast, ty, &[value]);
        let nan = self.everywhere(ty, NAN);
        self.instruction(Op::Select, ty, &[is_number, bits, nan])
    }
}
