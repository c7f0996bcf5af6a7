//! Integer expressions of `#if` and `#elif`, with the precedences of C and 64 bits that wrap around.
//!
//! Operands and operators wait on explicit stacks, so nesting needs no recursion. A fault of a value, such as a
//! division by zero, is part of the value: `&&` and `||` drop it with the operand that they do not evaluate.

use super::lexer::{Interned, RawKind, RawToken};
use super::number::integer;
use crate::token::{Name, Punctuation as P};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, quote};
use lambdav_core::source::Span;

/// A value, or the position of the operator without a value and the reason.
type Value = Result<i64, (Span, &'static str)>;

enum Operator {
    Parenthesis(Span),
    Unary(P),
    Binary(P, Span),
}

/// The value of an expression whose macros are expanded. `end` is the directive's span, for an empty one;
/// `defined` is the name `defined`.
pub(super) fn evaluate(
    tokens: &[RawToken],
    interned: &Interned,
    end: Span,
    defined: Name,
    is_defined: impl Fn(Name) -> bool,
) -> Result<i64, Diagnostic> {
    let (mut values, mut operators): (Vec<Value>, Vec<Operator>) = (Vec::new(), Vec::new());
    let mut wants_value = true;
    let mut rest = tokens.iter().copied();
    while let Some(token) = rest.next() {
        match token.kind {
            RawKind::Name(name) if wants_value && name == defined => {
                let name = defined_name(&mut rest);
                let name = name.ok_or_else(|| {
                    let found = error(token.span, "`defined` is not followed by a name");
                    found.label("here").help("write `defined(NAME)`")
                })?;
                values.push(Ok(i64::from(is_defined(name))));
                wants_value = false;
            }
            // An undefined name is 0. GLSL ES has an error here, but shaders of real files rely on the 0.
            RawKind::Name(_) if wants_value => {
                values.push(Ok(0));
                wants_value = false;
            }
            RawKind::Number(text) if wants_value => {
                let text = interned.texts.text(text);
                let (value, _) = integer(text).map_err(|_| {
                    error(token.span, format!("{} is not an integer", quote(text)))
                        .label("in the condition of a directive")
                        .help("conditions compute with integers only")
                })?;
                values.push(Ok(value as i64));
                wants_value = false;
            }
            RawKind::Punctuation(P::LeftParenthesis) if wants_value => {
                operators.push(Operator::Parenthesis(token.span));
            }
            RawKind::Punctuation(op @ (P::Plus | P::Minus | P::Not | P::Tilde)) if wants_value => {
                operators.push(Operator::Unary(op));
            }
            RawKind::Punctuation(P::RightParenthesis) if !wants_value => loop {
                match operators.pop() {
                    Some(Operator::Parenthesis(_)) => break,
                    Some(operator) => apply(operator, &mut values),
                    None => {
                        let found = error(token.span, "a closing parenthesis has no opening one");
                        return Err(found.label("here").help("delete it, or write `(` before it"));
                    }
                }
            },
            RawKind::Punctuation(op) if !wants_value && precedence(op).is_some() => {
                while let Some(last) = operators.pop() {
                    let binds = match last {
                        Operator::Parenthesis(_) => false,
                        Operator::Unary(_) => true,
                        Operator::Binary(last, _) => precedence(last) >= precedence(op),
                    };
                    if !binds {
                        operators.push(last);
                        break;
                    }
                    apply(last, &mut values);
                }
                operators.push(Operator::Binary(op, token.span));
                wants_value = true;
            }
            _ => return Err(misplaced(token, tokens, interned, wants_value)),
        }
    }
    if wants_value {
        let (what, help) = if tokens.is_empty() {
            ("the condition is empty", "write an expression, such as `1` or `defined(NAME)`")
        } else {
            ("the condition ends where a value is expected", "write the missing operand")
        };
        return Err(error(tokens.last().map_or(end, |last| last.span), what)
            .label("here")
            .help(help));
    }
    while let Some(operator) = operators.pop() {
        if let Operator::Parenthesis(span) = operator {
            let found = error(span, "a parenthesis is not closed");
            return Err(found.label("in this condition").help("write `)` where it ends"));
        }
        apply(operator, &mut values);
    }
    values.pop().unwrap_or(Ok(0)).map_err(|(span, what)| {
        error(span, what)
            .label("the condition has no value")
            .help("test the operand before: `B != 0 && A / B`")
    })
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::GlslDirective, span, message)
}

/// The name after `defined`, with or without parentheses.
fn defined_name(rest: &mut impl Iterator<Item = RawToken>) -> Option<Name> {
    let first = rest.next()?;
    match first.kind {
        RawKind::Name(name) => Some(name),
        RawKind::Punctuation(P::LeftParenthesis) => {
            let RawKind::Name(name) = rest.next()?.kind else { return None };
            rest.next()?.is(P::RightParenthesis).then_some(name)
        }
        _ => None,
    }
}

fn misplaced(
    token: RawToken,
    all: &[RawToken],
    interned: &Interned,
    wants_value: bool,
) -> Diagnostic {
    let shown = interned.spelling(token.kind).map_or("this".to_owned(), quote);
    if wants_value {
        let found = error(token.span, format!("{shown} stands where a value is expected"));
        return found.label("in the condition of a directive").help("write an integer or a name");
    }
    let found = error(token.span, format!("{shown} stands where an operator is expected"));
    let found = found.label("in the condition of a directive");
    match all {
        [RawToken { kind: RawKind::Name(name), .. }, next, ..]
            if token.is(P::LeftParenthesis) && next.span == token.span =>
        {
            let name = quote(interned.names.text(*name));
            found.help(format!("{name} is no macro with arguments here; define it before"))
        }
        _ => found.help(
            "a condition has the operators `! ~ * / % + - << >> < > <= >= == != & ^ | && ||`",
        ),
    }
}

/// How tightly a binary operator binds.
fn precedence(op: P) -> Option<u8> {
    Some(match op {
        P::OrOr => 0,
        P::AndAnd => 1,
        P::Or => 2,
        P::Caret => 3,
        P::And => 4,
        P::Equal | P::NotEqual => 5,
        P::Less | P::Greater | P::LessEqual | P::GreaterEqual => 6,
        P::ShiftLeft | P::ShiftRight => 7,
        P::Plus | P::Minus => 8,
        P::Star | P::Slash | P::Percent => 9,
        _ => return None,
    })
}

/// Applies an operator to the values on top of the stack.
fn apply(operator: Operator, values: &mut Vec<Value>) {
    let Some(right) = values.pop() else { return };
    let value = match operator {
        Operator::Parenthesis(_) => right,
        Operator::Unary(op) => right.map(|value| match op {
            P::Minus => value.wrapping_neg(),
            P::Not => i64::from(value == 0),
            P::Tilde => !value,
            _ => value,
        }),
        Operator::Binary(op, span) => match (op, values.pop().unwrap_or(Ok(0))) {
            (P::AndAnd, Ok(0)) => Ok(0),
            (P::OrOr, Ok(left)) if left != 0 => Ok(1),
            (P::AndAnd | P::OrOr, Ok(_)) => right.map(|value| i64::from(value != 0)),
            (_, left) => left.and_then(|left| binary(op, left, right?, span)),
        },
    };
    values.push(value);
}

fn binary(op: P, a: i64, b: i64, span: Span) -> Value {
    Ok(match op {
        P::Or => a | b,
        P::Caret => a ^ b,
        P::And => a & b,
        P::Equal => i64::from(a == b),
        P::NotEqual => i64::from(a != b),
        P::Less => i64::from(a < b),
        P::Greater => i64::from(a > b),
        P::LessEqual => i64::from(a <= b),
        P::GreaterEqual => i64::from(a >= b),
        P::ShiftLeft | P::ShiftRight if !(0..64).contains(&b) => {
            return Err((span, "a shift by fewer than 0 or more than 63 bits"));
        }
        P::ShiftLeft => a.wrapping_shl(b as u32),
        P::ShiftRight => a.wrapping_shr(b as u32),
        P::Plus => a.wrapping_add(b),
        P::Minus => a.wrapping_sub(b),
        P::Star => a.wrapping_mul(b),
        P::Slash | P::Percent if b == 0 => return Err((span, "a division by zero")),
        P::Slash => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}
