//! Pairs of images: their comparison, against a plain count of pixels.

use super::{FuzzTarget, Reached};
use crate::bytes::mutate;
use lambdav_generate::Random;
use lambdav_image::file::{Encoding, Metadata, Undecoded, decode, encode};
use lambdav_image::quantize::Transfer;
use lambdav_image::{AnyImage, Frame, Size};
use lambdav_image_compare::{
    Allowance, CompareOptions, CompareOutcome, Rectangle, Verdict, compare, diagnose, heat_map,
};
use std::path::Path;

pub(super) struct Pairs;

/// Larger images are not compared.
const MAX_PIXELS: usize = 1 << 14;

/// An image as a file, after its length.
fn file(frame: &Frame, random: &mut Random) -> Vec<u8> {
    let (eight, sixteen) = (Encoding::Png8(Transfer::Linear), Encoding::Png16(Transfer::Linear));
    let encoding = *random.pick(&[eight, eight, sixteen, Encoding::Exr, Encoding::Npy]);
    let mut bytes = Vec::new();
    encode(frame, encoding, &Metadata::default(), &mut bytes).expect("it goes to memory");
    [(bytes.len() as u32).to_le_bytes().to_vec(), bytes].concat()
}

/// The two files of an input.
fn split(input: &[u8]) -> Option<[&[u8]; 2]> {
    let (length, rest) = input.split_first_chunk::<4>()?;
    let (a, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (_, b) = rest.split_first_chunk::<4>()?;
    Some([a, b])
}

impl FuzzTarget for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let mut side = || 1 + random.below(24) as u32;
        let (width, height) = (side(), side());
        let levels = *random.pick(&[2.0f32, 4.0, 255.0]);
        let size = Size::new(width, height).expect("within the limits");
        let special = *random.pick(&[0, 0, 5]);
        let mut sample = |x: u32, y: u32| match random.below(100) {
            0..5 if special > 0 => {
                *random.pick(&[f32::NAN, f32::INFINITY, -0.0, 0.0, -f32::INFINITY])
            }
            _ => ((x as f32 * 0.3).sin() * (y as f32 * 0.7).cos() * levels).round() / levels,
        };
        let one = Frame::from_fn(size, |x, y| [sample(x, y), sample(y, x), 0.5, 1.0]);
        let at = |x: u32, y: u32| one.pixel(x, y).unwrap_or_default();
        let (kind, odd) = (random.below(8), random.below(size.pixels()) as u32);
        let other = Frame::from_fn(size, |x, y| match kind {
            0 => at(x, y),
            1 => at(width - 1 - x, y),
            2 => at(x.saturating_sub(1), y),
            3 => at(x, y).map(|sample| sample * 0.5),
            4 if x + y * width == odd => [1.0, 0.0, f32::NAN, 0.5],
            5 => at(x, y).map(|sample| if sample == 0.0 { -sample } else { sample }),
            6 => at(x, y).map(f32::next_up),
            _ => at(x, y).map(|sample| (sample + x as f32 / 50.0).fract()),
        });
        let files = [file(&one, random), file(&other, random)].concat();
        if random.percent(20) {
            mutate(&files, std::slice::from_ref(&files), random)
        } else {
            files
        }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        mutate(input, &[input.to_vec()], random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let Some(files) = split(input) else { return Ok(Reached::default()) };
        for mut file in files {
            // Parts of a file that decoding ignores are reported for any bytes.
            if let Ok(undecoded) = Undecoded::read(&mut file, Path::new("a")) {
                let _ = undecoded.left_out();
            }
        }
        let [Ok(a), Ok(b)] = files.map(decode) else {
            return Ok(Reached { parsed: true, ..Reached::default() });
        };
        if a.size().pixels().max(b.size().pixels()) > MAX_PIXELS {
            return Ok(Reached { parsed: true, ..Reached::default() });
        }
        let exact = CompareOptions::default();
        let of_random = |bits: u64| CompareOptions {
            tolerance: (bits & 1 == 1).then_some([(bits >> 8 & 15) as f64 / 2.0; 4]),
            ulps: (bits & 2 == 2).then_some((bits >> 12 & 3) as u32),
            pixels: if bits & 4 == 4 {
                Allowance::Pixels(bits >> 14 & 7)
            } else {
                Allowance::Percent(1.0)
            },
            ignore: vec![Rectangle { x: 1, y: 0, width: (bits >> 17 & 3) as u32, height: 5 }],
            antialiased: bits & 8 == 8,
            transfer: Transfer::Linear,
        };
        for options in [exact, of_random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20)] {
            let (ab, ba) = (compare(&a, &b, &options), compare(&b, &a, &options));
            agree(&a, &b, &options, &ab, &ba)?;
            let findings = diagnose(&a, &b, &options);
            if findings.iter().any(|finding| finding.to_string().is_empty())
                || ab.to_string().is_empty()
            {
                return Err("a finding or outcome is empty".into());
            }
            let heat = heat_map(&a, &b, &options);
            if heat.is_some() != (a.size() == b.size()) {
                return Err("heat map and sizes disagree".into());
            }
        }
        Ok(Reached { parsed: true, accepted: true, computed: a.size() == b.size() })
    }

    fn is_binary(&self) -> bool {
        true
    }
}

/// Checks that both directions agree, and that they agree with a plain count of differing pixels.
fn agree(
    a: &AnyImage,
    b: &AnyImage,
    options: &CompareOptions,
    ab: &CompareOutcome,
    ba: &CompareOutcome,
) -> Result<(), String> {
    let (CompareOutcome::Pixels(ab), CompareOutcome::Pixels(ba)) = (ab, ba) else {
        return if a.size() == b.size() { Err("the sizes are the same".into()) } else { Ok(()) };
    };
    let counts = |of: &lambdav_image_compare::Comparison| {
        (
            of.compared,
            of.differing,
            of.beyond,
            of.antialiased,
            of.exceeding,
            of.verdict(),
            of.rmse.to_bits(),
        )
    };
    if counts(ab) != counts(ba) || ab.psnr() != ba.psnr() {
        return Err(format!("{ab:?}\nthe other way round\n{ba:?}"));
    }
    if ab.beyond + ab.antialiased > ab.differing || ab.differing > ab.compared {
        return Err(format!("counts: {ab:?}"));
    }
    if (ab.differing == 0) != (ab.verdict() == Verdict::Identical) {
        return Err(format!("verdict: {ab:?}"));
    }
    let none = ab.rmse == 0.0;
    if ab.to_string().contains("RMSE: infinite") != ab.rmse.is_infinite()
        || none && ab.psnr().is_some()
    {
        return Err(format!("{ab}"));
    }
    if let (AnyImage::Float(a), AnyImage::Float(b)) = (a, b) {
        let ignored = |index: usize| {
            let (x, y) = (index as u32 % a.size().width(), index as u32 / a.size().width());
            options.ignore.iter().any(|rectangle| rectangle.contains(x, y))
        };
        let bits = |pixel: &[f32; 4]| pixel.map(f32::to_bits);
        let pairs = a.pixels().iter().zip(b.pixels()).enumerate();
        let differing =
            pairs.filter(|(index, (a, b))| !ignored(*index) && bits(a) != bits(b)).count();
        if differing as u64 != ab.differing {
            return Err(format!("{differing} pixels differ: {ab:?}"));
        }
    }
    Ok(())
}
