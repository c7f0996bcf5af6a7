//! Random programs: a sample of `lambdav-wgsl`.

use lambdav_engine::Engine;
use lambdav_wgsl_tests::compare::{Mismatch, compare, compare_traces};
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
