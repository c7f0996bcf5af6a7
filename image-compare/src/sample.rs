//! Operations of comparison for each sample type.

use super::ulp::ulp_distance;
use lambdav_image::pixels::Sample;

/// Distance between the binary32 numbers just below 1.
const EPSILON: f32 = f32::EPSILON / 2.0;

/// Form in which images were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 8-bit UNORM; a step is a level.
    Unorm8,
    /// 16-bit UNORM; a step is a level.
    Unorm16,
    /// binary32; a step is a ULP.
    Float,
}

/// Operations that comparison needs from a sample type.
pub(super) trait Compare: Sample + Into<f64> {
    const DEPTH: Depth;
    /// The value of full intensity.
    const FULL: f64;

    /// A difference in levels of 8 bits. Exact if it is a whole number of levels.
    fn levels(difference: f64) -> f64;

    /// Part of a difference, in levels, that rounding two samples in [0, 1] can cause.
    fn rounding(self, _other: Self) -> f64 {
        0.0
    }

    /// Stored bits.
    fn bits(self) -> u64;

    /// Compares bit for bit; all NaNs are one value.
    fn equal(self, other: Self) -> bool {
        self.bits() == other.bits()
    }

    /// Levels or ULP between two samples; none between a NaN and a number.
    fn steps(self, other: Self) -> Option<u32>;
}

impl Compare for u8 {
    const DEPTH: Depth = Depth::Unorm8;
    const FULL: f64 = 255.0;

    fn levels(difference: f64) -> f64 {
        difference
    }

    fn bits(self) -> u64 {
        self.into()
    }

    fn steps(self, other: Self) -> Option<u32> {
        Some(self.abs_diff(other).into())
    }
}

impl Compare for u16 {
    const DEPTH: Depth = Depth::Unorm16;
    const FULL: f64 = 65535.0;

    fn levels(difference: f64) -> f64 {
        difference / 257.0
    }

    fn bits(self) -> u64 {
        self.into()
    }

    fn steps(self, other: Self) -> Option<u32> {
        Some(self.abs_diff(other).into())
    }
}

impl Compare for f32 {
    const DEPTH: Depth = Depth::Float;
    const FULL: f64 = 1.0;

    fn levels(difference: f64) -> f64 {
        difference * 255.0
    }

    /// Half a unit in the last place of each sample, at most that of 1, which is 2^-25.
    fn rounding(self, other: Self) -> f64 {
        let half =
            |sample: f32| f64::from((sample.abs().next_up() - sample.abs()).min(EPSILON)) / 2.0;
        (half(self) + half(other)) * 255.0
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }

    fn steps(self, other: Self) -> Option<u32> {
        ulp_distance(self, other)
    }
}

/// Distance of two samples: steps and absolute difference. Both are 0 for equal samples; between a NaN
/// and a number, there are no steps, and the difference is infinite.
pub(super) fn distance<T: Compare>(a: T, b: T) -> (Option<u32>, f64) {
    match a.steps(b) {
        // Includes two infinities of one sign, whose difference would be NaN.
        Some(0) => (Some(0), 0.0),
        Some(steps) => (Some(steps), (a.into() - b.into()).abs()),
        None => (None, f64::INFINITY),
    }
}
