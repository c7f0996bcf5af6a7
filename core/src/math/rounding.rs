//! Rounding to binary32, and the rounding tests.

use super::ball::Ball;
use super::float::power_of_two;
use num_bigint::{BigInt, Sign};

/// The relative error allowed to binary64 evaluations; see the head of [`super`].
const BINARY64_ERROR: f64 = 1.0 / (1_u64 << 48) as f64;

/// The fractional bits with which step 4 begins. They suffice unless a result is within about 2^-150 of a
/// midpoint.
const FIRST_BITS: u64 = 256;

/// The binary32 number to which every real number within the error of `value` rounds, if there is
/// one. Zeros keep their sign.
pub(super) fn decide(value: f64) -> Option<f32> {
    let low = (value * (1.0 - BINARY64_ERROR)) as f32;
    let high = (value * (1.0 + BINARY64_ERROR)) as f32;
    (low == high).then_some(low)
}

/// The correctly rounded value of a function with the binary64 approximation `value`; `enclose(bits)` is a
/// ball around the exact value with that many fractional bits.
pub(super) fn rounded(value: f64, enclose: impl Fn(u64) -> Ball) -> f32 {
    decide(value).unwrap_or_else(|| refine(enclose))
}

/// The binary32 number to which all members of a ball round, for the first ball that decides. Does not return
/// if the exact result is a midpoint.
#[cold]
pub(super) fn refine(enclose: impl Fn(u64) -> Ball) -> f32 {
    refine_to(BINARY32, FIRST_BITS, enclose) as f32
}

/// A format of binary floating-point numbers.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// Bits of a significand.
    precision: i64,
    /// The exponent of the least subnormal number.
    least: i64,
    /// The exponent of the first bit of the greatest number.
    greatest: i64,
}

pub(super) const BINARY32: Format = Format { precision: 24, least: -149, greatest: 127 };
pub(super) const BINARY64: Format = Format { precision: 53, least: -1074, greatest: 1023 };

/// The number to which all members of a ball round, for the first ball of `bits`, 2·`bits`, … fractional bits
/// that decides.
pub(super) fn refine_to(format: Format, mut bits: u64, enclose: impl Fn(u64) -> Ball) -> f64 {
    loop {
        let ball = enclose(bits);
        let (low, high) = ball.ends();
        let low = nearest(&low, bits, format);
        if low.to_bits() == nearest(&high, bits, format).to_bits() {
            return low;
        }
        bits *= 2;
    }
}

/// The number of a format nearest to `value · 2^-bits`, ties to even.
pub(super) fn nearest(value: &BigInt, bits: u64, format: Format) -> f64 {
    let magnitude = value.magnitude();
    let bits = i64::try_from(bits).expect("precisions are small");
    let length = i64::try_from(magnitude.bits()).expect("numbers fit in memory");
    if length == 0 {
        return 0.0;
    }
    let is_negative = value.sign() == Sign::Minus;
    let exponent = length - 1 - bits;
    if exponent > format.greatest {
        return if is_negative { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // The exponent of the last place, but at least that of subnormal numbers.
    let last = (exponent - format.precision + 1).max(format.least);
    let significand: u64 = match u64::try_from(last + bits) {
        Ok(dropped) if dropped > 0 => {
            let kept: u64 = (magnitude >> dropped).try_into().expect("few bits are kept");
            let half = magnitude.bit(dropped - 1);
            let sticky = magnitude.trailing_zeros().is_some_and(|zeros| zeros < dropped - 1);
            kept + u64::from(half && (sticky || kept % 2 == 1))
        }
        // It is a number of the format.
        _ => (magnitude << (-last - bits).unsigned_abs()).try_into().expect("few bits are kept"),
    };
    // Exact, in two steps where the power is subnormal; or it overflows in binary64.
    let above = last.max(-1022);
    let result = significand as f64 * power_of_two(above) * power_of_two(last - above);
    let result = match last + 64 - i64::from(significand.leading_zeros()) - 1 > format.greatest {
        true => f64::INFINITY,
        false => result,
    };
    if is_negative { -result } else { result }
}

/// The number of a format nearest to `integer · 2^exponent`, ties to even.
pub(super) fn nearest_scaled(integer: u64, exponent: i64, format: Format) -> f64 {
    // Far outside of all formats the exponent need not be exact.
    let exponent = exponent.clamp(-4096, 4096);
    let value = BigInt::from(integer);
    match u64::try_from(exponent) {
        Ok(shift) => nearest(&(value << shift), 0, format),
        Err(_) => nearest(&value, exponent.unsigned_abs(), format),
    }
}

/// `a·b + c`, rounded once.
///
/// The product of two binary32 numbers is exact in binary64. The sum is rounded *to odd*: where it
/// is inexact, to the neighbour whose last bit is 1. Such a number has 53 bits and lies on the same
/// side of every number and midpoint of binary32 (at most 25 bits) as the exact sum, so rounding it
/// to binary32 rounds the exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
/// sums: proved algorithms using rounding to odd", IEEE TC 57, 2008).
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // Knuth's TwoSum: `sum + error` is exactly `product + c`, which is far from overflow.
    let virtual_c = sum - product;
    let error = (product - (sum - virtual_c)) + (c - virtual_c);
    // NaN if an operand or the sum is not finite.
    if error.is_nan() || error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum as f32;
    }
    // The sum is not 0, since it has an error; the neighbour on the error's side is odd.
    let away = (error > 0.0) == (sum > 0.0);
    let odd = if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 };
    f64::from_bits(odd) as f32
}
