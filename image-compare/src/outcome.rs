//! What a comparison is asked, and what it answers.

use super::sample::Depth;
use super::ulp::UlpHistogram;
use lambdav_image::pixels::Specials;
use lambdav_image::quantize::Transfer;
use lambdav_image::size::Size;

/// Tolerances, in levels of 8 bits, for which pixels beyond them are counted.
pub const SWEEP: [u8; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 128];

/// How to compare. By default nothing may differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareOptions {
    /// How much a sample of each channel may differ, in levels of 8 bits.
    pub tolerance: Option<[f64; 4]>,
    /// How many ULP a sample of float images may differ.
    pub ulps: Option<u32>,
    /// How many pixels may differ by more.
    pub pixels: Allowance,
    /// Where nothing is looked at. What lies outside the images does not matter.
    pub ignore: Vec<Rectangle>,
    /// Whether pixels that are antialiased may differ by any amount.
    pub antialiased: bool,
    /// How a float image is quantised, to be compared with a UNORM one.
    pub transfer: Transfer,
}

impl CompareOptions {
    /// Whether anything may differ.
    pub fn allows_any(&self) -> bool {
        let none = self.tolerance.is_none() && self.ulps.is_none() && !self.antialiased;
        !none || self.pixels != Allowance::default()
    }

    /// Whether nothing is looked at there.
    pub(super) fn ignores(&self, x: u32, y: u32) -> bool {
        self.ignore.iter().any(|rectangle| rectangle.contains(x, y))
    }
}

/// How many pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// So many.
    Pixels(u64),
    /// So many in a hundred of those that are compared.
    Percent(f64),
}

impl Default for Allowance {
    fn default() -> Self {
        Self::Pixels(0)
    }
}

impl Allowance {
    /// Whether it allows so many of all.
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
    /// Its leftmost column.
    pub x: u32,
    /// Its uppermost row.
    pub y: u32,
    /// How many columns.
    pub width: u32,
    /// How many rows.
    pub height: u32,
}

impl Rectangle {
    /// Whether the pixel is in it.
    pub fn contains(self, x: u32, y: u32) -> bool {
        let within = |at: u32, from: u32, length: u32| at >= from && at - from < length;
        within(x, self.x, self.width) && within(y, self.y, self.height)
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareOutcome {
    /// The sizes differ, and nothing else was looked at.
    Sizes {
        /// Of the first image.
        a: Size,
        /// Of the second.
        b: Size,
    },
    /// The images were compared pixel by pixel.
    Pixels(Box<Comparison>),
}

impl CompareOutcome {
    /// Whether the images count as the same.
    pub fn is_same(&self) -> bool {
        match self {
            Self::Sizes { .. } => false,
            Self::Pixels(comparison) => comparison.verdict() != Verdict::Different,
        }
    }
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All pixels are equal.
    Identical,
    /// Some are not, but by no more than is allowed.
    WithinTolerance,
    /// They differ.
    Different,
}

/// The largest of something, and the first pixel in scan order that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak<T> {
    /// How large.
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
    /// The pixel of the first image.
    pub a: [f64; 4],
    /// The pixel of the second.
    pub b: [f64; 4],
}

/// How two images of one size differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Their size.
    pub size: Size,
    /// The form in which they were compared.
    pub depth: Depth,
    /// How many pixels were compared: all but those that are ignored.
    pub compared: u64,
    /// How many pixels are not equal.
    pub differing: u64,
    /// The first of them, in scan order.
    pub first: Option<Difference>,
    /// The largest number of steps between two samples, NaNs apart; none if no sample differs by
    /// a step.
    pub steps: Option<Peak<u32>>,
    /// The largest absolute difference between two samples of float images, NaNs apart; none
    /// where it is 0, and for UNORM images. Infinite where infinity met anything else.
    pub absolute: Option<Peak<f64>>,
    /// Samples of float images by their distance.
    pub ulps: Option<UlpHistogram>,
    /// How many pixels differ by more than each tolerance of [`SWEEP`].
    pub exceeding: [u64; SWEEP.len()],
    /// How many pixels of those that differ were passed over, being antialiased.
    pub antialiased: u64,
    /// How many pixels differ by more than is allowed. Where nothing is, all that differ.
    pub beyond: u64,
    /// The square root of the mean of the squares of the samples' differences, full intensity being
    /// 1; infinite where NaN met a number, or infinity anything else.
    pub rmse: f64,
    /// How many NaNs the float image of a pair had whose other image is UNORM, which holds none: there
    /// they count as 0.
    pub lost_nans: u64,
    /// How many samples of each are no finite numbers.
    pub specials: [Specials; 2],
    /// What [`Self::verdict`] says.
    pub(super) verdict: Verdict,
}

impl Comparison {
    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The ratio of full intensity to [`Self::rmse`] in decibels; none where nothing differs.
    pub fn psnr(&self) -> Option<f64> {
        (self.rmse != 0.0).then(|| -20.0 * libm::log10(self.rmse))
    }
}
