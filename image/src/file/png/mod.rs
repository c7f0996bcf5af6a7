//! PNG: RGBA of 8 or 16 bits.
//!
//! Metadata goes into text chunks, as `tEXt` if Latin-1 suffices, else as `iTXt`. A file with
//! sRGB-encoded colours has an `sRGB` chunk. Other files define no colour space, since a shader defines
//! the meaning of 0.5.
//!
//! Compression is the fastest kind, and runs in bands on several threads ([`bands`]). The usual
//! compression takes many times longer than rendering a simple shader (1.5 s instead of 0.3 s at
//! 1920x1080 and 16 bits).
//!
//! All kinds of PNG are read: palettes, grey, low depths, transparency chunks and interlacing become
//! RGBA of 8 bits, or of 16 bits if the file has 16. Colour profiles are not applied.

mod bands;
mod filter;

use std::borrow::Cow;
use std::io::{Cursor, Write};
use std::ops::Range;

use png::chunk::IDAT;
use png::{
    BitDepth, ColorType, Decoder, DecodingError, Encoder, Limits, Reader, SrgbRenderingIntent,
    Transformations, Writer,
};

use self::bands::Rows;
use super::error::{DecodeError, EncodeError};
use super::format::{Format, Metadata};
use crate::pixels::{AnyImage, Frame, Image, OutOfMemory, Sample, zeros};
use crate::quantize::{Transfer, Unorm, quantize_pixels};
use crate::size::Size;

/// Most bytes that one byte of deflated data can produce.
const MAX_RATIO: usize = 1032;

/// Encodes an image of `u8` or `u16` as PNG of that depth. `transfer` names the encoding that the
/// colours already have; it is only recorded.
pub fn encode<T: Unorm>(
    image: &Image<T>,
    transfer: Transfer,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    let row = image.size().width() as usize * 4;
    let samples = |rows: Range<usize>| &image.samples()[rows.start * row..rows.end * row];
    let bytes = |rows| big_endian::<T>(Cow::Borrowed(samples(rows)));
    encode_rows::<T>(image.size(), &bytes, transfer, metadata, out)
}

/// Encodes a frame, quantising a few rows at a time.
pub(super) fn encode_frame<T: Unorm>(
    frame: &Frame,
    transfer: Transfer,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    let row = frame.size().width() as usize;
    let bytes = |rows: Range<usize>| {
        let pixels = &frame.pixels()[rows.start * row..rows.end * row];
        big_endian::<T>(Cow::Owned(quantize_pixels(pixels, transfer)))
    };
    encode_rows::<T>(frame.size(), &bytes, transfer, metadata, out)
}

/// Encodes an image; `bytes` returns its rows.
fn encode_rows<'a, T: Unorm>(
    size: Size,
    bytes: &'a (dyn Fn(Range<usize>) -> Cow<'a, [u8]> + Sync),
    transfer: Transfer,
    metadata: &Metadata,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    let mut writer = begin::<T>(size, transfer, metadata, out)?;
    let rows = Rows { size, step: 4 * size_of::<T>(), bytes };
    rows.deflate(|part| writer.write_chunk(IDAT, part)).map_err(error)?;
    writer.finish().map_err(error)
}

/// Writes everything before the pixels.
fn begin<'o, T: Unorm>(
    size: Size,
    transfer: Transfer,
    metadata: &Metadata,
    out: &'o mut dyn Write,
) -> Result<Writer<&'o mut dyn Write>, EncodeError> {
    let mut encoder = Encoder::new(out, size.width(), size.height());
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(if T::BITS == 8 { BitDepth::Eight } else { BitDepth::Sixteen });
    if transfer == Transfer::Srgb {
        encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    }
    for (name, text) in metadata.entries() {
        if text.contains('\0') {
            return Err(EncodeError::Text { text: text.to_owned() });
        }
        let add = if text.chars().all(|c| u32::from(c) < 256) {
            Encoder::add_text_chunk
        } else {
            Encoder::add_itxt_chunk
        };
        add(&mut encoder, name.to_owned(), text.to_owned()).map_err(error)?;
    }

    encoder.write_header().map_err(error)
}

/// Samples in PNG's byte order.
fn big_endian<T: Unorm>(samples: Cow<'_, [T]>) -> Cow<'_, [u8]> {
    if T::BITS == 8 {
        return match samples {
            Cow::Borrowed(samples) => bytemuck::cast_slice(samples).into(),
            Cow::Owned(samples) => bytemuck::cast_vec(samples).into(),
        };
    }
    let bytes = |&sample: &T| {
        let [.., high, low] = sample.into().to_be_bytes();
        [high, low]
    };
    samples.iter().flat_map(bytes).collect()
}

/// Separates errors of the writer from errors of the encoder.
fn error(error: png::EncodingError) -> EncodeError {
    match error {
        png::EncodingError::IoError(error) => EncodeError::Io(error),
        other => EncodeError::Png(other),
    }
}

/// Most bytes of text to read from a file.
const TEXT: usize = 1 << 20;

/// Replacement of a text that is too long.
const TOO_LONG: &str = "(too long)";

/// Texts of a PNG file before its pixels, up to a mebibyte in total, since a few bytes of a file can
/// inflate to much. A longer text is replaced by `(too long)`.
pub fn metadata(bytes: &[u8]) -> Result<Metadata, DecodeError> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: 64 << 20 });
    decoder.set_ignore_iccp_chunk(true);
    let reader = decoder.read_info().map_err(DecodeError::Png)?;
    let info = reader.info();
    let mut metadata = Metadata::default();
    let mut left = TEXT;
    for chunk in &info.uncompressed_latin1_text {
        metadata = metadata.with(&chunk.keyword, take(&mut left, Some(chunk.text.clone())));
    }
    for chunk in &info.compressed_latin1_text {
        let mut chunk = chunk.clone();
        let inflated = chunk.decompress_text_with_limit(left).and_then(|()| chunk.get_text());
        metadata = metadata.with(&chunk.keyword, take(&mut left, inflated.ok()));
    }
    for chunk in &info.utf8_text {
        let mut chunk = chunk.clone();
        let inflated = chunk.decompress_text_with_limit(left).and_then(|()| chunk.get_text());
        metadata = metadata.with(&chunk.keyword, take(&mut left, inflated.ok()));
    }
    Ok(metadata)
}

/// The text if it fits into `left` bytes, else [`TOO_LONG`].
fn take(left: &mut usize, text: Option<String>) -> String {
    let text = text.filter(|text| text.len() <= *left);
    *left -= text.as_ref().map_or(0, String::len);
    text.unwrap_or_else(|| TOO_LONG.to_owned())
}

/// Size declared in a PNG file.
pub fn size(bytes: &[u8]) -> Result<Size, DecodeError> {
    let reader = reader(bytes)?;
    Ok(Size::new(reader.info().width, reader.info().height)?)
}

fn reader(bytes: &[u8]) -> Result<Reader<Cursor<&[u8]>>, DecodeError> {
    // Enough for the decoder's rows of the widest image; the image itself is allocated here.
    let limits = Limits { bytes: 64 << 20 };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.read_info().map_err(DecodeError::Png)
}

/// Decodes any PNG file to 8 or 16 bits. An animation gives its first picture.
pub fn decode(bytes: &[u8]) -> Result<AnyImage, DecodeError> {
    let mut reader = reader(bytes)?;
    let size = Size::new(reader.info().width, reader.info().height)?;
    let found = bytes.len();
    let raw = reader.info().raw_bytes();
    if raw / MAX_RATIO > found {
        return Err(DecodeError::Truncated { format: Format::Png, found });
    }
    let (color, depth) = reader.output_color_type();
    if depth == BitDepth::Sixteen {
        let pairs = |row: &[u8], to: &mut [[u16; 4]]| {
            expand(color, row.as_chunks().0.iter().map(|&pair| u16::from_be_bytes(pair)), to);
        };
        Ok(rows(&mut reader, size, pairs)?.into())
    } else {
        let bytes = |row: &[u8], to: &mut [[u8; 4]]| expand(color, row.iter().copied(), to);
        Ok(rows(&mut reader, size, bytes)?.into())
    }
}

/// Decodes all rows and applies `convert` to each. The rows of an interlaced file come in several
/// passes, so it is unpacked as a whole first.
fn rows<T: Sample>(
    reader: &mut Reader<Cursor<&[u8]>>,
    size: Size,
    convert: impl Fn(&[u8], &mut [[T; 4]]),
) -> Result<Image<T>, DecodeError> {
    let mut pixels = zeros::<T>(size)?;
    let mut to = pixels.as_chunks_mut().0.chunks_exact_mut(size.width() as usize);
    if reader.info().interlaced {
        let length = reader.output_buffer_size();
        let length = length.ok_or(DecodeError::Png(DecodingError::LimitsExceeded))?;
        let mut data = Vec::new();
        data.try_reserve_exact(length).map_err(|_| OutOfMemory { size, bytes: length })?;
        data.resize(length, 0);
        reader.next_frame(&mut data).map_err(DecodeError::Png)?;
        let from = data.chunks_exact(length / size.height() as usize);
        to.zip(from).for_each(|(to, from)| convert(from, to));
    } else {
        while let Some(row) = reader.next_row().map_err(DecodeError::Png)? {
            let Some(to) = to.next() else { break };
            convert(row.data(), to);
        }
        // No row may be missing.
        if to.next().is_some() {
            return Err(DecodeError::Png(DecodingError::LimitsExceeded));
        }
    }
    Ok(Image::from_canonical(size, pixels))
}

/// Converts samples of any colour type to RGBA.
fn expand<T: Sample>(
    color: ColorType,
    mut samples: impl Iterator<Item = T>,
    pixels: &mut [[T; 4]],
) {
    for pixel in pixels {
        // The decoder's row has as many samples as the width requires.
        let mut next = || samples.next().unwrap_or_default();
        *pixel = match color {
            ColorType::Grayscale => {
                let grey = next();
                [grey, grey, grey, T::ONE]
            }
            ColorType::GrayscaleAlpha => {
                let grey = next();
                [grey, grey, grey, next()]
            }
            // The decoder expands palettes to RGB.
            ColorType::Rgb | ColorType::Indexed => [next(), next(), next(), T::ONE],
            ColorType::Rgba => [next(), next(), next(), next()],
        };
    }
}
