//! Runs many inputs on all threads.

use crate::minimise::minimise;
use crate::targets::{FuzzTarget, Reached};
use cpu_time::{ProcessTime, ThreadTime};
use lambdav_generate::Random;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// Limits of inputs and of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Thread time of an input, in seconds; a slower input is a finding.
    pub seconds: f64,
    /// Number of smaller inputs tried for each finding.
    pub attempts: usize,
    /// The campaign ends after this many findings.
    pub findings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { seconds: 1.0, attempts: 4000, findings: 10 }
    }
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Seed of all inputs.
    pub seed: u64,
    /// The number of the first input.
    pub first: u64,
    /// Number of inputs.
    pub inputs: u64,
    /// No input is started after this time.
    pub time: Option<Duration>,
    /// Number of threads.
    pub threads: usize,
    /// Limits of inputs and findings.
    pub limits: Limits,
    /// A folder in which each thread notes the number of its current input, in case the process dies.
    pub journal: Option<PathBuf>,
}

/// The way in which an input fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// A panic at this place.
    Panic(String),
    /// A property does not hold.
    Wrong,
    /// The input takes too long.
    Slow,
}

/// A failing input.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The input's number in the campaign.
    pub number: u64,
    /// The way in which it fails.
    pub kind: FindingKind,
    /// The message.
    pub what: String,
    /// The smallest input found that fails in the same way.
    pub input: Vec<u8>,
}

/// The result of a campaign.
#[derive(Clone, Debug, Default)]
pub struct FuzzReport {
    /// Number of inputs.
    pub inputs: u64,
    /// Number of well-formed inputs.
    pub parsed: u64,
    /// Number of accepted inputs.
    pub accepted: u64,
    /// Number of inputs whose pixels were computed.
    pub computed: u64,
    /// Seconds and number of the slowest input.
    pub slowest: (f64, u64),
    /// The findings.
    pub found: Vec<Finding>,
}

impl FuzzReport {
    fn add(&mut self, reached: Reached, number: u64, seconds: f64) {
        self.inputs += 1;
        self.parsed += u64::from(reached.parsed);
        self.accepted += u64::from(reached.accepted);
        self.computed += u64::from(reached.computed);
        if seconds > self.slowest.0 {
            self.slowest = (seconds, number);
        }
    }

    fn join(&mut self, other: Self) {
        self.inputs += other.inputs;
        self.parsed += other.parsed;
        self.accepted += other.accepted;
        self.computed += other.computed;
        if other.slowest.0 > self.slowest.0 {
            self.slowest = other.slowest;
        }
        self.found.extend(other.found);
    }

    /// `part` as a percentage of all inputs.
    pub fn percent(&self, part: u64) -> f64 {
        100.0 * part as f64 / self.inputs.max(1) as f64
    }
}

/// An input hangs if the process has used this much processor time for each thread since the input began.
/// Wall-clock time would report hangs on a busy machine.
const HANG: Duration = Duration::from_secs(60);
/// Stack size of the threads: the usual size for the main thread of a process.
const STACK: usize = 8 << 20;

impl Campaign {
    /// The input with that number.
    pub fn input(&self, target: &dyn FuzzTarget, number: u64) -> Vec<u8> {
        let mut random = Random::new(self.seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        target.input(&mut random)
    }

    /// Runs all inputs. If an input hangs, calls `hangs` with its number.
    pub fn run(&self, target: &dyn FuzzTarget, hangs: &(dyn Fn(u64) + Sync)) -> FuzzReport {
        let next = AtomicU64::new(self.first);
        let findings = AtomicU64::new(0);
        let done = AtomicBool::new(false);
        let report = Mutex::new(FuzzReport::default());
        let start = Instant::now();
        // The current input of each thread, and the process time at its start.
        let idle = || Mutex::new(None::<(u64, ProcessTime)>);
        let current: Vec<_> = (0..self.threads.max(1)).map(|_| idle()).collect();
        let threads = current.len() as u32;
        std::thread::scope(|scope| {
            let workers: Vec<_> = current
                .iter()
                .enumerate()
                .map(|(index, current)| {
                    let (next, findings, report) = (&next, &findings, &report);
                    let work = move || {
                        let mut mine = FuzzReport::default();
                        let mut journal = self.journal.as_ref().map(|f| Journal::new(f, index));
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            let is_over = self.time.is_some_and(|time| start.elapsed() > time);
                            let enough =
                                findings.load(Ordering::Relaxed) >= self.limits.findings as u64;
                            if number - self.first >= self.inputs || is_over || enough {
                                break;
                            }
                            journal.iter_mut().for_each(|journal| journal.write(number));
                            *lock(current) = Some((number, ProcessTime::now()));
                            let input = self.input(target, number);
                            let (seconds, result) = attempt(target, &input, number);
                            *lock(current) = None;
                            let result = match result {
                                Ok(_) if seconds > self.limits.seconds => {
                                    Err((FindingKind::Slow, format!("{seconds:.2} seconds")))
                                }
                                result => result,
                            };
                            match result {
                                Ok(reached) => mine.add(reached, number, seconds),
                                Err((kind, what)) => {
                                    findings.fetch_add(1, Ordering::Relaxed);
                                    mine.add(Reached::default(), number, seconds);
                                    let finding = Finding { number, kind, what, input };
                                    mine.found.push(self.smaller(target, finding));
                                }
                            }
                        }
                        lock(report).join(mine);
                    };
                    let builder = std::thread::Builder::new().stack_size(STACK);
                    builder.spawn_scoped(scope, work).expect("a thread can be started")
                })
                .collect();
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(50));
                    for current in &current {
                        if let Some((number, since)) = *lock(current)
                            && since.elapsed() > HANG * threads
                        {
                            hangs(number);
                        }
                    }
                }
            });
            for worker in workers {
                worker.join().expect("panics of inputs are caught");
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.found.sort_by_key(|finding| finding.number);
        report
    }

    /// Shrinks the input while it fails in the same way.
    fn smaller(&self, target: &dyn FuzzTarget, mut finding: Finding) -> Finding {
        let number = finding.number;
        let limit = self.limits.seconds;
        let is_slow = finding.kind == FindingKind::Slow;
        let attempts = if is_slow { self.limits.attempts / 50 } else { self.limits.attempts };
        let mut still = |input: &[u8]| match attempt(target, input, number) {
            (seconds, Ok(_)) => is_slow && seconds > limit,
            (_, Err((kind, _))) => kind == finding.kind,
        };
        let is_binary = target.is_binary();
        finding.input = minimise(&finding.input, is_binary, attempts, &mut still);
        if let (_, Err((_, what))) = attempt(target, &finding.input, number) {
            finding.what = what;
        }
        finding
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file with the number of a thread's current input.
struct Journal(File);

impl Journal {
    fn new(folder: &Path, index: usize) -> Self {
        Self(File::create(folder.join(index.to_string())).expect("the journal can be written"))
    }

    fn write(&mut self, number: u64) {
        let written = self.0.rewind().and_then(|()| self.0.write_all(&number.to_le_bytes()));
        written.expect("the journal can be written");
    }
}

/// The inputs that were running when a process died.
pub fn read_journal(folder: &Path) -> Vec<u64> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let contents = entries.filter_map(|entry| std::fs::read(entry.path()).ok());
    contents.filter_map(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?))).collect()
}

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
    static PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Runs an input. The result is the thread's seconds and the outcome.
pub fn attempt(
    target: &dyn FuzzTarget,
    input: &[u8],
    number: u64,
) -> (f64, Result<Reached, (FindingKind, String)>) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if SILENT.get() {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                PANIC.set(Some((place, info.to_string())));
            } else {
                usual(info);
            }
        }));
    });
    let start = ThreadTime::now();
    SILENT.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| target.run(input, number)));
    SILENT.set(false);
    let seconds = start.elapsed().as_secs_f64();
    let result = match result {
        Ok(result) => result.map_err(|what| (FindingKind::Wrong, what)),
        Err(_) => {
            let (place, message) = PANIC.take().unwrap_or_default();
            Err((FindingKind::Panic(place), message))
        }
    };
    (seconds, result)
}
