//! A dispatch to be run, and its ends, of all ways to run one.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicU64;

use lambdav_core::evaluate::{self, DispatchFault, EvaluationFault};
use lambdav_workers::ThreadError;
use thiserror::Error;

use crate::emit::BindError;

/// The reason that a dispatch has no results.
#[derive(Debug, Error)]
pub enum DispatchError {
    /// The first fault, or cancellation.
    #[error("the dispatch has a fault")]
    Fault(DispatchFault),
    /// The inputs do not fit the program.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// No thread could be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

impl DispatchError {
    pub(super) fn cancelled() -> Self {
        let (id, fault) = ([0; 3], EvaluationFault::Cancelled);
        Self::Fault(DispatchFault::Invocation { id, fault })
    }
}

/// The order in which invocations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// One after the other.
    InOrder,
    /// Workgroups one after the other; the invocations of each in lanes, between barriers without an order.
    Lanes,
    /// Workgroups in threads, without an order; the invocations of each in order.
    Threads,
    /// In lanes and threads, without an order.
    AtOnce,
}

impl Tier {
    /// True if each workgroup does what it would do alone on the original memories.
    pub fn is_independent(self) -> bool {
        matches!(self, Self::Threads | Self::AtOnce)
    }
}

/// A dispatch to be run.
#[derive(Clone)]
pub struct Call<'a> {
    /// Its shape.
    pub dispatch: &'a evaluate::Dispatch,
    /// Most `rec`s at each entry of a loop.
    pub max_iterations: u64,
    /// The invocations that run, by their indices in the order of the dispatch; whole workgroups of a program with barriers
    /// or variables of workgroups.
    pub part: Range<u64>,
    /// The dispatch is cancelled when it is 0.
    pub frontier: &'a AtomicU64,
    /// Takes the outputs of the invocations, if it is there.
    pub sink: Option<&'a dyn Sink>,
}

/// The frontier of a dispatch that is never cancelled.
static NEVER: AtomicU64 = AtomicU64::new(u64::MAX);

impl<'a> Call<'a> {
    /// All of a dispatch, which is not cancelled.
    pub fn new(dispatch: &'a evaluate::Dispatch, max_iterations: u64) -> Self {
        let part = 0..dispatch.invocations_in_all();
        Self { dispatch, max_iterations, part, frontier: &NEVER, sink: None }
    }

    /// The workgroups that run.
    pub(super) fn workgroups(&self) -> Range<u64> {
        let size = self.dispatch.invocations_of_workgroup().max(1);
        self.part.start / size..self.part.end.div_ceil(size)
    }

    /// True if the dispatch may be cancelled.
    pub(super) fn may_be_cancelled(&self) -> bool {
        !std::ptr::eq(self.frontier, &NEVER)
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("dispatch", self.dispatch)
            .field("part", &self.part)
            .finish_non_exhaustive()
    }
}

/// Takes the outputs of invocations, which threads hand over in any order.
pub trait Sink: Sync {
    /// Forgets all outputs so far: the dispatch begins again.
    fn clear(&self);

    /// Takes a word of the outputs of consecutive invocations, the first of which has this index in the order of the dispatch.
    /// Calls in which all words are 0 may be left out.
    fn take(&self, first: u64, output: usize, words: &[u32]);
}

/// The outputs of code for invocations.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// Number of words of an invocation.
    pub(super) count: usize,
    /// The position of each lane among the pixels of a group.
    pub(super) pixels: Vec<usize>,
}

impl Outputs {
    /// Hands over the outputs of `count` invocations from an index on, which a call has computed.
    pub(super) fn give(
        &self,
        sink: &dyn Sink,
        first: u64,
        count: usize,
        found: &[[f32; 4]],
        words: &mut Vec<u32>,
    ) {
        let lanes = self.pixels.len();
        let plane = count.div_ceil(lanes) * lanes;
        for (attachment, found) in found.chunks_exact(plane).enumerate() {
            let any = found.iter().fold([0; 4], |mut any, words| {
                any.iter_mut().zip(words).for_each(|(any, word)| *any |= word.to_bits());
                any
            });
            for (component, _) in any.iter().enumerate().filter(|(_, any)| **any != 0) {
                words.clear();
                for group in found.chunks_exact(lanes) {
                    words.extend(self.pixels.iter().map(|&at| group[at][component].to_bits()));
                }
                // Lanes after the last invocation repeat it.
                words.truncate(count);
                let output = 4 * attachment + component;
                if output < self.count {
                    sink.take(first, output, words);
                }
            }
        }
    }
}

/// The end of invocations without an order.
pub(super) enum Ran {
    Done(Tier),
    /// Some invocation has a fault. Memories have any contents.
    Fault,
    /// Some access was late, or there was a fault while the order was checked. Memories have any contents.
    Late,
}
