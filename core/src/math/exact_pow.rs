//! Powers that are dyadic rationals of few bits, and hence may be midpoints.

use super::float::odd_significand;

/// `(c, g)` with `x^y = c·2^g`, `c` odd of at most 54 bits, if there is such a pair. Otherwise `x^y` is neither a
/// number nor a midpoint of binary32 or binary64, since those have at most 54 bits.
///
/// `x` is positive and not 1, `y` finite and not 0.
///
/// Let `x = m·2^e` and `y = n·2^f` with odd `m` and `n`, and let the result be `c·2^g`, `c` odd.
///
/// - `m = 1`: the result is 2^(ey), rational only if `ey` is an integer.
/// - `m ≥ 3`, `y < 0`: raised to the power of 2^-f (or as it is, for `f ≥ 0`) the equation gives
///   `m^k · c^l = 2^j` with `k ≥ 1`, which no odd `m ≥ 3` satisfies: none.
/// - `m ≥ 3`, `y > 0`, `f ≥ 0`: `c = m^y`. 3^35 has 56 bits, so `y ≤ 34`.
/// - `m ≥ 3`, `y > 0`, `f < 0`: `m` and 2^e must be 2^-f-th powers of integers and of a power of
///   two, because `n` is odd. As `m < 2^53 < 3^34`, `f ≥ -5`. Then raise the root to the power of
///   `n`.
pub(super) fn exact_pow(x: f64, y: f64) -> Option<(u64, i64)> {
    let (m, mut e) = odd_significand(x);
    let (n, mut f) = odd_significand(y);
    if m == 1 {
        let product = i64::from(e).checked_mul(n)?;
        return match u32::try_from(f) {
            Ok(_) if product == 0 => Some((1, 0)),
            Ok(f) => Some((1, product.checked_mul(1_i64.checked_shl(f)?)?)),
            Err(_) => {
                let lost = f.unsigned_abs();
                let is_whole = product == 0 || product.trailing_zeros() >= lost;
                is_whole.then(|| (1, product.checked_shr(lost).unwrap_or(0)))
            }
        };
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
    let power = if f <= 5 { n.checked_mul(1 << f)? } else { return None };
    let power = u32::try_from(power).ok().filter(|&power| power <= 34)?;
    let integer = root.checked_pow(power).filter(|&c| c < 1 << 54)?;
    Some((integer, i64::from(e) * i64::from(power)))
}
