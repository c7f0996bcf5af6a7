//! `--watch`: the work is done again whenever a file that it has read is another.
//!
//! What counts is what the files are like: their times and lengths are noted before they are read and looked
//! at afterwards. A file that was looked for and is not there is noted, too. The system's events only say when to look; where there are none, as on some network file
//! systems, that is every [`PATIENCE`]. Whatever goes wrong with the work, a file may mend it, so that ends
//! nothing.

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

/// How long to wait for an event before looking.
const PATIENCE: Duration = Duration::from_secs(1);

/// A file that is being written is looked at again after so long.
const SETTLING: Duration = Duration::from_millis(30);

/// What is noted of a file: when it was changed, and how long it is; none of one that is not there.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// What tells the stamp of a path.
pub(super) type Look = fn(&Path) -> Stamp;

/// What has been read: of a path, how it is looked at, and what it was like.
type Files = BTreeMap<PathBuf, (Look, Stamp)>;

static READ: Mutex<Files> = Mutex::new(Files::new());

fn files() -> MutexGuard<'static, Files> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Notes that a file is about to be read, or looked for.
pub(super) fn note(path: &Path) {
    note_as(path, stamp);
}

/// Notes that something else is about to be read, such as which files a folder has.
pub(super) fn note_as(path: &Path, look: Look) {
    let stamp = look(path);
    files().entry(path.to_owned()).or_insert((look, stamp));
}

/// Notes that another process has read a file that was then so.
pub(super) fn note_read(path: PathBuf, was: Stamp) {
    files().entry(path).or_insert((stamp, was));
}

/// What has been noted since it was asked last.
pub(super) fn take() -> Vec<(PathBuf, Stamp)> {
    std::mem::take(&mut *files()).into_iter().map(|(path, (_, stamp))| (path, stamp)).collect()
}

/// Does the work, and, if asked to, again and again. It returns if it has read nothing, so that nothing can
/// change what came of it.
pub(super) fn run(is_asked: bool, work: impl Fn() -> Result) -> Result {
    if !is_asked {
        return work();
    }
    let (send, events) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |_| {
        // Nobody listens when it is over.
        let _ = send.send(());
    });
    // Without one files are looked at all the same.
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
        // Nothing is left to do where even this cannot be written.
        let _ = writeln!(io::stderr(), "watching {count} {plural}; Ctrl-C ends it");
        wait(&read, &events);
    }
}

/// Waits until one of the files is another, and has settled.
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
