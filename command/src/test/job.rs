//! Protocol between the command and its workers: one JSON object per line.
//!
//! The command sends the tests of a worker, then [`GO`]. The worker reports the begin and end of each
//! test, and finally [`Event::Done`].

use super::directive::Wrong;
use super::expectation::Expectation;
use super::plan::{Kept, Test};
use super::result::TestResult;
use super::{directive, run};
use crate::failure::Failure;
use crate::watch::Stamp;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Message after the last test, with the number of threads.
pub(super) const GO: &str = "go";

/// A path of any bytes.
fn path(path: &Path) -> Value {
    match path.to_str() {
        Some(text) => json!(text),
        None => json!(path.as_os_str().as_encoded_bytes()),
    }
}

fn read_path(value: &Value) -> Option<PathBuf> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Array(bytes) => {
            let byte = |value: &Value| u8::try_from(value.as_u64()?).ok();
            Some(from_bytes(bytes.iter().map(byte).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Other systems: non-Unicode names do not survive.
#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// A test with its number in this run.
pub(super) fn order(number: usize, test: &Test) -> Value {
    let Kept { golden, new, differences } = &test.kept;
    json!({
        "test": number,
        "program": path(&test.program),
        "place": [path(&test.place.0), test.place.1],
        "name": test.name,
        "words": test.words,
        "expectations": test.expectations.iter().map(expectation).collect::<Vec<_>>(),
        "golden": path(&test.golden),
        "within": path(&test.within),
        "kept": [golden, new, differences],
    })
}

fn expectation(of: &Expectation) -> Value {
    json!([path(&of.file), of.line, of.column, of.words, of.of_undefined])
}

fn read_expectation(value: &Value) -> Option<Expectation> {
    let number = |index: usize| value[index].as_u64().map(|number| number as usize);
    let (file, words) = (read_path(&value[0])?, value[3].as_str()?.to_owned());
    let (line, column, of_undefined) = (number(1)?, number(2)?, value[4].as_bool()?);
    Some(Expectation { file, line, column, of_undefined, words })
}

/// Inverse of [`order`]: the number and the test.
pub(super) fn read_order(value: &Value) -> Option<(usize, Test)> {
    let text = |value: &Value| Some(value.as_str()?.to_owned());
    let kept = |index: usize| value["kept"][index].as_str().map(str::to_owned);
    let words = text(&value["words"])?;
    let expectations = value["expectations"].as_array()?.iter();
    let test = Test {
        program: read_path(&value["program"])?.into(),
        place: (read_path(&value["place"][0])?, value["place"][1].as_u64()? as usize),
        name: text(&value["name"])?,
        directive: directive::read(&words).map_err(Wrong::Directive),
        expectations: expectations.map(read_expectation).collect::<Option<_>>()?,
        words,
        golden: read_path(&value["golden"])?,
        within: read_path(&value["within"])?,
        kept: Kept { golden: kept(0), new: kept(1), differences: kept(2) },
    };
    Some((value["test"].as_u64()? as usize, test))
}

/// A worker's message.
pub(super) enum Event {
    /// A test begins on that thread.
    Begins { test: usize, thread: usize },
    /// A test ends; `read` lists the files read since the last test ended.
    Ends { test: usize, result: Box<TestResult>, read: Vec<(PathBuf, Stamp)> },
    /// No test can be run.
    Failure(Failure),
    /// All tests have been run.
    Done,
}

impl Event {
    /// Message for an event, as a worker writes it.
    pub(super) fn of(said: &run::Said<'_>, number: usize, read: Vec<(PathBuf, Stamp)>) -> Value {
        match said {
            run::Said::Begins(_) => {
                json!({"begins": number, "thread": rayon::current_thread_index()})
            }
            run::Said::Ends(_, result) => {
                let stamp = |(file, stamp): (PathBuf, Stamp)| {
                    let stamp = stamp.map(|(time, length)| {
                        let time = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                        json!([time.as_secs(), time.subsec_nanos(), length])
                    });
                    json!([path(&file), stamp])
                };
                let read: Vec<Value> = read.into_iter().map(stamp).collect();
                json!({"ends": number, "result": result.whole(), "read": read})
            }
        }
    }

    /// Message: no test can be run.
    pub(super) fn failure(failure: &Failure) -> Value {
        json!({"failure": [failure.status, failure.message]})
    }

    /// Message: all tests have been run.
    pub(super) fn done() -> Value {
        json!({"done": true})
    }

    /// Parses a line of a worker.
    pub(super) fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let number = |key: &str| value[key].as_u64().map(|number| number as usize);
        if value["done"] == true {
            return Some(Self::Done);
        }
        if let Some(status) = value["failure"][0].as_u64() {
            let message = value["failure"][1].as_str().map(str::to_owned);
            return Some(Self::Failure(Failure { status: status as u8, message }));
        }
        if let Some(test) = number("begins") {
            return Some(Self::Begins { test, thread: number("thread").unwrap_or(0) });
        }
        let result = Box::new(TestResult::read(&value["result"])?);
        let stamp = |value: &Value| {
            let time = Duration::new(value[0].as_u64()?, u32::try_from(value[1].as_u64()?).ok()?);
            Some((SystemTime::UNIX_EPOCH + time, value[2].as_u64()?))
        };
        let read = value["read"].as_array()?.iter();
        let read = read.map(|one| Some((read_path(&one[0])?, stamp(&one[1]))));
        Some(Self::Ends { test: number("ends")?, result, read: read.collect::<Option<_>>()? })
    }
}
