//! Elementary functions in multi-precision arithmetic, by the library `astro-float`.

use crate::round::{Rounding, to_f32};
use astro_float_num::{BigFloat, Consts, RoundingMode};
use lambdav_core::op::Elementary::{self, *};
use std::cell::RefCell;

/// Precisions in bits: one for almost all arguments, one for the rest.
const PRECISIONS: [usize; 2] = [192, 1088];

/// No rounding by the library: to round, it computes more and more bits, endlessly for exact results and
/// extremely close ones. [`to_f32`] rounds instead.
const UNROUNDED: RoundingMode = RoundingMode::None;

/// Number of last bits of a result that may be wrong.
const UNRELIABLE: usize = 32;

thread_local! {
    /// The library's cache of constants such as π and ln 2.
    static CONSTANTS: RefCell<Consts> = RefCell::new(Consts::new().expect("memory for constants"));
}

/// The correctly rounded value for arguments at which [`crate::special::special`] has none.
pub fn rounded(f: Elementary, x: f32, y: f32) -> f32 {
    CONSTANTS.with_borrow_mut(|constants| {
        let mut at_midpoint = f32::NAN;
        for precision in PRECISIONS {
            let value = evaluate(f, x, y, precision, constants);
            assert!(!value.is_nan(), "{} of {x:e} and {y:e}: {:?}", f.name(), value.err());
            match to_f32(&value, precision - UNRELIABLE) {
                Rounding::Nearest(result) => return result,
                Rounding::Midpoint(even) => at_midpoint = even,
            }
        }
        at_midpoint
    })
}

/// The function's value with `p` bits; the last `UNRELIABLE` may be wrong.
fn evaluate(f: Elementary, x: f32, y: f32, p: usize, constants: &mut Consts) -> BigFloat {
    let (a, b) = (BigFloat::from_f32(x, p), BigFloat::from_f32(y, p));
    match f {
        Sin => a.sin(p, UNROUNDED, constants),
        Cos => a.cos(p, UNROUNDED, constants),
        Tan => a.tan(p, UNROUNDED, constants),
        Asin => a.asin(p, UNROUNDED, constants),
        Acos => a.acos(p, UNROUNDED, constants),
        Atan => a.atan(p, UNROUNDED, constants),
        Sinh => a.sinh(p, UNROUNDED, constants),
        Cosh => a.cosh(p, UNROUNDED, constants),
        Tanh => a.tanh(p, UNROUNDED, constants),
        Asinh => a.asinh(p, UNROUNDED, constants),
        Acosh => a.acosh(p, UNROUNDED, constants),
        Atanh => a.atanh(p, UNROUNDED, constants),
        // Absolute value: an underflow may give a zero with the argument's sign.
        Exp => a.exp(p, UNROUNDED, constants).abs(),
        Exp2 => BigFloat::from_f32(2.0, p).pow(&a, p, UNROUNDED, constants).abs(),
        Log => a.ln(p, UNROUNDED, constants),
        Log2 => a.log2(p, UNROUNDED, constants),
        Atan2 => atan2(&a, &b, p, constants),
        Pow => {
            let magnitude = a.abs().pow(&b, p, UNROUNDED, constants).abs();
            // A negative base has an integral exponent, which is odd if it has no factor 2.
            let odd = y % 2.0 != 0.0;
            if x < 0.0 && odd { magnitude.neg() } else { magnitude }
        }
    }
}

/// The angle of a point off the axes. In the right half plane it is the arctangent of the slope; in the left
/// half plane π is added or subtracted, by the sign of the ordinate.
fn atan2(y: &BigFloat, x: &BigFloat, p: usize, constants: &mut Consts) -> BigFloat {
    let angle = y.div(x, p, UNROUNDED).atan(p, UNROUNDED, constants);
    if x.is_positive() {
        return angle;
    }
    let pi = constants.pi(p, UNROUNDED);
    if y.is_positive() { angle.add(&pi, p, UNROUNDED) } else { angle.sub(&pi, p, UNROUNDED) }
}
