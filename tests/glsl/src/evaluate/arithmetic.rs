//! Operators.

use super::linear::{columns, product, row_times, times_column};
use super::numbers::{apply, less};
use crate::program::{Binary, Scalar, Type, Unary};
use lambdav_core::op::Op;

/// An operator on one component.
pub fn unary(op: Unary, scalar: Scalar, word: u32) -> u32 {
    match op {
        Unary::Plus => word,
        Unary::Minus => apply(Op::Neg, scalar, &[word]),
        Unary::Not => word ^ 1,
        Unary::BitNot => !word,
    }
}

/// One more, or one less.
pub fn stepped(scalar: Scalar, word: u32, is_decrement: bool) -> u32 {
    let one = if scalar == Scalar::Float { 1_f32.to_bits() } else { 1 };
    apply(if is_decrement { Op::Sub } else { Op::Add }, scalar, &[word, one])
}

/// True if all components are equal. A NaN equals nothing.
pub fn all_equal(kinds: &[Scalar], a: &[u32], b: &[u32]) -> bool {
    let mut pairs = kinds.iter().zip(a.iter().zip(b));
    pairs.all(|(&scalar, (&a, &b))| apply(Op::Equal, scalar, &[a, b]) != 0)
}

/// An operator other than `==`, `!=`, `&&` and `||`.
pub fn binary(op: Binary, a: (&Type, &[u32]), b: (&Type, &[u32])) -> Vec<u32> {
    let ((a_type, a), (b_type, b)) = (a, b);
    if op == Binary::Mul {
        match (a_type, b_type) {
            (Type::Matrix(_, rows), Type::Matrix(_, inner)) => {
                return product(&columns(a, *rows), &columns(b, *inner));
            }
            (Type::Matrix(_, rows), Type::Vector(..)) => {
                return times_column(&columns(a, *rows), b);
            }
            (Type::Vector(..), Type::Matrix(_, rows)) => return row_times(a, &columns(b, *rows)),
            _ => {}
        }
    }
    let scalar = a_type.scalar().expect("operands have components");
    let count = a.len().max(b.len());
    let at = |words: &[u32], k: usize| if words.len() == 1 { words[0] } else { words[k] };
    (0..count).map(|k| of_components(op, scalar, at(a, k), at(b, k))).collect()
}

fn of_components(op: Binary, scalar: Scalar, a: u32, b: u32) -> u32 {
    let core = match op {
        Binary::Add => Op::Add,
        Binary::Sub => Op::Sub,
        Binary::Mul => Op::Mul,
        Binary::Div => Op::Div,
        Binary::Rem => return remainder(scalar, a, b),
        Binary::ShiftLeft => Op::ShiftLeft,
        Binary::ShiftRight => Op::ShiftRight,
        Binary::BitAnd => return a & b,
        Binary::BitOr => return a | b,
        Binary::BitXor | Binary::Xor => return a ^ b,
        Binary::Less => Op::Less,
        Binary::LessEqual => Op::LessEqual,
        Binary::Greater => return apply(Op::Less, scalar, &[b, a]),
        Binary::GreaterEqual => return apply(Op::LessEqual, scalar, &[b, a]),
        Binary::Equal | Binary::NotEqual | Binary::And | Binary::Or => {
            unreachable!("it is evaluated elsewhere")
        }
    };
    apply(core, scalar, &[a, b])
}

/// `%`. GLSL leaves it open for negative operands; it has the sign of the divisor, as OpSMod.
fn remainder(scalar: Scalar, a: u32, b: u32) -> u32 {
    let rest = apply(Op::Rem, scalar, &[a, b]);
    let differs = (rest ^ b) >> 31 == 1;
    if scalar == Scalar::Int && rest != 0 && differs { rest.wrapping_add(b) } else { rest }
}

/// `b` where `b < a`, else `a`, by kind of component.
pub fn min(scalar: Scalar, a: u32, b: u32) -> u32 {
    if is_less(scalar, b, a) { b } else { a }
}

/// `b` where `a < b`, else `a`.
pub fn max(scalar: Scalar, a: u32, b: u32) -> u32 {
    if is_less(scalar, a, b) { b } else { a }
}

/// The order of numbers of a kind.
pub fn is_less(scalar: Scalar, a: u32, b: u32) -> bool {
    match scalar {
        Scalar::Float => less(a, b),
        Scalar::Int => (a as i32) < b as i32,
        Scalar::Uint | Scalar::Bool => a < b,
    }
}
