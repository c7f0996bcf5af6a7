//! Random programs find each mutant of the front end for GLSL.
//!
//! `cargo test -p lambdav-glsl-tests --features mutants --test mutants`

use lambdav_engine::Engine;
use lambdav_glsl_frontend::mutants::{Mutant, activate};
use lambdav_glsl_tests::compare::{Mismatch, compare};
use lambdav_glsl_tests::compiler::Compiler;
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::{Options, generate};

/// The most programs for one mutant.
const PROGRAMS: u64 = 400;

/// The seed of the first program whose picture differs.
fn first_difference(programs: u64) -> Option<u64> {
    (0..programs).find(|&seed| {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { statements: 20, ..Options::new(dialect) };
        let program = generate(seed, &options);
        let found = compare(&program, Compiler::Own, &[Engine::Simd]);
        found.is_err_and(|mismatch| !matches!(mismatch, Mismatch::Limit { .. }))
    })
}

#[test]
fn mutants_are_found() {
    assert_eq!(first_difference(40), None, "no mutant is active");
    for mutant in Mutant::ALL {
        activate(Some(mutant));
        let found = first_difference(PROGRAMS);
        activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
