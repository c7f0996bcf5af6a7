//! NPY, NumPy's file of one array: version 1.0, little-endian float32 in C order, of shape
//! (height, width, 4).
//!
//! The format is a dozen bytes and a line of text. This module is smaller than a general reader with
//! its dependencies (a parser of Python's literals).
//!
//! The header's dictionary must have no further keys, but blanks may follow it, which all readers skip.
//! A comment is written in these blanks: each blank is a bit of the text, a space for 0 and a tab for
//! 1, the highest bit of a byte first. Without a comment all of them are spaces, as NumPy writes them.
//!
//! The reader takes versions 1 to 3. Images are float32 of either byte order; besides (height, width,
//! 4), it takes the shapes (height, width), (height, width, 1) and (height, width, 3): one channel is
//! grey, and a missing alpha is 1.

use std::io::{self, Write};

use super::error::{DecodeError, EncodeError, HeaderError};
use super::format::{Format, Metadata};
use crate::pixels::{Frame, Image, Sample, zeros};
use crate::size::Size;

/// First bytes of all files.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest comment, in bytes: NumPy refuses headers of more than 10,000.
const MAX_COMMENT: usize = 1000;

/// Encodes a frame as NPY. The only metadata is [`Metadata::COMMENT`], of at most 1,000 bytes.
pub fn encode(frame: &Frame, metadata: &Metadata, out: &mut dyn Write) -> Result<(), EncodeError> {
    encode_bits("<f4", frame, metadata, out)
}

/// Encodes the bits of a frame's samples as numbers of the type `dtype`: `<f4`, `<i4` or `<u4`.
///
/// # Errors
///
/// Those of [`encode`].
pub fn encode_bits(
    dtype: &str,
    frame: &Frame,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    let (height, width) = (frame.size().height(), frame.size().width());
    let mut dictionary = dictionary(dtype, &[height.into(), width.into(), 4]);
    if let Some((_, text)) = metadata.entries().find(|(name, _)| *name == Metadata::COMMENT) {
        if text.len() > MAX_COMMENT || text.contains('\0') {
            return Err(EncodeError::Text { text: text.to_owned() });
        }
        dictionary.extend(text.bytes().flat_map(blanks));
    }
    write_header(&dictionary, out)?;
    write_words(frame.samples().iter().map(|sample| sample.to_bits()), out)?;
    Ok(())
}

/// Writes an array of 32-bit numbers of the type `dtype`, which NumPy calls so: `<f4`, `<i4` or `<u4`. `words` are as many
/// as the shape says, the last dimension fastest.
///
/// # Errors
///
/// Those of `out`.
pub fn write_array(
    dtype: &str,
    shape: &[u64],
    words: impl IntoIterator<Item = u32>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(&dictionary(dtype, shape), out)?;
    write_words(words.into_iter(), out)
}

fn dictionary(dtype: &str, shape: &[u64]) -> String {
    // A tuple of one has a comma behind it.
    let mut sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    sides.truncate(sides.len().saturating_sub(if shape.len() == 1 { 1 } else { 2 }));
    format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({sides}), }}")
}

fn write_header(dictionary: &str, out: &mut dyn Write) -> io::Result<()> {
    // Magic, version and length take 10 bytes; spaces and a line end pad to a multiple of 64.
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(format!("{dictionary:<padded$}\n", padded = length - 1).as_bytes())
}

fn write_words(mut words: impl Iterator<Item = u32>, out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        bytes.extend(words.by_ref().take(1 << 14).flat_map(u32::to_le_bytes));
        if bytes.is_empty() {
            return Ok(());
        }
        out.write_all(&bytes)?;
    }
}

/// The bits of a byte as blanks.
fn blanks(byte: u8) -> [char; 8] {
    std::array::from_fn(|bit| if byte << bit & 0x80 == 0 { ' ' } else { '\t' })
}

/// The comment of an NPY file, if it has one, as the only entry.
///
/// # Errors
///
/// [`DecodeError`] if the file is no NPY file.
pub fn metadata(bytes: &[u8]) -> Result<Metadata, DecodeError> {
    let (header, _) = split(bytes)?;
    let end = header.iter().rposition(|&byte| byte == b'}').map_or(header.len(), |at| at + 1);
    let byte = |bits: &[u8]| bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit == b'\t'));
    let text: Vec<u8> = header[end..].chunks_exact(8).map(byte).take_while(|&b| b != 0).collect();
    Ok(match String::from_utf8(text) {
        Ok(text) if !text.is_empty() => Metadata::default().with(Metadata::COMMENT, text),
        _ => Metadata::default(),
    })
}

/// An array as stored in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    /// NumPy's name of the number type: `<f4` is little-endian binary32.
    pub dtype: String,
    /// Length of each dimension; the last one varies fastest.
    pub shape: Vec<u64>,
    /// Bytes of the numbers and anything after them; may be too short.
    pub data: &'a [u8],
}

/// True if the bytes begin like an NPY file.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads an NPY file of any array.
///
/// # Errors
///
/// [`DecodeError`] if the file is no NPY file, or the array is in Fortran order.
pub fn read(bytes: &[u8]) -> Result<Array<'_>, DecodeError> {
    let (header, data) = split(bytes)?;
    let (dtype, shape) = parse(header)?;
    Ok(Array { dtype, shape, data })
}

/// Header of an NPY file, and the bytes after it.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), DecodeError> {
    let truncated = || DecodeError::Truncated { format: Format::Npy, found: bytes.len() };
    let rest = bytes.strip_prefix(MAGIC).ok_or(DecodeError::Unknown)?;
    let (&[version, _], rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let (length, rest) = match version {
        1 => {
            let (&length, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
            (u16::from_le_bytes(length).into(), rest)
        }
        2 | 3 => {
            let (&length, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
            (u32::from_le_bytes(length), rest)
        }
        other => return Err(HeaderError::Version(other).into()),
    };
    rest.split_at_checked(length as usize).ok_or_else(truncated)
}

/// Size of an NPY image.
pub fn size(bytes: &[u8]) -> Result<Size, DecodeError> {
    let header = Header::of(&read(bytes)?)?;
    Ok(Size::from_u64(header.width, header.height)?)
}

/// Decodes an NPY image. Bytes after the array are ignored, as in NumPy.
pub fn decode(bytes: &[u8]) -> Result<Frame, DecodeError> {
    let truncated = || DecodeError::Truncated { format: Format::Npy, found: bytes.len() };
    let array = read(bytes)?;
    let header = Header::of(&array)?;
    let data = array.data;

    let size = Size::from_u64(header.width, header.height)?;
    let needed = size.pixels() * header.channels * 4;
    let data = data.get(..needed).ok_or_else(truncated)?;
    let number = |&bytes: &[u8; 4]| {
        let number = if header.big_endian { f32::from_be_bytes } else { f32::from_le_bytes };
        number(bytes).canonical()
    };
    let mut samples = zeros(size)?;
    let pixels = data.as_chunks().0.chunks_exact(header.channels);
    for (to, from) in samples.as_chunks_mut().0.iter_mut().zip(pixels) {
        *to = match from {
            [grey] => [number(grey), number(grey), number(grey), f32::ONE],
            [r, g, b] => [number(r), number(g), number(b), f32::ONE],
            [r, g, b, a] => [number(r), number(g), number(b), number(a)],
            _ => unreachable!("the header allows 1, 3 and 4 channels"),
        };
    }
    Ok(Image::from_canonical(size, samples))
}

/// Parses the dictionary: `{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5, 4), }`.
///
/// NumPy writes its entries in this order, each once. Other programs may not, so each entry is searched
/// by its key. The values contain neither braces nor keys, so no full parser is needed.
fn parse(bytes: &[u8]) -> Result<(String, Vec<u64>), HeaderError> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]).into_owned();
    let syntax = || HeaderError::Syntax(text.clone());
    let entries = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    let entries = entries.ok_or_else(syntax)?;
    let value = |key: &str| {
        let quoted = [format!("'{key}'"), format!("\"{key}\"")];
        let found = quoted.iter().find_map(|key| entries.split_once(key.as_str()));
        let value = found.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
        value.map(str::trim_start).ok_or_else(syntax)
    };

    let descr = value("descr")?;
    let quote = descr.chars().next().filter(|c| "'\"".contains(*c)).ok_or_else(syntax)?;
    let descr = descr[1..].split(quote).next().ok_or_else(syntax)?;
    match value("fortran_order")? {
        order if order.starts_with("False") => {}
        order if order.starts_with("True") => return Err(HeaderError::Fortran),
        _ => return Err(syntax()),
    }
    let shape = value("shape")?.strip_prefix('(').and_then(|s| s.split_once(')'));
    let shape = shape.map(|(numbers, _)| numbers).ok_or_else(syntax)?;
    let shape = shape.trim().trim_end_matches(',').split(',').map(|n| n.trim().parse().ok());
    let shape: Vec<u64> = shape.collect::<Option<_>>().ok_or_else(syntax)?;
    Ok((descr.to_owned(), shape))
}

/// Header of an image.
#[derive(Debug)]
struct Header {
    width: u64,
    height: u64,
    /// 1, 3 or 4.
    channels: usize,
    big_endian: bool,
}

impl Header {
    fn of(array: &Array<'_>) -> Result<Self, HeaderError> {
        let big_endian = match array.dtype.as_str() {
            "<f4" => false,
            ">f4" => true,
            other => return Err(HeaderError::Type(other.to_owned())),
        };
        let shape = &array.shape;
        let (height, width, channels) = match shape[..] {
            [height, width] => (height, width, 1),
            [height, width, channels @ (1 | 3 | 4)] => (height, width, channels as usize),
            _ => return Err(HeaderError::Shape(shape.clone())),
        };
        Ok(Self { width, height, channels, big_endian })
    }
}
