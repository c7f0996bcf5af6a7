//! Random programs find each mutant of the front end for GLSL.
//!
//! `cargo test -p lambdav-glsl-tests --features mutants --test mutants`

use lambdav_engine::Engine;
use lambdav_glsl_frontend::mutants::{Mutant, activate};
use lambdav_glsl_tests::campaign::first;
use lambdav_glsl_tests::compare::{Mismatch, compare, compare_traces};
use lambdav_glsl_tests::compiler::Compiler;
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::{Options, generate};
use lambdav_spirv_eval::mutants as eval;
use std::sync::{Mutex, PoisonError};

/// An active mutant affects the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The most programs for one mutant.
const PROGRAMS: u64 = 2000;

fn differs(seed: u64) -> bool {
    let dialect = Dialect::ALL[seed as usize % 4];
    let options = Options { statements: 20, ..Options::new(dialect) };
    let found = compare(&generate(seed, &options), Compiler::Own, &[Engine::Simd]);
    found.is_err_and(|mismatch| !matches!(mismatch, Mismatch::Limit { .. }))
}

#[test]
fn mutants_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(first(40, differs), None, "no mutant is active");
    for mutant in Mutant::ALL {
        activate(Some(mutant));
        let found = first(PROGRAMS, differs);
        activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}

/// True if traces of a program differ from the histories of the evaluator of GLSL.
fn traces_differ(seed: u64) -> bool {
    let dialect = Dialect::ALL[seed as usize % 4];
    let options = Options { statements: 20, ..Options::new(dialect) };
    let found = compare_traces(&generate(seed, &options), Compiler::Own);
    found.is_err_and(|mismatch| !matches!(mismatch, Mismatch::Compile(_)))
}

#[test]
fn mutants_of_traces_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(first(20, traces_differ), None, "no mutant is active");
    for mutant in eval::Mutant::OF_TRACES {
        eval::activate(Some(mutant));
        let found = first(PROGRAMS, traces_differ);
        eval::activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
