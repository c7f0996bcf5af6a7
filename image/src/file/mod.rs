//! Image files: PNG, OpenEXR and NPY, written and read; and raw frames ([`raw`]), written.
//!
//! [`Format`] names the three; [`Encoding`] adds what PNG alone has to choose, the depth and the
//! transfer function: float files hold a frame as it was rendered, and cannot be asked otherwise.
//! Encoding goes to any [`Write`]; [`save`] puts a file in its place whole or not at all, by
//! [`write_atomically`]. Files carry no time stamps: the same frame and metadata give the same
//! bytes.
//!
//! Decoding recognises a format by the file's first bytes, not by its name. With the feature `formats`
//! the formats of other programs are read, too. Input may be hostile:
//! every size is checked against the limits of [`crate::size`] before memory is asked for.

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
    /// binary32, as which any file can be written.
    Float(&'a Frame),
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

/// Encodes an image: a frame, or one with the samples of [`Encoding::blank`]. Beside it there is
/// memory for a few rows if it is large. Threads are those of [`lambdav_workers`]; the bytes are the same for
/// any.
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

/// Encodes an image into the file at `path`, by [`write_atomically`].
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

/// Whether the ending of a name is that of a format that is read.
pub fn has_readable_name(name: &Path) -> bool {
    #[cfg(feature = "formats")]
    if ::image::ImageFormat::from_path(name).is_ok_and(|format| format.reading_enabled()) {
        return true;
    }
    Format::from_path(name).is_ok()
}

/// A format that is read.
#[derive(Debug)]
enum Readable {
    Ours(Format),
    #[cfg(feature = "formats")]
    Other(::image::ImageFormat),
}

/// The format of a file that begins so.
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

/// Whether a file that begins so, of that name, is an image of a format that is read.
pub fn is_image(first: &[u8], name: &Path) -> bool {
    recognise(first, name).is_ok()
}

/// Decodes an image file held in memory. Its format shows in its first bytes.
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

/// What an image file held in memory says of its origin. Formats of other programs are not asked. Of a file of
/// ours the front suffices.
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

/// Reads an image from a stream to its end. `name` stands for it in errors.
///
/// # Errors
///
/// [`LoadError`].
pub fn load_from(from: &mut dyn Read, name: &Path) -> Result<AnyImage, LoadError> {
    Undecoded::read(from, name)?.decode()
}

/// An image file in memory, of which the size can be asked before it is decoded.
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

    /// Reads a stream to its end. `name` stands for it in errors.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn read(from: &mut dyn Read, name: &Path) -> Result<Self, LoadError> {
        let fail = |source| LoadError::Io { path: name.to_owned(), source };
        // An endless stream that is no image is given up after its first bytes, one that begins like
        // an image after as many as the largest image has.
        let mut bytes = Vec::new();
        from.take(16).read_to_end(&mut bytes).map_err(fail)?;
        let format = recognise(&bytes, name)
            .map_err(|source| LoadError::Decode { path: name.to_owned(), source })?;
        from.take(MAX_PIXELS * 16 + (1 << 20)).read_to_end(&mut bytes).map_err(fail)?;
        Ok(Self { bytes, format, name: name.to_owned() })
    }

    /// The size that the file's header declares.
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

    /// The image.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn decode(&self) -> Result<AnyImage, LoadError> {
        self.of_file(decode_as(&self.bytes, &self.format))
    }

    /// What the file says of its picture that [`Self::decode`] leaves out of account, in order.
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
