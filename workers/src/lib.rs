//! The threads that do a piece of work: the caller's rayon pool, the global one, or threads of
//! their own, where the work is small, or needs more stack than a pool's threads have for certain.
//!
//! What is guaranteed: the work is done, whatever threads the system refuses, or there is a
//! [`ThreadError`] and nothing was done; no thread outlives the call, those of pools apart; the
//! deadline is kept by a thread that does no work, and exists before any that does.

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

/// How long one thread may take for a small piece of work, as far as can be told from what it has
/// done, before others join it.
const PATIENCE: Duration = Duration::from_millis(1);

/// How often that is looked at: the first rows of a picture may be cheap.
const GLANCE: Duration = Duration::from_micros(250);

/// What a pool's threads have for certain: their default is 2 MiB, of which the caller has used some.
const POOL_STACK: usize = 512 << 10;

/// The stack of a thread of our own beside what its work needs.
const OWN_STACK: usize = 2 << 20;

/// The system does not start a thread.
#[derive(Debug, Error)]
#[error("cannot start a thread")]
pub struct ThreadError(#[source] io::Error);

/// Work that any number of threads may do together.
pub trait Work: Sync {
    /// Does it until nothing is left.
    fn work(&self);

    /// How long it takes in all if it goes on as in this time.
    fn estimate(&self, elapsed: Duration) -> Duration;

    /// Makes [`work`](Self::work) return soon.
    fn time_out(&self);
}

/// Who is to do it.
pub struct Crew {
    /// Bytes of stack that the work needs.
    pub stack: usize,
    /// How many threads can have something to do at most.
    pub tasks: usize,
    /// Whether one thread may suffice.
    pub is_small: bool,
    /// When it began.
    pub begun: Instant,
    /// When it must end.
    pub deadline: Option<Instant>,
}

/// A pool of so many threads, or, where the system gives fewer, of fewer. To have `render` use it,
/// call it inside [`ThreadPool::install`].
///
/// # Errors
///
/// [`ThreadError`] where there is not even one.
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

/// On the pool to which this thread belongs.
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

/// From a thread of no pool, which keeps the deadline and lets others work.
fn outside(crew: &Crew, work: &impl Work) -> Result<(), ThreadError> {
    thread::scope(|scope| {
        let (ending, endings) = channel();
        let mut threads: Vec<ScopedJoinHandle<'_, Result<(), ThreadError>>> = Vec::new();
        let mut ended = 0;
        // Whether so many threads end in time.
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
            // A pool takes longer to start than these, and the threads that it has too many look for
            // work for a while.
            for _ in 1..crew.tasks.min(available_threads()) {
                let Ok(thread) = alone(ending.clone()) else { break };
                threads.push(thread);
            }
        }
        if !all_end(threads.len(), crew.deadline) {
            work.time_out();
        }
        // Where one thread has done the work, others need not have been had.
        let results: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        let results = results.into_iter().map(|r| r.unwrap_or_else(|panic| resume_unwind(panic)));
        results.reduce(Result::or).unwrap_or(Ok(()))
    })
}

/// On as many threads of the pool to which this thread belongs, or of the global one, as are of use.
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

/// Whether rayon's global pool is there, or can be started. (Rayon panics where it cannot.)
fn has_global_pool() -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    *STARTED.get_or_init(|| match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Without a cause, it has been started before.
        Err(error) => std::error::Error::source(&error).is_none(),
    })
}

/// Tells that a thread has come to its end, however.
struct Ending(Sender<()>);

impl Drop for Ending {
    fn drop(&mut self) {
        // Who waited may have been told that time is up.
        let _ = self.0.send(());
    }
}
