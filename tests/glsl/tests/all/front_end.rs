//! Random programs: the evaluator against the front end. A sample of `lambdav-glsl`.

use lambdav_engine::Engine;
use lambdav_glsl_tests::compare::{Mismatch, compare};
use lambdav_glsl_tests::compiler::Compiler;
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::{Options, generate, print};

#[test]
fn the_front_end_agrees_with_the_evaluator() {
    let mut limited = 0;
    for seed in 0..200 {
        let dialect = Dialect::ALL[seed as usize % 4];
        let program = generate(seed, &Options { statements: 30, ..Options::new(dialect) });
        let engines: &[Engine] = match seed % 8 {
            0 => &[Engine::Simd, Engine::Core, Engine::Spirv],
            _ => &[Engine::Simd],
        };
        match compare(&program, Compiler::Own, engines) {
            Ok(()) => {}
            Err(Mismatch::Limit { .. }) => limited += 1,
            Err(mismatch) => {
                let text = print(&program, Compiler::Own.style(dialect));
                panic!("seed {seed}: {mismatch}\n{text}");
            }
        }
    }
    assert!(limited < 20, "{limited} programs are too large");
}
