//! Why a file cannot be written or read.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::format::Format;
use crate::pixels::OutOfMemory;
use crate::size::SizeError;

/// Why an image could not be encoded.
#[derive(Debug, Error)]
pub enum EncodeError {
    /// The writer failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The PNG encoder refused.
    #[error("cannot encode PNG")]
    Png(#[source] ::png::EncodingError),
    /// The OpenEXR encoder refused.
    #[cfg(feature = "exr")]
    #[error("cannot encode OpenEXR")]
    Exr(#[source] ::exr::error::Error),
    /// The image has other samples than a file of that encoding, and is no frame.
    #[error("the image has other samples than the file")]
    Samples,
    /// Metadata holds a character that the format's text cannot: OpenEXR takes Latin-1 only, and
    /// nothing takes U+0000.
    #[error("the format cannot hold the metadata text {text:?}")]
    Text {
        /// The text.
        text: String,
    },
}

/// Why bytes are no image to this crate.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// They begin like none of the formats.
    #[error("not a file of the formats {}", super::format::readable())]
    Unknown,
    /// The declared size is outside the limits.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// No memory for the declared size.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The file is too short for what it declares.
    #[error("{format:?} file is cut off: {found} bytes cannot hold what it declares")]
    Truncated {
        /// The format.
        format: Format,
        /// The length that it has.
        found: usize,
    },
    /// The file of another program's format is too short for what it declares.
    #[cfg(feature = "formats")]
    #[error("{format} file is cut off: {found} bytes cannot hold what it declares")]
    TooShort {
        /// The format.
        format: &'static str,
        /// The length that it has.
        found: usize,
    },
    /// The PNG decoder refused.
    #[error("malformed PNG file")]
    Png(#[source] ::png::DecodingError),
    /// The OpenEXR decoder refused.
    #[cfg(feature = "exr")]
    #[error("malformed or unsupported OpenEXR file")]
    Exr(#[source] ::exr::error::Error),
    #[cfg(feature = "exr")]
    /// The pixels of an OpenEXR file are not the ones that were given to its writer.
    #[error("OpenEXR files with lossy compression ({0}) are not read")]
    LossyExr(::exr::compression::Compression),
    /// The decoder of another program's format refused.
    #[cfg(feature = "formats")]
    #[error("malformed or unsupported file")]
    Other(#[source] ::image::ImageError),
    /// The file has samples of a kind that no image here has.
    #[cfg(feature = "formats")]
    #[error("images of {0} are not read")]
    Samples(String),
    /// The NPY header is malformed or asks for what is not supported.
    #[error("malformed or unsupported NPY file")]
    Npy(#[from] HeaderError),
}

/// What is wrong with the header of an NPY file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// A version other than 1, 2 and 3.
    #[error("version {0} of NPY is not known")]
    Version(u8),
    /// The header is no dictionary of the three entries.
    #[error("the header {0:?} cannot be read")]
    Syntax(String),
    /// Numbers of another type than float32.
    #[error("the numbers are of type {0:?}, not float32")]
    Type(String),
    /// Columns first.
    #[error("the array is in Fortran order")]
    Fortran,
    /// A shape that is no image.
    #[error("an array of shape {0:?} is no image")]
    Shape(Vec<u64>),
}

/// Why an image could not be read.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file or stream could not be opened or read.
    #[error("cannot read `{}`", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It was read, and is no image.
    #[error("`{}` is not an image that can be read", .path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: DecodeError,
    },
}
