//! Rounding of multi-precision numbers to binary32.

use astro_float_num::{BigFloat, Sign, WORD_BIT_SIZE};

/// The rounding of an approximate result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rounding {
    /// The binary32 number nearest to every number within the error.
    Nearest(f32),
    /// A midpoint is within the error. The value is its even neighbour.
    Midpoint(f32),
}

/// Rounds `value`. The first `reliable` bits of its significand are right, except for a carry that runs
/// through the last of them. `value` must not be NaN.
pub fn to_f32(value: &BigFloat, reliable: usize) -> Rounding {
    if value.is_inf() {
        return Rounding::Nearest(if value.is_inf_neg() { -f32::INFINITY } else { f32::INFINITY });
    }
    let (words, _, sign, exponent, _) = value.as_raw_parts().expect("a number");
    let signed = |x: f32| if sign == Sign::Neg { -x } else { x };
    if value.is_zero() {
        return Rounding::Nearest(signed(0.0));
    }
    // The significand is 0.1… times 2^exponent. Bit 0 is its first bit; words are in ascending order of
    // weight.
    let bit = |i: usize| {
        let word = i / WORD_BIT_SIZE;
        word < words.len()
            && words[words.len() - 1 - word] >> (WORD_BIT_SIZE - 1 - i % WORD_BIT_SIZE) & 1 == 1
    };
    if exponent > 128 {
        return Rounding::Nearest(signed(f32::INFINITY));
    }
    // Number of bits down to the last bit of the result, which is 2^-149 for subnormal results.
    let kept = (exponent + 149).min(24);
    let Ok(kept) = usize::try_from(kept) else {
        return Rounding::Nearest(signed(0.0)); // below 2^-150
    };
    let integer = (0..kept).fold(0_u32, |n, i| n << 1 | u32::from(bit(i)));
    // Numbers adjacent in magnitude have adjacent bits, across binades and up to infinity.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `m · 2^e`, changed by `nudge · 2^(e - 100)`.
    fn rounded(m: i32, e: i32, nudge: i32) -> Rounding {
        let exact = BigFloat::from_i32(m, 192);
        let mut small = BigFloat::from_i32(nudge, 192);
        if nudge != 0 {
            small.set_exponent(small.exponent().expect("a number") - 100);
        }
        let mut value = exact.add(&small, 192, astro_float_num::RoundingMode::None);
        value.set_exponent(value.exponent().expect("a number") + e);
        to_f32(&value, 160)
    }

    #[test]
    fn normal_subnormal_and_overflowing_numbers() {
        let least = f32::from_bits(1);
        assert_eq!(rounded(-3, 0, 0), Rounding::Nearest(-3.0));
        assert_eq!(rounded(3, -149, 0), Rounding::Nearest(3.0 * least));
        assert_eq!(rounded(3, -150, 0), Rounding::Midpoint(2.0 * least));
        assert_eq!(rounded(5, -150, 0), Rounding::Midpoint(2.0 * least));
        assert_eq!(rounded(5, -150, 1), Rounding::Nearest(3.0 * least));
        assert_eq!(rounded(3, -150, -1), Rounding::Nearest(least));
        assert_eq!(rounded(1, -150, 0), Rounding::Midpoint(0.0));
        assert_eq!(rounded(1, -150, 1), Rounding::Nearest(least));
        assert_eq!(rounded(1, -150, -1), Rounding::Nearest(0.0));
        assert_eq!(rounded(0x1ff_ffff, -1, 0), Rounding::Midpoint(16_777_216.0));
        assert_eq!(rounded(0x1ff_ffff, 103, 0), Rounding::Midpoint(f32::INFINITY));
        assert_eq!(rounded(0x1ff_ffff, 103, -1), Rounding::Nearest(f32::MAX));
        assert_eq!(rounded(1, 128, 0), Rounding::Nearest(f32::INFINITY));
    }
}
