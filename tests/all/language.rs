//! The conformance suite of the language: every program under `tests/language`.
//!
//! A file is about one rule of LANGUAGE.md. It holds several small programs, each under a header with the
//! expected result; `tests/language/README.md` describes the format. The verdicts come from LANGUAGE.md,
//! never from running the compiler. Every engine of [`ENGINES`](crate::engines::ENGINES) computes the
//! accepted programs and must give the expected bits.

use crate::check::check;
use lambdav_generate::suite::{Case, read_cases};
use lambdav_test_support::files_below;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A small stack, since the compiler and the engines must not depend on a large one.
const STACK: usize = 2 << 20;

/// Checks all programs, or those whose names contain the variable `CASES`.
#[test]
fn every_program_means_what_the_language_says() {
    let only = std::env::var("CASES").unwrap_or_default();
    let cases: Vec<(String, Case)> =
        cases().into_iter().filter(|(name, _)| name.contains(&only)).collect();
    assert!(!cases.is_empty(), "no program has `{only}` in its name");
    let pool = ThreadPoolBuilder::new().stack_size(STACK).build().expect("threads can be started");
    let failures: Vec<String> = pool.install(|| {
        cases
            .par_iter()
            .filter_map(|(name, case)| Some(format!("{name}, {}", failure(case)?)))
            .collect()
    });
    for (name, reason) in cases.iter().filter_map(|(name, case)| Some((name, case.fixme.as_ref()?)))
    {
        println!("{name} asserts what is wrong today: {reason}");
    }
    let (count, all) = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{count} of {all} programs fail:\n\n{}", failures.join("\n\n"));
}

/// The description of a failed program; `None` if it passes.
fn failure(case: &Case) -> Option<String> {
    let at = |what: &str| format!("line {}: {what}\n\n{}", case.line, case.program);
    match catch_unwind(AssertUnwindSafe(|| check(case))) {
        Ok(Ok(())) => None,
        Ok(Err(what)) => Some(at(&what)),
        Err(_) => Some(at("it panicked")),
    }
}

/// All programs, named by file and title.
pub(crate) fn cases() -> Vec<(String, Case)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut all = Vec::new();
    for file in &files_below(&root, &["lv"]) {
        let name = file.strip_prefix(&root).expect("it was found there").with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let cases = read_cases(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        all.extend(cases.into_iter().map(|case| (format!("{name}: {}", case.title), case)));
    }
    all
}
