//! `sin cos tan`.
//!
//! Sine and cosine: x = r + nπ with |r| ≤ π/2 (1 + 2^-30), where n is an integer k for the sine and
//! k − ½ for the cosine, so that both are (−1)^k sin r: one polynomial, and nothing to choose. The
//! tangent: x = r + k π/2 with
//! |r| ≤ π/4 (1 + 2^-30). For |x| ≤ 2^20; beyond, the lane is refused.
//!
//! *Error.* π is taken in parts of 33, 33 and 53 bits (Cody and Waite). n has at most 20 bits, so
//! the first two products are exact. So is the first sum where its terms are within a factor of two
//! (Sterbenz); where they are not, r is of the larger one's size. The second sum is rounded once;
//! the third product is off by u |n| 2^-67, and the parts together by |n| 2^-118. No binary32
//! number below 2^20 is nearer to a multiple of π/2 than 2^-50, so r is off by less than 4u
//! relatively. The polynomials are off by less than 2^-43.8 for the sine on [0, π/2], 2^-47.6 and
//! 2^-43.7 for sine and cosine on [0, π/4]; so is the tangent by less than 2^-43.5.

use super::builder::{Builder, V};

/// π/2 in parts.
const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// The largest argument.
const BOUND: f32 = 1_048_576.0;

/// sin x on [0, 1.5708] in odd powers.
const WIDE_SINE: [f64; 7] = [
    0.999_999_999_999_937_6,
    -0.166_666_666_664_323_75,
    0.008_333_333_318_766_735,
    -0.000_198_412_664_117_674_67,
    2.755_693_193_492_693e-6,
    -2.502_951_909_128_443_2e-8,
    1.540_117_266_394_268_2e-10,
];

/// sin x on [0, 0.78541] in odd powers.
const SINE: [f64; 6] = [
    0.999_999_999_999_995_4,
    -0.166_666_666_666_147_38,
    0.008_333_333_323_632_534,
    -0.000_198_412_631_883_490_65,
    2.755_525_166_195_052_8e-6,
    -2.475_525_345_366_094e-8,
];

/// cos x on [0, 0.78541] in even powers.
const COSINE: [f64; 6] = [
    0.999_999_999_999_934_4,
    -0.499_999_999_992_712_6,
    0.041_666_666_533_685_22,
    -0.001_388_887_993_382_885_4,
    2.479_884_412_292_947_6e-5,
    -2.716_797_096_831_534_7e-7,
];

/// The operand less than that far from zero, in binary64, and the lanes in which it is not.
fn operand(b: &mut Builder) -> (V, V) {
    let (a, bound) = (b.abs(V(0)), b.single(BOUND));
    (b.promote(V(0)), b.less(bound, a))
}

/// x − n · `quarters` · π/2. A zero keeps its sign.
fn reduced(b: &mut Builder, x: V, n: V, quarters: f64) -> V {
    HALF_PI.iter().fold(x, |r, part| {
        let part = b.c(-quarters * part);
        b.mul_add(n, part, r)
    })
}

/// (−1)^k sin(x − nπ), where n is the integer k, or k − ½, that is nearest to x/π.
fn wave(b: &mut Builder, is_cosine: bool) {
    let (x, beyond) = operand(b);
    let (factor, half) = (b.c(std::f64::consts::FRAC_1_PI), b.c(0.5));
    let turns = if is_cosine { b.mul_add(x, factor, half) } else { b.mul(x, factor) };
    let (k, bits) = b.nearest(turns);
    let n = if is_cosine { b.sub(k, half) } else { k };
    let r = reduced(b, x, n, 2.0);
    let square = b.mul(r, r);
    let p = b.polynomial(square, &WIDE_SINE);
    let sine = b.mul(r, p);
    let value = b.flip(sine, bits);
    b.round(value);
    b.refuse(beyond);
}

pub(super) fn sin(b: &mut Builder) {
    wave(b, false);
}

pub(super) fn cos(b: &mut Builder) {
    wave(b, true);
}

/// sin r / cos r, or −cos r / sin r.
pub(super) fn tan(b: &mut Builder) {
    let (x, beyond) = operand(b);
    let factor = b.c(std::f64::consts::FRAC_2_PI);
    let quarters = b.mul(x, factor);
    let (k, bits) = b.nearest(quarters);
    let r = reduced(b, x, k, 1.0);
    let square = b.mul(r, r);
    let sine = b.polynomial(square, &SINE);
    let sine = b.mul(r, sine);
    let cosine = b.polynomial(square, &COSINE);
    let (zero, one) = (b.i(0), b.i(1));
    let last = b.and(bits, one);
    let is_even = b.equal(last, zero);
    let dividend = b.select(is_even, sine, cosine);
    let divisor = b.select(is_even, cosine, sine);
    let value = b.div(dividend, divisor);
    let value = b.flip(value, bits);
    b.round(value);
    b.refuse(beyond);
}
