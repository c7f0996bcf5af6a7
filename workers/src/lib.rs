//! Threads that share a piece of work: the caller's rayon pool, the global pool, or threads of their
//! own. Work gets its own threads if it is small, or if it needs more stack than a pool's thread is sure
//! to have.
//!
//! Guarantees: the work is done even if the system refuses some threads; otherwise the result is a
//! [`ThreadError`] and no work was done. Threads outside pools end before the call returns. The deadline
//! is kept by a thread that does no work and that exists before any thread that does.

#![forbid(unsafe_code)]

use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

pub use rayon::ThreadPool;
use rayon::ThreadPoolBuilder;
use thiserror::Error;

/// Estimated time that one thread may take for a small piece of work before others join it.
const PATIENCE: Duration = Duration::from_millis(1);

/// Interval between estimates: the first rows of a picture may be cheap.
const GLANCE: Duration = Duration::from_micros(250);

/// Bytes of stack that every thread of a pool has: their default is 2 MiB, of which the caller has used
/// some.
const POOL_STACK: usize = 512 << 10;

/// Bytes of stack of a thread of our own, beside those that its work needs.
const OWN_STACK: usize = 2 << 20;

/// The system does not start a thread.
#[derive(Debug, Error)]
#[error("cannot start a thread")]
pub struct ThreadError(#[source] io::Error);

/// Work that any number of threads may do together.
pub trait Work: Sync {
    /// Takes and does parts of the work until none is left.
    fn work(&self);

    /// Estimates the total time from the progress made in `elapsed`.
    fn estimate(&self, elapsed: Duration) -> Duration;

    /// Makes [`work`](Self::work) return soon.
    fn time_out(&self);
}

/// Threads, stack and time for a piece of work.
pub struct Crew {
    /// Bytes of stack that the work needs.
    pub stack: usize,
    /// Upper bound of the number of threads that can be busy at once.
    pub tasks: usize,
    /// True if one thread may suffice.
    pub is_small: bool,
    /// Start of the work.
    pub begun: Instant,
    /// Deadline of the work.
    pub deadline: Option<Instant>,
}

/// A pool of `threads` threads, or of fewer if the system refuses some. To have `render` use the pool,
/// call it inside [`ThreadPool::install`].
///
/// # Errors
///
/// [`ThreadError`] if the system starts no thread at all.
pub fn thread_pool(threads: NonZeroUsize) -> Result<ThreadPool, ThreadError> {
    pool(threads.get(), 0)
}

fn pool(mut threads: usize, stack: usize) -> Result<ThreadPool, ThreadError> {
    loop {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let named = builder.thread_name(|number| format!("render {number}"));
        let sized = if stack > POOL_STACK { named.stack_size(stack + OWN_STACK) } else { named };
        match sized.build() {
            Ok(pool) => return Ok(pool),
            Err(_) if threads > 1 => threads /= 2,
            Err(error) => return Err(ThreadError(io::Error::other(error))),
        }
    }
}

/// Does the work; returns when it is done or was timed out. Panics of the work are passed on.
pub fn run(crew: &Crew, work: &impl Work) -> Result<(), ThreadError> {
    match rayon::current_thread_index() {
        Some(_) => in_pool(crew, work),
        None => outside(crew, work),
    }
}

/// Works on the pool of this thread.
fn in_pool(crew: &Crew, work: &impl Work) -> Result<(), ThreadError> {
    thread::scope(|scope| {
        let (ending, endings) = channel::<()>();
        if let Some(deadline) = crew.deadline {
            let watch = move || {
                let left = deadline.saturating_duration_since(Instant::now());
                if endings.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                    work.time_out();
                }
            };
            let thread = thread::Builder::new().name("deadline".to_owned());
            thread.spawn_scoped(scope, watch).map_err(ThreadError)?;
        }
        let result = together(crew, work);
        drop(ending);
        result
    })
}

/// Keeps the deadline on this thread, which belongs to no pool, and works on others.
fn outside(crew: &Crew, work: &impl Work) -> Result<(), ThreadError> {
    thread::scope(|scope| {
        let (ending, endings) = channel();
        let mut threads: Vec<ScopedJoinHandle<'_, Result<(), ThreadError>>> = Vec::new();
        let mut ended = 0;
        // Waits for `threads` threads to end; false if time runs out first.
        let mut all_end = |threads: usize, until: Option<Instant>| {
            while ended < threads {
                let in_time = match until {
                    None => endings.recv().is_ok(),
                    Some(until) => {
                        let left = until.saturating_duration_since(Instant::now());
                        endings.recv_timeout(left).is_ok()
                    }
                };
                if !in_time {
                    return false;
                }
                ended += 1;
            }
            true
        };
        let alone = |ending: Sender<()>| {
            let ending = Ending(ending);
            let work = move || {
                let _ending = ending;
                work.work();
                Ok(())
            };
            let thread = thread::Builder::new().name("render".to_owned());
            let thread = thread.stack_size(crew.stack + OWN_STACK);
            thread.spawn_scoped(scope, work).map_err(ThreadError)
        };
        let mut one_suffices = false;
        if crew.is_small {
            threads.push(alone(ending.clone())?);
            let mut glance = GLANCE;
            loop {
                let until = crew.deadline.into_iter().chain([crew.begun + glance]).min();
                one_suffices = all_end(1, until);
                if one_suffices || work.estimate(crew.begun.elapsed()) > PATIENCE {
                    break;
                }
                glance += GLANCE;
            }
        }
        if !one_suffices && threads.is_empty() {
            let ending = Ending(ending);
            let all = move || {
                let _ending = ending;
                together(crew, work)
            };
            let thread = thread::Builder::new().name("render all".to_owned());
            threads.push(thread.spawn_scoped(scope, all).map_err(ThreadError)?);
        } else if !one_suffices {
            // Cheaper than a pool, which takes longer to start and whose idle threads search for work
            // for a while.
            for _ in 1..crew.tasks.min(available_threads()) {
                let Ok(thread) = alone(ending.clone()) else { break };
                threads.push(thread);
            }
        }
        if !all_end(threads.len(), crew.deadline) {
            work.time_out();
        }
        // Some threads may have been refused: the work is done if any thread succeeded.
        let results: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        let results = results.into_iter().map(|r| r.unwrap_or_else(|panic| resume_unwind(panic)));
        results.reduce(Result::or).unwrap_or(Ok(()))
    })
}

/// Works on as many threads as are useful, of this thread's pool or of the global pool.
fn together(crew: &Crew, work: &impl Work) -> Result<(), ThreadError> {
    let all = || {
        rayon::scope(|scope| {
            for _ in 1..crew.tasks.min(rayon::current_num_threads()) {
                scope.spawn(|_| work.work());
            }
            work.work();
        });
    };
    let is_inside = rayon::current_thread_index().is_some();
    if crew.stack <= POOL_STACK && (is_inside || has_global_pool()) {
        all();
        return Ok(());
    }
    let threads = if is_inside { rayon::current_num_threads() } else { available_threads() };
    pool(threads.min(crew.tasks), crew.stack)?.install(all);
    Ok(())
}

fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Starts rayon's global pool unless it runs; false if it cannot start, where rayon itself would panic.
fn has_global_pool() -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    *STARTED.get_or_init(|| match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // An error without a source: the pool was started before.
        Err(error) => std::error::Error::source(&error).is_none(),
    })
}

/// Sends a message when its thread ends, also by a panic.
struct Ending(Sender<()>);

impl Drop for Ending {
    fn drop(&mut self) {
        // The receiver may be gone after the deadline.
        let _ = self.0.send(());
    }
}
