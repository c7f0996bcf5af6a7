//! Names and functions.

use super::{HEAD, Table, each, nest};

pub(super) const FAMILIES: Table = &[
    ("captures", captures),
    ("capture-applications", capture_applications),
    ("captures-in-turn", captures_in_turn),
    ("curried-nest", curried_nest),
    ("curried-defines", curried_defines),
    ("nested-lets", nested_lets),
    ("nested-lets-in-one-place", nested_lets_in_one_place),
    ("nested-let-values", nested_let_values),
    ("wide-let", wide_let),
    ("sequential-let", sequential_let),
    ("shadowed-let", shadowed_let),
    ("unused-lets", unused_lets),
    ("thunks", thunks),
    ("defines", defines),
    ("redefines", redefines),
    ("unused-defines", unused_defines),
    ("functions", functions),
    ("chain-of-functions", chain_of_functions),
    ("functions-of-functions", functions_of_functions),
    ("nested-functions", nested_functions),
    ("function-parameters", function_parameters),
    ("parameters-passed-on", parameters_passed_on),
    ("annotations", annotations),
    ("applied-lambdas", applied_lambdas),
    ("towers", towers),
    ("tower", tower),
    ("doubling", doubling),
    ("composition", composition),
];

fn names(n: usize) -> String {
    each(n, |i| format!("(v{i} (+ x {i})) "))
}

fn uses(n: usize) -> String {
    each(n, |i| format!(" v{i}"))
}

fn captures(n: usize) -> String {
    format!("{HEAD}(let ({}) ((func (a) (+ a 1{})) y))", names(n), uses(n))
}

fn capture_applications(n: usize) -> String {
    // Each application uses all captured values, so the numbers of both are the square root of the size.
    let calls = each(n.isqrt(), |i| format!(" (f {i})"));
    let function = format!("(func (a) (let ((b (+ a 1{}))) (+ b a)))", uses(n.isqrt()));
    format!("{HEAD}(let ({}) (let ((f {function})) (+ 1 1{calls})))", names(n))
}

fn captures_in_turn(n: usize) -> String {
    let begin = |i| match i {
        0 => "(let ((f0 (func (a) a))) ".to_owned(),
        i => format!("(let ((f{i} (func (a) (f{} (+ a v{i}))))) ", i - 1),
    };
    format!("{HEAD}(let ({}) {})", names(n), nest(n, begin, &format!("(f{} y)", n - 1), ")"))
}

fn curried_nest(n: usize) -> String {
    let function = nest(n, |i| format!("(func (v{i}) "), &format!("(+ 1 1{})", uses(n)), ")");
    let arguments = each(n, |i| format!(" {i})"));
    format!("{HEAD}{}{function}{arguments}", "(".repeat(n))
}

fn curried_defines(n: usize) -> String {
    let function = nest(n, |i| format!("(func (v{i}) "), &format!("(+ 1 1{})", uses(n)), ")");
    let steps = each(n, |i| format!("(define f{} (f{i} (+ x {i})))\n", i + 1));
    format!("{HEAD}(define f0 {function})\n{steps}f{n}")
}

fn nested_lets(n: usize) -> String {
    let begin = |i| match i {
        0 => "(let ((v0 x)) ".to_owned(),
        i => format!("(let ((v{i} (+ v{} {i}))) ", i - 1),
    };
    format!("{HEAD}{}", nest(n, begin, &format!("v{}", n - 1), ")"))
}

fn nested_lets_in_one_place(n: usize) -> String {
    let inner = format!("(+ 1 1{})", uses(n));
    format!("{HEAD}{}", nest(n, |i| format!("(let ((v{i} (+ x {i}))) "), &inner, ")"))
}

fn nested_let_values(n: usize) -> String {
    format!("{HEAD}{}", nest(n, |_| "(let ((v ".into(), "x", ")) (+ v y))"))
}

fn wide_let(n: usize) -> String {
    format!("{HEAD}(let ({}) (+ 1 1{}))", names(n), uses(n))
}

fn sequential_let(n: usize) -> String {
    let bindings = each(n, |i| format!("(v{} (* v{i} (+ x {i}))) ", i + 1));
    format!("{HEAD}(let* ((v0 y) {bindings}) (+ v0{}))", uses(n))
}

fn shadowed_let(n: usize) -> String {
    format!("{HEAD}(let* ((v x) {}) v)", each(n, |i| format!("(v (+ v {i})) ")))
}

fn unused_lets(n: usize) -> String {
    format!("{HEAD}(let* ((v0 y) {}) x)", each(n, |i| format!("(v{} (* v{i} x)) ", i + 1)))
}

fn thunks(n: usize) -> String {
    let arguments = each(n, |i| format!(" (f (+ x {i}) (+ y {i}))"));
    format!("{HEAD}(define (f a b) (if (> x 1) (+ a 1) (* a 2)))\n(+ 1 1{arguments})")
}

fn defines(n: usize) -> String {
    format!("{HEAD}(define v0 x)\n{}v{n}", each(n, |i| format!("(define v{} (+ v{i} t))\n", i + 1)))
}

fn redefines(n: usize) -> String {
    format!("{HEAD}(define v x)\n{}v", each(n, |i| format!("(define v (+ v {i}))\n")))
}

fn unused_defines(n: usize) -> String {
    format!("{HEAD}{}x", each(n, |i| format!("(define v{i} (+ x {i}))\n")))
}

fn functions(n: usize) -> String {
    let all = each(n, |i| format!("(define (f{i} a) (+ (* a {i}) 1))\n"));
    format!("{HEAD}{all}(+ 1 1{})", each(n, |i| format!(" (f{i} x)")))
}

fn chain_of_functions(n: usize) -> String {
    let all = each(n, |i| format!("(define (f{} a) (f{i} (+ a {i})))\n", i + 1));
    format!("{HEAD}(define (f0 a) a)\n{all}(f{n} x)")
}

fn functions_of_functions(n: usize) -> String {
    let all = each(n, |i| format!("(define (f{} g) (f{i} (func (a) (g (+ a {i})))))\n", i + 1));
    format!("{HEAD}(define (f0 g) (g x))\n{all}(f{n} sin)")
}

fn nested_functions(n: usize) -> String {
    let body = nest(n, |i| format!("((func (v{i}) "), "x", ") (+ y 1))");
    format!("{HEAD}{body}")
}

fn function_parameters(n: usize) -> String {
    format!("{HEAD}(define (f{0}) (+ 1 1{0}))\n(f{1})", uses(n), each(n, |i| format!(" (* x {i})")))
}

fn parameters_passed_on(n: usize) -> String {
    // The numbers of functions and of parameters are the square root of the size.
    let root = n.isqrt().max(1);
    let (names, first) = (uses(root), each(root, |i| format!(" (* x {i})")));
    let all = each(root, |i| format!("(define (f{}{names}) (f{i}{names}))\n", i + 1));
    format!("{HEAD}(define (f0{names}) (+ 1 1{names}))\n{all}(f{root}{first})")
}

fn annotations(n: usize) -> String {
    let parameters = each(n, |i| format!(" (v{i} num)"));
    format!(
        "{HEAD}(define (f{parameters}) (+ 1 1{}))\n(f{})",
        uses(n),
        each(n, |i| format!(" (the num {i})"))
    )
}

fn applied_lambdas(n: usize) -> String {
    format!("{HEAD}(+ 1 1{})", each(n, |i| format!(" ((func (a b) (+ (* a {i}) b)) x y)")))
}

const TWICE: &str = "(define (twice f) (func (a) (f (f a))))\n";

fn towers(n: usize) -> String {
    let tower = |i| {
        let inc = format!("(func (a) (+ (sin a) {i}))");
        format!(" ({}{inc}{} x)", "(twice ".repeat(10), ")".repeat(10))
    };
    format!("{HEAD}{TWICE}(+ 1 1{})", each(n.div_ceil(16), tower))
}

fn tower(n: usize) -> String {
    // The highest allowed tower, padded with unused definitions.
    let rest = each(n, |i| format!("(define unused{i} 0)\n"));
    let inc = "(func (a) (+ (* a x) y))";
    format!("{HEAD}{TWICE}{rest}({}{inc}{} x)", "(twice ".repeat(17), ")".repeat(17))
}

fn doubling(n: usize) -> String {
    let all = each(n, |i| format!("(define (f{} a) (+ (f{i} (+ a 1)) (f{i} (+ a 1))))\n", i + 1));
    format!("{HEAD}(define (f0 a) a)\n{all}(f{n} x)")
}

fn composition(n: usize) -> String {
    let all = each(n, |i| format!("(define c{} (compose c{i} (func (a) (+ a {i}))))\n", i + 1));
    format!("{HEAD}(define (compose f g) (func (a) (f (g a))))\n(define c0 sin)\n{all}(c{n} x)")
}
