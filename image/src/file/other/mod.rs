//! Formats of other programs, decoded by the crate [`image`], with the feature `formats`: BMP,
//! farbfeld, GIF, HDR, ICO, JPEG, PNM, QOI, TGA, TIFF and WebP. An animation gives its first picture.
//! TGA files have no magic bytes, and are recognised by their extension.

use std::io::Cursor;
use std::path::Path;

use ::image::{DynamicImage, ImageFormat, ImageReader, Limits};
use bytemuck::Pod;

use super::error::DecodeError;
use super::left_out::{LeftOut, ORIENTATION, Tiff, orientation};
use crate::pixels::{AnyImage, Image, Sample, zeros};
use crate::size::{MAX_PIXELS, MAX_SIDE, Size};

/// Format of a file with these first bytes; TGA is recognised by the name.
pub(super) fn format(first: &[u8], name: &Path) -> Option<ImageFormat> {
    let by_name = || {
        let format = ImageFormat::from_path(name).ok()?;
        (format == ImageFormat::Tga).then_some(format)
    };
    ::image::guess_format(first).ok().or_else(by_name).filter(ImageFormat::reading_enabled)
}

/// Size declared in a file.
pub(super) fn size(bytes: &[u8], format: ImageFormat) -> Result<Size, DecodeError> {
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader.into_dimensions().map_err(DecodeError::Other)?;
    let size = Size::new(width, height)?;
    if format == ImageFormat::Jpeg && size.pixels() > MAX_PIXELS_PER_BYTE * bytes.len() {
        return Err(DecodeError::TooShort { format: "JPEG", found: bytes.len() });
    }
    Ok(size)
}

/// Most pixels of a JPEG file per byte: a block of 8x8 takes at least one bit.
const MAX_PIXELS_PER_BYTE: usize = 512;

/// Decodes a file of that format.
pub(super) fn decode(bytes: &[u8], format: ImageFormat) -> Result<AnyImage, DecodeError> {
    size(bytes, format)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    // Memory for the picture, and as much again for the decoder's work.
    limits.max_alloc = Some(2 * MAX_PIXELS * 16);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let decoded = reader.decode().map_err(DecodeError::Other)?;
    let size = Size::new(decoded.width(), decoded.height())?;
    match &decoded {
        DynamicImage::ImageLuma8(image) => rgba(size, image, |[l]: [u8; 1]| [l, l, l, u8::ONE]),
        DynamicImage::ImageLumaA8(image) => rgba(size, image, |[l, a]: [u8; 2]| [l, l, l, a]),
        DynamicImage::ImageRgb8(image) => rgba(size, image, |[r, g, b]| [r, g, b, u8::ONE]),
        DynamicImage::ImageRgba8(image) => rgba(size, image, |pixel: [u8; 4]| pixel),
        DynamicImage::ImageLuma16(image) => rgba(size, image, |[l]: [u16; 1]| [l, l, l, u16::ONE]),
        DynamicImage::ImageLumaA16(image) => rgba(size, image, |[l, a]: [u16; 2]| [l, l, l, a]),
        DynamicImage::ImageRgb16(image) => rgba(size, image, |[r, g, b]| [r, g, b, u16::ONE]),
        DynamicImage::ImageRgba16(image) => rgba(size, image, |pixel: [u16; 4]| pixel),
        DynamicImage::ImageRgb32F(image) => rgba(size, image, |[r, g, b]| [r, g, b, f32::ONE]),
        DynamicImage::ImageRgba32F(image) => rgba(size, image, |pixel: [f32; 4]| pixel),
        other => Err(DecodeError::Samples(format!("{:?}", other.color()))),
    }
}

/// Contents of a file that decoding ignores.
pub(super) fn left_out(bytes: &[u8], format: ImageFormat) -> Vec<LeftOut> {
    match format {
        ImageFormat::Jpeg => of_jpeg(bytes),
        ImageFormat::Gif => {
            let frames = gif_frames(bytes).unwrap_or(0);
            if frames > 1 { vec![LeftOut::Frames] } else { Vec::new() }
        }
        ImageFormat::Tiff => of_tiff(bytes),
        ImageFormat::WebP => of_webp(bytes),
        _ => Vec::new(),
    }
}

/// Ignored contents of a JPEG file, from its segments before the pixels.
fn of_jpeg(bytes: &[u8]) -> Vec<LeftOut> {
    let mut found = Vec::new();
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xff, marker, high, low, after @ ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low])).saturating_sub(2);
        let Some((data, next)) = after.split_at_checked(length) else { break };
        match marker {
            0xe1 if orientation(data).is_some_and(|way| way != 1) => {
                found.push(LeftOut::Orientation);
            }
            0xe2 if data.starts_with(b"ICC_PROFILE") => found.push(LeftOut::Profile),
            // Pixels begin.
            0xda => break,
            _ => {}
        }
        rest = next;
    }
    found
}

/// Number of pictures in a GIF file, counted up to two.
fn gif_frames(bytes: &[u8]) -> Option<usize> {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    let mut frames = 0;
    while frames < 2 {
        at = match bytes.get(at)? {
            b'!' => at + 2,
            b',' => {
                frames += 1;
                at + 11 + table(*bytes.get(at + 9)?)
            }
            _ => break,
        };
        // Blocks follow; the last one is empty.
        while *bytes.get(at)? != 0 {
            at += 1 + usize::from(bytes[at]);
        }
        at += 1;
    }
    Some(frames)
}

fn of_tiff(bytes: &[u8]) -> Vec<LeftOut> {
    const PROFILE: u16 = 34675;
    let mut found = Vec::new();
    if let Some(tiff) = Tiff::new(bytes) {
        if tiff.value(ORIENTATION).is_some_and(|way| way != 1) {
            found.push(LeftOut::Orientation);
        }
        if tiff.value(PROFILE).is_some() {
            found.push(LeftOut::Profile);
        }
        if tiff.has_more() {
            found.push(LeftOut::Frames);
        }
    }
    found
}

fn of_webp(bytes: &[u8]) -> Vec<LeftOut> {
    let (mut found, mut frames) = (Vec::new(), 0);
    let mut rest = bytes.get(12..).unwrap_or_default();
    while let Some((kind, after)) = rest.split_first_chunk::<4>() {
        let Some((length, after)) = after.split_first_chunk::<4>() else { break };
        let length = u32::from_le_bytes(*length) as usize;
        let Some(data) = after.get(..length) else { break };
        match kind {
            b"ICCP" => found.push(LeftOut::Profile),
            b"EXIF" if orientation(data).is_some_and(|way| way != 1) => {
                found.push(LeftOut::Orientation);
            }
            b"ANMF" => frames += 1,
            _ => {}
        }
        rest = after.get(length.next_multiple_of(2)..).unwrap_or_default();
    }
    if frames > 1 {
        found.push(LeftOut::Frames);
    }
    found
}

/// Converts the pixels of `from`, N samples each, to RGBA.
fn rgba<T: Sample + Pod, const N: usize>(
    size: Size,
    from: &[T],
    pixel: impl Fn([T; N]) -> [T; 4],
) -> Result<AnyImage, DecodeError>
where
    AnyImage: From<Image<T>>,
{
    let mut samples = zeros::<T>(size)?;
    let (pixels, _) = from.as_chunks::<N>();
    for (to, &from) in samples.as_chunks_mut::<4>().0.iter_mut().zip(pixels) {
        *to = pixel(from).map(T::canonical);
    }
    Ok(Image::from_canonical(size, samples).into())
}

#[cfg(test)]
mod tests;
