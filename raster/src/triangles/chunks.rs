//! Work in chunks, whose results are in order.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use lambdav_float_environment::with_default;
use lambdav_workers::{self as workers, ThreadError, Work};

/// Runs `work` for each chunk of `count` items on the workers, and collects the results in order. `work` gets the
/// range of a chunk.
pub(super) fn in_chunks<T: Send>(
    count: usize,
    chunk: NonZeroUsize,
    stack: usize,
    (begun, deadline): (Instant, Option<Instant>),
    work: impl Fn(std::ops::Range<usize>, &AtomicU64) -> T + Sync,
) -> Result<Option<Vec<T>>, ThreadError> {
    struct Chunks<T, F> {
        count: usize,
        chunk: usize,
        next: CachePadded<AtomicUsize>,
        /// 0 after a timeout, for the polls of kernels.
        frontier: CachePadded<AtomicU64>,
        done: Mutex<Vec<(usize, T)>>,
        work: F,
    }
    impl<T: Send, F: Fn(std::ops::Range<usize>, &AtomicU64) -> T + Sync> Work for Chunks<T, F> {
        fn work(&self) {
            with_default(|| {
                loop {
                    let first = self.next.fetch_add(1, Ordering::Relaxed) * self.chunk;
                    if first >= self.count || self.frontier.load(Ordering::Relaxed) == 0 {
                        return;
                    }
                    let range = first..(first + self.chunk).min(self.count);
                    let made = (self.work)(range, &self.frontier);
                    let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((first, made));
                }
            });
        }

        fn estimate(&self, elapsed: Duration) -> Duration {
            match self.next.load(Ordering::Relaxed).saturating_sub(1) {
                0 => Duration::MAX,
                done => elapsed.mul_f64(self.count.div_ceil(self.chunk) as f64 / done as f64),
            }
        }

        fn time_out(&self) {
            self.frontier.store(0, Ordering::Relaxed);
        }
    }
    let chunk = chunk.get();
    let chunks = Chunks {
        count,
        chunk,
        next: AtomicUsize::new(0).into(),
        frontier: AtomicU64::new(u64::MAX).into(),
        done: Mutex::new(Vec::new()),
        work,
    };
    let tasks = count.div_ceil(chunk);
    let crew = workers::Crew { stack, tasks, is_small: tasks <= 1, begun, deadline };
    workers::run(&crew, &chunks)?;
    let mut done = chunks.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(first, _)| *first);
    let is_whole = done.len() == tasks && chunks.frontier.load(Ordering::Relaxed) != 0;
    Ok(is_whole.then(|| done.into_iter().map(|(_, made)| made).collect()))
}
