//! The elementary functions in binary64, correctly rounded: for constants of languages whose compile-time numbers
//! are binary64, such as WGSL's abstract floats.
//!
//! Every function returns the binary64 number nearest to the exact real result, ties to even; special values are
//! those of C23, Annex F.10. The method is step 4 of [`super`] alone: balls of growing precision. It takes tens of
//! microseconds, which constants can afford. Why it ends: exact results that are 0 are returned before; other
//! exact results that balls cannot tell from midpoints are powers, which [`exact_pow`](super::exact_pow) finds,
//! and `exp2` of integers. All others are irrational, see [`super`].

use super::enclosures;
use super::exact_pow::exact_pow;
use super::float::odd_significand;
use super::rounding::{BINARY64, nearest_scaled, refine_to};
use super::{angle, power};
use num_bigint::BigInt;

/// Fractional bits of the first ball, if the arguments need no more.
const FIRST_BITS: u64 = 192;

/// `a·b + c`, rounded once.
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    libm::fma(a, b, c)
}

/// Defines functions of one argument: NaN outside of the domain; else the value in the last column, if there is one;
/// else the rounded value.
macro_rules! unary {
    ($($name:ident, |$x:ident| $domain:expr, $known:expr;)*) => { $(
        #[doc = concat!("[`", stringify!($name), "`](super::", stringify!($name), ") of binary64.")]
        pub fn $name($x: f64) -> f64 {
            let is_defined: bool = $domain;
            if $x.is_nan() || !is_defined {
                return f64::NAN;
            }
            let known: Option<f64> = $known;
            known.unwrap_or_else(|| {
                refine_to(BINARY64, first_bits(&[$x]), |bits| enclosures::$name($x, bits))
            })
        }
    )* };
}

unary! {
    sin, |x| x.is_finite(), zero(x);
    cos, |x| x.is_finite(), None;
    tan, |x| x.is_finite(), zero(x);
    asin, |x| x.abs() <= 1.0, zero(x);
    acos, |x| x.abs() <= 1.0, (x == 1.0).then_some(0.0);
    atan, |x| true, zero(x).or_else(|| {
        x.is_infinite().then(|| eighths_of_a_turn(2).copysign(x))
    });
    sinh, |x| true, zero(x).or(is_large(x).then_some(f64::INFINITY.copysign(x)));
    cosh, |x| true, is_large(x).then_some(f64::INFINITY);
    // 1 - tanh 20 is less than 2^-54.
    tanh, |x| true, zero(x).or((x.abs() > 20.0).then_some(1.0_f64.copysign(x)));
    asinh, |x| true, zero(x).or(x.is_infinite().then_some(x));
    acosh, |x| x >= 1.0, root(x);
    atanh, |x| x.abs() <= 1.0, zero(x).or((x.abs() == 1.0).then_some(f64::INFINITY.copysign(x)));
    exp, |x| true, beyond(x);
    exp2, |x| true, beyond(x).or_else(|| {
        (x == x.trunc()).then(|| nearest_scaled(1, x as i64, BINARY64))
    });
    log, |x| x >= 0.0, root(x);
    log2, |x| x >= 0.0, root(x);
}

/// A zero, with its sign.
fn zero(x: f64) -> Option<f64> {
    (x == 0.0).then_some(x)
}

/// True for arguments whose exponential, to any of the bases, is beyond the range.
fn is_large(x: f64) -> bool {
    x.abs() > 1100.0
}

/// An exponential beyond the range.
fn beyond(x: f64) -> Option<f64> {
    is_large(x).then_some(if x > 0.0 { f64::INFINITY } else { 0.0 })
}

/// A logarithm, or the inverse of `cosh`, at 0, 1 and infinity.
fn root(x: f64) -> Option<f64> {
    match x {
        0.0 => Some(f64::NEG_INFINITY),
        1.0 => Some(0.0),
        f64::INFINITY => Some(x),
        _ => None,
    }
}

/// [`atan2`](super::atan2) of binary64; note the order of the arguments.
pub fn atan2(y: f64, x: f64) -> f64 {
    angle(y, x, eighths_of_a_turn, |y, x| {
        refine_to(BINARY64, first_bits(&[y, x]), |bits| enclosures::atan2(y, x, bits))
    })
}

/// The angle of this many eighths of a turn, in radians.
fn eighths_of_a_turn(count: u8) -> f64 {
    let angle = |bits| enclosures::pi(bits).times(&BigInt::from(count)).scaled(-2);
    refine_to(BINARY64, FIRST_BITS, angle)
}

/// [`pow`](super::pow) of binary64.
pub fn pow(x: f64, y: f64) -> f64 {
    power(x, y, pow_of_positive)
}

/// `pow` of a positive finite base other than 1 and a finite exponent other than 0.
fn pow_of_positive(x: f64, y: f64) -> f64 {
    // Far beyond the range the estimate decides: its relative error is tiny.
    let exponent = libm::log2(x) * y;
    if exponent.abs() > 1200.0 {
        return if exponent > 0.0 { f64::INFINITY } else { 0.0 };
    }
    match exact_pow(x, y) {
        Some((integer, exponent)) => nearest_scaled(integer, exponent, BINARY64),
        None => refine_to(BINARY64, first_bits(&[x, y]), |bits| enclosures::pow(x, y, bits)),
    }
}

/// The fractional bits of the first ball: those of the arguments, and as many more as their integers have, since
/// a multiple of π with that many bits is subtracted from them.
fn first_bits(arguments: &[f64]) -> u64 {
    let bits = arguments.iter().map(|&x| {
        let (m, e) = odd_significand(x);
        let length = i64::from(64 - m.unsigned_abs().leading_zeros());
        let (below, above) = ((-i64::from(e)).max(0), (i64::from(e) + length).max(0));
        (below + above).unsigned_abs()
    });
    FIRST_BITS + bits.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Elementary::*;

    #[track_caller]
    fn same(found: f64, expected: f64) {
        let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(is_same, "{found:?}, expected {expected:?}");
    }

    /// Values that are exact, special, or hard: found by others, or by hand.
    #[test]
    fn known_values() {
        const INF: f64 = f64::INFINITY;
        for (function, x, expected) in [
            (Cos, 0.5, 0.877_582_561_890_372_8),
            // The largest error of usual libraries, and arguments near multiples of π/2.
            (Sin, 1e22, -0.852_200_849_767_188_8),
            (Cos, 6_381_956_970_095_103.0 * 2.0_f64.powi(797), -4.687_165_924_254_628e-19),
            (Sin, 0.0, 0.0),
            (Tan, -0.0, -0.0),
            (Exp, 1.0, std::f64::consts::E),
            (Exp, 709.782_712_893_384, 1.797_693_134_862_273_2e308),
            (Exp, 709.79, INF),
            (Exp, -745.13, 5e-324),
            (Exp, -745.14, 0.0),
            (Exp, -1e300, 0.0),
            (Exp2, 0.5, std::f64::consts::SQRT_2),
            (Exp2, -1074.0, 5e-324),
            (Exp2, -1075.0, 0.0),
            (Exp2, (-1075.0_f64).next_up(), 5e-324),
            (Exp2, 1023.0, 2.0_f64.powi(1023)),
            (Exp2, 1024.0, INF),
            (Log2, 8.0, 3.0),
            (Log2, 5e-324, -1074.0),
            (Log, 2.0, std::f64::consts::LN_2),
            (Log, 0.0, -INF),
            (Log, -1.0, f64::NAN),
            (Acos, 1.0, 0.0),
            (Acos, -1.0, std::f64::consts::PI),
            (Atan, INF, std::f64::consts::FRAC_PI_2),
            (Atanh, -1.0, -INF),
            (Tanh, 20.0, 1.0),
            (Tanh, 19.0, 0.999_999_999_999_999_9),
            (Sinh, 5e-324, 5e-324),
            (Asinh, 1e308, 709.889_355_822_726),
            (Cosh, -1e3, INF),
        ] {
            let found = function.evaluate_binary64(x, 0.0);
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{} {x:?}: {found:?}, expected {expected:?}",
                function.name()
            );
        }
        same(pow(3.0, 34.0), 16_677_181_699_666_569.0);
        same(pow(9_007_199_254_740_993.0, 1.0), 9_007_199_254_740_992.0);
        // 94906267² = 9007199515875289, of 54 bits, is a midpoint.
        same(pow(94_906_267.0, 2.0), 9_007_199_515_875_288.0);
        same(pow(-8.0, 1.0 / 3.0), f64::NAN);
        same(pow(2.0, -1075.0), 0.0);
        same(pow(2.0, -1074.0), 5e-324);
        same(pow(-2.0, 1025.0), -INF);
        same(pow(1.0_f64.next_up(), 1e19), INF);
        same(atan2(-0.0, -1.0), -std::f64::consts::PI);
        same(atan2(INF, -INF), 3.0 * std::f64::consts::FRAC_PI_4);
        same(atan2(5e-324, 2.0), 0.0);
        same(atan2(15e-324, 2.0), 5e-324);
    }
}
