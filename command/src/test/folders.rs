//! What is in folders: programs, files of directives, and files that may be goldens.

use crate::files::is_program;
use crate::watch::Stamp;
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The ending of scripts.
const SCRIPT: &str = "amber";

/// The ending of the file in which the directives of a program can stand beside it.
const BESIDE: &str = "test";

/// Whether a file is a script, by its name.
pub(super) fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == SCRIPT)
}

/// The file of directives beside a program.
pub(super) fn beside(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_owned();
    name.push(".");
    name.push(BESIDE);
    name.into()
}

/// The program that a file of directives is beside, by its name.
fn program_of(path: &Path) -> Option<PathBuf> {
    let program = path.with_extension("");
    (path.extension()? == BESIDE && is_program(&program)).then_some(program)
}

/// Whether a file may be a golden, by its name.
fn is_golden_name(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    matches!(ending, Some("png" | "exr" | "npy" | "digest"))
}

/// What is under a folder. Paths are relative to it; what begins with a dot is passed over, and links to
/// folders are not followed.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// What is a program by its name, whatever it is.
    pub(super) programs: BTreeSet<PathBuf>,
    /// Files of directives whose program is not there, with that.
    pub(super) alone: BTreeSet<(PathBuf, PathBuf)>,
    /// What may be a golden by its name.
    pub(super) goldens: BTreeSet<PathBuf>,
    /// Folders that cannot be read, and why.
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

/// Looks through a folder.
pub(super) fn look_through(folder: &Path) -> Contents {
    let mut found = Contents::default();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        let entries = fs::read_dir(folder.join(&within)).and_then(|all| all.collect());
        let entries: Vec<fs::DirEntry> = match entries {
            Ok(entries) => entries,
            Err(error) => {
                found.unreadable.push((within, error));
                continue;
            }
        };
        for entry in entries {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = within.join(&name);
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                folders.push(path);
                continue;
            }
            // A link to nothing may have been meant as a program; one to a folder is none.
            let is_link = kind.is_ok_and(|kind| kind.is_symlink());
            if is_link && folder.join(&path).is_dir() {
                continue;
            }
            if is_program(&path) {
                found.programs.insert(path);
            } else if is_golden_name(&path) {
                found.goldens.insert(path);
            } else if let Some(program) = program_of(&path)
                && !folder.join(&program).exists()
            {
                found.alone.insert((path, program));
            }
        }
    }
    found
}

/// What `--watch` compares of a folder: which programs and files of directives there are.
pub(super) fn stamp(folder: &Path) -> Stamp {
    let Contents { programs, alone, unreadable, .. } = look_through(folder);
    let mut hash = DefaultHasher::new();
    (&programs, &alone, unreadable.len()).hash(&mut hash);
    // Any time will do that is another for another hash.
    let time = Duration::from_nanos(hash.finish() >> 2);
    Some((SystemTime::UNIX_EPOCH + time, programs.len() as u64))
}

/// The path of what a folder holds; of the working directory without the `./`.
pub(super) fn in_folder(folder: &Path, name: &Path) -> PathBuf {
    if folder == Path::new(".") { name.to_owned() } else { folder.join(name) }
}

/// The same for all spellings of the path of a file: its folder is canonical. Links to files stay, since
/// goldens lie beside these.
pub(super) fn key(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
