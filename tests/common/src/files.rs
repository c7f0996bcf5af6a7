//! Files of the repository.

use std::path::{Path, PathBuf};

/// The files below a folder that have one of these extensions, sorted by path. No extensions: all files.
///
/// # Panics
///
/// If a folder cannot be listed.
pub fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut folders, mut all) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder);
        for entry in entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("it is listed").path();
            let is_wanted = |ending: &str| path.extension().is_some_and(|own| own == ending);
            if path.is_dir() {
                folders.push(path);
            } else if endings.is_empty() || endings.iter().any(|ending| is_wanted(ending)) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}
