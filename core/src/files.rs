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

    /// The paths in a folder, sorted. By default none can be listed.
    ///
    /// # Errors
    ///
    /// An error of the system.
    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let _ = folder;
        Err(io::ErrorKind::NotFound.into())
    }
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path in messages.
    pub path: PathBuf,
    /// The canonical path.
    pub canonical: PathBuf,
}

/// Why a path in a text leads to no file.
#[derive(Debug)]
pub enum Unresolved {
    /// It is empty, or has control characters.
    NoPath,
    /// It is absolute.
    Absolute,
    /// The file lies outside of the folders that may be read.
    Outside,
    /// There is no such file.
    Missing,
    /// An error of the system.
    System(io::Error),
}

/// Finds the file of a relative path in a text, in the first of the folders that has it. Only files below the canonical
/// folders `allowed` are found, whatever `..` and links lead to.
///
/// # Errors
///
/// The reason for which none is found.
pub fn resolve(
    files: &mut dyn Files,
    text: &str,
    folders: &[PathBuf],
    allowed: &[PathBuf],
) -> Result<Found, Unresolved> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err(Unresolved::NoPath);
    }
    let is_drive = text.as_bytes().get(1) == Some(&b':');
    if is_drive || text.starts_with(['/', '\\', '~']) || Path::new(text).has_root() {
        return Err(Unresolved::Absolute);
    }
    let (mut outside, mut wrong) = (false, None);
    for folder in folders {
        let path = folder.join(text);
        match files.canonical(&path) {
            Ok(canonical) if allowed.iter().any(|folder| canonical.starts_with(folder)) => {
                return Ok(Found { path, canonical });
            }
            Ok(_) => outside = true,
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => wrong = wrong.or(Some(why)),
        }
    }
    Err(match (outside, wrong) {
        (true, _) => Unresolved::Outside,
        (_, Some(why)) => Unresolved::System(why),
        _ => Unresolved::Missing,
    })
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
