//! What came of a run: on the terminal, and in a folder.
//!
//! `results.jsonl` holds all that is known, so that the reports of shards can be joined; `index.html` and
//! `junit.xml` are made of it. Its first line is about the run, each other one is a test.

mod html;
mod junit;
pub(super) mod terminal;

use super::evidence::Evidence;
use super::result::{Status, Summary, TestResult};
use crate::command::failure::{Failure, Result, save_failure};
use lambdav::raster::file::{EncodeError, write_atomically};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the report into a folder, which is made where it is not there.
pub(super) fn write(folder: &Path, summary: &Summary) -> Result {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::file(format!("cannot make `{}`: {error}", folder.display()), &error)
    })?;
    let lines: Vec<Value> = summary
        .results
        .iter()
        .map(|result| {
            let mut object = result.json();
            object["evidence"] = result.evidence.as_ref().map_or(Value::Null, |e| e.0.clone());
            object
        })
        .collect();
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

/// Joins the reports in these folders. All shards of one run must be there, each once.
pub(super) fn merge(folders: &[PathBuf]) -> Result<Summary> {
    let mut results: BTreeMap<String, TestResult> = BTreeMap::new();
    let mut shards: BTreeMap<usize, (usize, PathBuf)> = BTreeMap::new();
    let mut orphans = Vec::new();
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
            return Err(bad("it is of another run: the number of tests is another"));
        }
        let shard = header["shard"].as_array().and_then(|shard| match &shard[..] {
            [k, n] => number(k).zip(number(n)),
            _ => None,
        });
        let (k, n) = shard.unwrap_or((1, 1));
        if let Some((_, other)) = shards.insert(k, (n, path.clone())) {
            let other = other.display();
            return Err(bad(&format!("it is shard {k}, as is `{other}`")));
        }
        seconds = seconds.max(header["seconds"].as_f64().unwrap_or(0.0));
        for orphan in header["orphans"].as_array().into_iter().flatten() {
            orphans.extend(orphan.as_str().map(PathBuf::from));
        }
        for object in objects {
            let result = read(&object?).ok_or_else(|| bad("a line of it is no test"))?;
            let id = result.id.clone();
            if results.insert(id.clone(), result).is_some() {
                return Err(bad(&format!("`{id}` is in another report, too")));
            }
        }
    }
    let of = shards.values().map(|(n, _)| *n).max().unwrap_or(1);
    let missing: Vec<String> =
        (1..=of).filter(|k| !shards.contains_key(k)).map(|k| format!("{k}/{of}")).collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Err(Failure::input(format!("the report of shard {missing} is missing")));
    }
    let all = all.unwrap_or(0);
    if all != results.len() {
        let found = results.len();
        return Err(Failure::input(format!("the reports hold {found} of {all} tests")));
    }
    orphans.sort();
    orphans.dedup();
    let results = results.into_values().collect();
    Ok(Summary { results, all, shard: None, orphans, pruned: 0, seconds })
}

/// A test as [`write`] writes it.
fn read(object: &Value) -> Option<TestResult> {
    let text = |key: &str| Some(object[key].as_str()?.to_owned());
    let status = object["status"].as_str()?;
    let written = object["written"].as_array()?.iter();
    Some(TestResult {
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
