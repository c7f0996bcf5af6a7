//! `exp exp2 sinh cosh tanh`.
//!
//! 2^t = 2^k 2^f with k = round(t) and |f| ≤ ½. Multiplying by 2^k is an addition to the exponent; 2^f is a
//! polynomial. e^x is 2^(x log2 e).
//!
//! *Error.* The error of the polynomial of 10 terms is below 2^-46.0, that of Horner's rule below 4u. t is
//! exact for `exp2`. For |x| ≤ 200 the absolute error of x log2 e is below 289 · 2u = 2^-43.8. Most of it
//! occurs for |x| > 110, which only `sinh`, `cosh` and `tanh` reach, where they overflow or are 1. Below
//! that, the relative error of the power is below ln 2 · 160 · 2u < 2^-45.2. So the error of e^x is below
//! 2^-44.5.
//!
//! Results of `exp` below 2^-126 are rounded to fewer digits than its rounding test assumes. Trials of all
//! these arguments, with fused operations and without, prove that none is wrong. `exp2` needs a test for
//! subnormal results: 2^-150 is a midpoint.

use super::builder::{Builder, EPSILON, V};

/// 2^x on [−½, ½], to 2^-46.0.
const EXP2: [f64; 10] = [
    1.000_000_000_000_012_7,
    0.693_147_180_559_870_8,
    0.240_226_506_956_502,
    0.055_504_108_668_694_86,
    0.009_618_129_191_991_55,
    0.001_333_355_761_630_923,
    0.000_154_034_349_866_331_65,
    1.525_298_551_287_271_2e-5,
    1.325_939_909_783_790_6e-6,
    1.015_021_958_098_788_8e-7,
];

/// The same to 2^-51.8.
pub(super) const EXP2_LONG: [f64; 11] = [
    1.0,
    0.693_147_180_559_949_7,
    0.240_226_506_959_092_8,
    0.055_504_108_664_460_726,
    0.009_618_129_107_922_075,
    0.001_333_355_822_833_078_6,
    0.000_154_035_300_622_921_78,
    1.525_265_822_684_922_9e-5,
    1.321_562_290_374_409_3e-6,
    1.020_851_978_979_303_8e-7,
    7.043_025_139_402_367_5e-9,
];

/// sinh x on [0, 1] in odd powers, to 2^-43.6.
const SINH: [f64; 6] = [
    0.999_999_999_999_926_5,
    0.166_666_666_672_087_43,
    0.008_333_333_269_011_62,
    0.000_198_412_976_228_908_72,
    2.755_191_452_738_807_4e-6,
    2.553_500_788_334_355e-8,
];

/// 2^t for |t| ≤ 400, by a polynomial.
pub(super) fn binary(b: &mut Builder, t: V, polynomial: &[f64]) -> V {
    let (k, bits) = b.nearest(t);
    let f = b.sub(t, k);
    let p = b.polynomial(f, polynomial);
    let (power, p) = (b.shift_left(bits, 52), b.bits_of(p));
    let scaled = b.add(p, power);
    b.number_of(scaled)
}

/// e^x for |x| ≤ 250.
fn natural(b: &mut Builder, x: V) -> V {
    let factor = b.c(std::f64::consts::LOG2_E);
    let t = b.mul(x, factor);
    binary(b, t, &EXP2)
}

/// Below −110 and above 100 the results are zero and infinity, as at these bounds.
pub(super) fn exp(b: &mut Builder) {
    let x = b.clamp(V(0), -110.0, 100.0);
    let x = b.promote(x);
    let e = natural(b, x);
    b.round(e);
}

pub(super) fn exp2(b: &mut Builder) {
    let t = b.clamp(V(0), -160.0, 140.0);
    let t = b.promote(t);
    let e = binary(b, t, &EXP2);
    b.round_within(e, EPSILON);
}

/// The absolute value of the operand, clamped to `most`, and the sign bit.
fn magnitude(b: &mut Builder, most: f32) -> (V, V) {
    let (a, sign) = b.parts(V(0));
    let most = b.single(most);
    let a = b.min(a, most);
    (b.promote(a), sign)
}

/// e^a and e^−a.
fn both(b: &mut Builder, a: V) -> (V, V) {
    let (e, one) = (natural(b, a), b.c(1.0));
    (e, b.div(one, e))
}

/// cosh a; its error is that of e^a plus 3u.
fn hyperbolic_cosine(b: &mut Builder, (e, inverse): (V, V)) -> V {
    let (sum, half) = (b.add(e, inverse), b.c(0.5));
    b.mul(sum, half)
}

/// sinh a for 0 ≤ a < 1.
fn small_sinh(b: &mut Builder, a: V) -> V {
    let square = b.mul(a, a);
    let p = b.polynomial(square, &SINH);
    b.mul(a, p)
}

/// For a ≥ 1, sinh a = (e^a − e^−a)/2: the error of the difference is at most cosh 1 / sinh 1 < 1.32 times
/// that of e^a.
pub(super) fn sinh(b: &mut Builder) {
    let (a, sign) = magnitude(b, 200.0);
    let (e, inverse) = both(b, a);
    let (one, half) = (b.c(1.0), b.c(0.5));
    let large = b.sub(e, inverse);
    let large = b.mul(large, half);
    let small = small_sinh(b, a);
    let is_small = b.less(a, one);
    let s = b.select(is_small, small, large);
    b.round(s);
    b.signed(sign);
}

pub(super) fn cosh(b: &mut Builder) {
    let (a, _) = magnitude(b, 200.0);
    let both = both(b, a);
    let c = hyperbolic_cosine(b, both);
    b.round(c);
}

/// For a < 1, tanh a = sinh a / cosh a, with an error below 2^-42.9; otherwise 1 − 2/(e^2a + 1), whose
/// subtrahend is below 1/4.
pub(super) fn tanh(b: &mut Builder) {
    let (a, sign) = magnitude(b, 40.0);
    let both = both(b, a);
    let (one, two) = (b.c(1.0), b.c(2.0));
    let cosh = hyperbolic_cosine(b, both);
    let sinh = small_sinh(b, a);
    let more = b.mul_add(both.0, both.0, one);
    let is_small = b.less(a, one);
    // One division serves both.
    let dividend = b.select(is_small, sinh, two);
    let divisor = b.select(is_small, cosh, more);
    let quotient = b.div(dividend, divisor);
    let large = b.sub(one, quotient);
    let t = b.select(is_small, quotient, large);
    b.round(t);
    b.signed(sign);
}
