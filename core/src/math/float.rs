//! The parts of binary floating-point numbers.

/// 2^`exponent`, for an exponent within the normal range of binary64.
pub(super) fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(u64::try_from(exponent + 1023).expect("a normal exponent") << 52)
}

/// `(m, e)` with `x = m · 2^e`, `m` an odd integer of at most 53 bits, 24 if `x` is a binary32 number (0 if `x`
/// is 0); `x` finite.
pub(super) fn odd_significand(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let magnitude = magnitude >> zeros;
    (if x < 0.0 { -magnitude } else { magnitude }, exponent + zeros as i32)
}
