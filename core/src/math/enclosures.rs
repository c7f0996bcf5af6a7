//! Enclosures of the elementary functions by balls with a given number of fractional bits.
//!
//! Arguments are exact, finite, in the function's domain, and have results not far beyond the range of
//! binary64. See [`super::ball`] for why the results are enclosed. Every series ends at the first term within
//! one unit of zero. The remainder is less than that term, because from there on the ratio of the terms is
//! below one half; it is added to the radius.

use super::ball::Ball;
use num_bigint::BigInt;

pub(super) fn sin(x: f64, bits: u64) -> Ball {
    sin_cos(x, bits).0
}

pub(super) fn cos(x: f64, bits: u64) -> Ball {
    sin_cos(x, bits).1
}

pub(super) fn tan(x: f64, bits: u64) -> Ball {
    let (sin, cos) = sin_cos(x, bits);
    &sin / &cos
}

pub(super) fn asin(x: f64, bits: u64) -> Ball {
    let sine = Ball::new(x.abs(), bits);
    let angle = angle(&sine, &cathetus(&sine));
    if x < 0.0 { -angle } else { angle }
}

pub(super) fn acos(x: f64, bits: u64) -> Ball {
    let cosine = Ball::new(x.abs(), bits);
    let angle = angle(&cathetus(&cosine), &cosine);
    if x < 0.0 { &pi(bits) - &angle } else { angle }
}

pub(super) fn atan(x: f64, bits: u64) -> Ball {
    let angle = angle(&Ball::new(x.abs(), bits), &Ball::integer(1, bits));
    if x < 0.0 { -angle } else { angle }
}

/// `y` is positive, `x` not zero.
pub(super) fn atan2(y: f64, x: f64, bits: u64) -> Ball {
    let angle = angle(&Ball::new(y, bits), &Ball::new(x.abs(), bits));
    if x < 0.0 { &pi(bits) - &angle } else { angle }
}

pub(super) fn sinh(x: f64, bits: u64) -> Ball {
    let e = exponential(&Ball::new(x.abs(), bits));
    let value = (&e - &(&Ball::integer(1, bits) / &e)).scaled(-1);
    if x < 0.0 { -value } else { value }
}

pub(super) fn cosh(x: f64, bits: u64) -> Ball {
    let e = exponential(&Ball::new(x.abs(), bits));
    (&e + &(&Ball::integer(1, bits) / &e)).scaled(-1)
}

pub(super) fn tanh(x: f64, bits: u64) -> Ball {
    let square = exponential(&Ball::new(x, bits).scaled(1));
    let one = Ball::integer(1, bits);
    &(&square - &one) / &(&square + &one)
}

/// log(|x| + √(x² + 1)), with the sign of `x`.
pub(super) fn asinh(x: f64, bits: u64) -> Ball {
    let magnitude = Ball::new(x.abs(), bits);
    let root = (&(&magnitude * &magnitude) + &Ball::integer(1, bits)).sqrt();
    let value = logarithm(&(&magnitude + &root));
    if x < 0.0 { -value } else { value }
}

/// log(x + √(x² − 1)).
pub(super) fn acosh(x: f64, bits: u64) -> Ball {
    let x = Ball::new(x, bits);
    let root = (&(&x * &x) - &Ball::integer(1, bits)).sqrt();
    logarithm(&(&x + &root))
}

/// log((1 + x) / (1 − x)) / 2.
pub(super) fn atanh(x: f64, bits: u64) -> Ball {
    let (x, one) = (Ball::new(x, bits), Ball::integer(1, bits));
    logarithm(&(&(&one + &x) / &(&one - &x))).scaled(-1)
}

pub(super) fn exp(x: f64, bits: u64) -> Ball {
    exponential(&Ball::new(x, bits))
}

pub(super) fn exp2(x: f64, bits: u64) -> Ball {
    exponential(&(&Ball::new(x, bits) * &ln_2(bits)))
}

pub(super) fn log(x: f64, bits: u64) -> Ball {
    logarithm(&Ball::new(x, bits))
}

pub(super) fn log2(x: f64, bits: u64) -> Ball {
    &logarithm(&Ball::new(x, bits)) / &ln_2(bits)
}

/// `x` is positive.
pub(super) fn pow(x: f64, y: f64, bits: u64) -> Ball {
    exponential(&(&logarithm(&Ball::new(x, bits)) * &Ball::new(y, bits)))
}

/// √(1 − x²): the other leg of a triangle with hypotenuse 1.
fn cathetus(x: &Ball) -> Ball {
    (&Ball::integer(1, x.bits()) - &(x * x)).sqrt()
}

/// The exponential: x = k·ln 2 + r, then the Taylor series of r/2^s, squared s times.
fn exponential(x: &Ball) -> Ball {
    let bits = x.bits();
    let ln_2 = ln_2(bits);
    let k = x.nearest_quotient(&ln_2);
    let halvings = i64::from(bits.isqrt() as u32 / 2);
    let r = (x - &ln_2.times(&k)).scaled(-halvings);
    let mut term = Ball::integer(1, bits);
    let mut sum = term.clone();
    for n in 1.. {
        term = (&term * &r).over(n);
        sum = &sum + &term;
        if term.is_negligible() {
            break;
        }
    }
    sum = sum.widened_by(&term);
    for _ in 0..halvings {
        sum = &sum * &sum;
    }
    let k = i64::try_from(k).expect("the result is near the range of binary64");
    sum.scaled(k)
}

/// The natural logarithm of a positive ball: x = m·2^e with m near [√½, √2], and
/// log m = 2 artanh((m − 1)/(m + 1)).
fn logarithm(x: &Ball) -> Ball {
    let bits = x.bits();
    let mut e = x.exponent();
    if x.scaled(-e).middle_below(&Ball::new(f64::from(std::f32::consts::FRAC_1_SQRT_2), bits)) {
        e -= 1;
    }
    let (m, one) = (x.scaled(-e), Ball::integer(1, bits));
    let fraction = arctangent_series(&(&(&m - &one) / &(&m + &one)), false).scaled(1);
    &fraction + &ln_2(bits).times(&BigInt::from(e))
}

/// Sine and cosine: x = k·π/2 + r, then the Taylor series of r.
fn sin_cos(x: f64, bits: u64) -> (Ball, Ball) {
    let x = Ball::new(x, bits);
    let quarter = pi(bits).scaled(-1);
    let k = x.nearest_quotient(&quarter);
    let r = &x - &quarter.times(&k);
    let square = &r * &r;
    let series = |first: Ball, offset: u32| {
        let (mut term, mut sum) = (first.clone(), first);
        for n in 1.. {
            term = -(&term * &square).over((2 * n - 1 + offset) * (2 * n + offset));
            sum = &sum + &term;
            if term.is_negligible() {
                break;
            }
        }
        sum.widened_by(&term)
    };
    let (cos, sin) = (series(Ball::integer(1, bits), 0), series(r, 1));
    match (k.bit(1), k.bit(0)) {
        (false, false) => (sin, cos),
        (false, true) => (cos, -sin),
        (true, false) => (-sin, -cos),
        (true, true) => (-cos, sin),
    }
}

/// The angle in [0, π/2] of a triangle with these legs, neither negative and not both 0.
fn angle(opposite: &Ball, adjacent: &Ball) -> Ball {
    if adjacent.middle_below(opposite) {
        &pi(opposite.bits()).scaled(-1) - &arctangent(&(adjacent / opposite))
    } else {
        arctangent(&(opposite / adjacent))
    }
}

/// The arctangent of t in [0, 1]: three times halved by t / (1 + √(1 + t²)), then its series.
fn arctangent(t: &Ball) -> Ball {
    let one = Ball::integer(1, t.bits());
    let mut t = t.clone();
    for _ in 0..3 {
        let root = (&(&t * &t) + &one).sqrt();
        t = &t / &(&root + &one);
    }
    arctangent_series(&t, true).scaled(3)
}

/// x ∓ x³/3 + x⁵/5 ∓ …, alternating (arctangent) or not (area tangent), for |x| ≤ 0.6.
fn arctangent_series(x: &Ball, alternating: bool) -> Ball {
    let square = x * x;
    let (mut power, mut sum) = (x.clone(), x.clone());
    for n in 1.. {
        power = &power * &square;
        if alternating {
            power = -power;
        }
        sum = &sum + &power.over(2 * n + 1);
        if power.is_negligible() {
            break;
        }
    }
    sum.widened_by(&power)
}

/// ln 2 = 2 artanh(1/3).
fn ln_2(bits: u64) -> Ball {
    arctangent_series(&Ball::integer(1, bits).over(3), false).scaled(1)
}

/// π = 16 arctan(1/5) − 4 arctan(1/239) (Machin, 1706).
pub(super) fn pi(bits: u64) -> Ball {
    let one = Ball::integer(1, bits);
    let (a, b) = (arctangent_series(&one.over(5), true), arctangent_series(&one.over(239), true));
    &a.scaled(4) - &b.scaled(2)
}
