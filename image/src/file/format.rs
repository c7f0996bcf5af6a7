//! Which formats there are, and what a frame becomes in each.

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

/// A name or an ending that stands for no [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is not an image format; there are {}", Format::names(" and "))]
pub struct FormatError {
    /// The name or ending; empty where a path has none.
    pub name: String,
}

impl Format {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Png,
        #[cfg(feature = "exr")]
        Self::Exr,
        Self::Npy,
    ];

    /// The names of all, with `last` before the last one, for messages.
    pub fn names(last: &str) -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
        let (end, names) = names.split_last().expect("there is PNG");
        format!("{}{last}{end}", names.join(", "))
    }

    /// Its name, which is also the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            #[cfg(feature = "exr")]
            Self::Exr => "exr",
            Self::Npy => "npy",
        }
    }

    /// The format that a path's ending asks for; capital letters are as good.
    pub fn from_path(path: &Path) -> Result<Self, FormatError> {
        path.extension().unwrap_or(OsStr::new("")).to_string_lossy().parse()
    }

    /// How a file of it is made where nothing else is asked for: PNG has 8 bits a sample, without a transfer
    /// function.
    pub fn encoding(self) -> Encoding {
        match self {
            Self::Png => Encoding::Png8(Transfer::Linear),
            #[cfg(feature = "exr")]
            Self::Exr => Encoding::Exr,
            Self::Npy => Encoding::Npy,
        }
    }

    /// The first bytes of every file of this format.
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

/// How a frame becomes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// PNG with 8 bits to a sample.
    Png8(Transfer),
    /// PNG with 16 bits to a sample.
    Png16(Transfer),
    /// OpenEXR.
    #[cfg(feature = "exr")]
    Exr,
    /// NPY.
    Npy,
}

impl Encoding {
    /// The transfer function of its samples.
    pub fn transfer(self) -> Transfer {
        match self {
            Self::Png8(transfer) | Self::Png16(transfer) => transfer,
            #[cfg(feature = "exr")]
            Self::Exr => Transfer::Linear,
            Self::Npy => Transfer::Linear,
        }
    }

    /// A black and transparent image with the samples that a file of this encoding has: a picture of 8 bits takes a
    /// fourth of the memory of one of binary32.
    ///
    /// # Errors
    ///
    /// Where memory does not suffice.
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

/// What a file says of its origin: texts under names, in order. NPY has room for a comment only.
///
/// Names are those of PNG where it has one ([`Self::SOFTWARE`], [`Self::COMMENT`]); OpenEXR's own attributes
/// stand for these. Others are our own, and have at most 31 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    entries: Vec<(String, String)>,
}

impl Metadata {
    /// The program that wrote the file, with its version.
    pub const SOFTWARE: &str = "Software";
    /// Anything else worth keeping.
    pub const COMMENT: &str = "Comment";
    /// The version of the language that gives the pixels their meaning.
    pub const LANGUAGE_VERSION: &str = "lambdav:language-version";

    /// With one more text.
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

/// The names of the formats that are read, for messages.
pub(super) fn readable() -> String {
    #[cfg(feature = "formats")]
    return format!(
        "{}, bmp, ff, gif, hdr, ico, jpeg, pnm, qoi, tga, tiff and webp",
        Format::names(", ")
    );
    #[cfg(not(feature = "formats"))]
    Format::names(" and ")
}
