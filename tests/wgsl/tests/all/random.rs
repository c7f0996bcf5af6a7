//! Random programs: a sample of `lambdav-wgsl`.

use lambdav_engine::Engine;
use lambdav_test_support::{demand_enough, in_parallel, seeds};
use lambdav_wgsl_tests::compare::{Mismatch, compare, compare_reports, compare_traces};
use lambdav_wgsl_tests::program::Program;
use lambdav_wgsl_tests::reduce::reduce;
use lambdav_wgsl_tests::{Options, generate, print};

#[test]
fn the_front_end_agrees_with_the_evaluator() {
    let options = Options { statements: 20 };
    let mut limited = 0;
    for seed in 0..60 {
        let program = generate(seed, &options);
        let engines: &[Engine] = match seed % 6 {
            0 => &[Engine::Simd, Engine::Spirv],
            _ => &[Engine::Simd],
        };
        match compare(&program, engines) {
            Ok(()) => {}
            Err(Mismatch::Limit { .. }) => limited += 1,
            Err(mismatch) => panic!("seed {seed}: {mismatch}\n{}", print(&program)),
        }
    }
    assert!(limited < 6, "{limited} programs are too large");
}

/// Traces of programs end in the evaluator's pixels. `TRACED=5000 cargo test --release -p lambdav-wgsl-tests traces`
/// traces more programs.
#[test]
fn traces_agree_with_the_evaluator() {
    let seeds = seeds("TRACED", 1000..1040);
    let compared = in_parallel(seeds.clone(), |seed| {
        let program = generate(seed, &Options { statements: 20 });
        match compare_traces(&program) {
            Ok(compared) => Some(compared),
            Err(Mismatch::Compile(_)) => None,
            Err(mismatch) => panic!("seed {seed}: {mismatch}\n{}", print(&program)),
        }
    });
    demand_enough("values", seeds, &compared, 200);
}

/// Reports of undefined behaviour are the evaluator's, by all engines. `REPORTED=5000 cargo test --release -p lambdav-wgsl-tests
/// reports` compares more programs.
#[test]
fn reports_agree_with_the_evaluator() {
    let seeds = seeds("REPORTED", 2000..2060);
    let lines = in_parallel(seeds.clone(), |seed| {
        let program = generate(seed, &Options { statements: 20 });
        let engines: &[Engine] = match seed % 6 {
            0 => &[Engine::Simd, Engine::Core, Engine::Spirv],
            _ => &[Engine::Simd],
        };
        match compare_reports(&program, engines) {
            Ok(lines) => Some(lines),
            Err(Mismatch::Compile(_) | Mismatch::Limit { .. }) => None,
            Err(mismatch) => {
                let fails = |program: &Program| {
                    let found = compare_reports(program, engines);
                    found.is_err_and(|found| found.kind() == mismatch.kind())
                };
                let reduced = reduce(&program, &fails);
                let mismatch = compare_reports(&reduced, engines).err().unwrap_or(mismatch);
                panic!("seed {seed}: {mismatch}\n{}", print(&reduced));
            }
        }
    });
    demand_enough("lines", seeds, &lines, 1);
}
