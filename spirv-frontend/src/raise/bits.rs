//! Bit operations on integers and floats: fields, counts, exponents, packed vectors.

use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::Op;

/// The least normal number.
const LEAST_NORMAL: f32 = f32::MIN_POSITIVE;
/// The least normal binary16, and the least number that rounds to binary16 infinity.
const HALF_NORMAL: f32 = 6.103_515_6e-5;
const HALF_END: f32 = 65_520.0;
/// A factor that makes every subnormal normal, and its exponent.
const NORMALISING: f32 = 33_554_432.0;
const NORMALISED: u32 = 25;

impl Raiser<'_, '_> {
    /// A type with as many components as a node.
    fn like(&self, node: NodeId, scalar: Scalar) -> Result<Type> {
        match self.type_of(node).width() {
            Some(width) => Ok(Type::of(scalar, width)),
            None => Err(RaiseError::malformed("its operand is no scalar and no vector")),
        }
    }

    /// Applies an operation to a node and a constant with `word` in each component.
    fn with(&mut self, core: Core, node: NodeId, word: u32) -> Result<NodeId> {
        let ty = match core {
            Core::ShiftLeft | Core::ShiftRight => self.like(node, Scalar::U32)?,
            _ => self.type_of(node),
        };
        let constant = self.splat(ty, word);
        self.op(core, &[node, constant])
    }

    pub(super) fn bits(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let a = self.operand(of, 2)?;
        match of.op {
            Op::BitCount => self.bit_count(a),
            Op::BitReverse => self.bit_reverse(a),
            Op::BitFieldInsert => {
                let new = self.operand(of, 3)?;
                let [offset, count] = [self.operand(of, 4)?, self.operand(of, 5)?];
                let scalar = self.scalar_of(of.operand(0)?)?;
                let [a, new] = [self.integer_as(a, scalar)?, self.integer_as(new, scalar)?];
                let [offset, count] = self.field(a, offset, count)?;
                let mask = self.mask(count)?;
                let mask = self.op(Core::ShiftLeft, &[mask, offset])?;
                let mask = self.integer_as(mask, scalar)?;
                let moved = self.op(Core::ShiftLeft, &[new, offset])?;
                // With an offset of 32 the count is 0, and nothing is inserted.
                let inside = self.op(Core::And, &[moved, mask])?;
                let outside = self.op(Core::Not, &[mask])?;
                let kept = self.op(Core::And, &[a, outside])?;
                self.op(Core::Or, &[kept, inside])
            }
            _ => {
                let [offset, count] = [self.operand(of, 3)?, self.operand(of, 4)?];
                let is_signed = of.op == Op::BitFieldSExtract;
                let scalar = if is_signed { Scalar::I32 } else { Scalar::U32 };
                let a = self.integer_as(a, scalar)?;
                let [offset, count] = self.field(a, offset, count)?;
                // Shift up and back down; an empty field is 0.
                let ty = self.like(a, Scalar::U32)?;
                let all = self.splat(ty, 32);
                let above = self.op(Core::Sub, &[all, count])?;
                let up = self.op(Core::Sub, &[above, offset])?;
                let moved = self.op(Core::ShiftLeft, &[a, up])?;
                let back = self.op(Core::ShiftRight, &[moved, above])?;
                let zero = self.splat(self.type_of(a), 0);
                let none = self.splat(ty, 0);
                let is_empty = self.op(Core::Equal, &[count, none])?;
                self.op(Core::Select, &[is_empty, zero, back])
            }
        }
    }

    /// Offset and count of a field, clamped to 32 bits, for each component.
    fn field(&mut self, of: NodeId, offset: NodeId, count: NodeId) -> Result<[NodeId; 2]> {
        let ty = self.like(of, Scalar::U32)?;
        let [offset, count] =
            [self.integer_as(offset, Scalar::U32)?, self.integer_as(count, Scalar::U32)?];
        let [offset, count] = [self.spread(offset, ty)?, self.spread(count, ty)?];
        let all = self.splat(ty, 32);
        let offset = self.op(Core::Min, &[offset, all])?;
        let rest = self.op(Core::Sub, &[all, offset])?;
        let count = self.op(Core::Min, &[count, rest])?;
        Ok([offset, count])
    }

    /// A mask of `count` low bits.
    fn mask(&mut self, count: NodeId) -> Result<NodeId> {
        let ty = self.type_of(count);
        let [ones, all, zero] = [u32::MAX, 32, 0].map(|word| self.splat(ty, word));
        let above = self.op(Core::Sub, &[all, count])?;
        let mask = self.op(Core::ShiftRight, &[ones, above])?;
        let is_empty = self.op(Core::Equal, &[count, zero])?;
        self.op(Core::Select, &[is_empty, zero, mask])
    }

    fn bit_count(&mut self, a: NodeId) -> Result<NodeId> {
        let x = self.integer_as(a, Scalar::U32)?;
        let half = self.with(Core::ShiftRight, x, 1)?;
        let half = self.with(Core::And, half, 0x5555_5555)?;
        let pairs = self.op(Core::Sub, &[x, half])?;
        let low = self.with(Core::And, pairs, 0x3333_3333)?;
        let high = self.with(Core::ShiftRight, pairs, 2)?;
        let high = self.with(Core::And, high, 0x3333_3333)?;
        let fours = self.op(Core::Add, &[low, high])?;
        let high = self.with(Core::ShiftRight, fours, 4)?;
        let bytes = self.op(Core::Add, &[fours, high])?;
        let bytes = self.with(Core::And, bytes, 0x0f0f_0f0f)?;
        let sum = self.with(Core::Mul, bytes, 0x0101_0101)?;
        self.with(Core::ShiftRight, sum, 24)
    }

    fn bit_reverse(&mut self, a: NodeId) -> Result<NodeId> {
        let mut x = self.integer_as(a, Scalar::U32)?;
        for (distance, mask) in
            [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff)]
        {
            let high = self.with(Core::ShiftRight, x, distance)?;
            let high = self.with(Core::And, high, mask)?;
            let low = self.with(Core::And, x, mask)?;
            let low = self.with(Core::ShiftLeft, low, distance)?;
            x = self.op(Core::Or, &[high, low])?;
        }
        let [high, low] = [self.with(Core::ShiftRight, x, 16)?, self.with(Core::ShiftLeft, x, 16)?];
        self.op(Core::Or, &[high, low])
    }

    /// Index of the lowest 1; for 0 all bits are 1.
    pub(super) fn first_trailing_bit(&mut self, a: NodeId) -> Result<NodeId> {
        let x = self.integer_as(a, Scalar::U32)?;
        let opposite = self.op(Core::Neg, &[x])?;
        let lowest = self.op(Core::And, &[x, opposite])?;
        self.place_of(lowest)
    }

    /// Index of the highest 1, or of the highest bit unlike the sign; all bits are 1 if there is none.
    pub(super) fn first_leading_bit(&mut self, a: NodeId, is_signed: bool) -> Result<NodeId> {
        let mut x = self.integer_as(a, Scalar::U32)?;
        if is_signed {
            let a = self.integer_as(a, Scalar::I32)?;
            let sign = self.with(Core::ShiftRight, a, 31)?;
            let sign = self.integer_as(sign, Scalar::U32)?;
            x = self.op(Core::Xor, &[x, sign])?;
        }
        for distance in [1, 2, 4, 8, 16] {
            let lower = self.with(Core::ShiftRight, x, distance)?;
            x = self.op(Core::Or, &[x, lower])?;
        }
        let lower = self.with(Core::ShiftRight, x, 1)?;
        let highest = self.op(Core::Xor, &[x, lower])?;
        self.place_of(highest)
    }

    /// Index of the only 1; for 0 all bits are 1.
    fn place_of(&mut self, bit: NodeId) -> Result<NodeId> {
        let below = self.with(Core::Sub, bit, 1)?;
        // For 0, 32 ones lie below.
        let count = self.bit_count(below)?;
        let ty = self.type_of(bit);
        let [zero, none] = [0, u32::MAX].map(|word| self.splat(ty, word));
        let is_none = self.op(Core::Equal, &[bit, zero])?;
        self.op(Core::Select, &[is_none, none, count])
    }

    /// Low and high words of sums, differences and products.
    pub(super) fn extended_arithmetic(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
        let scalar = if of.op == Op::SMulExtended { Scalar::I32 } else { Scalar::U32 };
        let [a, b] = [self.integer_as(a, scalar)?, self.integer_as(b, scalar)?];
        let (low, high) = match of.op {
            Op::IAddCarry => {
                let sum = self.op(Core::Add, &[a, b])?;
                (sum, self.op(Core::Less, &[sum, a])?)
            }
            Op::ISubBorrow => (self.op(Core::Sub, &[a, b])?, self.op(Core::Less, &[a, b])?),
            _ => (self.op(Core::Mul, &[a, b])?, self.op(Core::MulHigh, &[a, b])?),
        };
        let high = match self.type_of(high).is_bool() {
            true => self.op(Core::Convert(Scalar::U32), &[high])?,
            false => high,
        };
        let ty = self.core_type(of.operand(0)?)?;
        self.construct(ty, vec![low, high])
    }

    /// The nearest binary16, ties to even, as a binary32; zero with the operand's sign below the normal
    /// range.
    pub(super) fn quantize_to_half(&mut self, x: NodeId) -> Result<NodeId> {
        let ty = self.type_of(x);
        if !ty.is_num() {
            return Err(RaiseError::malformed("its operand is no number"));
        }
        // Keeps 10 of 23 fraction bits: adds 0x0fff and the last kept bit, then truncates (ties to
        // even).
        let bits = self.op(Core::Bits, &[x])?;
        let last = self.with(Core::ShiftRight, bits, 13)?;
        let last = self.with(Core::And, last, 1)?;
        let above = self.with(Core::Add, bits, 0x0fff)?;
        let above = self.op(Core::Add, &[above, last])?;
        let above = self.with(Core::And, above, !0x1fff)?;
        let rounded = self.op(Core::FromBits, &[above])?;
        let sign = self.with(Core::And, bits, 1 << 31)?;
        let zero = self.op(Core::FromBits, &[sign])?;
        let infinite = self.with(Core::Or, sign, f32::INFINITY.to_bits())?;
        let infinite = self.op(Core::FromBits, &[infinite])?;
        let size = self.op(Core::Abs, &[x])?;
        let [least, end] = [HALF_NORMAL, HALF_END].map(|number| self.number(ty, number));
        let is_small = self.op(Core::Less, &[size, least])?;
        let is_large = self.op(Core::LessEqual, &[end, size])?;
        let is_nan = self.op(Core::NotEqual, &[x, x])?;
        let result = self.op(Core::Select, &[is_small, zero, rounded])?;
        let result = self.op(Core::Select, &[is_large, infinite, result])?;
        let nan = self.splat(ty, lambdav_core::op::NAN);
        self.op(Core::Select, &[is_nan, nan, result])
    }

    /// The bits of a number, scaled to be normal if it is zero or subnormal; the second node is true if
    /// it was scaled.
    fn normal_bits(&mut self, x: NodeId) -> Result<(NodeId, NodeId)> {
        let ty = self.type_of(x);
        let size = self.op(Core::Abs, &[x])?;
        let least = self.number(ty, LEAST_NORMAL);
        let is_small = self.op(Core::Less, &[size, least])?;
        let factor = self.number(ty, NORMALISING);
        let larger = self.op(Core::Mul, &[x, factor])?;
        let normal = self.op(Core::Select, &[is_small, larger, x])?;
        Ok((self.op(Core::Bits, &[normal])?, is_small))
    }

    pub(super) fn significand(&mut self, x: NodeId) -> Result<NodeId> {
        let (bits, _) = self.normal_bits(x)?;
        let field = self.with(Core::And, bits, 0x7f80_0000)?;
        let has_none = self.is_special(field, 0x7f80_0000)?;
        let rest = self.with(Core::And, bits, 0x807f_ffff)?;
        let halves = self.with(Core::Or, rest, 0x3f00_0000)?;
        let number = self.op(Core::FromBits, &[halves])?;
        self.op(Core::Select, &[has_none, x, number])
    }

    pub(super) fn exponent(&mut self, x: NodeId) -> Result<NodeId> {
        let (bits, is_small) = self.normal_bits(x)?;
        let field = self.with(Core::ShiftRight, bits, 23)?;
        let field = self.with(Core::And, field, 0xff)?;
        let has_none = self.is_special(field, 0xff)?;
        let field = self.op(Core::Convert(Scalar::I32), &[field])?;
        let ty = self.type_of(field);
        let [bias, small] = [126, 126 + NORMALISED].map(|word| self.splat(ty, word));
        let bias = self.op(Core::Select, &[is_small, small, bias])?;
        let exponent = self.op(Core::Sub, &[field, bias])?;
        let zero = self.splat(ty, 0);
        self.op(Core::Select, &[has_none, zero, exponent])
    }

    /// True for a field of zeros or ones: zero, an infinity or NaN.
    fn is_special(&mut self, field: NodeId, ones: u32) -> Result<NodeId> {
        let [is_zero, is_most] =
            [self.with(Core::Equal, field, 0)?, self.with(Core::Equal, field, ones)?];
        self.op(Core::Or, &[is_zero, is_most])
    }

    /// Multiplies the significand by two powers of two. The first product is exact and normal, so only
    /// the second rounds. Exponents beyond ±250 give the same results as ±250.
    pub(super) fn ldexp(&mut self, x: NodeId, n: NodeId) -> Result<NodeId> {
        let n = self.integer_as(n, Scalar::I32)?;
        let ty = self.type_of(n);
        let bounds = [-600_i32, 600, -250, 250].map(|bound| self.splat(ty, bound as u32));
        let n = self.clamp(n, bounds[0], bounds[1])?;
        let own = self.exponent(x)?;
        let sum = self.op(Core::Add, &[n, own])?;
        let exponent = self.clamp(sum, bounds[2], bounds[3])?;
        let half = self.with(Core::ShiftRight, exponent, 1)?;
        let other = self.op(Core::Sub, &[exponent, half])?;
        let mut product = self.significand(x)?;
        for exponent in [half, other] {
            let biased = self.with(Core::Add, exponent, 127)?;
            let bits = self.integer_as(biased, Scalar::U32)?;
            let bits = self.with(Core::ShiftLeft, bits, 23)?;
            let power = self.op(Core::FromBits, &[bits])?;
            product = self.op(Core::Mul, &[product, power])?;
        }
        Ok(product)
    }

    /// Packs components: clamped, scaled and rounded to integers of `width` bits, ties to even; NaN is
    /// 0. There is one rounding: fma adds 1.5·2^23 to the product, and the lowest bits of the sum are
    /// the integer's.
    pub(super) fn pack(
        &mut self,
        v: NodeId,
        scale: f32,
        width: u32,
        is_signed: bool,
    ) -> Result<NodeId> {
        let ty = self.type_of(v);
        let [zero, one] = [0.0, 1.0].map(|number| self.number(ty, number));
        let low = self.number(ty, if is_signed { -1.0 } else { 0.0 });
        let is_number = self.op(Core::Equal, &[v, v])?;
        let number = self.op(Core::Select, &[is_number, v, zero])?;
        let clamped = self.clamp(number, low, one)?;
        let [scale, magic] = [scale, 12_582_912.0].map(|number| self.number(ty, number));
        let rounded = self.op(Core::Fma, &[clamped, scale, magic])?;
        let bits = self.op(Core::Bits, &[rounded])?;
        let bits = self.with(Core::And, bits, (1 << width) - 1)?;
        self.gathered(bits, width)
    }

    /// Joins components of `width` bits in a word, first component lowest.
    fn gathered(&mut self, bits: NodeId, width: u32) -> Result<NodeId> {
        let parts = self.scalars(&[bits])?;
        let mut all = parts[0];
        for (k, &part) in (1..).zip(&parts[1..]) {
            let moved = self.with(Core::ShiftLeft, part, k * width)?;
            all = self.op(Core::Or, &[all, moved])?;
        }
        Ok(all)
    }

    /// Splits a word into fields of `width` bits.
    fn spread_fields(&mut self, word: NodeId, width: u32, is_signed: bool) -> Result<NodeId> {
        let word = self.integer_as(word, if is_signed { Scalar::I32 } else { Scalar::U32 })?;
        let mut parts = Vec::new();
        for k in 0..32 / width {
            let up = self.with(Core::ShiftLeft, word, 32 - (k + 1) * width)?;
            parts.push(self.with(Core::ShiftRight, up, 32 - width)?);
        }
        let scalar = self.type_of(word).scalar().unwrap_or(Scalar::U32);
        self.construct(Type::of(scalar, parts.len() as u8), parts)
    }

    pub(super) fn unpack(
        &mut self,
        word: NodeId,
        scale: f32,
        width: u32,
        is_signed: bool,
    ) -> Result<NodeId> {
        let fields = self.spread_fields(word, width, is_signed)?;
        let numbers = self.op(Core::Convert(Scalar::F32), &[fields])?;
        let ty = self.type_of(numbers);
        let scale = self.number(ty, scale);
        let quotients = self.op(Core::Div, &[numbers, scale])?;
        if !is_signed {
            return Ok(quotients);
        }
        let least = self.number(ty, -1.0);
        self.op(Core::Max, &[quotients, least])
    }

    /// Packs two binary16. Normal results: an addition rounds off 13 bits, ties to even. Subnormal
    /// results: the last bit of the sum with 1/2 has the weight of theirs.
    pub(super) fn pack_half(&mut self, v: NodeId) -> Result<NodeId> {
        let bits = self.op(Core::Bits, &[v])?;
        let sign = self.with(Core::ShiftRight, bits, 16)?;
        let sign = self.with(Core::And, sign, 0x8000)?;
        let size = self.with(Core::And, bits, 0x7fff_ffff)?;
        // Normal: rebias the exponent from 127 to 15.
        let odd = self.with(Core::ShiftRight, size, 13)?;
        let odd = self.with(Core::And, odd, 1)?;
        let rounded = self.with(Core::Add, size, 0xc800_0fff)?;
        let rounded = self.op(Core::Add, &[rounded, odd])?;
        let normal = self.with(Core::ShiftRight, rounded, 13)?;
        // Subnormal.
        let number = self.op(Core::FromBits, &[size])?;
        let half = self.number(self.type_of(number), 0.5);
        let sum = self.op(Core::Add, &[number, half])?;
        let sum = self.op(Core::Bits, &[sum])?;
        let small = self.with(Core::Sub, sum, 0x3f00_0000)?;
        let ty = self.type_of(size);
        let [least, above, infinite, is_nan_above, nan] =
            [0x3880_0000, 0x477f_f000, 0x7c00, 0x7f80_0000, 0x7e00]
                .map(|word| self.splat(ty, word));
        let is_small = self.op(Core::Less, &[size, least])?;
        let finite = self.op(Core::Select, &[is_small, small, normal])?;
        let is_large = self.op(Core::LessEqual, &[above, size])?;
        let number = self.op(Core::Select, &[is_large, infinite, finite])?;
        let signed = self.op(Core::Or, &[number, sign])?;
        let is_nan = self.op(Core::Less, &[is_nan_above, size])?;
        let halves = self.op(Core::Select, &[is_nan, nan, signed])?;
        self.gathered(halves, 16)
    }

    /// Moves exponent and significand to their places in a binary32, then multiplies by 2^112, the
    /// difference of the biases.
    pub(super) fn unpack_half(&mut self, word: NodeId) -> Result<NodeId> {
        let halves = self.spread_fields(word, 16, false)?;
        let size = self.with(Core::And, halves, 0x7fff)?;
        let moved = self.with(Core::ShiftLeft, size, 13)?;
        let number = self.op(Core::FromBits, &[moved])?;
        let ty = self.type_of(number);
        let factor = self.number(ty, f32::from_bits((127 + 112) << 23));
        let finite = self.op(Core::Mul, &[number, factor])?;
        let special = self.with(Core::Or, moved, 0x7f80_0000)?;
        let special = self.op(Core::FromBits, &[special])?;
        let uints = self.type_of(size);
        let above = self.splat(uints, 0x7bff);
        let is_special = self.op(Core::Less, &[above, size])?;
        let number = self.op(Core::Select, &[is_special, special, finite])?;
        // The sign bit is moved separately.
        let bits = self.op(Core::Bits, &[number])?;
        let sign = self.with(Core::ShiftLeft, halves, 16)?;
        let sign = self.with(Core::And, sign, 1 << 31)?;
        let bits = self.op(Core::Or, &[bits, sign])?;
        self.op(Core::FromBits, &[bits])
    }
}
