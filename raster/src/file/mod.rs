//! Image files: PNG, OpenEXR and NPY, written and read.
//!
//! [`Format`] names the three; [`Encoding`] adds what PNG alone has to choose, the depth and the
//! transfer function: float files hold a frame as it was rendered, and cannot be asked otherwise.
//! Encoding goes to any [`Write`]; [`save`] puts a file in its place whole or not at all, by
//! [`write_atomically`]. Files carry no time stamps: the same frame and metadata give the same
//! bytes.
//!
//! Decoding recognises a format by the file's first bytes, not by its name. Input may be hostile:
//! every size is checked against the limits of [`crate::size`] before memory is asked for.

mod atomic;
#[cfg(feature = "exr")]
pub mod exr;
pub mod npy;
pub mod png;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

pub use self::atomic::{SaveError, abandon_writes, check_target, write_atomically};
use crate::image::{AnyImage, Frame, OutOfMemory};
use crate::quantize::{Transfer, quantize};
use crate::size::{MAX_PIXELS, SizeError};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// PNG, RGBA, 8 or 16 bits.
    Png,
    /// OpenEXR, RGBA, binary32; with the feature `exr`.
    #[cfg(feature = "exr")]
    Exr,
    /// NumPy's array file: float32 of shape (height, width, 4).
    Npy,
}

/// A name or an ending that stands for no [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is not an image format; there are {}", Format::names(" and "))]
pub struct FormatError {
    /// The name or ending; empty where a path has none.
    pub name: String,
}

impl Format {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Png,
        #[cfg(feature = "exr")]
        Self::Exr,
        Self::Npy,
    ];

    /// The names of all, with `last` before the last one, for messages.
    pub fn names(last: &str) -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
        let (end, names) = names.split_last().expect("there is PNG");
        format!("{}{last}{end}", names.join(", "))
    }

    /// Its name, which is also the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            #[cfg(feature = "exr")]
            Self::Exr => "exr",
            Self::Npy => "npy",
        }
    }

    /// The format that a path's ending asks for; capital letters are as good.
    pub fn from_path(path: &Path) -> Result<Self, FormatError> {
        path.extension().unwrap_or(OsStr::new("")).to_string_lossy().parse()
    }

    /// The first bytes of every file of this format.
    fn magic(self) -> &'static [u8] {
        match self {
            Self::Png => b"\x89PNG\r\n\x1a\n",
            #[cfg(feature = "exr")]
            Self::Exr => b"\x76\x2f\x31\x01",
            Self::Npy => b"\x93NUMPY",
        }
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        let mut all = Self::ALL.iter();
        let found = all.find(|format| name.eq_ignore_ascii_case(format.name()));
        found.copied().ok_or_else(|| FormatError { name: name.to_owned() })
    }
}

/// How a frame becomes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// PNG with 8 bits to a sample.
    Png8(Transfer),
    /// PNG with 16 bits to a sample.
    Png16(Transfer),
    /// OpenEXR.
    #[cfg(feature = "exr")]
    Exr,
    /// NPY.
    Npy,
}

/// What a file says of its origin. NPY has no place for it and goes without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The version of the language that gives the pixels their meaning.
    pub language_version: String,
    /// The program that wrote the file, with its version.
    pub software: String,
    /// Anything else worth keeping, such as the shader's name and inputs.
    pub comment: Option<String>,
}

/// The name under which PNG and OpenEXR files hold [`Metadata::language_version`].
pub const LANGUAGE_VERSION_KEY: &str = "lambdav:language-version";

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
    /// Metadata holds a character that the format's text cannot: OpenEXR takes Latin-1 only, and
    /// nothing takes U+0000.
    #[error("the format cannot hold the metadata text {text:?}")]
    Text {
        /// The text.
        text: String,
    },
}

/// Encodes a frame.
pub fn encode(
    frame: &Frame,
    encoding: Encoding,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    match encoding {
        Encoding::Png8(transfer) => {
            png::encode(&quantize::<u8>(frame, transfer), transfer, metadata, out)
        }
        Encoding::Png16(transfer) => {
            png::encode(&quantize::<u16>(frame, transfer), transfer, metadata, out)
        }
        #[cfg(feature = "exr")]
        Encoding::Exr => exr::encode(frame, metadata, out),
        Encoding::Npy => npy::encode(frame, out),
    }
}

/// Encodes a frame into the file at `path`, by [`write_atomically`].
pub fn save(
    path: &Path,
    frame: &Frame,
    encoding: Encoding,
    metadata: &Metadata,
) -> Result<(), SaveError<EncodeError>> {
    write_atomically(path, |out| encode(frame, encoding, metadata, out))
}

/// Why bytes are no image to this crate.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// They begin like none of the formats.
    #[error("not a file of the formats {}", Format::names(" and "))]
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
    /// The NPY header is malformed or asks for what is not supported.
    #[error("malformed or unsupported NPY file")]
    Npy(#[from] npy::HeaderError),
}

/// Decodes an image file held in memory. Its format shows in its first bytes.
pub fn decode(bytes: &[u8]) -> Result<AnyImage, DecodeError> {
    match Format::ALL.iter().find(|format| bytes.starts_with(format.magic())) {
        Some(Format::Png) => png::decode(bytes),
        #[cfg(feature = "exr")]
        Some(Format::Exr) => exr::decode(bytes).map(AnyImage::from),
        Some(Format::Npy) => npy::decode(bytes).map(AnyImage::from),
        None => Err(DecodeError::Unknown),
    }
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

/// Reads the image file at `path`.
pub fn load(path: &Path) -> Result<AnyImage, LoadError> {
    let mut file =
        File::open(path).map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
    load_from(&mut file, path)
}

/// Reads an image from a stream to its end. `name` stands for it in errors.
pub fn load_from(from: &mut dyn Read, name: &Path) -> Result<AnyImage, LoadError> {
    let fail = |source| LoadError::Io { path: name.to_owned(), source };
    let refuse = |source| LoadError::Decode { path: name.to_owned(), source };

    // An endless stream that is no image is given up after its first bytes, one that begins like
    // an image after as many as the largest image has.
    let mut bytes = Vec::new();
    from.take(8).read_to_end(&mut bytes).map_err(fail)?;
    if !Format::ALL.iter().any(|format| bytes.starts_with(format.magic())) {
        return Err(refuse(DecodeError::Unknown));
    }
    from.take(MAX_PIXELS * 16 + (1 << 20)).read_to_end(&mut bytes).map_err(fail)?;
    decode(&bytes).map_err(refuse)
}

#[cfg(test)]
mod tests;
