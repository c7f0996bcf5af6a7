//! Evidence of a failed test for the HTML report: pictures, and the samples around the first pixel that
//! differs.

use super::golden::png;
use crate::failure::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambdav_engine::metadata;
use lambdav_image::AnyImage;
use lambdav_image_compare::{CompareOptions, CompareOutcome, Difference, compare};
use serde_json::{Value, json};

/// Radius of the shown samples around the pixel.
const AROUND: u32 = 5;

/// Evidence as JSON, as in reports.
#[derive(Clone, Debug)]
pub(super) struct Evidence(pub(super) Value);

impl Evidence {
    /// Evidence of a picture without a golden.
    pub(super) fn of_one(found: &AnyImage) -> Result<Self> {
        Ok(Self(json!({"found": base64(found)?})))
    }

    /// Evidence of two pictures and their heat map.
    pub(super) fn of_two(
        expected: &AnyImage,
        found: &AnyImage,
        heat: Option<&AnyImage>,
        options: &CompareOptions,
    ) -> Result<Self> {
        let near = match compare(expected, found, options) {
            CompareOutcome::Pixels(comparison) => comparison.first,
            CompareOutcome::Sizes { .. } => None,
        };
        Ok(Self(json!({
            "expected": base64(expected)?,
            "found": base64(found)?,
            "heat": heat.map(base64).transpose()?,
            "near": near.map(|near| around(&near, expected, found)),
        })))
    }
}

/// PNG file of a picture, in base64.
fn base64(image: &AnyImage) -> Result<String> {
    Ok(STANDARD.encode(png(image, &metadata())?))
}

/// Stored samples of both pictures around a pixel, in hexadecimal.
fn around(near: &Difference, expected: &AnyImage, found: &AnyImage) -> Value {
    let (width, height) = (expected.size().width(), expected.size().height());
    let (left, top) = (near.x.saturating_sub(AROUND), near.y.saturating_sub(AROUND));
    let (right, bottom) = ((near.x + AROUND + 1).min(width), (near.y + AROUND + 1).min(height));
    let samples = |image: &AnyImage| -> String {
        let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        places.map(|(x, y)| hexadecimal(image, x, y)).collect()
    };
    json!({
        "at": [near.x, near.y],
        "left": left,
        "top": top,
        "width": right - left,
        "height": bottom - top,
        "depths": [depth(expected), depth(found)],
        "expected": samples(expected),
        "found": samples(found),
    })
}

/// Bits of a sample: 8, 16, or 32 for floats.
fn depth(image: &AnyImage) -> u32 {
    match image {
        AnyImage::Unorm8(_) => 8,
        AnyImage::Unorm16(_) => 16,
        AnyImage::Float(_) => 32,
    }
}

/// The four samples of a pixel, in hexadecimal.
fn hexadecimal(image: &AnyImage, x: u32, y: u32) -> String {
    let digits = (depth(image) / 4) as usize;
    let bits = match image {
        AnyImage::Unorm8(image) => image.pixel(x, y).unwrap_or_default().map(u32::from),
        AnyImage::Unorm16(image) => image.pixel(x, y).unwrap_or_default().map(u32::from),
        AnyImage::Float(image) => image.pixel(x, y).unwrap_or_default().map(f32::to_bits),
    };
    bits.map(|bits| format!("{bits:0digits$x}")).concat()
}
