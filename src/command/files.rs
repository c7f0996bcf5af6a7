//! Files and standard input: reading programs, and checking early that a target can be written.

use super::failure::{Failure, Result, save_failure};
use super::messages::Messages;
use lambdav::frontend::Fix;
use lambdav::program::{self, Loaded};
use lambdav::raster::file;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Reads and compiles without saying anything.
pub(super) fn read(path: &Path, messages: Messages) -> Result<Loaded> {
    let (_, bytes) = read_bytes(path)?;
    Ok(compile_fixed(path, bytes, messages, &mut |_, _| None))
}

/// Compiles what was read from `path`, with values for the program's constants, without saying
/// anything.
pub(super) fn compile_fixed(
    path: &Path,
    bytes: Vec<u8>,
    messages: Messages,
    fix: &mut Fix<'_>,
) -> Loaded {
    let file = Some(path).filter(|path| *path != Path::new("-"));
    Loaded::from_file_fixed(file, bytes, messages.max_errors, fix)
}

/// The name by which messages call the file at `path`, or standard input for `-`, and what it holds.
pub(super) fn read_bytes(path: &Path) -> Result<(String, Vec<u8>)> {
    if path == Path::new("-") {
        let bytes = program::read_bytes(io::stdin().lock())
            .map_err(|e| Failure::machine(format!("cannot read standard input: {e}")))?;
        return Ok(("<stdin>".to_owned(), bytes));
    }
    let bytes = File::open(path)
        .and_then(program::read_bytes)
        .map_err(|e| Failure::file(format!("cannot read `{}`: {e}", path.display()), &e))?;
    Ok((path.to_string_lossy().into_owned(), bytes))
}

/// Standard input can be read once.
pub(super) fn one_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result {
    match paths.into_iter().filter(|path| *path == Path::new("-")).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::usage("standard input, `-`, can be given only once")),
    }
}

/// Checks before a long run that the file can be written, and is none of those that are read.
pub(super) fn check_target<P: AsRef<Path>>(path: &Path, read: &[P]) -> Result {
    check_not_read(path, read)?;
    file::check_target(path).map_err(|error| match why(path) {
        Some(why) => Failure::usage(format!("cannot write `{}`: {why}", path.display())),
        None => save_failure(&error),
    })
}

/// Checks that a file that is to be written is none of those that are read.
pub(super) fn check_not_read<P: AsRef<Path>>(path: &Path, read: &[P]) -> Result {
    match read.iter().map(AsRef::as_ref).find(|other| is_same_file(path, other)) {
        None => Ok(()),
        Some(same) => Err(Failure::usage(format!(
            "`{}` would be overwritten, and it is `{}`, which is read; name another file",
            path.display(),
            same.display()
        ))),
    }
}

/// Why there cannot be a file of that name, if it is for the name.
fn why(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match folder.metadata() {
        _ if path.is_dir() => Some("it is a folder".to_owned()),
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(format!("`{}` is not a folder", folder.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(format!("there is no folder `{}`", folder.display()))
        }
        Err(_) => None,
    }
}

/// Whether both are one regular file, by whatever names.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_file = |path: &Path| path.metadata().is_ok_and(|found| found.is_file());
    is_file(a) && is_file(b) && same_file::is_same_file(a, b).unwrap_or(false)
}
