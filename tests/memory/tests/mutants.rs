//! Random dispatches, and core texts that must be refused, find each mutant of memory.
//!
//! `cargo test -p lambdav-memory-tests --features mutants --test mutants`

use lambdav_core::mutants::{Mutant, activate};
use lambdav_engine::mutants as of_reports;
use lambdav_memory_tests::{compare, compare_layouts, compare_reports, generate};
use lambdav_simd_backend::mutants as of_code;
use lambdav_spirv_backend::mutants as of_modules;
use lambdav_spirv_eval::mutants as of_words;
use lambdav_spirv_frontend::mutants as of_raise;
use lambdav_test_support::find_in_parallel;
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, catch_unwind};

#[path = "all/refused.rs"]
mod refused;

/// Programs that revealed mutants when they were written are tried first.
const REVEALING: [u64; 13] = [1, 2, 3, 4, 9, 18, 25, 57, 80, 97, 100, 104, 139];

/// The most programs for one mutant.
const PROGRAMS: u64 = 2_000;

/// True if a mutant shows: a program differs, or a wrong text is accepted.
fn difference(programs: u64) -> Option<String> {
    if let Some(name) = refused::accepted().first() {
        return Some(format!("the text {name:?}"));
    }
    first_of(programs, |seed| {
        compare(&generate(seed), seed, false).is_err() || compare_layouts(seed, false).is_err()
    })
}

/// The first program that differs.
fn first_of(programs: u64, differs: impl Fn(u64) -> bool + Sync + RefUnwindSafe) -> Option<String> {
    // Interpreters panic where a program is wrong.
    let shows = |seed: u64| catch_unwind(|| differs(seed)).unwrap_or(true);
    let seed = |number: u64| REVEALING.get(number as usize).copied().unwrap_or(number);
    let found = find_in_parallel(0..programs + 1, |number| shows(seed(number)));
    found.map(|number| format!("program {}", seed(number)))
}

/// Demands that each mutant shows.
fn each_is_found<M: Copy + Debug>(
    of: &str,
    mutants: &[M],
    activate: fn(Option<M>),
    difference: fn(u64) -> Option<String>,
) {
    for &mutant in mutants {
        activate(Some(mutant));
        let found = difference(PROGRAMS);
        activate(None);
        println!("{mutant:?} of {of}: {found:?}");
        assert!(found.is_some(), "{mutant:?} of {of} is not found");
    }
}

/// One test, since a mutant is active for the whole process.
#[test]
fn mutants_are_found() {
    assert_eq!(difference(100), None, "no mutant is active");
    each_is_found("the core", &Mutant::OF_MEMORY, activate, difference);
    each_is_found("the raise", &of_raise::Mutant::OF_MEMORY, of_raise::activate, difference);
    each_is_found("the SIMD backend", &of_code::Mutant::OF_MEMORIES, of_code::activate, difference);
    each_is_found(
        "the SIMD backend",
        &of_code::Mutant::OF_MEMORIES_IN_LANES,
        of_code::activate,
        difference,
    );
    each_is_found("the SIMD backend", &of_code::Mutant::OF_LOGS, of_code::activate, difference);
    each_is_found("the SIMD backend", &of_code::Mutant::OF_CHECKS, of_code::activate, difference);
    each_is_found(
        "the SIMD backend",
        &of_code::Mutant::OF_INDEPENDENCE,
        of_code::activate,
        difference,
    );
    each_is_found(
        "emitted modules",
        &of_modules::Mutant::OF_MEMORIES,
        of_modules::activate,
        difference,
    );
    each_is_found("eval_S", &of_words::Mutant::OF_DISPATCHES, of_words::activate, difference);
    let reports = |programs: u64| first_of(programs, |seed| compare_reports(seed).is_err());
    assert_eq!(reports(100), None, "no mutant is active");
    let all = &of_reports::Mutant::OF_DISPATCHES;
    each_is_found("reports", all, of_reports::activate, reports);
}
