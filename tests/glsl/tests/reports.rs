//! Reports of undefined behaviour: each mutant is found.
//!
//! `cargo test -p lambdav-glsl-tests --features mutants --test reports`

use lambdav_engine::{Engine, Frame, Options, RenderOptions, Shader, Size, mutants as engine};
use lambdav_glsl_tests::campaign::first;
use lambdav_glsl_tests::compare::Mismatch;
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::reports::compare_reports;
use lambdav_glsl_tests::{Options as GenerateOptions, generate};
use lambdav_spirv_frontend::mutants as raise;

/// The most programs for one mutant.
const PROGRAMS: u64 = 400;

fn differs(seed: u64) -> bool {
    let dialect = Dialect::ALL[seed as usize % 4];
    let options = GenerateOptions { statements: 20, ..GenerateOptions::new(dialect) };
    let found = compare_reports(&generate(seed, &options), &[Engine::Simd]);
    found.is_err_and(|mismatch| matches!(mismatch, Mismatch::Report { .. }))
}

/// The first line of a report of this program is its sixth one.
const TEXT: &str = "#version 450
layout(location = 0) out vec4 colour;
float quotient(int a) {
  return float(10 / a); }
void main() { float q = quotient(2)
    + sqrt(gl_FragCoord.x - 9.0);
  colour = vec4(q); }
";

/// True if a call moves the lines behind it. (The evaluator of random programs knows no lines.)
fn has_wrong_line() -> bool {
    let shader = Shader::new("a.frag", TEXT).expect("it is right");
    let pipeline = shader.pipeline(&Options::default().report_undefined(true));
    let pipeline = pipeline.expect("it is compiled");
    let mut frame = Frame::zeros(Size::new(2, 1).expect("it is small")).expect("it is small");
    let bindings = pipeline.bindings();
    let drawn = pipeline.render_with(&bindings, &mut frame, &RenderOptions::default());
    let drawn = drawn.expect("it is drawn");
    let line = drawn.undefined.iter().find(|line| line.operation == "sqrt");
    line.expect("the operand is below 0").place.1 != 5
}

#[test]
fn mutants_are_found() {
    assert_eq!(first(40, differs), None, "no mutant is active");
    assert!(!has_wrong_line());
    let found = |name: String, found: Option<u64>| {
        println!("{name}: program {found:?}");
        assert!(found.is_some(), "{name} is not found");
    };
    for mutant in raise::Mutant::OF_REPORTS {
        raise::activate(Some(mutant));
        let program = match mutant {
            raise::Mutant::LineOfCallee => has_wrong_line().then_some(0),
            _ => first(PROGRAMS, differs),
        };
        raise::activate(None);
        found(format!("{mutant:?}"), program);
    }
    for mutant in engine::Mutant::OF_PICTURES {
        engine::activate(Some(mutant));
        let program = first(PROGRAMS, differs);
        engine::activate(None);
        found(format!("{mutant:?}"), program);
    }
}
