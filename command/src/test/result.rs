//! What came of tests.

use super::evidence::Evidence;
use super::plan::Test;
use crate::failure::{Failure, Result};
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// What came of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// It is as it should be.
    Passed,
    /// It was made the golden; the second, if there had been one.
    Blessed(bool),
    /// It is as it should be, and its golden, which had no mark, has one now.
    Adopted,
    /// It differs from its golden.
    Failed,
    /// There is no golden.
    Missing,
    /// The golden is of another size or depth than the test asks for.
    Stale,
    /// The directive or the program is at fault.
    Broken,
    /// The machine is.
    Machine,
    /// It is a script that wants what is not supported: neither a pass nor a failure.
    Unsupported,
}

impl Status {
    /// All of them.
    pub(super) const ALL: [Self; 10] = [
        Self::Passed,
        Self::Blessed(false),
        Self::Blessed(true),
        Self::Adopted,
        Self::Failed,
        Self::Missing,
        Self::Stale,
        Self::Broken,
        Self::Machine,
        Self::Unsupported,
    ];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Blessed(false) => "blessed-new",
            Self::Blessed(true) => "blessed",
            Self::Adopted => "adopted",
            Self::Failed => "failed",
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Broken => "broken",
            Self::Machine => "machine",
            Self::Unsupported => "unsupported",
        }
    }

    /// Whether there is nothing to be done about the test.
    pub(super) fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::Blessed(_) | Self::Adopted | Self::Unsupported)
    }
}

/// What is known of a test that was run.
#[derive(Clone, Debug)]
pub(super) struct TestResult {
    /// What it is called.
    pub(super) id: String,
    /// What came of it.
    pub(super) status: Status,
    /// What is to be said of it: of what failed in a line, of a program in several. Empty where nothing
    /// is.
    pub(super) message: String,
    /// The file of its golden, and of what was written beside it.
    pub(super) golden: String,
    /// What was written beside the golden.
    pub(super) written: Vec<String>,
    /// How long it took, in seconds.
    pub(super) seconds: f64,
    /// The comparison, for programs; null where there was none.
    pub(super) comparison: Value,
    /// What a page shows of a test that failed.
    pub(super) evidence: Option<Evidence>,
}

impl TestResult {
    /// Of a test of which nothing is wrong so far.
    pub(super) fn of(test: &Test) -> Self {
        Self {
            id: test.id(),
            status: Status::Passed,
            message: String::new(),
            golden: test.golden.to_string_lossy().into_owned(),
            written: Vec::new(),
            seconds: 0.0,
            comparison: Value::Null,
            evidence: None,
        }
    }

    /// The same with what is wrong.
    pub(super) fn wrong(test: &Test, status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), ..Self::of(test) }
    }

    /// With the evidence, as reports and workers have it.
    pub(super) fn whole(&self) -> Value {
        let mut object = self.json();
        object["evidence"] = self.evidence.as_ref().map_or(Value::Null, |e| e.0.clone());
        object
    }

    /// A test as [`Self::whole`] tells it.
    pub(super) fn read(object: &Value) -> Option<Self> {
        let text = |key: &str| Some(object[key].as_str()?.to_owned());
        let status = object["status"].as_str()?;
        let written = object["written"].as_array()?.iter();
        Some(Self {
            id: text("test")?,
            status: Status::ALL.into_iter().find(|known| known.name() == status)?,
            message: text("message")?,
            golden: text("golden")?,
            written: written.map(|path| path.as_str().map(str::to_owned)).collect::<Option<_>>()?,
            seconds: object["seconds"].as_f64()?,
            comparison: object["comparison"].clone(),
            evidence: Some(&object["evidence"]).filter(|e| !e.is_null()).cloned().map(Evidence),
        })
    }

    /// As an object, without the evidence.
    pub(super) fn json(&self) -> Value {
        json!({
            "test": self.id,
            "status": self.status.name(),
            "message": self.message,
            "golden": self.golden,
            "written": self.written,
            "seconds": self.seconds,
            "comparison": self.comparison,
        })
    }
}

/// What came of a run.
pub(super) struct Summary {
    /// Of each test, in the order of their names.
    pub(super) results: Vec<TestResult>,
    /// How many tests there are, those of other shards included.
    pub(super) all: usize,
    /// Which part of them this is.
    pub(super) shard: Option<(usize, usize)>,
    /// Goldens that no test has.
    pub(super) orphans: Vec<PathBuf>,
    /// Those that were removed.
    pub(super) pruned: Vec<PathBuf>,
    /// Programs in folders that have no test.
    pub(super) untested: Vec<PathBuf>,
    /// Whether that is an error.
    pub(super) requires_tests: bool,
    /// How long it took.
    pub(super) seconds: f64,
}

impl Summary {
    /// The exit status.
    pub(super) fn status(&self) -> u8 {
        let is = |status| self.results.iter().any(|result| result.status == status);
        if is(Status::Machine) {
            3
        } else {
            let is_bad = self.results.iter().any(|result| !result.status.is_good());
            u8::from(is_bad || self.requires_tests && !self.untested.is_empty())
        }
    }

    /// How many tests there are of each status that any has.
    pub(super) fn counts(&self) -> Vec<(Status, usize)> {
        let of = |status| self.results.iter().filter(|result| result.status == status).count();
        Status::ALL.map(|status| (status, of(status))).into_iter().filter(|(_, n)| *n > 0).collect()
    }

    /// Removes the orphans.
    pub(super) fn prune(&mut self) -> Result {
        for path in std::mem::take(&mut self.orphans) {
            match fs::remove_file(&path) {
                Ok(()) => self.pruned.push(path),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let path = path.display();
                    return Err(Failure::machine(format!("cannot remove `{path}`: {error}")));
                }
            }
        }
        Ok(())
    }

    /// What is said of the run as a whole.
    pub(super) fn header(&self) -> Value {
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        json!({
            "lambdav": env!("CARGO_PKG_VERSION"),
            "tests": self.all,
            "shard": self.shard.map(|(k, n)| [k, n]),
            "orphans": names(&self.orphans),
            "untested": names(&self.untested),
            "seconds": self.seconds,
        })
    }
}
