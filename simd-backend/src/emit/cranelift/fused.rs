//! Fused multiply-add of binary32.
//!
//! Without an instruction for it: the product is exact in binary64 (48 of 53 bits, and its exponent
//! is in range); the sum is rounded *to odd* in binary64, and then to binary32. A number rounded to
//! odd with at least two more bits than the final format rounds there as the exact number does (S.
//! Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using
//! rounding to odd", 2008).
//!
//! The error of the sum is a number of binary64, computed exactly (D. Knuth's 2Sum). If it is not
//! 0, the exact sum lies between two neighbours: the rounded sum and the next number on the error's
//! side. Rounding to odd takes the odd one: the smaller one in magnitude with its last bit set.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::operations::same_bits;
use super::selection::Selection;
use crate::lanes::Kind;
use crate::registers::RegisterType;

impl Selection<'_, '_> {
    /// a·b + c of binary32.
    pub(super) fn fused(&mut self, ty: RegisterType, of: [Value; 3]) -> Value {
        if self.machine.fma {
            let [a, b, c] = of;
            return self.builder.ins().fma(a, b, c);
        }
        if let RegisterType::Scalar(_) = ty {
            let wide = of.map(|v| self.builder.ins().fpromote(types::F64, v));
            let sum = self.sum_to_odd(RegisterType::Scalar(Kind::F64), wide);
            return self.builder.ins().fdemote(types::F32, sum);
        }
        let halves = [false, true].map(|upper| {
            let wide = of.map(|v| self.half(ty, v, upper));
            self.sum_to_odd(RegisterType::Vector(Kind::F64), wide)
        });
        self.join(ty, halves)
    }

    /// a·b + c of binary64, rounded to odd, where the product is exact.
    fn sum_to_odd(&mut self, ty: RegisterType, [a, b, c]: [Value; 3]) -> Value {
        let product = self.builder.ins().fmul(a, b);
        let sum = self.builder.ins().fadd(product, c);
        let added = self.builder.ins().fsub(sum, product);
        let kept = self.builder.ins().fsub(sum, added);
        let lost = self.builder.ins().fsub(product, kept);
        let not_added = self.builder.ins().fsub(c, added);
        let error = self.builder.ins().fadd(lost, not_added);
        // The sign of `side` tells on which side of the rounded sum the exact one is. The error of
        // an infinite sum is NaN, and both comparisons fail. (No such product is too small for
        // binary64.)
        let side = self.builder.ins().fmul(error, sum);
        let zero = self.constant(ty, 0);
        let is_smaller = self.builder.ins().fcmp(FloatCC::LessThan, side, zero);
        let is_larger = self.builder.ins().fcmp(FloatCC::LessThan, zero, side);
        let is_inexact = self.builder.ins().bor(is_smaller, is_larger);
        let (integer, below, last) = if let RegisterType::Scalar(_) = ty {
            let [below, last] =
                [is_smaller, is_inexact].map(|v| self.builder.ins().uextend(types::I64, v));
            (types::I64, self.builder.ins().ineg(below), last)
        } else {
            let one = self.constant(RegisterType::Vector(Kind::I64), 1);
            // A mask is −1.
            (types::I64X2, is_smaller, self.builder.ins().band(is_inexact, one))
        };
        let bits = self.builder.ins().bitcast(integer, same_bits(), sum);
        let bits = self.builder.ins().iadd(bits, below);
        let bits = self.builder.ins().bor(bits, last);
        let float = if integer == types::I64 { types::F64 } else { types::F64X2 };
        self.builder.ins().bitcast(float, same_bits(), bits)
    }
}
