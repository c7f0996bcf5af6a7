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
//! Images are the same if all pixels are equal, unless [`CompareOptions`] allow more. A *tolerance* is
//! in levels of 8 bits whatever the images are: 257 levels of 16 bits, or 1/255 in binary32, where n/255 that
//! was rounded counts as it is. NaN
//! against a number, and infinity against anything else, are beyond every tolerance. With a tolerance
//! of 0 the two zeros are the same. A sample of float images may also be allowed so many ULP; it is
//! within what is allowed if one of the two says so. So many pixels may be beyond it.
//!
//! Rectangles that are ignored are not looked at: their pixels count nowhere. Pixels that differ, and
//! of which either image says that they are antialiased, can be passed over, too ([`antialias`] says
//! how that is told); they are counted among those that differ.

mod antialias;
mod diagnose;
mod heat;
mod report;
mod sample;
mod ulp;

use lambdav_float_environment::with_default;
use std::borrow::Cow;

use crate::image::{AnyImage, Image};
use crate::quantize::{Transfer, Unorm, quantize};
use crate::size::Size;

pub use self::diagnose::{Finding, diagnose};
pub use self::heat::heat_map;
pub use self::sample::Depth;
use self::sample::{Compare, distance};
pub use self::ulp::{UlpHistogram, ulp_distance};

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
    fn ignores(&self, x: u32, y: u32) -> bool {
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
    fn allows(self, pixels: u64, all: u64) -> bool {
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
    /// What [`Self::verdict`] says.
    verdict: Verdict,
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

/// Compares two images.
pub fn compare(a: &AnyImage, b: &AnyImage, options: &CompareOptions) -> CompareOutcome {
    if a.size() != b.size() {
        return CompareOutcome::Sizes { a: a.size(), b: b.size() };
    }
    CompareOutcome::Pixels(Box::new(with_default(|| {
        let mut comparison = match pair(a, b, options.transfer) {
            Pair::Unorm8(a, b) => scan(&a, &b, options),
            Pair::Unorm16(a, b) => scan(&a, &b, options),
            Pair::Float(a, b) => scan(a, b, options),
        };
        if comparison.depth != Depth::Float {
            comparison.lost_nans = [a, b].map(nans).into_iter().sum();
        }
        comparison
    })))
}

/// How many samples are NaN.
fn nans(image: &AnyImage) -> u64 {
    match image {
        AnyImage::Float(frame) => frame.samples().iter().filter(|s| s.is_nan()).count() as u64,
        _ => 0,
    }
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

fn scan<T: Compare>(a: &Image<T>, b: &Image<T>, options: &CompareOptions) -> Comparison {
    let size = a.size();
    let is_float = T::DEPTH == Depth::Float;
    let mut result = Comparison {
        size,
        depth: T::DEPTH,
        compared: 0,
        differing: 0,
        first: None,
        steps: None,
        absolute: None,
        ulps: is_float.then(UlpHistogram::default),
        exceeding: [0; SWEEP.len()],
        antialiased: 0,
        beyond: 0,
        rmse: 0.0,
        lost_nans: 0,
        verdict: Verdict::Identical,
    };
    let mut squares = 0.0;
    for (index, (pixel_a, pixel_b)) in a.pixels().iter().zip(b.pixels()).enumerate() {
        let x = (index % size.width() as usize) as u32;
        let y = (index / size.width() as usize) as u32;
        if options.ignores(x, y) {
            continue;
        }
        result.compared += 1;
        let pairs = pixel_a.iter().copied().zip(pixel_b.iter().copied());
        if pairs.clone().all(|(a, b)| a.equal(b)) {
            continue;
        }
        result.differing += 1;
        result.first.get_or_insert_with(|| Difference {
            x,
            y,
            a: pixel_a.map(T::into),
            b: pixel_b.map(T::into),
        });

        let mut most = 0.0f64;
        let mut within = options.tolerance.is_some() || options.ulps.is_some();
        for (channel, (a, b)) in pairs.enumerate() {
            let (steps, absolute) = distance(a, b);
            let levels = levels_between(a, b, absolute);
            most = most.max(levels);
            squares += (absolute / T::FULL).powi(2);
            let near = |tolerance: [f64; 4]| levels.is_finite() && levels <= tolerance[channel];
            let few = |ulps: u32| is_float && steps.is_some_and(|steps| steps <= ulps);
            within &= options.tolerance.is_some_and(near) || options.ulps.is_some_and(few);
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
            *count += u64::from(most > tolerance.into());
        }
        if within {
            continue;
        }
        let is_antialiased = || antialias::is_antialiased(a, b, x, y);
        if options.antialiased && is_antialiased() {
            result.antialiased += 1;
        } else {
            result.beyond += 1;
        }
    }
    if let Some(ulps) = &mut result.ulps {
        ulps.count_equal((result.compared - result.differing) * 4);
    }
    if result.differing > 0 {
        result.rmse = (squares / (result.compared * 4) as f64).sqrt();
        let allowed = options.allows_any() && options.pixels.allows(result.beyond, result.compared);
        result.verdict = if allowed { Verdict::WithinTolerance } else { Verdict::Different };
    }
    result
}

/// How many levels apart two samples are, by their difference. Numbers of levels that were rounded to
/// binary32 differ by whole levels.
fn levels_between<T: Compare>(a: T, b: T, difference: f64) -> f64 {
    let levels = T::levels(difference);
    let whole = levels.round();
    if (levels - whole).abs() <= a.rounding(b) && whole > 0.0 { whole } else { levels }
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
