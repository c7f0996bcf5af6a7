//! Errors of reading and writing files.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::format::Format;
use crate::pixels::OutOfMemory;
use crate::size::SizeError;

/// Reason why an image cannot be encoded.
#[derive(Debug, Error)]
pub enum EncodeError {
    /// The writer failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The PNG encoder failed.
    #[error("cannot encode PNG")]
    Png(#[source] ::png::EncodingError),
    /// The OpenEXR encoder failed.
    #[cfg(feature = "exr")]
    #[error("cannot encode OpenEXR")]
    Exr(#[source] ::exr::error::Error),
    /// The image has other samples than the encoding, and is no frame.
    #[error("the image has other samples than the file")]
    Samples,
    /// Metadata contains a character that the format cannot hold: OpenEXR holds Latin-1 only, and no
    /// format holds U+0000.
    #[error("the format cannot hold the metadata text {text:?}")]
    Text {
        /// The text.
        text: String,
    },
}

/// Reason why bytes cannot be decoded.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// They begin like no known format.
    #[error("not a file of the formats {}", super::format::readable())]
    Unknown,
    /// The declared size exceeds the limits.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// There is no memory for the declared size.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The file is shorter than its declared content.
    #[error("{format:?} file is cut off: {found} bytes cannot hold what it declares")]
    Truncated {
        /// The format.
        format: Format,
        /// The actual length.
        found: usize,
    },
    /// A file of another program's format is shorter than its declared content.
    #[cfg(feature = "formats")]
    #[error("{format} file is cut off: {found} bytes cannot hold what it declares")]
    TooShort {
        /// The format.
        format: &'static str,
        /// The actual length.
        found: usize,
    },
    /// The PNG decoder failed.
    #[error("malformed PNG file")]
    Png(#[source] ::png::DecodingError),
    /// The OpenEXR decoder failed.
    #[cfg(feature = "exr")]
    #[error("malformed or unsupported OpenEXR file")]
    Exr(#[source] ::exr::error::Error),
    #[cfg(feature = "exr")]
    /// Compression has changed the pixels of an OpenEXR file.
    #[error("OpenEXR files with lossy compression ({0}) are not read")]
    LossyExr(::exr::compression::Compression),
    /// The decoder of another program's format failed.
    #[cfg(feature = "formats")]
    #[error("malformed or unsupported file")]
    Other(#[source] ::image::ImageError),
    /// The file has samples of an unsupported type.
    #[cfg(feature = "formats")]
    #[error("images of {0} are not read")]
    Samples(String),
    /// The NPY header is malformed or uses unsupported features.
    #[error("malformed or unsupported NPY file")]
    Npy(#[from] HeaderError),
}

/// Error in the header of an NPY file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// A version other than 1, 2 and 3.
    #[error("version {0} of NPY is not known")]
    Version(u8),
    /// The header is no dictionary with the three entries.
    #[error("the header {0:?} cannot be read")]
    Syntax(String),
    /// Numbers of a type other than float32.
    #[error("the numbers are of type {0:?}, not float32")]
    Type(String),
    /// Columns first.
    #[error("the array is in Fortran order")]
    Fortran,
    /// The shape is not that of an image.
    #[error("an array of shape {0:?} is no image")]
    Shape(Vec<u64>),
}

/// Reason why an image cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file or stream could not be opened or read.
    #[error("cannot read `{}`", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file was read, but is no image.
    #[error("`{}` is not an image that can be read", .path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// The decoder's error.
        source: DecodeError,
    },
}
