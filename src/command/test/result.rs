//! What came of tests.

use super::evidence::Evidence;
use crate::command::failure::{Failure, Result};
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
    pub(super) const ALL: [Self; 9] = [
        Self::Passed,
        Self::Blessed(false),
        Self::Blessed(true),
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
        matches!(self, Self::Passed | Self::Blessed(_) | Self::Unsupported)
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
    /// How many of them were removed.
    pub(super) pruned: usize,
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
            u8::from(self.results.iter().any(|result| !result.status.is_good()))
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
                Ok(()) => self.pruned += 1,
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
        let orphans: Vec<_> = self.orphans.iter().map(|path| path.to_string_lossy()).collect();
        json!({
            "lambdav": env!("CARGO_PKG_VERSION"),
            "tests": self.all,
            "shard": self.shard.map(|(k, n)| [k, n]),
            "orphans": orphans,
            "seconds": self.seconds,
        })
    }
}
