//! `sin cos tan`.
//!
//! x = k π/2 + r with k = round(x · 2/π) and |r| ≤ π/4 (1 + 2^-30), for |x| ≤ 2^20; beyond, the lane is refused.
//!
//! *Error.* π/2 is taken in parts of 33, 33 and 53 bits (Cody and Waite). k has at most 20 bits, so the first
//! two products are exact; the first difference is exact, since both terms are multiples of x's last digit and it
//! is small; the second is rounded once; the third product is off by u |k| 2^-68, and the parts together
//! by |k| 2^-119. No binary32 number below 2^20 is nearer to a multiple of π/2 than 2^-50, so r is off by less
//! than 4u relatively. The Taylor polynomials, to r^17 and r^16, are off by less than 2^-63 and 2^-58; sine and
//! cosine by less than 8u, the tangent by less than 20u.

use super::{Builder, MAGIC, V};

/// π/2 in parts.
const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// The largest argument.
const BOUND: f64 = 1_048_576.0;

const SINE: [f64; 9] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];

const COSINE: [f64; 9] = [
    1.0,
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// What the functions have in common.
struct Reduced {
    /// The lanes beyond the bound.
    beyond: V,
    /// k as an integer, in its last bits.
    k: V,
    /// Whether k is odd.
    odd: V,
    sine: V,
    cosine: V,
}

fn reduce(b: &mut Builder) -> Reduced {
    let x = b.operand(0);
    let (inverse, magic) = (b.c(std::f64::consts::FRAC_2_PI), b.c(MAGIC));
    let quotient = b.mul(x, inverse);
    let rounded = b.add(quotient, magic);
    let k = b.sub(rounded, magic);
    let mut r = x;
    for part in HALF_PI {
        let part = b.c(part);
        let product = b.mul(k, part);
        r = b.sub(r, product);
    }
    let square = b.mul(r, r);
    let sine = b.polynomial(square, &SINE);
    let sine = b.mul(r, sine);
    let cosine = b.polynomial(square, &COSINE);
    let k = b.bits_of(rounded);
    let (zero, one) = (b.i(0), b.i(1));
    let last = b.and(k, one);
    let even = b.equal(last, zero);
    let odd = b.op(crate::lanes::Op::Not, &[even]);
    let (a, bound) = (b.abs(x), b.c(BOUND));
    let beyond = b.less(bound, a);
    Reduced { beyond, k, odd, sine, cosine }
}

/// The sign bit where the second last bit of `k` is set.
fn half_turn(b: &mut Builder, k: V) -> V {
    let two = b.i(2);
    let bit = b.and(k, two);
    b.shift_left(bit, 62)
}

pub(super) fn sin(b: &mut Builder) {
    let Reduced { beyond, k, odd, sine, cosine } = reduce(b);
    let value = b.select(odd, cosine, sine);
    let sign = half_turn(b, k);
    let value = b.flip(value, sign);
    b.round(value, -48);
    b.refuse(beyond);
}

/// The sine a quarter turn later.
pub(super) fn cos(b: &mut Builder) {
    let Reduced { beyond, k, odd, sine, cosine } = reduce(b);
    let value = b.select(odd, sine, cosine);
    let one = b.i(1);
    let later = b.add(k, one);
    let sign = half_turn(b, later);
    let value = b.flip(value, sign);
    b.round(value, -48);
    b.refuse(beyond);
}

/// sin r / cos r, or −cos r / sin r.
pub(super) fn tan(b: &mut Builder) {
    let Reduced { beyond, k, odd, sine, cosine } = reduce(b);
    let dividend = b.select(odd, cosine, sine);
    let divisor = b.select(odd, sine, cosine);
    let value = b.div(dividend, divisor);
    let sign = b.shift_left(k, 63);
    let value = b.flip(value, sign);
    b.round(value, -47);
    b.refuse(beyond);
}
