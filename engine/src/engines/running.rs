//! What all engines of dispatches share: memories, cancellation, and ends.

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{DispatchFault, EvaluationFault, Memory, loop_limit_diagnostic};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Program, schedule_effects};
use lambdav_core::types::Types;
use lambdav_simd_backend::kernel::DispatchError;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Says if a dispatch is to end early.
pub type Cancelled<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// The reason that a dispatch has no results.
#[derive(Debug)]
pub enum DispatchStop {
    /// The program is at fault.
    Program(Diagnostic),
    /// It was cancelled.
    Cancelled,
    /// The machine has no thread or memory left.
    Machine(String),
}

/// The note that names an invocation.
pub(crate) fn first_invocation([x, y, z]: [u32; 3]) -> String {
    format!("the first such invocation is ({x}, {y}, {z})")
}

/// Memories with these words, by the numbers of resources.
pub(super) fn memory_of(types: &Types, words: Vec<Vec<u32>>) -> Memory {
    let mut memory = Memory::new(types);
    for (number, words) in words.into_iter().enumerate() {
        memory.set(number, words);
    }
    memory
}

/// Time between two looks at whether a dispatch is cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// Runs work that ends early when its frontier is 0, and sets that when it is cancelled. Without `cancelled` there is no
/// frontier.
///
/// # Errors
///
/// If no thread can be started.
pub(super) fn watched<T>(
    cancelled: Option<Cancelled<'_>>,
    work: impl FnOnce(Option<&AtomicU64>) -> T,
) -> Result<T, DispatchStop> {
    let Some(cancelled) = cancelled else { return Ok(work(None)) };
    let frontier = AtomicU64::new(u64::MAX);
    let (done, is_done) = mpsc::channel::<()>();
    let worked = thread::scope(|scope| {
        let frontier = &frontier;
        // The channel closes when the work is done.
        thread::Builder::new().spawn_scoped(scope, move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if cancelled(0) {
                    frontier.store(0, Ordering::Relaxed);
                }
            }
        })?;
        let result = work(Some(frontier));
        drop(done);
        Ok(result)
    });
    worked.map_err(|error: io::Error| {
        DispatchStop::Machine(format!("cannot start a thread: {error}"))
    })
}

/// The end that an error of machine code makes.
pub(super) fn failed(
    error: DispatchError,
    max_iterations: u64,
    note: &dyn Fn([u32; 3]) -> String,
) -> DispatchStop {
    match error {
        DispatchError::Fault(fault) => stop(&fault, max_iterations, note),
        error => DispatchStop::Machine(error.to_string()),
    }
}

/// The end that a fault makes.
pub(super) fn stop(
    fault: &DispatchFault,
    max_iterations: u64,
    note: &dyn Fn([u32; 3]) -> String,
) -> DispatchStop {
    match fault {
        DispatchFault::Invocation { fault: EvaluationFault::Cancelled, .. } => {
            DispatchStop::Cancelled
        }
        DispatchFault::Invocation { id, fault: EvaluationFault::LoopLimit(span) } => {
            let diagnostic = loop_limit_diagnostic(*span, max_iterations);
            DispatchStop::Program(diagnostic.note(note(*id)))
        }
        divergent @ DispatchFault::DivergentBarrier { .. } => {
            DispatchStop::Program(divergent.diagnostic().expect("it has one"))
        }
    }
}

/// The final states of the memories that a program changes.
pub(super) fn scheduled(core: &Core) -> Result<Program, Diagnostic> {
    schedule_effects(core, &core.changed_memories())
}
