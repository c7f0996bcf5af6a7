//! The scalar reference mathematics: the elementary functions of λV, correctly rounded.
//!
//! Every function here returns the binary32 number nearest to the exact real result, ties to even,
//! with the ULP of the subnormal range where the result lies there; special values are those of
//! C23, Annex F.10. The result is therefore unique: the same bits on every machine.
//!
//! # Method
//!
//! Ziv's scheme ("Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM
//! TOMS 17, 1991), in four steps:
//!
//! 1. *Special values*: NaN, arguments outside the domain, and zeros whose sign must be kept.
//! 2. *Binary64*: the `libm` crate evaluates the function at the argument, which binary64 holds exactly, to a
//!    value `v`. If the whole interval `v·(1 ± 2^-48)` rounds to one binary32 number, that is the answer
//!    (`decide`).
//! 3. *Exact results* of `pow` (`exact_pow`), and the one midpoint of `exp2`, are rounded exactly.
//! 4. *Ball arithmetic* (`ball`) of 256, 512, … fractional bits encloses the exact result in an interval,
//!    until the whole interval rounds to one number.
//!
//! # Why the answer is right for every argument
//!
//! Rounding is monotone. So if both ends of an interval that contains the exact result round to one number,
//! the exact result rounds to it, too. The interval of step 4 contains the exact result because each
//! operation of `ball` encloses its own error. The interval of step 2 contains it if the relative error of
//! `libm` is below 2^-48. The functions of `libm` come from musl and FreeBSD's msun. Their stated errors are
//! below 2 ULP (2^-51), so the bound is 8 times that. This is the only assumption without proof, and only
//! `pow` and `atan2` rest on it: for functions of one argument all 2^32 results have been compared with
//! CORE-MATH's (`lambdav-oracle reference --numbers 0`). About one value in 2^23 reaches step 4, which takes
//! as long as a thousand others. If a result overflows or underflows in binary64 (`exp`, `exp2`, `pow`,
//! `sinh`, `cosh` of large arguments), the bound does not hold. But then both the exact result and `v` are
//! far beyond the last binary32 number, or far below half the least.
//!
//! Step 4 ends unless the exact result is *on* the boundary of two rounding intervals: a midpoint between two
//! neighbouring binary32 numbers. (A result that is itself a binary32 number is far from any midpoint, so
//! step 2 answers.) Midpoints are rational, and
//!
//! - by Lindemann and Weierstrass, `sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log` are
//!   transcendental at every algebraic argument except where they are 0 or 1, and so is the angle of `atan2`,
//!   unless it is 0;
//! - by Gelfond and Schneider, `log2 x` is transcendental unless `x` is a power of two, when it is a binary32
//!   number. `exp2 x` and `pow x y` are algebraic. For a dyadic rational exponent they are midpoints in few
//!   cases only, which step 3 decides in integers: see `exact_pow`. For `exp2` the only case is -150, half
//!   the least subnormal number.
//!
//! The bits needed are bounded by the midpoints' distance: at most about 450 fractional bits, for
//! `atan2` where `y/x` is a subnormal midpoint and the angle lies `(y/x)³/3` below it.

mod ball;
pub mod binary64;
mod enclosures;
mod exact_pow;
mod float;
mod rounding;
#[cfg(test)]
mod tests;

pub use rounding::fma;
use rounding::{BINARY32, decide, rounded};

/// Defines functions of one argument: NaN outside `$domain`; the argument itself if it is zero and the
/// function is marked `keeps_zero`; otherwise the rounded value.
///
/// At infinities, at poles, and at overflow, `libm` returns the infinities and limits of Annex F, and the
/// rounding test passes them.
macro_rules! unary {
    (@zero keeps_zero $x:ident) => { if $x == 0.0 { return $x; } };
    (@zero moves_zero $x:ident) => {};
    ($($(#[$doc:meta])* $name:ident, $zero:ident, |$x:ident| $domain:expr;)*) => { $(
        $(#[$doc])*
        pub fn $name($x: f32) -> f32 {
            let defined: bool = $domain;
            if $x.is_nan() || !defined {
                return f32::NAN;
            }
            unary!(@zero $zero $x);
            rounded(libm::$name(f64::from($x)), |bits| enclosures::$name(f64::from($x), bits))
        }
    )* };
}

unary! {
    /// The sine of `x` radians. NaN at infinities.
    sin, keeps_zero, |x| x.is_finite();
    /// The cosine of `x` radians. NaN at infinities.
    cos, moves_zero, |x| x.is_finite();
    /// The tangent of `x` radians. NaN at infinities.
    tan, keeps_zero, |x| x.is_finite();
    /// The angle in [−π/2, π/2] radians whose sine is `x`. NaN outside [−1, 1].
    asin, keeps_zero, |x| x.abs() <= 1.0;
    /// The angle in [0, π] radians whose cosine is `x`. NaN outside [−1, 1].
    acos, moves_zero, |x| x.abs() <= 1.0;
    /// The angle in [−π/2, π/2] radians whose tangent is `x`.
    atan, keeps_zero, |_x| true;
    /// The hyperbolic sine.
    sinh, keeps_zero, |_x| true;
    /// The hyperbolic cosine.
    cosh, moves_zero, |_x| true;
    /// The hyperbolic tangent.
    tanh, keeps_zero, |_x| true;
    /// The inverse of [`sinh`].
    asinh, keeps_zero, |_x| true;
    /// The inverse of [`cosh`] that is not negative. NaN below 1.
    acosh, moves_zero, |x| x >= 1.0;
    /// The inverse of [`tanh`]. Infinite at ±1, NaN outside [−1, 1].
    atanh, keeps_zero, |x| x.abs() <= 1.0;
    /// e to the power of `x`.
    exp, moves_zero, |_x| true;
    /// The natural logarithm. −∞ at zeros, NaN below.
    log, moves_zero, |x| x >= 0.0;
    /// The logarithm to base 2. −∞ at zeros, NaN below.
    log2, moves_zero, |x| x >= 0.0;
}

/// 2 to the power of `x`.
pub fn exp2(x: f32) -> f32 {
    if x.is_nan() {
        return f32::NAN;
    }
    if x == -150.0 {
        return 0.0; // halfway between 0 and the least subnormal number, of which 0 is even
    }
    rounded(libm::exp2(f64::from(x)), |bits| enclosures::exp2(f64::from(x), bits))
}

/// The angle in [−π, π] radians of the point (`x`, `y`); note the order of the arguments.
///
/// The result has the sign of `y`, even if `y` is zero. If `y` is zero, an `x` of −0 counts as negative.
pub fn atan2(y: f32, x: f32) -> f32 {
    // None of the angles is near a midpoint in binary64, so rounding them a second time is correct.
    let eighths = |count: u8| f64::from((f64::from(count) * std::f64::consts::FRAC_PI_4) as f32);
    narrowed(angle(y.into(), x.into(), eighths, |y, x| {
        f64::from(rounded(libm::atan2(y, x), |bits| enclosures::atan2(y, x, bits)))
    }))
}

/// The angle of a point in any format. Directions along the axes and the diagonals are the limits of Annex F, in
/// eighths of a turn; `between` has the others, of points with a positive `y`.
fn angle(
    y: f64,
    x: f64,
    eighths: impl Fn(u8) -> f64,
    between: impl FnOnce(f64, f64) -> f64,
) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (a, b) = (y.abs(), x.abs());
    let is_left = x.is_sign_negative();
    let angle = if a == 0.0 || (b.is_infinite() && a.is_finite()) {
        if is_left { eighths(4) } else { 0.0 }
    } else if b == 0.0 || (a.is_infinite() && b.is_finite()) {
        eighths(2)
    } else if a.is_infinite() {
        eighths(if is_left { 3 } else { 1 })
    } else {
        between(a, x)
    };
    angle.copysign(y)
}

/// A value that is a binary32 number, or NaN, which is one value.
fn narrowed(value: f64) -> f32 {
    if value.is_nan() { f32::NAN } else { value as f32 }
}

/// `x` to the power of `y`.
///
/// 1 if `y` is zero or `x` is 1, even if the other is NaN. A finite negative base needs an integral exponent,
/// otherwise the result is NaN. −0 and −∞ count as negative for odd exponents only.
pub fn pow(x: f32, y: f32) -> f32 {
    narrowed(power(x.into(), y.into(), |x, y| f64::from(pow_of_positive(x, y))))
}

/// A power in any format; `of_positive` has those of positive finite bases other than 1 by finite exponents other
/// than 0.
fn power(x: f64, y: f64, of_positive: impl FnOnce(f64, f64) -> f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x < 0.0 && x.is_finite() && y.is_finite() && y != y.trunc() {
        return f64::NAN;
    }
    let base = x.abs();
    let magnitude = if base == 1.0 {
        1.0
    } else if base == 0.0 || base.is_infinite() || y.is_infinite() {
        if (base > 1.0) == (y > 0.0) { f64::INFINITY } else { 0.0 }
    } else {
        of_positive(base, y)
    };
    // From 2^53 on, all numbers are even.
    let is_odd = y.abs() < 9_007_199_254_740_992.0 && y == y.trunc() && y as i64 % 2 != 0;
    if x.is_sign_negative() && is_odd { -magnitude } else { magnitude }
}

fn pow_of_positive(x: f64, y: f64) -> f32 {
    decide(libm::pow(x, y)).unwrap_or_else(|| match exact_pow::exact_pow(x, y) {
        Some((integer, exponent)) => rounding::nearest_scaled(integer, exponent, BINARY32) as f32,
        None => rounding::refine(|bits| enclosures::pow(x, y, bits)),
    })
}
