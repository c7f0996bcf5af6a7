//! CORE-MATH's functions of binary64.

use lambdav_core::op::Elementary::{self, *};

/// The value of `f` at (`x`, `y`) by CORE-MATH, with the operands in the order of λV. Unary functions ignore
/// `y`.
pub fn evaluate(f: Elementary, x: f64, y: f64) -> f64 {
    match f {
        Sin => core_math::sin(x),
        Cos => core_math::cos(x),
        Tan => core_math::tan(x),
        Asin => core_math::asin(x),
        Acos => core_math::acos(x),
        Atan => core_math::atan(x),
        Sinh => core_math::sinh(x),
        Cosh => core_math::cosh(x),
        Tanh => core_math::tanh(x),
        Asinh => core_math::asinh(x),
        Acosh => core_math::acosh(x),
        Atanh => core_math::atanh(x),
        Exp => core_math::exp(x),
        Exp2 => core_math::exp2(x),
        Log => core_math::log(x),
        Log2 => core_math::log2(x),
        Atan2 => core_math::atan2(x, y),
        Pow => core_math::pow(x, y),
    }
}
