//! Pictures as files.

use crate::error::Error;
use lambdav_core::LANGUAGE_VERSION;
use lambdav_image::Frame;
use lambdav_image::file::{self, Format, Metadata};
use std::path::Path;

/// Writes a picture atomically to the file at `path`, in the format of its extension. PNG has 8 bits
/// per sample, without a transfer function; [`file::save`] offers the choice.
///
/// # Errors
///
/// [`Error::Format`] and [`Error::Save`].
pub fn save(path: impl AsRef<Path>, frame: &Frame) -> Result<(), Error> {
    let path = path.as_ref();
    let encoding = Format::from_path(path)?.encoding();
    Ok(file::save(path, frame, encoding, &metadata())?)
}

/// Metadata of the origin of images.
pub fn metadata() -> Metadata {
    Metadata::default()
        .with(Metadata::SOFTWARE, concat!("lambdav ", env!("CARGO_PKG_VERSION")))
        .with(Metadata::LANGUAGE_VERSION, LANGUAGE_VERSION.to_string())
}
