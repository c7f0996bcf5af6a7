//! Comparison of two images.
//!
//! Images are compared in the form in which they were stored:
//!
//! | files | compared as |
//! |---|---|
//! | both of one kind | that kind |
//! | UNORM8 and UNORM16 | UNORM16: 8 bits become 16 without loss, times 257 |
//! | binary32 and UNORM | that UNORM: the float image is quantised as it would have been written |
//!
//! *Equal* means equal bit for bit, where all NaNs are one value (an [`Image`] holds one NaN only). The
//! distance of two unequal samples is counted in *steps*: levels of a UNORM, or units in the last place
//! (ULP) of binary32, the number of binary32 values from one to the other. The two zeros count as one
//! value there, so −0 and +0 differ by 0 ULP, yet are not equal. NaN has no distance from other values.
//!
//! Images are the same if all pixels are equal, unless [`CompareOptions`] allow differences. A
//! *tolerance* is given in levels of 8 bits for all images: a level is 257 levels of 16 bits, or 1/255
//! in binary32, where the rounding of n/255 is forgiven. NaN against a number, and infinity against any
//! other value, exceed all tolerances. With a tolerance of 0 the two zeros are the same. Samples of
//! float images may also be allowed a number of ULP; such a sample is within the limits if it meets
//! either of the two. A number of pixels may exceed the limits.
//!
//! Pixels in ignored rectangles count nowhere. Differing pixels that are antialiased in either image
//! ([`antialias`] defines this) can be skipped, too; they still count as differing.

#![forbid(unsafe_code)]

mod antialias;
mod diagnose;
mod heat;
mod outcome;
mod report;
mod sample;
mod scan;
mod ulp;

use lambdav_float_environment::with_default;
use std::borrow::Cow;
use std::time::Instant;

use lambdav_image::pixels::{AnyImage, Image};
use lambdav_image::quantize::{Transfer, Unorm, quantize};

pub use self::diagnose::{Finding, diagnose};
pub use self::heat::heat_map;
pub use self::outcome::{
    Allowance, CompareOptions, CompareOutcome, Comparison, Difference, Peak, Rectangle, SWEEP,
    Verdict,
};
pub use self::sample::Depth;
use self::sample::{Compare, distance};
pub use self::ulp::{UlpHistogram, ulp_distance};

/// Compares two images. Large images are compared on the threads of the caller's rayon pool, or of a
/// temporary pool; the outcome does not depend on threads.
pub fn compare(a: &AnyImage, b: &AnyImage, options: &CompareOptions) -> CompareOutcome {
    compare_until(a, b, options, None).expect("nothing ends it")
}

/// Like [`compare`]; none if the comparison is not finished at `until`.
pub fn compare_until(
    a: &AnyImage,
    b: &AnyImage,
    options: &CompareOptions,
    until: Option<Instant>,
) -> Option<CompareOutcome> {
    if a.size() != b.size() {
        return Some(CompareOutcome::Sizes { a: a.size(), b: b.size() });
    }
    let comparison = with_default(|| {
        let mut comparison = match pair(a, b, options.transfer) {
            Pair::Unorm8(a, b) => scan::scan(&a, &b, options, until),
            Pair::Unorm16(a, b) => scan::scan(&a, &b, options, until),
            Pair::Float(a, b) => scan::scan(a, b, options, until),
        }?;
        comparison.specials = [a, b].map(AnyImage::specials);
        if comparison.depth != Depth::Float {
            comparison.lost_nans = comparison.specials.iter().map(|specials| specials.nans).sum();
        }
        Some(comparison)
    })?;
    Some(CompareOutcome::Pixels(Box::new(comparison)))
}

/// Two images in their common form.
enum Pair<'a> {
    Unorm8(Cow<'a, Image<u8>>, Cow<'a, Image<u8>>),
    Unorm16(Cow<'a, Image<u16>>, Cow<'a, Image<u16>>),
    Float(&'a Image<f32>, &'a Image<f32>),
}

/// Converts two images to their common form.
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

#[cfg(test)]
mod tests;
