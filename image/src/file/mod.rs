//! Image files: PNG, OpenEXR and NPY, written and read; and raw frames ([`raw`]), written.
//!
//! [`Format`] names the three; [`Encoding`] adds the choices that PNG alone offers, depth and transfer
//! function: float files hold frames as rendered. Encoding goes to any [`Write`]; [`save`] writes a
//! file atomically, with [`write_atomically`]. Files contain no time stamps: the same frame and
//! metadata give the same bytes.
//!
//! Decoding recognises a format by the file's first bytes, not by its name. With the feature `formats`,
//! the formats of other programs are read, too. Input may be hostile: all sizes are checked against the
//! limits of [`crate::size`] before memory is allocated.
//!
//! Encoding a large image takes the memory of a few rows.

mod atomic;
mod error;
#[cfg(feature = "exr")]
pub mod exr;
mod format;
mod left_out;
pub mod npy;
#[cfg(feature = "formats")]
mod other;
pub mod png;
pub mod raw;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

pub use self::atomic::{
    SaveError, abandon_first_write, abandon_writes, check_target, write_atomically,
};
pub use self::error::{DecodeError, EncodeError, HeaderError, LoadError};
pub use self::format::{Encoding, Format, FormatError, Metadata};
pub use self::left_out::LeftOut;
use crate::pixels::{AnyImage, Frame, Image};
use crate::size::{MAX_PIXELS, Size};

/// An image to write, or to read texels from.
#[derive(Clone, Copy, Debug)]
pub enum ImageRef<'a> {
    /// 8-bit UNORM.
    Unorm8(&'a Image<u8>),
    /// 16-bit UNORM.
    Unorm16(&'a Image<u16>),
    /// binary32, which all encodings accept.
    Float(&'a Frame),
}

impl ImageRef<'_> {
    /// Width and height.
    pub fn size(&self) -> Size {
        match self {
            Self::Unorm8(image) => image.size(),
            Self::Unorm16(image) => image.size(),
            Self::Float(image) => image.size(),
        }
    }
}

impl<'a> From<&'a Image<u8>> for ImageRef<'a> {
    fn from(image: &'a Image<u8>) -> Self {
        Self::Unorm8(image)
    }
}

impl<'a> From<&'a Image<u16>> for ImageRef<'a> {
    fn from(image: &'a Image<u16>) -> Self {
        Self::Unorm16(image)
    }
}

impl<'a> From<&'a Frame> for ImageRef<'a> {
    fn from(frame: &'a Frame) -> Self {
        Self::Float(frame)
    }
}

impl<'a> From<&'a AnyImage> for ImageRef<'a> {
    fn from(image: &'a AnyImage) -> Self {
        match image {
            AnyImage::Unorm8(image) => Self::Unorm8(image),
            AnyImage::Unorm16(image) => Self::Unorm16(image),
            AnyImage::Float(frame) => Self::Float(frame),
        }
    }
}

/// Encodes an image: a frame, or an image with the samples of [`Encoding::blank`]. A large image needs
/// additional memory for a few rows only. Work runs on the threads of [`lambdav_workers`]; the bytes do
/// not depend on their number.
///
/// # Errors
///
/// [`EncodeError`].
pub fn encode<'a>(
    image: impl Into<ImageRef<'a>>,
    encoding: Encoding,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    match (encoding, image.into()) {
        (Encoding::Png8(transfer), ImageRef::Float(frame)) => {
            png::encode_frame::<u8>(frame, transfer, metadata, out)
        }
        (Encoding::Png16(transfer), ImageRef::Float(frame)) => {
            png::encode_frame::<u16>(frame, transfer, metadata, out)
        }
        (Encoding::Png8(transfer), ImageRef::Unorm8(image)) => {
            png::encode(image, transfer, metadata, out)
        }
        (Encoding::Png16(transfer), ImageRef::Unorm16(image)) => {
            png::encode(image, transfer, metadata, out)
        }
        #[cfg(feature = "exr")]
        (Encoding::Exr, ImageRef::Float(frame)) => exr::encode(frame, metadata, out),
        (Encoding::Npy, ImageRef::Float(frame)) => npy::encode(frame, metadata, out),
        _ => Err(EncodeError::Samples),
    }
}

/// Encodes an image into the file at `path`, with [`write_atomically`].
///
/// # Errors
///
/// [`SaveError`].
pub fn save<'a>(
    path: &Path,
    image: impl Into<ImageRef<'a>>,
    encoding: Encoding,
    metadata: &Metadata,
) -> Result<(), SaveError<EncodeError>> {
    let image = image.into();
    write_atomically(path, |out| encode(image, encoding, metadata, out))
}

/// True if the file name has the extension of a readable format.
pub fn has_readable_name(name: &Path) -> bool {
    #[cfg(feature = "formats")]
    if ::image::ImageFormat::from_path(name).is_ok_and(|format| format.reading_enabled()) {
        return true;
    }
    Format::from_path(name).is_ok()
}

/// A readable format.
#[derive(Debug)]
enum Readable {
    Ours(Format),
    #[cfg(feature = "formats")]
    Other(::image::ImageFormat),
}

/// Format of a file with these first bytes.
fn recognise(first: &[u8], name: &Path) -> Result<Readable, DecodeError> {
    let ours = Format::ALL.iter().find(|format| first.starts_with(format.magic()));
    if let Some(&format) = ours {
        return Ok(Readable::Ours(format));
    }
    #[cfg(feature = "formats")]
    if let Some(format) = other::format(first, name) {
        return Ok(Readable::Other(format));
    }
    let _ = name;
    Err(DecodeError::Unknown)
}

/// True if a file with these first bytes and this name is an image of a readable format.
pub fn is_image(first: &[u8], name: &Path) -> bool {
    recognise(first, name).is_ok()
}

/// Decodes an image file in memory. Its first bytes determine the format.
///
/// # Errors
///
/// [`DecodeError`].
pub fn decode(bytes: &[u8]) -> Result<AnyImage, DecodeError> {
    decode_as(bytes, &recognise(bytes, Path::new(""))?)
}

fn decode_as(bytes: &[u8], format: &Readable) -> Result<AnyImage, DecodeError> {
    match format {
        Readable::Ours(Format::Png) => png::decode(bytes),
        #[cfg(feature = "exr")]
        Readable::Ours(Format::Exr) => exr::decode(bytes).map(AnyImage::from),
        Readable::Ours(Format::Npy) => npy::decode(bytes).map(AnyImage::from),
        #[cfg(feature = "formats")]
        Readable::Other(format) => other::decode(bytes, *format),
    }
}

/// Metadata of an image file in memory; empty for formats of other programs. For our own files, the
/// beginning of the file suffices.
///
/// # Errors
///
/// [`DecodeError`].
pub fn metadata(bytes: &[u8]) -> Result<Metadata, DecodeError> {
    match recognise(bytes, Path::new(""))? {
        Readable::Ours(Format::Png) => png::metadata(bytes),
        #[cfg(feature = "exr")]
        Readable::Ours(Format::Exr) => exr::metadata(bytes),
        Readable::Ours(Format::Npy) => npy::metadata(bytes),
        #[cfg(feature = "formats")]
        Readable::Other(_) => Ok(Metadata::default()),
    }
}

/// Reads the image file at `path`.
///
/// # Errors
///
/// [`LoadError`].
pub fn load(path: &Path) -> Result<AnyImage, LoadError> {
    Undecoded::open(path)?.decode()
}

/// Reads an image from a stream, to its end. Errors show `name`.
///
/// # Errors
///
/// [`LoadError`].
pub fn load_from(from: &mut dyn Read, name: &Path) -> Result<AnyImage, LoadError> {
    Undecoded::read(from, name)?.decode()
}

/// An image file in memory, whose size can be read before it is decoded.
#[derive(Debug)]
pub struct Undecoded {
    bytes: Vec<u8>,
    format: Readable,
    name: PathBuf,
}

impl Undecoded {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        let mut file =
            File::open(path).map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
        Self::read(&mut file, path)
    }

    /// Reads a stream to its end. Errors show `name`.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn read(from: &mut dyn Read, name: &Path) -> Result<Self, LoadError> {
        let fail = |source| LoadError::Io { path: name.to_owned(), source };
        // Bounds an endless stream: a stream that is no image ends after its first bytes, an image
        // after the size of the largest image.
        let mut bytes = Vec::new();
        from.take(16).read_to_end(&mut bytes).map_err(fail)?;
        let format = recognise(&bytes, name)
            .map_err(|source| LoadError::Decode { path: name.to_owned(), source })?;
        from.take(MAX_PIXELS * 16 + (1 << 20)).read_to_end(&mut bytes).map_err(fail)?;
        Ok(Self { bytes, format, name: name.to_owned() })
    }

    /// Size declared in the file's header.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn size(&self) -> Result<Size, LoadError> {
        self.of_file(match &self.format {
            Readable::Ours(Format::Png) => png::size(&self.bytes),
            #[cfg(feature = "exr")]
            Readable::Ours(Format::Exr) => exr::size(&self.bytes),
            Readable::Ours(Format::Npy) => npy::size(&self.bytes),
            #[cfg(feature = "formats")]
            Readable::Other(format) => other::size(&self.bytes, *format),
        })
    }

    /// Decodes the image.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn decode(&self) -> Result<AnyImage, LoadError> {
        self.of_file(decode_as(&self.bytes, &self.format))
    }

    /// Contents of the file that [`Self::decode`] ignores, in order.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let mut found = match &self.format {
            Readable::Ours(Format::Png) => left_out::of_png(&self.bytes),
            Readable::Ours(_) => Vec::new(),
            #[cfg(feature = "formats")]
            Readable::Other(format) => other::left_out(&self.bytes, *format),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    fn of_file<T>(&self, result: Result<T, DecodeError>) -> Result<T, LoadError> {
        result.map_err(|source| LoadError::Decode { path: self.name.clone(), source })
    }
}

#[cfg(test)]
mod tests;
