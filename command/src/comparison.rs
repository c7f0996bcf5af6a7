//! Options and JSON results of image comparison, shared by `diff` and `test`.

use clap::Args;
use lambdav_image::quantize::Transfer;
use lambdav_image_compare::{
    Allowance, CompareOptions, CompareOutcome, Comparison, Finding, Rectangle, SWEEP,
};
use serde_json::{Value, json};

/// Allowed differences between two images
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(super) struct CompareArguments {
    /// Largest allowed difference of a sample, in levels of 8 bits: from 0 to 255, fractions included;
    /// one number, or one each for R,G,B,A
    #[arg(long, value_name = "LEVELS", value_parser = tolerance, allow_hyphen_values = true)]
    pub(super) tolerance: Option<Tolerance>,
    /// Largest allowed difference of a sample in ULP, if both images hold floats
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) max_ulp: Option<u32>,
    /// Number of pixels that may exceed the allowed difference, or a share such as 0.1%
    #[arg(long, value_name = "N", value_parser = allowance, allow_hyphen_values = true)]
    pub(super) max_pixels: Option<Allowance>,
    /// Ignore a rectangle, in pixels from the upper left; may be given more than once
    #[arg(long, value_name = "X,Y,W,H", value_parser = rectangle, allow_hyphen_values = true)]
    pub(super) ignore: Vec<Rectangle>,
    /// Ignore antialiased pixels: those on an edge between two areas that both images have
    #[arg(long)]
    pub(super) ignore_antialiased: bool,
}

/// Largest allowed difference of each channel.
pub(super) type Tolerance = [f64; 4];

impl CompareArguments {
    /// Options of the comparison; `transfer` quantises floats that are compared with integers.
    pub(super) fn options(&self, transfer: Transfer) -> CompareOptions {
        CompareOptions {
            tolerance: self.tolerance,
            ulps: self.max_ulp,
            pixels: self.max_pixels.unwrap_or_default(),
            ignore: self.ignore.clone(),
            antialiased: self.ignore_antialiased,
            transfer,
        }
    }
}

fn tolerance(text: &str) -> Result<Tolerance, String> {
    let wrong = || "a tolerance is a number from 0 to 255, or four of them: R,G,B,A".to_owned();
    let levels = text.split(',').map(|part| match part.parse::<f64>() {
        Ok(levels) if (0.0..=255.0).contains(&levels) => Ok(levels),
        _ => Err(wrong()),
    });
    match levels.collect::<Result<Vec<_>, _>>()?[..] {
        [all] => Ok([all; 4]),
        [r, g, b, a] => Ok([r, g, b, a]),
        _ => Err(wrong()),
    }
}

fn allowance(text: &str) -> Result<Allowance, String> {
    let parsed = match text.strip_suffix('%') {
        Some(share) => {
            share.parse().ok().filter(|s| (0.0..=100.0).contains(s)).map(Allowance::Percent)
        }
        None => text.parse().ok().map(Allowance::Pixels),
    };
    parsed.ok_or_else(|| format!("`{text}` is neither a number of pixels nor a share such as 0.1%"))
}

fn rectangle(text: &str) -> Result<Rectangle, String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[x, y, width, height]) => Ok(Rectangle { x, y, width, height }),
        _ => Err("a rectangle is four whole numbers: X,Y,WIDTH,HEIGHT".to_owned()),
    }
}

/// A number as JSON. Infinities and NaNs are strings, since JSON has no numbers for them.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

/// Result of a comparison as JSON.
pub(super) fn outcome_json(outcome: &CompareOutcome, findings: &[Finding]) -> Value {
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| json!({"kind": finding.name(), "text": finding.to_string()}))
        .collect();
    match outcome {
        CompareOutcome::Sizes { a, b } => json!({
            "verdict": "different",
            "sizes": [[a.width(), a.height()], [b.width(), b.height()]],
            "findings": findings,
        }),
        CompareOutcome::Pixels(comparison) => pixels_json(comparison, findings),
    }
}

fn pixels_json(comparison: &Comparison, findings: Vec<Value>) -> Value {
    let size = comparison.size;
    let exceeding = SWEEP.into_iter().zip(comparison.exceeding);
    let exceeding: Vec<Value> = exceeding
        .map(|(levels, pixels)| json!({"levels_of_8_bits": levels, "pixels": pixels}))
        .collect();
    let mut object = json!({
        "verdict": comparison.verdict().to_string(),
        "size": [size.width(), size.height()],
        "compared_as": comparison.depth.to_string(),
        "unit": comparison.depth.unit(),
        "compared_pixels": comparison.compared,
        "differing_pixels": comparison.differing,
        "antialiased_pixels": comparison.antialiased,
        "beyond_pixels": comparison.beyond,
        "rmse": number(comparison.rmse),
        "psnr": comparison.psnr().map(number),
        "lost_nans": comparison.lost_nans,
        "nans": comparison.specials.map(|specials| specials.nans),
        "infinities": comparison.specials.map(|specials| specials.infinities),
        "exceeding": exceeding,
        "findings": findings,
    });
    if let Some(first) = &comparison.first {
        object["first"] = json!({
            "x": first.x,
            "y": first.y,
            "a": first.a.map(number),
            "b": first.b.map(number),
        });
    }
    if let Some(peak) = &comparison.steps {
        object["largest"] = json!({"steps": peak.value, "x": peak.x, "y": peak.y});
    }
    if let Some(peak) = &comparison.absolute {
        object["largest_absolute"] = json!({"value": number(peak.value), "x": peak.x, "y": peak.y});
    }
    if let Some(ulps) = &comparison.ulps {
        let buckets = ulps.buckets();
        let buckets: Vec<Value> = buckets
            .map(|(least, most, samples)| json!({"least": least, "most": most, "samples": samples}))
            .collect();
        object["ulps"] = json!(buckets);
        object["nan_against_number"] = json!(ulps.nan_against_number());
    }
    object
}
