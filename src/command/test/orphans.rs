//! Goldens that no test has.
//!
//! A file is one if it is named as a golden of a program beside it that has tests, or says in its comment
//! that it is a golden of a program that is not there. A picture that a golden's name would fit, but that
//! does not say that it is one, is somebody else's.

use super::golden::MARK;
use super::plan::{Planned, in_folder};
use crate::command::failure::Result;
use crate::command::files::files_under;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of a file is looked at for its comment, which stands at the front.
const FRONT: u64 = 4096;

/// The orphans in the folders of the programs that have tests, and in those that were looked through.
pub(super) fn find(planned: &Planned) -> Result<Vec<PathBuf>> {
    let goldens: BTreeSet<&Path> = planned.tests.iter().map(|test| test.golden.as_path()).collect();
    let programs: BTreeSet<&Path> = planned.tests.iter().map(|test| &*test.program).collect();
    let mut orphans = Vec::new();
    for folder in &planned.folders {
        for file in files_under(folder, &is_golden_name)? {
            let path = in_folder(folder, &file);
            if goldens.contains(path.as_path()) {
                continue;
            }
            let of = programs.iter().find(|program| belongs(&path, program));
            let says = says_golden(&path);
            let has_comment = path.extension().is_some_and(|e| e == "png" || e == "exr");
            if says || of.is_some() && !has_comment {
                orphans.push(path);
            }
        }
    }
    orphans.sort();
    orphans.dedup();
    Ok(orphans)
}

/// Whether a file may be a golden, by its name.
fn is_golden_name(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let is_other = stem.ends_with(".new") || stem.ends_with(".diff");
    matches!(ending, "png" | "exr" | "npy" | "digest") && !is_other
}

/// Whether the file is named as a golden of the program.
fn belongs(file: &Path, program: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (file_stem, program_stem) = (stem(file), stem(program));
    let name = file_stem.strip_prefix(&program_stem);
    let fits = name.is_some_and(|name| name.is_empty() || name.starts_with('.'));
    file.parent() == program.parent() && fits
}

/// Whether a picture's comment says that it is a golden.
fn says_golden(path: &Path) -> bool {
    let mut front = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FRONT).read_to_end(&mut front));
    read.is_ok() && front.windows(MARK.len()).any(|window| window == MARK.as_bytes())
}
