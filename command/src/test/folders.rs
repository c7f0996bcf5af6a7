//! Contents of folders: programs, files of directives, and candidates for goldens.

use crate::files::is_program;
use crate::watch::Stamp;
use lambdav_engine::endings::VERTEX;
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// File name extension of scripts.
const SCRIPT: &str = "amber";

/// File name extension of the file of directives beside a program.
const BESIDE: &str = "test";

/// True if the file name is that of a script.
pub(super) fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == SCRIPT)
}

/// True if the file name is that of a vertex shader, which nothing draws: its functions may have expectations.
pub(super) fn is_vertex(path: &Path) -> bool {
    path.extension().is_some_and(|ending| VERTEX.into_iter().any(|known| ending == known))
}

/// The file of directives beside a program.
pub(super) fn beside(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_owned();
    name.push(".");
    name.push(BESIDE);
    name.into()
}

/// The program of a file of directives, by its name.
fn program_of(path: &Path) -> Option<PathBuf> {
    let program = path.with_extension("");
    let is_searched = is_program(&program) || is_vertex(&program);
    (path.extension()? == BESIDE && is_searched).then_some(program)
}

/// True if the file name has the extension of a golden.
fn is_golden_name(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    matches!(ending, Some("png" | "exr" | "npy" | "digest" | "json"))
}

/// Files under a folder, as paths relative to it. Names that begin with a dot are skipped; links to
/// folders are not followed.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Paths with the extension of a program, of any file type.
    pub(super) programs: BTreeSet<PathBuf>,
    /// Files of directives without their program, each with the path of the missing program.
    pub(super) alone: BTreeSet<(PathBuf, PathBuf)>,
    /// Files with the extension of a golden.
    pub(super) goldens: BTreeSet<PathBuf>,
    /// Folders that cannot be read, with the error.
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

/// Lists a folder.
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
            // A dangling link may have been meant as a program; a link to a folder is none.
            let is_link = kind.is_ok_and(|kind| kind.is_symlink());
            if is_link && folder.join(&path).is_dir() {
                continue;
            }
            if is_program(&path) || is_vertex(&path) {
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

/// Stamp of a folder for `--watch`: a hash of its programs and files of directives.
pub(super) fn stamp(folder: &Path) -> Stamp {
    let Contents { programs, alone, unreadable, .. } = look_through(folder);
    let mut hash = DefaultHasher::new();
    (&programs, &alone, unreadable.len()).hash(&mut hash);
    // A stamp holds a time; encode the hash as one.
    let time = Duration::from_nanos(hash.finish() >> 2);
    Some((SystemTime::UNIX_EPOCH + time, programs.len() as u64))
}

/// Path of a folder's entry; without `./` in the working directory.
pub(super) fn in_folder(folder: &Path, name: &Path) -> PathBuf {
    if folder == Path::new(".") { name.to_owned() } else { folder.join(name) }
}

/// Unique key for all spellings of a file's path: the folder is canonical. Links to files stay, since
/// their goldens lie beside the link.
pub(super) fn key(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
