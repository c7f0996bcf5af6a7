//! Rules for writing, replacing and removing files of a test.
//!
//! *Nothing without a mark of a run is replaced or removed.* All writes of a run but its reports go through two functions that
//! ask for the mark.

use super::directive::{Directive, GoldenFormat};
use super::golden::{self, Golden};
use super::mark::{Mark, Role, metadata_of, name};
use super::plan::Test;
use super::result::{Status, TestResult};
use crate::failure::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// Reason not to write a file. None if the file is missing, has a mark that `allowed` accepts, or has
/// no mark and `adopt` is set.
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

/// Writes a picture of a failed test. If another file has the name, the result's message says so
/// instead.
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

/// True if the golden's file was written by another test that failed.
pub(super) fn is_scratch(test: &Test) -> bool {
    Mark::of(&test.golden).is_some_and(|mark| mark.role != Role::Golden && !is_of(&mark, test))
}

/// True if a mark names this test, or no test.
fn is_of(mark: &Mark, test: &Test) -> bool {
    mark.test.is_empty() || mark.test == name(test)
}

/// Removes the pictures that a failed run of the test left.
pub(super) fn forget(test: &Test) {
    let files: [(PathBuf, &Option<String>); 2] =
        [(test.new_picture(), &test.kept.new), (test.differences(), &test.kept.differences)];
    for (path, kept) in files {
        let mark = Mark::of(&path).filter(|_| kept.is_none() && !path.is_symlink());
        if mark.is_some_and(|mark| mark.role != Role::Golden && is_of(&mark, test)) {
            // A file that cannot be removed stays; it does no harm.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Adds a mark to a golden without one. The picture stays the same.
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
            debug_assert_ne!(directive.kind, GoldenFormat::Digest);
            let metadata = metadata_of(test, Role::Golden);
            golden::write_picture(&test.golden, directive, picture, &metadata)?;
        }
    }
    result.status = Status::Adopted;
    Ok(())
}
