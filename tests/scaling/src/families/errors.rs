//! Programs with many errors.

use super::{HEAD, Table, each, nest};

pub(super) const FAMILIES: Table = &[
    ("misses", misses),
    ("long-misses", long_misses),
    ("local-misses", local_misses),
    ("unbound-names", |n| format!("(+ 1 1{})", each(n, |i| format!(" u{i}")))),
    ("unbound-lines", |n| format!("(+ 1 1{})", each(n, |i| format!("\n u{i}")))),
    ("same-unbound-name", |n| format!("(+ 1 1{})", " nowhere".repeat(n))),
    ("wrong-operands", |n| format!("{HEAD}(+ 1 1{})", each(n, |i| format!(" (+ true {i})")))),
    ("wrong-branches", |n| {
        format!("{HEAD}(+ 1 1{})", each(n, |i| format!(" (if (> x {i}) 1 true)")))
    }),
    ("wrong-in-functions", wrong_in_functions),
    ("wrong-arguments", wrong_arguments),
    ("malformed-forms", |n| format!("(+ 1 1{})", "(if 1)".repeat(n))),
    ("malformed-lets", |n| format!("(+ 1 1{})", "(let (1) 2)".repeat(n))),
    ("empty-lists", |n| "()".repeat(n)),
    ("malformed-numbers", |n| format!("(+ 1 1{})", " 1x".repeat(n))),
    ("large-numbers", |n| format!("(+ 1 1{})", " 1e99".repeat(n))),
    ("unmatched", |n| ") 1 ".repeat(n)),
    ("unclosed", |n| "(+ 1\n".repeat(n)),
    ("control-characters", |n| "a\u{1} ".repeat(n)),
    ("duplicate-names", |n| format!("(let ({}) 1)", "(a 1) ".repeat(n))),
    ("duplicate-parameters", |n| format!("(define (f{}) 1)\n1", " a".repeat(n))),
    ("duplicate-uniforms", |n| format!("{}1", "(uniform u num)\n".repeat(n))),
    ("duplicate-outputs", |n| "(output 0 1)\n".repeat(n)),
    ("bare-expressions", |n| each(n, |i| format!("{i}\n"))),
    ("bad-locations", |n| "(output 9 1)\n".repeat(n)),
    ("high-locations", |n| format!("{}(output 0 1)", "(output 7 1)\n".repeat(n))),
    ("unknown-types", |n| format!("(+ 1 1{})", " (the nothing 1)".repeat(n))),
    ("reserved-words", |n| format!("(+ 1 1{})", " define".repeat(n))),
    ("forms-as-values", |n| format!("(+ 1 1{})", " if".repeat(n))),
    ("recs-outside", |n| format!("(+ 1 1{})", " (rec 1)".repeat(n))),
    ("unreached-mistakes", |n| {
        format!("{}1", each(n, |i| format!("(define d{i} (+ {i} true))\n")))
    }),
    ("unreached-arguments", |n| {
        format!("(define (f a) 1)\n(+ 1 1{})", each(n, |i| format!(" (f (+ {i} true))")))
    }),
    ("unreached-nest", |n| {
        format!("((func (a) 1) {})", nest(n, |_| "((func (a) 1) ".into(), "(+ 1 true)", ")"))
    }),
    ("endless-application", |n| {
        format!("{}(define (f g) (g g)) (f f)", each(n, |i| format!("(define d{i} 1)\n")))
    }),
];

fn misses(n: usize) -> String {
    let names = each(n, |i| format!("(define name{i}a 1)\n"));
    format!("{names}(+ 1 1{})", each(n, |i| format!(" name{i}b")))
}

fn long_misses(n: usize) -> String {
    let long = "a-name-that-is-as-long-as-names-may-be-to-be-compared-";
    let names = each(n, |i| format!("(define {long}{i} 1)\n"));
    format!("{names}(+ 1 1{})", each(n, |i| format!(" {long}b{i}")))
}

fn local_misses(n: usize) -> String {
    let begin = |i| format!("(let ((name{i}a 1)) (+ name{i}b ");
    nest(n, begin, "1", "))")
}

fn wrong_in_functions(n: usize) -> String {
    let all = each(n, |i| format!("(define (f{i} a) (+ a true {i}))\n"));
    format!("{HEAD}{all}(+ 1 1{})", each(n, |i| format!(" (f{i} x)")))
}

fn wrong_arguments(n: usize) -> String {
    format!("{HEAD}(define (f a) a)\n(+ 1 1{})", each(n, |i| format!(" (f x {i})")))
}
