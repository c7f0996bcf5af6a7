//! `pow`: |x|^y = 2^(y log2 |x|) for finite x and y, and x ≠ 0 or y > 0; other lanes are undecided. The
//! result has the sign of x if y is an odd integer, and is NaN if x < 0 and y is no integer.
//!
//! *Error.* The relative error of log2 x is below 2^-55.9 by its polynomial and below 8u by rounding,
//! together 2^-49.8. If |y log2 x| is above 200, the result is zero or infinite whatever the digits. So the
//! error of the exponent is below 200 · 2^-49.8 + 200u < 2^-41.9, and the relative error of the power below
//! ln 2 · 2^-41.9 + 2^-51.8 + 4u < 2^-42.3: ε = 2^-41. Exact results are far from midpoints and pass the
//! test; midpoints never do.

use super::builder::{Builder, V};
use super::operation::BodyOp;
use super::{exponential, logarithm};

const EPSILON: f64 = 1.0 / (1_u64 << 41) as f64;

pub(super) fn pow(b: &mut Builder) {
    let (x, y) = (V(0), V(1));
    let (a, sign) = b.parts(x);
    let (wide, exponent) = (b.promote(a), b.promote(y));
    let log = logarithm::binary(b, wide, &logarithm::BINARY_LONG);
    let exponent = b.mul(exponent, log);
    let (low, high) = (b.c(-200.0), b.c(200.0));
    let exponent = b.max(exponent, low);
    let exponent = b.min(exponent, high);
    let power = exponential::binary(b, exponent, &exponential::EXP2_LONG);
    b.round_within(power, EPSILON);

    let (zero, infinity) = (b.single(0.0), b.single(f32::INFINITY));
    let is_positive = b.less(zero, a);
    let is_negative = b.less(x, zero);
    let is_integer = is_integer(b, y);
    // Half of an even integer, or of one beyond 2^24, is an integer.
    let half = b.single(0.5);
    let half = b.mul(y, half);
    let is_even = self::is_integer(b, half);
    b.change(|b, power| {
        let none = b.bits_of(zero);
        let is_odd = b.op(BodyOp::AndNot, &[is_integer, is_even]);
        let sign = b.select(is_odd, sign, none);
        let power = b.select(is_positive, power, zero);
        let bits = b.bits_of(power);
        let bits = b.or(bits, sign);
        let (power, nan) = (b.number_of(bits), b.single(f32::NAN));
        let is_undefined = b.op(BodyOp::AndNot, &[is_negative, is_integer]);
        b.select(is_undefined, nan, power)
    });
    let grows = b.less(zero, y);
    let base = b.or(is_positive, grows);
    let is_finite = b.less(a, infinity);
    let size = b.abs(y);
    let is_bounded = b.less(size, infinity);
    let finite = b.and(is_finite, is_bounded);
    let accepted = b.and(base, finite);
    let refused = b.op(BodyOp::Not, &[accepted]);
    b.refuse(refused);
}

fn is_integer(b: &mut Builder, y: V) -> V {
    let whole = b.op(BodyOp::Trunc, &[y]);
    b.equal(whole, y)
}
