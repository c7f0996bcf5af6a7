//! How two images differ.
//!
//! Images are compared in the form in which they were stored:
//!
//! | files | compared as |
//! |---|---|
//! | both of one kind | that kind |
//! | UNORM8 and UNORM16 | UNORM16: 8 bits become 16 without loss, times 257 |
//! | binary32 and UNORM | that UNORM: the float image is quantised as it would have been written |
//!
//! *Equal* is equal bit for bit, where all NaNs are one value (an [`Image`] has one NaN only).
//! How far apart two unequal samples are is counted in *steps*: levels of a UNORM, and for binary32
//! units in the last place (ULP), the number of binary32 values from one to the other. The two
//! zeros count as one value there, so −0 and +0 differ by 0 ULP, yet are not equal. NaN is no
//! number of steps from anything else.
//!
//! A *tolerance* is in levels of 8 bits whatever the images are: 257 levels of 16 bits, or 1/255 in
//! binary32. NaN against a number, and infinity against anything else, are beyond every tolerance.
//! Without a tolerance images are the same only if all pixels are equal. With one of 0,
//! the two zeros are the same.

mod heat;
mod report;
mod ulp;

use lambdav_float_environment::with_default;
use std::borrow::Cow;

use crate::image::{AnyImage, Image, Sample};
use crate::quantize::{Transfer, Unorm, quantize};
use crate::size::Size;

pub use self::heat::heat_map;
pub use self::ulp::{UlpHistogram, ulp_distance};

/// Tolerances, in levels of 8 bits, for which pixels beyond them are counted.
pub const SWEEP: [u8; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 128];

/// How to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompareOptions {
    /// How much a sample may differ, in levels of 8 bits, for the images to be the same still.
    pub tolerance: Option<f64>,
    /// How a float image is quantised, to be compared with a UNORM one.
    pub transfer: Transfer,
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
    /// Some are not, but all are within the tolerance.
    WithinTolerance,
    /// They differ.
    Different,
}

/// The form in which images were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 8-bit UNORM; a step is a level.
    Unorm8,
    /// 16-bit UNORM; a step is a level.
    Unorm16,
    /// binary32; a step is a ULP.
    Float,
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
    /// The tolerance that was asked for, and how many pixels exceed it.
    pub tolerance: Option<(f64, u64)>,
}

impl Comparison {
    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        match self.tolerance {
            _ if self.differing == 0 => Verdict::Identical,
            Some((_, 0)) => Verdict::WithinTolerance,
            _ => Verdict::Different,
        }
    }
}

/// Compares two images.
pub fn compare(a: &AnyImage, b: &AnyImage, options: &CompareOptions) -> CompareOutcome {
    if a.size() != b.size() {
        return CompareOutcome::Sizes { a: a.size(), b: b.size() };
    }
    CompareOutcome::Pixels(Box::new(with_default(|| match pair(a, b, options.transfer) {
        Pair::Unorm8(a, b) => scan(&a, &b, options),
        Pair::Unorm16(a, b) => scan(&a, &b, options),
        Pair::Float(a, b) => scan(a, b, options),
    })))
}

/// Two images in the form in which they are compared.
enum Pair<'a> {
    Unorm8(Cow<'a, Image<u8>>, Cow<'a, Image<u8>>),
    Unorm16(Cow<'a, Image<u16>>, Cow<'a, Image<u16>>),
    Float(&'a Image<f32>, &'a Image<f32>),
}

/// Brings two images to one form.
fn pair<'a>(a: &'a AnyImage, b: &'a AnyImage, transfer: Transfer) -> Pair<'a> {
    use AnyImage::{Float, Unorm8, Unorm16};
    use Cow::{Borrowed, Owned};

    fn narrow<T: Unorm>(image: &Image<f32>, transfer: Transfer) -> Cow<'static, Image<T>> {
        Owned(quantize(image, transfer))
    }
    fn widen(image: &Image<u8>) -> Cow<'static, Image<u16>> {
        Owned(image.map(|level| u16::from(level) * 257))
    }
    match (a, b) {
        (Unorm8(a), Unorm8(b)) => Pair::Unorm8(Borrowed(a), Borrowed(b)),
        (Unorm8(a), Float(b)) => Pair::Unorm8(Borrowed(a), narrow(b, transfer)),
        (Float(a), Unorm8(b)) => Pair::Unorm8(narrow(a, transfer), Borrowed(b)),
        (Unorm16(a), Unorm16(b)) => Pair::Unorm16(Borrowed(a), Borrowed(b)),
        (Unorm16(a), Float(b)) => Pair::Unorm16(Borrowed(a), narrow(b, transfer)),
        (Float(a), Unorm16(b)) => Pair::Unorm16(narrow(a, transfer), Borrowed(b)),
        (Unorm8(a), Unorm16(b)) => Pair::Unorm16(widen(a), Borrowed(b)),
        (Unorm16(a), Unorm8(b)) => Pair::Unorm16(Borrowed(a), widen(b)),
        (Float(a), Float(b)) => Pair::Float(a, b),
    }
}

/// What comparing needs to know of a sample type.
trait Compare: Sample + Into<f64> {
    const DEPTH: Depth;

    /// How many levels of 8 bits this difference is. Exact where it is a whole number of them.
    fn levels(difference: f64) -> f64;

    /// Bit for bit, all NaNs being one value.
    fn equal(self, other: Self) -> bool;

    /// Levels or ULP between two samples; none between a NaN and a number.
    fn steps(self, other: Self) -> Option<u32>;
}

impl Compare for u8 {
    const DEPTH: Depth = Depth::Unorm8;

    fn levels(difference: f64) -> f64 {
        difference
    }

    fn equal(self, other: Self) -> bool {
        self == other
    }

    fn steps(self, other: Self) -> Option<u32> {
        Some(self.abs_diff(other).into())
    }
}

impl Compare for u16 {
    const DEPTH: Depth = Depth::Unorm16;

    fn levels(difference: f64) -> f64 {
        difference / 257.0
    }

    fn equal(self, other: Self) -> bool {
        self == other
    }

    fn steps(self, other: Self) -> Option<u32> {
        Some(self.abs_diff(other).into())
    }
}

impl Compare for f32 {
    const DEPTH: Depth = Depth::Float;

    fn levels(difference: f64) -> f64 {
        difference * 255.0
    }

    fn equal(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }

    fn steps(self, other: Self) -> Option<u32> {
        ulp_distance(self, other)
    }
}

/// How far apart two samples are. Steps and absolute difference are 0 for equal samples, and
/// infinite between a NaN and a number.
fn distance<T: Compare>(a: T, b: T) -> (Option<u32>, f64) {
    match a.steps(b) {
        // Also two infinities of one sign, whose difference would be NaN.
        Some(0) => (Some(0), 0.0),
        Some(steps) => (Some(steps), (a.into() - b.into()).abs()),
        None => (None, f64::INFINITY),
    }
}

fn scan<T: Compare>(a: &Image<T>, b: &Image<T>, options: &CompareOptions) -> Comparison {
    let size = a.size();
    let is_float = T::DEPTH == Depth::Float;
    let mut result = Comparison {
        size,
        depth: T::DEPTH,
        differing: 0,
        first: None,
        steps: None,
        absolute: None,
        ulps: is_float.then(UlpHistogram::default),
        exceeding: [0; SWEEP.len()],
        tolerance: options.tolerance.map(|tolerance| (tolerance, 0)),
    };
    for (index, (pixel_a, pixel_b)) in a.pixels().iter().zip(b.pixels()).enumerate() {
        let mut pairs = pixel_a.iter().copied().zip(pixel_b.iter().copied());
        if pairs.clone().all(|(a, b)| a.equal(b)) {
            continue;
        }
        let x = (index % size.width() as usize) as u32;
        let y = (index / size.width() as usize) as u32;
        result.differing += 1;
        result.first.get_or_insert_with(|| Difference {
            x,
            y,
            a: pixel_a.map(T::into),
            b: pixel_b.map(T::into),
        });

        let mut levels = 0.0f64;
        for (a, b) in pairs.by_ref() {
            let (steps, absolute) = distance(a, b);
            levels = levels.max(T::levels(absolute));
            if let Some(ulps) = &mut result.ulps {
                ulps.count(steps);
            }
            let Some(steps) = steps else { continue };
            raise(&mut result.steps, steps, x, y);
            if is_float {
                raise(&mut result.absolute, absolute, x, y);
            }
        }
        for (count, tolerance) in result.exceeding.iter_mut().zip(SWEEP) {
            *count += u64::from(levels > tolerance.into());
        }
        if let Some((tolerance, count)) = &mut result.tolerance {
            let within = levels.is_finite() && levels <= *tolerance;
            *count += u64::from(!within);
        }
    }
    if let Some(ulps) = &mut result.ulps {
        ulps.count_equal((size.pixels() as u64 - result.differing) * 4);
    }
    result
}

/// Raises a peak to `value`, if that is higher; the ground is 0.
fn raise<T: PartialOrd + Default>(peak: &mut Option<Peak<T>>, value: T, x: u32, y: u32) {
    let higher = match peak {
        None => value > T::default(),
        Some(peak) => value > peak.value,
    };
    if higher {
        *peak = Some(Peak { value, x, y });
    }
}

#[cfg(test)]
mod tests;
