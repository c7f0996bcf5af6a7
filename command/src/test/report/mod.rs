//! Reports of a run: on the terminal, and in a folder.
//!
//! `results.jsonl` holds all results, so that the reports of shards can be joined; `index.html` and
//! `junit.xml` are made from it. Its first line describes the run, each other line a test.

mod html;
mod junit;
pub(super) mod terminal;

use super::result::{Summary, TestResult};
use crate::failure::{Failure, Result, save_failure};
use lambdav_image::file::{EncodeError, write_atomically};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Files of a report, with text near the beginning of each, including that of version 0.1.
const FILES: [(&str, &[&str]); 3] = [
    ("results.jsonl", &["{\"lambdav\":"]),
    ("junit.xml", &["<testsuites name=\"lambdav\""]),
    ("index.html", &["content=\"lambdav test\"", "<title>lambdav test</title>"]),
];

/// Bytes read to recognise a report.
const FRONT: u64 = 1024;

/// Checks, before a run, that a report in that folder replaces only another report.
pub(super) fn check(folder: &Path) -> Result {
    for (name, marks) in FILES {
        let path = folder.join(name);
        let mut front = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(FRONT).read_to_end(&mut front));
        let front = String::from_utf8_lossy(&front);
        if path.is_file() && read.is_ok() && !marks.iter().any(|mark| front.contains(mark)) {
            let path = path.display();
            return Err(Failure::usage(format!(
                "`{path}` is no report of `lambdav test`, and would be replaced; name another folder"
            )));
        }
    }
    Ok(())
}

/// Writes the report into a folder, creating the folder if needed.
pub(super) fn write(folder: &Path, summary: &Summary) -> Result {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::file(format!("cannot make `{}`: {error}", folder.display()), &error)
    })?;
    let lines: Vec<Value> = summary.results.iter().map(TestResult::whole).collect();
    let header = summary.header();
    let results = || {
        let lines = lines.iter().map(|line| format!("{line}\n"));
        format!("{header}\n{}", lines.collect::<String>())
    };
    let files = [
        ("results.jsonl", results()),
        ("junit.xml", junit::text(summary)?),
        ("index.html", html::page(&header, &lines)),
    ];
    for (name, text) in files {
        let write = |out: &mut dyn Write| out.write_all(text.as_bytes()).map_err(EncodeError::Io);
        write_atomically(&folder.join(name), write).map_err(|error| save_failure(&error))?;
    }
    Ok(())
}

/// Most missing shards to name.
const MISSING: usize = 3;

/// Joins the reports in these folders. All shards of one run must be present, each once.
pub(super) fn merge(folders: &[PathBuf]) -> Result<Summary> {
    let mut results: BTreeMap<String, TestResult> = BTreeMap::new();
    let mut shards: BTreeMap<usize, (usize, PathBuf)> = BTreeMap::new();
    let (mut orphans, mut untested) = (Vec::new(), Vec::new());
    let (mut all, mut seconds) = (None, 0.0_f64);
    for folder in folders {
        let path = folder.join("results.jsonl");
        let bad = |what: &str| Failure::input(format!("`{}`: {what}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::file(format!("cannot read `{}`: {error}", path.display()), &error)
        })?;
        let objects = text.lines().map(serde_json::from_str::<Value>);
        let mut objects = objects.map(|object| object.map_err(|error| bad(&error.to_string())));
        let header = objects.next().ok_or_else(|| bad("it is empty"))??;
        let number = |value: &Value| value.as_u64().map(|number| number as usize);
        let tests = number(&header["tests"]).ok_or_else(|| bad("it is no report"))?;
        if all.replace(tests).is_some_and(|before| before != tests) {
            return Err(bad("it belongs to another run: the numbers of tests differ"));
        }
        let shard = header["shard"].as_array().and_then(|shard| match &shard[..] {
            [k, n] => number(k).zip(number(n)),
            _ => None,
        });
        let (k, n) = shard.unwrap_or((1, 1));
        if k == 0 || k > n {
            return Err(bad(&format!("it says that it is shard {k} of {n}")));
        }
        if let Some((_, (other, _))) = shards.first_key_value()
            && *other != n
        {
            return Err(bad(&format!("it is one of {n} shards, and the first report of {other}")));
        }
        if let Some((_, other)) = shards.insert(k, (n, path.clone())) {
            let other = other.display();
            return Err(bad(&format!("it is shard {k}, as is `{other}`")));
        }
        seconds = seconds.max(header["seconds"].as_f64().unwrap_or(0.0));
        for orphan in header["orphans"].as_array().into_iter().flatten() {
            orphans.extend(orphan.as_str().map(PathBuf::from));
        }
        for program in header["untested"].as_array().into_iter().flatten() {
            untested.extend(program.as_str().map(PathBuf::from));
        }
        for object in objects {
            let result =
                TestResult::read(&object?).ok_or_else(|| bad("one of its lines is no test"))?;
            let id = result.id.clone();
            if results.insert(id.clone(), result).is_some() {
                return Err(bad(&format!("`{id}` is in another report, too")));
            }
        }
    }
    let of = shards.values().map(|(n, _)| *n).max().unwrap_or(1);
    // A report may claim any number of shards: name only the first missing ones.
    let missing = of - shards.len();
    if missing > 0 {
        let named = (1..=of).filter(|k| !shards.contains_key(k)).take(MISSING);
        let named: Vec<String> = named.map(|k| format!("{k}/{of}")).collect();
        let more = match missing - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = named.join(", ");
        return Err(Failure::input(format!("the report of shard {named}{more} is missing")));
    }
    let all = all.unwrap_or(0);
    if all != results.len() {
        let found = results.len();
        return Err(Failure::input(format!("the reports hold {found} of {all} tests")));
    }
    for paths in [&mut orphans, &mut untested] {
        paths.sort();
        paths.dedup();
    }
    let results = results.into_values().collect();
    Ok(Summary {
        results,
        all,
        shard: None,
        orphans,
        pruned: Vec::new(),
        untested,
        requires_tests: false,
        seconds,
    })
}
