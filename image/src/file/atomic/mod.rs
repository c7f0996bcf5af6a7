//! Atomic writing of files.

use std::convert::Infallible;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};
use thiserror::Error;

/// Longest chain of links that is followed; longer ones count as cycles. Linux has the same limit.
const MAX_LINKS: usize = 40;

/// Reason why a file was not written. The file is unchanged, unless it is a device or a pipe.
#[derive(Debug, Error)]
pub enum SaveError<E: std::error::Error + 'static> {
    /// The target, or its folder, does not allow writing.
    #[error("cannot write `{}`", .path.display())]
    File {
        /// The given target.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The content could not be produced or written.
    #[error("cannot write `{}`", .path.display())]
    Content {
        /// The given target.
        path: PathBuf,
        /// The closure's error.
        source: E,
    },
}

/// Writes the file at `path` atomically, with one call of `write`: afterwards the file holds either
/// everything that `write` wrote, or its old content.
///
/// The content goes to a temporary file in the same folder, which is renamed to the target at the end.
/// On systems with unnamed files (Linux), no temporary file remains, however the process ends.
/// Elsewhere it is named `.lambdav.….tmp`, is removed after any error, and remains only if the process
/// is killed; a process that ends on a signal calls [`abandon_writes`]. Nothing is flushed to the
/// device, so a power cut can lose the content.
///
/// - A new file has the usual permissions. A replaced file keeps its permissions, and is refused if
///   they do not allow writing.
/// - A symbolic link stays; its target is replaced, even if the target does not exist yet.
/// - A hard link is cut: other names keep the old content.
/// - An existing file that is not regular (a device, a pipe, `/dev/stdout`) is written directly.
pub fn write_atomically<E: std::error::Error + 'static>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), SaveError<E>> {
    let fail = |source| SaveError::File { path: path.to_owned(), source };
    let content = |source| SaveError::Content { path: path.to_owned(), source };

    match Destination::find(path).map_err(fail)? {
        Destination::Stream(file) => {
            let mut out = BufWriter::new(file);
            write(&mut out).map_err(content)?;
            out.flush().map_err(fail)
        }
        Destination::File { path, folder, permissions } => {
            let mut out = BufWriter::new(Temporary::new(&folder).map_err(fail)?);
            write(&mut out).map_err(content)?;
            let temporary = out.into_inner().map_err(|error| fail(error.into_error()))?;
            if let Some(permissions) = permissions {
                temporary.file().set_permissions(permissions).map_err(fail)?;
            }
            temporary.persist(&path, &folder).map_err(fail)
        }
    }
}

/// Checks whether [`write_atomically`] can write a file, as far as possible without writing.
///
/// # Errors
///
/// The error that [`write_atomically`] would return.
pub fn check_target(path: &Path) -> Result<(), SaveError<Infallible>> {
    let fail = |source| SaveError::File { path: path.to_owned(), source };
    match Destination::find(path).map_err(fail)? {
        Destination::Stream(_) => Ok(()),
        Destination::File { folder, .. } => can_write_in(&folder).map_err(fail),
    }
}

#[cfg(unix)]
fn can_write_in(folder: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// Other systems: only an attempt reveals whether writing is allowed.
#[cfg(not(unix))]
fn can_write_in(folder: &Path) -> io::Result<()> {
    if fs::metadata(folder)?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// A file that does not have its final name yet.
enum Temporary {
    /// It has no name.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// It has a temporary name, which is removed with it.
    Named(NamedTempFile, Listed),
}

impl Temporary {
    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = Self::unnamed(folder) {
            return Ok(file);
        }
        Self::named(folder)
    }

    /// `None` if the file system lacks unnamed files, or for another reason, which the attempt with a
    /// name meets as well.
    #[cfg(target_os = "linux")]
    fn unnamed(folder: &Path) -> Option<Self> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?;
        Some(Self::Unnamed(file.into()))
    }

    fn named(folder: &Path) -> io::Result<Self> {
        let mut builder = builder();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut writes = writes();
        let file = builder.tempfile_in(folder)?;
        writes.pending.push(file.path().to_owned());
        let listed = Listed(file.path().to_owned());
        Ok(Self::Named(file, listed))
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file, _) => file.as_file(),
        }
    }

    /// Moves the file to its final name in its folder.
    fn persist(self, path: &Path, folder: &Path) -> io::Result<()> {
        // Termination handlers wait for this lock, and so for the rename.
        let mut writes = writes();
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => {
                if link(&file, path).is_err() {
                    // The name is taken: link a second name, then rename it over the first.
                    let named = builder().make_in(folder, |path| link(&file, path))?;
                    named.persist(path).map_err(|error| error.error)?;
                }
                writes.any_done = true;
            }
            Self::Named(file, listed) => {
                file.persist(path).map_err(|error| error.error)?;
                writes.any_done = true;
                drop(writes);
                drop(listed);
            }
        }
        Ok(())
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Builder of temporary names.
fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".lambdav.").suffix(".tmp");
    builder
}

/// Links a name to an unnamed file.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// State of all writes of this process.
struct Writes {
    /// Temporary files with names.
    pending: Vec<PathBuf>,
    /// True once a file has reached its final name.
    any_done: bool,
}

static WRITES: Mutex<Writes> = Mutex::new(Writes { pending: Vec::new(), any_done: false });

fn writes() -> MutexGuard<'static, Writes> {
    WRITES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Entry of a temporary file in [`WRITES`]; removed on drop.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        writes().pending.retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of all writes in progress, and blocks all later writes. For a process
/// that ends next.
pub fn abandon_writes() {
    abandon(writes());
}

/// Like [`abandon_writes`], unless [`write_atomically`] has completed a file; returns true if done. For
/// a process that writes one file and has failed without it.
pub fn abandon_first_write() -> bool {
    let writes = writes();
    if writes.any_done {
        return false;
    }
    abandon(writes);
    true
}

fn abandon(writes: MutexGuard<'static, Writes>) {
    for path in &writes.pending {
        // It may be gone already.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(writes);
}

/// Kind of a target.
enum Destination {
    /// A stream to write directly.
    Stream(File),
    /// A regular file to replace or create.
    File {
        /// Path of the file, with all links resolved.
        path: PathBuf,
        /// Folder of the file.
        folder: PathBuf,
        /// Permissions of the existing file.
        permissions: Option<fs::Permissions>,
    },
}

impl Destination {
    fn find(path: &Path) -> io::Result<Self> {
        // `metadata` follows all links, even those that only the system can resolve.
        let permissions = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Self::stream(path),
            Ok(found) if found.permissions().readonly() => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(found) => {
                // Another user's file may not be writable, although its folder is.
                OpenOptions::new().write(true).open(path)?;
                Some(found.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };

        let mut target = path.to_owned();
        for _ in 0..MAX_LINKS {
            // `new/` names a folder, although its last component looks like a file.
            let slash = target.as_os_str().as_encoded_bytes().ends_with(b"/");
            let name = target.file_name().filter(|_| !slash);
            let name = name.ok_or(io::ErrorKind::IsADirectory)?;
            let folder = match target.parent() {
                Some(parent) if parent != Path::new("") => parent.canonicalize()?,
                _ => Path::new(".").canonicalize()?,
            };
            target = folder.join(name);
            // A link in /proc is an open file of a process, such as standard output: after a rename,
            // its owner would continue with the old file.
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

    /// Opens an existing stream for appending: if standard output is a file, its content stays.
    fn stream(path: &Path) -> io::Result<Self> {
        OpenOptions::new().append(true).open(path).map(Self::Stream)
    }
}

#[cfg(test)]
mod tests;
