//! Options and results of a comparison.

use super::sample::Depth;
use super::ulp::UlpHistogram;
use lambdav_image::pixels::Specials;
use lambdav_image::quantize::Transfer;
use lambdav_image::size::Size;

/// Tolerances, in levels of 8 bits, for which exceeding pixels are counted.
pub const SWEEP: [u8; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 128];

/// Options of a comparison. By default all pixels must be equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareOptions {
    /// Largest allowed difference of a sample in each channel, in levels of 8 bits.
    pub tolerance: Option<[f64; 4]>,
    /// Largest allowed difference of a sample of float images, in ULP.
    pub ulps: Option<u32>,
    /// Number of pixels that may exceed these limits.
    pub pixels: Allowance,
    /// Ignored rectangles. Parts outside of the images have no effect.
    pub ignore: Vec<Rectangle>,
    /// True if antialiased pixels may differ by any amount.
    pub antialiased: bool,
    /// Transfer function for quantising a float image that is compared with a UNORM image.
    pub transfer: Transfer,
}

impl CompareOptions {
    /// True if any difference is allowed.
    pub fn allows_any(&self) -> bool {
        let none = self.tolerance.is_none() && self.ulps.is_none() && !self.antialiased;
        !none || self.pixels != Allowance::default()
    }

    /// True if the pixel is ignored.
    pub(super) fn ignores(&self, x: u32, y: u32) -> bool {
        self.ignore.iter().any(|rectangle| rectangle.contains(x, y))
    }
}

/// Allowed number of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// An absolute number.
    Pixels(u64),
    /// Percentage of the compared pixels.
    Percent(f64),
}

impl Default for Allowance {
    fn default() -> Self {
        Self::Pixels(0)
    }
}

impl Allowance {
    /// True if `pixels` of `all` pixels are allowed.
    pub(super) fn allows(self, pixels: u64, all: u64) -> bool {
        match self {
            Self::Pixels(most) => pixels <= most,
            Self::Percent(most) => pixels as f64 * 100.0 <= most * all as f64,
        }
    }
}

/// A part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Leftmost column.
    pub x: u32,
    /// Topmost row.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Rectangle {
    /// True if the pixel is in the rectangle.
    pub fn contains(self, x: u32, y: u32) -> bool {
        let within = |at: u32, from: u32, length: u32| at >= from && at - from < length;
        within(x, self.x, self.width) && within(y, self.y, self.height)
    }
}

/// Outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareOutcome {
    /// The sizes differ; pixels were not compared.
    Sizes {
        /// Size of the first image.
        a: Size,
        /// Size of the second image.
        b: Size,
    },
    /// The images were compared pixel by pixel.
    Pixels(Box<Comparison>),
}

impl CompareOutcome {
    /// True if the images count as the same.
    pub fn is_same(&self) -> bool {
        match self {
            Self::Sizes { .. } => false,
            Self::Pixels(comparison) => comparison.verdict() != Verdict::Different,
        }
    }
}

/// Verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All pixels are equal.
    Identical,
    /// Some pixels differ, within the allowed limits.
    WithinTolerance,
    /// The images differ by more than is allowed.
    Different,
}

/// A maximum, and the first pixel in scan order that reaches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak<T> {
    /// The maximum.
    pub value: T,
    /// The pixel's column.
    pub x: u32,
    /// The pixel's row.
    pub y: u32,
}

/// Two unequal pixels at the same place. `u8`, `u16` and `f32` all fit in an `f64` unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// Pixel of the first image.
    pub a: [f64; 4],
    /// Pixel of the second image.
    pub b: [f64; 4],
}

/// Differences between two images of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Size of both images.
    pub size: Size,
    /// Form in which they were compared.
    pub depth: Depth,
    /// Number of compared pixels: all but the ignored ones.
    pub compared: u64,
    /// Number of unequal pixels.
    pub differing: u64,
    /// The first unequal pixel in scan order.
    pub first: Option<Difference>,
    /// Largest number of steps between two samples, except NaNs; none if it is 0.
    pub steps: Option<Peak<u32>>,
    /// Largest absolute difference between two samples of float images, except NaNs; none if it is 0,
    /// and for UNORM images. Infinite for infinity against any other value.
    pub absolute: Option<Peak<f64>>,
    /// Histogram of the distances between samples of float images.
    pub ulps: Option<UlpHistogram>,
    /// Number of pixels that exceed each tolerance of [`SWEEP`].
    pub exceeding: [u64; SWEEP.len()],
    /// Number of differing pixels that were skipped as antialiased.
    pub antialiased: u64,
    /// Number of pixels that differ by more than is allowed; without limits, all that differ.
    pub beyond: u64,
    /// Root mean square of the samples' differences, in units of full intensity; infinite for NaN
    /// against a number, or infinity against any other value.
    pub rmse: f64,
    /// Number of NaNs in a float image that is compared with a UNORM image, where they count as 0.
    pub lost_nans: u64,
    /// Numbers of non-finite samples in each image.
    pub specials: [Specials; 2],
    /// The value of [`Self::verdict`].
    pub(super) verdict: Verdict,
}

impl Comparison {
    /// Verdict of the comparison.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Ratio of full intensity to [`Self::rmse`] in decibels; none if [`Self::rmse`] is 0.
    pub fn psnr(&self) -> Option<f64> {
        (self.rmse != 0.0).then(|| -20.0 * libm::log10(self.rmse))
    }
}
