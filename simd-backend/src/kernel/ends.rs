//! A dispatch to be run, and its ends, of all ways to run one.

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

/// A dispatch to be run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) dispatch: &'a evaluate::Dispatch,
    pub(super) max_iterations: u64,
    pub(super) frontier: &'a AtomicU64,
}

/// The end of invocations without an order.
pub(super) enum Ran {
    Done(Tier),
    /// Some invocation has a fault. Memories have any contents.
    Fault,
    /// Some access was late, or there was a fault while the order was checked. Memories have any contents.
    Late,
}
