//! Report on the terminal.

use crate::test::result::{Status, Summary, TestResult};
use lambdav_core::diagnostics::printable;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Most lines for failed tests.
const LINES: usize = 20;

/// Text of the report. Good tests are only counted.
pub(in crate::test) fn text(summary: &Summary, quiet: bool, report: Option<&Path>) -> String {
    let mut text = String::new();
    let bad: Vec<&TestResult> = summary.results.iter().filter(|r| !r.status.is_good()).collect();
    if !quiet {
        text += &changed(summary);
        text += &failures(&bad);
        text += &trace(&bad);
        text += &unsupported(summary);
        text += &undefined(summary);
        text += &orphans(summary);
        text += &untested(summary);
    }
    let counts = summary.counts();
    let counts: Vec<String> =
        counts.iter().map(|(status, n)| format!("{n} {}", words(*status))).collect();
    let tests = summary.results.len();
    let noun = if tests == 1 { "test" } else { "tests" };
    let shard = summary
        .shard
        .map_or(String::new(), |(k, n)| format!(" of {} (shard {k}/{n})", summary.all));
    let counts = if tests == 0 { String::new() } else { format!(": {}", counts.join(", ")) };
    text += &format!("{tests} {noun}{shard}{counts} ({:.2} s)\n", summary.seconds);
    match summary.pruned.len() {
        0 => {}
        1 => text += "1 golden removed that no test has\n",
        count => text += &format!("{count} goldens removed that no test has\n"),
    }
    if let Some(folder) = report {
        text += &format!("report: {}\n", folder.join("index.html").display());
    }
    if !quiet {
        text += advice(&bad);
    }
    text
}

fn words(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Blessed(false) => "blessed for the first time",
        Status::Blessed(true) => "blessed anew",
        Status::Adopted => "passed, its golden marked",
        Status::Failed => "failed",
        Status::Missing => "without golden",
        Status::Stale => "with a stale golden",
        Status::Broken => "broken",
        Status::Machine => "not run because of the machine",
        Status::Unsupported => "unsupported",
    }
}

/// Changed goldens: all that were made, replaced, marked or removed.
fn changed(summary: &Summary) -> String {
    let word = |status| match status {
        Status::Blessed(false) => Some("new golden"),
        Status::Blessed(true) => Some("replaced"),
        Status::Adopted => Some("marked"),
        _ => None,
    };
    let results = summary.results.iter();
    let goldens = results.filter_map(|result| Some((word(result.status)?, result.golden.as_str())));
    let mut text: String =
        goldens.map(|(word, golden)| format!("{word} {}\n", printable(golden))).collect();
    for path in &summary.pruned {
        text += &format!("removed {}\n", printable(&path.to_string_lossy()));
    }
    text
}

/// Programs without tests.
fn untested(summary: &Summary) -> String {
    let count = summary.untested.len();
    let (verb, wants) = match count {
        0 => return String::new(),
        1 => ("program has", "--require-tests makes that an error"),
        _ => ("programs have", "--require-tests makes that an error"),
    };
    let wants = if summary.requires_tests { "--require-tests wants one of each" } else { wants };
    format!("{count} {verb} no test: {}; {wants}\n", some(&summary.untested))
}

/// The first three paths.
fn some(paths: &[PathBuf]) -> String {
    let shown = paths.iter().take(3);
    let shown: Vec<String> =
        shown.map(|path| printable(&path.to_string_lossy()).to_string()).collect();
    let more = if paths.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn failures(bad: &[&TestResult]) -> String {
    // Print messages in full only if all fit.
    let entry = |result: &TestResult, whole: bool| {
        let mut lines = result.message.lines();
        let head = printable(lines.next().unwrap_or_default()).to_string();
        let mut text = format!("{} {}: {head}\n", result.status.name(), printable(&result.id));
        if whole {
            text.extend(lines.map(|line| format!("    {}\n", printable(line))));
            if let Some(new) = result.written.first() {
                text += &format!("    {} against {}\n", printable(new), printable(&result.golden));
            }
        }
        text
    };
    let all: String = bad.iter().map(|result| entry(result, true)).collect();
    if all.lines().count() <= LINES {
        return all;
    }
    let shown = bad.iter().take(LINES).map(|result| entry(result, false));
    let mut text: String = shown.collect();
    if bad.len() > LINES {
        text += &format!("and {} more; --report DIR shows them all\n", bad.len() - LINES);
    }
    text
}

/// Undefined behaviour that tests met.
fn undefined(summary: &Summary) -> String {
    let results = summary.results.iter().filter(|result| !result.undefined.is_empty());
    let of = |result: &TestResult| {
        let lines = result.undefined.iter().map(|line| format!("    {}\n", printable(line)));
        format!("undefined behaviour in {}:\n{}", printable(&result.id), lines.collect::<String>())
    };
    results.map(of).collect()
}

/// Most failed tests beside which a trace is printed.
const TRACED: usize = 3;

/// The first trace of an expectation among a few failed tests.
fn trace(bad: &[&TestResult]) -> String {
    let traced = bad.iter().filter(|_| bad.len() <= TRACED);
    let first =
        traced.filter_map(|result| Some((result, result.traces.expectations.first()?))).next();
    let Some((result, trace)) = first else { return String::new() };
    let lines = trace.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("    {}\n", printable(line)),
    });
    format!("trace of {}:\n{}", printable(&result.id), lines.collect::<String>())
}

/// Unsupported features, each with the number of scripts and one of them.
fn unsupported(summary: &Summary) -> String {
    let mut features: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let results = summary.results.iter().filter(|result| result.status == Status::Unsupported);
    for result in results {
        features.entry(&result.message).or_insert((0, &result.id)).0 += 1;
    }
    let line = |(feature, (count, id)): (&&str, &(usize, &str))| {
        let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        format!("unsupported {}{more}: {}\n", printable(id), printable(feature))
    };
    let mut text: String = features.iter().take(LINES).map(line).collect();
    if features.len() > LINES {
        text += &format!("and {} features more\n", features.len() - LINES);
    }
    text
}

fn orphans(summary: &Summary) -> String {
    match summary.orphans.len() {
        0 => String::new(),
        count => {
            let some = some(&summary.orphans);
            format!("no test has these goldens: {some}; --bless --prune removes {count}\n")
        }
    }
}

/// Advice to ignore pictures of failed tests in version control.
fn advice(bad: &[&TestResult]) -> &'static str {
    let wrote = bad.iter().any(|result| !result.written.is_empty());
    let here = std::env::current_dir().unwrap_or_default();
    let known = here.ancestors().any(|folder| {
        let text = fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
        text.contains(".new.") && text.contains(".diff.")
    });
    if wrote && !known { "lines for .gitignore: *.new.* and *.diff.png\n" } else { "" }
}
