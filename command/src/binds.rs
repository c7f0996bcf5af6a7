//! Files bound to textures and buffers by `--bind`.

use super::failure::{Failure, Result};
use super::files::{load_image_if, read_array, read_bytes};
use super::module::object;
use super::setting::Setting;
use lambdav_engine::{BindError, Bindings, DataRef, Slot};
use std::path::{Path, PathBuf};

/// Pairs of a resource's name and a file; the last pair for a name counts.
#[derive(Clone, Default)]
pub(super) struct Binds(Vec<(String, PathBuf)>);

impl Binds {
    /// Parses the values of `--bind`.
    pub(super) fn read(bind: &[String]) -> Result<Self> {
        let one = |text: &String| match text.split_once('=') {
            Some((name, path)) if !path.is_empty() => Ok((name.to_owned(), PathBuf::from(path))),
            _ => Err(Failure::usage(format!("`{text}` binds nothing: write --bind NAME=FILE"))),
        };
        bind.iter().map(one).collect::<Result<_>>().map(Self)
    }

    /// Paths of the files, in the order of the options.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().map(|(_, path)| path)
    }

    /// Resolves relative paths against a folder; `-` stays standard input.
    #[must_use]
    pub(super) fn within(self, folder: &Path) -> Self {
        let path = |(name, path): (String, PathBuf)| match path == Path::new("-") {
            true => (name, path),
            false => (name, folder.join(path)),
        };
        Self(self.0.into_iter().map(path).collect())
    }

    /// Keeps the pairs whose name passes `keep`.
    #[must_use]
    pub(super) fn filter(self, keep: impl Fn(&str) -> bool) -> Self {
        Self(self.0.into_iter().filter(|(name, _)| keep(name)).collect())
    }

    /// Reads and binds the files. Returns the members that JSON files give to blocks, for the caller to
    /// set.
    pub(super) fn apply(&self, bindings: &mut Bindings) -> Result<Vec<Setting>> {
        let mut members = Vec::new();
        for (index, (name, path)) in self.0.iter().enumerate() {
            let fail = |error: BindError| match error {
                BindError::Unknown { .. } => Failure::usage(error.to_string()),
                _ => Failure::input(format!("`{}`: {error}", path.display())),
            };
            let slot = bindings.slot(name).map_err(fail)?;
            if self.0[index + 1..].iter().any(|(later, _)| later == name) {
                continue;
            }
            match slot {
                Slot::Texture => {
                    let accept = |size| bindings.check_size(name, size).map_err(fail);
                    let image = load_image_if(path, accept)?;
                    bindings.bind(name, &image).map_err(fail)?;
                }
                Slot::Block => {
                    let (file, bytes) = read_bytes(path)?;
                    if path.extension().is_some_and(|of| of.eq_ignore_ascii_case("json")) {
                        let all = object(&file, &bytes, "MEMBER")?.into_iter();
                        members.extend(
                            all.map(|of| Setting { path: format!("{name}.{}", of.path), ..of }),
                        );
                    } else {
                        bindings.bind(name, DataRef::Bytes(&bytes)).map_err(fail)?;
                    }
                }
                // A resource that the program does not use needs no data.
                Slot::Unused => bindings.note_unused(name.clone()),
                _ => {
                    let bytes = read_array(path)?;
                    let data = DataRef::of_array(&bytes).map_err(|what| {
                        Failure::input(format!("`{}` is {what}", path.display()))
                    })?;
                    bindings.bind(name, data).map_err(fail)?;
                }
            }
        }
        Ok(members)
    }
}
