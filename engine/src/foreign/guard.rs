//! Isolation for other people's parsers.
//!
//! They recurse on the program's depth, may panic, and poll no clock. So each runs on its own thread
//! with a large stack, its panics are silent, and the caller waits for at most [`DEADLINE`]. Since a
//! thread cannot be killed, the text is checked beforehand for everything known to take long
//! ([`super::nesting`]); the deadline covers the unknown.

use lambdav_float_environment::with_default;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Stack of the thread, in bytes; the system provides its pages on first use.
pub(super) const STACK: usize = 256 << 20;

/// Longest time that the caller waits.
pub(super) const DEADLINE: Duration = Duration::from_secs(20);

/// Reason for a missing result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The parser panicked.
    Panicked,
    /// The parser exceeded [`DEADLINE`].
    Late,
    /// The system started no thread; the text is its reason.
    NoThread(String),
}

thread_local! {
    /// True if panics of this thread are not printed.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Silences, from now on, the panics of threads with [`SILENT`]; other panics are printed as before.
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

/// Runs `work` on its own thread.
pub(super) fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    run_within(DEADLINE, work)
}

/// Like [`run`], with another deadline.
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
        // After the deadline, the receiver is gone.
        let _ = sender.send(result.map_err(|_| Stopped::Panicked));
    });
    let thread = thread.map_err(|error| Stopped::NoThread(error.to_string()))?;
    match receiver.recv_timeout(deadline) {
        Ok(result) => {
            // Join the thread, so that its stack is freed before the caller goes on.
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
