//! `--watch`: the work is done again whenever a file that it has read is another.
//!
//! What counts is what the files are like: their times and lengths are noted before they are read and looked
//! at afterwards. The system's events only say when to look; where there are none, as on some network file
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
type Stamp = Option<(SystemTime, u64)>;

/// The files that have been read.
type Files = BTreeMap<PathBuf, Stamp>;

static READ: Mutex<Files> = Mutex::new(Files::new());

fn files() -> MutexGuard<'static, Files> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Notes that a file is about to be read.
pub(super) fn note(path: &Path) {
    let stamp = stamp(path);
    files().entry(path.to_owned()).or_insert(stamp);
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
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            if let (true, Some(watcher)) = (folders.insert(folder.to_owned()), &mut watcher) {
                let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
        let plural = if read.len() == 1 { "file" } else { "files" };
        // Nothing is left to do where even this cannot be written.
        let _ = writeln!(io::stderr(), "watching {} {plural}; Ctrl-C ends it", read.len());
        wait(&read, &events);
    }
}

/// Waits until one of the files is another, and has settled.
fn wait(read: &Files, events: &Receiver<()>) {
    let now = || -> Files { read.keys().map(|path| (path.clone(), stamp(path))).collect() };
    let mut last = now();
    while last == *read {
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
