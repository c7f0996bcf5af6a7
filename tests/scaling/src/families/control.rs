//! Branches and loops.

use super::{HEAD, Table, count_to, each, nest};

pub(super) const FAMILIES: Table = &[
    ("loop-in-arms", loop_in_arms),
    ("loops-in-arms", loops_in_arms),
    ("loops-in-suffixes", loops_in_suffixes),
    ("loops-in-shuffled-arms", loops_in_shuffled_arms),
    ("loops-in-conditions", loops_in_conditions),
    ("late-demands", late_demands),
    ("loop-in-wide-arms", loop_in_wide_arms),
    ("loop-in-bodies", loop_in_bodies),
    ("same-tail-condition", |n| tail(n, |_| "(> m 100)".into())),
    ("tail-conditions", |n| tail(n, |i| format!("(> m {i})"))),
    ("invariant-tail-conditions", |n| tail(n, |i| format!("(> x {i})"))),
    ("uniform-tail-conditions", |n| tail(n, |i| format!("(> t {i})"))),
    ("mixed-tail-conditions", |n| tail(n, |i| format!("(and (> t {i}) (> x {i}))"))),
    ("either-tail-conditions", |n| tail(n, |i| format!("(or (> t {i}) (> x {i}))"))),
    ("tail-of-recs", tail_of_recs),
    ("tail-of-work", tail_of_work),
    ("exits", exits),
    ("shared-tail", shared_tail),
    ("nested-loops", nested_loops),
    ("loops-in-tails", loops_in_tails),
    ("loops-in-turn", loops_in_turn),
    ("loops-aside", loops_aside),
    ("loop-parameters", loop_parameters),
    ("parameters-of-recs", parameters_of_recs),
    ("dead-parameters", dead_parameters),
    ("static-parameters", static_parameters),
    ("ifs-in-turn", ifs_in_turn),
    ("nested-ifs", nested_ifs),
    ("ifs-in-conditions", ifs_in_conditions),
    ("vector-arms", vector_arms),
    ("chosen-functions", chosen_functions),
    ("choices-of-choices", choices_of_choices),
];

fn loop_in_arms(n: usize) -> String {
    let arms = nest(n, |i| format!("(if (> x {i}) (+ l {i}) "), "0", ")");
    format!("{HEAD}(define l {})\n{arms}", count_to(9))
}

fn loops(n: usize) -> String {
    each(n, |i| format!("(define l{i} {})\n", count_to(i)))
}

fn loops_in_arms(n: usize) -> String {
    let sum = each(n, |i| format!(" l{i}"));
    let arms = nest(n, |i| format!("(if (> x {i}) (+ l {i}) "), "0", ")");
    format!("{HEAD}{}(define l (+ 1 1{sum}))\n{arms}", loops(n))
}

fn sums_of_loops(n: usize) -> String {
    let sums = each(n, |i| format!("(define s{} (+ s{i} l{i}))\n", i + 1));
    format!("{HEAD}{}(define s0 1)\n{sums}", loops(n))
}

fn loops_in_suffixes(n: usize) -> String {
    let arms = nest(n, |i| format!("(if (> x {i}) s{i} "), "0", ")");
    format!("{}{arms}", sums_of_loops(n))
}

fn loops_in_shuffled_arms(n: usize) -> String {
    // A step that is coprime to most sizes.
    let arms = nest(n, |i| format!("(if (> x {i}) s{} ", (i * 7919 + 13) % n), "0", ")");
    format!("{}{arms}", sums_of_loops(n))
}

fn loops_in_conditions(n: usize) -> String {
    let arms = nest(n, |i| format!("(if (> {} {i}) (+ l {i}) ", count_to(i)), "0", ")");
    format!("{HEAD}(define l {})\n{arms}", count_to(9))
}

/// Conditions of branches that need a loop ask for sums of another loop once the sums have been placed, on all paths.
fn late_demands(n: usize) -> String {
    let sums = each(n, |i| format!("(define s{} (+ (* s{i} 0.5) (sqrt s{i})))\n", i + 1));
    let arms = each(3, |i| format!(" (if (> s{n} {i}) (* m {i}) {i})"));
    let (m, s0) = (count_to(1), count_to(2));
    format!("{HEAD}(define m {m})\n(define s0 {s0})\n{sums}(+ (if (> x 1) m 0){arms})")
}

fn loop_in_wide_arms(n: usize) -> String {
    let arms = each(n, |i| format!(" (if (> x {i}) (+ l {i}) 0)"));
    format!("{HEAD}(define l {})\n(+ 1 1{arms})", count_to(9))
}

fn loop_in_bodies(n: usize) -> String {
    let bodies = each(n, |i| {
        format!(" ((rec-func (n) (if (> n {i}) (if (> n {i}.5) l n) (rec (+ (* n 2) 1)))) x)")
    });
    format!("{HEAD}(define l {})\n(+ 1 1{bodies})", count_to(9))
}

fn tail(n: usize, condition: impl Fn(usize) -> String) -> String {
    let tail = nest(n, |i| format!("(if {} m ", condition(i)), "(rec (+ m 1))", ")");
    format!("{HEAD}((rec-func (m) (if (> m 50) m {tail})) x)")
}

fn tail_of_recs(n: usize) -> String {
    let tail = nest(n, |i| format!("(if (> m {i}) (rec (+ m {i})) "), "m", ")");
    format!("{HEAD}((rec-func (m) (if (> m 50) m {tail})) x)")
}

fn tail_of_work(n: usize) -> String {
    let tail =
        nest(n, |i| format!("(if (> (sin (+ m {i})) 2) (cos (* m {i})) "), "(rec (+ m 1))", ")");
    format!("{HEAD}((rec-func (m) (if (> m 5) m {tail})) x)")
}

fn exits(n: usize) -> String {
    let tail = nest(n, |i| format!("(if (> m {i}) (vec4 {i} m m 1) "), "(rec (+ m 1))", ")");
    format!("{HEAD}((rec-func (m) {tail}) x)")
}

fn shared_tail(n: usize) -> String {
    let arms = nest(n, |i| format!("(if (> m {i}) k "), "m", ")");
    format!("{HEAD}((rec-func (m) (let ((k (if (> m y) 1 (rec (+ m 1))))) {arms})) x)")
}

fn nested_loops(n: usize) -> String {
    let begin = |i| format!("((rec-func (n{i}) (if (> n{i} {i}) n{i} (rec (+ 9 n{i} ");
    format!("{HEAD}{}", nest(n, begin, "1", ")))) x)"))
}

fn loops_in_tails(n: usize) -> String {
    let begin = |i| format!("((rec-func (n) (if (< n {i}) (rec (+ n {i})) ");
    format!("{HEAD}{}", nest(n, begin, "n", ")) x)"))
}

fn loops_in_turn(n: usize) -> String {
    let step =
        |i| format!("(define a{} ((rec-func (n) (if (> n {i}) n (rec (+ n 9)))) a{i}))\n", i + 1);
    format!("{HEAD}(define a0 x)\n{}a{n}", each(n, step))
}

fn loops_aside(n: usize) -> String {
    format!("{HEAD}(+ 1 1{})", each(n, |i| format!(" {}", count_to(i))))
}

fn loop_parameters(n: usize) -> String {
    let names = each(n, |i| format!(" p{i}"));
    let turned = each(n, |i| format!(" p{}", (i + 1) % n));
    let first = each(n, |i| format!(" {i}"));
    format!("{HEAD}((rec-func (m{names}) (if (> m 5) p0 (rec (+ m 1){turned}))) x{first})")
}

fn parameters_of_recs(n: usize) -> String {
    let names = each(n, |i| format!(" p{i}"));
    let turned = each(n, |i| format!(" p{}", (i + 1) % n));
    let arms = nest(n, |i| format!("(if (> m {i}) k "), "p0", ")");
    let first = each(n, |i| format!(" {i}"));
    format!(
        "{HEAD}((rec-func (m{names}) (let ((k (rec (+ m 1){turned}))) (if (> m 5) p0 {arms}))) x{first})"
    )
}

fn dead_parameters(n: usize) -> String {
    let names = each(n, |i| format!(" p{i}"));
    let next = each(n, |i| format!(" (+ p{i} 1)"));
    let first = each(n, |i| format!(" {i}"));
    format!("{HEAD}((rec-func (m{names}) (if (> m 5) m (rec (+ m 1){next}))) x{first})")
}

fn static_parameters(n: usize) -> String {
    let names = each(n, |i| format!(" f{i}"));
    let functions = each(n, |i| format!(" (func (a) (+ a {i}))"));
    let used = nest(n, |i| format!("(f{i} "), "m", ")");
    format!("{HEAD}((rec-func (m{names}) (if (> m 5) m (rec {used}{names}))) x{functions})")
}

fn ifs_in_turn(n: usize) -> String {
    let step = |i| format!("(define a{} (if (> a{i} {i}) (sin (+ a{i} {i})) (* a{i} 3)))\n", i + 1);
    format!("{HEAD}(define a0 x)\n{}a{n}", each(n, step))
}

fn nested_ifs(n: usize) -> String {
    format!("{HEAD}{}", nest(n, |i| format!("(if (> x {i}) (sin (+ y {i})) "), "0", ")"))
}

fn ifs_in_conditions(n: usize) -> String {
    format!("{HEAD}{}", nest(n, |_| "(if (> ".into(), "x", " 1) 0.5 (sin (* x y)))"))
}

fn vector_arms(n: usize) -> String {
    let step = |i| {
        format!("(define a{} (if (> x {i}) (* a{i} (vec4 1 2 {i} t)) (+ a{i} (sin y))))\n", i + 1)
    };
    format!("{HEAD}(define a0 (frag-coord))\n{}a{n}", each(n, step))
}

fn chosen_functions(n: usize) -> String {
    let chosen = nest(n, |i| format!("(if (> x {i}) (func (a) (+ a {i})) "), "sin", ")");
    format!("{HEAD}({chosen} y)")
}

fn choices_of_choices(n: usize) -> String {
    let step = |i| format!("(define f{} (if (> x {i}) f{i} (if (> y {i}) f{i} cos)))\n", i + 1);
    format!("{HEAD}(define f0 sin)\n{}(f{n} y)", each(n, step))
}
