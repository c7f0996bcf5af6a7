//! Writing a file whole or not at all.

use std::convert::Infallible;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};
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
/// The content goes to a temporary file in the same folder, which takes the target's name at the
/// end. Where the system has files without a name (Linux), nothing remains of it however the process
/// ends; elsewhere it is named `.lambdav.….tmp`, is removed after any error, and remains only if the
/// process is killed: one that is asked to end calls [`abandon_writes`]. Nothing is flushed to the
/// device: a power cut is not an error of ours.
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

/// Whether [`write_atomically`] can put a file there, as far as can be told without writing.
///
/// # Errors
///
/// What it would report.
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

/// The system tells by trying alone.
#[cfg(not(unix))]
fn can_write_in(folder: &Path) -> io::Result<()> {
    if fs::metadata(folder)?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// A file that has not yet the name that it shall have.
enum Temporary {
    /// It has none.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// It has another, which is removed with it.
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

    /// `None` where the file system has no such files, or there is another reason, which the next
    /// attempt finds as well.
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

    /// Gives the file its name, in the folder in which it is.
    fn persist(self, path: &Path, folder: &Path) -> io::Result<()> {
        // Who is asked to end waits for it.
        let mut writes = writes();
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => {
                if link(&file, path).is_err() {
                    // The name is taken: a second name, which then replaces it.
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

/// Of temporary names.
fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".lambdav.").suffix(".tmp");
    builder
}

/// Names a file that has no name.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// The writes of this process.
struct Writes {
    /// The temporary files that have a name.
    pending: Vec<PathBuf>,
    /// Whether a file has been put in its place.
    any_done: bool,
}

static WRITES: Mutex<Writes> = Mutex::new(Writes { pending: Vec::new(), any_done: false });

fn writes() -> MutexGuard<'static, Writes> {
    WRITES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file's entry in [`WRITES`].
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        writes().pending.retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of all writes that are going on. No write begins or ends afterwards: it is
/// for a process that is asked to end, and does so next.
pub fn abandon_writes() {
    abandon(writes());
}

/// The same unless a file has been put in its place by [`write_atomically`]; whether it was done. It is
/// for a process that writes one file, and has failed unless it is there.
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

/// What a path stands for.
enum Destination {
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

impl Destination {
    fn find(path: &Path) -> io::Result<Self> {
        // The system follows links here, also those that only it understands.
        let permissions = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Self::stream(path),
            Ok(found) if found.permissions().readonly() => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(found) => {
                // A file of somebody else may not be ours to replace, although the folder is.
                OpenOptions::new().write(true).open(path)?;
                Some(found.permissions())
            }
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
