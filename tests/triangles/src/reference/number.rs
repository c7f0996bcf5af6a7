//! Operations on numbers whose bits the language defines.

/// The binary32 number nearest to an integer, ties to even.
pub fn num(integer: i128) -> f32 {
    let magnitude = integer.unsigned_abs();
    let length = 128 - magnitude.leading_zeros();
    // Number of low bits that a significand of 24 bits has no place for.
    let excess = length.saturating_sub(24);
    let kept = magnitude >> excess;
    let twice_rest = 2 * (magnitude - (kept << excess));
    let unit = 1_u128 << excess;
    let rounds_up = twice_rest > unit || (twice_rest == unit && kept % 2 == 1);
    // At most 2^24, so both the conversion and the product by a power of two are exact.
    let significand = (kept as u32 + u32::from(rounds_up)) as f32;
    let rounded = significand * power_of_two(excess as i32);
    if integer < 0 { -rounded } else { rounded }
}

/// 2^`exponent`, which must be that of a normal number.
pub(crate) const fn power_of_two(exponent: i32) -> f32 {
    assert!(-126 <= exponent && exponent <= 127);
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// `x`, with the language's one NaN in place of any other.
pub fn canonical(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(0x7fc0_0000) } else { x }
}

/// `min` of §6.
pub(crate) fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// `max` of §6.
pub(crate) fn max(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

/// `clamp` of §6.
pub fn clamp(x: f32, low: f32, high: f32) -> f32 {
    min(max(x, low), high)
}

/// A depth clamped to [0, 1]. −0 stays; NaN is 0.
pub(crate) fn depth(x: f32) -> f32 {
    let clamped = clamp(x, 0.0, 1.0);
    if clamped.is_nan() { 0.0 } else { clamped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_test_support::Random;

    fn check(integer: i128) {
        let rounded = num(integer);
        assert_eq!(rounded.to_bits(), (integer as f32).to_bits(), "{integer}");
        // All numbers here are integers below 2^128.
        let distance = |x: f32| (x as i128).abs_diff(integer);
        for neighbour in [rounded.next_up(), rounded.next_down()] {
            let (here, there) = (distance(rounded), distance(neighbour));
            let is_even = rounded.to_bits().is_multiple_of(2);
            assert!(here < there || (here == there && is_even), "{integer}");
        }
    }

    #[test]
    fn integers_are_rounded_to_the_nearest_ties_to_even() {
        for exponent in 0..126 {
            let power = 1_i128 << exponent;
            for k in -70..70_i128 {
                let unit = 1_i128 << i32::max(exponent - 25, 0);
                for integer in
                    [power + k, power + k * unit, power + k * unit + 1, power + k * unit - 1]
                {
                    if integer.unsigned_abs() > 1 << 24 {
                        check(integer);
                        check(-integer);
                    }
                    assert_eq!(num(integer).to_bits(), (integer as f32).to_bits());
                }
            }
        }
        let mut random = Random::new(1);
        for _ in 0..200_000 {
            let bits = u128::from(random.bits()) << 64 | u128::from(random.bits());
            let integer = bits as i128 >> (1 + random.below(126));
            assert_eq!(num(integer).to_bits(), (integer as f32).to_bits(), "{integer}");
        }
    }

    #[test]
    fn integers_rounded_by_hand() {
        assert_eq!(num(0).to_bits(), 0);
        assert_eq!(num(-3), -3.0);
        assert_eq!(num(16_777_216), 16_777_216.0);
        assert_eq!(num(16_777_217), 16_777_216.0);
        assert_eq!(num(16_777_219), 16_777_220.0);
        assert_eq!(num(33_554_431), 33_554_432.0);
        assert_eq!(num(-33_554_434), -33_554_432.0);
        assert_eq!(num(33_554_435), 33_554_436.0);
        assert_eq!(num((1 << 53) + (1 << 29)), 9_007_199_254_740_992.0);
        assert_eq!(num((1 << 53) + (1 << 29) + 1), 9_007_200_328_482_816.0);
        assert_eq!(num(i128::MIN), -power_of_two(127));
    }

    #[test]
    fn depths_are_clamped_and_keep_minus_zero() {
        let cases = [(0.25, 0.25), (-0.5, 0.0), (1.5, 1.0), (-0.0, -0.0), (f32::NAN, 0.0)];
        for (x, clamped) in cases {
            assert_eq!(depth(x).to_bits(), f32::to_bits(clamped), "{x}");
        }
        assert_eq!(depth(f32::INFINITY), 1.0);
        assert_eq!(depth(f32::NEG_INFINITY), 0.0);
    }
}
