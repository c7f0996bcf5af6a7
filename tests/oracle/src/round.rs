//! Rounding of multi-precision numbers to binary32.

use astro_float_num::{BigFloat, Sign, WORD_BIT_SIZE};

/// What is known of a result from an approximation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rounding {
    /// The binary32 number nearest to every number within the error.
    Nearest(f32),
    /// A midpoint is within the error. The number is the even one of its neighbours.
    Midpoint(f32),
}

/// Rounds `value`, of which the first `reliable` bits of the significand are right, but for a carry
/// that runs through the last of them. Not NaN.
pub fn to_f32(value: &BigFloat, reliable: usize) -> Rounding {
    if value.is_inf() {
        return Rounding::Nearest(if value.is_inf_neg() { -f32::INFINITY } else { f32::INFINITY });
    }
    let (words, _, sign, exponent, _) = value.as_raw_parts().expect("a number");
    let signed = |x: f32| if sign == Sign::Neg { -x } else { x };
    if value.is_zero() {
        return Rounding::Nearest(signed(0.0));
    }
    // The significand is 0.1… times 2^exponent; bit 0 is its first, words are from the last.
    let bit = |i: usize| {
        let word = i / WORD_BIT_SIZE;
        word < words.len()
            && words[words.len() - 1 - word] >> (WORD_BIT_SIZE - 1 - i % WORD_BIT_SIZE) & 1 == 1
    };
    if exponent > 128 {
        return Rounding::Nearest(signed(f32::INFINITY));
    }
    // Bits at and above the place of the last bit of the result, 2^-149 if it is subnormal.
    let kept = (exponent + 149).min(24);
    let Ok(kept) = usize::try_from(kept) else {
        return Rounding::Nearest(signed(0.0)); // below 2^-150
    };
    let integer = (0..kept).fold(0_u32, |n, i| n << 1 | u32::from(bit(i)));
    // Neighbours in magnitude have neighbouring bits, across binades and up to infinity.
    let below = if kept == 24 {
        integer - (1 << 23) + (u32::try_from(exponent + 126).expect("normal") << 23)
    } else {
        integer
    };
    let above_half = bit(kept);
    let near_midpoint = (kept + 1..reliable).all(|i| bit(i) != above_half);
    if near_midpoint {
        Rounding::Midpoint(signed(f32::from_bits(below + below % 2)))
    } else {
        Rounding::Nearest(signed(f32::from_bits(below + u32::from(above_half))))
    }
}
