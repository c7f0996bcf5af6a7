//! OpenEXR: four channels R, G, B and A of binary32.
//!
//! Pixels are stored bit for bit, in scan lines with run-length encoding: ZIP makes files of a
//! quarter the size, but takes five times as long, many times what rendering a simple shader does
//! (2.3 s against 0.46 s at 1920x1080). Metadata goes into the attributes
//! `software`, `comments` (both OpenEXR's own) and [`LANGUAGE_VERSION_KEY`]. There is exactly one
//! attribute of our own, because the `exr` crate keeps those in a hash map and would write two in
//! an order that changes from run to run.
//!
//! Read are the data window of the first part with channels R, G and B (and A, else 1) of any
//! sample type; deep data and subsampled channels are refused. So is lossy compression: such a
//! file is no reference for anything, and its decoders in the `exr` crate panic on malformed data.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use exr::compression::Compression;
use exr::image::{Blocks, Encoding, Image as ExrImage, Layer, SpecificChannels, read::read};
use exr::math::Vec2;
use exr::meta::attribute::{AttributeValue, LineOrder, Text};
use exr::meta::header::{Header, LayerAttributes};
use exr::meta::{BlockDescription, MetaData};
use exr::prelude::{ReadChannels as _, ReadLayers as _, WritableImage as _};

use super::error::{DecodeError, EncodeError};
use super::format::{Format, LANGUAGE_VERSION_KEY, Metadata};
use crate::image::{Frame, Image, OutOfMemory, Sample, zeros};
use crate::size::Size;

/// No lossless compression makes more bytes than this of one: deflate's bound, and the largest.
const MAX_RATIO: usize = 1032;

/// Frames of more bytes are encoded twice.
const AT_ONCE: usize = 64 << 20;

/// Encodes a frame as OpenEXR. The table of where lines begin is written last and stands before them: a
/// small file is put together in memory, a large one is encoded once for the table and once more.
pub fn encode(frame: &Frame, metadata: &Metadata, out: &mut dyn Write) -> Result<(), EncodeError> {
    encode_at_once(frame, metadata, out, AT_ONCE)
}

/// The same with that limit on what is put together in memory.
pub(super) fn encode_at_once(
    frame: &Frame,
    metadata: &Metadata,
    out: &mut dyn Write,
    at_once: usize,
) -> Result<(), EncodeError> {
    if size_of_val(frame.samples()) <= at_once {
        let mut file = Cursor::new(Vec::new());
        write_to(frame, metadata, &mut file)?;
        return Ok(out.write_all(file.get_ref())?);
    }
    let mut first = Passes { out: None, position: 0, table: None };
    write_to(frame, metadata, &mut first)?;
    write_to(frame, metadata, Passes { out: Some(out), position: 0, ..first })
}

/// What the encoder takes for a file. It goes back once, to write the table.
struct Passes<'o> {
    /// None in the first pass, which keeps the table alone.
    out: Option<&'o mut dyn Write>,
    position: u64,
    /// Where the table stands, and what is in it, once that is known.
    table: Option<(u64, Vec<u8>)>,
}

impl Write for Passes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let start = self.position;
        self.position += bytes.len() as u64;
        match (&mut self.out, &mut self.table) {
            (None, None) => {}
            (None, Some((_, table))) => table.extend_from_slice(bytes),
            (Some(out), Some((at, table))) => {
                let mut bytes = bytes.to_vec();
                for (i, byte) in bytes.iter_mut().enumerate() {
                    let in_table = (start + i as u64).checked_sub(*at);
                    if let Some(known) = in_table.and_then(|i| table.get(usize::try_from(i).ok()?))
                    {
                        *byte = *known;
                    }
                }
                out.write_all(&bytes)?;
            }
            // All has been written.
            (Some(_), None) => {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Passes<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(to) = to else { return Err(io::ErrorKind::Unsupported.into()) };
        self.position = to;
        self.table = self.out.is_none().then(|| (to, Vec::new()));
        Ok(to)
    }
}

fn write_to(
    frame: &Frame,
    metadata: &Metadata,
    file: impl Write + Seek,
) -> Result<(), EncodeError> {
    let mut attributes = LayerAttributes {
        software_name: Some(text(&metadata.software)?),
        comments: metadata.comment.as_deref().map(text).transpose()?,
        ..LayerAttributes::default()
    };
    let version = AttributeValue::Text(text(&metadata.language_version)?);
    attributes.other.insert(Text::from(LANGUAGE_VERSION_KEY), version);

    let size = Vec2(frame.size().width() as usize, frame.size().height() as usize);
    let pixel = |Vec2(x, y): Vec2<usize>| {
        let [r, g, b, a] = frame.pixels()[y * size.0 + x];
        (r, g, b, a)
    };
    let encoding = Encoding {
        compression: Compression::RLE,
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    let layer = Layer::new(size, attributes, encoding, SpecificChannels::rgba(pixel));
    let image = ExrImage::from_layer(layer);
    image.write().non_parallel().to_buffered(file).map_err(|error| match error {
        exr::error::Error::Io(error) => EncodeError::Io(error),
        other => EncodeError::Exr(other),
    })
}

/// Metadata as an attribute's text.
fn text(text: &str) -> Result<Text, EncodeError> {
    let plain = Text::new_or_none(text).filter(|_| !text.contains('\0'));
    plain.ok_or_else(|| EncodeError::Text { text: text.to_owned() })
}

/// Whether a file of so many bytes can hold what the header declares, and there is memory to unpack
/// it: blocks have all channels, also those that are not read, and the reader does not ask.
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
    // The reader multiplies without looking.
    let is_sane = bytes(block_width, block_height).is_some_and(|block| block < 1 << 48);
    if !is_sane {
        return Err(truncated);
    }
    // A block is unpacked in two steps. Part of one may lie outside.
    let (block_width, block_height) = (block_width.min(width), block_height.min(height));
    let block = bytes(block_width, block_height).and_then(|block| block.checked_mul(3));
    let size = Size::from_u64(width as u64, height as u64)?;
    let block = block.ok_or(truncated)?;
    let room = Vec::<u8>::new().try_reserve_exact(block);
    room.map_err(|_| OutOfMemory { size, bytes: block })?;
    Ok(())
}

/// Decodes an OpenEXR file.
pub fn decode(bytes: &[u8]) -> Result<Frame, DecodeError> {
    // The sizes first: the reader asks for memory before it can be refused.
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
