//! binary32 to UNORM8 and UNORM16: the one place where a frame loses precision.
//!
//! A sample is clamped to [0, 1], multiplied by 255 or 65535, and rounded to the nearest integer,
//! ties to even. NaN becomes 0, and so does −0. The product is formed in binary64, where it is
//! exact (24 significant bits times at most 16), so there is one rounding, and the result is that
//! of real arithmetic.
//!
//! With [`Transfer::Srgb`], the colour channels pass through the sRGB transfer function first; the
//! result is rounded once, too; see [`crate::srgb`]. Alpha is never encoded.

use crate::pixels::{Frame, Image, Sample};
use crate::srgb::Encoder;
use lambdav_float_environment::with_default;
use pulp::Arch;

/// Transfer function that is applied to colours before quantising.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// None: 0.5 becomes half of full intensity.
    #[default]
    Linear,
    /// R, G and B are linear intensities and become sRGB-encoded.
    Srgb,
}

/// Sample types that represent [0, 1]: `u8` or `u16`.
pub trait Unorm: Sample + Into<u32> {
    /// Number of bits.
    const BITS: u32;

    /// The level nearest to `value`, clamped to [0, 1]; ties go to even, NaN to 0.
    fn quantize(value: f32) -> Self;

    /// The level nearest to the sRGB encoding of a linear intensity, clamped to [0, 1].
    fn quantize_srgb(linear: f32) -> Self;
}

/// `value`, clamped to [0, 1], times `max`, rounded to the nearest integer; ties go to even.
#[inline]
fn scale(value: f32, max: f64) -> u32 {
    // At 2^52, binary64 holds integers only: the sum rounds to the nearest one, which is in its low
    // bits.
    const INTEGERS: f64 = (1_u64 << 52) as f64;
    // Comparisons with NaN are false, so NaN becomes 0 like values below 0.
    let clamped = if value > 0.0 { value } else { 0.0 };
    let clamped = if clamped < 1.0 { clamped } else { 1.0 };
    (f64::from(clamped) * max + INTEGERS).to_bits() as u32
}

impl Unorm for u8 {
    const BITS: u32 = Self::BITS;

    #[inline]
    fn quantize(value: f32) -> Self {
        scale(value, 255.0) as Self
    }

    #[inline]
    fn quantize_srgb(linear: f32) -> Self {
        // At most 255, because of the encoder's table.
        Encoder::to_8_bits().encode(linear) as Self
    }
}

impl Unorm for u16 {
    const BITS: u32 = Self::BITS;

    #[inline]
    fn quantize(value: f32) -> Self {
        scale(value, 65535.0) as Self
    }

    #[inline]
    fn quantize_srgb(linear: f32) -> Self {
        Encoder::to_16_bits().encode(linear)
    }
}

/// Quantises a frame.
pub fn quantize<T: Unorm>(frame: &Frame, transfer: Transfer) -> Image<T> {
    Image::from_canonical(frame.size(), quantize_pixels(frame.pixels(), transfer))
}

/// Quantises pixels.
pub(crate) fn quantize_pixels<T: Unorm>(pixels: &[[f32; 4]], transfer: Transfer) -> Vec<T> {
    let mut samples = vec![T::default(); 4 * pixels.len()];
    with_default(|| quantize_into(pixels, transfer, samples.as_chunks_mut().0));
    samples
}

/// Quantises pixels; requires the default floating-point environment.
pub fn quantize_into<T: Unorm>(pixels: &[[f32; 4]], transfer: Transfer, samples: &mut [[T; 4]]) {
    match transfer {
        Transfer::Linear => Arch::new().dispatch(|| {
            let samples = samples.as_flattened_mut().iter_mut().zip(pixels.as_flattened());
            samples.for_each(|(to, &from)| *to = T::quantize(from));
        }),
        Transfer::Srgb => {
            for (to, &[r, g, b, a]) in samples.iter_mut().zip(pixels) {
                *to =
                    [T::quantize_srgb(r), T::quantize_srgb(g), T::quantize_srgb(b), T::quantize(a)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::Size;

    /// True if `k` is the nearest integer to `x * max`, ties to even, for x in [0, 1]. Computed in
    /// integers, with x = `mantissa / 2^shift`.
    fn is_nearest(x: f32, k: u32, max: u32) -> bool {
        let exponent = (x.to_bits() >> 23).max(1);
        let hidden = u32::from(x.to_bits() >> 23 != 0) << 23;
        let mantissa = u128::from((x.to_bits() & 0x007f_ffff) | hidden);
        let shift = 127 + 23 - exponent;
        if shift >= 80 {
            // Far below half a level.
            return k == 0;
        }
        // |2 x max - 2k| <= 1, with equality for even k only; all times 2^shift.
        let (product, level) = (2 * mantissa * u128::from(max), u128::from(2 * k) << shift);
        match product.abs_diff(level).cmp(&(1 << shift)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => k.is_multiple_of(2),
            std::cmp::Ordering::Greater => false,
        }
    }

    #[test]
    fn every_binary32_in_the_unit_interval_goes_to_its_nearest_level() {
        // All values in [2^-4, 1], and every 61st below, where levels are sparse.
        let low = 0.0625f32.to_bits();
        for bits in (0..low).step_by(61).chain(low..=1.0f32.to_bits()) {
            let x = f32::from_bits(bits);
            let level = u8::quantize(x);
            assert!(is_nearest(x, level.into(), 255), "{x:?} to {level}");
        }
        for bits in (0..=1.0f32.to_bits()).step_by(31) {
            let x = f32::from_bits(bits);
            let level = u16::quantize(x);
            assert!(is_nearest(x, level.into(), 65535), "{x:?} to {level}");
        }
    }

    #[test]
    fn neighbours_of_every_halfway_point() {
        for k in 0..65535u32 {
            let halfway = ((f64::from(k) + 0.5) / 65535.0) as f32;
            for x in [halfway.next_down(), halfway, halfway.next_up()] {
                assert!(is_nearest(x, u16::quantize(x).into(), 65535), "{x:?}");
                assert!(is_nearest(x, u8::quantize(x).into(), 255), "{x:?}");
            }
        }
    }

    #[test]
    fn ties_go_to_even() {
        // 255 is odd, so x * 255 is a tie at 0.5 only.
        assert_eq!(u8::quantize(0.5), 128);
        assert_eq!(u16::quantize(0.5), 32768);
    }

    #[test]
    fn levels_come_back() {
        for k in 0..=255u8 {
            assert_eq!(u8::quantize(f32::from(k) / 255.0), k);
        }
        for k in 0..=65535u16 {
            assert_eq!(u16::quantize(f32::from(k) / 65535.0), k);
        }
    }

    #[test]
    fn special_values() {
        let cases = [
            (f32::NAN, 0),
            (-f32::NAN, 0),
            (-0.0, 0),
            (0.0, 0),
            (-1.0, 0),
            (f32::NEG_INFINITY, 0),
            (f32::from_bits(1), 0),
            (1.0, 255),
            (1.0f32.next_up(), 255),
            (1e30, 255),
            (f32::INFINITY, 255),
        ];
        for (x, level) in cases {
            assert_eq!(u8::quantize(x), level, "{x}");
            assert_eq!(u16::quantize(x), u16::from(level) * 257, "{x}");
            assert_eq!(u8::quantize_srgb(x), level, "{x}");
            assert_eq!(u16::quantize_srgb(x), u16::from(level) * 257, "{x}");
        }
    }

    #[test]
    fn alpha_is_not_encoded() {
        let size = Size::new(1, 1).expect("within the limits");
        let frame = Frame::from_fn(size, |_, _| [0.5; 4]);
        assert_eq!(quantize::<u8>(&frame, Transfer::Srgb).samples(), [188, 188, 188, 128]);
        assert_eq!(quantize::<u8>(&frame, Transfer::Linear).samples(), [128; 4]);
        assert_eq!(quantize::<u16>(&frame, Transfer::Srgb).samples()[3], 32768);
    }
}
