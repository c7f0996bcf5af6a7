//! Random programs: a sample of `lambdav-wgsl`.

use lambdav_engine::Engine;
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
    let count = std::env::var("TRACED").map_or(40, |text| text.parse().expect("it is a number"));
    let (mut refused, mut compared) = (0, 0);
    for seed in 1000..1000 + count {
        let program = generate(seed, &Options { statements: 20 });
        match compare_traces(&program) {
            Ok(of_program) => compared += of_program,
            Err(Mismatch::Compile(_)) => refused += 1,
            Err(mismatch) => panic!("seed {seed}: {mismatch}\n{}", print(&program)),
        }
    }
    println!("{count} programs, {refused} of them too large; {compared} values compared");
    assert!(refused * 10 < count, "{refused} programs are too large");
    assert!(compared as u64 > 200 * count, "{compared} values were compared");
}

/// Reports of undefined behaviour are the evaluator's, by all engines. `REPORTED=5000 cargo test --release -p lambdav-wgsl-tests
/// reports` compares more programs.
#[test]
fn reports_agree_with_the_evaluator() {
    let count = std::env::var("REPORTED").map_or(60, |text| text.parse().expect("it is a number"));
    let (mut refused, mut lines) = (0, 0);
    for seed in 2000..2000 + count {
        let program = generate(seed, &Options { statements: 20 });
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
                panic!("seed {seed}: {mismatch}\n{}", print(&reduced));
            }
        }
    }
    println!("{lines} lines, {refused} programs are too large");
    assert!(refused * 10 < count && lines as u64 > count, "{lines} lines, {refused} refused");
}
