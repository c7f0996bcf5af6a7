//! `log log2 asinh acosh atanh`.
//!
//! x = 2^k m with √½ ≤ m < √2, and log m = 2 artanh s with s = f/(2 + f), f = m − 1 and |s| <
//! 0.17158: an odd polynomial of s.
//!
//! *Error.* f is exact, the error of s is below 2u, those of the polynomials are given beside them, and
//! Horner's rule adds 3u. k or k ln 2, with an error of 2u, is added to the polynomial. The sum is never
//! below half of either part (k = −1 and m near √2 is the worst case). So the error of the logarithms is
//! below 2^-44.

use super::builder::{Builder, V};
use super::operation::Part;

/// log m in odd powers of s, to 2^-45.0.
const NATURAL: [f64; 6] = [
    1.999_999_999_999_946_7,
    0.666_666_666_796_588_3,
    0.399_999_948_700_846_15,
    0.285_721_682_336_758_26,
    0.221_741_680_194_682_54,
    0.196_092_202_307_880_08,
];

/// log2 m in odd powers of s, to 2^-45.0.
const BINARY: [f64; 6] = [
    2.885_390_081_777_85,
    0.961_796_694_113_403_2,
    0.577_077_942_348_395_2,
    0.412_209_254_038_126_64,
    0.319_905_627_259_802_2,
    0.282_901_187_422_127_2,
];

/// The same to 2^-55.9.
pub(super) const BINARY_LONG: [f64; 8] = [
    2.885_390_081_777_926_8,
    0.961_796_693_926_037_4,
    0.577_078_016_327_994_8,
    0.412_198_588_680_519_7,
    0.320_598_298_808_782_6,
    0.262_344_863_391_528_6,
    0.220_674_831_453_388_2,
    0.215_818_888_672_084_15,
];

/// The square root of 2 to 29 bits, so that the product with a number of binary32 is exact.
const ROOT: f64 = f64::from_bits(std::f64::consts::SQRT_2.to_bits() >> 24 << 24);

/// k, s and (log m)/s, an odd polynomial of s over s, for a positive binary32 number.
///
/// In a wide body x·√2 = 2^k t, m = t/√2 and s = (t − √2)/(t + √2), with [`ROOT`] as √2. t and the dividend
/// are exact, and the error of s is as in other bodies. k is infinite for zero and infinity, and s is NaN
/// below zero.
fn split_single(b: &mut Builder, x: V, polynomial: &[f64]) -> [V; 3] {
    if !b.is_wide {
        return split(b, x, polynomial);
    }
    let root = b.c(ROOT);
    let scaled = b.mul(x, root);
    let k = b.part(Part::Exponent, scaled);
    let t = b.part(Part::Significand, scaled);
    let (dividend, divisor) = (b.sub(t, root), b.add(t, root));
    with_polynomial(b, k, [dividend, divisor], polynomial)
}

/// k, s as a quotient, and the polynomial of s over s.
fn with_polynomial(
    b: &mut Builder,
    k: V,
    [dividend, divisor]: [V; 2],
    polynomial: &[f64],
) -> [V; 3] {
    let s = b.div(dividend, divisor);
    let square = b.mul(s, s);
    [k, s, b.polynomial(square, polynomial)]
}

/// The same for any positive normal number.
fn split(b: &mut Builder, x: V, polynomial: &[f64]) -> [V; 3] {
    // The exponent of x/√½, plus 1024 so that it is positive.
    let bits = b.bits_of(x);
    let root = b.i((1024_u64 << 52).wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits()));
    let shifted = b.add(bits, root);
    let biased = b.shift_right(shifted, 52);
    let power = b.shift_left(biased, 52);
    let bits = b.sub(bits, power);
    let bias = b.i(1024 << 52);
    let bits = b.add(bits, bias);
    let m = b.number_of(bits);
    // The last bits of 2^52 + n, for a smaller integer n, are those of n.
    let exponent = b.i(4_503_599_627_370_496.0_f64.to_bits());
    let whole = b.or(biased, exponent);
    let whole = b.number_of(whole);
    let offset = b.c(4_503_599_627_370_496.0 + 1024.0);
    let k = b.sub(whole, offset);

    let (one, two) = (b.c(1.0), b.c(2.0));
    let f = b.sub(m, one);
    let divisor = b.add(two, f);
    with_polynomial(b, k, [f, divisor], polynomial)
}

/// The natural logarithm, from its split argument.
fn natural(b: &mut Builder, [k, s, p]: [V; 3]) -> V {
    let log = b.mul(s, p);
    let ln2 = b.c(std::f64::consts::LN_2);
    b.mul_add(k, ln2, log)
}

/// log2 x for a positive binary32 number, by an odd polynomial of s.
pub(super) fn binary(b: &mut Builder, x: V, polynomial: &[f64]) -> V {
    let [k, s, p] = split_single(b, x, polynomial);
    b.mul_add(s, p, k)
}

/// The values outside the domain of a logarithm: −∞ at zero, NaN below; infinity and NaN stay as they are. A
/// wide body yields them without further steps.
fn edges(b: &mut Builder) {
    if b.is_wide {
        return;
    }
    let x = V(0);
    b.change(|b, log| {
        let (zero, infinity) = (b.single(0.0), b.single(f32::INFINITY));
        let (below, nan) = (b.single(f32::NEG_INFINITY), b.single(f32::NAN));
        let is_zero = b.equal(x, zero);
        let outside = b.select(is_zero, below, nan);
        let is_finite = b.less(x, infinity);
        let log = b.select(is_finite, log, x);
        let is_positive = b.less(zero, x);
        b.select(is_positive, log, outside)
    });
}

pub(super) fn log(b: &mut Builder) {
    let x = b.promote(V(0));
    let parts = split_single(b, x, &NATURAL);
    let log = natural(b, parts);
    b.round(log);
    edges(b);
}

pub(super) fn log2(b: &mut Builder) {
    let x = b.promote(V(0));
    let log = binary(b, x, &BINARY);
    b.round(log);
    edges(b);
}

/// log(1 + a) for a ≥ 0: log w + (a − (w − 1))/w, where w is 1 + a rounded. The second summand restores the
/// part lost by rounding (Kahan), so the error is that of log w plus 20u.
fn of_one_plus(b: &mut Builder, a: V) -> V {
    let one = b.c(1.0);
    let w = b.add(one, a);
    let taken = b.sub(w, one);
    let lost = b.sub(a, taken);
    let correction = b.div(lost, w);
    let parts = split(b, w, &NATURAL);
    let log = natural(b, parts);
    b.add(log, correction)
}

/// After the rounding test: the operand itself if it is infinite or NaN.
fn unless_infinite(b: &mut Builder, a: V) {
    b.change(|b, log| {
        let infinity = b.single(f32::INFINITY);
        let is_finite = b.less(a, infinity);
        b.select(is_finite, log, a)
    });
}

/// asinh a = log(1 + a + a²/(1 + √(1 + a²))), with the sign of the argument.
pub(super) fn asinh(b: &mut Builder) {
    let (magnitude, sign) = b.parts(V(0));
    let (a, one) = (b.promote(magnitude), b.c(1.0));
    let square = b.mul(a, a);
    let sum = b.add(one, square);
    let root = b.sqrt(sum);
    let divisor = b.add(one, root);
    let part = b.div(square, divisor);
    let argument = b.add(a, part);
    let log = of_one_plus(b, argument);
    b.round(log);
    unless_infinite(b, magnitude);
    b.signed(sign);
}

/// acosh x = log(1 + t + √(t(2 + t))) with t = x − 1, which is exact.
pub(super) fn acosh(b: &mut Builder) {
    let x = b.promote(V(0));
    let (one, two) = (b.c(1.0), b.c(2.0));
    let t = b.sub(x, one);
    let more = b.add(two, t);
    let product = b.mul(t, more);
    let root = b.sqrt(product);
    let argument = b.add(t, root);
    let log = of_one_plus(b, argument);
    b.round(log);
    unless_infinite(b, V(0));
    b.change(|b, log| {
        let (one, nan) = (b.single(1.0), b.single(f32::NAN));
        let is_below = b.less(V(0), one);
        b.select(is_below, nan, log)
    });
}

/// artanh a = ½ log(1 + 2a/(1 − a)), with the sign of the argument; infinite at 1, NaN above.
pub(super) fn atanh(b: &mut Builder) {
    let (magnitude, sign) = b.parts(V(0));
    let (a, one, half) = (b.promote(magnitude), b.c(1.0), b.c(0.5));
    let twice = b.add(a, a);
    let divisor = b.sub(one, a);
    let argument = b.div(twice, divisor);
    let log = of_one_plus(b, argument);
    let log = b.mul(log, half);
    b.round(log);
    b.change(|b, log| {
        let (one, infinity) = (b.single(1.0), b.single(f32::INFINITY));
        let nan = b.single(f32::NAN);
        let is_one = b.equal(magnitude, one);
        let outside = b.select(is_one, infinity, nan);
        let is_inside = b.less(magnitude, one);
        b.select(is_inside, log, outside)
    });
    b.signed(sign);
}
