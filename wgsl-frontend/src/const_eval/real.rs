//! The two kinds of floats, behind one trait: expressions of functions are written once.

use super::value::{Constant, Fault};
use lambdav_core::math::{self, binary64};
use lambdav_core::op::Elementary;

/// A float: binary32 for f32, binary64 for abstract floats. Each operation rounds once, to nearest even.
pub(super) trait Real: Copy + PartialOrd {
    fn of(value: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn sqrt(self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn elementary(function: Elementary, x: Self, y: Self) -> Self;
    fn read(of: &Constant) -> Self;
    fn write(self) -> Result<Constant, Fault>;
}

macro_rules! operations {
    () => {
        fn add(self, other: Self) -> Self {
            self + other
        }
        fn sub(self, other: Self) -> Self {
            self - other
        }
        fn mul(self, other: Self) -> Self {
            self * other
        }
        fn div(self, other: Self) -> Self {
            self / other
        }
        fn neg(self) -> Self {
            -self
        }
        fn abs(self) -> Self {
            self.abs()
        }
        fn floor(self) -> Self {
            self.floor()
        }
        fn ceil(self) -> Self {
            self.ceil()
        }
        fn trunc(self) -> Self {
            self.trunc()
        }
        fn round(self) -> Self {
            self.round_ties_even()
        }
        fn sqrt(self) -> Self {
            self.sqrt()
        }
    };
}

impl Real for f32 {
    operations!();

    fn of(value: f64) -> Self {
        value as Self
    }

    fn fma(self, b: Self, c: Self) -> Self {
        math::fma(self, b, c)
    }

    fn elementary(function: Elementary, x: Self, y: Self) -> Self {
        function.evaluate(x, y)
    }

    fn read(of: &Constant) -> Self {
        Self::from_bits(of.word().unwrap_or_default())
    }

    fn write(self) -> Result<Constant, Fault> {
        Constant::float(self)
    }
}

impl Real for f64 {
    operations!();

    fn of(value: f64) -> Self {
        value
    }

    fn fma(self, b: Self, c: Self) -> Self {
        binary64::fma(self, b, c)
    }

    fn elementary(function: Elementary, x: Self, y: Self) -> Self {
        function.evaluate_binary64(x, y)
    }

    fn read(of: &Constant) -> Self {
        match of {
            Constant::Wide(value) => *value,
            Constant::Int(value) => *value as Self,
            _ => 0.0,
        }
    }

    fn write(self) -> Result<Constant, Fault> {
        Constant::wide(self)
    }
}
