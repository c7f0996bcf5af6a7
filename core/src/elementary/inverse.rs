//! `asin acos atan atan2`, all by the angle of a point (x, y) with x, y ≥ 0.
//!
//! The angle is a base 0, π/4 or π/2 plus atan t with t = y/x, (y − x)/(y + x) or −x/y, whichever has |t| ≤
//! tan π/8. One division serves all three. atan t is an odd polynomial of t, with an error below 2^-45.1.
//!
//! *Error.* If y and x are exact, so is y − x, since they are within a factor of 2.5 and have 24 digits.
//! Otherwise its absolute error is 2u π/4, beside a base of π/4. The error of t is below 3u, that of atan t
//! below 2^-45.1 + 6u, that of the bases u, and that of the angle below 2^-44.8. A point left of the y axis
//! has the angle π − angle, which is nowhere below π/2.

use super::builder::{Builder, EPSILON, V};
use super::operation::BodyOp;

/// atan t on [0, tan π/8] in odd powers.
const ARCTANGENT: [f64; 9] = [
    0.999_999_999_999_974_4,
    -0.333_333_333_308_881_4,
    0.199_999_996_152_347_04,
    -0.142_856_909_045_543_88,
    0.111_103_960_199_331_43,
    -0.090_785_281_527_138_06,
    0.075_646_386_673_822_73,
    -0.058_778_526_411_736_65,
    0.030_711_120_473_061_595,
];

/// The angle of (x, y), both not negative and not both zero or infinite; NaN if one of them is NaN.
fn angle(b: &mut Builder, x: V, y: V) -> V {
    let (low, high) = (b.c(0.414_213_562_373_095_05), b.c(2.414_213_562_373_095));
    let (below, above) = (b.mul(x, low), b.mul(x, high));
    let is_large = b.less(above, y);
    let is_middle = b.less(below, y);
    let (difference, sum) = (b.sub(y, x), b.add(y, x));
    let negative = b.op(BodyOp::Neg, &[x]);
    let dividend = b.select(is_middle, difference, y);
    let dividend = b.select(is_large, negative, dividend);
    let divisor = b.select(is_middle, sum, x);
    let divisor = b.select(is_large, y, divisor);
    let t = b.div(dividend, divisor);
    let z = b.mul(t, t);
    let p = b.polynomial(z, &ARCTANGENT);
    let (zero, quarter, half) =
        (b.c(0.0), b.c(std::f64::consts::FRAC_PI_4), b.c(std::f64::consts::FRAC_PI_2));
    let base = b.select(is_middle, quarter, zero);
    let base = b.select(is_large, half, base);
    b.mul_add(t, p, base)
}

/// π − angle where the mask holds.
fn mirrored(b: &mut Builder, mask: V, angle: V) -> V {
    let pi = b.c(std::f64::consts::PI);
    let other = b.sub(pi, angle);
    b.select(mask, other, angle)
}

pub(super) fn atan(b: &mut Builder) {
    let (a, sign) = b.parts(V(0));
    let (y, one) = (b.promote(a), b.c(1.0));
    let angle = angle(b, one, y);
    b.round(angle);
    b.signed(sign);
}

/// √((1 − x)(1 + x)): both factors are exact, or their rounding errors do not matter. NaN beyond 1.
fn cathetus(b: &mut Builder, x: V) -> V {
    let one = b.c(1.0);
    let (less, more) = (b.sub(one, x), b.add(one, x));
    let product = b.mul(less, more);
    b.sqrt(product)
}

/// The angle of (√(1 − x²), x).
pub(super) fn asin(b: &mut Builder) {
    let (a, sign) = b.parts(V(0));
    let y = b.promote(a);
    let other = cathetus(b, y);
    let angle = angle(b, other, y);
    b.round(angle);
    b.signed(sign);
}

/// The angle of (x, √(1 − x²)).
pub(super) fn acos(b: &mut Builder) {
    let x = b.promote(V(0));
    let a = b.abs(x);
    let y = cathetus(b, a);
    let angle = angle(b, a, y);
    let zero = b.c(0.0);
    let is_negative = b.less(x, zero);
    let angle = mirrored(b, is_negative, angle);
    b.round(angle);
}

/// The operands are y and x. Two zeros count as (1, 0), two infinities as (1, 1).
pub(super) fn atan2(b: &mut Builder) {
    let ((ay, sign), (ax, left)) = (b.parts(V(0)), b.parts(V(1)));
    let (zero, one, infinity) = (b.single(0.0), b.single(1.0), b.single(f32::INFINITY));
    let largest = b.max(ax, ay);
    let no_direction = b.equal(largest, zero);
    let [is_far, is_high] = [ax, ay].map(|a| b.equal(a, infinity));
    let both = b.and(is_far, is_high);
    let is_one = b.or(no_direction, both);
    let cx = b.select(is_one, one, ax);
    let cy = b.select(both, one, ay);
    let (cx, cy) = (b.promote(cx), b.promote(cy));
    let angle = angle(b, cx, cy);
    // −0 counts as left, too.
    let none = b.bits_of(zero);
    let is_left = b.op(BodyOp::NotEqual, &[left, none]);
    let angle = mirrored(b, is_left, angle);
    // y/x may be subnormal.
    b.round_within(angle, EPSILON);
    b.signed(sign);
}
