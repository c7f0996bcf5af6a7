//! The sums computed with CORE-MATH, one value after the other.

use super::Domain;
use super::program::{ALL_BITS, COLUMNS, ROUNDS, STEPS};
use lambdav_core::op::Elementary;

fn fract(x: f32) -> f32 {
    x - x.floor()
}

/// The sums of all pixels, in the first component. The formulas are those of `program.rs`.
pub(super) fn sums(domain: &Domain, pixels: &mut [[f32; 4]]) {
    use Elementary::*;
    match domain.function {
        Sin => unary(domain, pixels, core_math::sinf),
        Cos => unary(domain, pixels, core_math::cosf),
        Tan => unary(domain, pixels, core_math::tanf),
        Asin => unary(domain, pixels, core_math::asinf),
        Acos => unary(domain, pixels, core_math::acosf),
        Atan => unary(domain, pixels, core_math::atanf),
        Sinh => unary(domain, pixels, core_math::sinhf),
        Cosh => unary(domain, pixels, core_math::coshf),
        Tanh => unary(domain, pixels, core_math::tanhf),
        Asinh => unary(domain, pixels, core_math::asinhf),
        Acosh => unary(domain, pixels, core_math::acoshf),
        Atanh => unary(domain, pixels, core_math::atanhf),
        Exp => unary(domain, pixels, core_math::expf),
        Exp2 => unary(domain, pixels, core_math::exp2f),
        Log => unary(domain, pixels, core_math::logf),
        Log2 => unary(domain, pixels, core_math::log2f),
        Atan2 => binary(domain, pixels, core_math::atan2f),
        Pow => binary(domain, pixels, core_math::powf),
    }
}

fn unary(domain: &Domain, pixels: &mut [[f32; 4]], function: impl Fn(f32) -> f32) {
    sum(pixels, |base, i| function(first(domain, base, i)));
}

fn binary(domain: &Domain, pixels: &mut [[f32; 4]], function: impl Fn(f32, f32) -> f32) {
    let [y0, y1] = domain.y;
    sum(pixels, |base, i| {
        let x = first(domain, base, i);
        function(x, y0 + (y1 - y0) * fract(base + i * STEPS[1]))
    });
}

/// The first operand.
fn first(domain: &Domain, base: f32, i: f32) -> f32 {
    let [low, high] = domain.x.unwrap_or(ALL_BITS);
    let value = low + (high - low) * fract(base + i * STEPS[0]);
    if domain.x.is_some() { value } else { f32::from_bits(value as u32) }
}

fn sum(pixels: &mut [[f32; 4]], value: impl Fn(f32, f32) -> f32) {
    for (y, row) in pixels.chunks_exact_mut(COLUMNS as usize).enumerate() {
        for (x, pixel) in row.iter_mut().enumerate() {
            let base = 0.618_034 * (x as f32 + 0.5) + 0.754_877_7 * (y as f32 + 0.5);
            let (mut i, mut sum) = (0.0, 0.0);
            while i < ROUNDS as f32 {
                (sum, i) = (sum + value(base, i), i + 1.0);
            }
            *pixel = [sum, 0.0, 0.0, 1.0];
        }
    }
}
