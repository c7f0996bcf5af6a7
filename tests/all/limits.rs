//! The limits of LANGUAGE.md §4 and of docs/limits.md: programs within the limits are accepted, others are
//! refused with one clear error, and neither needs more than an ordinary thread's stack.

use crate::engines::{Accepted, ENGINES, Outputs, Stop};
use lambdav_core::core_text;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Core, Node, NodeId};
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::op::Op;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_engine::program::Loaded;
use lambdav_frontend::{compile, compile_within};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The nesting depth of lists that every compiler must accept.
const LISTS: usize = 10_000;

fn accepted(text: &str) -> Core {
    let (core, diagnostics) = compile(&SourceFile::new("program.lv", text));
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    core.unwrap_or_else(|| panic!("{errors:?}"))
}

/// The only diagnostic of a refused program.
fn refused(text: &str) -> Diagnostic {
    refused_bytes(text.as_bytes())
}

fn refused_bytes(bytes: &[u8]) -> Diagnostic {
    let loaded = Loaded::from_bytes("program.lv", bytes.to_vec());
    assert!(loaded.core.is_none(), "it is accepted");
    let [only] = loaded.diagnostics.as_slice() else {
        panic!("{} diagnostics: {:?}", loaded.diagnostics.len(), loaded.diagnostics)
    };
    assert!(only.is_error());
    only.clone()
}

/// The value at `time`, which must be the same for all engines.
fn value(text: &str, time: f32) -> Vec<f32> {
    let source = SourceFile::new("program.lv", text);
    let core = accepted(text);
    schedule(&core, &[0]).expect("it can be scheduled");
    let printed = core_text::print(&core, Some(&source)).expect("it can be printed");
    let (again, diagnostics) = core_text::read(&SourceFile::new("core", printed));
    assert!(again.is_some(), "{diagnostics:?}");
    let inputs = Inputs { time, ..Inputs::default() };
    let (_, literal) = ENGINES.iter().find(|(name, _)| *name == "source").expect("it is one");
    let program = Accepted { source: &source, core: &core, locations: vec![0] };
    let expected = outputs(literal(&program, &inputs, limits::ITERATIONS));
    for (name, engine) in ENGINES {
        let found = outputs(engine(&program, &inputs, limits::ITERATIONS));
        assert_eq!(found, expected, "{name}");
    }
    expected[0].1.iter().map(|&word| f32::from_bits(word)).collect()
}

fn outputs(result: Result<Outputs, Stop>) -> Outputs {
    match result {
        Ok(outputs) => outputs,
        Err(Stop::Diagnostic(diagnostic)) => panic!("{diagnostic:?}"),
        Err(Stop::LoopLimit) => panic!("a loop exceeds the limit"),
        Err(Stop::Other(what)) => panic!("{what}"),
    }
}

/// The nodes that the outputs need.
fn needed(core: &Core) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<NodeId> = core.outputs.iter().map(|o| o.node).collect();
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            pending.extend(core.graph.operands(id));
        }
    }
    found
}

fn operations(core: &Core, counted: impl Fn(&Op) -> bool) -> usize {
    let is_counted = |id: &&NodeId| matches!(core.graph.node(**id), Node::Op(op, _) if counted(op));
    needed(core).iter().filter(is_counted).count()
}

/// A chain of 201 functions. `level` gives the body of each from the number of the one before.
fn levels(level: impl Fn(usize) -> String) -> String {
    let mut text = "(define f0 (func (x) (* x x)))\n".to_owned();
    for i in 1..=200 {
        let _ = writeln!(text, "(define f{i} (func (x) {}))", level(i - 1));
    }
    text + "(f200 (time))"
}

/// Without sharing there were 2^200 additions.
#[test]
fn equal_applications_are_one() {
    let core = accepted(&levels(|f| format!("(+ (f{f} x) (f{f} x))")));
    let sums = operations(&core, |op| *op == Op::Add);
    assert!(sums <= 201, "{sums} additions");
}

/// The same with computed arguments: each level has one more addition.
#[test]
fn applications_to_equal_arguments_are_one() {
    let core = accepted(&levels(|f| format!("(+ (f{f} (+ x 1)) (f{f} (+ x 1)))")));
    let sums = operations(&core, |op| *op == Op::Add);
    assert!(sums <= 401, "{sums} additions");
}

/// The same with equal arguments under different names, one of them captured by a closure.
#[test]
fn applications_to_arguments_of_several_names_are_one() {
    let text =
        levels(|f| format!("(let ((a (+ x 1)) (b (+ x 1))) (+ (f{f} a) ((func () (f{f} b)))))"));
    let sums = operations(&accepted(&text), |op| *op == Op::Add);
    assert!(sums <= 401, "{sums} additions");
}

const TWICE: &str = "(define twice (func (f) (func (x) (f (f x)))))
(define inc (func (x) (+ x 1)))
";

fn tower(levels: usize) -> String {
    format!("{TWICE}({}inc{} (time))", "(twice ".repeat(levels), ")".repeat(levels))
}

#[test]
fn sixteen_levels_of_twice() {
    assert_eq!(operations(&accepted(&tower(16)), |op| *op == Op::Add), 1 << 16);
    assert_eq!(value(&tower(16), 0.0), [65536.0]);
    let applied = format!("{TWICE}(((((twice twice) twice) twice) inc) (time))");
    assert_eq!(operations(&accepted(&applied), |op| *op == Op::Add), 1 << 16);
}

#[test]
fn towers_that_are_too_high() {
    for levels in [20, 40] {
        assert_eq!(refused(&tower(levels)).code, DiagnosticCode::ExpansionTooLarge, "{levels}");
    }
    // 2^65536 applications, nested too deep.
    for towers in
        ["((((twice twice) twice) twice) twice)", "((((twice twice) (twice twice)) twice) twice)"]
    {
        let code = refused(&format!("{TWICE}(({towers} inc) (time))")).code;
        assert!(
            [DiagnosticCode::EndlessExpansion, DiagnosticCode::ExpansionTooLarge].contains(&code),
            "{code:?}"
        );
    }
}

/// Each limit of inlining is named in the error.
#[test]
fn limits_of_inlining() {
    let steps = tower(20);
    let unused = [" x"; 200].concat();
    let parameters: String = (0..200).map(|i| format!(" a{i}")).collect();
    let bindings = tower(14).replace("(+ x 1)", &format!("(f x{unused})"));
    let bindings = format!("(define (f x{parameters}) (+ x 1))\n{bindings}");
    for (text, most) in [
        (steps, format!("at most {} steps of expansion", limits::EXPANSION_STEPS)),
        (bindings, format!("at most {} arguments and bindings", limits::BINDINGS)),
    ] {
        let found = refused(&text);
        assert_eq!(found.code, DiagnosticCode::ExpansionTooLarge);
        assert!(found.notes.iter().any(|note| note.contains(&most)), "{most}: {:?}", found.notes);
    }
}

/// Beyond the limit, unbound names are reported without a suggestion.
#[test]
fn suggestions_are_limited() {
    let names: String = (0..limits::SUGGESTIONS + 50).map(|i| format!(" thing{i}")).collect();
    let text = format!("(define thing 1) (+ (time){names})");
    let source = SourceFile::new("program.lv", text);
    let (_, diagnostics, _) = compile_within(&source, 10_000);
    let (with, without): (Vec<_>, Vec<_>) =
        diagnostics.iter().filter(|d| d.is_error()).partition(|d| d.help.is_some());
    assert_eq!((with.len(), without.len()), (limits::SUGGESTIONS, 50));
}

/// A chain of functions, each of which applies the one before.
fn chain(applications: usize) -> String {
    let mut text = "(define (f1 x) (+ x 1))\n".to_owned();
    for i in 2..=applications {
        let _ = writeln!(text, "(define (f{i} x) (f{} x))", i - 1);
    }
    let _ = write!(text, "(f{applications} (time))");
    text
}

#[test]
fn nested_applications() {
    assert_eq!(value(&chain(10_000), 1.5), [2.5]);
    assert_eq!(refused(&chain(10_001)).code, DiagnosticCode::EndlessExpansion);
}

/// The error for an endless self-application shows the functions of the cycle.
#[test]
fn an_endless_expansion_shows_its_cycle() {
    let text = "(define (ping self other x) (other other self x))\n\
                (define (pong self other x) (other other self (+ x 1)))\n\
                (ping ping pong (time))";
    let found = refused(text);
    assert_eq!(found.code, DiagnosticCode::EndlessExpansion);
    let shown: BTreeSet<&str> = [&found.primary]
        .into_iter()
        .chain(&found.secondary)
        .map(|l| &text[l.span.start as usize..l.span.end as usize])
        .collect();
    assert!(shown.contains("(other other self x)"), "{shown:?}");
    assert!(shown.contains("(other other self (+ x 1))"), "{shown:?}");
}

/// `inner` nested in `count` levels. `level` gives the beginning and end of each.
fn nested(count: usize, inner: &str, level: impl Fn(usize) -> (String, &'static str)) -> String {
    let (mut text, mut ends) = (String::new(), Vec::new());
    for i in 0..count {
        let (begin, end) = level(i);
        text.push_str(&begin);
        ends.push(end);
    }
    text.push_str(inner);
    ends.iter().rev().for_each(|end| text.push_str(end));
    text
}

/// Like [`nested`], with equal levels.
fn alike(count: usize, inner: &str, begin: &str, end: &'static str) -> String {
    nested(count, inner, |_| (begin.to_owned(), end))
}

/// Defines `t` as the time, which is not a list.
fn with_time(text: &str) -> String {
    format!("(define t (time))\n{text}")
}

#[test]
fn nested_operands() {
    let text = with_time(&alike(LISTS, "t", "(+ 1 ", ")"));
    assert_eq!(value(&text, 0.5), [10_000.5]);
    let text = with_time(&alike(LISTS, "t", "(- ", ")"));
    assert_eq!(value(&text, 0.5), [0.5]);
    let text = with_time(&alike(LISTS / 2, "t", "(.y (vec2 1 ", "))"));
    assert_eq!(value(&text, 0.5), [0.5]);
    let text = with_time(&alike(LISTS, "t", "(sin ", ")"));
    assert!(value(&text, 0.0) == [0.0]);
    let text = with_time(&alike(LISTS, "t", "(the num ", ")"));
    assert_eq!(value(&text, 0.5), [0.5]);
}

#[test]
fn nested_branches() {
    let otherwise = |i| (format!("(if (< t {i}) {i} "), ")");
    let text = with_time(&nested(LISTS, "t", otherwise));
    assert_eq!(value(&text, 7_777.5), [7_778.0]);
    assert_eq!(value(&text, 20_000.0), [20_000.0]);
    let text = with_time(&nested(LISTS, "t", |i| (format!("(if (> t {i}) "), " 0)")));
    assert_eq!(value(&text, 20_000.0), [20_000.0]);
    assert_eq!(value(&text, 7_777.5), [0.0]);
    let condition = |i| ("(if (< ".to_owned(), if i % 2 == 0 { " 1) 0 1)" } else { " 1) 1 0)" });
    let text = with_time(&nested(LISTS / 2, "t", condition));
    assert_eq!(value(&text, 0.5), [0.0]);
}

#[test]
fn nested_lets() {
    let text = with_time(&alike(LISTS, "t", "(let ((t (+ t 1))) ", ")"));
    assert_eq!(value(&text, 0.5), [10_000.5]);
    let text = with_time(&alike(LISTS, "t", "(let* ((t (+ t 1)) (t t)) ", ")"));
    assert_eq!(value(&text, 0.5), [10_000.5]);
    let text = with_time(&alike(LISTS / 3, "t", "(let ((x ", ")) (+ x 1))"));
    assert_eq!(value(&text, 0.5), [3_333.5]);
}

#[test]
fn nested_functions() {
    let argument = with_time(&alike(LISTS, "t", "((func (x) (+ x 1)) ", ")"));
    assert_eq!(value(&argument, 0.5), [10_000.5]);
    let named = with_time(&alike(LISTS, "t", "(f ", ")"));
    assert_eq!(value(&format!("(define (f x) (+ x 1))\n{named}"), 0.5), [10_000.5]);
    let body = with_time(&alike(LISTS / 2, "t", "((func (t) ", ") (+ t 1))"));
    assert_eq!(value(&body, 0.5), [5_000.5]);
    let half = LISTS / 2;
    let curried = alike(half, "(+ x 1)", "(func (x) ", ")");
    let text = with_time(&format!("{}{curried}{}", "(".repeat(half - 1), " t)".repeat(half)));
    // One parenthesis too few: the outermost one is added in the next line.
    assert_eq!(value(&text.replacen("\n", "\n(", 1), 0.5), [1.5]);
    let never_applied = format!("(define (f x) {})\n1", alike(LISTS - 1, "x", "(+ 1 ", ")"));
    assert_eq!(value(&never_applied, 0.0), [1.0]);
    let unused = format!("((func (x) 1) {})", alike(LISTS - 1, "2", "(+ 1 ", ")"));
    assert_eq!(value(&unused, 0.0), [1.0]);
}

#[test]
fn nested_loops() {
    let first_argument = "((rec-func (n) (if (< n 3) (rec (+ n 1)) (- n 3))) ";
    let text = with_time(&alike(LISTS, "t", first_argument, ")"));
    assert_eq!(value(&text, 0.5), [0.5]);
    // A loop in an argument of another loop's `rec`: at time 0 only the outer one does a round …
    let next = "((rec-func (n a) (if (< n 1) a (rec (- n 1) ";
    let text = with_time(&alike(LISTS / 4, "(+ 5 t)", next, "))) t 7)"));
    assert_eq!(value(&text, 0.0), [7.0]);
    // … and at time 1 each does one.
    assert_eq!(value(&text, 1.0), [6.0]);
    // A loop in the result of another.
    let end = "((rec-func (n) (if (< n 1) (rec (+ n 1)) ";
    let text = with_time(&alike(LISTS / 3, "t", end, ")) t)"));
    assert_eq!(value(&text, 0.25), [0.25]);
    // A loop in the condition of another.
    let condition = "((rec-func (n) (if (> ";
    let text = with_time(&alike(LISTS / 4, "t", condition, " 0.5) n (rec (+ n 1)))) t)"));
    assert_eq!(value(&text, 1.0), [1.0]);
}

#[test]
fn nested_names_of_rec() {
    let names =
        alike((LISTS - 3) / 3, "(if (< n 1) n (again (- n 1)))", "(let ((again again)) ", ")");
    let text = format!("((rec-func (n) (let ((again rec)) {names})) (time))");
    assert_eq!(value(&text, 3.5), [0.5]);
    let tails = nested(LISTS - 3, "again", |i| (format!("(if (< n {i}) n "), ")"));
    let text = format!("((rec-func (n) (let ((again (rec (- n 10000)))) {tails})) (time))");
    assert_eq!(value(&text, 20_500.5), [500.5]);
}

/// An error inside deep nesting is reported once, not for each surrounding list.
#[test]
fn mistakes_in_the_depth() {
    for (begin, end) in [
        ("(+ 1 ", ")"),
        ("(if true 1 ", ")"),
        ("(let ((x 1)) ", ")"),
        ("((func (x) x) ", ")"),
        ("((rec-func (n) (if (< n 3) (rec (+ n 1)) n)) ", ")"),
    ] {
        let deep = |inner| alike(LISTS - 1, inner, begin, end);
        assert_eq!(refused(&deep("(+ 1 true)")).code, DiagnosticCode::OperandTypes, "{begin}");
        assert_eq!(refused(&deep("nowhere")).code, DiagnosticCode::UnboundName, "{begin}");
        assert_eq!(refused(&deep("(if 1)")).code, DiagnosticCode::MalformedForm, "{begin}");
    }
}

#[test]
fn two_hundred_thousand_operations() {
    let mut chain = "(define v0 (time))\n".to_owned();
    for i in 1..=100_000 {
        let _ = writeln!(chain, "(define v{i} (+ (* v{} 0.5) 1))", i - 1);
    }
    chain.push_str("v100000");
    assert_eq!(operations(&accepted(&chain), |_| true), 200_000);
    assert_eq!(value(&chain, 0.0), [2.0]);
    let mut wide = "(define t (time))\n(+".to_owned();
    for i in 0..=100_000 {
        let _ = write!(wide, "\n(* t {i})");
    }
    wide.push(')');
    let core = accepted(&wide);
    assert!(operations(&core, |_| true) >= 200_000);
    schedule(&core, &[0]).expect("it can be scheduled");
}

#[test]
fn lists_without_end() {
    let million = 1_000_000;
    assert_eq!(refused(&"(".repeat(million)).code, DiagnosticCode::NestedTooDeep);
    assert_eq!(refused(&"(+ 1 ".repeat(million)).code, DiagnosticCode::NestedTooDeep);
    assert_eq!(refused(&alike(million, "1", "(", ")")).code, DiagnosticCode::NestedTooDeep);
    assert_eq!(refused(&alike(million, "1", "(- ", ")")).code, DiagnosticCode::NestedTooDeep);
    assert_eq!(refused(&")".repeat(million)).code, DiagnosticCode::UnmatchedParenthesis);
    assert_eq!(refused(&"(".repeat(LISTS)).code, DiagnosticCode::UnclosedList);
}

#[test]
fn texts_of_nothing() {
    for text in ["", " ", "\n\n", "\t\r\n", "; nothing", "; nothing\n", "\u{feff}", "(define x 1)"]
    {
        assert_eq!(refused(text).code, DiagnosticCode::NoOutput, "{text:?}");
    }
}

#[test]
fn files_that_are_no_text() {
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    assert_eq!(refused_bytes(picture).code, DiagnosticCode::ForeignText);
    // Bytes of a linear congruential generator.
    let mut state = 1u32;
    let noise: Vec<u8> = (0..1 << 20)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    assert_eq!(refused_bytes(&noise).code, DiagnosticCode::NotUtf8);
    assert_eq!(refused_bytes(b"(vec3 1) ; caf\xe9").code, DiagnosticCode::NotUtf8);
    assert_eq!(refused_bytes(b"(vec3 1) ; \xe2\x82").code, DiagnosticCode::NotUtf8);
    assert_eq!(refused_bytes(b"\xff\xfe1\0").code, DiagnosticCode::NotUtf8);
    assert_eq!(refused_bytes(&vec![0; 1 << 20]).code, DiagnosticCode::ControlCharacter);
    assert_eq!(refused_bytes(&vec![b' '; (16 << 20) + 1]).code, DiagnosticCode::TextTooLong);
    assert_eq!(refused(&"x".repeat(1 << 20)).code, DiagnosticCode::UnboundName);
    assert_eq!(refused(&"9".repeat(1 << 20)).code, DiagnosticCode::NumberTooLarge);
    assert_eq!(refused(&format!("1{}", "x".repeat(1 << 20))).code, DiagnosticCode::MalformedNumber);
}

/// Positions do not depend on line endings or a byte order mark.
#[test]
fn ends_of_lines() {
    for text in ["(+ 1\n   nowhere)", "(+ 1\r\n   nowhere)", "\u{feff}(+ 1\r\n   nowhere)"] {
        let found = refused(text);
        assert_eq!(found.code, DiagnosticCode::UnboundName);
        let at = SourceFile::new("program.lv", text).line_column(found.primary.span.start);
        assert_eq!((at.line, at.column), (2, 4), "{text:?}");
    }
}

/// With the default iteration limit.
#[test]
fn an_endless_loop() {
    let text = "(let ((x 1))\n  ((rec-func (n) (if (< n 0) n (rec (+ n x)))) (time)))";
    let source = SourceFile::new("program.lv", text);
    let core = accepted(text);
    let program = Accepted { source: &source, core: &core, locations: vec![0] };
    let (_, engine) = ENGINES.iter().find(|(name, _)| *name == "core").expect("it is one");
    match engine(&program, &Inputs::default(), limits::ITERATIONS) {
        Err(Stop::Diagnostic(found)) => {
            let at = source.line_column(found.primary.span.start);
            assert_eq!((found.code, at.line, at.column), (DiagnosticCode::LoopLimit, 2, 4));
        }
        _ => panic!("it ended, or otherwise"),
    }
}

#[test]
fn structures_nest_deep() {
    let mut text = String::from("(struct S0 (x num))\n");
    for i in 1..200 {
        let _ = writeln!(text, "(struct S{i} (x S{}))", i - 1);
    }
    let value = (0..200).fold("(time)".to_owned(), |inner, i| format!("(S{i} {inner})"));
    let x = (0..200).fold("s".to_owned(), |inner, _| format!("(.x {inner})"));
    // The condition keeps the structure from being folded.
    let choice = format!("(if (< (frame) 1) {value} (with {value} (x (.x {value}))))");
    let _ = write!(text, "(let ((s {choice})) {x})");
    assert_eq!(self::value(&text, 3.0), [3.0]);

    let mut text = String::from("(struct S0 (x num))\n");
    for i in 1..300 {
        let _ = writeln!(text, "(struct S{i} (x S{}))", i - 1);
    }
    assert_eq!(refused(&(text + "1")).code, DiagnosticCode::TypeTooLarge);
}

#[test]
fn a_case_of_many() {
    let mut text = String::from("(variant V");
    (0..256).for_each(|i| {
        let _ = write!(text, " (C{i} (x num) (n int))");
    });
    text.push_str(")\n(define (f v) (case v");
    (0..256).for_each(|i| {
        let _ = write!(text, " ((C{i} x n) (+ x {i}))");
    });
    text.push_str("))\n(f (if (< (time) 1) (C0 1 2i) (C255 (time) 3i)))");
    assert_eq!(value(&text, 3.0), [258.0]);
}

#[test]
fn arrays_are_large() {
    let text =
        "(define a (tabulate 65536 (func (i) (num (* i 3i)))))\n(at a (int (* (time) 1000)))";
    let core = accepted(text);
    schedule(&core, &[0]).expect("it can be scheduled");
    // Each version of the array is a constant of that size.
    let text = "(define a (tabulate 65536 num))
        (define b (tabulate 2000 (func (i) (at (update a i 7) 5))))
        (at b (int (time)))";
    assert_eq!(refused(text).code, DiagnosticCode::ExpansionTooLarge);
}

/// All uniforms count, since their values are stored even if nothing reads them.
#[test]
fn uniforms_are_limited_together() {
    let uniforms = |count: usize| {
        (0..count).map(|i| format!("(uniform u{i} (array 60000 num))")).collect::<String>()
    };
    let of = |count| format!("{}(vec3 (at u0 3i))", uniforms(count));
    let limit = limits::VALUE_WORDS / 60_000;
    let diagnostic = refused(&of(limit + 1));
    assert_eq!(diagnostic.code, DiagnosticCode::ExpansionTooLarge);
    let name = diagnostic.primary.span.start as usize;
    assert!(of(limit + 1)[name..].starts_with(&format!("(uniform u{limit} ")), "{diagnostic:?}");
    accepted(&of(20));
    let core = "lambdav-core 1\ntype #0 = array 65536 num\n";
    let zeros = format!("({}0)", "0, ".repeat(65_535));
    let text: String = (0..3).map(|i| format!("uniform \"u{i}\": #0 = {zeros}\n")).collect();
    accepted_core(&format!("{core}{text}%0: num = 0.5\noutput 0 = %0\n"));
}

#[track_caller]
fn accepted_core(text: &str) {
    let loaded = Loaded::from_text("a.core", text);
    assert!(loaded.core.is_some(), "{:?}", loaded.diagnostics);
}
