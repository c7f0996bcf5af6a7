//! Undefined behaviour that an invocation meets, by the text of docs/spirv.md: an operation with a condition that holds for its
//! operands. There are no probes here and no graph.

use super::arithmetic::is_less;
use super::linear::{columns, determinant};
use super::numbers::{ONE, ZERO, apply, less};
use crate::builtins::Builtin;
use crate::program::{Binary, Scalar, Type};
use lambdav_core::op::Op;

/// The name of an operation, and the words of its condition.
pub type Condition = (&'static str, &'static str);

/// A read of the output before anything is written to it. (Other variables are written before.)
pub const UNWRITTEN: Condition = ("output", "read before it is written");

/// Conditions of an operator for one component.
fn operator(op: Binary, scalar: Scalar, a: u32, b: u32) -> Vec<Condition> {
    let name = match op {
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        _ => return Vec::new(),
    };
    let is_division = matches!(op, Binary::Div | Binary::Rem);
    match scalar {
        Scalar::Float => Vec::new(),
        _ if !is_division => match b {
            0..=31 => Vec::new(),
            _ => vec![(name, "a count that is not 0 to 31")],
        },
        _ if b == 0 => vec![(name, "the divisor is 0")],
        Scalar::Int if a == 1 << 31 && b == u32::MAX => vec![(name, "the least int by -1")],
        _ => Vec::new(),
    }
}

/// Conditions of an operator that hold in a component.
pub fn of_operator(op: Binary, a: (&Type, &[u32]), b: (&Type, &[u32])) -> Vec<Condition> {
    let ((ty, a), (_, b)) = (a, b);
    // Others may be products of matrices.
    let may_be = matches!(op, Binary::Div | Binary::Rem | Binary::ShiftLeft | Binary::ShiftRight);
    let Some(scalar) = ty.scalar().filter(|_| may_be) else { return Vec::new() };
    let at = |words: &[u32], k: usize| if words.len() == 1 { words[0] } else { words[k] };
    let count = a.len().max(b.len());
    (0..count).flat_map(|k| operator(op, scalar, at(a, k), at(b, k))).collect()
}

/// Conditions of a conversion.
pub fn of_conversion(from: Scalar, to: Scalar, words: &[u32]) -> Vec<Condition> {
    let (name, low, high) = match (from, to) {
        (Scalar::Float, Scalar::Int) => ("int", -2_147_483_649.0, 2_147_483_648.0),
        (Scalar::Float, Scalar::Uint) => ("uint", -1.0, 4_294_967_296.0),
        _ => return Vec::new(),
    };
    let is_inside = |&word: &u32| {
        let number = f64::from(f32::from_bits(word));
        low < number && number < high
    };
    match words.iter().all(is_inside) {
        true => Vec::new(),
        false => vec![(name, "NaN, or out of range")],
    }
}

/// Conditions of a function. A scalar stands for a vector of equal components.
pub fn of_builtin(builtin: Builtin, types: &[&Type], values: &[Vec<u32>]) -> Vec<Condition> {
    let count = values.iter().map(Vec::len).max().unwrap_or(1);
    // Matrices have no such conditions.
    let at = |argument: usize, k: usize| values[argument][k % values[argument].len()];
    let scalar = types[0].scalar().unwrap_or(Scalar::Float);
    let size = |word: u32| word & 0x7fff_ffff;
    let at_most = |a: u32, b: u32| apply(Op::LessEqual, Scalar::Float, &[a, b]) != 0;
    let is_zero = |word: u32| size(word) == 0;
    let holds = |k: usize| -> Option<&'static str> {
        let x = at(0, k);
        Some(match builtin {
            Builtin::Sqrt | Builtin::Log | Builtin::Log2 if less(x, ZERO) => "operand below 0",
            Builtin::InverseSqrt if at_most(x, ZERO) => "operand at or below 0",
            Builtin::Asin | Builtin::Acos if less(ONE, size(x)) => "operand beyond 1 or -1",
            Builtin::Acosh if less(x, ONE) => "operand below 1",
            Builtin::Atanh if at_most(ONE, size(x)) => "operand at or beyond 1 or -1",
            Builtin::Atan2 if is_zero(x) && is_zero(at(1, k)) => "both 0",
            Builtin::Pow if less(x, ZERO) || is_zero(x) && at_most(at(1, k), ZERO) => {
                "x < 0, or x = 0 and y <= 0"
            }
            Builtin::Mod if is_zero(at(1, k)) => "the divisor is 0",
            Builtin::SmoothStep if at_most(at(1, k), x) => "e0 >= e1",
            Builtin::Clamp if is_less(scalar, at(2, k), at(1, k)) => "lo > hi",
            Builtin::BitfieldExtract => of_field(values[1][0], values[2][0])?,
            Builtin::BitfieldInsert => of_field(values[2][0], values[3][0])?,
            Builtin::Normalize if is_zero(super::builtins::length(&values[0])) => "a length of 0",
            Builtin::Inverse => match types[0] {
                Type::Matrix(_, rows) if is_zero(determinant(&columns(&values[0], *rows))) => {
                    "a determinant of 0"
                }
                _ => return None,
            },
            _ => return None,
        })
    };
    (0..count).filter_map(holds).map(|condition| (builtin.name(), condition)).collect()
}

fn of_field(offset: u32, count: u32) -> Option<&'static str> {
    let is_outside = u64::from(offset) + u64::from(count) > 32;
    is_outside.then_some("offset + count above 32")
}
