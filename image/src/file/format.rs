//! File formats, and the encodings of frames in them.

use std::ffi::OsStr;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use crate::pixels::{AnyImage, Frame, Image, OutOfMemory};
use crate::quantize::Transfer;
use crate::size::Size;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// PNG, RGBA, 8 or 16 bits.
    Png,
    /// OpenEXR, RGBA, binary32; with the feature `exr`.
    #[cfg(feature = "exr")]
    Exr,
    /// NumPy's array file: float32 of shape (height, width, 4).
    Npy,
}

/// A name or file name extension of no [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is not an image format; there are {}", Format::names(" and "))]
pub struct FormatError {
    /// The name or extension; empty for a path without one.
    pub name: String,
}

impl Format {
    /// All formats.
    pub const ALL: &[Self] = &[
        Self::Png,
        #[cfg(feature = "exr")]
        Self::Exr,
        Self::Npy,
    ];

    /// Names of all formats, with `last` before the last one, for messages.
    pub fn names(last: &str) -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
        let (end, names) = names.split_last().expect("there is PNG");
        format!("{}{last}{end}", names.join(", "))
    }

    /// Name of the format, which is also its file name extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            #[cfg(feature = "exr")]
            Self::Exr => "exr",
            Self::Npy => "npy",
        }
    }

    /// Format of a path's extension, in any case.
    pub fn from_path(path: &Path) -> Result<Self, FormatError> {
        path.extension().unwrap_or(OsStr::new("")).to_string_lossy().parse()
    }

    /// Default encoding of the format: PNG has 8 bits per sample, without a transfer function.
    pub fn encoding(self) -> Encoding {
        match self {
            Self::Png => Encoding::Png8(Transfer::Linear),
            #[cfg(feature = "exr")]
            Self::Exr => Encoding::Exr,
            Self::Npy => Encoding::Npy,
        }
    }

    /// First bytes of all files of this format.
    pub(super) fn magic(self) -> &'static [u8] {
        match self {
            Self::Png => b"\x89PNG\r\n\x1a\n",
            #[cfg(feature = "exr")]
            Self::Exr => b"\x76\x2f\x31\x01",
            Self::Npy => b"\x93NUMPY",
        }
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        let mut all = Self::ALL.iter();
        let found = all.find(|format| name.eq_ignore_ascii_case(format.name()));
        found.copied().ok_or_else(|| FormatError { name: name.to_owned() })
    }
}

/// Encoding of a frame in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// PNG with 8 bits per sample.
    Png8(Transfer),
    /// PNG with 16 bits per sample.
    Png16(Transfer),
    /// OpenEXR.
    #[cfg(feature = "exr")]
    Exr,
    /// NPY.
    Npy,
}

impl Encoding {
    /// Transfer function of the samples.
    pub fn transfer(self) -> Transfer {
        match self {
            Self::Png8(transfer) | Self::Png16(transfer) => transfer,
            #[cfg(feature = "exr")]
            Self::Exr => Transfer::Linear,
            Self::Npy => Transfer::Linear,
        }
    }

    /// A black and transparent image with the samples of this encoding: an 8-bit picture takes a fourth
    /// of the memory of a binary32 picture.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn blank(self, size: Size) -> Result<AnyImage, OutOfMemory> {
        Ok(match self {
            Self::Png8(_) => Image::<u8>::zeros(size)?.into(),
            Self::Png16(_) => Image::<u16>::zeros(size)?.into(),
            #[cfg(feature = "exr")]
            Self::Exr => Frame::zeros(size)?.into(),
            Self::Npy => Frame::zeros(size)?.into(),
        })
    }
}

/// Metadata of a file: texts with names, in order. NPY holds a comment only.
///
/// Names are those of PNG where it defines one ([`Self::SOFTWARE`], [`Self::COMMENT`]); OpenEXR stores
/// these in its own attributes. Other names are our own, with at most 31 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    entries: Vec<(String, String)>,
}

impl Metadata {
    /// The program that wrote the file, with its version.
    pub const SOFTWARE: &str = "Software";
    /// Free text.
    pub const COMMENT: &str = "Comment";
    /// Version of the language that defines the pixels.
    pub const LANGUAGE_VERSION: &str = "lambdav:language-version";

    /// Adds a text.
    #[must_use]
    pub fn with(mut self, name: &str, text: impl Into<String>) -> Self {
        self.entries.push((name.to_owned(), text.into()));
        self
    }

    /// All texts with their names, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

/// Names of all readable formats, for messages.
pub(super) fn readable() -> String {
    #[cfg(feature = "formats")]
    return format!(
        "{}, bmp, ff, gif, hdr, ico, jpeg, pnm, qoi, tga, tiff and webp",
        Format::names(", ")
    );
    #[cfg(not(feature = "formats"))]
    Format::names(" and ")
}
