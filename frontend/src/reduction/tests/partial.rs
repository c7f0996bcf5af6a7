//! `@`, `$` and `constant`: the source evaluator reduces what the compiler unrolls and decides.

use super::{LIMITS, SourceFault, agree, by_source, is, pixels};
use crate::reduction::SourceProgram;
use crate::{compile_fixed, syntax};
use lambdav_core::evaluate::{EvaluationFault, Evaluator};
use lambdav_core::graph::Uniform;
use lambdav_core::schedule;
use lambdav_core::source::SourceFile;
use lambdav_core::types::Types;

#[test]
fn functions_change_from_round_to_round() {
    is(
        "(@ ((rec-func (n f g x) (if (eq n 0) x (rec (- n 1) g f (f x))))
             3 (func (x) (+ x 1)) (func (x) (* x 10)) 1))",
        &[21.0],
    );
    is(
        "((@ ((rec-func (i f) (if (less i 3) (rec (+ i 1) (func (x) (+ (f x) 2))) f))
              0 (func (x) x))) (.x (frag-coord)))",
        &[6.5],
    );
    // A function becomes a number.
    is("(@ ((rec-func (i f) (if (eq i 0) (rec 1 (f 4)) (+ f i))) 0 (func (x) (* x x))))", &[17.0]);
}

#[test]
fn types_change_from_round_to_round() {
    is(
        "(@ ((rec-func (i v) (if (eq i 0) (rec 1 (vec2 v 2)) (if (eq i 1) (rec 2 (vec3 v 3)) v)))
             0 1))",
        &[1.0, 2.0, 3.0],
    );
    is("(@ (if (less 1 2) (vec2 1 2) 3))", &[1.0, 2.0]);
}

#[test]
fn arguments_of_rounds_are_evaluated() {
    let endless = "($ ((rec-func (n) (if (< n 0) n (rec n))) 1))";
    for text in [
        format!("(@ ((rec-func (i x) (if (less i 2) (rec (+ i 1) x) i)) 0 {endless}))"),
        format!("(@ ((rec-func (i x) (if (less i 2) (rec (+ i 1) {endless}) i)) 0 0))"),
    ] {
        let outcome = agree(&text);
        assert!(matches!(outcome, Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
    }
}

#[test]
fn constants_have_the_values_that_are_given() {
    let text = "(struct Options (rounds int) (scale num))
        (constant options Options (Options 2i 3))
        (constant flat bool true)
        (define rounds (num (.rounds options)))
        (define x (@ ((rec-func (i x) (if (less i rounds) (rec (+ i 1) (* x (.scale options))) x))
                      0 (.x (frag-coord)))))
        (@ (if flat x (vec2 x 1)))";
    is(text, &[4.5]);
    let source = SourceFile::new("test", text);
    let given: [(&str, &[u32]); 2] = [("options", &[3, 0x4000_0000]), ("flat", &[0])];
    let mut fix = |_: &Types, constant: &Uniform| {
        let (_, words) = given.iter().find(|(name, _)| *name == constant.name)?;
        Some((*words).into())
    };
    let (core, diagnostics, _) = compile_fixed(&source, 20, &mut fix);
    let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let values: Vec<&[u32]> = core.constants.iter().map(|constant| &*constant.default).collect();
    assert_eq!(values, given.map(|(_, words)| words));
    let inputs = &pixels(&core)[0];
    let program = SourceProgram::with_constants(&syntax::parse(&source).0, &given).expect("reads");
    let words = by_source(&program, inputs, LIMITS).expect("it ends");
    let scheduled = schedule::schedule(&core, &[0]).expect("it can be scheduled");
    let mut evaluator = Evaluator::new(&scheduled, LIMITS.max_iterations);
    evaluator.run(inputs, &|| false).expect("it ends");
    assert_eq!(&*words[0], evaluator.output(0));
    assert_eq!(words[0].iter().map(|&w| f32::from_bits(w)).collect::<Vec<_>>(), [4.0, 1.0]);
}
