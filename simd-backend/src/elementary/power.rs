//! `pow`: 2^(y log2 x) for 0 < x < ∞ and finite y, and for +0 to a positive power; other lanes are refused.
//!
//! *Error.* log2 x is off by less than 2^-55.9 by its polynomial and less than 8u by rounding, together 2^-49.8
//! relatively, and where |y log2 x| is above 200 the result is zero or infinite whatever the digits. So the exponent is off
//! by less than 200 · 2^-49.8 + 200u < 2^-41.9, and the power by a factor within ln 2 · 2^-41.9 + 2^-51.8 + 4u <
//! 2^-42.3: ε = 2^-41. Exact results are far from the midpoints that the test is about, and pass it; midpoints never
//! do.

use super::{Builder, V, exponential, logarithm};
use crate::lanes::Op;

const EPSILON: f64 = 1.0 / (1_u64 << 41) as f64;

pub(super) fn pow(b: &mut Builder) {
    let (x, y) = (b.promote(V(0)), b.promote(V(1)));
    let log = logarithm::binary(b, x, &logarithm::BINARY_LONG);
    let exponent = b.mul(y, log);
    let (low, high) = (b.c(-200.0), b.c(200.0));
    let exponent = b.max(exponent, low);
    let exponent = b.min(exponent, high);
    let power = exponential::binary(b, exponent, &exponential::EXP2_LONG);
    b.round_within(power, EPSILON);
    let (x, y) = (V(0), V(1));
    let (zero, infinity) = (b.single(0.0), b.single(f32::INFINITY));
    let is_positive = b.less(zero, x);
    b.change(|b, power| b.select(is_positive, power, zero));
    // What is accepted: x and y finite, x positive, or +0 with y positive.
    let bits = b.bits_of(x);
    let none = b.bits_of(zero);
    let is_zero = b.equal(bits, none);
    let grows = b.less(zero, y);
    let vanishes = b.and(is_zero, grows);
    let base = b.or(is_positive, vanishes);
    let is_finite = b.less(x, infinity);
    let size = b.abs(y);
    let is_bounded = b.less(size, infinity);
    let finite = b.and(is_finite, is_bounded);
    let accepted = b.and(base, finite);
    let refused = b.op(Op::Not, &[accepted]);
    b.refuse(refused);
}
