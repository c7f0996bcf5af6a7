//! Tests of compute programs and of passes: `; test: --groups X,Y,Z --save BUFFER` runs a program, and compares what one buffer
//! then holds. Passes have no `--groups`.
//!
//! The golden is a JSON file, which is its own mark: an object with the role of the file and the value of the buffer.
//! Buffers are compared exactly. Without `--save` there is no golden, and the expectations are the test.

use super::directive::Directive;
use super::evaluate::Subject;
use super::files::{self, forget};
use super::mark::{self, Role};
use super::options::RunOptions;
use super::plan::Test;
use super::result::{Status, TestResult};
use crate::failure::{Failure, Result, save_failure};
use crate::files::read_bytes;
use crate::run::bind_zeros;
use crate::user_values::remarks;
use crate::watch;
use lambdav_core::limits;
use lambdav_engine::{Bindings, DispatchOptions, Options, Shader, Undefined};
use lambdav_image::file::{EncodeError, write_atomically};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The name of the buffer's value in a golden.
const VALUE: &str = "value";

/// Runs a test, and compares the buffer with the golden, or makes it the golden.
pub(super) fn attempt(
    test: &Test,
    directive: &Directive,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result {
    if run_options.against.is_some() {
        let what = "--against compares pictures, and this is a test of a buffer";
        return Err(Failure::input(what));
    }
    let (bindings, remark, _) = run(test, directive, false, run_options, until)?;
    let picture = || Err(Failure::input("this is a test of buffers, without a picture"));
    let memories = Some(&bindings);
    let undefined = || Ok(run(test, directive, true, run_options, until)?.2);
    let (picture, undefined) = (&picture, &undefined);
    let subject = Subject { test, directive, run_options, until, memories, picture, undefined };
    let findings = subject.check()?;
    if let Some(buffer) = &directive.save {
        let found = bindings.json(buffer).unwrap_or_default();
        compare(test, &found, run_options.bless && findings.is_empty(), run_options, result)?;
    }
    result.add(remark);
    result.add_undefined(run_options.undefined, undefined)?;
    result.add_findings(findings);
    Ok(())
}

/// The bindings after the run, the remarks on them, and the undefined behaviour, if it is reported.
fn run(
    test: &Test,
    directive: &Directive,
    reports: bool,
    run_options: &RunOptions,
    until: Instant,
) -> Result<(Bindings, Option<String>, Vec<Undefined>)> {
    let (picture, values) = run_options.settings(directive, &test.program)?;
    let values = values.compute();
    let (name, bytes) = read_bytes(&test.program)?;
    let loaded = values.compile(&test.program, bytes, limits::ERRORS)?;
    let shader = Shader::of(loaded).map_err(|found| Failure::input(found.to_string()))?;
    let is_compute = shader.workgroup().is_some();
    match (is_compute, shader.has_passes(), directive.groups.is_some()) {
        (true, _, true) | (false, true, false) => {}
        (true, _, false) => {
            return Err(Failure::input("a compute program has --groups beside --save"));
        }
        (false, true, true) => {
            return Err(Failure::input("passes say how many ids they have: leave out --groups"));
        }
        (false, false, _) => {
            let what =
                "this is no compute program and has no passes: leave out --groups and --save";
            return Err(Failure::input(what));
        }
    }
    let mut bindings = values.bindings(&shader)?;
    bind_zeros(&directive.zeros, &mut bindings)?;
    if let Some(buffer) = &directive.save {
        let known = bindings.check_memory(buffer, false);
        known.map_err(|error| Failure::input(error.to_string()))?;
    }
    let engine = run_options.compute_engine(is_compute).ok_or_else(|| {
        Failure::input(match is_compute {
            true => "the engine source runs no compute programs",
            false => "devices run no passes, which the other engines do",
        })
    })?;
    let failed = |error| run_options.failed(error);
    let options = Options::default()
        .engine(engine)
        .max_iterations(picture.max_iterations)
        .report_undefined(reports);
    let limit = || {
        let left = until.saturating_duration_since(Instant::now());
        DispatchOptions::default().timeout(left)
    };
    let ran = match directive.groups {
        Some(groups) => {
            let pipeline = shader.compute_pipeline(&options).map_err(failed)?;
            pipeline.dispatch_with(&mut bindings, groups.0, &limit()).map_err(failed)?
        }
        None => {
            let pipeline = shader.pass_pipeline(&options).map_err(failed)?;
            pipeline.run_with(&mut bindings, &limit()).map_err(failed)?
        }
    };
    let remark = remarks(&name, &bindings).reduce(|all, one| format!("{all}\n{one}"));
    Ok((bindings, remark, ran.undefined))
}

/// The text of a file that holds a buffer for a test in that role.
fn text(test: &Test, role: Role, value: &str) -> String {
    let mark = Value::String(mark::comment(test, role));
    format!("{{\"{}\": {mark},\n\"{VALUE}\": {value}}}\n", mark::JSON)
}

fn write(path: &Path, text: &str) -> Result {
    let written =
        write_atomically(path, |out| out.write_all(text.as_bytes()).map_err(EncodeError::Io));
    written.map_err(|error| save_failure(&error))
}

fn compare(
    test: &Test,
    found: &str,
    bless: bool,
    run_options: &RunOptions,
    result: &mut TestResult,
) -> Result {
    watch::note(&test.golden);
    let is_there = test.golden.symlink_metadata().is_ok();
    let golden = match is_there {
        false => Err(format!("there is no `{}`; --bless makes it", test.golden.display())),
        true => read(&test.golden),
    };
    let (status, mut message) = match &golden {
        Err(why) if is_there => (Status::Stale, why.clone()),
        Err(why) => (Status::Missing, why.clone()),
        Ok(expected) => {
            let found: Value = serde_json::from_str(found)
                .map_err(|error| Failure::machine(format!("a buffer is no JSON: {error}")))?;
            match difference(expected, &found) {
                None => (Status::Passed, String::new()),
                Some(what) => (Status::Failed, what),
            }
        }
    };
    if status == Status::Passed {
        forget(test);
        return Ok(());
    }
    if bless {
        let adopt = run_options.adopt;
        match files::refusal(&test.golden, test.kept.golden.as_ref(), adopt, |_| true) {
            None => {
                write(&test.golden, &text(test, Role::Golden, found))?;
                forget(test);
                result.status = Status::Blessed(is_there);
                return Ok(());
            }
            Some(why) => message = format!("{message}\nnot blessed: {why}"),
        }
    }
    (result.status, result.message) = (status, message);
    let new = test.new_picture();
    files::write_beside(&new, test.kept.new.as_ref(), result, || {
        write(&new, &text(test, Role::New, found))
    })
}

/// The value in a golden.
fn read(path: &Path) -> std::result::Result<Value, String> {
    let shown = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    let whole: Value =
        serde_json::from_str(&text).map_err(|error| format!("`{shown}` is no JSON: {error}"))?;
    whole.get(VALUE).cloned().ok_or_else(|| format!("`{shown}` has no `{VALUE}`"))
}

/// The first place in which two values differ, with both.
fn difference(expected: &Value, found: &Value) -> Option<String> {
    let mut open = vec![(String::new(), expected, found)];
    while let Some((path, expected, found)) = open.pop() {
        match (expected, found) {
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b).enumerate();
                open.extend(parts.rev().map(|(k, (a, b))| (format!("{path}[{k}]"), a, b)));
            }
            (Value::Array(a), Value::Array(b)) => {
                let (a, b) = (a.len(), b.len());
                return Some(format!("{}: expected {a} elements, got {b}", shown(&path)));
            }
            (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
                let parts = a.iter().zip(b.values());
                let parts = parts.map(|((name, a), b)| (format!("{path}.{name}"), a, b));
                open.extend(parts.collect::<Vec<_>>().into_iter().rev());
            }
            _ if !same(expected, found) => {
                return Some(format!("{}: expected {expected}, got {found}", shown(&path)));
            }
            _ => {}
        }
    }
    None
}

/// True if two values without parts are equal; their texts keep the sign of a zero.
fn same(expected: &Value, found: &Value) -> bool {
    let [expected, found] = [expected, found].map(Value::to_string);
    expected == found
}

fn shown(path: &str) -> String {
    match path {
        "" => "the buffer differs".to_owned(),
        path => format!("the buffer differs, first at {}", path.trim_start_matches('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_have_a_place() {
        let expected = json!({"n": 1, "all": [[1.5, 2.0], [3.0, 0.0]]});
        for (found, wanted) in [
            (json!({"n": 1, "all": [[1.5, 2.0], [3.0, 0.0]]}), None),
            (
                json!({"n": 2, "all": [[1.5, 2.0], [3.0, 0.0]]}),
                Some("the buffer differs, first at n: expected 1, got 2"),
            ),
            (
                json!({"n": 1, "all": [[1.5, 2.0], [3.0, -0.0]]}),
                Some("the buffer differs, first at all[1][1]: expected 0.0, got -0.0"),
            ),
            (
                json!({"n": 1, "all": [[1.5, 2.0]]}),
                Some("the buffer differs, first at all: expected 2 elements, got 1"),
            ),
            (json!(3), Some("the buffer differs: expected")),
        ] {
            let difference = difference(&expected, &found);
            match wanted {
                None => assert_eq!(difference, None),
                Some(text) => assert!(difference.expect(text).starts_with(text), "{text}"),
            }
        }
    }
}
