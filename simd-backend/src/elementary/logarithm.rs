//! `log log2 asinh acosh atanh`.
//!
//! x = 2^k m with √½ ≤ m < √2, and log m = 2 artanh s with s = f/(2 + f), f = m − 1 and |s| < 0.1716, by the
//! series 2s(1 + s²/3 + s⁴/5 + …) to s^24: off by less than 2^-68 relatively.
//!
//! *Error.* f is exact, s off by less than 2u, log m by less than 5u relatively. k ln 2 is added in two parts, the
//! first exact; the sum is never below half of either part (k = −1 and m near √2 is the worst), so the result
//! is off by less than 16u: ε = 2^-48.

use super::{Builder, V};

/// 2/(2n + 1) for n from 0.
const SERIES: [f64; 13] = {
    let mut values = [2.0; 13];
    let mut n = 1;
    while n < 13 {
        values[n] = 2.0 / (2 * n + 1) as f64;
        n += 1;
    }
    values
};

const LN2: [f64; 2] = [0.693_147_180_559_208_2, 7.371_002_565_167_799e-13];

/// k and m of a positive normal number.
fn split(b: &mut Builder, x: V) -> (V, V) {
    // The exponent of x/√½, kept positive by 1024.
    let bits = b.bits_of(x);
    let root = b.i((1024_u64 << 52).wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits()));
    let shifted = b.add(bits, root);
    let biased = b.shift_right(shifted, 52);
    let power = b.shift_left(biased, 52);
    let bits = b.sub(bits, power);
    let bias = b.i(1024 << 52);
    let bits = b.add(bits, bias);
    let m = b.number_of(bits);
    // 2^52 + an integer below has that integer as its last bits.
    let exponent = b.i(4_503_599_627_370_496.0_f64.to_bits());
    let whole = b.or(biased, exponent);
    let whole = b.number_of(whole);
    let offset = b.c(4_503_599_627_370_496.0 + 1024.0);
    (b.sub(whole, offset), m)
}

/// log m, m being near 1.
fn near_one(b: &mut Builder, m: V) -> V {
    let (one, two) = (b.c(1.0), b.c(2.0));
    let f = b.sub(m, one);
    let divisor = b.add(two, f);
    let s = b.div(f, divisor);
    let square = b.mul(s, s);
    let p = b.polynomial(square, &SERIES);
    b.mul(s, p)
}

/// log x of a positive normal number.
fn natural(b: &mut Builder, x: V) -> V {
    let (k, m) = split(b, x);
    let log = near_one(b, m);
    let [high, low] = LN2.map(|part| {
        let part = b.c(part);
        b.mul(k, part)
    });
    let log = b.add(low, log);
    b.add(high, log)
}

/// log2 x of a positive normal number: k + log m · log2 e, off by less than 16u.
pub(super) fn binary(b: &mut Builder, x: V) -> V {
    let (k, m) = split(b, x);
    let log = near_one(b, m);
    let inverse = b.c(std::f64::consts::LOG2_E);
    let log = b.mul(log, inverse);
    b.add(k, log)
}

/// Puts in the values outside the domain: −∞ at zero, NaN below, and infinity and NaN as they are.
fn edges(b: &mut Builder, x: V, log: V) -> V {
    let (zero, infinity, nan) = (b.c(0.0), b.c(f64::INFINITY), b.c(f64::NAN));
    let below = b.c(f64::NEG_INFINITY);
    let is_positive = b.less(zero, x);
    let is_zero = b.equal(x, zero);
    let is_finite = b.less(x, infinity);
    let outside = b.select(is_zero, below, nan);
    let log = b.select(is_finite, log, x);
    b.select(is_positive, log, outside)
}

pub(super) fn log(b: &mut Builder) {
    let x = b.operand(0);
    let log = natural(b, x);
    let log = edges(b, x, log);
    b.round(log, -47);
}

pub(super) fn log2(b: &mut Builder) {
    let x = b.operand(0);
    let log = binary(b, x);
    let log = edges(b, x, log);
    b.round(log, -47);
}

/// log(1 + a) for a ≥ 0: log w + (a − (w − 1))/w, where w = 1 + a as rounded; what the rounding lost comes
/// back in the second summand (Kahan), so that the result is off by less than 20u.
fn of_one_plus(b: &mut Builder, a: V) -> V {
    let one = b.c(1.0);
    let w = b.add(one, a);
    let taken = b.sub(w, one);
    let lost = b.sub(a, taken);
    let correction = b.div(lost, w);
    let log = natural(b, w);
    b.add(log, correction)
}

/// asinh a = log(1 + a + a²/(1 + √(1 + a²))), with the sign of the argument.
pub(super) fn asinh(b: &mut Builder) {
    let x = b.operand(0);
    let sign = b.sign_of(x);
    let a = b.abs(x);
    let (one, infinity) = (b.c(1.0), b.c(f64::INFINITY));
    let square = b.mul(a, a);
    let sum = b.add(one, square);
    let root = b.sqrt(sum);
    let divisor = b.add(one, root);
    let part = b.div(square, divisor);
    let argument = b.add(a, part);
    let log = of_one_plus(b, argument);
    let is_finite = b.less(a, infinity);
    // Infinity and NaN as they are.
    let log = b.select(is_finite, log, a);
    let log = b.with_sign(log, sign);
    b.round(log, -47);
}

/// acosh x = log(1 + t + √(t(2 + t))) with t = x − 1, which is exact.
pub(super) fn acosh(b: &mut Builder) {
    let x = b.operand(0);
    let (one, two, infinity, nan) = (b.c(1.0), b.c(2.0), b.c(f64::INFINITY), b.c(f64::NAN));
    let t = b.sub(x, one);
    let more = b.add(two, t);
    let product = b.mul(t, more);
    let root = b.sqrt(product);
    let argument = b.add(t, root);
    let log = of_one_plus(b, argument);
    let is_finite = b.less(x, infinity);
    let log = b.select(is_finite, log, x);
    let is_below = b.less(x, one);
    let log = b.select(is_below, nan, log);
    b.round(log, -47);
}

/// artanh a = ½ log(1 + 2a/(1 − a)), with the sign of the argument; infinite at 1, NaN above.
pub(super) fn atanh(b: &mut Builder) {
    let x = b.operand(0);
    let sign = b.sign_of(x);
    let a = b.abs(x);
    let (one, half, infinity, nan) = (b.c(1.0), b.c(0.5), b.c(f64::INFINITY), b.c(f64::NAN));
    let twice = b.add(a, a);
    let divisor = b.sub(one, a);
    let argument = b.div(twice, divisor);
    let log = of_one_plus(b, argument);
    let log = b.mul(log, half);
    let is_one = b.equal(a, one);
    let outside = b.select(is_one, infinity, nan);
    let is_inside = b.less(a, one);
    let log = b.select(is_inside, log, outside);
    let log = b.with_sign(log, sign);
    b.round(log, -47);
}
