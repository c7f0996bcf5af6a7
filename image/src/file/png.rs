//! PNG: RGBA of 8 or 16 bits.
//!
//! Metadata goes into text chunks, as `tEXt` where Latin-1 suffices, else as `iTXt`. A file whose colours
//! were sRGB-encoded says so in an `sRGB` chunk; others leave the question open, since what a
//! shader means by 0.5 is its own affair.
//!
//! Compression is of the fastest kind, and done in bands by several threads ([`bands`]): what is usual
//! takes many times longer than rendering a simple shader does (at 1920x1080 and 16 bits, 1.5 s against
//! 0.3 s).
//!
//! Every kind of PNG is read: palettes, grey, low depths, transparency chunks and interlacing all
//! become RGBA of 8 bits, or of 16 where the file has 16. Colour profiles are not applied.

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

/// No more bytes than this come out of one byte of deflated data.
const MAX_RATIO: usize = 1032;

/// Encodes an image of `u8` or `u16` as PNG of that depth. `transfer` is what the colours have
/// already been through; it is only noted.
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

/// Encodes a frame, of which few rows at a time are quantised.
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

/// Encodes an image, of which `bytes` gives rows.
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

/// Writes what comes before the pixels.
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

/// The samples as PNG stores them.
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

/// Sets apart what the writer did wrong from what the encoder did.
fn error(error: png::EncodingError) -> EncodeError {
    match error {
        png::EncodingError::IoError(error) => EncodeError::Io(error),
        other => EncodeError::Png(other),
    }
}

/// How many bytes of text are read of a file.
const TEXT: usize = 1 << 20;

/// What stands in place of a text that is too long.
const TOO_LONG: &str = "(too long)";

/// The texts of a PNG file that stand before its pixels: up to a mebibyte of them, so that few bytes of a
/// file do not inflate to much. In place of a longer one stands that it is too long.
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

/// A text for which there is room, or that it is too long.
fn take(left: &mut usize, text: Option<String>) -> String {
    let text = text.filter(|text| text.len() <= *left);
    *left -= text.as_ref().map_or(0, String::len);
    text.unwrap_or_else(|| TOO_LONG.to_owned())
}

/// The size that a PNG file declares.
pub fn size(bytes: &[u8]) -> Result<Size, DecodeError> {
    let reader = reader(bytes)?;
    Ok(Size::new(reader.info().width, reader.info().height)?)
}

fn reader(bytes: &[u8]) -> Result<Reader<Cursor<&[u8]>>, DecodeError> {
    // Enough for a row of the widest image in work; the image itself is ours.
    let limits = Limits { bytes: 64 << 20 };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.read_info().map_err(DecodeError::Png)
}

/// Decodes any PNG file to 8 or 16 bits. Of an animation, the first picture.
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

/// The image whose rows are `convert` of the file's. An interlaced file has its rows in several
/// passes, and is unpacked as a whole first.
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
        // Not one may be missing.
        if to.next().is_some() {
            return Err(DecodeError::Png(DecodingError::LimitsExceeded));
        }
    }
    Ok(Image::from_canonical(size, pixels))
}

/// Samples of any colour type as RGBA.
fn expand<T: Sample>(
    color: ColorType,
    mut samples: impl Iterator<Item = T>,
    pixels: &mut [[T; 4]],
) {
    for pixel in pixels {
        // The decoder's row has as many as the width asks for.
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
            // A palette is expanded to RGB.
            ColorType::Rgb | ColorType::Indexed => [next(), next(), next(), T::ONE],
            ColorType::Rgba => [next(), next(), next(), next()],
        };
    }
}
