//! `lambdav diff`: compares two images.

use super::failure::{Failure, Result, chain, save_failure};
use super::files::{check_target, one_standard_input};
use super::messages::print;
use clap::Args;
use lambdav::metadata;
use lambdav::raster::AnyImage;
use lambdav::raster::compare::{self, compare, heat_map};
use lambdav::raster::file::{self, DecodeError, EncodeError, Format, LoadError, write_atomically};
use lambdav::raster::quantize::Transfer;
use std::io;
use std::path::{Path, PathBuf};

/// Compare two images, exactly unless told otherwise
///
/// Equal means equal bit for bit, all NaNs being one value. 8 bits against 16 are compared as 16; a
/// float image against an integer one is quantised first. Exit status 0: the same; 1: different.
#[derive(Args)]
pub(super) struct DiffArguments {
    /// An image: PNG, OpenEXR or NPY; `-` is standard input
    a: PathBuf,
    /// Another; at most one of the two is `-`
    b: PathBuf,
    /// Write a picture of the differences here (PNG): black where the images are equal, the lighter the
    /// more they differ
    #[arg(long, value_name = "HEAT.png")]
    out: Option<PathBuf>,
    /// How much a sample may differ, in levels of 8 bits: from 0 to 255, also between two. Then images
    /// that differ by no more have exit status 0
    #[arg(long, value_name = "LEVELS", value_parser = tolerance, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Compare a float image with an integer one by its sRGB encoding
    #[arg(long)]
    srgb: bool,
}

fn tolerance(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(levels) if (0.0..=255.0).contains(&levels) => Ok(levels),
        _ => Err("a tolerance is a number from 0 to 255".to_owned()),
    }
}

pub(super) fn run(options: &DiffArguments) -> Result {
    one_standard_input([&options.a, &options.b])?;
    if let Some(out) = &options.out {
        check_target(out, &[&options.a, &options.b])?;
        if Format::from_path(out) != Ok(Format::Png) {
            return Err(Failure::usage(format!(
                "the picture of the differences is PNG; let the name `{}` end in .png",
                out.display()
            )));
        }
    }
    let (a, b) = (load(&options.a)?, load(&options.b)?);
    let transfer = if options.srgb { Transfer::Srgb } else { Transfer::Linear };
    let how = compare::CompareOptions { tolerance: options.tolerance, transfer };
    let outcome = compare(&a, &b, &how);
    print(format!("{outcome}\n"))?;
    if let Some(path) = &options.out {
        match heat_map(&a, &b, &how) {
            Some(heat) => write_atomically::<EncodeError>(path, |out| {
                file::png::encode(&heat, Transfer::Linear, &metadata(), out)
            })
            .map_err(|error| save_failure(&error))?,
            None => return Err(Failure::input("images of different sizes have no heat map")),
        }
    }
    if outcome.is_same() { Ok(()) } else { Err(Failure::reported()) }
}

fn load(path: &Path) -> Result<AnyImage> {
    let loaded = if path == Path::new("-") {
        file::load_from(&mut io::stdin(), Path::new("<stdin>"))
    } else {
        file::load(path)
    };
    loaded.map_err(|error| match &error {
        LoadError::Io { source, .. } => Failure::file(chain(&error), source),
        LoadError::Decode { source: DecodeError::OutOfMemory(_), .. } => {
            Failure::machine(chain(&error))
        }
        _ => Failure::input(chain(&error)),
    })
}
