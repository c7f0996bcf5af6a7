//! Writing a file whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::Builder;
use thiserror::Error;

/// How many links are followed before they are taken for a ring; Linux stops there, too.
const MAX_LINKS: usize = 40;

/// Why a file was not written. Unless it is a device or a pipe, it is what it was before.
#[derive(Debug, Error)]
pub enum SaveError<E: std::error::Error + 'static> {
    /// The target, or the folder that it should be in, does not allow it.
    #[error("cannot write `{}`", .path.display())]
    File {
        /// The target, as it was given.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The content could not be made or written.
    #[error("cannot write `{}`", .path.display())]
    Content {
        /// The target, as it was given.
        path: PathBuf,
        /// What the closure returned.
        source: E,
    },
}

/// Writes the file at `path` by calling `write` once, so that the file is either what `write`
/// wrote, all of it, or untouched.
///
/// The content goes to a temporary file in the same folder, which is renamed to the target at the
/// end and removed after any error. (Only a process that is killed leaves one behind, named
/// `.lambdav.….tmp`; one that is asked to end calls [`abandon_writes`].) Nothing is flushed to the device: a power cut is not an error of ours.
///
/// - A new file has the usual permissions; one that is replaced passes on its own, and refuses if
///   they do not allow writing.
/// - A symbolic link stays, and what it points at is replaced, even if that does not exist yet.
/// - A hard link is cut: other names keep the old content.
/// - What exists and is no regular file (a device, a pipe, `/dev/stdout`) is written to straight.
pub fn write_atomically<E: std::error::Error + 'static>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), SaveError<E>> {
    let fail = |source| SaveError::File { path: path.to_owned(), source };
    let content = |source| SaveError::Content { path: path.to_owned(), source };

    match Target::find(path).map_err(fail)? {
        Target::Stream(file) => {
            let mut out = BufWriter::new(file);
            write(&mut out).map_err(content)?;
            out.flush().map_err(fail)
        }
        Target::File { path, folder, permissions } => {
            let mut builder = Builder::new();
            builder.prefix(".lambdav.").suffix(".tmp");
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let (_listed, temporary) = {
                let mut pending = pending();
                let temporary = builder.tempfile_in(folder).map_err(fail)?;
                pending.push(temporary.path().to_owned());
                (Listed(temporary.path().to_owned()), temporary)
            };
            let mut out = BufWriter::new(temporary);
            write(&mut out).map_err(content)?;
            let temporary = out.into_inner().map_err(|error| fail(error.into_error()))?;
            if let Some(permissions) = permissions {
                temporary.as_file().set_permissions(permissions).map_err(fail)?;
            }
            let _no_one_abandons_it = pending();
            temporary.persist(path).map_err(|error| fail(error.error))?;
            Ok(())
        }
    }
}

/// The temporary files that exist.
static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn pending() -> MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file's entry in [`PENDING`].
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        pending().retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of all writes that are going on. No write begins or ends afterwards: it is
/// for a process that is asked to end, and does so next.
pub fn abandon_writes() {
    let pending = pending();
    for path in &*pending {
        // It may be gone already.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(pending);
}

/// What a path stands for.
enum Target {
    /// Something to write to as it is.
    Stream(File),
    /// A regular file to put in place.
    File {
        /// Its path, behind all links.
        path: PathBuf,
        /// Where it lies.
        folder: PathBuf,
        /// Of the file that is there already.
        permissions: Option<fs::Permissions>,
    },
}

impl Target {
    fn find(path: &Path) -> io::Result<Self> {
        // The system follows links here, also those that only it understands.
        let permissions = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Self::stream(path),
            Ok(found) if found.permissions().readonly() => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(found) => Some(found.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };

        let mut target = path.to_owned();
        for _ in 0..MAX_LINKS {
            // `new/` asks for a folder, although it has a last name like a file.
            let slash = target.as_os_str().as_encoded_bytes().ends_with(b"/");
            let name = target.file_name().filter(|_| !slash);
            let name = name.ok_or(io::ErrorKind::IsADirectory)?;
            let folder = match target.parent() {
                Some(parent) if parent != Path::new("") => parent.canonicalize()?,
                _ => Path::new(".").canonicalize()?,
            };
            target = folder.join(name);
            // A link in here is an open file of a process, such as standard output: its owner
            // would go on with the old file after a rename.
            if folder.starts_with("/proc") {
                return Self::stream(&target);
            }
            match fs::read_link(&target) {
                Ok(link) => target = folder.join(link),
                // No link, or nothing there yet.
                Err(_) => return Ok(Self::File { path: target, folder, permissions }),
            }
        }
        Err(io::ErrorKind::InvalidInput.into())
    }

    /// Opens something that exists. Appending: where standard output is a file, what is in it
    /// already stays.
    fn stream(path: &Path) -> io::Result<Self> {
        OpenOptions::new().append(true).open(path).map(Self::Stream)
    }
}

#[cfg(test)]
mod tests;
