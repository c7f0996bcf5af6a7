//! Independent parts of a dispatch, as work of several threads.
//!
//! Threads claim parts from a counter. For a reduced memory each thread but the first has a copy that begins with neutral
//! words; the copies are combined when all threads have ended. (A locked instruction for each lane would take longer than
//! the scalar code, and the architectures have few of the operations.)

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lambdav_core::memory::Atomic;
use lambdav_workers::{Crew, ThreadError, Work};

use crate::emit::executable::shared_words;
use crate::lanes::Memories;
use crate::lanes::independence::neutral;
use crate::mutants::{Mutant, is_active};

/// Bytes of stack that every thread has.
const SMALL_STACK: usize = 64 << 10;

/// A dispatch in numbered items: invocations or workgroups.
pub(super) trait Parts: Sync {
    /// The data that a thread keeps from part to part.
    type Scratch: Default;

    /// Executes some items on memories. False if one of them has a fault.
    fn execute(
        &self,
        part: Range<u64>,
        memories: &Memories<'_>,
        scratch: &mut Self::Scratch,
    ) -> bool;

    /// The bytes of stack that this takes, if they are many.
    fn stack(&self) -> usize;
}

/// The extent of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent<'a> {
    /// The first item, and the one after the last.
    pub(super) from: u64,
    pub(super) to: u64,
    /// Number of items that a thread claims at once.
    pub(super) part: u64,
    /// The reduced memories, each with its operation.
    pub(super) reduced: &'a [(usize, Atomic)],
    /// All parts run in order, on one thread.
    pub(super) is_in_order: bool,
}

/// The end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Done,
    Cancelled,
    /// Some item has a fault. Memories have any contents.
    Fault,
}

/// Executes all parts.
///
/// # Errors
///
/// If no thread can be started.
pub(super) fn run<P: Parts>(
    parts: &P,
    extent: Extent<'_>,
    memories: &Memories<'_>,
    frontier: &AtomicU64,
) -> Result<Progress, ThreadError> {
    let begun = Instant::now();
    let job = Job {
        parts,
        extent,
        memories,
        frontier,
        next: AtomicU64::new(extent.from),
        has_first: AtomicBool::new(false),
        copies: Mutex::default(),
        has_fault: AtomicBool::new(false),
    };
    let (count, stack) = ((extent.to - extent.from).div_ceil(extent.part), parts.stack());
    if (count <= 1 || extent.is_in_order) && stack <= SMALL_STACK {
        job.work();
    } else {
        let tasks = if extent.is_in_order { 1 } else { count };
        let tasks = usize::try_from(tasks).unwrap_or(usize::MAX);
        let crew = Crew { stack, tasks, is_small: tasks < 16, begun, deadline: None };
        lambdav_workers::run(&crew, &job)?;
    }
    if job.is_cancelled() {
        return Ok(Progress::Cancelled);
    }
    if job.has_fault.load(Ordering::Relaxed) {
        return Ok(Progress::Fault);
    }
    let copies = job.copies.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (copy, &(number, atomic)) in
        copies.iter().flat_map(|copies| copies.iter().zip(extent.reduced))
    {
        for (word, &other) in memories.words(number).iter().zip(copy) {
            let both = atomic.apply(word.load(Ordering::Relaxed), other, 0);
            word.store(both, Ordering::Relaxed);
        }
    }
    Ok(Progress::Done)
}

struct Job<'a, P> {
    parts: &'a P,
    extent: Extent<'a>,
    memories: &'a Memories<'a>,
    frontier: &'a AtomicU64,
    /// The first item that no thread has claimed.
    next: AtomicU64,
    /// True if a thread works on the memories themselves.
    has_first: AtomicBool,
    /// The copies of reduced memories, of threads that have ended.
    copies: Mutex<Vec<Vec<Vec<u32>>>>,
    has_fault: AtomicBool,
}

impl<P: Parts> Job<'_, P> {
    fn is_cancelled(&self) -> bool {
        self.frontier.load(Ordering::Relaxed) == 0
    }

    /// Executes parts until none is left.
    fn execute(&self, memories: &Memories<'_>) {
        let Extent { to, part, .. } = self.extent;
        let mut scratch = P::Scratch::default();
        loop {
            let first = self.next.fetch_add(part, Ordering::Relaxed);
            let is_over = self.has_fault.load(Ordering::Relaxed) || self.is_cancelled();
            if first >= to || is_over {
                return;
            }
            let items = first..to.min(first + part);
            if !self.parts.execute(items, memories, &mut scratch) {
                self.has_fault.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}

impl<P: Parts> Work for Job<'_, P> {
    fn work(&self) {
        let reduced = self.extent.reduced;
        if reduced.is_empty() || !self.has_first.swap(true, Ordering::Relaxed) {
            return self.execute(self.memories);
        }
        let mut copies: Vec<Vec<u32>> = reduced
            .iter()
            .map(|&(number, atomic)| {
                let neutral = neutral(atomic).expect("a reduced memory has one");
                let words = self.memories.words(number).iter();
                match is_active(Mutant::UsedCopy) {
                    true => words.map(|word| word.load(Ordering::Relaxed)).collect(),
                    false => words.map(|_| neutral).collect(),
                }
            })
            .collect();
        let mut memories = self.memories.clone();
        for (&(number, _), copy) in reduced.iter().zip(&mut copies) {
            memories.0[number] = shared_words(copy);
        }
        self.execute(&memories);
        drop(memories);
        self.copies.lock().unwrap_or_else(PoisonError::into_inner).push(copies);
    }

    fn estimate(&self, elapsed: Duration) -> Duration {
        let Extent { from, to, .. } = self.extent;
        let total = to - from;
        let done = (self.next.load(Ordering::Relaxed) - from).clamp(1, total.max(1));
        elapsed.mul_f64(total as f64 / done as f64)
    }

    fn time_out(&self) {
        self.frontier.store(0, Ordering::Relaxed);
    }
}
