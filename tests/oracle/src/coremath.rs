//! CORE-MATH (A. Sibidanov, P. Zimmermann, S. Glondu, "The CORE-MATH Project", ARITH 2022). Its authors have
//! proved the unary functions correctly rounded for all arguments.

use lambdav_core::op::Elementary::{self, *};

/// The value of `f` at (`x`, `y`) by CORE-MATH, with the operands in the order of λV. Unary functions ignore
/// `y`.
pub fn evaluate(f: Elementary, x: f32, y: f32) -> f32 {
    match f {
        Sin => core_math::sinf(x),
        Cos => core_math::cosf(x),
        Tan => core_math::tanf(x),
        Asin => core_math::asinf(x),
        Acos => core_math::acosf(x),
        Atan => core_math::atanf(x),
        Sinh => core_math::sinhf(x),
        Cosh => core_math::coshf(x),
        Tanh => core_math::tanhf(x),
        Asinh => core_math::asinhf(x),
        Acosh => core_math::acoshf(x),
        Atanh => core_math::atanhf(x),
        Exp => core_math::expf(x),
        Exp2 => core_math::exp2f(x),
        Log => core_math::logf(x),
        Log2 => core_math::log2f(x),
        Atan2 => core_math::atan2f(x, y),
        Pow => core_math::powf(x, y),
    }
}
