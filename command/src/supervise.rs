//! Supervision of the command by the main thread.
//!
//! The work runs on a thread whose stack has a known size, whatever the limit on the main thread's
//! stack (`ulimit -s`). The main thread waits for events that end the process: signals, and the
//! deadline of `--timeout`.
//!
//! - Signals that end the process, such as SIGINT (Ctrl-C), remove temporary files first. A signal that
//!   the parent process ignores, as under `nohup`, stays ignored.
//! - Engines and the compiler poll the deadline. [`GRACE`] after the deadline the process ends anyway:
//!   the code generator polls no clock, and a thousand threads on few cores poll late.
//! - If memory is exhausted, the allocator reports it and aborts; exit status 3. If the standard
//!   library lacks memory to set up a started thread, it panics in that thread: exit status 3, too.
//! - A limit on the size of files (`ulimit -f`) is an error of the write that exceeds it.

use super::failure::{Failure, complain};
use lambdav_image::file::{abandon_first_write, abandon_writes};
use std::io::{self, Write};
use std::panic::{self, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Stack of the working thread: the usual size of main threads.
const STACK: usize = 8 << 20;

/// Time after the deadline in which the work may end by itself.
const GRACE: Duration = Duration::from_millis(100);

/// Time in which a process may end by itself once its output file is in place.
const LATE: Duration = Duration::from_secs(10);

/// Deadline of the process.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    /// Work that the deadline limits, as a gerund.
    work: &'static str,
    timeout: Duration,
    /// None if clocks cannot represent the time.
    at: Option<Instant>,
}

/// The current deadline, if any.
static DEADLINE: Mutex<Option<Deadline>> = Mutex::new(None);

/// Reports the timeout and finishes the output.
type LastWords = Box<dyn FnOnce(&str) + Send>;

/// Called at the deadline instead of printing the error to standard error.
static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);

fn last_words() -> MutexGuard<'static, Option<LastWords>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn deadline() -> MutexGuard<'static, Option<Deadline>> {
    DEADLINE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Deadline {
    /// Gives the process so much time to render, from now on.
    pub(super) fn set(timeout: Duration) -> Self {
        Self::set_for("rendering", timeout)
    }

    /// Gives the process so much time for `work`, a gerund, from now on.
    pub(super) fn set_for(work: &'static str, timeout: Duration) -> Self {
        let set = Self { work, timeout, at: Instant::now().checked_add(timeout) };
        *deadline() = Some(set);
        system::wake();
        set
    }

    /// Has the main thread call `words` at the deadline, before it ends the process.
    pub(super) fn say_with(words: impl FnOnce(&str) + Send + 'static) {
        *last_words() = Some(Box::new(words));
    }

    /// Removes the deadline.
    pub(super) fn lift() {
        *deadline() = None;
        *last_words() = None;
    }

    /// Time left.
    pub(super) fn left(self) -> Duration {
        self.at.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()))
    }

    /// Failure of work that exceeded the deadline.
    pub(super) fn failure(self) -> Failure {
        let seconds = self.timeout.as_secs_f64();
        Failure::machine(format!(
            "{} took longer than {seconds} s; --timeout allows more",
            self.work
        ))
    }
}

/// Longest time to wait for signals. Ends the process if the deadline has passed.
fn patience() -> Option<Duration> {
    let deadline = (*deadline())?;
    let end = deadline.at?.checked_add(GRACE)?;
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() && abandon_first_write() {
        let Failure { status, message } = deadline.failure();
        let (message, words) = (message.unwrap_or_default(), last_words().take());
        match words {
            Some(words) => words(&message),
            None => complain(&message),
        }
        system::exit(status);
    }
    // The output file is in place: the process is about to end anyway.
    Some(left.max(Duration::from_millis(1)))
}

/// Runs `work` on its own thread and ends the process with the exit status that `work` returns.
pub(super) fn run(work: fn() -> u8) -> ! {
    let watch = system::prepare();
    take_panics_of_the_system();
    let builder = thread::Builder::new().name("command".to_owned()).stack_size(STACK);
    match builder.spawn(move || -> () { work_and_exit(work) }) {
        Ok(thread) => {
            system::watch(watch, &patience);
            // The thread ends the process.
            let _ = thread.join();
            system::exit(101)
        }
        Err(_) => work_and_exit(work),
    }
}

/// Ends the process, with status 3, on panics of the standard library in a new thread. They occur if
/// the system lacks resources for the thread, such as memory for its signal stack, before any code of
/// ours runs there, so nothing of ours could catch them.
fn take_panics_of_the_system() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map_or("", |location| location.file());
        if file.replace('\\', "/").contains("/library/std/src/sys/") {
            if !abandon_first_write() {
                // The output file is in place, and the late thread does not matter: the process ends by
                // itself soon, unless it has more work.
                thread::sleep(LATE);
                abandon_writes();
            }
            complain(panic.payload_as_str().unwrap_or("the system lacks resources for a thread"));
            system::exit(3);
        }
        others(panic);
    }));
}

/// Ends the process at once.
pub(super) fn end(status: u8) -> ! {
    system::exit(status)
}

fn work_and_exit(work: fn() -> u8) -> ! {
    // The panic hook has printed the message.
    let status = catch_unwind(work).unwrap_or(101);
    // Printed text was flushed, with errors handled, where it was printed.
    let _ = io::stdout().flush();
    // Skip handlers at exit: the allocator's would return memory page by page, which the system does
    // faster.
    system::exit(status)
}

#[cfg(unix)]
mod system {
    use lambdav_image::file::abandon_writes;
    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::flag;
    use signal_hook::iterator::backend::SignalDelivery;
    use signal_hook::iterator::exfiltrator::SignalOnly;
    use signal_hook::low_level::emulate_default_handler;
    use std::io::{self, ErrorKind, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, OnceLock};
    use std::time::Duration;

    const ENDING: [i32; 12] = [
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2,
        SIGVTALRM, SIGXCPU,
    ];

    /// Socket that wakes the main thread.
    static WAKE: OnceLock<UnixStream> = OnceLock::new();

    /// Socket pair that signals write to, if the system provides one.
    pub(super) fn prepare() -> Option<[UnixStream; 2]> {
        // Without these handlers the process is killed, as without `prepare`.
        let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let _ = flag::register_conditional_shutdown(SIGABRT, 3, Arc::new(AtomicBool::new(true)));
        let (read, write) = UnixStream::pair().ok()?;
        let _ = WAKE.set(write.try_clone().ok()?);
        Some([read, write])
    }

    /// Makes the main thread check the deadline.
    pub(super) fn wake() {
        if let Some(mut wake) = WAKE.get() {
            // One read of the main thread takes all bytes, so errors of a full socket do not matter.
            let _ = wake.write(&[0]);
        }
    }

    pub(super) fn exit(status: u8) -> ! {
        signal_hook::low_level::exit(status.into())
    }

    /// Waits for signals until `patience` ends the process. Returns if it cannot wait.
    pub(super) fn watch(ends: Option<[UnixStream; 2]>, patience: &dyn Fn() -> Option<Duration>) {
        let Some([read, write]) = ends else { return };
        let ignored = ignored();
        let ending = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, ending);
        let Ok(mut delivery) = delivery else { return };
        loop {
            let patience = patience();
            match delivery.poll_pending(&mut |read| wait(read, patience)) {
                Ok(pending) => {
                    for signal in pending.into_iter().flatten() {
                        abandon_writes();
                        let _ = emulate_default_handler(signal);
                    }
                }
                Err(_) => return,
            }
        }
    }

    fn wait(read: &mut UnixStream, patience: Option<Duration>) -> Result<bool, io::Error> {
        read.set_read_timeout(patience)?;
        match read.read(&mut [0; 64]) {
            Ok(_) => Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut
                ) =>
            {
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    /// Ignored signals, bit n − 1 for signal n. Only Linux reveals them without unsafe code.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

/// On other systems, an ending process may leave the temporary file of a write.
#[cfg(not(unix))]
mod system {
    use std::sync::OnceLock;
    use std::thread::{Thread, current, park, park_timeout};
    use std::time::Duration;

    static WATCHING: OnceLock<Thread> = OnceLock::new();

    pub(super) fn prepare() {
        let _ = WATCHING.set(current());
    }

    /// Makes the main thread check the deadline.
    pub(super) fn wake() {
        if let Some(thread) = WATCHING.get() {
            thread.unpark();
        }
    }

    pub(super) fn exit(status: u8) -> ! {
        std::process::exit(status.into())
    }

    /// Waits until `patience` ends the process.
    pub(super) fn watch((): (), patience: &dyn Fn() -> Option<Duration>) {
        loop {
            match patience() {
                Some(patience) => park_timeout(patience),
                None => park(),
            }
        }
    }
}
