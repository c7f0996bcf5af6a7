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
mod error;
#[cfg(feature = "exr")]
pub mod exr;
mod format;
pub mod npy;
pub mod png;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

pub use self::atomic::{
    SaveError, abandon_first_write, abandon_writes, check_target, write_atomically,
};
pub use self::error::{DecodeError, EncodeError, HeaderError, LoadError};
pub use self::format::{Encoding, Format, FormatError, LANGUAGE_VERSION_KEY, Metadata};
use crate::image::{AnyImage, Frame};
use crate::quantize::quantize;
use crate::size::MAX_PIXELS;

/// Frames of more bytes go into a PNG file row by row.
const AT_ONCE: usize = 256 << 20;

/// Encodes a frame. Beside it there is memory for a few rows if it is large.
pub fn encode(
    frame: &Frame,
    encoding: Encoding,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    let is_large = size_of_val(frame.samples()) > AT_ONCE;
    match encoding {
        Encoding::Png8(transfer) if is_large => {
            png::encode_rows::<u8>(frame, transfer, metadata, out)
        }
        Encoding::Png16(transfer) if is_large => {
            png::encode_rows::<u16>(frame, transfer, metadata, out)
        }
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
