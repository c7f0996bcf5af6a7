//! Which files of a test may be written, replaced and removed.

use super::directive::{Directive, Kind};
use super::golden::{self, Golden};
use super::mark::{Mark, Role, metadata_of, name};
use super::plan::Test;
use super::result::{Status, TestResult};
use crate::failure::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// Why a file is not to be written; none if it may be: if it is not there, or has a mark that is allowed, or is
/// adopted without one.
pub(super) fn refusal(
    path: &Path,
    kept: Option<&String>,
    adopt: bool,
    allowed: impl FnOnce(Role) -> bool,
) -> Option<String> {
    if let Some(why) = kept {
        return Some(why.clone());
    }
    if path.symlink_metadata().is_err() {
        return None;
    }
    let shown = path.display();
    match Mark::of(path) {
        Some(mark) if allowed(mark.role) => None,
        Some(_) => Some(format!("`{shown}` is the golden of another test")),
        None if adopt && path.is_file() => None,
        None => Some(format!(
            "`{shown}` was not written by `lambdav test`; remove it, or replace it with --bless --adopt"
        )),
    }
}

/// Writes what a test that failed shows, unless something else has the name, which is said then.
pub(super) fn write_beside(
    path: &Path,
    kept: Option<&String>,
    result: &mut TestResult,
    write: impl FnOnce() -> Result,
) -> Result {
    match refusal(path, kept, false, |role| role != Role::Golden) {
        None => {
            write()?;
            result.written.push(path.to_string_lossy().into_owned());
        }
        Some(why) => {
            let why = why.split(';').next().unwrap_or_default();
            result.message += &format!("\nnot written: {why}; --report shows the picture");
        }
    }
    Ok(())
}

/// Whether the golden of a test is what another test that failed has written.
pub(super) fn is_scratch(test: &Test) -> bool {
    Mark::of(&test.golden).is_some_and(|mark| mark.role != Role::Golden && !is_of(&mark, test))
}

/// Whether a mark names that test, or none.
fn is_of(mark: &Mark, test: &Test) -> bool {
    mark.test.is_empty() || mark.test == name(test)
}

/// Removes what a run of the test that failed has left.
pub(super) fn forget(test: &Test) {
    let files: [(PathBuf, &Option<String>); 2] =
        [(test.new_picture(), &test.kept.new), (test.differences(), &test.kept.differences)];
    for (path, kept) in files {
        let mark = Mark::of(&path).filter(|_| kept.is_none() && !path.is_symlink());
        if mark.is_some_and(|mark| mark.role != Role::Golden && is_of(&mark, test)) {
            // Where it cannot be removed it stays as something to look at, which harms nobody.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Gives a golden without a mark one. Its picture stays.
pub(super) fn adopt(
    test: &Test,
    directive: &Directive,
    golden: &Golden,
    result: &mut TestResult,
) -> Result {
    if Mark::of(&test.golden).is_some() || test.kept.golden.is_some() {
        return Ok(());
    }
    match golden {
        Golden::Digest(line) => golden::write_line(test, line)?,
        Golden::Picture(picture) => {
            debug_assert_ne!(directive.kind, Kind::Digest);
            let metadata = metadata_of(test, Role::Golden);
            golden::write_picture(&test.golden, directive, picture, &metadata)?;
        }
    }
    result.status = Status::Adopted;
    Ok(())
}
