//! Memory of the caller that pictures are drawn into.

use lambdav_image::quantize::Transfer;
use lambdav_image::{AnyImage, Image, Size};
use lambdav_raster::{
    Kernel, RenderError, RenderOptions, Surface, render_quantized_surface, render_surface,
};
use thiserror::Error;

/// Memory for a picture: a format, a size, and rows that begin a stride apart.
///
/// A stride counts elements of the slice, as many as four times the width or more. Elements between rows keep
/// their values. A picture that cannot be drawn leaves some of its pixels in the memory.
#[derive(Debug)]
pub struct Target<'a> {
    samples: Samples<'a>,
    transfer: Transfer,
}

#[derive(Debug)]
enum Samples<'a> {
    Unorm8(Surface<'a, u8>),
    Unorm16(Surface<'a, u16>),
    Float(Surface<'a, f32>),
}

/// The reason why memory is no target.
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

/// The surface that a picture fits on.
fn surface<T>(memory: &mut [T], size: Size, stride: usize) -> Result<Surface<'_, T>, TargetError> {
    let elements = memory.len();
    Surface::new(memory, size, stride).ok_or(TargetError { elements, stride, size })
}

impl<'a> Target<'a> {
    /// Red, green, blue and alpha of 8 bits each, linear unless [`Self::srgb`] says otherwise.
    ///
    /// # Errors
    ///
    /// [`TargetError`] where rows overlap or the memory is too short.
    pub fn rgba8(memory: &'a mut [u8], size: Size, stride: usize) -> Result<Self, TargetError> {
        surface(memory, size, stride).map(|surface| Self::of(Samples::Unorm8(surface)))
    }

    /// The same of 16 bits each.
    ///
    /// # Errors
    ///
    /// As of [`Self::rgba8`].
    pub fn rgba16(memory: &'a mut [u16], size: Size, stride: usize) -> Result<Self, TargetError> {
        surface(memory, size, stride).map(|surface| Self::of(Samples::Unorm16(surface)))
    }

    /// The same as binary32, which is never encoded.
    ///
    /// # Errors
    ///
    /// As of [`Self::rgba8`].
    pub fn rgba32f(memory: &'a mut [f32], size: Size, stride: usize) -> Result<Self, TargetError> {
        surface(memory, size, stride).map(|surface| Self::of(Samples::Float(surface)))
    }

    fn of(samples: Samples<'a>) -> Self {
        Self { samples, transfer: Transfer::Linear }
    }

    /// Encodes red, green and blue of 8 or 16 bits with the transfer function of sRGB.
    #[must_use]
    pub fn srgb(self) -> Self {
        self.transfer(Transfer::Srgb)
    }

    /// Encodes samples of 8 or 16 bits with that transfer function.
    #[must_use]
    pub fn transfer(mut self, transfer: Transfer) -> Self {
        self.transfer = transfer;
        self
    }

    /// Width and height, in pixels.
    pub fn size(&self) -> Size {
        match &self.samples {
            Samples::Unorm8(surface) => surface.size(),
            Samples::Unorm16(surface) => surface.size(),
            Samples::Float(surface) => surface.size(),
        }
    }

    /// Draws all pixels.
    pub(crate) fn render(
        self,
        kernel: &dyn Kernel,
        options: &RenderOptions<'_>,
    ) -> Result<(), RenderError> {
        let transfer = self.transfer;
        match self.samples {
            Samples::Unorm8(surface) => {
                render_quantized_surface(kernel, surface, transfer, options)
            }
            Samples::Unorm16(surface) => {
                render_quantized_surface(kernel, surface, transfer, options)
            }
            Samples::Float(surface) => render_surface(kernel, surface, options),
        }
    }
}

/// Defines how images become targets.
macro_rules! images {
    ($($samples:ty => $kind:ident,)*) => {
        $(impl<'a> From<&'a mut Image<$samples>> for Target<'a> {
            fn from(image: &'a mut Image<$samples>) -> Self {
                Self::of(Samples::$kind(image.into()))
            }
        })*
    };
}

images!(u8 => Unorm8, u16 => Unorm16, f32 => Float,);

impl<'a> From<&'a mut AnyImage> for Target<'a> {
    fn from(image: &'a mut AnyImage) -> Self {
        match image {
            AnyImage::Unorm8(image) => image.into(),
            AnyImage::Unorm16(image) => image.into(),
            AnyImage::Float(frame) => frame.into(),
        }
    }
}
