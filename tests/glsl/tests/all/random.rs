//! Random programs: the evaluator against the front end, and against the modules that glslang makes. A sample of
//! `lambdav-glsl` and `lambdav-glsl --glslang`.

use lambdav_engine::Engine;
use lambdav_glsl_tests::compare::{Mismatch, compare, compare_traces};
use lambdav_glsl_tests::compiler::{Compiler, check};
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::program::Program;
use lambdav_glsl_tests::reduce::reduce;
use lambdav_glsl_tests::reports::compare_reports;
use lambdav_glsl_tests::{Constants, Options, Style, generate, print};
use lambdav_test_support::{demand_enough, has_tool, in_parallel, seeds};

/// Compares the pictures of 60 programs.
fn compare_all(compiler: Compiler) {
    let mut limited = 0;
    for seed in 0..60 {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { statements: 20, ..Options::new(dialect) };
        let program = generate(seed, &options);
        let engines: &[Engine] = match seed % 6 {
            0 => &[Engine::Simd, Engine::Core],
            _ => &[Engine::Simd],
        };
        match compare(&program, compiler, engines) {
            Ok(()) => {}
            Err(Mismatch::Limit { .. }) => limited += 1,
            Err(mismatch) => {
                let text = print(&program, compiler.style(dialect));
                panic!("seed {seed}: {mismatch}\n{text}");
            }
        }
    }
    assert!(limited < 6, "{limited} programs are too large");
}

#[test]
fn the_front_end_agrees_with_the_evaluator() {
    compare_all(Compiler::Own);
}

/// Traces of programs end in the evaluator's pixels. `TRACED=5000 cargo test --release -p lambdav-glsl-tests traces`
/// traces more programs.
#[test]
fn traces_agree_with_the_evaluator() {
    let seeds = seeds("TRACED", 1000..1040);
    let compared = in_parallel(seeds.clone(), |seed| {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { statements: 20, ..Options::new(dialect) };
        let program = generate(seed, &options);
        match compare_traces(&program, Compiler::Own) {
            Ok(compared) => Some(compared),
            Err(Mismatch::Compile(_)) => None,
            Err(mismatch) => {
                let text = print(&program, Compiler::Own.style(dialect));
                panic!("seed {seed}: {mismatch}\n{text}");
            }
        }
    });
    demand_enough("values", seeds, &compared, 200);
}

/// Reports of undefined behaviour are the evaluator's, by all engines. `REPORTED=5000 cargo test --release -p lambdav-glsl-tests
/// reports` compares more programs.
#[test]
fn reports_agree_with_the_evaluator() {
    let seeds = seeds("REPORTED", 2000..2060);
    let lines = in_parallel(seeds.clone(), |seed| {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { statements: 20, ..Options::new(dialect) };
        let program = generate(seed, &options);
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
                let of_reduced = compare_reports(&reduced, engines);
                let text = print(&reduced, Compiler::Own.style(dialect));
                panic!("seed {seed}: {mismatch}\nreduced: {of_reduced:?}\n{text}");
            }
        }
    });
    demand_enough("lines", seeds, &lines, 1);
}

#[test]
fn the_evaluator_agrees_with_glslang() {
    if has_tool("glslangValidator") {
        compare_all(Compiler::Glslang);
    }
}

#[test]
fn texts_follow_the_rules_of_their_versions() {
    if !has_tool("glslangValidator") {
        return;
    }
    for seed in 100..160 {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { constants: Constants::Glslang, ..Options::new(dialect) };
        let text = print(&generate(seed, &options), Style { dialect, is_opaque: false });
        check(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    }
}
