//! Pictures that can be compared with a golden.

use image::{ImageBuffer, Rgba};
use lambdav::{Error, Options, Shader, Size};
use lambdav_image::buffers::BufferError;
use lambdav_image::{AnyImage, Image};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Side of a picture without a given size.
const SIDE: u32 = 512;

/// Reason why there is no picture.
#[derive(Debug, Error)]
pub enum PictureError {
    /// A shader has errors or cannot be drawn.
    #[error(transparent)]
    Shader(#[from] Error),
    /// An image is too large, or there is no memory for another copy.
    #[error(transparent)]
    Buffer(#[from] BufferError),
}

/// A picture that can be compared with a golden.
pub trait Picture {
    /// Draws or converts the picture. Paths are relative to `folder`.
    ///
    /// # Errors
    ///
    /// [`PictureError`].
    fn draw(&self, folder: &Path) -> Result<AnyImage, PictureError>;
}

impl<T: Picture + ?Sized> Picture for &T {
    fn draw(&self, folder: &Path) -> Result<AnyImage, PictureError> {
        (**self).draw(folder)
    }
}

/// A shader: its first output, 512×512 pixels, with the defaults of its uniforms.
impl Picture for Path {
    fn draw(&self, folder: &Path) -> Result<AnyImage, PictureError> {
        let shader = Shader::open(folder.join(self))?;
        let size = Size::new(SIDE, SIDE).map_err(Error::from)?;
        let pipeline = shader.pipeline(&Options::default().for_size(size))?;
        Ok(pipeline.render(&pipeline.bindings(), size)?.into())
    }
}

impl Picture for PathBuf {
    fn draw(&self, folder: &Path) -> Result<AnyImage, PictureError> {
        self.as_path().draw(folder)
    }
}

impl Picture for str {
    fn draw(&self, folder: &Path) -> Result<AnyImage, PictureError> {
        Path::new(self).draw(folder)
    }
}

impl Picture for AnyImage {
    fn draw(&self, _: &Path) -> Result<AnyImage, PictureError> {
        Ok(self.clone())
    }
}

macro_rules! images {
    ($($samples:ty),*) => {$(
        impl Picture for Image<$samples> {
            fn draw(&self, _: &Path) -> Result<AnyImage, PictureError> {
                Ok(self.clone().into())
            }
        }

        impl Picture for ImageBuffer<Rgba<$samples>, Vec<$samples>> {
            fn draw(&self, _: &Path) -> Result<AnyImage, PictureError> {
                Ok(Image::try_from(self)?.into())
            }
        }
    )*};
}

images!(u8, u16, f32);
