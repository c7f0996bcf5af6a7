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
    size: Size,
    stride: usize,
    transfer: Transfer,
}

#[derive(Debug)]
enum Samples<'a> {
    Unorm8(&'a mut [u8]),
    Unorm16(&'a mut [u16]),
    Float(&'a mut [f32]),
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

/// Checks that a picture fits.
fn check(elements: usize, size: Size, stride: usize) -> Result<(), TargetError> {
    let row = 4 * size.width() as usize;
    let end = (size.height() as usize - 1).checked_mul(stride).and_then(|all| all.checked_add(row));
    match end {
        Some(end) if stride >= row && end <= elements => Ok(()),
        _ => Err(TargetError { elements, stride, size }),
    }
}

impl<'a> Target<'a> {
    /// Red, green, blue and alpha of 8 bits each, linear unless [`Self::srgb`] says otherwise.
    ///
    /// # Errors
    ///
    /// [`TargetError`] where rows overlap or the memory is too short.
    pub fn rgba8(memory: &'a mut [u8], size: Size, stride: usize) -> Result<Self, TargetError> {
        check(memory.len(), size, stride)?;
        Ok(Self::of(Samples::Unorm8(memory), size, stride))
    }

    /// The same of 16 bits each.
    ///
    /// # Errors
    ///
    /// As of [`Self::rgba8`].
    pub fn rgba16(memory: &'a mut [u16], size: Size, stride: usize) -> Result<Self, TargetError> {
        check(memory.len(), size, stride)?;
        Ok(Self::of(Samples::Unorm16(memory), size, stride))
    }

    /// The same as binary32, which is never encoded.
    ///
    /// # Errors
    ///
    /// As of [`Self::rgba8`].
    pub fn rgba32f(memory: &'a mut [f32], size: Size, stride: usize) -> Result<Self, TargetError> {
        check(memory.len(), size, stride)?;
        Ok(Self::of(Samples::Float(memory), size, stride))
    }

    fn of(samples: Samples<'a>, size: Size, stride: usize) -> Self {
        Self { samples, size, stride, transfer: Transfer::Linear }
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
        self.size
    }

    /// Draws all pixels.
    pub(crate) fn render(
        &mut self,
        kernel: &dyn Kernel,
        options: &RenderOptions<'_>,
    ) -> Result<(), RenderError> {
        let (size, stride, transfer) = (self.size, self.stride, self.transfer);
        const FITS: &str = "it was checked when the target was made";
        match &mut self.samples {
            Samples::Unorm8(memory) => {
                let surface = Surface::new(memory, size, stride).expect(FITS);
                render_quantized_surface(kernel, surface, transfer, options)
            }
            Samples::Unorm16(memory) => {
                let surface = Surface::new(memory, size, stride).expect(FITS);
                render_quantized_surface(kernel, surface, transfer, options)
            }
            Samples::Float(memory) => {
                let surface = Surface::new(memory, size, stride).expect(FITS);
                render_surface(kernel, surface, options)
            }
        }
    }
}

/// Defines how images become targets.
macro_rules! images {
    ($($samples:ty => $kind:ident,)*) => {
        $(impl<'a> From<&'a mut Image<$samples>> for Target<'a> {
            fn from(image: &'a mut Image<$samples>) -> Self {
                let size = image.size();
                let samples = Samples::$kind(image.samples_mut());
                Self::of(samples, size, 4 * size.width() as usize)
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
