//! Integers made of several numbers, fields of bits, and the parts of a float. Scaled numbers are exact in binary64.

/// Packs numbers of `width` bits each, the first lowest: scaled, clamped and rounded to even.
pub fn pack(numbers: &[u32], width: u32, is_signed: bool) -> u32 {
    let least = if is_signed { -1.0 } else { 0.0 };
    let scale = f64::from((1_u32 << (width - u32::from(is_signed))) - 1);
    let field = |word: u32| {
        let number = f32::from_bits(word);
        let number = if number.is_nan() { 0.0 } else { f64::from(number).clamp(least, 1.0) };
        let field = (number * scale).round_ties_even() as i32 as u32;
        field & (u32::MAX >> (32 - width))
    };
    gather(numbers.iter().map(|&word| field(word)), width)
}

fn gather(fields: impl Iterator<Item = u32>, width: u32) -> u32 {
    fields.zip(0..).fold(0, |word, (field, k)| word | field << (k * width))
}

/// The numbers of fields of `width` bits: quotients in binary32.
pub fn unpack(word: u32, width: u32, is_signed: bool) -> Vec<u32> {
    let number = |k: u32| {
        let field = word << (32 - (k + 1) * width);
        let scale = ((1_u32 << (width - u32::from(is_signed))) - 1) as f32;
        match is_signed {
            true => ((field as i32 >> (32 - width)) as f32 / scale).max(-1.0),
            false => (field >> (32 - width)) as f32 / scale,
        }
    };
    (0..32 / width).map(|k| number(k).to_bits()).collect()
}

/// Packs two binary16, each the nearest one, ties to even.
pub fn pack_half(numbers: &[u32]) -> u32 {
    let half = |word: u32| {
        let number = f32::from_bits(word);
        if number.is_nan() {
            return 0x7e00;
        }
        let sign = (word >> 31) << 15;
        let size = f64::from(number.abs());
        if size >= 65_520.0 {
            return sign | 0x7c00;
        }
        let exponent = match size == 0.0 {
            true => -14,
            false => ((size.to_bits() >> 52) as i32 - 1023).max(-14),
        };
        let significand = (size / 2_f64.powi(exponent - 10)).round_ties_even() as u32;
        sign | ((((exponent + 14) as u32) << 10) + significand)
    };
    gather(numbers.iter().map(|&word| half(word)), 16)
}

/// The two binary16 of a word.
pub fn unpack_half(word: u32) -> Vec<u32> {
    let number = |half: u32| {
        let (exponent, significand) = ((half >> 10 & 31) as i32, f64::from(half & 1023));
        let size = match exponent {
            31 if half & 1023 == 0 => f64::INFINITY,
            31 => return lambdav_core::op::NAN,
            0 => significand * 2_f64.powi(-24),
            _ => (1024.0 + significand) * 2_f64.powi(exponent - 25),
        };
        ((half & 0x8000) << 16) | (size as f32).to_bits()
    };
    vec![number(word & 0xffff), number(word >> 16)]
}

/// A field's offset and count, within 32 bits.
fn field(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    (offset, count.min(32 - offset))
}

/// The bits of a field, extended by its sign or by zeros.
pub fn extract(word: u32, offset: u32, count: u32, is_signed: bool) -> u32 {
    let (offset, count) = field(offset, count);
    if count == 0 {
        return 0;
    }
    let above = word << (32 - offset - count);
    if is_signed { (above as i32 >> (32 - count)) as u32 } else { above >> (32 - count) }
}

/// The word with a field replaced by the low bits of `new`.
pub fn insert(word: u32, new: u32, offset: u32, count: u32) -> u32 {
    let (offset, count) = field(offset, count);
    let mask = (((1_u64 << count) - 1) << offset) as u32;
    let moved = (u64::from(new) << offset) as u32;
    (word & !mask) | (moved & mask)
}

/// The index of the highest bit that is 1, or that differs from the sign; −1 without one.
pub fn highest(word: u32, is_signed: bool) -> u32 {
    let word = if is_signed && word >> 31 == 1 { !word } else { word };
    31_u32.wrapping_sub(word.leading_zeros())
}

/// The index of the lowest bit that is 1; −1 without one.
pub fn lowest(word: u32) -> u32 {
    if word == 0 { u32::MAX } else { word.trailing_zeros() }
}

/// The significand in ±[½, 1), and the exponent; of zero, infinities and NaN the operand and 0.
pub fn significand(word: u32) -> (u32, u32) {
    let number = f32::from_bits(word);
    if number == 0.0 || !number.is_finite() {
        return (word, 0);
    }
    let wide = f64::from(number);
    let exponent = (wide.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    let part = wide / 2_f64.powi(exponent);
    ((part as f32).to_bits(), exponent as u32)
}

/// `x·2^n`, rounded once.
pub fn scaled(word: u32, exponent: u32) -> u32 {
    let factor = 2_f64.powi((exponent as i32).clamp(-400, 400));
    lambdav_core::float::canonical_bits((f64::from(f32::from_bits(word)) * factor) as f32)
}
