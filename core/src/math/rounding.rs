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
    let mut bits = FIRST_BITS;
    loop {
        let ball = enclose(bits);
        let (low, high) = ball.ends();
        let low = nearest_f32(&low, bits);
        if low.to_bits() == nearest_f32(&high, bits).to_bits() {
            return low;
        }
        bits *= 2;
    }
}

/// The binary32 number nearest to `value · 2^-bits`, ties to even; `bits` is at least 151.
pub(super) fn nearest_f32(value: &BigInt, bits: u64) -> f32 {
    let magnitude = value.magnitude();
    let bits = i64::try_from(bits).expect("precisions are small");
    let length = i64::try_from(magnitude.bits()).expect("numbers fit in memory");
    if length == 0 {
        return 0.0;
    }
    let exponent = length - 1 - bits;
    if exponent > 127 {
        return if value.sign() == Sign::Minus { f32::NEG_INFINITY } else { f32::INFINITY };
    }
    // The exponent of the last place: 23 below the first, but at least that of subnormal numbers.
    let last = (exponent - 23).max(-149);
    let dropped = u64::try_from(last + bits).expect("at least one bit is dropped");
    let kept: u32 = (magnitude >> dropped).try_into().expect("24 bits are kept");
    let half = magnitude.bit(dropped - 1);
    let sticky = magnitude.trailing_zeros().is_some_and(|zeros| zeros < dropped - 1);
    let significand = kept + u32::from(half && (sticky || kept % 2 == 1));
    // Exact in binary64; the conversion can only overflow, to the correct infinity.
    let result = (f64::from(significand) * power_of_two(last)) as f32;
    if value.sign() == Sign::Minus { -result } else { result }
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
