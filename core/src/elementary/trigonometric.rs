//! `sin cos tan`.
//!
//! Sine and cosine: x = r + nπ with |r| ≤ π/2, where n is an integer k for the sine and k − ½ for the cosine.
//! Both are then (−1)^k sin r: one polynomial, without selects. The tangent: x = r + k π/2 with |r| ≤ π/4.
//! Both bounds may be exceeded by 2^-30, since the quotient is rounded before k is found. This holds for |x|
//! ≤ 2^19; larger arguments have bodies of their own, see [`super::far`]. (A hash `(sin (dot p (vec2 12.9898
//! 78.233)))` of the pixels of a wide screen stays below 2^18.)
//!
//! *Error.* π/2 is split into parts of 33 and 53 bits (Cody and Waite). n has at most 20 bits, so the first
//! product is exact. So is the first sum, a multiple of 2^-32 below 2; if n is zero, r is x. (If n is −½ or ½
//! and x is below 2^-9, r is about π/2.) The error of the second product is u |n| 2^-33, that of the parts
//! together |n| 2^-87, that of the second sum u. There are 333,773 quarter turns n. The binary32 number
//! nearest to each bounds r from below: the least r is 2^-27.8, at 161 quarters, and n over |r| is largest at
//! 170,015 quarters, where r may be 2^-24.8. So the relative error of r is below 2^-44.2. The errors of the
//! polynomials are below 2^-42.87 for the sine on [0, 1.6478], 2^-46.5 and 2^-42.64 for sine and cosine on
//! [0, 0.8378]. The error of sines is below 2^-42.3. The tangent multiplies the error of r by at most 1.7
//! where r is large and by 1 where it is small; its error is below 2^-42.1.
//!
//! *With registers of 512 bits* sine and cosine are computed from |x| as (−1)^k sin πf. f is |x|/π minus an
//! integer (sine), or minus an integer and a half (cosine), and 1/π is split into parts of 28 and 53 bits.
//! The first product and the first difference are exact, as above; so the error of f is |x| 2^-86.03, plus u.
//! By the same nearest numbers this is at most 2^-42.8 of f for the sine; for the cosine it is 2^-41.5 at
//! 170,015 quarters, otherwise 2^-42.8. The polynomial is that of the sine in x, with coefficients multiplied
//! by powers of π and rounded again, by u at most. So the error of sines is below 2^-41.8, that of cosines
//! below 2^-41.0; the rounding test allows for it. (In these bodies a product and a sum are rounded once.)
//! Conversions between binary32 and binary64 move words between registers and take longer than shifts. So two
//! shifts make a binary64 number from a binary32 number ([`Builder::scaled_down`]), two more convert back,
//! and signs are combined as words.

use super::builder::{Builder, V};
use super::operation::{BodyKind, BodyOp};

/// π/2 in two parts.
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

/// The largest argument.
const BOUND: f32 = 524_288.0;

/// sin x on [0, 1.6478] in odd powers.
const WIDE_SINE: [f64; 7] = [
    0.999_999_999_999_875_5,
    -0.166_666_666_662_447_75,
    0.008_333_333_309_606_738,
    -0.000_198_412_647_828_173_74,
    2.755_680_152_826_726_7e-6,
    -2.502_472_537_172_637_4e-8,
    1.533_531_401_992_878e-10,
];

/// sin x on [0, 0.8378] in odd powers.
const SINE: [f64; 6] = [
    0.999_999_999_999_990_1,
    -0.166_666_666_665_675_3,
    0.008_333_333_317_058_126,
    -0.000_198_412_600_364_678_27,
    2.755_464_248_567_355e-6,
    -2.471_443_840_386_461_7e-8,
];

/// cos x on [0, 0.8378] in even powers.
const COSINE: [f64; 6] = [
    0.999_999_999_999_854,
    -0.499_999_999_985_866_2,
    0.041_666_666_441_254_67,
    -0.001_388_887_560_404_021,
    2.479_802_227_879_108e-5,
    -2.711_370_112_824_32e-7,
];

/// The lanes whose operand is too far from zero.
fn beyond(b: &mut Builder) -> V {
    let (a, bound) = (b.abs(V(0)), b.single(BOUND));
    b.less(bound, a)
}

/// `x` − n · `quarters` · π/2. A zero keeps its sign.
fn reduced(b: &mut Builder, x: V, n: V, quarters: f64) -> V {
    HALF_PI.iter().fold(x, |r, part| {
        let part = b.c(-quarters * part);
        b.mul_add(n, part, r)
    })
}

/// A factor or dividend of the result, multiplied by (−1)^k in a wide body; `bits` has the last bits of k. In
/// other bodies [`end`] flips the sign.
fn negated_if_odd(b: &mut Builder, x: V, bits: V) -> V {
    if b.is_wide { b.negated_if_odd(x, bits, 63) } else { x }
}

/// Ends the body with a result multiplied by (−1)^k.
pub(super) fn signed(b: &mut Builder, value: V, bits: V) {
    b.round(value);
    if !b.is_wide {
        let bits = b.op(BodyOp::Narrow, &[bits]);
        b.flipped(bits);
    }
}

/// The same; large arguments are beyond.
fn end(b: &mut Builder, value: V, bits: V) {
    signed(b, value, bits);
    let beyond = beyond(b);
    b.leave(beyond);
}

/// 1/π in two parts.
const INVERSE_PI: [f64; 2] = [0.318_309_886_381_030_1, -1.972_394_111_648_692e-10];

/// sin πx on [0, 0.5245] in odd powers: [`WIDE_SINE`] in πx.
pub(super) const HALF_TURNS: [f64; 7] = [
    3.141_592_653_589_402_3,
    -5.167_712_779_919_158,
    2.550_164_032_616_540_2,
    -0.599_264_376_540_694_9,
    0.082_144_343_406_818_13,
    -0.007_362_374_753_055_062,
    0.000_445_288_027_573_844_2,
];

/// 2^896.
pub(super) const SCALE: f64 = f64::from_bits((1023 + 896) << 52);

/// [`wave`] for registers of 512 bits.
fn wide_wave(b: &mut Builder, is_cosine: bool) {
    let word = b.bits_of(V(0));
    let all_but_sign = b.bits(BodyKind::I32, (1 << 31) - 1);
    let magnitude = b.and(word, all_but_sign);
    let x = b.scaled_down(magnitude);
    let [inverse, rest] = INVERSE_PI.map(|part| b.c(part * SCALE));
    // −k, or ½ − k: the summand.
    let minus = -INVERSE_PI[0] * SCALE;
    let (less, bits) = if is_cosine {
        let (minus, half) = (b.c(minus), b.c(-0.5));
        let turns = b.mul_add(x, minus, half);
        let (k, bits) = b.nearest(turns);
        (b.sub(k, half), bits)
    } else {
        b.nearest_product(x, minus)
    };
    let f = b.mul_add(x, inverse, less);
    let f = b.mul_add(x, rest, f);
    let parity = b.op(BodyOp::Narrow, &[bits]);
    let parity = b.shift_left(parity, 31);
    wide_end(b, f, parity, is_cosine);
    let beyond = not_below(b, magnitude, BOUND.next_up());
    b.leave(beyond);
}

/// Ends a wide body with ± sin πf. `parity` negates the result if its highest bit is set.
pub(super) fn wide_end(b: &mut Builder, f: V, parity: V, is_cosine: bool) {
    let square = b.mul(f, f);
    let p = b.polynomial(square, &HALF_TURNS.map(|c| c / SCALE));
    let sine = b.mul(f, p);
    // The cosine ignores the sign of the operand.
    let sign = if is_cosine { b.bits(BodyKind::I32, 0) } else { b.bits_of(V(0)) };
    b.round_scaled(sine, [parity, sign]);
}

/// The lanes whose number, with the bits `magnitude`, is not below a bound: NaN, too.
pub(super) fn not_below(b: &mut Builder, magnitude: V, bound: f32) -> V {
    let (size, bound) = (b.number_of(magnitude), b.single(bound));
    let is_below = b.less(size, bound);
    b.op(BodyOp::Not, &[is_below])
}

/// (−1)^k sin(x − nπ), where n is the integer k, or k − ½, that is nearest to x/π.
fn wave(b: &mut Builder, is_cosine: bool) {
    let x = b.promote(V(0));
    let (n, bits) = if is_cosine {
        let (factor, half) = (b.c(std::f64::consts::FRAC_1_PI), b.c(0.5));
        let turns = b.mul_add(x, factor, half);
        let (k, bits) = b.nearest(turns);
        (b.sub(k, half), bits)
    } else {
        b.nearest_product(x, std::f64::consts::FRAC_1_PI)
    };
    let r = reduced(b, x, n, 2.0);
    let square = b.mul(r, r);
    let p = b.polynomial(square, &WIDE_SINE);
    let sine = b.mul(r, p);
    end(b, sine, bits);
}

pub(super) fn sin(b: &mut Builder) {
    if b.is_wide { wide_wave(b, false) } else { wave(b, false) }
}

pub(super) fn cos(b: &mut Builder) {
    if b.is_wide { wide_wave(b, true) } else { wave(b, true) }
}

pub(super) fn tan(b: &mut Builder) {
    let x = b.promote(V(0));
    let (k, bits) = b.nearest_product(x, std::f64::consts::FRAC_2_PI);
    let r = reduced(b, x, k, 1.0);
    let value = tangent(b, r, bits);
    end(b, value, bits);
}

/// sin r / cos r for even k, cos r / sin r for odd k; in wide bodies the latter is negated. `bits` has the
/// last bits of k.
pub(super) fn tangent(b: &mut Builder, r: V, bits: V) -> V {
    let square = b.mul(r, r);
    let sine = b.polynomial(square, &SINE);
    let sine = b.mul(r, sine);
    let cosine = b.polynomial(square, &COSINE);
    let [zero, one] = [0, 1].map(|number| b.i(number));
    let last = b.and(bits, one);
    let is_even = b.equal(last, zero);
    let dividend = b.select(is_even, sine, cosine);
    let dividend = negated_if_odd(b, dividend, bits);
    let divisor = b.select(is_even, cosine, sine);
    b.div(dividend, divisor)
}
