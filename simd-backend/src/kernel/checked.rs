//! Code that [checks](crate::lanes::checks) the order of a dispatch.
//!
//! It is made when the first large dispatch needs it, since many never do, and for the memories that have no proof then. A
//! dispatch that finds an access late is repeated without it, on the original memories, and so are all later ones of the
//! kernel: a program that fails once mostly fails again.

use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use lambdav_core::evaluate::{Dispatch, Memory};

use crate::emit::EmitError;
use crate::lanes::checks::{Added, Stamps};
use crate::lanes::{LaneProgram, Memories};
use crate::mutants::{Mutant, is_active};
use crate::pipeline::Compiler;

/// The least number of invocations of a dispatch for which code is made. In order they take about as long as that.
const LEAST: u64 = 1 << 14;

/// The most words of memories that are checked; stamps take twice as many.
const MOST_WORDS: usize = 1 << 26;

type Make<C> = dyn Fn(&Compiler, &LaneProgram) -> Result<C, EmitError> + Send + Sync;

/// A function from lane programs to code.
pub(super) struct Maker<C>(pub(super) Box<Make<C>>);

impl<C> Debug for Maker<C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Maker")
    }
}

/// Code with checks, if there is any.
#[derive(Debug)]
pub(super) struct Checks<T> {
    state: Mutex<State<T>>,
    least: u64,
}

#[derive(Debug)]
enum State<T> {
    Untried,
    Made(Arc<Checked<T>>),
    /// It could not be made, or an access was late.
    Failed,
}

/// Code with checks.
#[derive(Debug)]
pub(super) struct Checked<T> {
    pub(super) stamps: Stamps,
    pub(super) code: T,
}

impl<T> Default for Checks<T> {
    fn default() -> Self {
        Self { state: Mutex::new(State::Untried), least: LEAST }
    }
}

impl<T> Checks<T> {
    /// The same for dispatches of at least so many invocations.
    pub(super) fn with_least(self, least: u64) -> Self {
        Self { least, ..self }
    }

    /// The code for a dispatch that checks some `memories` of `memory`: what there is, if it suits, or what `make` makes.
    pub(super) fn get(
        &self,
        dispatch: &Dispatch,
        (memory, memories): (&Memory, &[usize]),
        suits: impl FnOnce(&Checked<T>) -> bool,
        make: impl FnOnce() -> Option<Checked<T>>,
    ) -> Option<Arc<Checked<T>>> {
        let count = dispatch.workgroups().checked_mul(dispatch.invocations_of_workgroup())?;
        let words: usize = memories.iter().map(|&number| memory.words(number).len()).sum();
        // Invocations have numbers of 32 bits.
        if count < self.least || count > u32::MAX.into() || words > MOST_WORDS {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            State::Failed => return None,
            State::Made(made) if suits(made) => return Some(Arc::clone(made)),
            State::Made(_) | State::Untried => {}
        }
        let made = make().map(Arc::new);
        *state = made.clone().map_or(State::Failed, State::Made);
        made
    }

    /// An access was late.
    pub(super) fn fail(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Failed;
    }
}

/// Works on memories with stamps.
pub(super) fn with_stamps<R>(
    memory: &mut Memory,
    stamps: &Stamps,
    work: impl FnOnce(&mut Memory) -> R,
) -> R {
    let count = memory.count();
    for (_, added) in stamps.added() {
        let words = match added {
            Added::Stamps(of) => memory.words(of).len(),
            Added::Flag => 1,
        };
        memory.push(vec![0; words]);
    }
    let result = work(memory);
    memory.truncate(count);
    result
}

/// True if an access was late.
pub(super) fn is_late(memories: &Memories<'_>, flag: usize) -> bool {
    memories.words(flag)[0].load(Ordering::Relaxed) != 0 && !is_active(Mutant::IgnoredFlag)
}
