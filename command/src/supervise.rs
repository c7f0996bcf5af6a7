//! The thread that watches over the command while another one does its work.
//!
//! The main thread waits for what may end the process from outside: signals, and the end of the time
//! that `--timeout` allows. The work is done on a thread whose stack has a known size, whatever the
//! limit on the stack of the main thread (`ulimit -s`) is.
//!
//! - Signals that end the process, such as SIGINT (Ctrl-C), remove temporary files first. A signal
//!   that whoever started the process ignores, as `nohup` does, stays ignored.
//! - Engines and the compiler look at the deadline themselves, and have [`GRACE`] to do so. After
//!   that the process ends, wherever it is: the code generator looks at no clock, and a thousand
//!   threads on few cores do so late.
//! - Where memory is exhausted the allocator aborts, having said so; exit status 3. Where a thread
//!   was started, but has no memory for what the standard library sets up in it, that panics, in
//!   that thread: likewise.
//! - A limit on the size of files (`ulimit -f`) is an error of the write that meets it.

use super::failure::{Failure, complain};
use lambdav_image::file::{abandon_first_write, abandon_writes};
use std::io::{self, Write};
use std::panic::{self, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The stack of the thread that does the work: what main threads usually have.
const STACK: usize = 8 << 20;

/// How long after the deadline the work may end by itself.
const GRACE: Duration = Duration::from_millis(100);

/// How long a process whose file is in its place may take to end by itself.
const LATE: Duration = Duration::from_secs(10);

/// A time by which the process ends.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    /// The work that has to be done by then, as a gerund.
    work: &'static str,
    timeout: Duration,
    /// None if clocks do not reach that far.
    at: Option<Instant>,
}

/// The deadline of the process, if it has one.
static DEADLINE: Mutex<Option<Deadline>> = Mutex::new(None);

/// Says why the process ends, and writes what is left to be written.
type LastWords = Box<dyn FnOnce(&str) + Send>;

/// What is done at the deadline in place of saying so on standard error.
static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);

fn last_words() -> MutexGuard<'static, Option<LastWords>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn deadline() -> MutexGuard<'static, Option<Deadline>> {
    DEADLINE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Deadline {
    /// From now on the process has so much time to render.
    pub(super) fn set(timeout: Duration) -> Self {
        Self::set_for("rendering", timeout)
    }

    /// From now on the process has so much time for some work, a gerund.
    pub(super) fn set_for(work: &'static str, timeout: Duration) -> Self {
        let set = Self { work, timeout, at: Instant::now().checked_add(timeout) };
        *deadline() = Some(set);
        system::wake();
        set
    }

    /// At the deadline the watching thread says so with that, once, and ends the process.
    pub(super) fn say_with(words: impl FnOnce(&str) + Send + 'static) {
        *last_words() = Some(Box::new(words));
    }

    /// From now on it has all the time that it needs.
    pub(super) fn lift() {
        *deadline() = None;
        *last_words() = None;
    }

    /// How much time is left.
    pub(super) fn left(self) -> Duration {
        self.at.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()))
    }

    /// What to say when nothing is left.
    pub(super) fn failure(self) -> Failure {
        let seconds = self.timeout.as_secs_f64();
        Failure::machine(format!(
            "{} took longer than {seconds} s; --timeout allows more",
            self.work
        ))
    }
}

/// How long to wait for signals at most. Ends the process if its time is over.
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
    // A file is in its place: the process is about to end anyway.
    Some(left.max(Duration::from_millis(1)))
}

/// Does the work, whose exit status it returns, on a thread of its own, and ends the process.
pub(super) fn run(work: fn() -> u8) -> ! {
    let watch = system::prepare();
    take_panics_of_the_system();
    let builder = thread::Builder::new().name("command".to_owned()).stack_size(STACK);
    match builder.spawn(move || -> () { work_and_exit(work) }) {
        Ok(thread) => {
            system::watch(watch, &patience);
            // It ends the process.
            let _ = thread.join();
            system::exit(101)
        }
        Err(_) => work_and_exit(work),
    }
}

/// Where the system lacks what a thread needs, such as memory for the stack that signals are handled
/// on, the standard library panics before the thread does anything of ours. That is the machine's
/// fault, and ends the process: nothing of ours could catch it.
fn take_panics_of_the_system() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map_or("", |location| location.file());
        if file.replace('\\', "/").contains("/library/std/src/sys/") {
            if !abandon_first_write() {
                // A file is in its place, and a thread that comes late does not matter: the process is
                // about to end by itself, unless it has more to do.
                thread::sleep(LATE);
                abandon_writes();
            }
            complain(panic.payload_as_str().unwrap_or("the system lacks what a thread needs"));
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
    // A panic has been said.
    let status = catch_unwind(work).unwrap_or(101);
    // What is printed has been flushed, and looked after, where it is printed.
    let _ = io::stdout().flush();
    // Handlers at exit would give the allocator's memory back page by page, which the system does
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

    /// What wakes the watching thread.
    static WAKE: OnceLock<UnixStream> = OnceLock::new();

    /// The two ends of what signals are told by, if the system has any left.
    pub(super) fn prepare() -> Option<[UnixStream; 2]> {
        // Without handlers the process is killed, as it would be anyhow.
        let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let _ = flag::register_conditional_shutdown(SIGABRT, 3, Arc::new(AtomicBool::new(true)));
        let (read, write) = UnixStream::pair().ok()?;
        let _ = WAKE.set(write.try_clone().ok()?);
        Some([read, write])
    }

    /// Has the watching thread look at the deadline.
    pub(super) fn wake() {
        if let Some(mut wake) = WAKE.get() {
            // It looks once at all that was sent.
            let _ = wake.write(&[0]);
        }
    }

    pub(super) fn exit(status: u8) -> ! {
        signal_hook::low_level::exit(status.into())
    }

    /// Waits for signals as long as there is patience. Returns where that is impossible.
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

    /// The signals that are ignored, bit n − 1 for signal n. Only Linux tells without unsafe code.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

/// Elsewhere the system ends the process when it is asked to, which may leave a temporary file while a
/// file is written.
#[cfg(not(unix))]
mod system {
    use std::sync::OnceLock;
    use std::thread::{Thread, current, park, park_timeout};
    use std::time::Duration;

    static WATCHING: OnceLock<Thread> = OnceLock::new();

    pub(super) fn prepare() {
        let _ = WATCHING.set(current());
    }

    /// Has the watching thread look at the deadline.
    pub(super) fn wake() {
        if let Some(thread) = WATCHING.get() {
            thread.unpark();
        }
    }

    pub(super) fn exit(status: u8) -> ! {
        std::process::exit(status.into())
    }

    /// Waits as long as there is patience.
    pub(super) fn watch((): (), patience: &dyn Fn() -> Option<Duration>) {
        loop {
            match patience() {
                Some(patience) => park_timeout(patience),
                None => park(),
            }
        }
    }
}
