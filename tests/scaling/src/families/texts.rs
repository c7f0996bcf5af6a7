//! Texts with other kinds of length, and core texts.

use super::{HEAD, Table, each, nest};

pub(super) const FAMILIES: Table = &[
    ("comments", |n| format!("{}1", "; nothing is said here\n".repeat(n))),
    ("one-comment", |n| format!(";{}\n1", "x".repeat(n))),
    ("white-space", |n| format!("{}1", " \t\n".repeat(n))),
    ("long-name", |n| format!("(define {0} 1)\n{0}", "x".repeat(n))),
    ("long-names", |n| {
        let name = "x".repeat(200);
        format!("{}1", each(n, |i| format!("(define {name}{i} 1)\n")))
    }),
    ("long-unbound-name", |n| "x".repeat(n)),
    ("long-uniform", |n| format!("(uniform {0} num)\n{0}", "x".repeat(n))),
    ("digits", |n| format!("0.{}", "9".repeat(n))),
    ("zeros", |n| format!("1{}e-{n}", "0".repeat(n))),
    ("numbers", |n| format!("{HEAD}(+ x 1{})", each(n, |i| format!(" {i}.25e-3")))),
    ("parentheses", |n| format!("{}1{}", "(".repeat(n), ")".repeat(n))),
    ("deep-sum", |n| format!("{HEAD}{}", nest(n, |i| format!("(+ {i} "), "x", ")"))),
    ("deep-sum-to-the-left", |n| format!("{HEAD}{}", nest(n, |_| "(+ ".into(), "x", " y)"))),
    ("one-line", |n| format!("{}(+ 1 true)", each(n, |i| format!("(define v{i} {i}) ")))),
    ("wide-characters", |n| format!("; {}\n(+ 1 nowhere)", "λ".repeat(n))),
    ("core-line", core_line),
    ("core-values", core_values),
    ("core-loops", core_loops),
    ("core-nest", core_nest),
    ("core-parameters", core_parameters),
    ("core-uniforms", core_uniforms),
    ("core-mistakes", |n| format!("{CORE}{}", each(n, |i| format!("%{i}: num = ad %{i}, %{i}\n")))),
    ("core-gone", core_gone),
];

const CORE: &str = "lambdav-core 1\n";

fn core_line(n: usize) -> String {
    let first = "%0: vec4 = input frag-coord\n%1: num = component.0 %0\n";
    let steps = each(n, |i| format!("%{}: num = mul %{}, %1\n", i + 2, i + 1));
    format!("{CORE}{first}{steps}output 0 = %{}\n", n + 1)
}

fn core_values(n: usize) -> String {
    let all = each(n, |i| format!("%{i} \"name{i}\": num = {i}.5\n"));
    format!("{CORE}{all}output 0 = %0\n")
}

const LOOP: &str =
    "  %C: bool = less %P, %1\n  if %C {\n    rec %1\n  } else {\n    yield %P\n  }\n}\n";

fn loop_of(i: usize, init: usize) -> String {
    let (value, param, condition) = (2 + 3 * i, 3 + 3 * i, 4 + 3 * i);
    let body = LOOP.replace("%C", &format!("%{condition}")).replace("%P", &format!("%{param}"));
    format!("%{value}: num = loop (%{param}: num = %{init}) {{\n{body}")
}

fn core_loops(n: usize) -> String {
    let first = "%0: vec4 = input frag-coord\n%1: num = component.0 %0\n";
    let all = each(n, |i| loop_of(i, if i == 0 { 1 } else { 3 * i - 1 }));
    format!("{CORE}{first}{all}output 0 = %{}\n", 3 * n - 1)
}

fn core_nest(n: usize) -> String {
    let first = "%0: vec4 = input frag-coord\n%1: num = component.0 %0\n%2: bool = less %1, %1\n";
    let opened = each(n, |i| format!("%{}: num = if %2 {{\nyield %1\n}} else {{\n", i + 3));
    let closed = each(n, |i| format!("yield %{}\n}}\n", if i == 0 { 1 } else { n + 3 - i }));
    format!("{CORE}{first}{opened}{closed}output 0 = %3\n")
}

fn core_parameters(n: usize) -> String {
    let list = |what: &dyn Fn(usize) -> String| (0..n).map(what).collect::<Vec<_>>().join(", ");
    let params = list(&|i| format!("%{}: num = %1", i + 2));
    let turned = list(&|i| format!("%{}", (i + 1) % n + 2));
    let last = n + 2;
    format!(
        "{CORE}%0: vec4 = input frag-coord\n%1: num = component.0 %0\n\
         %{last}: num = loop ({params}) {{\n%{}: bool = less %2, %1\n\
         if %{} {{\nrec {turned}\n}} else {{\nyield %2\n}}\n}}\noutput 0 = %{last}\n",
        last + 1,
        last + 1
    )
}

fn core_uniforms(n: usize) -> String {
    let all = each(n, |i| format!("uniform \"u{i}\": num = 1.0\n"));
    let uses = each(n, |i| format!("%{i}: num = uniform \"u{i}\"\n"));
    format!("{CORE}{all}{uses}output 0 = %0\n")
}

fn core_gone(n: usize) -> String {
    let all = each(n, |i| {
        format!(
            "%{}: num = if %0 {{\n%{}: num = 1.0\nyield %{}\n}} else {{\nyield %1\n}}\n",
            2 * i + 2,
            2 * i + 3,
            2 * i + 3
        )
    });
    let sum = "output 0 = %2\n";
    format!("{CORE}%0: bool = true\n%1: num = 2.0\n{all}{sum}")
}
