//! Random programs find each mutant of the front end for WGSL.
//!
//! `cargo test -p lambdav-wgsl-tests --features mutants --test mutants`

use lambdav_engine::Engine;
use lambdav_glsl_tests::campaign::first;
use lambdav_wgsl_frontend::mutants::{Mutant, activate};
use lambdav_wgsl_tests::compare::{Mismatch, compare};
use lambdav_wgsl_tests::{Options, generate};

/// The most programs for one mutant.
const PROGRAMS: u64 = 1000;

fn differs(seed: u64) -> bool {
    let found = compare(&generate(seed, &Options { statements: 20 }), &[Engine::Simd]);
    found.is_err_and(|mismatch| !matches!(mismatch, Mismatch::Limit { .. }))
}

#[test]
fn mutants_are_found() {
    assert_eq!(first(40, differs), None, "no mutant is active");
    for mutant in Mutant::ALL {
        activate(Some(mutant));
        let found = first(PROGRAMS, differs);
        activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
