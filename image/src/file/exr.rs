//! OpenEXR: four channels R, G, B and A of binary32.
//!
//! Pixels are stored bit for bit, in uncompressed scan lines. Run-length encoding saves a tenth of most
//! pictures and takes many times longer; ZIP saves three fourths and takes many times longer than
//! rendering a simple shader (2.3 s at 1920x1080). Metadata is stored in attributes of type `string`:
//! OpenEXR's own `software` and `comments`, and our own names. They are written here, because the `exr`
//! crate keeps attributes in a hash map and would write them in a different order on each run.
//!
//! The reader takes the data window of the first part with channels R, G and B (and A, else 1) of any
//! sample type. It refuses deep data, subsampled channels and lossy compression: a lossy file is no
//! reference, and its decoders in the `exr` crate panic on malformed data.

use std::io::{Cursor, Write};

use exr::compression::Compression;
use exr::error::Error;
use exr::image::read::read;
use exr::math::Vec2;
use exr::meta::attribute::{AttributeValue, ChannelDescription, LineOrder, SampleType, Text};
use exr::meta::header::Header;
use exr::meta::{BlockDescription, MetaData};
use exr::prelude::{ReadChannels as _, ReadLayers as _};

use super::error::{DecodeError, EncodeError};
use super::format::{Format, Metadata};
use crate::pixels::{Frame, Image, OutOfMemory, Sample, zeros};
use crate::size::Size;

/// Largest number of bytes that lossless compressions can produce from one byte: deflate's bound.
const MAX_RATIO: usize = 1032;

/// Bytes per call of the writer.
const AT_ONCE: usize = 256 << 10;

/// Encodes a frame as OpenEXR. Each line is one block, so the offset table can be written first.
pub fn encode(frame: &Frame, metadata: &Metadata, out: &mut dyn Write) -> Result<(), EncodeError> {
    let (width, height) = (frame.size().width() as usize, frame.size().height() as usize);
    let header = header(frame.size(), metadata)?;
    out.write_all(&header)?;

    // A block: line number, number of bytes, samples.
    let line = 16 * width;
    let table = 8 * height;
    let begin = |y: usize| (header.len() + table + y * (8 + line)) as u64;
    let table: Vec<u8> = (0..height).flat_map(|y| begin(y).to_le_bytes()).collect();
    out.write_all(&table)?;

    let lines = (AT_ONCE / line).max(1);
    let mut bytes = Vec::with_capacity(lines * (8 + line));
    for (y, pixels) in (0_u32..).zip(frame.pixels().chunks_exact(width)) {
        bytes.extend_from_slice(&y.to_le_bytes());
        bytes.extend_from_slice(&(line as u32).to_le_bytes());
        // Channels in the order of their names: A, B, G, R.
        for channel in [3, 2, 1, 0] {
            bytes.extend(pixels.iter().flat_map(|pixel| pixel[channel].to_le_bytes()));
        }
        if bytes.len() >= lines * line || y as usize + 1 == height {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    Ok(())
}

/// Header of the file, before the offset table.
fn header(size: Size, metadata: &Metadata) -> Result<Vec<u8>, EncodeError> {
    let channels =
        ["A", "B", "G", "R"].map(|name| ChannelDescription::named(name, SampleType::F32));
    let (width, height) = (size.width() as usize, size.height() as usize);
    let header = Header::new(Text::default(), Vec2(width, height), channels.into_iter().collect())
        .with_encoding(
            Compression::Uncompressed,
            BlockDescription::ScanLines,
            LineOrder::Increasing,
        );
    // Stop the crate's writer at the first line; it has reserved the space of the offset table.
    let mut begun = Cursor::new(Vec::new());
    match exr::block::write(&mut begun, [header].into_iter().collect(), true, |_, _| {
        Err(Error::Aborted)
    }) {
        Err(Error::Aborted) => {}
        Err(Error::Io(error)) => return Err(EncodeError::Io(error)),
        Err(other) => return Err(EncodeError::Exr(other)),
        Ok(()) => unreachable!("not one line has been written"),
    }
    let length = begun.position() as usize - 8 * height;
    let mut bytes = begun.into_inner();
    // Drop the zero that ends the list of attributes, and append ours.
    bytes.truncate(length - 1);
    for (name, text) in metadata.entries() {
        put_attribute(attribute_name(name), text, &mut bytes)?;
    }
    bytes.push(0);
    Ok(bytes)
}

/// Names of OpenEXR attributes for names of PNG.
const NAMES: [(&str, &str); 2] =
    [(Metadata::SOFTWARE, "software"), (Metadata::COMMENT, "comments")];

fn attribute_name(name: &str) -> &str {
    NAMES.iter().find(|(of_png, _)| *of_png == name).map_or(name, |(_, attribute)| attribute)
}

/// Appends an attribute of type `string`.
fn put_attribute(name: &str, text: &str, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
    let refuse = |text: &str| EncodeError::Text { text: text.to_owned() };
    if !(1..=31).contains(&name.len()) || !name.is_ascii() || name.contains('\0') {
        return Err(refuse(name));
    }
    let plain = |c: char| u8::try_from(c).ok().filter(|&byte| byte != 0);
    let latin: Option<Vec<u8>> = text.chars().map(plain).collect();
    let latin = latin.ok_or_else(|| refuse(text))?;
    let length = i32::try_from(latin.len()).map_err(|_| refuse(name))?;
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(b"\0string\0");
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&latin);
    Ok(())
}

/// Texts among the attributes of the first part, ours sorted by name.
pub fn metadata(bytes: &[u8]) -> Result<Metadata, DecodeError> {
    let meta = MetaData::read_from_buffered(bytes, false).map_err(DecodeError::Exr)?;
    let mut metadata = Metadata::default();
    let Some(header) = meta.headers.first() else { return Ok(metadata) };
    let attributes = &header.own_attributes;
    let known = [
        (Metadata::SOFTWARE, &attributes.software_name),
        (Metadata::COMMENT, &attributes.comments),
    ];
    for (name, text) in known {
        if let Some(text) = text {
            metadata = metadata.with(name, text.to_string());
        }
    }
    let mut others: Vec<(String, String)> = attributes
        .other
        .iter()
        .filter_map(|(name, value)| match value {
            AttributeValue::Text(text) => Some((name.to_string(), text.to_string())),
            _ => None,
        })
        .collect();
    others.sort();
    for (name, text) in others {
        metadata = metadata.with(&name, text);
    }
    Ok(metadata)
}

/// Checks that a file of `found` bytes can hold the declared content, and that there is memory to
/// unpack a block. Blocks contain all channels, even those that are not read, and the `exr` reader does
/// not check.
fn check_memory(header: &Header, found: usize) -> Result<(), DecodeError> {
    let Vec2(width, height) = header.layer_size;
    let (block_width, block_height) = match header.blocks {
        BlockDescription::ScanLines => (width, header.compression.scan_lines_per_block()),
        BlockDescription::Tiles(tiles) => (tiles.tile_size.0, tiles.tile_size.1),
    };
    let bytes = |width: usize, height: usize| {
        let pixels = width.checked_mul(height)?;
        pixels.checked_mul(header.channels.bytes_per_pixel)
    };
    let truncated = DecodeError::Truncated { format: Format::Exr, found };
    match bytes(width, height) {
        Some(all) if all / MAX_RATIO <= found => {}
        _ => return Err(truncated),
    }
    // The `exr` reader multiplies without overflow checks.
    let is_sane = bytes(block_width, block_height).is_some_and(|block| block < 1 << 48);
    if !is_sane {
        return Err(truncated);
    }
    // A block is unpacked in two steps. Part of it may lie outside of the image.
    let (block_width, block_height) = (block_width.min(width), block_height.min(height));
    let block = bytes(block_width, block_height).and_then(|block| block.checked_mul(3));
    let size = Size::from_u64(width as u64, height as u64)?;
    let block = block.ok_or(truncated)?;
    let room = Vec::<u8>::new().try_reserve_exact(block);
    room.map_err(|_| OutOfMemory { size, bytes: block })?;
    Ok(())
}

/// Size of the first part of an OpenEXR file.
pub fn size(bytes: &[u8]) -> Result<Size, DecodeError> {
    let meta = MetaData::read_from_buffered(bytes, false).map_err(DecodeError::Exr)?;
    // There is at least one header, or reading has failed.
    let size = meta.headers.first().map_or(Vec2(0, 0), |header| header.layer_size);
    Ok(Size::from_u64(size.0 as u64, size.1 as u64)?)
}

/// Decodes an OpenEXR file.
pub fn decode(bytes: &[u8]) -> Result<Frame, DecodeError> {
    // Check sizes first: the reader allocates before it can be refused.
    let meta = MetaData::read_from_buffered(bytes, false).map_err(DecodeError::Exr)?;
    for header in &meta.headers {
        let Vec2(width, height) = header.layer_size;
        Size::from_u64(width as u64, height as u64)?;
        match header.compression {
            Compression::Uncompressed
            | Compression::RLE
            | Compression::ZIP1
            | Compression::ZIP16
            | Compression::PIZ => {}
            lossy => return Err(DecodeError::LossyExr(lossy)),
        }
        check_memory(header, bytes.len())?;
    }

    let create = |Vec2(width, height): Vec2<usize>, _: &_| {
        let size = Size::from_u64(width as u64, height as u64)?;
        Ok::<_, DecodeError>((size, zeros::<f32>(size)?))
    };
    let set = |image: &mut Result<(Size, Vec<f32>), DecodeError>,
               Vec2(x, y): Vec2<usize>,
               (r, g, b, a): (f32, f32, f32, f32)| {
        if let Ok((size, samples)) = image {
            let index = y * size.width() as usize + x;
            samples.as_chunks_mut().0[index] = [r, g, b, a].map(Sample::canonical);
        }
    };
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .rgba_channels(create, set)
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(Cursor::new(bytes))
        .map_err(DecodeError::Exr)?;
    let (size, samples) = image.layer_data.channel_data.pixels?;
    Ok(Image::from_canonical(size, samples))
}
