//! Computations.

use super::{HEAD, Table, each};

pub(super) const FAMILIES: Table = &[
    ("long-sum", |n| format!("{HEAD}(+ x 1{})", each(n, |i| format!(" (* y {i})")))),
    ("lines-of-work", lines_of_work),
    ("vector-lines", vector_lines),
    ("many-live-values", many_live_values),
    ("live-across-calls", live_across_calls),
    ("live-across-loop", live_across_loop),
    ("sines", |n| format!("{HEAD}(+ x 1{})", each(n, |i| format!(" (sin (* y {i}))")))),
    ("elementary-functions", elementary_functions),
    ("vector-functions", |n| {
        format!("{HEAD}(+ (frag-coord) 1{})", each(n, |i| format!(" (exp (* (frag-coord) {i}))")))
    }),
    ("powers", |n| format!("{HEAD}(+ x 1{})", each(n, |i| format!(" (pow x {i})")))),
    ("divisions", |n| format!("{HEAD}(+ x 1{})", each(n, |i| format!(" (/ x (+ y {i}))")))),
    ("selects", |n| format!("{HEAD}(+ x 1{})", each(n, |i| format!(" (select (> x {i}) y {i})")))),
    ("logic", |n| {
        format!("{HEAD}(if (and (> x 1) (> y 1){}) 1 0)", each(n, |i| format!(" (> x {i})")))
    }),
    ("swizzles", |n| format!("{HEAD}(+ (frag-coord) 1{})", " (.wzyx (frag-coord))".repeat(n))),
    ("constructors", |n| {
        format!("{HEAD}(+ (vec4 x) 1{})", each(n, |i| format!(" (vec4 x {i} y 1)")))
    }),
    ("matrix-products", matrix_products),
    ("inverses", inverses),
    ("determinants", |n| {
        format!("{HEAD}(+ 1 1{})", each(n, |i| format!(" (determinant (mat4 (+ x {i})))")))
    }),
    ("geometry", |n| {
        format!(
            "{HEAD}(+ 1 1{})",
            each(n, |i| format!(" (length (refract (vec3 x y {i}) (vec3 y) 0.5))"))
        )
    }),
    ("constants", |n| format!("(+ 1 1{})", each(n, |i| format!(" (sin {i})")))),
    ("constant-matrices", |n| {
        format!("(+ 1 1{})", each(n, |i| format!(" (determinant (mat4 {i}))")))
    }),
    ("uniforms", uniforms),
    ("unused-uniforms", |n| format!("{}1", each(n, |i| format!("(uniform u{i} mat4)\n")))),
    ("uniform-defaults", |n| {
        format!("{}1", each(n, |i| format!("(uniform u{i} num (sin {i}))\n")))
    }),
    ("uniform-loops", |n| {
        format!(
            "{}1",
            each(n, |i| format!(
                "(uniform u{i} num ((rec-func (n) (if (> n {i}) n (rec (+ n {i})))) 1))\n"
            ))
        )
    }),
    ("outputs", outputs),
    ("frame-values", frame_values),
    ("equal-terms", |n| format!("{HEAD}(+ x 1{})", " (sin (* x y))".repeat(n))),
];

fn lines_of_work(n: usize) -> String {
    let step = |i| format!("(define a{} (+ (* a{i} x) {i}))\n", i + 1);
    format!("{HEAD}(define a0 x)\n{}a{n}", each(n, step))
}

fn vector_lines(n: usize) -> String {
    let step = |i| format!("(define a{} (+ (* a{i} (frag-coord)) {i}))\n", i + 1);
    format!("{HEAD}(define a0 (frag-coord))\n{}a{n}", each(n, step))
}

fn many_live_values(n: usize) -> String {
    // Each value is computed in the first half and used in the second, in reverse order.
    let there = each(n, |i| format!("(define a{} (+ (* a{i} x) {i}))\n", i + 1));
    let back = each(n, |i| format!("(define b{} (* (+ b{i} y) a{}))\n", i + 1, n - i));
    format!("{HEAD}(define a0 x)\n{there}(define b0 a{n})\n{back}b{n}")
}

fn live_across_calls(n: usize) -> String {
    let there = each(n, |i| format!("(define a{} (sin (+ a{i} x)))\n", i + 1));
    let back = each(n, |i| format!("(define b{} (cos (* b{i} a{})))\n", i + 1, n - i));
    format!("{HEAD}(define a0 x)\n{there}(define b0 a{n})\n{back}b{n}")
}

fn live_across_loop(n: usize) -> String {
    let all = each(n, |i| format!("(define a{i} (* x (+ y {i})))\n"));
    let uses = each(n, |i| format!(" a{i}"));
    format!("{HEAD}{all}((rec-func (n) (if (> n 5) (+ n 1{uses}) (rec (+ n 1{uses})))) 1)")
}

fn elementary_functions(n: usize) -> String {
    const NAMES: [&str; 16] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "exp2", "log", "log2",
    ];
    let step = |i: usize| format!("(define a{} ({} (+ a{i} x)))\n", i + 1, NAMES[i % 16]);
    format!("{HEAD}(define a0 x)\n{}a{n}", each(n, step))
}

fn matrix_products(n: usize) -> String {
    let step = |i| format!("(define a{} (* a{i} (mat4 (+ x {i}))))\n", i + 1);
    format!(
        "{HEAD}(define a0 (mat4 (frag-coord) (frag-coord) (frag-coord) (frag-coord)))\n{}(col a{n} 0)",
        each(n, step)
    )
}

fn inverses(n: usize) -> String {
    let step = |i| format!("(define a{} (inverse (+ a{i} (mat4 {i}))))\n", i + 1);
    format!(
        "{HEAD}(define a0 (mat4 (frag-coord) (frag-coord) (frag-coord) (frag-coord)))\n{}(col a{n} 0)",
        each(n, step)
    )
}

fn uniforms(n: usize) -> String {
    let all = each(n, |i| format!("(uniform u{i} num)\n"));
    format!("{all}(+ 1 1{})", each(n, |i| format!(" u{i}")))
}

fn outputs(n: usize) -> String {
    let all = each(n, |i| format!("(define a{i} (sin (+ x {i})))\n"));
    let outputs = each(8, |location| {
        let mut sum = String::new();
        for i in (location..n).step_by(8) {
            sum += &format!(" a{i}");
        }
        format!("(output {location} (+ 1 1{sum}))\n")
    });
    format!("{HEAD}{all}{outputs}")
}

fn frame_values(n: usize) -> String {
    let all = each(n, |i| format!("(define a{i} (sin (+ t {i})))\n"));
    format!("{HEAD}{all}(+ 1 1{})", each(n, |i| format!(" (* x a{i})")))
}
