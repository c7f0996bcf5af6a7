//! The files that a program includes, as front ends see them.

use std::io;
use std::path::{Path, PathBuf};

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
