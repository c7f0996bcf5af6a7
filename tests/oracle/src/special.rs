//! The special values of C23, Annex F.10, in the order of the standard's paragraphs.

use lambdav_core::op::Elementary::{self, *};

const INFINITY: f32 = f32::INFINITY;
// The binary32 numbers nearest to π, π/2, π/4 and 3π/4.
const PI: f32 = f32::from_bits(0x4049_0fdb);
const HALF_PI: f32 = f32::from_bits(0x3fc9_0fdb);
const QUARTER_PI: f32 = f32::from_bits(0x3f49_0fdb);
const THREE_QUARTERS_PI: f32 = f32::from_bits(0x4016_cbe4);

/// The value at these arguments if Annex F defines it. Otherwise the arguments are finite and in the domain,
/// and neither they nor the exact result is zero. (Exceptions such as `exp` of zero may or may not be
/// included.)
pub fn special(f: Elementary, x: f32, y: f32) -> Option<f32> {
    match f {
        Atan2 => atan2(x, y),
        Pow => pow(x, y),
        _ if x.is_nan() => Some(f32::NAN),
        _ => unary(f, x),
    }
}

/// Functions of one argument other than NaN.
fn unary(f: Elementary, x: f32) -> Option<f32> {
    let beyond_one = x.abs() > 1.0;
    let value = match f {
        // F.10.1.1: invalid outside [-1, 1], +0 at 1.
        Acos if beyond_one => f32::NAN,
        Acos if x == 1.0 => 0.0,
        // F.10.1.2, 3: odd.
        Asin if beyond_one => f32::NAN,
        Asin | Atan if x == 0.0 => x,
        Atan if x == INFINITY => HALF_PI,
        Atan if x == -INFINITY => -HALF_PI,
        // F.10.1.5 to 7: invalid at infinities.
        Cos | Sin | Tan if x.is_infinite() => f32::NAN,
        Cos if x == 0.0 => 1.0,
        Sin | Tan if x == 0.0 => x,
        // F.10.2.1: invalid below 1, +0 at 1.
        Acosh if x < 1.0 => f32::NAN,
        Acosh if x == 1.0 => 0.0,
        Acosh if x == INFINITY => INFINITY,
        // F.10.2.2: odd.
        Asinh if x == 0.0 || x.is_infinite() => x,
        // F.10.2.3: odd, poles at ±1.
        Atanh if beyond_one => f32::NAN,
        Atanh if x == 0.0 => x,
        Atanh if x == 1.0 => INFINITY,
        Atanh if x == -1.0 => -INFINITY,
        // F.10.2.4 to 6.
        Cosh if x == 0.0 => 1.0,
        Cosh if x.is_infinite() => INFINITY,
        Sinh if x == 0.0 || x.is_infinite() => x,
        Tanh if x == 0.0 => x,
        Tanh if x == INFINITY => 1.0,
        Tanh if x == -INFINITY => -1.0,
        // F.10.3.1, 4.
        Exp | Exp2 if x == 0.0 => 1.0,
        Exp | Exp2 if x == -INFINITY => 0.0,
        Exp | Exp2 if x == INFINITY => INFINITY,
        // F.10.3.11, 16: a pole at zeros, invalid below, +0 at 1.
        Log | Log2 if x == 0.0 => -INFINITY,
        Log | Log2 if x < 0.0 => f32::NAN,
        Log | Log2 if x == 1.0 => 0.0,
        Log | Log2 if x == INFINITY => INFINITY,
        _ => return None,
    };
    Some(value)
}

/// F.10.1.4.
fn atan2(y: f32, x: f32) -> Option<f32> {
    if y.is_nan() || x.is_nan() {
        return Some(f32::NAN);
    }
    let x_negative = x.to_bits() >> 31 == 1;
    let magnitude = match (y.abs(), x.abs()) {
        (0.0, _) if x_negative => PI,
        (0.0, _) => 0.0,
        (_, 0.0) => HALF_PI,
        (INFINITY, INFINITY) if x_negative => THREE_QUARTERS_PI,
        (INFINITY, INFINITY) => QUARTER_PI,
        (_, INFINITY) if x_negative => PI,
        (_, INFINITY) => 0.0,
        (INFINITY, _) => HALF_PI,
        _ => return None,
    };
    Some(if y.to_bits() >> 31 == 1 { -magnitude } else { magnitude })
}

/// F.10.4.5. A negative base with an integral exponent is no special value.
fn pow(x: f32, y: f32) -> Option<f32> {
    // Half of an odd integer has a fractional part of one half.
    let integral = y.is_finite() && y.fract() == 0.0;
    let odd = integral && (f64::from(y) / 2.0).fract() != 0.0;
    let value = match (x, y) {
        (_, 0.0) => 1.0,
        (1.0, _) => 1.0,
        _ if x.is_nan() || y.is_nan() => f32::NAN,
        (0.0, _) if y < 0.0 && odd => 1.0 / x,
        (0.0, _) if y < 0.0 => INFINITY,
        (0.0, _) if odd => x,
        (0.0, _) => 0.0,
        (-1.0, INFINITY | f32::NEG_INFINITY) => 1.0,
        (_, f32::NEG_INFINITY) if x.abs() < 1.0 => INFINITY,
        (_, f32::NEG_INFINITY) => 0.0,
        (_, INFINITY) if x.abs() < 1.0 => 0.0,
        (_, INFINITY) => INFINITY,
        (f32::NEG_INFINITY, _) if y < 0.0 && odd => -0.0,
        (f32::NEG_INFINITY, _) if y < 0.0 => 0.0,
        (f32::NEG_INFINITY, _) if odd => -INFINITY,
        (f32::NEG_INFINITY, _) => INFINITY,
        (INFINITY, _) if y < 0.0 => 0.0,
        (INFINITY, _) => INFINITY,
        _ if x < 0.0 && !integral => f32::NAN,
        _ => return None,
    };
    Some(value)
}
