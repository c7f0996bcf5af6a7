//! Conversions to and from the buffers of the crate [`image`], with the feature `image`.
//!
//! A frame is an [`image::Rgba32FImage`], its quantised forms are [`image::RgbaImage`] (8 bits) and
//! `ImageBuffer<Rgba<u16>, _>`. Conversions are exact in both directions, except that NaNs become the
//! canonical one on the way back; a buffer whose size exceeds the limits of [`crate::size`] is refused.

use image::{ImageBuffer, Primitive, Rgba};
use thiserror::Error;

use crate::pixels::{Image, OutOfMemory, Sample};
use crate::size::{Size, SizeError};

/// Reason why a buffer cannot become an image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BufferError {
    /// The size exceeds the limits.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// There is no memory for another copy.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl<T: Sample + Primitive> From<&Image<T>> for ImageBuffer<Rgba<T>, Vec<T>>
where
    Rgba<T>: image::Pixel<Subpixel = T>,
{
    fn from(image: &Image<T>) -> Self {
        let (width, height) = (image.size().width(), image.size().height());
        Self::from_raw(width, height, image.samples().to_vec()).expect("four samples to a pixel")
    }
}

impl<T: Sample + Primitive> TryFrom<&ImageBuffer<Rgba<T>, Vec<T>>> for Image<T>
where
    Rgba<T>: image::Pixel<Subpixel = T>,
{
    type Error = BufferError;

    fn try_from(buffer: &ImageBuffer<Rgba<T>, Vec<T>>) -> Result<Self, BufferError> {
        let size = Size::new(buffer.width(), buffer.height())?;
        let mut image = Self::zeros(size)?;
        // A buffer's memory may be longer than its pixels.
        for (to, from) in image.samples_mut().iter_mut().zip(buffer.as_raw()) {
            *to = from.canonical();
        }
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgba32FImage, RgbaImage};

    use super::*;
    use crate::pixels::{Frame, NAN_BITS};
    use crate::quantize::{Transfer, quantize};

    fn frame() -> Frame {
        let size = Size::new(3, 2).expect("within the limits");
        Frame::from_fn(size, |x, y| [x as f32 / 2.0, y as f32, -0.0, 1.0 / 3.0])
    }

    #[test]
    fn there_and_back_is_the_same() {
        let frame = frame();
        let buffer = Rgba32FImage::from(&frame);
        assert_eq!(buffer.dimensions(), (3, 2));
        assert_eq!(buffer.get_pixel(2, 1).0, [1.0, 1.0, 0.0, 1.0 / 3.0]);
        let back = Frame::try_from(&buffer).expect("a small buffer");
        let bits = |frame: &Frame| frame.samples().iter().map(|s| s.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&frame));

        let levels = quantize::<u8>(&frame, Transfer::Linear);
        let buffer = RgbaImage::from(&levels);
        assert_eq!(buffer.get_pixel(1, 1).0, [128, 255, 0, 85]);
        assert_eq!(Image::try_from(&buffer).expect("a small buffer").samples(), levels.samples());
    }

    #[test]
    fn foreign_buffers_are_checked() {
        let signalling = f32::from_bits(0x7f80_0001);
        let buffer = Rgba32FImage::from_pixel(1, 1, Rgba([signalling, 0.0, 0.0, 1.0]));
        let image = Image::try_from(&buffer).expect("a small buffer");
        assert_eq!(image.samples()[0].to_bits(), NAN_BITS);
        let empty = Rgba32FImage::new(0, 7);
        let refused = BufferError::Size(SizeError::Empty { width: 0, height: 7 });
        assert_eq!(Image::try_from(&empty).map(|_| ()), Err(refused));
    }
}
