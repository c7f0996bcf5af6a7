//! Orphans: goldens that belong to no test.
//!
//! A file is an orphan if it is marked as a golden and belongs to no test. Unmarked files belong to the
//! user. Inputs that a directive names, and possible goldens of malformed directives, are no orphans.

use super::folders::{in_folder, key, look_through};
use super::mark::{Mark, Role};
use super::plan::Planned;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Orphans in the searched folders.
pub(super) fn find(planned: &Planned) -> Vec<PathBuf> {
    let goldens: BTreeSet<PathBuf> = planned.tests.iter().map(|test| key(&test.golden)).collect();
    let mut orphans: Vec<(PathBuf, PathBuf)> = Vec::new();
    for folder in &planned.folders {
        for file in look_through(folder).goldens {
            let path = in_folder(folder, &file);
            let is_orphan = !goldens.contains(&key(&path))
                && planned.reads(&path).is_none()
                && !planned.unsure.iter().any(|program| belongs(&path, program))
                && !path.is_symlink()
                && Mark::of(&path).is_some_and(|mark| mark.role == Role::Golden);
            if is_orphan {
                orphans.push((key(&path), path));
            }
        }
    }
    orphans.sort();
    orphans.dedup_by(|(a, _), (b, _)| a == b);
    let mut orphans: Vec<PathBuf> = orphans.into_iter().map(|(_, path)| path).collect();
    orphans.sort();
    orphans
}

/// True if the file name is that of a golden of the program.
fn belongs(file: &Path, program: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (file_stem, program_stem) = (stem(file), stem(program));
    let name = file_stem.strip_prefix(&program_stem);
    let fits = name.is_some_and(|name| name.is_empty() || name.starts_with('.'));
    key(file).parent() == key(program).parent() && fits
}
