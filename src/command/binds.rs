//! The images that are bound to textures, as the options say.

use super::failure::{Failure, Result};
use super::files::load_image;
use lambdav::core::texture::Texture;
use lambdav::settings::{BindError, Settings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names of textures and of files, of which the last for a texture counts.
#[derive(Clone, Default)]
pub(super) struct Binds(Vec<(String, PathBuf)>);

impl Binds {
    /// Takes the options apart.
    pub(super) fn read(bind: &[String]) -> Result<Self> {
        let one = |text: &String| match text.split_once('=') {
            Some((name, path)) if !path.is_empty() => Ok((name.to_owned(), PathBuf::from(path))),
            _ => Err(Failure::usage(format!("`{text}` binds nothing: write --bind NAME=FILE"))),
        };
        bind.iter().map(one).collect::<Result<_>>().map(Self)
    }

    /// The files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().map(|(_, path)| path)
    }

    /// The same where files are relative to a folder.
    #[must_use]
    pub(super) fn within(self, folder: &Path) -> Self {
        let path = |(name, path): (String, PathBuf)| match path == Path::new("-") {
            true => (name, path),
            false => (name, folder.join(path)),
        };
        Self(self.0.into_iter().map(path).collect())
    }

    /// Loads the images and binds them to these textures.
    pub(super) fn apply(&self, settings: &mut Settings, textures: &[Arc<Texture>]) -> Result {
        for (index, (name, path)) in self.0.iter().enumerate() {
            let is_known = textures.iter().any(|texture| *texture.name == **name);
            if is_known && self.0[index + 1..].iter().any(|(later, _)| later == name) {
                continue;
            }
            let fail = |error: BindError| match error {
                BindError::Unknown { .. } => Failure::usage(error.to_string()),
                _ => Failure::input(format!("`{}`: {error}", path.display())),
            };
            // What there is no texture for need not be read.
            if !is_known {
                return Err(fail(BindError::unknown(textures, name)));
            }
            let image = load_image(path)?;
            settings.bind(textures, name, &image).map_err(fail)?;
        }
        Ok(())
    }
}
