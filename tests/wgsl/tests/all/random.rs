//! Random programs: a sample of `lambdav-wgsl`.

use lambdav_engine::Engine;
use lambdav_wgsl_tests::compare::{Mismatch, compare};
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
