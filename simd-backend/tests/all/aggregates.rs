//! Arrays: constants become tables, and there is a limit of size.

use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::lanes::{InputWord, Options, Width, lower};

use crate::scheduled;

#[test]
fn a_large_constant_is_a_table() {
    let shader = "(at (tabulate 100 (func (i) (* (num i) (num i)))) (int (.x (frag-coord))))";
    let lanes = lower(&scheduled(shader), &Options::new(Width::Any));
    let is_constant = |word: &InputWord| matches!(word, InputWord::Constant(_));
    assert_eq!(lanes.inputs.iter().filter(is_constant).count(), 100, "{lanes}");
}

#[test]
fn the_same_constant_is_one_table() {
    let shader = "(define t (tabulate 30 (func (i) (* (num i) (num i)))))
                  (vec2 (at t (int (.x (frag-coord)))) (at t (int (.y (frag-coord)))))";
    let lanes = lower(&scheduled(shader), &Options::new(Width::Any));
    let is_constant = |word: &InputWord| matches!(word, InputWord::Constant(_));
    assert_eq!(lanes.inputs.iter().filter(is_constant).count(), 30, "{lanes}");
}

#[test]
fn an_array_that_is_too_large_is_not_compiled() {
    let target = Target::host().expect("a machine that is not too old");
    let compile = |count: u32| {
        let shader = format!(
            "(at (tabulate {count} (func (i) (* (num i) (.y (frag-coord))))) (int (.x (frag-coord))))"
        );
        Compiler::new(target.clone()).compile(&scheduled(&shader)).map(drop)
    };
    assert!(compile(2000).is_ok());
    let error = compile(16_385).expect_err("it is too large").to_string();
    assert!(error.contains("16385") && error.contains("16384"), "{error}");
}
