//! Packing of vectors into a word.

use super::super::arithmetic::word;
use super::super::code::Operand;
use super::each::{bits, each, number};
use super::numbers::most;

/// Clamps, scales and rounds components to integers of `width` bits; NaN is 0.
fn pack(of: &[Operand<'_>], out: &mut [u32], width: u32, low: f64, scale: f64) {
    let mut packed = 0;
    for k in 0..32 / width {
        let x = f64::from(number(of, 0, k as usize));
        let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
        // In binary64 the product is exact.
        let integer = (x * scale).round_ties_even() as i32 as u32;
        packed |= (integer & ((1 << width) - 1)) << (k * width);
    }
    out.fill(packed);
}

pub(super) fn pack_snorm_4x8(of: &[Operand<'_>], out: &mut [u32]) {
    pack(of, out, 8, -1.0, 127.0);
}

pub(super) fn pack_unorm_4x8(of: &[Operand<'_>], out: &mut [u32]) {
    pack(of, out, 8, 0.0, 255.0);
}

pub(super) fn pack_snorm_2x16(of: &[Operand<'_>], out: &mut [u32]) {
    pack(of, out, 16, -1.0, 32_767.0);
}

pub(super) fn pack_unorm_2x16(of: &[Operand<'_>], out: &mut [u32]) {
    pack(of, out, 16, 0.0, 65_535.0);
}

/// Extracts the fields of a word and scales each.
fn unpack(of: &[Operand<'_>], out: &mut [u32], is_signed: bool, scale: f32) {
    let all = bits(of, 0, 0);
    let width = 32 / out.len().max(1) as u32;
    for (k, out) in (0..).zip(out) {
        let top = all << (32 - (k + 1) * width);
        *out = word(match is_signed {
            true => most((top as i32 >> (32 - width)) as f32 / scale, -1.0),
            false => (top >> (32 - width)) as f32 / scale,
        });
    }
}

pub(super) fn unpack_snorm_4x8(of: &[Operand<'_>], out: &mut [u32]) {
    unpack(of, out, true, 127.0);
}

pub(super) fn unpack_unorm_4x8(of: &[Operand<'_>], out: &mut [u32]) {
    unpack(of, out, false, 255.0);
}

pub(super) fn unpack_snorm_2x16(of: &[Operand<'_>], out: &mut [u32]) {
    unpack(of, out, true, 32_767.0);
}

pub(super) fn unpack_unorm_2x16(of: &[Operand<'_>], out: &mut [u32]) {
    unpack(of, out, false, 65_535.0);
}

/// The nearest binary16, ties to even.
fn half(x: f32) -> u32 {
    let (sign, size) = (x.to_bits() >> 16 & 0x8000, f64::from(x.abs()));
    if x.is_nan() {
        return 0x7e00;
    }
    if size >= 65_520.0 {
        return sign | 0x7c00;
    }
    if size < 2_f64.powi(-14) {
        return sign | (size * 2_f64.powi(24)).round_ties_even() as u32;
    }
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    let places = (size / 2_f64.powi(exponent - 10)).round_ties_even() as u32;
    // A significand of 2048 carries into the exponent.
    sign | ((((exponent + 15) as u32) << 10) + (places - 1024))
}

pub(super) fn pack_half(of: &[Operand<'_>], out: &mut [u32]) {
    out.fill(half(number(of, 0, 0)) | half(number(of, 0, 1)) << 16);
}

/// The value of a binary16.
fn whole(half: u32) -> f32 {
    let (exponent, places) = (half >> 10 & 0x1f, f64::from(half & 0x3ff));
    let size = match exponent {
        0 => places * 2_f64.powi(-24),
        31 if places > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1024.0 + places) * 2_f64.powi(exponent as i32 - 25),
    };
    (if half & 0x8000 != 0 { -size } else { size }) as f32
}

pub(super) fn unpack_half(of: &[Operand<'_>], out: &mut [u32]) {
    for (k, out) in (0..).zip(out) {
        *out = word(whole(bits(of, 0, 0) >> (16 * k) & 0xffff));
    }
}

/// The nearest binary16; below the normal range, zero with the operand's sign.
pub(super) fn quantize(of: &[Operand<'_>], out: &mut [u32]) {
    each(of, out, |[x, ..]| match f64::from(x.abs()) < 2_f64.powi(-14) {
        true => 0.0_f32.copysign(x),
        false => whole(half(x)),
    });
}
