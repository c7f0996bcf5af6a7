//! Arguments for comparisons with the reference mathematics.
//!
//! Uniform random bit patterns test the extremes well and the middle badly: a third are below 2^-42 in
//! magnitude, where most functions are trivial, and nearly every random `pow` overflows or underflows.
//! Therefore they are mixed with ranges of each function in which its result varies, and with neighbourhoods
//! of its special points.

use crate::exact;
use lambdav_core::op::Elementary::{self, *};

/// One in this many pairs with exact powers, or their neighbours, is among the special arguments.
const EVERY: usize = 211;

/// A pseudo-random sequence of numbers.
#[derive(Clone, Debug)]
pub struct RandomArguments(lambdav_test_support::Random);

impl RandomArguments {
    /// The sequence number `stream` of this seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let first = lambdav_test_support::Random::new(seed).bits();
        let seed = first ^ stream.wrapping_mul(0xd134_2543_de82_ef95);
        Self(lambdav_test_support::Random::new(seed))
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A uniform integer below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Uniform in [low, high).
    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Any bit pattern.
    fn pattern(&mut self) -> f32 {
        f32::from_bits((self.bits() >> 32) as u32)
    }

    /// A random significand and sign, with a binary exponent uniform in [low, high].
    fn scaled(&mut self, low: i32, high: i32) -> f32 {
        let exponent = low + self.below(u64::from(high.abs_diff(low)) + 1) as i32;
        let magnitude = (self.within(1.0, 2.0) * f64::from(exponent).exp2()) as f32;
        if self.below(2) == 0 { magnitude } else { -magnitude }
    }

    /// One of the 2001 numbers around `x`.
    fn near(&mut self, x: f32) -> f32 {
        let offset = self.below(2001) as u32;
        f32::from_bits(x.to_bits().saturating_add(offset).saturating_sub(1000))
    }
}

/// Random arguments for `f`; unary functions' second is 0.
pub fn random(f: Elementary, random: &mut RandomArguments) -> (f32, f32) {
    match f {
        Atan2 => random_atan2(random),
        Pow => random_pow(random),
        _ => (random_unary(f, random), 0.0),
    }
}

fn random_unary(f: Elementary, random: &mut RandomArguments) -> f32 {
    let x = match random.below(4) {
        0 => random.pattern(),
        1 => random.scaled(-30, 8),
        2 => {
            let (low, high) = interval(f);
            random.within(low, high) as f32
        }
        _ => match f {
            Sin | Cos | Tan => {
                let turns = random.scaled(0, 40).round();
                random.near((f64::from(turns) * std::f64::consts::FRAC_PI_2) as f32)
            }
            _ => {
                let points = points(f);
                let point = points[random.below(points.len() as u64) as usize];
                random.near(point)
            }
        },
    };
    // Logarithms of negative numbers are all the same NaN: one in 16 will do.
    if matches!(f, Log | Log2 | Acosh) && random.below(16) != 0 { x.abs() } else { x }
}

/// An interval in which the function's result varies, for linearly distributed arguments.
fn interval(f: Elementary) -> (f64, f64) {
    match f {
        Asin | Acos | Atanh => (-1.0, 1.0),
        Tanh => (-10.0, 10.0),
        Exp => (-104.0, 89.0),
        Exp2 => (-150.5, 128.5),
        Sinh | Cosh => (-90.0, 90.0),
        Log | Log2 => (0.5, 2.0),
        Acosh => (1.0, 4.0),
        _ => (-100.0, 100.0),
    }
}

/// Points near zeros, poles, constant ranges, and ends of the range.
fn points(f: Elementary) -> &'static [f32] {
    match f {
        Asin | Acos | Atanh => &[1.0, -1.0, 0.5, -0.5, 1e-4],
        Acosh | Log | Log2 => &[1.0, 2.0, 0.5, f32::MIN_POSITIVE, f32::MAX],
        Exp => &[88.722_84, -87.336_54, -103.278_93, -103.972_08, 6e-8, -3e-8],
        Exp2 => &[128.0, -126.0, -149.0, -150.0, 8.6e-8, -4.3e-8, 1.0, 0.5],
        Sinh | Cosh => &[89.415_99, -89.415_99, 1e-3, -1e-3, 2e-4, 3e-4],
        Tanh => &[9.010_913, -9.010_913, 1e-3, 2e-4, 1.0],
        _ => &[1.0, -1.0, 1e-3, 2e-4, 1e7],
    }
}

fn random_atan2(random: &mut RandomArguments) -> (f32, f32) {
    match random.below(5) {
        0 => (random.pattern(), random.pattern()),
        1 => (random.scaled(-10, 10), random.scaled(-10, 10)),
        2 => {
            let y = random.scaled(-20, 20);
            (y, if random.below(2) == 0 { random.near(y) } else { -random.near(y) })
        }
        // A subnormal slope, often with few bits: near a midpoint, or below the least one.
        3 => {
            let exponent = random.below(20) as i32;
            let y = random.scaled(-149 + exponent, -120 + exponent);
            let x = random.scaled(exponent, exponent + 3);
            if random.below(2) == 0 { (y, x) } else { (few_bits(y, random), few_bits(x, random)) }
        }
        // Near an axis.
        _ => {
            let (a, b) = (random.scaled(-30, 0), random.scaled(0, 30));
            if random.below(2) == 0 { (a, b) } else { (b, a) }
        }
    }
}

fn random_pow(random: &mut RandomArguments) -> (f32, f32) {
    match random.below(6) {
        0 => (random.pattern(), random.pattern()),
        // An exponent for which the result is in the range of binary32 or just beyond.
        1 => {
            let x = f32::from_bits(random.pattern().to_bits() & 0x7fff_ffff);
            (x, (random.within(-152.0, 130.0) / f64::from(x).log2()) as f32)
        }
        2 => {
            let x = random.near(1.0);
            (x, (random.within(-152.0, 130.0) / f64::from(x).log2()) as f32)
        }
        // Integral exponents, with bases of either sign.
        3 => (random.scaled(-12, 12), random.within(-12.0, 13.0).floor() as f32),
        // Few bits, with quarters or eighths as exponents: often exact or a midpoint.
        4 => {
            let root = random.within(1.0, 130.0).floor() as f32;
            let power = 1 << random.below(4);
            let scale = (random.within(-38.0, 30.0).floor() * f64::from(power)).exp2() as f32;
            (root.powi(power) * scale, random.within(1.0, 16.0).floor() as f32 / power as f32)
        }
        _ => (random.scaled(-3, 3).abs(), random.scaled(-20, 6)),
    }
}

/// `x` with only the first few bits of its significand.
fn few_bits(x: f32, random: &mut RandomArguments) -> f32 {
    let cleared = 14 + random.below(10) as u32;
    f32::from_bits(x.to_bits() >> cleared << cleared)
}

/// The arguments included in every comparison.
pub fn special(f: Elementary) -> Vec<(f32, f32)> {
    if f.arity() == 1 {
        return special_unary(f).into_iter().map(|x| (x, 0.0)).collect();
    }
    let values = special_values();
    let mut pairs: Vec<_> =
        values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).collect();
    match f {
        Pow => pairs.extend(exact::with_neighbours(&exact::powers()).into_iter().step_by(EVERY)),
        _ => pairs.extend(subnormal_slopes()),
    }
    pairs
}

/// Special values; the first and last numbers of every binade; small integers; multiples of π/2 and ln 2;
/// hard cases. All with both signs.
fn special_unary(f: Elementary) -> Vec<f32> {
    let mut positive = special_values();
    for exponent in -149..=127 {
        let x = f64::from(exponent).exp2() as f32;
        positive.extend([x.next_down(), x, x.next_up(), 1.5 * x]);
    }
    for n in 1..=200_u16 {
        for unit in [1.0, 0.125, std::f64::consts::FRAC_PI_2, std::f64::consts::LN_2] {
            let x = (f64::from(n) * unit) as f32;
            positive.extend([x.next_down(), x, x.next_up()]);
        }
    }
    for &point in points(f) {
        positive.extend([point.next_down(), point, point.next_up()]);
    }
    positive.extend(crate::hard::arguments(f));
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

/// Zeros, infinities, NaN, ends of ranges, and ordinary numbers, all with both signs.
fn special_values() -> Vec<f32> {
    let least = f32::from_bits(1);
    let positive = [
        0.0,
        least,
        f32::from_bits(3),
        f32::from_bits(0x7f_ffff),
        f32::MIN_POSITIVE,
        f32::MIN_POSITIVE.next_up(),
        1e-30,
        1e-4,
        0.25,
        1.0 / 3.0,
        0.5,
        0.75,
        1.0_f32.next_down(),
        1.0,
        1.0_f32.next_up(),
        1.25,
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        5.0,
        9.0,
        23.0,
        24.0,
        100.0,
        126.0,
        127.0,
        128.0,
        149.0,
        150.0,
        151.0,
        8_388_607.0,
        8_388_607.5,
        16_777_215.0,
        16_777_216.0,
        1e9,
        1e30,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

/// Ordinates and abscissas whose quotients are midpoints of subnormal numbers, and their neighbours.
fn subnormal_slopes() -> Vec<(f32, f32)> {
    let mut pairs = Vec::new();
    for odd in (1..400).step_by(2) {
        for shift in 1..=4 {
            let y = f32::from_bits(odd << (shift - 1));
            let x = (1 << shift) as f32;
            pairs.extend([(y, x), (-y, x), (y, x.next_up()), (y, x.next_down()), (y, -x)]);
        }
    }
    pairs
}
