//! Tests of the parser: shapes of expressions, recovery, limits.

use super::parser::{Context, parse};
use super::tree::{Code, Item, Unit};
use crate::lexer::Lexer;
use crate::templates::discover;
use crate::token::{Names, TokenKind};
use lambdav_core::diagnostics::Diagnostics;
use rustc_hash::FxHashMap;

fn parsed(text: &str) -> (Unit, Names, Diagnostics) {
    let mut names = Names::default();
    let mut lexer = Lexer::new(text, 0, 0);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next(&mut names).expect("the tokens are well-formed");
        if token.kind == TokenKind::End {
            break;
        }
        tokens.push(token);
    }
    let tokens = discover(tokens);
    let (mut unit, mut diagnostics) = (Unit::default(), Diagnostics::new(100));
    let paths = FxHashMap::default();
    let features = |name: &str| name == "yes";
    let context = Context { names: &names, module: 0, paths: &paths, features: &features };
    parse(&tokens, text.len() as u32, None, context, &mut unit, &mut diagnostics);
    (unit, names, diagnostics)
}

/// The nodes of the constant `a` in order.
fn nodes(expression: &str) -> String {
    let (unit, names, diagnostics) = parsed(&format!("const a = {expression};"));
    assert!(!diagnostics.has_errors(), "{expression}: {:?}", diagnostics.first());
    let [global] = &unit.globals[..] else { panic!("one declaration") };
    let Item::Const { value, .. } = global.what else { panic!("a constant") };
    let all = &unit.nodes[value.start as usize..value.end as usize];
    let show = |code: Code| match code {
        Code::Name(of) => names.text(of.name).to_owned(),
        Code::Template(of, count) => format!("{}<{count}>", names.text(of.name)),
        Code::Number(_) => "1".to_owned(),
        Code::Bool(value) => value.to_string(),
        Code::Load => "!".to_owned(),
        Code::Unary(op) => format!("{op:?}"),
        Code::Binary(op) => op.text().to_owned(),
        Code::Short(and) => (if and { "&&" } else { "||" }).to_owned(),
        Code::ShortEnd(_) => ".".to_owned(),
        Code::Field(name) => format!(".{}", names.text(name)),
        Code::Index => "[]".to_owned(),
        Code::Call(count) => format!("({count})"),
    };
    all.iter().map(|node| show(node.code)).collect::<Vec<_>>().join(" ")
}

#[test]
fn expressions_are_in_the_order_of_evaluation() {
    assert_eq!(nodes("a + b * c"), "a ! b ! c * +");
    assert_eq!(nodes("(a + b) * -c"), "a ! b + ! c Negate *");
    assert_eq!(nodes("f(a, b)[i].x"), "f a ! b ! (2) i [] .x");
    assert_eq!(nodes("array<vec2<f32>, 4>(a,)"), "f32 vec2<1> 1 array<2> a ! (1)");
    assert_eq!(nodes("a && b && c"), "a && b . && c .");
    assert_eq!(nodes("a < b || (c & d) == e"), "a ! b < || c ! d & ! e == .");
    assert_eq!(nodes("-*&a.b"), "a .b AddressOf Dereference Negate");
    assert_eq!(nodes("vec2<f32>()"), "f32 vec2<1> (0)");
    assert_eq!(nodes("!f()"), "f (0) Not");
}

#[test]
fn mixed_operators_need_parentheses() {
    for text in ["a & b == c", "a << b + c", "a < b < c", "a && b || c", "a | b ^ c", "a == b & c"]
    {
        let (_, _, diagnostics) = parsed(&format!("const a = {text};"));
        assert!(diagnostics.has_errors(), "{text}");
        assert!(diagnostics.iter().all(|one| one.message.contains("parentheses")), "{text}");
    }
}

#[test]
fn each_fault_is_reported_once() {
    let text = "const a = ;\nfn f( { }\nfn g() { let = 1; x = 2; y +; if { } }\nvar x i32;\nstruct S { a: f32, b }\nconst b = 1;";
    let (unit, _, diagnostics) = parsed(text);
    let lines: Vec<usize> = diagnostics
        .iter()
        .map(|one| text[..one.primary.span.start as usize].matches('\n').count() + 1)
        .collect();
    assert_eq!(lines, [1, 2, 3, 3, 3, 4, 5]);
    assert!(unit.globals.iter().any(|of| matches!(of.what, Item::Function(_))));
    assert!(matches!(unit.globals.last().expect("b").what, Item::Const { .. }));
}

#[test]
fn depth_is_no_matter_in_expressions_and_limited_in_statements() {
    let deep =
        |n: usize, open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
    for (open, close) in [("(", ")"), ("f(", ")"), ("a[", "]"), ("-", ""), ("vec2<a>(", ")")] {
        let (_, _, diagnostics) = parsed(&format!("const a = {};", deep(100_000, open, close)));
        assert!(!diagnostics.has_errors(), "{open}");
    }
    let (_, _, diagnostics) = parsed(&format!("fn f() {{ {} }}", "{".repeat(10_000)));
    assert!(diagnostics.iter().any(|one| one.message.contains("nested deeper than 200")));
    let elses = "if a { } else ".repeat(10_000);
    assert!(!parsed(&format!("fn f() {{ {elses} {{ }} }}")).2.has_errors());
}

#[test]
fn conditions_leave_out() {
    let text = "@if(yes && !no) const a = 1; @else const b = 2;
        struct S { @if(no) a: f32, @elif(yes) b: f32 }
        fn f() { @if(no) let x = y; @else { } }";
    let (unit, names, diagnostics) = parsed(text);
    assert!(!diagnostics.has_errors(), "{:?}", diagnostics.first());
    let all: Vec<&str> =
        unit.globals.iter().map(|of| names.text(of.name.expect("a name"))).collect();
    assert_eq!(all, ["a", "S", "f"]);
    let Item::Structure(members) = &unit.globals[1].what else { panic!("a structure") };
    assert_eq!(members.iter().map(|of| names.text(of.name)).collect::<Vec<_>>(), ["b"]);
    assert!(unit.globals[2].uses.is_empty(), "what is left out uses nothing");
}

#[test]
fn uses_are_those_of_other_declarations() {
    let text =
        "fn f(p: T) -> U { let a = g; { let g = a; x = g; } var y = y; return p.field + y; }";
    let (unit, names, _) = parsed(text);
    let uses: Vec<&str> = unit.globals[0].uses.iter().map(|(of, _)| names.text(of.name)).collect();
    assert_eq!(uses, ["T", "U", "g", "x", "y"]);
}
