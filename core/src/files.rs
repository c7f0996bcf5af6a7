//! The files that a program includes, as front ends see them.

use std::io;
use std::path::{Component, Path, PathBuf};

/// A file system.
pub trait Files {
    /// The canonical path of the file at `path`.
    ///
    /// # Errors
    ///
    /// An error of the system; the file may not exist.
    fn canonical(&mut self, path: &Path) -> io::Result<PathBuf>;

    /// The contents of the file at a canonical path. A file of more than `most` bytes may be cut off, but
    /// beyond that limit.
    ///
    /// # Errors
    ///
    /// An error of the system.
    fn read(&mut self, path: &Path, most: usize) -> io::Result<Vec<u8>>;
}

/// No files: those of a text in memory, which includes none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn canonical(&mut self, _: &Path) -> io::Result<PathBuf> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn read(&mut self, _: &Path, _: usize) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// The path from a folder to a file, both canonical, separated by `/`.
pub fn relative(file: &Path, folder: &Path) -> String {
    let common = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".into());
    let down = file.components().skip(common).filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    up.chain(down).collect::<Vec<_>>().join("/")
}
