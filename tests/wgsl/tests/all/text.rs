//! Texts of programs, and values by hand.

use lambdav_wgsl_tests::program::{Binary, Expr, Kind, Program, Scalar, Statement, Type, Unary};
use lambdav_wgsl_tests::{Options, generate, picture, print};

#[test]
fn a_seed_has_one_text() {
    let text = |seed| print(&generate(seed, &Options::default()));
    assert_eq!(text(3), text(3));
    assert_ne!(text(3), text(4));
}

fn int(value: i32) -> Expr {
    Expr::literal(Scalar::Int, value as u32)
}

fn two(op: Binary, a: &Expr, b: &Expr) -> Expr {
    Expr::new(a.ty.clone(), Kind::Binary(op, Box::new(a.clone()), Box::new(b.clone())))
}

fn minus(of: Expr) -> Expr {
    Expr::new(Type::INT, Kind::Unary(Unary::Minus, Box::new(of)))
}

/// The text of an expression without spaces and suffixes. Parentheses that are not needed are rare: of several
/// styles, the shortest text has none.
fn printed(of: &Expr) -> String {
    let text = |style| {
        let mut program = Program::new(style);
        program.main.push(Statement::Phony(of.clone()));
        let text = print(&program);
        let line =
            text.lines().find(|line| line.starts_with("    _")).expect("there is a statement");
        line.trim_start_matches("    _ = ").trim_end_matches(';').replace([' ', 'i'], "")
    };
    (0..40).map(text).filter(|text| !text.contains('x')).min_by_key(String::len).expect("forty")
}

#[test]
fn parentheses_follow_the_grammar() {
    let (a, b, c) = (int(1), int(2), int(3));
    let sum = two(Binary::Add, &a, &b);
    assert_eq!(printed(&two(Binary::Mul, &sum, &c)), "(1+2)*3");
    assert_eq!(printed(&two(Binary::Sub, &sum, &c)), "1+2-3");
    assert_eq!(printed(&two(Binary::Sub, &c, &sum)), "3-(1+2)");
    assert_eq!(printed(&two(Binary::BitOr, &sum, &c)), "(1+2)|3");
    assert_eq!(printed(&two(Binary::ShiftLeft, &sum, &c)), "(1+2)<<3");
    assert_eq!(printed(&two(Binary::BitAnd, &two(Binary::BitAnd, &a, &b), &c)), "1&2&3");
    assert_eq!(printed(&minus(minus(a))), "-(-1)");
}

/// The first component of the colour that a program returns.
fn value(of: Expr) -> f32 {
    let mut program = Program::new(0);
    let part = Expr::new(Type::FLOAT, Kind::Construct(vec![of]));
    let colour = Expr::new(Type::of(Scalar::Float, 4), Kind::Construct(vec![part]));
    program.main.push(Statement::Return(Some(colour)));
    f32::from_bits(picture(&program, 2, 2).expect("it has no mistake")[0][0])
}

#[test]
fn operators_have_the_values_of_wgsl() {
    let [seven, two_, zero] = [int(-7), int(2), int(0)];
    assert_eq!(value(two(Binary::Rem, &seven, &two_)), -1.0);
    assert_eq!(value(two(Binary::Div, &seven, &two_)), -3.0);
    assert_eq!(value(two(Binary::Div, &seven, &zero)), -7.0);
    assert_eq!(value(two(Binary::Rem, &seven, &zero)), 0.0);
    assert_eq!(value(two(Binary::Div, &int(i32::MIN), &int(-1))), i32::MIN as f32);
    let count = Expr::literal(Scalar::Uint, 33);
    assert_eq!(value(two(Binary::ShiftLeft, &seven, &count)), -14.0);
    assert_eq!(value(two(Binary::ShiftRight, &seven, &count)), -4.0);
    let large = Expr::literal(Scalar::Float, 1e10_f32.to_bits());
    let int = |of| Expr::new(Type::INT, Kind::Construct(vec![of]));
    assert_eq!(value(int(large)), i32::MAX as f32);
    let nan = Expr::literal(Scalar::Float, 0x7fc0_0000);
    assert_eq!(value(int(nan)), 0.0);
}
