//! Goldens: reading, writing and digests.

use super::directive::{Directive, GoldenFormat};
use super::mark::{Role, metadata_of};
use super::plan::Test;
use crate::failure::{Failure, Result, save_failure};
use crate::files::form;
use crate::hash::digits;
use crate::watch;
use lambdav_engine::error_chain;
use lambdav_image::AnyImage;
use lambdav_image::file::{self, EncodeError, Encoding, Metadata, save, write_atomically};
use lambdav_image::quantize::Transfer;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// More than the length of a digest, in bytes.
const LINE: u64 = 4096;

impl Directive {
    /// Transfer function for quantising floats.
    pub(super) fn transfer(&self) -> Transfer {
        if self.samples.srgb { Transfer::Srgb } else { Transfer::Linear }
    }

    /// Samples to draw, and their file format.
    pub(super) fn encoding(&self) -> Encoding {
        let transfer = self.transfer();
        let depth = self.samples.bits();
        match (self.kind, depth) {
            (GoldenFormat::Png | GoldenFormat::Digest, Some(16)) => Encoding::Png16(transfer),
            (GoldenFormat::Png, _) | (GoldenFormat::Digest, Some(_)) => Encoding::Png8(transfer),
            (GoldenFormat::Exr, _) => Encoding::Exr,
            // (A buffer is no picture, and a test without a golden compares none.)
            (GoldenFormat::Npy | GoldenFormat::Json | GoldenFormat::None, _)
            | (GoldenFormat::Digest, None) => Encoding::Npy,
        }
    }
}

/// A golden as read.
pub(super) enum Golden {
    /// A picture.
    Picture(AnyImage),
    /// The digest of a picture.
    Digest(String),
}

/// Reads the golden of a test; none if the file does not exist.
pub(super) fn load(path: &Path, kind: GoldenFormat) -> Result<Option<Golden>> {
    watch::note(path);
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    Ok(Some(match kind {
        GoldenFormat::Digest => {
            let mut text = String::new();
            let read = File::open(path).and_then(|file| file.take(LINE).read_to_string(&mut text));
            read.map_err(|error| {
                Failure::input(format!("cannot read `{}`: {error}", path.display()))
            })?;
            Golden::Digest(text.trim_end().to_owned())
        }
        _ => Golden::Picture(crate::files::load_image(path)?),
    }))
}

/// Writes a picture as the golden of a test.
pub(super) fn write(test: &Test, directive: &Directive, image: &AnyImage) -> Result {
    match directive.kind {
        GoldenFormat::Digest => write_line(test, &digest(image)),
        _ => write_picture(&test.golden, directive, image, &metadata_of(test, Role::Golden)),
    }
}

/// Writes a digest as the golden of a test.
pub(super) fn write_line(test: &Test, line: &str) -> Result {
    write_atomically::<EncodeError>(&test.golden, |out| {
        writeln!(out, "{line}").map_err(EncodeError::Io)
    })
    .map_err(|error| save_failure(&error))
}

/// Writes a picture with the samples of a test.
pub(super) fn write_picture(
    path: &Path,
    directive: &Directive,
    image: &AnyImage,
    metadata: &Metadata,
) -> Result {
    save(path, image, directive.encoding(), metadata).map_err(|error| save_failure(&error))
}

/// Digest of a picture: SHA-256 of its samples, little-endian, in scan order; then its size and sample
/// type.
pub(super) fn digest(image: &AnyImage) -> String {
    let mut hash = Sha256::new();
    match image {
        AnyImage::Unorm8(image) => hash.update(image.samples()),
        AnyImage::Unorm16(image) => {
            image.samples().iter().for_each(|sample| hash.update(sample.to_le_bytes()));
        }
        AnyImage::Float(image) => {
            image.samples().iter().for_each(|sample| hash.update(sample.to_le_bytes()));
        }
    }
    format!("{} {}", digits(hash), form(image))
}

/// PNG file in memory; floats are quantised without a transfer function.
pub(super) fn png(image: &AnyImage, metadata: &Metadata) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let transfer = Transfer::Linear;
    let written = match image {
        AnyImage::Unorm8(image) => file::png::encode(image, transfer, metadata, &mut bytes),
        AnyImage::Unorm16(image) => file::png::encode(image, transfer, metadata, &mut bytes),
        AnyImage::Float(frame) => {
            file::encode(frame, Encoding::Png8(transfer), metadata, &mut bytes)
        }
    };
    written.map_err(|error| Failure::machine(error_chain(&error)))?;
    Ok(bytes)
}
