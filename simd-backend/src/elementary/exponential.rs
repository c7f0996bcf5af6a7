//! `exp exp2 sinh cosh tanh`.
//!
//! e^x = 2^k e^r with k = round(x / ln 2) and |r| ≤ ln 2 / 2 (1 + 2^-40); the power is an addition to the exponent,
//! e^r the Taylor polynomial of degree 13, which is off by less than r^14/14! < 2^-57.
//!
//! *Error.* k ln 2 is subtracted in two parts: the first has 40 bits and k at most 9, so that product is exact, and
//! so is the difference (Sterbenz, or x is below it in all digits); the second contributes |k| u 2^-40 and its
//! rounding u |r|. So r is off by less than 2u |r| + 2^-84, the polynomial in Horner's form by less than 2u, its
//! value by less than 4u in all: ε = 2^-50 would do.

use super::{Builder, MAGIC, V};

/// 1/n! for n from 0.
const FACTORIALS: [f64; 20] = {
    let mut values = [1.0; 20];
    let (mut n, mut factorial) = (1, 1.0_f64);
    while n < 20 {
        // Exact up to 18!; the last ones have an error of u, which does not matter in their place.
        factorial *= n as f64;
        values[n] = 1.0 / factorial;
        n += 1;
    }
    values
};

/// ln 2 to 40 bits, and the rest.
const LN2: [f64; 2] = [0.693_147_180_559_208_2, 7.371_002_565_167_799e-13];

/// 2^k, k the difference of `rounded` from [`MAGIC`], times a number near 1.
fn scale(b: &mut Builder, rounded: V, a: V) -> V {
    let k = b.bits_of(rounded);
    let power = b.shift_left(k, 52);
    let bits = b.bits_of(a);
    let bits = b.add(bits, power);
    b.number_of(bits)
}

/// e^x for |x| ≤ 300.
fn natural(b: &mut Builder, x: V) -> V {
    let (inverse, magic) = (b.c(std::f64::consts::LOG2_E), b.c(MAGIC));
    let quotient = b.mul(x, inverse);
    let rounded = b.add(quotient, magic);
    let k = b.sub(rounded, magic);
    let [high, low] = LN2.map(|part| {
        let part = b.c(part);
        b.mul(k, part)
    });
    let r = b.sub(x, high);
    let r = b.sub(r, low);
    let p = b.polynomial(r, &FACTORIALS[..14]);
    scale(b, rounded, p)
}

fn clamp(b: &mut Builder, x: V, low: f64, high: f64) -> V {
    let (low, high) = (b.c(low), b.c(high));
    let x = b.max(x, low);
    b.min(x, high)
}

/// Beyond −110 and 100 results are zero and infinity as at these bounds.
pub(super) fn exp(b: &mut Builder) {
    let x = b.operand(0);
    let x = clamp(b, x, -110.0, 100.0);
    let e = natural(b, x);
    b.round(e, -48);
}

/// 2^x for |x| ≤ 400: k = round(x), and r = (x − k) ln 2, off by less than 2u |r|.
pub(super) fn binary(b: &mut Builder, x: V) -> V {
    let (magic, ln2) = (b.c(MAGIC), b.c(std::f64::consts::LN_2));
    let rounded = b.add(x, magic);
    let k = b.sub(rounded, magic);
    let r = b.sub(x, k);
    let r = b.mul(r, ln2);
    let p = b.polynomial(r, &FACTORIALS[..14]);
    scale(b, rounded, p)
}

pub(super) fn exp2(b: &mut Builder) {
    let x = b.operand(0);
    let x = clamp(b, x, -160.0, 140.0);
    let e = binary(b, x);
    b.round(e, -48);
}

/// The absolute value, no more than `most`, and the sign bit.
fn magnitude(b: &mut Builder, most: f64) -> (V, V) {
    let x = b.operand(0);
    let sign = b.sign_of(x);
    let a = b.abs(x);
    let most = b.c(most);
    (b.min(a, most), sign)
}

/// sinh a for 0 ≤ a < 1, by its Taylor polynomial to a^19: off by less than a^21/21! < 2^-65, and 4u.
fn small_sinh(b: &mut Builder, a: V) -> V {
    let square = b.mul(a, a);
    let odd: Vec<f64> = FACTORIALS.iter().skip(1).step_by(2).copied().collect();
    let p = b.polynomial(square, &odd);
    b.mul(a, p)
}

/// sinh a = (e^a − e^−a)/2 from 1 on, where less than half of the digits cancel: off by less than 8u.
pub(super) fn sinh(b: &mut Builder) {
    let (a, sign) = magnitude(b, 200.0);
    let e = natural(b, a);
    let (one, half) = (b.c(1.0), b.c(0.5));
    let inverse = b.div(one, e);
    let large = b.sub(e, inverse);
    let large = b.mul(large, half);
    let small = small_sinh(b, a);
    let is_small = b.less(a, one);
    let s = b.select(is_small, small, large);
    let s = b.with_sign(s, sign);
    b.round(s, -48);
}

pub(super) fn cosh(b: &mut Builder) {
    let (a, _) = magnitude(b, 200.0);
    let e = natural(b, a);
    let (one, half) = (b.c(1.0), b.c(0.5));
    let inverse = b.div(one, e);
    let sum = b.add(e, inverse);
    let c = b.mul(sum, half);
    b.round(c, -48);
}

/// tanh a = sinh a / cosh a below 1; 1 − 2/(e^2a + 1) above, where the subtrahend is below 1/4.
pub(super) fn tanh(b: &mut Builder) {
    let (a, sign) = magnitude(b, 40.0);
    let e = natural(b, a);
    let (one, two, half) = (b.c(1.0), b.c(2.0), b.c(0.5));
    let inverse = b.div(one, e);
    let sum = b.add(e, inverse);
    let cosh = b.mul(sum, half);
    let sinh = small_sinh(b, a);
    let square = b.mul(e, e);
    let more = b.add(square, one);
    let is_small = b.less(a, one);
    // One division for both.
    let dividend = b.select(is_small, sinh, two);
    let divisor = b.select(is_small, cosh, more);
    let quotient = b.div(dividend, divisor);
    let large = b.sub(one, quotient);
    let t = b.select(is_small, quotient, large);
    let t = b.with_sign(t, sign);
    b.round(t, -48);
}
