//! `asin acos atan atan2`, all by the angle of a point (x, y) with x, y ≥ 0.
//!
//! The angle is a base 0, π/4 or π/2 plus atan t with t = y/x, (y − x)/(y + x) or −x/y, whichever has |t| ≤ tan π/8;
//! one division serves all three. atan t = t + t z P(z) with z = t², P of degree 11 (Chebyshev's interpolation of
//! (atan √z / √z − 1)/z over [0, tan² π/8]): off by less than 2^-62.
//!
//! *Error.* Where y and x are exact, y − x is too, as they are within a factor of 2.5 and have 24 digits; else it is off by
//! 2u π/4 absolutely, beside a base of π/4. t is off by less than 3u, atan t by less than 6u, and the angle by less than
//! 10u. Half of that circle, mirrored at the y axis, is π − angle; it is nowhere below π/2.

use super::{Builder, V};
use crate::lanes::Op;

const ARCTANGENT: [f64; 12] = [
    -0.333_333_333_333_333_3,
    0.199_999_999_999_998_04,
    -0.142_857_142_856_597_8,
    0.111_111_111_051_505_88,
    -0.090_909_087_532_591_12,
    0.076_922_963_680_422_96,
    -0.066_664_247_602_005_2,
    0.058_789_275_544_738_07,
    -0.052_304_436_406_869_48,
    0.045_515_447_340_221_615,
    -0.034_569_315_063_326_09,
    0.016_284_375_050_043_393,
];

/// What π/2 and π/4 lack in binary64.
const HALF_PI_REST: f64 = 6.123_233_995_736_766e-17;
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;

/// The angle of (x, y), both not negative and not both zero or infinite; NaN if one is.
fn angle(b: &mut Builder, x: V, y: V) -> V {
    let (low, high) = (b.c(0.414_213_562_373_095_05), b.c(2.414_213_562_373_095));
    let (below, above) = (b.mul(x, low), b.mul(x, high));
    let is_large = b.less(above, y);
    let is_middle = b.less(below, y);
    let (difference, sum) = (b.sub(y, x), b.add(y, x));
    let negative = b.op(Op::Neg, &[x]);
    let dividend = b.select(is_middle, difference, y);
    let dividend = b.select(is_large, negative, dividend);
    let divisor = b.select(is_middle, sum, x);
    let divisor = b.select(is_large, y, divisor);
    let t = b.div(dividend, divisor);
    let z = b.mul(t, t);
    let p = b.polynomial(z, &ARCTANGENT);
    let p = b.mul(z, p);
    let p = b.mul(t, p);
    let (zero, quarter, half) =
        (b.c(0.0), b.c(std::f64::consts::FRAC_PI_4), b.c(std::f64::consts::FRAC_PI_2));
    let (rest, half_rest) = (b.c(HALF_PI_REST), b.c(HALF_PI_REST / 2.0));
    let base = b.select(is_middle, quarter, zero);
    let base = b.select(is_large, half, base);
    let lacking = b.select(is_middle, half_rest, zero);
    let lacking = b.select(is_large, rest, lacking);
    let p = b.add(p, lacking);
    let small = b.add(t, p);
    b.add(base, small)
}

/// π − angle where the mask holds.
fn mirrored(b: &mut Builder, mask: V, angle: V) -> V {
    let (pi, rest) = (b.c(std::f64::consts::PI), b.c(PI_REST));
    let other = b.sub(angle, rest);
    let other = b.sub(pi, other);
    b.select(mask, other, angle)
}

pub(super) fn atan(b: &mut Builder) {
    let x = b.operand(0);
    let sign = b.sign_of(x);
    let (y, one) = (b.abs(x), b.c(1.0));
    let angle = angle(b, one, y);
    let angle = b.with_sign(angle, sign);
    b.round(angle, -48);
}

/// √((1 − x)(1 + x)): both factors are exact or lose nothing that matters; NaN beyond 1.
fn cathetus(b: &mut Builder, x: V) -> V {
    let one = b.c(1.0);
    let (less, more) = (b.sub(one, x), b.add(one, x));
    let product = b.mul(less, more);
    b.sqrt(product)
}

/// The angle of (√(1 − x²), x).
pub(super) fn asin(b: &mut Builder) {
    let x = b.operand(0);
    let sign = b.sign_of(x);
    let y = b.abs(x);
    let other = cathetus(b, y);
    let angle = angle(b, other, y);
    let angle = b.with_sign(angle, sign);
    b.round(angle, -47);
}

/// The angle of (x, √(1 − x²)).
pub(super) fn acos(b: &mut Builder) {
    let x = b.operand(0);
    let a = b.abs(x);
    let y = cathetus(b, a);
    let angle = angle(b, a, y);
    let zero = b.c(0.0);
    let is_negative = b.less(x, zero);
    let angle = mirrored(b, is_negative, angle);
    b.round(angle, -47);
}

/// The operands are y and x. Two zeros are as (1, 0), two infinities as (1, 1).
pub(super) fn atan2(b: &mut Builder) {
    let (y, x) = (b.operand(0), b.operand(1));
    let sign = b.sign_of(y);
    let (ay, ax) = (b.abs(y), b.abs(x));
    let (zero, one, infinity) = (b.c(0.0), b.c(1.0), b.c(f64::INFINITY));
    let largest = b.max(ax, ay);
    let no_direction = b.equal(largest, zero);
    let cx = b.select(no_direction, one, ax);
    let [is_far, is_high] = [ax, ay].map(|a| b.equal(a, infinity));
    let both = b.and(is_far, is_high);
    let cx = b.select(both, one, cx);
    let cy = b.select(both, one, ay);
    let angle = angle(b, cx, cy);
    // −0 is to the left as well.
    let left = b.sign_of(x);
    let none = b.i(0);
    let is_right = b.equal(left, none);
    let is_left = b.op(Op::Not, &[is_right]);
    let angle = mirrored(b, is_left, angle);
    let angle = b.with_sign(angle, sign);
    b.round(angle, -47);
}
