//! RGBA pixels in memory.
//!
//! An [`Image`] is row-major from the upper left, with four samples per pixel. Samples are `u8` and
//! `u16` (UNORM: the largest value stands for 1) or `f32`. The language cannot observe signs and
//! payloads of NaNs, so an image holds one NaN only, [`NAN_BITS`]: construction replaces all others,
//! and no method writes another one later. Frames may therefore be compared, hashed and stored by their
//! bits.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use bytemuck::Pod;
use memmap2::MmapMut;
use pulp::Arch;
use thiserror::Error;

use crate::size::Size;

/// The bits of the only NaN that an image of binary32 holds.
pub const NAN_BITS: u32 = 0x7fc0_0000;

/// Sample types: `u8`, `u16` or `f32`. The trait is sealed.
pub trait Sample: Pod + Default + PartialEq + Send + Sync + sealed::Sealed {
    /// Full intensity, also the alpha of images without an alpha channel.
    const ONE: Self;

    /// Replaces a NaN by the one with [`NAN_BITS`]; other values stay.
    #[must_use]
    fn canonical(self) -> Self {
        self
    }
}

mod sealed {
    /// Seals [`super::Sample`].
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for f32 {}
}

impl Sample for u8 {
    const ONE: Self = Self::MAX;
}

impl Sample for u16 {
    const ONE: Self = Self::MAX;
}

impl Sample for f32 {
    const ONE: Self = 1.0;

    #[inline]
    fn canonical(self) -> Self {
        if self.is_nan() { Self::from_bits(NAN_BITS) } else { self }
    }
}

/// RGBA pixels, row-major from the upper left.
#[derive(Debug)]
pub struct Image<T> {
    size: Size,
    samples: Samples<T>,
}

/// Storage of samples.
#[derive(Debug)]
enum Samples<T> {
    /// Memory of the allocator.
    Heap(Vec<T>),
    /// Pages of their own, and the bytes of them that hold the samples.
    Pages(MmapMut, Range<usize>),
}

impl<T: Sample> Deref for Samples<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Heap(samples) => samples,
            Self::Pages(pages, bytes) => bytemuck::cast_slice(&pages[bytes.clone()]),
        }
    }
}

impl<T: Sample> DerefMut for Samples<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Heap(samples) => samples,
            Self::Pages(pages, bytes) => bytemuck::cast_slice_mut(&mut pages[bytes.clone()]),
        }
    }
}

impl<T: Sample> Clone for Image<T> {
    fn clone(&self) -> Self {
        Self::from_canonical(self.size, self.samples.to_vec())
    }
}

/// Smallest image, in bytes, with pages of its own.
const LARGE: usize = 4 << 20;

/// Bytes of a huge page, and the alignment that it needs.
const HUGE: usize = 2 << 20;

/// A rendered picture: binary32 RGBA.
pub type Frame = Image<f32>;

/// The number of samples does not match the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an image of {size} pixels has {} samples, not {found}", size.samples())]
pub struct SampleCountError {
    /// The size of the image.
    pub size: Size,
    /// Number of given samples.
    pub found: usize,
}

/// There is not enough memory for an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not enough memory for an image of {size} pixels ({bytes} bytes)")]
pub struct OutOfMemory {
    /// The size of the image.
    pub size: Size,
    /// Bytes of its samples.
    pub bytes: usize,
}

impl<T: Sample> Image<T> {
    /// An image of these samples: R, G, B, A of the first pixel, then of the second, and so on. There
    /// must be `size.samples()` of them. NaNs become the canonical one.
    pub fn from_samples(size: Size, mut samples: Vec<T>) -> Result<Self, SampleCountError> {
        if samples.len() != size.samples() {
            return Err(SampleCountError { size, found: samples.len() });
        }
        for sample in &mut samples {
            *sample = sample.canonical();
        }
        Ok(Self::from_canonical(size, samples))
    }

    /// A black and transparent image. A large image lies in huge pages if the system provides them:
    /// allocating small pages takes as long as drawing cheap pixels.
    pub fn zeros(size: Size) -> Result<Self, OutOfMemory> {
        let bytes = size.samples() * size_of::<T>();
        if bytes < LARGE {
            return Ok(Self::from_canonical(size, zeros(size)?));
        }
        // The system places a map at any small page. Whole huge pages fit into one that is so much longer.
        let pages = MmapMut::map_anon(bytes.next_multiple_of(HUGE) + HUGE);
        let pages = pages.map_err(|_| OutOfMemory { size, bytes })?;
        #[cfg(target_os = "linux")]
        // Huge pages are only an optimisation.
        let _ = pages.advise(memmap2::Advice::HugePage);
        let first = pages.as_ptr().addr().next_multiple_of(HUGE) - pages.as_ptr().addr();
        Ok(Self { size, samples: Samples::Pages(pages, first..first + bytes) })
    }

    /// An image whose pixel (x, y) is `pixel(x, y)`.
    pub fn from_fn(size: Size, mut pixel: impl FnMut(u32, u32) -> [T; 4]) -> Self {
        let mut samples = Vec::with_capacity(size.samples());
        for y in 0..size.height() {
            for x in 0..size.width() {
                samples.extend(pixel(x, y).map(T::canonical));
            }
        }
        Self::from_canonical(size, samples)
    }

    /// An image of these samples, whose number must match the size and whose NaNs must be canonical.
    pub fn from_canonical(size: Size, samples: Vec<T>) -> Self {
        debug_assert_eq!(samples.len(), size.samples());
        Self { size, samples: Samples::Heap(samples) }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Mutable samples; only canonical values may be written.
    pub fn samples_mut(&mut self) -> &mut [T] {
        &mut self.samples
    }

    /// All samples, row-major, `size().samples()` of them.
    pub fn samples(&self) -> &[T] {
        &self.samples
    }

    /// All pixels, in scan order.
    pub fn pixels(&self) -> &[[T; 4]] {
        self.samples.as_chunks().0
    }

    /// The pixel at (`x`, `y`), if that is inside the image.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[T; 4]> {
        let inside = x < self.size.width() && y < self.size.height();
        inside.then(|| self.pixels()[self.size.index(x, y) as usize])
    }

    /// Applies `convert` to all samples.
    pub fn map<U: Sample>(&self, convert: impl Fn(T) -> U) -> Image<U> {
        let samples = self.samples.iter().map(|&sample| convert(sample).canonical()).collect();
        Image::from_canonical(self.size, samples)
    }
}

/// Zeros for an image of this size, or an error if memory does not suffice.
///
/// They are untouched pages of the system, so rows that are never reached cost nothing: a file that
/// declares a large image and then ends costs address space only.
pub fn zeros<T: Sample>(size: Size) -> Result<Vec<T>, OutOfMemory> {
    let bytes = size.samples() * size_of::<T>();
    bytemuck::try_zeroed_vec(size.samples()).map_err(|()| OutOfMemory { size, bytes })
}

/// An image of any sample type, as files hold it.
#[derive(Clone, Debug)]
pub enum AnyImage {
    /// 8-bit UNORM.
    Unorm8(Image<u8>),
    /// 16-bit UNORM.
    Unorm16(Image<u16>),
    /// binary32.
    Float(Frame),
}

impl AnyImage {
    /// Width and height.
    pub fn size(&self) -> Size {
        match self {
            Self::Unorm8(image) => image.size(),
            Self::Unorm16(image) => image.size(),
            Self::Float(image) => image.size(),
        }
    }

    /// Puts the rows into the reverse order.
    pub fn reverse_rows(&mut self) {
        fn of<T: Sample>(image: &mut Image<T>) {
            let (size, stride) = (image.size(), 4 * image.size().width() as usize);
            reverse_rows(image.samples_mut(), size, stride);
        }
        match self {
            Self::Unorm8(image) => of(image),
            Self::Unorm16(image) => of(image),
            Self::Float(image) => of(image),
        }
    }

    /// Counts the non-finite samples.
    pub fn specials(&self) -> Specials {
        match self {
            Self::Unorm8(_) | Self::Unorm16(_) => Specials::default(),
            Self::Float(frame) => Specials::of(frame.samples()),
        }
    }
}

/// Puts the rows of samples of a size into the reverse order; rows begin `stride` samples apart.
pub fn reverse_rows<T>(samples: &mut [T], size: Size, stride: usize) {
    let (row, rows) = (4 * size.width() as usize, size.height() as usize);
    for upper in 0..rows / 2 {
        let (before, behind) = samples.split_at_mut((rows - 1 - upper) * stride);
        before[upper * stride..][..row].swap_with_slice(&mut behind[..row]);
    }
}

/// Numbers of non-finite samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Specials {
    /// Number of NaNs.
    pub nans: u64,
    /// Number of infinities.
    pub infinities: u64,
}

impl Specials {
    /// Counts the non-finite samples among these.
    pub fn of(samples: &[f32]) -> Self {
        let infinity = f32::INFINITY.to_bits();
        let (mut nans, mut infinities) = (0, 0);
        // Count in blocks that fit a 32-bit counter, so that a register holds many counters.
        Arch::new().dispatch(|| {
            for samples in samples.chunks(1 << 16) {
                let (mut of_nan, mut of_infinity) = (0_u32, 0_u32);
                for sample in samples {
                    let magnitude = sample.to_bits() & 0x7fff_ffff;
                    of_nan += u32::from(magnitude > infinity);
                    of_infinity += u32::from(magnitude == infinity);
                }
                nans += u64::from(of_nan);
                infinities += u64::from(of_infinity);
            }
        });
        Self { nans, infinities }
    }

    /// True if all samples are finite.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// Writes the nonzero counts, or `none`.
impl fmt::Display for Specials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nans, infinities } = self;
        match (nans, infinities) {
            (0, 0) => f.write_str("none"),
            (_, 0) => write!(f, "{nans} NaN"),
            (0, _) => write!(f, "{infinities} infinite"),
            _ => write!(f, "{nans} NaN and {infinities} infinite"),
        }
    }
}

impl From<Image<u8>> for AnyImage {
    fn from(image: Image<u8>) -> Self {
        Self::Unorm8(image)
    }
}

impl From<Image<u16>> for AnyImage {
    fn from(image: Image<u16>) -> Self {
        Self::Unorm16(image)
    }
}

impl From<Frame> for AnyImage {
    fn from(image: Frame) -> Self {
        Self::Float(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Images on both sides of the limit [`LARGE`].
    #[test]
    fn zeros_can_be_overwritten_wherever_they_lie() {
        for height in [1, 1024] {
            let size = Size::new(512, height).expect("within the limits");
            let mut image = Image::<f32>::zeros(size).expect("there is memory");
            assert_eq!(image.samples().len(), size.samples());
            let is_large = size_of_val(image.samples()) >= LARGE;
            assert!(!is_large || image.samples().as_ptr().addr().is_multiple_of(HUGE));
            assert!(image.samples().iter().all(|sample| sample.to_bits() == 0));
            *image.samples_mut().last_mut().expect("there are samples") = 0.5;
            let copy = image.clone();
            assert_eq!(copy.pixel(511, height - 1), Some([0.0, 0.0, 0.0, 0.5]));
            assert_eq!(copy.samples(), image.samples());
        }
    }

    #[test]
    fn every_nan_becomes_the_canonical_one() {
        let size = Size::new(2, 1).expect("within the limits");
        let bits = [0x7fc0_0001, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff, 0x7f80_0000, 0x8000_0000];
        let mut samples: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        samples.extend([0.5, -1.0]);
        let image = Image::from_samples(size, samples).expect("eight samples");
        let stored: Vec<u32> = image.samples().iter().map(|s| s.to_bits()).collect();
        assert_eq!(stored[..4], [NAN_BITS; 4]);
        assert_eq!(stored[4..6], bits[4..]);
    }

    #[test]
    fn what_is_not_finite_is_counted() {
        let mut samples = vec![f32::MAX; (1 << 16) + 5];
        samples[7] = f32::NAN;
        samples[1 << 16] = f32::NEG_INFINITY;
        samples[(1 << 16) + 3] = f32::INFINITY;
        let found = Specials::of(&samples);
        assert_eq!(found, Specials { nans: 1, infinities: 2 });
        assert_eq!(found.to_string(), "1 NaN and 2 infinite");
        assert!(Specials::of(&[0.0, -f32::MIN_POSITIVE]).is_none());
    }

    #[test]
    fn the_number_of_samples_is_checked() {
        let size = Size::new(2, 3).expect("within the limits");
        assert!(Image::from_samples(size, vec![0u8; 24]).is_ok());
        assert_eq!(
            Image::from_samples(size, vec![0u8; 23]).map(|_| ()),
            Err(SampleCountError { size, found: 23 })
        );
    }

    #[test]
    fn pixels_are_found_by_their_place() {
        let size = Size::new(3, 2).expect("within the limits");
        let image = Image::from_fn(size, |x, y| [x as u8, y as u8, 7, 9]);
        assert_eq!(image.pixel(2, 1), Some([2, 1, 7, 9]));
        assert_eq!(image.pixel(3, 0), None);
        assert_eq!(image.pixel(0, 2), None);
        assert_eq!(image.pixels().len(), 6);
    }
}
