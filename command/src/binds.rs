//! The files that are bound to textures and buffers, as the options say.

use super::failure::{Failure, Result};
use super::files::{load_image_if, read_array};
use lambdav_core::types::{ResourceKind, Types};
use lambdav_engine::settings::{BindError, DataRef, Settings};
use lambdav_image::file::npy;
use std::path::{Path, PathBuf};

/// Names of textures and buffers, and of files, of which the last for a name counts.
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

    /// The names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
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

    /// The same where a name may be another one for that of a texture or buffer.
    #[must_use]
    pub(super) fn renamed(self, rename: impl Fn(&str) -> Option<String>) -> Self {
        let one = |(name, path): (String, PathBuf)| (rename(&name).unwrap_or(name), path);
        Self(self.0.into_iter().map(one).collect())
    }

    /// Those for names of which `is_one` holds, of which the last for a name counts, and the others.
    pub(super) fn split(self, is_one: impl Fn(&str) -> bool) -> (Vec<(String, PathBuf)>, Self) {
        let (mut these, others): (Vec<_>, _) =
            self.0.into_iter().partition(|(name, _)| is_one(name));
        let all = these.clone();
        let mut index = 0;
        these.retain(|(name, _)| {
            index += 1;
            !all[index..].iter().any(|(later, _)| later == name)
        });
        (these, Self(others))
    }

    /// Those for names of which `keep` holds.
    #[must_use]
    pub(super) fn filter(self, keep: impl Fn(&str) -> bool) -> Self {
        Self(self.0.into_iter().filter(|(name, _)| keep(name)).collect())
    }

    /// Reads the files and binds them to the textures and buffers in this table.
    pub(super) fn apply(&self, settings: &mut Settings, types: &Types) -> Result {
        for (index, (name, path)) in self.0.iter().enumerate() {
            let known = types.resources().iter().find(|resource| *resource.name == **name);
            if known.is_some() && self.0[index + 1..].iter().any(|(later, _)| later == name) {
                continue;
            }
            let fail = |error: BindError| match error {
                BindError::Unknown { .. } => Failure::usage(error.to_string()),
                _ => Failure::input(format!("`{}`: {error}", path.display())),
            };
            // What there is nothing for need not be read.
            let Some(known) = known else { return Err(fail(BindError::unknown(types, name))) };
            let bound = match known.kind {
                ResourceKind::Texture(_) => {
                    let accept = |size| settings.check_size(types, name, size).map_err(fail);
                    let image = load_image_if(path, accept)?;
                    settings.bind(types, name, &image)
                }
                ResourceKind::Buffer(_) => {
                    let bytes = read_array(path)?;
                    let data = match str::from_utf8(&bytes) {
                        _ if npy::is_npy(&bytes) => DataRef::Npy(&bytes),
                        Ok(text) => DataRef::Json(text),
                        Err(_) => {
                            let what = "neither NPY nor JSON, which a buffer takes";
                            return Err(Failure::input(format!("`{}` is {what}", path.display())));
                        }
                    };
                    settings.bind(types, name, data)
                }
            };
            bound.map_err(fail)?;
        }
        Ok(())
    }
}
