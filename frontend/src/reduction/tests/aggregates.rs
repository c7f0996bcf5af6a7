//! Structures, variants and arrays: tests of the rules by programs with known values.

use super::{LIMITS, is, pixels, syntax};
use crate::reduction::SourceProgram;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;

const DECLARATIONS: &str = "
    (struct Ray (origin vec3) (direction vec3))
    (struct Pair a b)
    (struct Unit)
    (struct Nest (inner Ray) (all (array 2 Ray)) (n int))
    (variant Shape (Ball (radius num)) (Box (size vec3) (turned bool)) (None))
    (variant Tree (Leaf (x num)) (Twig (left num) (right num) (shape Shape)))
    (define (forever x) ((rec-func (n) (if (< n 0) n (rec (+ n 1)))) x))
    (define (area s) (case s ((Ball r) (* r r)) ((Box size t) (if t (.x size) (.y size))) ((None) -1)))
";

/// Final expressions of programs, and their values.
const VALUES: &[(&str, &[f32])] = &[
    ("(.direction (Ray (vec3 1 2 3) (vec3 4 5 6)))", &[4.0, 5.0, 6.0]),
    ("(.y (.origin (Ray (vec3 1 2 3) (vec3 4 5 6))))", &[2.0]),
    ("(.b (Pair 1 (Pair 2 3)) )", &[]),
    ("(.a (.b (Pair 1 (Pair 2 3))))", &[2.0]),
    ("(let ((u (Unit)) (v (with (Pair 1 2) (b (vec2 3 4))))) 5)", &[5.0]),
    ("(let ((p (with (Pair 1 2) (b 3) (a 4)))) (vec2 (.a p) (.b p)))", &[4.0, 3.0]),
    ("((.a (Pair (func (x) (+ x 1)) 2)) 3)", &[4.0]),
    ("((.xz (Pair 1 2)) 3)", &[]),
    ("((func (f) (f (vec3 1 2 3))) .zx)", &[3.0, 1.0]),
    ("((func (make get) (get (make 1 2))) Pair .b)", &[2.0]),
    (
        "(.n (Nest (Ray (vec3 1) (vec3 2)) (array (Ray (vec3 3) (vec3 4)) (Ray (vec3 5) (vec3 6))) 7i))",
        &[],
    ),
    (
        "(let* ((r (Ray (vec3 1) (vec3 2))) (n (Nest r (array r (with r (origin (vec3 9)))) 7i)))
       (.origin (at (.all n) 1)))",
        &[9.0; 3],
    ),
    ("(area (Ball 3))", &[9.0]),
    ("(area (Box (vec3 1 2 3) true))", &[1.0]),
    ("(area (Box (vec3 1 2 3) false))", &[2.0]),
    ("(area None)", &[-1.0]),
    ("(case (Twig 1 2 (Ball 4)) ((Leaf x) x) ((Twig l _ s) (+ l (area s))))", &[17.0]),
    ("(case (Leaf 3) ((Twig l r s) (forever l)) (else 6))", &[6.0]),
    (
        "(area ((rec-func (n s) (if (< n 3) (rec (+ n 1) (case s ((Ball r) (Box (vec3 r) true))
        ((Box size t) None) ((None) (Ball 7)))) s)) 0 None))",
        &[-1.0],
    ),
    (
        "((rec-func (s n) (case s ((Ball r) (if (< n 4) (rec (Ball (* r 2)) (+ n 1)) r)) (else 0))) (Ball 1) 0)",
        &[16.0],
    ),
    ("(at (array 1 2 3) 1)", &[2.0]),
    ("(at (array 1 2 3) 7i)", &[3.0]),
    ("(at (array 1 2 3) -7i)", &[1.0]),
    ("(at (array 1 2 3) 0xffffffffu)", &[3.0]),
    ("(at (update (array 1 2 3) 1i 9) 1u)", &[9.0]),
    ("(at (update (array 1 2 3) 8u 9) 2)", &[9.0]),
    ("(num (size-of (tabulate 7 (func (i) (Pair i i)))))", &[7.0]),
    ("(at (tabulate 5 (func (i) (* (num i) (num i)))) (int (.x (frag-coord))))", &[0.0]),
    (
        "(at (at (tabulate 3 (func (i) (tabulate 2 (func (j) (num (+ (* i 10i) j)))))) 2) 1i)",
        &[21.0],
    ),
    ("(at (vec3 1 2 3) 2i)", &[3.0]),
    ("(update (vec3 1 2 3) -5i 9)", &[9.0, 2.0, 3.0]),
    ("(at (mat2 1 2 3 4) 1u)", &[3.0, 4.0]),
    (
        "(.a (.a ((rec-func (p n) (if (< n 3) (rec (Pair (.b p) (.a p)) (+ n 1)) p)) (Pair (Pair 1 2) (Pair 3 4)) 0)))",
        &[3.0],
    ),
    (
        "(at ((rec-func (a i) (if (< i 5i) (rec (update a i (num (* i i))) (+ i 1i)) a)) (tabulate 5 (func (i) 0)) 0i) 4)",
        &[16.0],
    ),
    ("(.a (if (< (.x (frag-coord)) 1) (Pair 1 2) (Pair 3 4)))", &[1.0]),
    ("(.b (select (> (.x (frag-coord)) 1) (Pair 1 2) (Pair 3 4)))", &[4.0]),
    (
        "((rec-func (f n) (if (< n 3) (rec f (f n)) n)) (.a (with (Pair 1 2) (a (func (x) (+ x 1))))) 0)",
        &[3.0],
    ),
];

/// Programs whose operands do not end.
const ENDLESS: &[&str] = &[
    "(.a (Pair 1 (forever 0)))",
    "(.a (with (Pair 1 2) (b (forever 0))))",
    "(at (array 1 (forever 0)) 0)",
    "(at (update (array 1 2) 0 (forever 0)) 1)",
    "(num (size-of (array (forever 0))))",
    "(case (Twig (forever 0) 1 None) (else 1))",
    "((.a (Pair (func (x) x) (forever 0))) 1)",
    "(at (tabulate 2 (func (i) (forever (num i)))) 0)",
];

fn program(expression: &str) -> SourceProgram {
    let text = format!("{DECLARATIONS}{expression}");
    let (tree, errors) = syntax::parse(&SourceFile::new("test", text));
    assert!(errors.is_empty(), "{expression}");
    SourceProgram::new(&tree).unwrap_or_else(|fault| panic!("{expression}: {fault:?}"))
}

#[test]
fn values() {
    let inputs = &pixels(&Core::default())[0];
    for (expression, value) in VALUES {
        let outcome = program(expression).run(0, inputs, LIMITS, &|| false);
        if value.is_empty() {
            assert!(outcome.is_err(), "{expression}");
            continue;
        }
        let words = outcome.unwrap_or_else(|fault| panic!("{expression}: {fault:?}"));
        let found: Vec<f32> = words.iter().map(|&word| f32::from_bits(word)).collect();
        assert_eq!(&found, value, "{expression}");
    }
}

#[test]
fn strictness() {
    let inputs = &pixels(&Core::default())[0];
    for expression in ENDLESS {
        let fault = program(expression).run(0, inputs, LIMITS, &|| false);
        let is_endless = matches!(
            fault,
            Err(crate::reduction::SourceFault::Pixel(EvaluationFault::LoopLimit(_)))
        );
        assert!(is_endless, "{expression}: {fault:?}");
    }
}

/// A function of a structure is reduced where it is applied, and nowhere else.
#[test]
fn functions_of_structures_wait() {
    let endless = "((rec-func (i) (if (< i 0) i (rec (+ i 1)))) (time))";
    let program = |body: &str| {
        format!(
            "(struct S (a num) f)
             (define f (if (< {endless} 2) (func (x) (* x 2)) (func (x) x)))
             (define g (if (< (time) 2) (func (x) (* x 3)) (func (x) x)))
             {body}"
        )
    };
    is(&program("(.a (S 7 f))"), &[7.0]);
    is(&program("(.a (with (S 7 g) (f f)))"), &[7.0]);
    is(&program("((.f (S 7 g)) 5)"), &[15.0]);
    is(&program("((.f (with (S 7 f) (f g))) 5)"), &[15.0]);
    is(&program("((rec-func (s n) (if (< n 3) (rec s (+ n (.a s))) n)) (S 1 f) 0)"), &[3.0]);
    is(&program("((rec-func (s n) (if (< n 3) (rec s (+ n ((.f s) 1))) n)) (S 1 g) 0)"), &[3.0]);
}
