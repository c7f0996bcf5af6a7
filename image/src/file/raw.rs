//! Raw frames: only samples, in scan order, for programs that are told size and layout separately, such
//! as video encoders. Samples of several bytes are little-endian.

use std::fmt::Display;
use std::io::Write;
use std::str::FromStr;

use super::error::EncodeError;
use super::format::Encoding;
use crate::pixels::AnyImage;
use crate::quantize::Transfer;

/// Layout of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawLayout {
    samples: Samples,
    has_alpha: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Samples {
    Unorm8,
    Unorm16,
    Float,
}

impl RawLayout {
    /// All layouts with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("rgb8", Self { samples: Samples::Unorm8, has_alpha: false }),
        ("rgba8", Self { samples: Samples::Unorm8, has_alpha: true }),
        ("rgb16", Self { samples: Samples::Unorm16, has_alpha: false }),
        ("rgba16", Self { samples: Samples::Unorm16, has_alpha: true }),
        ("rgb32f", Self { samples: Samples::Float, has_alpha: false }),
        ("rgba32f", Self { samples: Samples::Float, has_alpha: true }),
    ];

    /// True if the samples are floats, which have no transfer function.
    pub fn is_float(self) -> bool {
        self.samples == Samples::Float
    }

    /// The encoding whose [`Encoding::blank`] images have these samples.
    pub fn encoding(self, transfer: Transfer) -> Encoding {
        match self.samples {
            Samples::Unorm8 => Encoding::Png8(transfer),
            Samples::Unorm16 => Encoding::Png16(transfer),
            Samples::Float => Encoding::Npy,
        }
    }

    /// Writes the pixels of an image with these samples.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Samples`] if the image has other samples, and errors of the writer.
    pub fn encode(self, image: &AnyImage, out: &mut dyn Write) -> Result<(), EncodeError> {
        match (self.samples, image) {
            (Samples::Unorm8, AnyImage::Unorm8(image)) if self.has_alpha => {
                Ok(out.write_all(image.samples())?)
            }
            (Samples::Unorm8, AnyImage::Unorm8(image)) => {
                self.put(image.pixels(), |sample| [sample], out)
            }
            (Samples::Unorm16, AnyImage::Unorm16(image)) => {
                self.put(image.pixels(), u16::to_le_bytes, out)
            }
            (Samples::Float, AnyImage::Float(image)) => {
                self.put(image.pixels(), f32::to_le_bytes, out)
            }
            _ => Err(EncodeError::Samples),
        }
    }

    fn put<T: Copy, const N: usize>(
        self,
        pixels: &[[T; 4]],
        bytes: impl Fn(T) -> [u8; N],
        out: &mut dyn Write,
    ) -> Result<(), EncodeError> {
        /// Pixels per call of the writer.
        const AT_ONCE: usize = 1 << 14;
        let channels = if self.has_alpha { 4 } else { 3 };
        let mut buffer = Vec::with_capacity(AT_ONCE.min(pixels.len()) * channels * N);
        for pixels in pixels.chunks(AT_ONCE) {
            buffer.clear();
            let samples = pixels.iter().flat_map(|pixel| &pixel[..channels]);
            buffer.extend(samples.flat_map(|&sample| bytes(sample)));
            out.write_all(&buffer)?;
        }
        Ok(())
    }
}

/// Names of all layouts.
pub fn names() -> impl Display {
    RawLayout::ALL.map(|(name, _)| name).join(", ")
}

impl FromStr for RawLayout {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, layout)| *layout).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::{Frame, Image};
    use crate::size::Size;

    #[test]
    fn samples_stand_one_after_another() {
        let size = Size::new(2, 1).expect("small");
        let layout = |name: &str| name.parse::<RawLayout>().expect("a name");
        let bytes = |name: &str, image: &AnyImage| {
            let mut out = Vec::new();
            layout(name).encode(image, &mut out).map(|()| out).map_err(|error| error.to_string())
        };
        let eight: AnyImage =
            Image::from_samples(size, (1..=8_u8).collect()).expect("8 samples").into();
        assert_eq!(bytes("rgb8", &eight), Ok(vec![1, 2, 3, 5, 6, 7]));
        assert_eq!(bytes("rgba8", &eight), Ok((1..=8).collect()));
        let sixteen: AnyImage =
            Image::from_samples(size, (0x101..=0x108_u16).collect()).expect("8").into();
        assert_eq!(bytes("rgb16", &sixteen), Ok(vec![1, 1, 2, 1, 3, 1, 5, 1, 6, 1, 7, 1]));
        assert_eq!(bytes("rgba16", &sixteen).map(|bytes| bytes.len()), Ok(16));
        let float: AnyImage = Frame::from_samples(size, vec![1.0; 8]).expect("8 samples").into();
        assert_eq!(bytes("rgba32f", &float), Ok(1f32.to_le_bytes().repeat(8)));
        assert_eq!(bytes("rgb32f", &float).map(|bytes| bytes.len()), Ok(24));
        assert_eq!(bytes("rgb8", &float), Err(EncodeError::Samples.to_string()));
        assert!("rgb24".parse::<RawLayout>().is_err());
    }
}
