//! Memory of the caller as the target of pictures.

use lambdav_image::quantize::Transfer;
use lambdav_image::{AnyImage, Image, Size};
use lambdav_raster::{Attachment, Surface};
use thiserror::Error;

/// Memory for a picture: format, size and stride between rows.
///
/// The stride counts elements of the slice and is at least four times the width. Elements between rows
/// keep their values. A picture that fails may leave some of its pixels in the memory.
#[derive(Debug)]
pub struct Target<'a>(Attachment<'a>);

/// Reason why memory is no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{elements} elements with {stride} from row to row do not hold a picture of {size}")]
pub struct TargetError {
    /// The length of the slice.
    pub elements: usize,
    /// The stride, in elements.
    pub stride: usize,
    /// The size, in pixels.
    pub size: Size,
}

/// The surface of a picture in this memory.
fn surface<T>(memory: &mut [T], size: Size, stride: usize) -> Result<Surface<'_, T>, TargetError> {
    let elements = memory.len();
    Surface::new(memory, size, stride).ok_or(TargetError { elements, stride, size })
}

impl<'a> Target<'a> {
    /// Red, green, blue and alpha of 8 bits each; linear, unless [`Self::srgb`] is called.
    ///
    /// # Errors
    ///
    /// [`TargetError`] if rows overlap or the memory is too short.
    pub fn rgba8(memory: &'a mut [u8], size: Size, stride: usize) -> Result<Self, TargetError> {
        surface(memory, size, stride).map(Self::of8)
    }

    /// Like [`Self::rgba8`], with 16 bits each.
    ///
    /// # Errors
    ///
    /// As for [`Self::rgba8`].
    pub fn rgba16(memory: &'a mut [u16], size: Size, stride: usize) -> Result<Self, TargetError> {
        surface(memory, size, stride).map(Self::of16)
    }

    /// Like [`Self::rgba8`], with binary32 samples, which are never encoded.
    ///
    /// # Errors
    ///
    /// As for [`Self::rgba8`].
    pub fn rgba32f(memory: &'a mut [f32], size: Size, stride: usize) -> Result<Self, TargetError> {
        surface(memory, size, stride).map(Self::of_floats)
    }

    fn of8(surface: Surface<'a, u8>) -> Self {
        Self(Attachment::Unorm8(surface, Transfer::Linear))
    }

    fn of16(surface: Surface<'a, u16>) -> Self {
        Self(Attachment::Unorm16(surface, Transfer::Linear))
    }

    fn of_floats(surface: Surface<'a, f32>) -> Self {
        Self(Attachment::Float(surface))
    }

    /// Encodes red, green and blue of 8 or 16 bits with the transfer function of sRGB.
    #[must_use]
    pub fn srgb(self) -> Self {
        self.transfer(Transfer::Srgb)
    }

    /// Encodes samples of 8 or 16 bits with that transfer function.
    #[must_use]
    pub fn transfer(self, transfer: Transfer) -> Self {
        Self(match self.0 {
            Attachment::Unorm8(surface, _) => Attachment::Unorm8(surface, transfer),
            Attachment::Unorm16(surface, _) => Attachment::Unorm16(surface, transfer),
            other => other,
        })
    }

    /// Width and height, in pixels.
    pub fn size(&self) -> Size {
        self.0.size()
    }

    pub(crate) fn attachment(self) -> Attachment<'a> {
        self.0
    }
}

/// Conversions of images into targets.
macro_rules! images {
    ($($samples:ty => $of:ident,)*) => {
        $(impl<'a> From<&'a mut Image<$samples>> for Target<'a> {
            fn from(image: &'a mut Image<$samples>) -> Self {
                Self::$of(image.into())
            }
        })*
    };
}

images!(u8 => of8, u16 => of16, f32 => of_floats,);

impl<'a> From<&'a mut AnyImage> for Target<'a> {
    fn from(image: &'a mut AnyImage) -> Self {
        match image {
            AnyImage::Unorm8(image) => image.into(),
            AnyImage::Unorm16(image) => image.into(),
            AnyImage::Float(frame) => frame.into(),
        }
    }
}
