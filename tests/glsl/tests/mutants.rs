//! Random programs find each mutant of the front end for GLSL.
//!
//! `cargo test -p lambdav-glsl-tests --features mutants --test mutants`

use lambdav_engine::Engine;
use lambdav_glsl_frontend::mutants::{Mutant, activate};
use lambdav_glsl_tests::compare::{Mismatch, compare};
use lambdav_glsl_tests::compiler::Compiler;
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::{Options, generate};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most programs for one mutant.
const PROGRAMS: u64 = 400;

/// The seed of a program whose picture differs: the first one of a thread.
fn difference(programs: u64) -> Option<u64> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let (next, found) = (&AtomicU64::new(0), &AtomicU64::new(u64::MAX));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(move || {
                while found.load(Ordering::Relaxed) == u64::MAX {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= programs {
                        break;
                    }
                    if differs(seed) {
                        found.fetch_min(seed, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    Some(found.load(Ordering::Relaxed)).filter(|&seed| seed < u64::MAX)
}

fn differs(seed: u64) -> bool {
    let dialect = Dialect::ALL[seed as usize % 4];
    let options = Options { statements: 20, ..Options::new(dialect) };
    let found = compare(&generate(seed, &options), Compiler::Own, &[Engine::Simd]);
    found.is_err_and(|mismatch| !matches!(mismatch, Mismatch::Limit { .. }))
}

#[test]
fn mutants_are_found() {
    assert_eq!(difference(40), None, "no mutant is active");
    for mutant in Mutant::ALL {
        activate(Some(mutant));
        let found = difference(PROGRAMS);
        activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
