//! Results of tests.

use super::evaluate::Findings;
use super::evidence::Evidence;
use super::plan::Test;
use crate::failure::{Failure, Result};
use crate::undefined::UndefinedBehaviour;
use lambdav_engine::Undefined;
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Status of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The picture matches the golden, and all expectations hold.
    Passed,
    /// The picture became the golden; true if it replaced one.
    Blessed(bool),
    /// The picture matches the golden, which had no mark and was given one.
    Adopted,
    /// The picture differs from the golden, or an expectation does not hold.
    Failed,
    /// There is no golden.
    Missing,
    /// The golden has another size or depth than the test.
    Stale,
    /// The directive or the program is at fault.
    Broken,
    /// The machine is at fault.
    Machine,
    /// A script with an unsupported feature: neither a pass nor a failure.
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

    /// Name in JSON and messages.
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

    /// True if the test needs no attention.
    pub(super) fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::Blessed(_) | Self::Adopted | Self::Unsupported)
    }
}

/// Result of a test.
#[derive(Clone, Debug)]
pub(super) struct TestResult {
    /// Name of the test.
    pub(super) id: String,
    /// Status of the test.
    pub(super) status: Status,
    /// Message: one line for a failed comparison, several for a program's diagnostics. Empty if there
    /// is none.
    pub(super) message: String,
    /// Path of the golden; empty for a test without one.
    pub(super) golden: String,
    /// Paths of the files written beside the golden.
    pub(super) written: Vec<String>,
    /// Duration in seconds.
    pub(super) seconds: f64,
    /// Comparison as JSON, for programs; null if there was none.
    pub(super) comparison: Value,
    /// The first pixel that differs.
    pub(super) first: Option<[u32; 2]>,
    /// Traces of a failed test.
    pub(super) traces: Traces,
    /// Evidence of a failed test for the HTML report.
    pub(super) evidence: Option<Evidence>,
    /// Lines of the undefined behaviour that the test met, if it is reported.
    pub(super) undefined: Vec<String>,
}

impl TestResult {
    /// A passing result, to start from.
    pub(super) fn of(test: &Test) -> Self {
        Self {
            id: test.id(),
            status: Status::Passed,
            message: String::new(),
            golden: test.golden.to_string_lossy().into_owned(),
            written: Vec::new(),
            seconds: 0.0,
            comparison: Value::Null,
            first: None,
            traces: Traces::default(),
            evidence: None,
            undefined: Vec::new(),
        }
    }

    /// A result with this status and message.
    pub(super) fn wrong(test: &Test, status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), ..Self::of(test) }
    }

    /// Adds a line to the message.
    pub(super) fn add(&mut self, remark: Option<String>) {
        if let Some(remark) = remark {
            let separator = if self.message.is_empty() { "" } else { "\n" };
            self.message += &format!("{separator}{remark}");
        }
    }

    /// Adds the undefined behaviour of the test, if that is asked for.
    pub(super) fn add_undefined(
        &mut self,
        behaviour: UndefinedBehaviour,
        undefined: &dyn Fn() -> Result<Vec<Undefined>>,
    ) -> Result {
        if !behaviour.reports() {
            return Ok(());
        }
        let found = undefined()?;
        self.undefined = found.iter().map(Undefined::to_string).collect();
        let is_fault = UndefinedBehaviour::faults(&found).next().is_some();
        if behaviour == UndefinedBehaviour::Error && is_fault && self.status.is_good() {
            self.status = Status::Failed;
            self.add(Some("it meets undefined behaviour".to_owned()));
        }
        Ok(())
    }

    /// Adds the expectations that do not hold, in front of the message.
    pub(super) fn add_findings(&mut self, findings: Findings) {
        if findings.is_empty() {
            return;
        }
        self.status = if findings.broken.is_empty() { Status::Failed } else { Status::Broken };
        self.traces.expectations = findings.traces;
        let message = std::mem::take(&mut self.message);
        let all = findings.failed.into_iter().chain(findings.broken);
        self.message =
            all.chain((!message.is_empty()).then_some(message)).collect::<Vec<_>>().join("\n");
    }

    /// The result as JSON with the evidence, for reports and workers.
    pub(super) fn whole(&self) -> Value {
        let mut object = self.json();
        object["evidence"] = self.evidence.as_ref().map_or(Value::Null, |e| e.0.clone());
        object
    }

    /// Inverse of [`Self::whole`].
    pub(super) fn read(object: &Value) -> Option<Self> {
        let text = |key: &str| Some(object[key].as_str()?.to_owned());
        let status = object["status"].as_str()?;
        let texts = |key: &str| -> Option<Vec<String>> {
            let all = object[key].as_array()?.iter();
            all.map(|one| one.as_str().map(str::to_owned)).collect()
        };
        Some(Self {
            id: text("test")?,
            status: Status::ALL.into_iter().find(|known| known.name() == status)?,
            message: text("message")?,
            golden: object["golden"].as_str().unwrap_or_default().to_owned(),
            written: texts("written")?,
            seconds: object["seconds"].as_f64()?,
            comparison: object["comparison"].clone(),
            first: None,
            traces: Traces::read(&object["traces"]),
            evidence: Some(&object["evidence"]).filter(|e| !e.is_null()).cloned().map(Evidence),
            // Earlier reports have none.
            undefined: match object["undefined"].is_null() {
                true => Vec::new(),
                false => texts("undefined")?,
            },
        })
    }

    /// The result as JSON without the evidence.
    pub(super) fn json(&self) -> Value {
        json!({
            "test": self.id,
            "status": self.status.name(),
            "message": self.message,
            "golden": Some(&self.golden).filter(|golden| !golden.is_empty()),
            "written": self.written,
            "seconds": self.seconds,
            "comparison": self.comparison,
            "traces": {"pixel": self.traces.pixel, "expectations": self.traces.expectations},
            "undefined": self.undefined,
        })
    }
}

/// Traces of a failed test, as texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    /// Of the first pixel that differs from the golden.
    pub(super) pixel: Option<String>,
    /// Of the expressions of expectations that do not hold.
    pub(super) expectations: Vec<String>,
}

impl Traces {
    fn read(object: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let all = object["expectations"].as_array().into_iter().flatten();
        Self { pixel: text(&object["pixel"]), expectations: all.filter_map(text).collect() }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.expectations.iter().chain(&self.pixel)
    }
}

/// Results of a run.
pub(super) struct Summary {
    /// Results of all tests, sorted by name.
    pub(super) results: Vec<TestResult>,
    /// Number of tests in all shards.
    pub(super) all: usize,
    /// This shard and the number of shards.
    pub(super) shard: Option<(usize, usize)>,
    /// Goldens that belong to no test.
    pub(super) orphans: Vec<PathBuf>,
    /// Removed orphans.
    pub(super) pruned: Vec<PathBuf>,
    /// Programs in folders that have no test.
    pub(super) untested: Vec<PathBuf>,
    /// True if a program without a test is an error.
    pub(super) requires_tests: bool,
    /// Duration in seconds.
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

    /// Number of tests of each status that occurs.
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

    /// Facts about the run as JSON.
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
