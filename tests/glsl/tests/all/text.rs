//! Texts of programs.

use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::program::{Binary, Expr, Kind, Program, Statement, Type, Unary};
use lambdav_glsl_tests::{Options, Style, generate, print};

#[test]
fn a_seed_has_one_text() {
    let style = Style { dialect: Dialect::Vulkan, is_opaque: false };
    let text = |seed| print(&generate(seed, &Options::new(Dialect::Vulkan)), style);
    assert_eq!(text(3), text(3));
    assert_ne!(text(3), text(4));
}

/// The text of an expression; parentheses that are not needed are rare and left out here.
fn printed(of: Expr) -> String {
    let mut program = Program::new(Dialect::Vulkan);
    program.main.push(Statement::Expression(of));
    let text = print(&program, Style { dialect: Dialect::Vulkan, is_opaque: false });
    let line = text.lines().find(|line| line.starts_with("    ")).expect("main has a statement");
    line.trim().trim_end_matches(';').to_owned()
}

#[test]
fn parentheses_follow_the_grammar() {
    let (a, b, c) = (Expr::int(1), Expr::int(2), Expr::int(3));
    let two = |op, a: &Expr, b: &Expr| Expr::binary(Type::INT, op, a.clone(), b.clone());
    let minus = |of: Expr| Expr::new(Type::INT, Kind::Unary(Unary::Minus, Box::new(of)));
    let sum = two(Binary::Add, &a, &b);
    assert_eq!(printed(two(Binary::Mul, &sum, &c)), "(1 + 2) * 3");
    assert_eq!(printed(two(Binary::Sub, &sum, &c)), "1 + 2 - 3");
    assert_eq!(printed(two(Binary::Sub, &c, &sum)), "3 - (1 + 2)");
    assert_eq!(printed(two(Binary::ShiftLeft, &sum, &c)), "1 + 2 << 3");
    assert_eq!(printed(minus(minus(a.clone()))), "- -1");
    let comma = Expr::new(Type::INT, Kind::Comma(Box::new(a), Box::new(b)));
    assert_eq!(printed(two(Binary::Add, &comma, &c)), "(1, 2) + 3");
}
