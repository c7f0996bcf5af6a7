//! The hardest arguments: their result is within 2^-44 of a midpoint, so that binary64 hardly decides the
//! rounding.

use lambdav_core::op::Elementary::{self, *};
use rayon::prelude::*;

/// The function in binary64, within a few ULP.
fn nearly(f: Elementary, x: f64) -> f64 {
    match f {
        Sin => x.sin(),
        Cos => x.cos(),
        Tan => x.tan(),
        Asin => x.asin(),
        Acos => x.acos(),
        Atan => x.atan(),
        Sinh => x.sinh(),
        Cosh => x.cosh(),
        Tanh => x.tanh(),
        Asinh => {
            let y = x.abs();
            (y + y * y / (1.0 + y.hypot(1.0))).ln_1p().copysign(x)
        }
        Acosh => {
            let y = x - 1.0;
            (y + (y * (x + 1.0)).sqrt()).ln_1p()
        }
        Atanh => 0.5 * (2.0 * x / (1.0 - x)).ln_1p(),
        Exp => x.exp(),
        Exp2 => x.exp2(),
        Log => x.ln(),
        Log2 => x.log2(),
        Atan2 | Pow => f64::NAN,
    }
}

/// The undecided arguments of a unary function among one in every 2^`step` encodings.
pub fn undecided(f: Elementary, step: u8) -> Vec<(f32, f32)> {
    let all = (0..1_u64 << (32 - step)).into_par_iter();
    let arguments = all.filter_map(|n| {
        let x = f32::from_bits((n << step) as u32);
        let value = nearly(f, x.into());
        let [low, high] = [-1.0, 1.0].map(|sign| (value * (1.0 + sign * 2.0_f64.powi(-44))) as f32);
        (low != high && !value.is_nan()).then_some((x, 0.0))
    });
    arguments.collect()
}
