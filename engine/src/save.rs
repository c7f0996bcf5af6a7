//! Pictures as files.

use crate::error::Error;
use lambdav_core::LANGUAGE_VERSION;
use lambdav_image::Frame;
use lambdav_image::file::{self, Format, Metadata};
use std::path::Path;

/// Writes a picture to the file at `path`, in the format of its ending, whole or not at all. PNG has
/// 8 bits a sample, without a transfer function; [`file::save`] has the choice.
///
/// # Errors
///
/// [`Error::Format`] and [`Error::Save`].
pub fn save(path: impl AsRef<Path>, frame: &Frame) -> Result<(), Error> {
    let path = path.as_ref();
    let encoding = Format::from_path(path)?.encoding();
    Ok(file::save(path, frame, encoding, &metadata())?)
}

/// The entries by which image files name their origin.
pub fn metadata() -> Metadata {
    Metadata::default()
        .with(Metadata::SOFTWARE, concat!("lambdav ", env!("CARGO_PKG_VERSION")))
        .with(Metadata::LANGUAGE_VERSION, LANGUAGE_VERSION.to_string())
}
