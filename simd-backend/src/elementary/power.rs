//! `pow`: 2^(y log2 x) for 0 < x < ∞ and finite y, and for +0 to a positive power; other lanes are refused.
//!
//! *Error.* log2 x is off by less than 16u = 2^-49 relatively, and where |y log2 x| is above 200 the result is zero or
//! infinite whatever the digits. So the exponent is off by less than 200 · 2^-49 + 200u < 2^-41, and the power
//! by a factor within ln 2 · 2^-41 + 4u: ε = 2^-40. Exact results are far from the midpoints that the test is
//! about, and pass it; midpoints never do.

use super::{Builder, exponential, logarithm};

pub(super) fn pow(b: &mut Builder) {
    let (x, y) = (b.operand(0), b.operand(1));
    let log = logarithm::binary(b, x);
    let exponent = b.mul(y, log);
    let (low, high) = (b.c(-200.0), b.c(200.0));
    let exponent = b.max(exponent, low);
    let exponent = b.min(exponent, high);
    let power = exponential::binary(b, exponent);
    let (zero, infinity) = (b.c(0.0), b.c(f64::INFINITY));
    let bits = b.bits_of(x);
    let none = b.i(0);
    let is_zero = b.equal(bits, none);
    let power = b.select(is_zero, zero, power);
    b.round(power, -40);
    // What is accepted: x and y finite, x positive, or +0 with y positive.
    let is_positive = b.less(zero, x);
    let grows = b.less(zero, y);
    let vanishes = b.and(is_zero, grows);
    let base = b.or(is_positive, vanishes);
    let is_finite = b.less(x, infinity);
    let size = b.abs(y);
    let is_bounded = b.less(size, infinity);
    let finite = b.and(is_finite, is_bounded);
    let accepted = b.and(base, finite);
    let refused = b.op(crate::lanes::Op::Not, &[accepted]);
    b.refuse(refused);
}
