//! Ball arithmetic: fixed-point numbers of any precision that carry a bound of their error.
//!
//! A [`Ball`] is the set of real numbers within `radius` of `middle`, both in units of 2^-bits.
//! Each operation returns a ball which contains the exact result for every choice of operands in
//! their balls: what it rounds itself, and the series' remainders, go into the radius. So whatever
//! is computed with balls from exact arguments contains the exact result, with no analysis of the
//! whole. (As in F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval
//! arithmetic", IEEE Trans. Computers 66, 2017; but fixed point, which suffices for arguments and
//! results of the range of binary32 and makes each bound short.)
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
    /// Exactly `x`, which is finite; `bits` is at least 149.
    pub(super) fn new(x: f32, bits: u64) -> Self {
        let (m, e) = odd_significand(x);
        let shift = i64::from(e) + i64::try_from(bits).expect("precisions are small");
        let shift = u64::try_from(shift).expect("no bit of a binary32 number is below 2^-149");
        Self { middle: BigInt::from(m) << shift, radius: BigUint::ZERO, bits }
    }

    /// Exactly the integer `n`.
    pub(super) fn integer(n: i32, bits: u64) -> Self {
        Self { middle: BigInt::from(n) << bits, radius: BigUint::ZERO, bits }
    }

    /// The fractional bits.
    pub(super) fn bits(&self) -> u64 {
        self.bits
    }

    /// The least and the greatest member, in units of 2^-bits.
    pub(super) fn ends(&self) -> (BigInt, BigInt) {
        let radius = BigInt::from(self.radius.clone());
        (&self.middle - &radius, &self.middle + radius)
    }

    /// Whether the middle is within one unit of zero: a term of a series that ends it.
    pub(super) fn is_negligible(&self) -> bool {
        self.middle.bits() <= 1
    }

    /// The `e` with 2^(e-1) ≤ |middle| < 2^e.
    pub(super) fn exponent(&self) -> i64 {
        let length = i64::try_from(self.middle.bits()).expect("numbers fit in memory");
        length - i64::try_from(self.bits).expect("precisions are small")
    }

    /// Whether the middle is less than that of `other`.
    pub(super) fn middle_below(&self, other: &Self) -> bool {
        self.middle < other.middle
    }

    /// The integer nearest to the quotient of the middles, or one beside it.
    pub(super) fn nearest_quotient(&self, divisor: &Self) -> BigInt {
        let twice: BigInt = (&self.middle << 1_u32) / &divisor.middle;
        (twice + 1) >> 1_u32
    }

    /// The ball with every number within the magnitude of `error`'s members added.
    pub(super) fn widened_by(mut self, error: &Self) -> Self {
        self.radius += error.middle.magnitude() + &error.radius;
        self
    }

    /// The product with an exact integer.
    pub(super) fn times(&self, n: &BigInt) -> Self {
        Self { middle: &self.middle * n, radius: &self.radius * n.magnitude(), bits: self.bits }
    }

    /// The quotient by an exact integer, not 0. Errors: the middle's division, rounded toward zero,
    /// and the radius', rounded down, each below one unit.
    pub(super) fn over(&self, n: u32) -> Self {
        Self { middle: &self.middle / n, radius: &self.radius / n + 2_u32, bits: self.bits }
    }

    /// The product with 2^k. Errors for negative `k`: as [`Ball::over`].
    pub(super) fn scaled(&self, k: i64) -> Self {
        let shift = k.unsigned_abs();
        if k >= 0 {
            Self { middle: &self.middle << shift, radius: &self.radius << shift, bits: self.bits }
        } else {
            let radius = (&self.radius >> shift) + 2_u32;
            Self { middle: &self.middle >> shift, radius, bits: self.bits }
        }
    }

    /// The square root; numbers below zero in the ball are ignored, as the operand has none.
    ///
    /// The roots of the ends, rounded down and up, enclose it.
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
    /// (A ± a)(B ± b) lies within |A|b + |B|a + ab of AB; the two shifts lose below one unit each.
    fn mul(self, other: Self) -> Ball {
        let middle = (&self.middle * &other.middle) >> self.bits;
        let error = self.middle.magnitude() * &other.radius
            + (other.middle.magnitude() + &other.radius) * &self.radius;
        Ball { middle, radius: (error >> self.bits) + 2_u32, bits: self.bits }
    }
}

impl Div for &Ball {
    type Output = Ball;
    /// |(A ± a)/(B ± b) - A/B| ≤ (|A|b + |B|a) / (|B|(|B| - b)); the two divisions lose below one
    /// unit each. Zero must not be in the divisor: every divisor in [`super::enclosures`] is either
    /// exact or far greater than its radius at the least precision.
    fn div(self, divisor: Self) -> Ball {
        let (a, b) = (self.middle.magnitude(), divisor.middle.magnitude());
        assert!(*b > divisor.radius, "division by a ball that contains zero");
        let middle = (&self.middle << self.bits) / &divisor.middle;
        let error = (a * &divisor.radius + b * &self.radius) << self.bits;
        let radius = error / (b * (b - &divisor.radius)) + 2_u32;
        Ball { middle, radius, bits: self.bits }
    }
}
