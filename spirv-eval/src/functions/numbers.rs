//! Functions of floats, in the order of LANGUAGE §6.

use super::super::arithmetic::word;
use super::super::code::Operand;
use super::each::{each, each_word, number};

/// π/180 and 180/π.
const RADIANS: f32 = 0.017_453_292;
const DEGREES: f32 = 57.295_78;

/// `a`, unless `b` is less.
fn least(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// `a`, unless `b` is greater.
pub(super) fn most(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn prefer(a: f32, b: f32, f: fn(f32, f32) -> f32) -> f32 {
    if a.is_nan() { b } else { f(a, b) }
}

pub(super) fn fract(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, ..]| x - x.floor());
}

pub(super) fn radians(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, ..]| x * RADIANS);
}

pub(super) fn degrees(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, ..]| x * DEGREES);
}

pub(super) fn sign(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, ..]| f32::from(i8::from(x > 0.0) - i8::from(x < 0.0)));
}

pub(super) fn minimum(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[a, b, _]| least(a, b));
}

pub(super) fn maximum(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[a, b, _]| most(a, b));
}

pub(super) fn clamp(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, low, high]| least(most(x, low), high));
}

pub(super) fn n_min(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[a, b, _]| prefer(a, b, least));
}

pub(super) fn n_max(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[a, b, _]| prefer(a, b, most));
}

pub(super) fn n_clamp(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, low, high]| prefer(prefer(x, low, most), high, least));
}

pub(super) fn mix(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[a, b, t]| a * (1.0 - t) + b * t);
}

pub(super) fn step(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[edge, x, _]| if x < edge { 0.0 } else { 1.0 });
}

pub(super) fn smooth_step(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[low, high, x]| {
        let t = least(most((x - low) / (high - low), 0.0), 1.0);
        (t * t) * (3.0 - 2.0 * t)
    });
}

/// Multiplies by a power of two, rounded once: in binary64 the product is exact.
pub(super) fn ldexp(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[x, n, _]| {
        let power = 2_f64.powi((n as i32).clamp(-600, 600));
        word((f64::from(f32::from_bits(x)) * power) as f32)
    });
}

/// Fractional parts, then integral parts.
pub(super) fn modf(of: &[Operand<'_>], out: &mut [u32]) {
    let (parts, wholes) = out.split_at_mut(out.len() / 2);
    for (k, (part, whole)) in parts.iter_mut().zip(wholes).enumerate() {
        let x = number(of, 0, k);
        *whole = word(x.trunc());
        *part = word(if x.is_infinite() { 0.0 } else { x - x.trunc() }.copysign(x));
    }
}

/// Significands, then exponents; for zero, infinities and NaN the number itself and 0.
pub(super) fn frexp(of: &[Operand<'_>], out: &mut [u32]) {
    let (significands, exponents) = out.split_at_mut(out.len() / 2);
    for (k, (significand, exponent)) in significands.iter_mut().zip(exponents).enumerate() {
        let x = number(of, 0, k);
        (*significand, *exponent) = (word(x), 0);
        if x != 0.0 && x.is_finite() {
            // In binary64 the number is normal.
            let bits = f64::from(x).to_bits();
            let power = (bits >> 52 & 0x7ff) as i32 - 1022;
            *significand = word((f64::from(x) / 2_f64.powi(power)) as f32);
            *exponent = power as u32;
        }
    }
}
