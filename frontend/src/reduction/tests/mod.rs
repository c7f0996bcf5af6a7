//! Compares the source evaluator with the core evaluator, and with known values.

mod aggregates;
mod generated;
mod partial;

use super::{Limits, SourceFault, SourceProgram};
use crate::syntax;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{EvaluationFault, Evaluator};
use lambdav_core::float;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule;
use lambdav_core::source::SourceFile;
use std::sync::Arc;

const LIMITS: Limits = Limits { max_iterations: 1000, max_steps: 1 << 24 };

type SourceOutcome = Result<Vec<Box<[u32]>>, SourceFault>;

fn compile(text: &str) -> (Core, SourceProgram) {
    let source = SourceFile::new("test", text);
    let (core, diagnostics) = crate::compile(&source);
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let core = core.unwrap_or_else(|| panic!("{text}\n{errors:#?}"));
    let program = SourceProgram::new(&syntax::parse(&source).0);
    (core, program.unwrap_or_else(|fault| panic!("{text}\n{fault:?}")))
}

/// Makes all NaNs equal.
fn canonical(words: &[u32]) -> Box<[u32]> {
    words.iter().map(|&word| float::canonical(word)).collect()
}

fn by_source(program: &SourceProgram, inputs: &Inputs, limits: Limits) -> SourceOutcome {
    let locations: Vec<u32> = program.locations().collect();
    let run = |&l: &u32| program.run(l, inputs, limits, &|| false).map(|w| canonical(&w));
    locations.iter().map(run).collect()
}

fn by_core(core: &Core, inputs: &Inputs, limits: Limits) -> SourceOutcome {
    let outputs = core.outputs.iter().map(|output| {
        let program = schedule::schedule(core, &[output.location]).expect("it can be scheduled");
        let mut evaluator = Evaluator::new(&program, limits.max_iterations);
        evaluator.run(inputs, &|| false)?;
        Ok(canonical(evaluator.output(0)))
    });
    outputs.collect()
}

fn pixels(core: &Core) -> Vec<Inputs> {
    let uniforms: Vec<Arc<[u32]>> = core.uniforms.iter().map(|u| u.default.clone()).collect();
    [[0.5, 0.5], [3.5, 0.5], [2.5, 7.5], [8.5, 4.5]]
        .map(|[x, y]| Inputs {
            frag_coord: [x, y, 0.0, 1.0],
            resolution: [9.0, 8.0],
            time: 1.25,
            frame: 3.0,
            mouse: [1.0, 2.0, 3.0, 4.0],
            uniforms: uniforms.clone(),
            resources: Vec::new(),
        })
        .into()
}

/// Checks that both evaluators agree on a program; returns the outcome at the first pixel.
fn agree(text: &str) -> SourceOutcome {
    agree_as(text, |outcome| outcome)
}

/// The same, comparing outcomes after `view`.
fn agree_as(text: &str, view: impl Fn(SourceOutcome) -> SourceOutcome) -> SourceOutcome {
    let (core, program) = compile(text);
    let inputs = pixels(&core);
    let mut first = None;
    for inputs in &inputs {
        let source = view(by_source(&program, inputs, LIMITS));
        let core = view(by_core(&core, inputs, LIMITS));
        assert_eq!(source, core, "{text}\nsource, core at {:?}", inputs.frag_coord);
        first.get_or_insert(source);
    }
    let defaults: Vec<Arc<[u32]>> = core.uniforms.iter().map(|u| u.default.clone()).collect();
    assert_eq!(program.uniform_defaults(LIMITS, &|| false), Ok(defaults), "{text}");
    first.expect("there is a pixel")
}

/// Checks that both evaluators yield this value for the first output at the first pixel.
#[track_caller]
fn is(text: &str, value: &[f32]) {
    let words: Vec<u32> = value.iter().map(|x| x.to_bits()).collect();
    let outcome = agree(text).unwrap_or_else(|fault| panic!("{text}\n{fault:?}"));
    assert_eq!(outcome[0], canonical(&words), "{text}: {:?}", {
        outcome[0].iter().map(|&w| f32::from_bits(w)).collect::<Vec<_>>()
    });
}

/// An expression whose evaluation does not end.
const ENDLESS: &str = "((rec-func (n) (if (< n 0) n (rec n))) 1)";

#[test]
fn arguments_are_passed_by_name() {
    is(&format!("((func (x) 23) {ENDLESS})"), &[23.0]);
    is(&format!("(let ((x {ENDLESS})) 1)"), &[1.0]);
    is(&format!("(let ((x {ENDLESS})) (if (< (time) 9) 1 x))"), &[1.0]);
    is(&format!("(define x {ENDLESS}) (let ((f (func (a b) (if (= a 1) a b)))) (f 1 x))"), &[1.0]);
    is(&format!("((func (f) (f 1 {ENDLESS})) (func (a b) a))"), &[1.0]);
    assert!(matches!(agree(ENDLESS), Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
    for strict in ["and", "or"] {
        let text = format!("(if ({strict} (> (time) 0) (= 0 {ENDLESS})) 1 2)");
        assert!(matches!(agree(&text), Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
    }
    let text = format!("(select (> (time) 0) 1 {ENDLESS})");
    assert!(matches!(agree(&text), Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
}

#[test]
fn names_are_not_captured() {
    is("(((func (a) ((func (x) (func (a) x)) a)) 1) 2)", &[1.0]);
    is("(let ((x 1)) (let ((f (func (y) (+ x y)))) (let ((x 10)) (f x))))", &[11.0]);
    is("(let ((x 1)) (let ((x 2) (y x)) (+ (* 10 x) y)))", &[21.0]);
    is("(let* ((x 1) (x (+ x 1)) (y (* x 10))) (+ x y))", &[22.0]);
    is("((func (f x) (f (func (x) (+ x 100)) x)) (func (x f) (x f)) 5)", &[105.0]);
    is("(let ((f (func (x) (func (y) (- x y))))) (let ((y 1)) ((f y) 5)))", &[-4.0]);
    is("(define x 1) (define (f) x) (define x 2) (+ (* 10 (f)) x)", &[12.0]);
    // The same binder twice on one path: `f` is applied inside an argument of itself.
    is("(define (f x) (let ((y (* x 2))) (+ y x))) (f (f (f 1)))", &[27.0]);
    is(
        "(define (twice g) (func (x) (g (g x)))) \
        ((((twice twice) twice) (func (n) (+ n 1))) 0)",
        &[16.0],
    );
    is("(define (k a) (func (b) a)) (((k (k 1)) 2) 3)", &[1.0]);
}

#[test]
fn functions_are_values() {
    is("((if (> (.x (frag-coord)) 1) + -) 7 2)", &[5.0]);
    is("((if (> (.x (frag-coord)) 1) (func (x) x) abs) -3)", &[3.0]);
    is("((((func (a) (func (b) (func (c) (vec3 a b c)))) 1) 2) 3)", &[1.0, 2.0, 3.0]);
    is("(define (compose f g) (func (x) (f (g x)))) ((compose sqrt abs) -16)", &[4.0]);
    is("(define (fold f a b c) (f (f a b) c)) (fold - 10 1 2)", &[7.0]);
    is("((func () 5))", &[5.0]);
    is("(define (f) (func () (time))) ((f))", &[1.25]);
    is("(let ((f .yx)) (f (vec2 1 2)))", &[2.0, 1.0]);
    is("(let ((get at)) (get (vec2 1 2) 1))", &[2.0]);
    is("((func (f) (f (vec2 1 2) 1)) at)", &[2.0]);
}

#[test]
fn names_of_builtins_and_forms_are_ordinary() {
    is("(let ((+ -)) (+ 5 3))", &[2.0]);
    is("(define (sin x) 7) (+ (sin 1) (length (vec2 3 4)))", &[12.0]);
    is("(define (sqrt x) 0) (define (dot a b) 1) (define * +) (length (vec2 3 4))", &[5.0]);
    is("(let ((if (func (a b c) (+ a b c)))) (if 1 2 3))", &[6.0]);
    is("(define lambda func) ((lambda (x) (* x x)) 3)", &[9.0]);
    is("(let ((choose if) (x 1)) (choose (= x 1) 10 20))", &[10.0]);
    is("(let ((choose if)) (choose true 10 20))", &[10.0]);
    is("(let* ((l let) (m l)) (m ((x 3)) x))", &[3.0]);
    is("(define loop rec-func) ((loop (n) (if (< n 3) (rec (+ n 1)) n)) 0)", &[3.0]);
    is("(define as the) (as num 3)", &[3.0]);
    is("(let ((func if) (if func)) ((if (x) (func (< x 1) 1 2)) 0))", &[1.0]);
    is("(let ((vec3 vec2)) (vec3 1 2))", &[1.0, 2.0]);
    is("(let ((pi 3)) (+ pi tau))", &[3.0 + std::f32::consts::TAU]);
    is("((func (let) (+ let 1)) 2)", &[3.0]);
    is("((func (lambda) (lambda 2)) (func (x) (+ x 1)))", &[3.0]);
}

#[test]
fn annotations_say_nothing_about_the_value() {
    is("(the vec2 (vec2 1 2))", &[1.0, 2.0]);
    is("((func ((x num) (v vec2)) (+ x v)) 1 (vec2 1 2))", &[2.0, 3.0]);
    is(&format!("((func ((x num)) 1) {ENDLESS})"), &[1.0]);
    is("((rec-func ((n num) (b bool)) (if (or b (> n 4)) n (rec (+ n 1) false))) 0 false)", &[5.0]);
    is("((rec-func (n) (if (> n 4) (the num n) (rec (the num (+ n 1))))) 0)", &[5.0]);
}

#[test]
fn loops() {
    is("((rec-func (n acc) (if (= n 0) acc (rec (- n 1) (* acc n)))) 5 1)", &[120.0]);
    // Arguments are simultaneous.
    is("((rec-func (n a b) (if (= n 0) (vec2 a b) (rec (- n 1) b a))) 3 1 2)", &[2.0, 1.0]);
    is("((rec-func (n a b) (if (= n 0) a (rec (- n 1) b (+ a b)))) 10 0 1)", &[55.0]);
    // `if` and loops inside arguments.
    is(
        "((rec-func (n s) (if (= n 0) s (rec (- n 1) (+ s (if (> n 2) 10 \
        ((rec-func (m t) (if (= m 0) t (rec (- m 1) (+ t m)))) n 0)))))) 4 0)",
        &[24.0],
    );
    // Loops iterate up to the limit.
    is("((rec-func (n) (if (= n 1000) n (rec (+ n 1)))) 0)", &[1000.0]);
    let outcome = agree("((rec-func (n) (if (= n 1001) n (rec (+ n 1)))) 0)");
    assert!(matches!(outcome, Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
    // The limit is for each entry.
    is(
        "(define (count n) ((rec-func (i) (if (>= i n) i (rec (+ i 1)))) 0)) \
        ((rec-func (i s) (if (= i 5) s (rec (+ i 1) (+ s (count 900))))) 0 0)",
        &[4500.0],
    );
    // At 2^24, i + 1 = i.
    let outcome = agree("((rec-func (i) (if (>= i 1e8) i (rec (+ i 1)))) 16777216)");
    assert!(matches!(outcome, Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
    // A loop that depends on the pixel.
    is(
        "(let ((p (frag-coord))) ((rec-func (x n) (if (< x 1) n (rec (/ x 2) (+ n 1)))) \
        (* (.x p) 100) 0))",
        &[6.0],
    );
    // An unused argument that ends; a dead counter; bools, vectors and matrices as arguments.
    is("((rec-func (n dead) (if (> n 3) n (rec (+ n 1) (+ dead 1)))) 0 0)", &[4.0]);
    is(
        "((rec-func (n b v m) (if b (* m v) (rec (+ n 1) (> n 2) (.yx v) (* m m)))) \
        0 false (vec2 1 2) (mat2 1 1 0 1))",
        &[1.0, 18.0],
    );
    // Unused arguments are reduced, too.
    let text = format!("((rec-func (n u) (if (> n 3) n (rec (+ n 1) u))) 0 {ENDLESS})");
    assert!(matches!(agree(&text), Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
    let text = format!("((rec-func (n u) (if (> n 3) n (rec (+ n 1) {ENDLESS}))) 0 0)");
    assert!(matches!(agree(&text), Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_)))));
}

#[test]
fn rec_is_passed_by_name() {
    is(
        "((rec-func (n acc) (let ((again (rec (- n 1) (+ acc n)))) \
        (if (= n 0) acc again))) 4 0)",
        &[10.0],
    );
    is("((rec-func (n) ((func (go) (if (> n 9) n go)) (rec (+ n 2)))) 1)", &[11.0]);
    is("((rec-func (n) (let ((next rec)) (if (> n 9) n (next (+ n 2))))) 1)", &[11.0]);
    is("((rec-func (n) ((func (k) (if (> n 9) n (k (+ n 2)))) rec)) 1)", &[11.0]);
    is(
        "((rec-func (n) (if (> n 9) n ((if (> n 5) rec (func (m) (rec (* m 2)))) (+ n 1)))) 1)",
        &[10.0],
    );
    is("((rec-func (n) (if (< n 9) (if (< n 5) (rec (+ n 1)) (rec (+ n 2))) n)) 0)", &[9.0]);
    is(
        "((rec-func (n) (let* ((stop n) (a (rec (+ n 1))) (b (rec (+ n 5)))) \
        (if (> n 20) stop (if (< n 3) a b)))) 0)",
        &[23.0],
    );
    // Both arms are equal `rec`s.
    is("((rec-func (n) (if (<= n 0) n (if (= n 2) (rec (- n 1)) (rec (- n 1))))) 4)", &[0.0]);
    // `let` and `func` may shadow `rec`.
    is(
        "((rec-func (n) (if (> n 3) (let ((rec (func (x) (* x 100)))) (rec n)) (rec (+ n 1)))) 0)",
        &[400.0],
    );
    // An inner loop's `rec` is its own; the outer one is passed in under another name.
    is(
        "((rec-func (n s) (if (= n 0) s (let ((t ((rec-func (m u) (if (= m 0) u \
        (rec (- m 1) (+ u 1)))) n 0))) (rec (- n 1) (+ s t))))) 4 0)",
        &[10.0],
    );
    is("((rec-func (n f) (if (> n 3) (f n) (rec (+ n 1) f))) 0 (func (x) (* x 10)))", &[40.0]);
}

#[test]
fn static_function_parameters() {
    is(
        "(define (fold f n a) ((rec-func (i a g) (if (= i 0) a (rec (- i 1) (g a i) g))) n a f)) \
        (+ (fold + 4 0) (* 100 (fold * 4 1)))",
        &[2410.0],
    );
    is(
        "((rec-func (i f a) (if (= i 0) a (rec (- i 1) f (f a)))) 3 \
        (if (> (.x (frag-coord)) 1) sqrt (func (x) (* x 2))) 81)",
        &[648.0],
    );
    is(
        "((rec-func (i f a) (let ((g f)) (if (= i 0) a (rec (- i 1) g (g a))))) 3 (func (x) (+ x 1)) 0)",
        &[3.0],
    );
    // A function argument is not reduced, so this condition is never evaluated.
    is(
        &format!(
            "((rec-func (i f) (if (> i 3) i (rec (+ i 1) f))) 0 (if (= 0 {ENDLESS}) sin cos))"
        ),
        &[4.0],
    );
    is(
        &format!(
            "(define (pick) (let ((c (= 0 {ENDLESS}))) (if c sin cos))) \
        ((rec-func (i f) (if (> i 3) i (rec (+ i 1) f))) 0 (pick))"
        ),
        &[4.0],
    );
    is(
        "((rec-func (i f) (if (> i 3) (f i) (rec (+ i 1) ((func (x) x) f)))) 0 (func (x) (- x)))",
        &[-4.0],
    );
}

#[test]
fn numbers_are_not_simplified() {
    let zero = "(- (.x (frag-coord)) 0.5)";
    is(&format!("(/ 1 (* {zero} -1))"), &[f32::NEG_INFINITY]);
    is(&format!("(/ 1 (+ (- {zero}) 0))"), &[f32::INFINITY]);
    is(&format!("(let ((i (/ 1 {zero}))) (- i i))"), &[f32::NAN]);
    is(&format!("(* 0 (/ 1 {zero}))"), &[f32::NAN]);
    is(&format!("(/ {zero} {zero})"), &[f32::NAN]);
    is("(vec2 (/ 1 0.0) (/ 1 -0.0))", &[f32::INFINITY, f32::NEG_INFINITY]);
    is("(min 1 (/ 0 0) 0)", &[0.0]);
    is("(let ((n (/ 0 0))) (if (= n n) 1 (if (!= n n) 2 3)))", &[2.0]);
    is("(vec4 (max 1 (/ 0 0)) (sign (/ 0 0)) (step 1 (/ 0 0)) (round 2.5))", &[1.0, 0.0, 1.0, 2.0]);
    is("(- (* 16777217 3) 1e-8)", &[50331648.0]);
    is("(- 1e38 -3e38)", &[f32::INFINITY]);
}

#[test]
fn builtins_and_matrices() {
    is("(at (vec3 4 5 6) 1)", &[5.0]);
    is("(col (mat2 1 2 3 4) 1)", &[3.0, 4.0]);
    is("(* (mat2 1 2 3 4) (vec2 10 1))", &[13.0, 24.0]);
    is("(* (vec2 10 1) (mat2 1 2 3 4))", &[12.0, 34.0]);
    is(
        "(let ((m (* (mat2 1 2 3 4) (mat2 0 1 1 0)))) (vec4 (col m 0) (col m 1)))",
        &[3.0, 4.0, 1.0, 2.0],
    );
    is("(determinant (mat3 (vec3 2 0 0) (vec3 0 3 0) (vec3 0 0 4)))", &[24.0]);
    is("(determinant (mat4 2))", &[16.0]);
    is("(* (inverse (mat4 2)) (vec4 1 2 3 4))", &[0.5, 1.0, 1.5, 2.0]);
    is("(* (mat2 1 2 3 4) (transpose (mat2 1 2 3 4)) (vec2 1 0))", &[10.0, 14.0]);
    is("(vec4 1 (vec2 2 3) 4)", &[1.0, 2.0, 3.0, 4.0]);
    is("(.bgr (vec4 1 2 3 4))", &[3.0, 2.0, 1.0]);
    is("(if (all-of (< (vec2 1 2) 3)) 1 0)", &[1.0]);
    is("(select (bvec2 true false) (vec2 1 2) (vec2 3 4))", &[1.0, 4.0]);
    is("(+ 1 2 (vec2 3 4))", &[6.0, 7.0]);
    is("(normalize (vec2 3 4))", &[0.6, 0.8]);
    is("(refract (vec2 0 -1) (vec2 0 1) 0.5)", &[0.0, -1.0]);
    is("(if (> 3 2) 1 0)", &[1.0]);
    is(
        "(vec2 (sin 0.5) (pow 2 0.5))",
        &[lambdav_core::math::sin(0.5), lambdav_core::math::pow(2.0, 0.5)],
    );
}

#[test]
fn inputs_uniforms_and_outputs() {
    is("(vec4 (time) (frame) (resolution))", &[1.25, 3.0, 9.0, 8.0]);
    is("(mouse)", &[1.0, 2.0, 3.0, 4.0]);
    is("(uniform a num 2) (uniform b vec2) (uniform m mat2) (+ a b (col m 0))", &[3.0, 2.0]);
    is(
        "(define two 2) (uniform a num (* two ((rec-func (n) (if (> n 5) n (rec (+ n 1)))) 0))) a",
        &[12.0],
    );
    is("(uniform flag bool true) (if flag 1 2)", &[1.0]);
    let outcome =
        agree("(define c (time)) (output 2 c) (output 0 (vec2 c 1)) (define c 9) (output 1 c)");
    let words = [vec![1.25f32], vec![1.25, 1.0], vec![9.0]];
    let words: Vec<Box<[u32]>> =
        words.iter().map(|v| v.iter().map(|x| x.to_bits()).collect()).collect();
    assert_eq!(outcome, Ok(words));
    // Uses the given values, not the defaults.
    let (_, program) = compile("(uniform a vec2) (.y a)");
    let words = [1f32.to_bits(), 2f32.to_bits()];
    let inputs = Inputs { uniforms: vec![words.into()], ..Inputs::default() };
    assert_eq!(program.run(0, &inputs, LIMITS, &|| false), Ok([2f32.to_bits()].into()));
}

#[test]
fn depth_costs_memory_only() {
    let depth = 9_000;
    let sum = format!("{}0{}", "(+ 1 ".repeat(depth), ")".repeat(depth));
    is(&sum, &[9000.0]);
    let lets: String = (0..3000).map(|i| format!("(let ((x{} (+ x{i} 1))) ", i + 1)).collect();
    is(&format!("(let ((x0 0)) {lets}x3000{})", ")".repeat(3000)), &[3000.0]);
    let star: String = (0..3000).map(|i| format!("(x{} (+ x{i} 1))", i + 1)).collect();
    is(&format!("(let* ((x0 0) {star}) x3000)"), &[3000.0]);
    is(&format!("{}(time){}", "((func (x) (* x 1)) ".repeat(2000), ")".repeat(2000)), &[1.25]);
    // A chain of arguments by name, growing with each round.
    let text = "((rec-func (i f) (if (> i 900) (f i) (rec (+ i 1) ((func (x) x) f)))) 0 sqrt)";
    is(text, &[901f32.sqrt()]);
    let (_, program) = compile(text.replace("900", "900000").as_str());
    let limits = Limits { max_iterations: 1 << 24, ..Limits::default() };
    let outcome = program.run(0, &Inputs::default(), limits, &|| false);
    assert_eq!(outcome, Ok([900001f32.sqrt().to_bits()].into()));
}

#[test]
fn it_gives_up_in_time() {
    let (_, program) = compile("((rec-func (n) (if (< n 0) n (rec n))) 1)");
    let limits = Limits { max_iterations: u64::MAX, max_steps: 100_000 };
    let run = |limits, cancelled| program.run(0, &Inputs::default(), limits, cancelled);
    assert_eq!(run(limits, &|| false), Err(SourceFault::Limit("steps")));
    let limits = Limits { max_steps: u64::MAX, ..limits };
    assert_eq!(run(limits, &|| true), Err(SourceFault::Pixel(EvaluationFault::Cancelled)));
    assert!(matches!(
        program.run(1, &Inputs::default(), limits, &|| false),
        Err(SourceFault::Unexpected(..))
    ));
}

#[test]
fn programs_are_shared_between_threads() {
    let (core, program) = compile(
        "((rec-func (x n) (if (< x 1) n (rec (/ x 2) (+ n 1)))) \
        (* (.x (frag-coord)) 100) 0)",
    );
    let inputs = pixels(&core);
    let alone: Vec<SourceOutcome> = inputs.iter().map(|i| by_source(&program, i, LIMITS)).collect();
    let together: Vec<SourceOutcome> = std::thread::scope(|scope| {
        let run = |i| by_source(&program, i, LIMITS);
        let threads: Vec<_> = inputs.iter().map(|i| scope.spawn(move || run(i))).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert_eq!(alone, together);
}

/// Trees that the compiler refuses do not cause panics.
#[test]
fn rejected_programs_do_no_harm() {
    for text in [
        "",
        "()",
        "(f)",
        "x",
        "(let)",
        "(let x 1)",
        "(let ((x)) 1)",
        "(func x x)",
        "(if 1 2 3)",
        "(1 2)",
        "(+ 1 true)",
        "(define)",
        "(define 1 2)",
        "(define (1) 2)",
        "(output x 1)",
        "(output)",
        "(uniform u foo) u",
        "(uniform)",
        "(rec 1)",
        "((func (x) x))",
        "((rec-func (n) (rec n n)) 1)",
        "((rec-func (n) (+ 1 (if (= n 0) 0 (rec (- n 1))))) 3)",
        "(sin sin)",
        "if",
        "(pi)",
        "(at (vec2 1 2) 7)",
        "(let* ((x 1) y) x)",
        "((func (x) (x x)) (func (x) (x x)))",
        "(rec-func (n) n)",
        "(the num (vec2 1 2))",
        "(let ((y (func (f) ((func (x) (f (x x))) (func (x) (f (x x))))))) (y (func (s) 1)))",
        "((rec-func (n) ((rec-func (m) (rec n)) n)) 1)",
        "true",
        "(mat2 1)",
        "(vec3 1 2)",
        "1x",
        "(((",
        "(uniform u num (time)) u",
        "((rec-func () 1))",
        "((rec-func (n f) (rec n f)) 1 (func (x) x))",
    ] {
        let (tree, _) = syntax::parse(&SourceFile::new("test", text));
        if let Ok(program) = SourceProgram::new(&tree) {
            for location in program.locations() {
                let _ = program.run(location, &Inputs::default(), LIMITS, &|| false);
            }
            let _ = program.uniform_defaults(LIMITS, &|| false);
        }
    }
}
