//! The functions of binary64 against CORE-MATH's.

use lambdav_core::op::Elementary::{self, *};
use lambdav_test_support::Random;

/// CORE-MATH's value of `f` at (`x`, `y`), with the operands in the order of λV. Unary functions ignore `y`.
fn core_math(f: Elementary, x: f64, y: f64) -> f64 {
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

/// Arguments at which functions have limits, exact results or ends.
const SPECIAL: [f64; 18] = [
    0.0,
    1.0,
    0.5,
    2.0,
    3.0,
    1e-320,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    709.782_712_893_384,
    745.133_219_101_941_2,
    1074.0,
    1074.5,
    1075.0,
    std::f64::consts::PI,
    std::f64::consts::FRAC_PI_2,
    9_007_199_254_740_992.0,
];

/// A number of a kind: any bits; the usual range; near 1; few bits; integers and halves.
fn number(random: &mut Random) -> f64 {
    let bits = random.bits();
    match random.below(6) {
        0 => f64::from_bits(bits),
        // From 2^-8 to 2^8.
        1 | 2 => f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1015 + bits % 16) << 52),
        3 => 1.0 + (bits as i64 >> 20) as f64 * 2.0_f64.powi(-60 - (bits % 40) as i32),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => (bits as i64 >> 44) as f64 / [1.0, 2.0, 4.0, 1024.0][(bits % 4) as usize],
    }
}

/// The first argument, by kinds of each function, at which the results differ.
///
/// # Errors
///
/// A line that names the function, its arguments and both results.
pub fn compare(f: Elementary, count: u64, seed: u64) -> Result<(), String> {
    let agrees = |x: f64, y: f64| {
        let (found, expected) = (f.evaluate_binary64(x, y), core_math(f, x, y));
        match found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan() {
            true => Ok(()),
            false => Err(format!("{} {x:e} {y:e}: {found:e}, {expected:e} by CORE-MATH", f.name())),
        }
    };
    for x in SPECIAL.into_iter().flat_map(|x| [x, -x, x.next_up(), -x.next_down()]) {
        for y in SPECIAL.into_iter().flat_map(|y| [y, -y]) {
            agrees(x, y)?;
        }
    }
    let mut random = Random::new(seed.wrapping_mul(32) + f as u64);
    for _ in 0..count {
        let (mut x, mut y) = (number(&mut random), number(&mut random));
        match f {
            // Powers that are numbers or midpoints, and others in the range.
            Pow if random.below(3) == 0 => {
                x = f64::from(random.below(1 << 20) as u32);
                y = f64::from(random.below(160) as u32) / 8.0;
            }
            Pow => x = x.abs(),
            Asin | Acos | Atanh if x.abs() > 1.0 => x = 1.0 / x,
            Exp | Exp2 | Sinh | Cosh if x.abs() > 1100.0 => x %= 1100.0,
            _ => {}
        }
        agrees(x, y)?;
    }
    Ok(())
}
