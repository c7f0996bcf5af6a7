//! Runs tests in worker processes; a worker may end in any way.
//!
//! One worker gets all tests; its threads share the processor's cores. If it ends early, another worker
//! gets the rest. If one test was running, it is at fault. If several were, each runs again in its own
//! worker, which reveals the culprit. A worker is killed if a test exceeds its time without ending by
//! itself.

use super::job::{Event, GO, order};
use super::options::too_slow;
use super::plan::Test;
use super::result::{Status, TestResult};
use crate::failure::{Failure, Result};
use crate::watch;
use serde_json::json;
use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// First argument of a worker's command line.
pub(crate) const WORKER: &str = "test-worker";

/// Time after a test's timeout in which the test may end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// Time in which a worker may end by itself.
const ENDING: Duration = Duration::from_secs(2);

/// Bytes of a worker's standard error to keep.
const SAID: usize = 16 << 10;

/// Reason why a worker ended.
enum End {
    /// All tests are done.
    Done,
    /// It cannot run any test.
    Failure(Failure),
    /// This test exceeded its time.
    TooSlow(usize),
    /// It crashed while these tests were running.
    Died { why: String, running: Vec<usize> },
}

/// Runs tests with so many threads and so much time for each; calls `each` with every result as it
/// arrives.
pub(super) fn run(
    tests: &[&Test],
    threads: usize,
    timeout: Duration,
    each: &mut dyn FnMut(&TestResult) -> Result,
) -> Result<BTreeMap<usize, TestResult>> {
    let mut results = BTreeMap::new();
    let mut waiting: Vec<usize> = (0..tests.len()).collect();
    let mut suspects: Vec<usize> = Vec::new();
    loop {
        let batch = match waiting.is_empty() {
            false => std::mem::take(&mut waiting),
            true => match suspects.pop() {
                Some(suspect) => vec![suspect],
                None => return Ok(results),
            },
        };
        let end = {
            let mut ended = |number: usize, result: TestResult| {
                let told = each(&result);
                results.insert(number, result);
                told
            };
            let end = Worker::start()?.work(&batch, tests, threads, timeout, &mut ended)?;
            match &end {
                End::TooSlow(number) => {
                    let message = too_slow(timeout).message.unwrap_or_default();
                    ended(*number, TestResult::wrong(tests[*number], Status::Machine, message))?;
                }
                End::Died { why, running } if running.len() == 1 => {
                    let result = TestResult::wrong(tests[running[0]], Status::Machine, why);
                    ended(running[0], result)?;
                }
                _ => {}
            }
            end
        };
        let is_over = batch.iter().all(|number| results.contains_key(number));
        match end {
            End::Failure(failure) => return Err(failure),
            End::Died { why, running } if running.is_empty() && !is_over => {
                return Err(Failure::machine(format!("no test can be run: {why}")));
            }
            End::Died { running, .. } if running.len() > 1 => suspects.extend(running),
            End::Done if !is_over => {
                return Err(Failure::machine("a worker skipped a test"));
            }
            _ => {}
        }
        let is_left = |number: &usize| !results.contains_key(number) && !suspects.contains(number);
        waiting = batch.into_iter().filter(is_left).collect();
    }
}

/// A worker process.
struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    said: Option<JoinHandle<String>>,
}

impl Worker {
    fn start() -> Result<Self> {
        let fail = |error: io::Error| {
            Failure::machine(format!("cannot start a process that runs the tests: {error}"))
        };
        let mut command = Command::new(program().map_err(fail)?);
        command.arg(WORKER).args(env::args_os().skip(1));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, "lambdav");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(fail)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (send, events) = mpsc::channel();
        let started = (|| {
            let read = move || {
                let lines = BufReader::new(stdout?).lines();
                // An unknown event or an incomplete line ends the worker's events.
                let mut events = lines.map_while(|line| Event::read(&line.ok()?));
                events.try_for_each(|event| send.send(event).ok())
            };
            named("worker", move || {
                let _: Option<()> = read();
            })?;
            named("errors of the worker", move || stderr.map_or(String::new(), last_words))
        })();
        match started {
            Ok(said) => Ok(Self { child, stdin, events, said: Some(said) }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(fail(error))
            }
        }
    }

    /// Sends tests to the worker and receives their results.
    fn work(
        mut self,
        batch: &[usize],
        tests: &[&Test],
        threads: usize,
        timeout: Duration,
        ended: &mut dyn FnMut(usize, TestResult) -> Result,
    ) -> Result<End> {
        let mut orders: String =
            batch.iter().map(|&number| format!("{}\n", order(number, tests[number]))).collect();
        orders += &format!("{}\n", json!({GO: threads}));
        // If the worker has ended already, the loop below detects it.
        let _ = self.stdin.as_mut().map(|stdin| stdin.write_all(orders.as_bytes()));
        let mut running = Running::default();
        let most = timeout.saturating_add(GRACE);
        let end = loop {
            match self.events.recv_timeout(running.left(most).unwrap_or(Duration::from_secs(3600)))
            {
                Ok(Event::Begins { test, thread }) => running.begin(test, thread),
                Ok(Event::Ends { test, result, read }) => {
                    running.end(test);
                    read.into_iter().for_each(|(path, stamp)| watch::note_read(path, stamp));
                    if let Err(failure) = ended(test, *result) {
                        self.stop();
                        return Err(failure);
                    }
                }
                Ok(Event::Failure(failure)) => break End::Failure(failure),
                Ok(Event::Done) => break End::Done,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(test) = running.late(most) {
                        break End::TooSlow(test);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let running = running.all();
                    let (status, said) = self.stop();
                    return Ok(End::Died { why: cause(status, &said), running });
                }
            }
        };
        self.stop();
        Ok(end)
    }

    /// Ends the worker if it still runs. Returns its exit status and the end of its standard error.
    fn stop(&mut self) -> (Option<ExitStatus>, String) {
        drop(self.stdin.take());
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if begun.elapsed() < ENDING => thread::sleep(Duration::from_millis(1)),
                _ => {
                    let _ = self.child.kill();
                    break self.child.wait().ok();
                }
            }
        };
        let said = self.said.take().and_then(|said| said.join().ok());
        (status, said.unwrap_or_default())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.said.is_some() {
            self.stop();
        }
    }
}

fn named<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// Path of this program. Linux finds it even if its file has been replaced since the start.
fn program() -> io::Result<PathBuf> {
    let this = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && this.exists() {
        Ok(this.to_owned())
    } else {
        env::current_exe()
    }
}

/// The last bytes of a stream.
fn last_words(mut from: impl Read) -> String {
    let (mut said, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = from.read(&mut part) {
        said.extend_from_slice(&part[..length]);
        if said.len() > 2 * SAID {
            said.drain(..said.len() - SAID);
        }
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// Message for a crashed worker.
fn cause(status: Option<ExitStatus>, said: &str) -> String {
    if said.contains("has overflowed its stack") {
        return "it overflowed the stack, which ended the process that ran it".to_owned();
    }
    if said.contains("memory allocation of") {
        return "it ran out of memory, which ended the process that ran it; \
                --memory allows more"
            .to_owned();
    }
    let status = status.map_or("with unknown status".to_owned(), |status| format!("with {status}"));
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.map_or(String::new(), |line| format!(": {line}"));
    format!("the process that ran it ended {status}{last}")
}

/// Running tests and their times. A thread that waits for others may begin another test meanwhile; the
/// clock of the first test stops during that.
#[derive(Default)]
struct Running {
    /// The tests of each thread; only the last one runs.
    threads: BTreeMap<usize, Vec<Clock>>,
}

/// Running time of a test.
struct Clock {
    test: usize,
    before: Duration,
    since: Instant,
}

impl Clock {
    fn time(&self) -> Duration {
        self.before + self.since.elapsed()
    }
}

impl Running {
    fn begin(&mut self, test: usize, thread: usize) {
        let clocks = self.threads.entry(thread).or_default();
        if let Some(last) = clocks.last_mut() {
            last.before = last.time();
        }
        clocks.push(Clock { test, before: Duration::ZERO, since: Instant::now() });
    }

    fn end(&mut self, test: usize) {
        for clocks in self.threads.values_mut() {
            if let Some(at) = clocks.iter().position(|clock| clock.test == test) {
                clocks.remove(at);
                if let Some(last) = clocks.last_mut() {
                    last.since = Instant::now();
                }
            }
        }
    }

    /// The clock of the last test that each thread began.
    fn innermost(&self) -> impl Iterator<Item = &Clock> {
        self.threads.values().filter_map(|clocks| clocks.last())
    }

    /// Time until the first test exceeds `most`.
    fn left(&self, most: Duration) -> Option<Duration> {
        self.innermost().map(|clock| most.saturating_sub(clock.time())).min()
    }

    /// A test that has exceeded `most`.
    fn late(&self, most: Duration) -> Option<usize> {
        self.innermost().find(|clock| clock.time() >= most).map(|clock| clock.test)
    }

    fn all(&self) -> Vec<usize> {
        self.threads.values().flatten().map(|clock| clock.test).collect()
    }
}
