use super::*;
use crate::op::Elementary;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const INF: f32 = f32::INFINITY;
const LEAST: f32 = f32::from_bits(1);

/// Equal bits, or both NaN.
#[track_caller]
fn same(found: f32, expected: f32) {
    assert!(crate::float::same(found, expected), "{found:?}, expected {expected:?}");
}

/// Step 4 alone.
fn by_balls(f: Elementary, x: f32, y: f32) -> f32 {
    use Elementary::*;
    let (x, y) = (f64::from(x), f64::from(y));
    rounding::refine(|bits| match f {
        Sin => enclosures::sin(x, bits),
        Cos => enclosures::cos(x, bits),
        Tan => enclosures::tan(x, bits),
        Asin => enclosures::asin(x, bits),
        Acos => enclosures::acos(x, bits),
        Atan => enclosures::atan(x, bits),
        Sinh => enclosures::sinh(x, bits),
        Cosh => enclosures::cosh(x, bits),
        Tanh => enclosures::tanh(x, bits),
        Asinh => enclosures::asinh(x, bits),
        Acosh => enclosures::acosh(x, bits),
        Atanh => enclosures::atanh(x, bits),
        Exp => enclosures::exp(x, bits),
        Exp2 => enclosures::exp2(x, bits),
        Log => enclosures::log(x, bits),
        Log2 => enclosures::log2(x, bits),
        Atan2 => enclosures::atan2(x, y, bits),
        Pow => enclosures::pow(x, y, bits),
    })
}

/// Steps 2 and 4 are independent, so agreement supports both.
#[test]
fn balls_and_binary64_agree() {
    let mut state = 1_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from_bits((state >> 32) as u32)
    };
    for f in Elementary::ALL {
        let (mut compared, mut tried) = (0, 0);
        while compared < 300 {
            tried += 1;
            assert!(tried < 100_000, "{} has too few finite results", f.name());
            let (mut x, y) = (random(), random());
            if matches!(f, Elementary::Atan2 | Elementary::Pow) {
                x = x.abs();
            }
            let expected = f.evaluate(x, y);
            // Balls have neither infinities nor a signed zero.
            // Far from zero, tanh needs more bits than its argument's exponential can have.
            let inputs_ok = (f != Elementary::Tanh || x.abs() < 100.0)
                && x.is_finite()
                && x != 0.0
                && y.is_finite()
                && y != 0.0;
            if expected.is_finite() && expected != 0.0 && inputs_ok {
                let found = by_balls(f, x, y);
                assert_eq!(found.to_bits(), expected.to_bits(), "{} {x:?} {y:?}", f.name());
                compared += 1;
            }
        }
    }
}

#[test]
fn midpoints_are_rounded_to_even() {
    same(exp2(-150.0), 0.0);
    same(exp2((-150.0_f32).next_up()), LEAST);
    same(exp2((-150.0_f32).next_down()), 0.0);
    same(exp2(-149.0), LEAST);
    same(pow(2.0, -150.0), 0.0);
    same(pow(923_521.0, 1.25), 28_629_152.0); // 31^5 = 28629151
    same(pow(-4099.0, 2.0), 16_801_800.0); // 16801801
    same(pow(3.0 * (-75.0_f32).exp2(), 2.0), f32::from_bits(4)); // 4.5 times the least
    same(pow(5.0 * (-75.0_f32).exp2(), 2.0), f32::from_bits(12)); // 12.5 times
    same(pow(-(-50.0_f32).exp2(), 3.0), -0.0); // -2^-150
}

/// The results nearest to a midpoint, by function.
#[test]
fn neighbours_of_midpoints() {
    // The angle is about 2^-448 below 1.5 and 2.5 times the least number.
    same(atan2(f32::from_bits(3), 2.0), LEAST);
    same(atan2(f32::from_bits(5), 2.0), f32::from_bits(2));
    same(atan2(-f32::from_bits(7), 2.0), -f32::from_bits(3));
    same(atan2(LEAST, 2.0), 0.0);
    // To the left, near π.
    same(atan2(LEAST, -f32::MAX), PI);
    same(atan2(f32::MAX, LEAST), FRAC_PI_2);
    // (1 + 2^-23)^(1/2) = 1 + 2^-24 - 2^-49 + …
    same(pow(1.0 + f32::EPSILON, 0.5), 1.0);
    same(pow(1.0 - f32::EPSILON / 2.0, 0.5), 1.0 - f32::EPSILON / 2.0);
    same(pow(1.0 + f32::EPSILON, LEAST), 1.0);
    same(exp(1e-40), 1.0);
    same(exp(f32::EPSILON / 2.0), f32::EPSILON + 1.0);
    same(exp(-f32::EPSILON / 4.0), 1.0);
    same(sin(LEAST), LEAST);
    same(tan(-LEAST), -LEAST);
    same(cosh(1e-20), 1.0);
    same(tanh(9.1), 1.0);
}

#[test]
fn special_values_of_one_argument() {
    use Elementary::*;
    for f in Elementary::ALL.into_iter().filter(|f| f.arity() == 1) {
        same(f.evaluate(f32::NAN, 0.0), f32::NAN);
        if matches!(f, Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh) {
            same(f.evaluate(0.0, 0.0), 0.0);
            same(f.evaluate(-0.0, 0.0), -0.0);
        }
    }
    for f in [sin, cos, tan, asin, acos, atanh] {
        same(f(INF), f32::NAN);
        same(f(-INF), f32::NAN);
    }
    for f in [asin, acos, atanh] {
        same(f(1.0_f32.next_up()), f32::NAN);
        same(f((-1.0_f32).next_down()), f32::NAN);
    }
    for zero in [0.0, -0.0] {
        same(cos(zero), 1.0);
        same(cosh(zero), 1.0);
        same(exp(zero), 1.0);
        same(exp2(zero), 1.0);
        same(log(zero), -INF);
        same(log2(zero), -INF);
        same(acos(zero), FRAC_PI_2);
        same(acosh(zero), f32::NAN);
    }
    for f in [acos, acosh, log, log2] {
        same(f(1.0), 0.0);
    }
    for f in [acosh, log, log2] {
        same(f(INF), INF);
        same(f(-INF), f32::NAN);
        same(f(-1.0), f32::NAN);
        same(f(-LEAST), f32::NAN);
    }
    for f in [exp, exp2] {
        same(f(INF), INF);
        same(f(f32::MAX), INF);
        same(f(-INF), 0.0);
        same(f(-f32::MAX), 0.0);
    }
    for f in [sinh, asinh] {
        same(f(INF), INF);
        same(f(-INF), -INF);
    }
    same(cosh(-INF), INF);
    same(tanh(INF), 1.0);
    same(tanh(-INF), -1.0);
    same(atan(INF), FRAC_PI_2);
    same(atan(-INF), -FRAC_PI_2);
    same(atanh(1.0), INF);
    same(atanh(-1.0), -INF);
    same(acos(-1.0), PI);
}

#[test]
fn special_values_of_atan2() {
    let three_quarters = f32::from_bits(0x4016_cbe4);
    for sign in [1.0_f32, -1.0] {
        let axis = |y: f32, x: f32, angle: f32| same(atan2(y * sign, x), angle * sign);
        for x in [0.0, LEAST, 1.0, INF] {
            axis(0.0, x, 0.0);
            axis(0.0, -x, PI);
        }
        for y in [LEAST, 1.0, INF] {
            axis(y, 0.0, FRAC_PI_2);
            axis(y, -0.0, FRAC_PI_2);
        }
        for x in [LEAST, 1.0, f32::MAX] {
            axis(INF, x, FRAC_PI_2);
            axis(INF, -x, FRAC_PI_2);
            axis(x, INF, 0.0);
            axis(x, -INF, PI);
            axis(x, x, FRAC_PI_4);
            axis(x, -x, three_quarters);
        }
        axis(INF, INF, FRAC_PI_4);
        axis(INF, -INF, three_quarters);
        axis(f32::NAN, 0.0, f32::NAN);
        axis(0.0, f32::NAN, f32::NAN);
    }
}

#[test]
fn special_values_of_pow() {
    for v in [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INF, -INF, f32::NAN] {
        same(pow(v, 0.0), 1.0);
        same(pow(v, -0.0), 1.0);
        same(pow(1.0, v), 1.0);
    }
    same(pow(f32::NAN, 1.0), f32::NAN);
    same(pow(2.0, f32::NAN), f32::NAN);
    same(pow(-8.0, 1.0 / 3.0), f32::NAN);
    same(pow(-1.0, 0.5), f32::NAN);
    same(pow(-1.0, INF), 1.0);
    same(pow(-1.0, -INF), 1.0);
    same(pow(-1.0, 16_777_215.0), -1.0);
    same(pow(-1.0, 16_777_216.0), 1.0);
    for (base, odd, even) in [(0.0, -0.0, 0.0), (INF, -INF, INF)] {
        same(pow(base, 3.0), even);
        same(pow(-base, 3.0), odd);
        same(pow(-base, 2.0), even);
        same(pow(-base, 0.5), even);
        same(pow(-base, 1e30), even);
        same(pow(base, -3.0), 1.0 / even);
        same(pow(-base, -3.0), 1.0 / odd);
        same(pow(-base, -2.0), 1.0 / even);
        same(pow(-base, -0.5), 1.0 / even);
        same(pow(-base, INF), even);
        same(pow(-base, -INF), 1.0 / even);
    }
    for sign in [1.0_f32, -1.0] {
        same(pow(0.5 * sign, INF), 0.0);
        same(pow(0.5 * sign, -INF), INF);
        same(pow(2.0 * sign, INF), INF);
        same(pow(2.0 * sign, -INF), 0.0);
    }
    same(pow(-2.0, 127.0), -(127.0_f32).exp2());
    same(pow(-2.0, 129.0), -INF);
    same(pow(-2.0, -151.0), -0.0);
    same(pow(10.0, 2.0), 100.0);
}

/// The exact sum in big integers, rounded.
fn fma_by_integers(a: f32, b: f32, c: f32) -> f32 {
    use num_bigint::BigInt;
    const BITS: i32 = 300;
    let [(a, i), (b, j), (c, k)] = [a, b, c].map(|of| float::odd_significand(of.into()));
    let sum = ((BigInt::from(a) * b) << (i + j + BITS)) + (BigInt::from(c) << (k + BITS));
    rounding::nearest(&sum, BITS as u64, BINARY32) as f32
}

#[test]
fn fma_rounds_the_exact_sum_once() {
    let mut random = lambdav_test_support::Random::new(1);
    for round in 0..200_000_u32 {
        let mut number = || {
            let bits = random.bits() as u32;
            // All numbers; those of one binade, whose sums cancel; those of few bits, with ties.
            f32::from_bits(match round % 4 {
                0 => bits,
                1 => bits & 0x807f_ffff | 0x3f80_0000,
                2 => bits & 0x81ff_f000 | 0x3f00_0000,
                _ => bits & 0x80ff_000f,
            })
        };
        let [a, b] = [number(), number()];
        let c = match round % 3 {
            0 => number(),
            1 => -(a * b),
            // Far below, where it only breaks ties.
            _ => a * b * 1.0_f32.copysign(number()) * (-26.0_f32).exp2(),
        };
        let sum = fma(a, b, c);
        same(sum, a.mul_add(b, c));
        if [a, b, c].iter().all(|x| x.is_finite()) && sum != 0.0 {
            same(sum, fma_by_integers(a, b, c));
        }
    }
}

#[test]
fn fma_at_ties_and_limits() {
    // 2^24 + 1 is a tie; a sum in binary64 loses the summand that breaks it.
    same(fma(97.0, 172_961.0, 2.0_f32.powi(-40)), 16_777_218.0);
    same(fma(97.0, 172_961.0, -(2.0_f32.powi(-40))), 16_777_216.0);
    same(fma(97.0, 172_961.0, 0.0), 16_777_216.0);
    same(fma(0.0, INF, 1.0), f32::NAN);
    same(fma(INF, 1.0, -INF), f32::NAN);
    same(fma(f32::MAX, 2.0, -INF), -INF);
    same(fma(f32::MAX, 2.0, -f32::MAX), f32::MAX);
    same(fma(-1.0, 0.0, 0.0), 0.0);
    same(fma(-1.0, 0.0, -0.0), -0.0);
    same(fma(1.0, -1.0, 1.0), 0.0);
    same(fma(LEAST, 0.5, LEAST), 2.0 * LEAST);
    same(fma(LEAST, 0.5, 0.0), 0.0);
}
