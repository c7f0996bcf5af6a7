//! Parsers of other people, run where they harm nobody.
//!
//! They recurse on the program's depth, panic where they are wrong, and look at no clock. So they run on
//! a thread of their own with a large stack, which says nothing when it panics, and for as long as
//! [`DEADLINE`]. A thread cannot be ended from outside: what bounds its work is counted in the text before
//! ([`super::nesting`], [`super::macros`]), and the deadline is for what nobody thought of.

use lambdav_float_environment::with_default;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The stack of the thread, in bytes; the system gives pages of it when they are used.
pub(super) const STACK: usize = 256 << 20;

/// How long the caller waits.
pub(super) const DEADLINE: Duration = Duration::from_secs(20);

/// Why there is no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// It panicked.
    Panicked,
    /// It takes longer than [`DEADLINE`].
    Late,
    /// The system has no thread, with the reason.
    NoThread(String),
}

thread_local! {
    /// Whether this thread runs what may panic without being heard.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// From now on panics of silent threads are not told; others are, as before.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !SILENT.try_with(Cell::get).unwrap_or(false) {
                others(panic);
            }
        }));
    });
}

/// What `work` returns, on a thread of its own.
pub(super) fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    run_within(DEADLINE, work)
}

/// The same for so long.
pub(super) fn run_within<T: Send + 'static>(
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    silence_panics();
    let (sender, receiver) = channel();
    let builder = thread::Builder::new().name("naga".to_owned()).stack_size(STACK);
    let thread = builder.spawn(move || {
        SILENT.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| with_default(work)));
        // Nobody waits for it behind the deadline.
        let _ = sender.send(result.map_err(|_| Stopped::Panicked));
    });
    let thread = thread.map_err(|error| Stopped::NoThread(error.to_string()))?;
    match receiver.recv_timeout(deadline) {
        Ok(result) => {
            // Its stack is given back before the caller goes on.
            let _ = thread.join();
            result
        }
        Err(RecvTimeoutError::Timeout) => Err(Stopped::Late),
        Err(RecvTimeoutError::Disconnected) => Err(Stopped::Panicked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_panics_and_the_deadline_are_told_apart() {
        assert_eq!(run(|| 7), Ok(7));
        assert_eq!(run(|| -> u8 { panic!("nobody hears it") }), Err(Stopped::Panicked));
        let late = run_within(Duration::from_millis(1), || thread::sleep(Duration::from_secs(1)));
        assert_eq!(late, Err(Stopped::Late));
    }

    #[test]
    fn the_stack_is_large() {
        fn down(left: usize) -> usize {
            let frame = std::hint::black_box([left; 1 << 10]);
            if left == 0 { frame[0] } else { frame[1] - left + 1 + down(left - 1) }
        }
        assert_eq!(run(|| down((STACK >> 13) / 3)), Ok((STACK >> 13) / 3));
    }
}
