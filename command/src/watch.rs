//! `--watch`: repeats the work whenever a file that it has read changes.
//!
//! Changes are detected by time and length: both are noted before a file is read, and compared
//! afterwards. Missing files that were looked for are noted, too. Events of the system only trigger a
//! comparison; without events, as on some network file systems, one happens every [`PATIENCE`]. No
//! failure of the work ends the loop, since an edit may repair it.

use super::failure::{Failure, Result, complain};
use super::supervise::Deadline;
use notify::{RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

/// Longest wait for an event before a comparison.
const PATIENCE: Duration = Duration::from_secs(1);

/// Interval of comparisons while a file is being written.
const SETTLING: Duration = Duration::from_millis(30);

/// Time of change and length of a file; none if it does not exist.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// Function that reads the stamp of a path.
pub(super) type Look = fn(&Path) -> Stamp;

/// Files read so far: the function for the stamp, and the stamp before reading.
type Files = BTreeMap<PathBuf, (Look, Stamp)>;

static READ: Mutex<Files> = Mutex::new(Files::new());

fn files() -> MutexGuard<'static, Files> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Notes that a file is about to be read or looked for.
pub(super) fn note(path: &Path) {
    note_as(path, stamp);
}

/// Notes that something with another kind of stamp is about to be read, such as the list of a folder.
pub(super) fn note_as(path: &Path, look: Look) {
    let stamp = look(path);
    files().entry(path.to_owned()).or_insert((look, stamp));
}

/// Notes a file that another process has read, with its stamp then.
pub(super) fn note_read(path: PathBuf, was: Stamp) {
    files().entry(path).or_insert((stamp, was));
}

/// Returns and clears the notes.
pub(super) fn take() -> Vec<(PathBuf, Stamp)> {
    std::mem::take(&mut *files()).into_iter().map(|(path, (_, stamp))| (path, stamp)).collect()
}

/// Does the work, and repeats it if asked to. Returns if the work has read no file, since no change
/// could lead to another result.
pub(super) fn run(is_asked: bool, work: impl Fn() -> Result) -> Result {
    if !is_asked {
        return work();
    }
    let (send, events) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |_| {
        // The receiver is gone when the command ends.
        let _ = send.send(());
    });
    // Without a watcher, files are still compared at intervals.
    let mut watcher = watcher.ok();
    let mut folders = BTreeSet::new();
    loop {
        files().clear();
        let result = work();
        Deadline::lift();
        let read = files().clone();
        if read.is_empty() {
            return result;
        }
        if let Err(Failure { message: Some(message), .. }) = result {
            complain(&message);
        }
        for path in read.keys() {
            let folder = match path.is_dir() {
                true => Some(path.as_path()),
                false => path.parent().filter(|folder| *folder != Path::new("")),
            };
            let folder = folder.unwrap_or(Path::new("."));
            if let (true, Some(watcher)) = (folders.insert(folder.to_owned()), &mut watcher) {
                let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
        let is_file =
            |(path, (_, stamp)): &(&PathBuf, &(Look, Stamp))| stamp.is_some() && !path.is_dir();
        let count = read.iter().filter(is_file).count();
        let plural = if count == 1 { "file" } else { "files" };
        // Standard error failed: no channel is left for an error.
        let _ = writeln!(io::stderr(), "watching {count} {plural}; Ctrl-C ends it");
        wait(&read, &events);
    }
}

/// Waits until a file has changed and its stamp has settled.
fn wait(read: &Files, events: &Receiver<()>) {
    let before: Vec<Stamp> = read.values().map(|(_, stamp)| *stamp).collect();
    let now = || -> Vec<Stamp> { read.iter().map(|(path, (look, _))| look(path)).collect() };
    let mut last = now();
    while last == before {
        if let Err(mpsc::RecvTimeoutError::Disconnected) = events.recv_timeout(PATIENCE) {
            thread::sleep(PATIENCE);
        }
        last = now();
    }
    loop {
        thread::sleep(SETTLING);
        let next = now();
        if next == last {
            break;
        }
        last = next;
    }
    events.try_iter().for_each(drop);
}
