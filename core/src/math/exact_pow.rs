//! Powers that are dyadic rationals of few bits, and hence may be midpoints.

use super::float::{odd_significand, power_of_two};

/// `x^y` if it is an integer of at most 53 bits times a power of two: exactly. `None` otherwise,
/// and then it is neither a binary32 number nor a midpoint, since those have at most 25 bits.
///
/// `x` is positive and not 1, `y` finite and not 0, and `x^y` between 2^-200 and 2^200.
///
/// Let `x = m·2^e` and `y = n·2^f` with odd `m` and `n`, and let the result be `c·2^g`, `c` odd.
///
/// - `m = 1`: the result is 2^(ey), rational only if `ey` is an integer.
/// - `m ≥ 3`, `y < 0`: raised to the power of 2^-f (or as it is, for `f ≥ 0`) the equation gives
///   `m^k · c^l = 2^j` with `k ≥ 1`, which no odd `m ≥ 3` satisfies: none.
/// - `m ≥ 3`, `y > 0`, `f ≥ 0`: `c = m^y`. 3^34 has 54 bits, so `y ≤ 33`.
/// - `m ≥ 3`, `y > 0`, `f < 0`: `m` and 2^e must be 2^-f-th powers of integers and of a power of
///   two, because `n` is odd. As `m < 2^24 < 3^16`, `f ≥ -3`. Then raise the root to the power of
///   `n`.
pub(super) fn exact_pow(x: f32, y: f32) -> Option<f64> {
    let (m, mut e) = odd_significand(x);
    let (n, mut f) = odd_significand(y);
    if m == 1 {
        let exponent = f64::from(e) * f64::from(y);
        let integral = exponent == exponent.trunc() && exponent.abs() <= 200.0;
        return integral.then(|| power_of_two(exponent as i64));
    }
    if n < 0 {
        return None;
    }
    let mut root = u64::try_from(m).ok()?;
    while f < 0 {
        let half = root.isqrt();
        if half * half != root || e % 2 != 0 {
            return None;
        }
        (root, e, f) = (half, e / 2, f + 1);
    }
    let power =
        if f <= 5 { u32::try_from(n).ok()?.checked_shl(f.unsigned_abs())? } else { return None };
    if power > 33 {
        return None;
    }
    let integer = root.checked_pow(power).filter(|&c| c < 1 << 53)?;
    let exponent = i64::from(e) * i64::from(power);
    Some(integer as f64 * power_of_two(exponent))
}
