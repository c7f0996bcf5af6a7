//! The value of `--compare`: an engine or a picture.

use crate::engines::EngineName;
use clap::ValueEnum;
use std::path::PathBuf;
use std::str::FromStr;

/// An engine or a picture, by name.
#[derive(Clone, Debug)]
pub(crate) enum Other {
    Engine(EngineName),
    Picture(PathBuf),
}

impl FromStr for Other {
    type Err = String;

    /// An engine's name comes before a file of that name.
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(EngineName::from_str(text, false)
            .map_or_else(|_| Self::Picture(text.into()), Self::Engine))
    }
}

impl Other {
    pub(super) fn engine(&self) -> Option<EngineName> {
        if let Self::Engine(name) = self { Some(*name) } else { None }
    }

    pub(super) fn is_gpu(&self) -> bool {
        self.engine() == Some(EngineName::Gpu)
    }

    /// The file of a picture.
    pub(super) fn path(&self) -> Option<&PathBuf> {
        if let Self::Picture(path) = self { Some(path) } else { None }
    }
}
