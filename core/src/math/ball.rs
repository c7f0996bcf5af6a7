//! Ball arithmetic: fixed-point numbers of any precision that carry a bound of their error.
//!
//! A [`Ball`] is the set of real numbers within `radius` of `middle`, both in units of 2^-bits. Each
//! operation returns a ball that contains the exact result for every choice of operands in their balls: its
//! rounding errors and the remainders of series are added to the radius. So a ball computed from exact
//! arguments contains the exact result, without an analysis of the whole computation. (As in F. Johansson,
//! "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Trans. Computers 66, 2017;
//! but in fixed point, which suffices for the range of binary32 and makes each bound short.)
//!
//! Operands must have the same number of fractional bits.

use super::float::odd_significand;
use num_bigint::{BigInt, BigUint};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The real numbers within `radius·2^-bits` of `middle·2^-bits`.
#[derive(Clone, Debug)]
pub(super) struct Ball {
    middle: BigInt,
    radius: BigUint,
    bits: u64,
}

impl Ball {
    /// Exactly `x`, which must be finite and a multiple of 2^-bits.
    pub(super) fn new(x: f64, bits: u64) -> Self {
        let (m, e) = odd_significand(x);
        let shift = i64::from(e) + i64::try_from(bits).expect("precisions are small");
        let shift = u64::try_from(shift).expect("it is a multiple of 2^-bits");
        Self { middle: BigInt::from(m) << shift, radius: BigUint::ZERO, bits }
    }

    /// Exactly the integer `n`.
    pub(super) fn integer(n: i32, bits: u64) -> Self {
        Self { middle: BigInt::from(n) << bits, radius: BigUint::ZERO, bits }
    }

    /// The number of fractional bits.
    pub(super) fn bits(&self) -> u64 {
        self.bits
    }

    /// The least and the greatest member, in units of 2^-bits.
    pub(super) fn ends(&self) -> (BigInt, BigInt) {
        let radius = BigInt::from(self.radius.clone());
        (&self.middle - &radius, &self.middle + radius)
    }

    /// True if the middle is within one unit of zero: such a term ends a series.
    pub(super) fn is_negligible(&self) -> bool {
        self.middle.bits() <= 1
    }

    /// The `e` with 2^(e-1) ≤ |middle| < 2^e.
    pub(super) fn exponent(&self) -> i64 {
        let length = i64::try_from(self.middle.bits()).expect("numbers fit in memory");
        length - i64::try_from(self.bits).expect("precisions are small")
    }

    /// True if the middle is less than that of `other`.
    pub(super) fn middle_below(&self, other: &Self) -> bool {
        self.middle < other.middle
    }

    /// The integer nearest to the quotient of the middles, or one next to it.
    pub(super) fn nearest_quotient(&self, divisor: &Self) -> BigInt {
        let twice: BigInt = (&self.middle << 1_u32) / &divisor.middle;
        (twice + 1) >> 1_u32
    }

    /// The ball enlarged on both sides by the largest magnitude of a member of `error`.
    pub(super) fn widened_by(mut self, error: &Self) -> Self {
        self.radius += error.middle.magnitude() + &error.radius;
        self
    }

    /// The product with an exact integer.
    pub(super) fn times(&self, n: &BigInt) -> Self {
        Self { middle: &self.middle * n, radius: &self.radius * n.magnitude(), bits: self.bits }
    }

    /// The quotient by an exact integer, not 0. The middle's division rounds toward zero, the radius' rounds
    /// down; each error is below one unit.
    pub(super) fn over(&self, n: u32) -> Self {
        Self { middle: &self.middle / n, radius: &self.radius / n + 2_u32, bits: self.bits }
    }

    /// The product with 2^k. For negative `k` the errors are those of [`Ball::over`].
    pub(super) fn scaled(&self, k: i64) -> Self {
        let shift = k.unsigned_abs();
        if k >= 0 {
            Self { middle: &self.middle << shift, radius: &self.radius << shift, bits: self.bits }
        } else {
            let radius = (&self.radius >> shift) + 2_u32;
            Self { middle: &self.middle >> shift, radius, bits: self.bits }
        }
    }

    /// The square root. Negative members of the ball are ignored, since the exact operand is not negative.
    ///
    /// The roots of the ends, rounded down and up, enclose the result.
    pub(super) fn sqrt(&self) -> Self {
        let (low, high) = self.ends();
        let low = low.max(BigInt::ZERO) << self.bits;
        let (low, high) = (low.sqrt(), (high << self.bits).sqrt() + 1);
        let middle = (&low + &high) >> 1_u32;
        let radius = BigInt::into_parts(high - low).1; // not halved: covers the rounding of the middle
        Self { middle, radius, bits: self.bits }
    }
}

impl Neg for Ball {
    type Output = Self;
    fn neg(self) -> Self {
        Self { middle: -self.middle, ..self }
    }
}

impl Add for &Ball {
    type Output = Ball;
    fn add(self, other: Self) -> Ball {
        let (middle, radius) = (&self.middle + &other.middle, &self.radius + &other.radius);
        Ball { middle, radius, bits: self.bits }
    }
}

impl Sub for &Ball {
    type Output = Ball;
    fn sub(self, other: Self) -> Ball {
        let (middle, radius) = (&self.middle - &other.middle, &self.radius + &other.radius);
        Ball { middle, radius, bits: self.bits }
    }
}

impl Mul for &Ball {
    type Output = Ball;
    /// (A ± a)(B ± b) lies within |A|b + |B|a + ab of AB; each of the two shifts loses less than one unit.
    fn mul(self, other: Self) -> Ball {
        let middle = (&self.middle * &other.middle) >> self.bits;
        let error = self.middle.magnitude() * &other.radius
            + (other.middle.magnitude() + &other.radius) * &self.radius;
        Ball { middle, radius: (error >> self.bits) + 2_u32, bits: self.bits }
    }
}

impl Div for &Ball {
    type Output = Ball;
    /// |(A ± a)/(B ± b) - A/B| ≤ (|A|b + |B|a) / (|B|(|B| - b)); each of the two divisions loses less than
    /// one unit. The divisor must not contain zero: every divisor in [`super::enclosures`] is either exact or
    /// far greater than its radius at the least precision.
    fn div(self, divisor: Self) -> Ball {
        let (a, b) = (self.middle.magnitude(), divisor.middle.magnitude());
        assert!(*b > divisor.radius, "division by a ball that contains zero");
        let middle = (&self.middle << self.bits) / &divisor.middle;
        let error = (a * &divisor.radius + b * &self.radius) << self.bits;
        let radius = error / (b * (b - &divisor.radius)) + 2_u32;
        Ball { middle, radius, bits: self.bits }
    }
}
