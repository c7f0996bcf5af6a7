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
use lambdav_test_support::has_tool;

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
    let count = std::env::var("TRACED").map_or(40, |text| text.parse().expect("it is a number"));
    let (mut refused, mut compared) = (0, 0);
    for seed in 1000..1000 + count {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { statements: 20, ..Options::new(dialect) };
        let program = generate(seed, &options);
        match compare_traces(&program, Compiler::Own) {
            Ok(of_program) => compared += of_program,
            Err(Mismatch::Compile(_)) => refused += 1,
            Err(mismatch) => {
                let text = print(&program, Compiler::Own.style(dialect));
                panic!("seed {seed}: {mismatch}\n{text}");
            }
        }
    }
    println!("{count} programs, {refused} of them too large; {compared} values compared");
    assert!(refused * 10 < count, "{refused} programs are too large");
    assert!(compared as u64 > 200 * count, "{compared} values were compared");
}

/// Reports of undefined behaviour are the evaluator's, by all engines. `REPORTED=5000 cargo test --release -p lambdav-glsl-tests
/// reports` compares more programs.
#[test]
fn reports_agree_with_the_evaluator() {
    let count = std::env::var("REPORTED").map_or(60, |text| text.parse().expect("it is a number"));
    let (mut refused, mut lines) = (0, 0);
    for seed in 2000..2000 + count {
        let dialect = Dialect::ALL[seed as usize % 4];
        let options = Options { statements: 20, ..Options::new(dialect) };
        let program = generate(seed, &options);
        let engines: &[Engine] = match seed % 6 {
            0 => &[Engine::Simd, Engine::Core, Engine::Spirv],
            _ => &[Engine::Simd],
        };
        match compare_reports(&program, engines) {
            Ok(found) => lines += found,
            Err(Mismatch::Compile(_) | Mismatch::Limit { .. }) => refused += 1,
            Err(mismatch) => {
                let fails = |program: &Program| {
                    let found = compare_reports(program, engines);
                    found.is_err_and(|found| found.kind() == mismatch.kind())
                };
                let reduced = reduce(&program, &fails);
                let mismatch = compare_reports(&reduced, engines).err().unwrap_or(mismatch);
                let text = print(&reduced, Compiler::Own.style(dialect));
                panic!("seed {seed}: {mismatch}\n{text}");
            }
        }
    }
    println!("{lines} lines, {refused} programs are too large");
    assert!(refused * 10 < count && lines as u64 > count, "{lines} lines, {refused} refused");
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
