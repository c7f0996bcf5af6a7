//! Comparison of a picture with its golden.

use crate::{BLESS, CompareOptions, Picture, PictureError};
use lambdav::{error_chain, metadata};
use lambdav_image::AnyImage;
use lambdav_image::file::{
    EncodeError, Encoding, Format, FormatError, LoadError, SaveError, load, save,
};
use lambdav_image::quantize::{Transfer, quantize};
use lambdav_image_compare::{compare, diagnose, heat_map};
use std::path::{Path, PathBuf};
use std::{env, fs};
use thiserror::Error;

/// Failure of a picture test. Its text says what to look at and what to do.
#[derive(Debug, Error)]
pub enum Failure {
    /// The picture differs from its golden.
    #[error(
        "the picture differs from its golden\n{difference}\n{}\n  golden: {}\n  drawn:  {}{}\n\
         if it is right, {BLESS}=1 cargo test makes it the golden",
        .causes.join("\n"), .golden.display(), .new.display(),
        .heat.as_ref().map_or(String::new(), |heat| format!("\n  where:  {}", heat.display()))
    )]
    Different {
        /// Size of the difference.
        difference: String,
        /// Possible causes.
        causes: Vec<String>,
        /// The golden.
        golden: PathBuf,
        /// File of the drawn picture.
        new: PathBuf,
        /// File of the heat map; none if the sizes differ.
        heat: Option<PathBuf>,
    },
    /// There is no golden yet.
    #[error(
        "there is no golden {}\n  drawn:  {}\nif it is right, {BLESS}=1 cargo test makes it the golden",
        .golden.display(), .new.display()
    )]
    Missing {
        /// The golden.
        golden: PathBuf,
        /// File of the drawn picture.
        new: PathBuf,
    },
    /// There is no picture.
    #[error("{}", error_chain(.0))]
    Picture(#[from] PictureError),
    /// The golden's file name extension belongs to no format.
    #[error("the golden's name implies no format: {0}")]
    Format(#[from] FormatError),
    /// The golden cannot be read.
    #[error("{}", error_chain(.0))]
    Load(#[from] LoadError),
    /// A picture cannot be written.
    #[error("{}", error_chain(.0))]
    Save(#[from] SaveError<EncodeError>),
}

/// Compares a picture with its golden or, if [`BLESS`] is set, makes it the golden. Paths are relative
/// to `folder`. [`assert_image!`](crate::assert_image) calls it.
///
/// # Errors
///
/// [`Failure`].
pub fn check(
    picture: &(impl Picture + ?Sized),
    golden: &Path,
    allowed: &CompareOptions,
    folder: &Path,
) -> Result<(), Failure> {
    let is_asked = |value: &std::ffi::OsString| !value.is_empty() && value != "0";
    let bless = env::var_os(BLESS).is_some_and(|value| is_asked(&value));
    check_or_bless(picture, golden, allowed, folder, bless)
}

fn check_or_bless(
    picture: &(impl Picture + ?Sized),
    golden: &Path,
    allowed: &CompareOptions,
    folder: &Path,
    bless: bool,
) -> Result<(), Failure> {
    let golden = folder.join(golden);
    let format = Format::from_path(&golden)?;
    let drawn = as_in(picture.draw(folder)?, format, allowed.transfer);
    let new = golden.with_extension(format!("new.{}", format.name()));
    let heat = golden.with_extension("diff.png");
    if !golden.exists() {
        if !bless {
            write(&new, &drawn, format, allowed.transfer)?;
            return Err(Failure::Missing { golden, new });
        }
        forget(&[&new, &heat]);
        return write(&golden, &drawn, format, allowed.transfer);
    }
    let expected = match load(&golden) {
        // Blessing may replace a golden that cannot be read.
        Err(_) if bless => None,
        expected => Some(expected?),
    };
    let Some(expected) = expected else {
        return write(&golden, &drawn, format, allowed.transfer);
    };
    let outcome = compare(&expected, &drawn, allowed);
    if outcome.is_same() {
        forget(&[&new, &heat]);
        return Ok(());
    }
    if bless {
        forget(&[&new, &heat]);
        return write(&golden, &drawn, format, allowed.transfer);
    }
    write(&new, &drawn, format, allowed.transfer)?;
    let map = heat_map(&expected, &drawn, allowed).map(AnyImage::from);
    if let Some(map) = &map {
        write(&heat, map, Format::Png, Transfer::Linear)?;
    }
    let causes = diagnose(&expected, &drawn, allowed);
    Err(Failure::Different {
        difference: outcome.to_string().trim_end().to_owned(),
        causes: causes.iter().map(ToString::to_string).collect(),
        golden,
        new,
        heat: map.is_some().then_some(heat),
    })
}

/// Converts the picture to the samples of a file of that format.
fn as_in(drawn: AnyImage, format: Format, transfer: Transfer) -> AnyImage {
    match drawn {
        AnyImage::Float(frame) if format == Format::Png => quantize::<u8>(&frame, transfer).into(),
        other => other,
    }
}

fn write(path: &Path, image: &AnyImage, format: Format, transfer: Transfer) -> Result<(), Failure> {
    let encoding = match (format, image) {
        (Format::Png, AnyImage::Unorm16(_)) => Encoding::Png16(transfer),
        (Format::Png, _) => Encoding::Png8(transfer),
        (Format::Exr, _) => Encoding::Exr,
        (Format::Npy, _) => Encoding::Npy,
    };
    if let Some(folder) = path.parent() {
        // Writing the file below reports any error of the folder.
        let _ = fs::create_dir_all(folder);
    }
    Ok(save(path, image, encoding, &metadata())?)
}

/// Removes the files of an earlier failed run, if any.
fn forget(paths: &[&Path]) {
    for path in paths {
        let _ = fs::remove_file(path);
    }
}
