//! Folding of constant expressions: scalars of 32 bits, component by component.
//!
//! Floating-point operations are IEEE 754's, so the folded value is that of the running program.

use super::checker::Checker;
use super::values::{Constant, Value};
use crate::syntax::tree::{Binary, Unary};
use crate::types::{Scalar, Type};

fn of_bool(value: bool) -> Constant {
    Constant::Scalar(Scalar::Bool, value.into())
}

fn float(value: f32) -> Constant {
    // NaNs have one form.
    let bits = if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
    Constant::Scalar(Scalar::Float, bits)
}

/// An operation of two scalars.
fn binary(op: Binary, scalar: Scalar, a: u32, b: u32) -> Option<Constant> {
    let integer = |bits: u32| Some(Constant::Scalar(scalar, bits));
    match scalar {
        Scalar::Float => {
            let [x, y] = [a, b].map(f32::from_bits);
            Some(match op {
                Binary::Add => float(x + y),
                Binary::Subtract => float(x - y),
                Binary::Multiply => float(x * y),
                Binary::Divide => float(x / y),
                Binary::Less => of_bool(x < y),
                Binary::Greater => of_bool(x > y),
                Binary::LessEqual => of_bool(x <= y),
                Binary::GreaterEqual => of_bool(x >= y),
                _ => return None,
            })
        }
        Scalar::Int | Scalar::Uint => {
            let [x, y] = [a as i32, b as i32];
            let signed = scalar == Scalar::Int;
            match op {
                Binary::Add => integer(a.wrapping_add(b)),
                Binary::Subtract => integer(a.wrapping_sub(b)),
                Binary::Multiply => integer(a.wrapping_mul(b)),
                // Divisions whose result is open are left to the running program.
                Binary::Divide if signed => integer(x.checked_div(y)? as u32),
                Binary::Divide => integer(a.checked_div(b)?),
                Binary::Remainder if signed && (x < 0 || y < 0) => None,
                Binary::Remainder => integer(a.checked_rem(b)?),
                Binary::ShiftLeft => integer(a.checked_shl(b)?),
                Binary::ShiftRight if signed => integer(x.checked_shr(b)? as u32),
                Binary::ShiftRight => integer(a.checked_shr(b)?),
                Binary::And => integer(a & b),
                Binary::Or => integer(a | b),
                Binary::Xor => integer(a ^ b),
                Binary::Less => Some(of_bool(if signed { x < y } else { a < b })),
                Binary::Greater => Some(of_bool(if signed { x > y } else { a > b })),
                Binary::LessEqual => Some(of_bool(if signed { x <= y } else { a <= b })),
                Binary::GreaterEqual => Some(of_bool(if signed { x >= y } else { a >= b })),
                _ => None,
            }
        }
        Scalar::Bool => match op {
            Binary::LogicalXor => Some(of_bool(a != b)),
            _ => None,
        },
        Scalar::Double => None,
    }
}

/// True if two constants of one type are equal, as `==` says.
fn equal(a: &Constant, b: &Constant) -> Option<bool> {
    match (a, b) {
        (Constant::Scalar(Scalar::Float, a), Constant::Scalar(_, b)) => {
            Some(f32::from_bits(*a) == f32::from_bits(*b))
        }
        (Constant::Scalar(_, a), Constant::Scalar(_, b)) => Some(a == b),
        (Constant::Composite(a), Constant::Composite(b)) => {
            let all: Option<Vec<bool>> = a.iter().zip(b).map(|(a, b)| equal(a, b)).collect();
            Some(all?.into_iter().all(|one| one))
        }
        _ => None,
    }
}

impl Checker<'_> {
    /// Folds an operation of two values of one scalar and width.
    pub(super) fn fold_binary(
        &self,
        op: Binary,
        result: Type,
        a: &Value,
        b: &Value,
    ) -> Option<Value> {
        let [x, y] = [a.constant.as_deref()?, b.constant.as_deref()?];
        let constant = match op {
            Binary::Equal => of_bool(equal(x, y)?),
            Binary::NotEqual => of_bool(!equal(x, y)?),
            _ => fold_parts(op, x, y)?,
        };
        Some(Value::constant(result, constant))
    }

    /// Folds an operation of one value.
    pub(super) fn fold_unary(&self, op: Unary, value: &Value) -> Option<Value> {
        let constant = fold_part(op, value.constant.as_deref()?)?;
        Some(Value::constant(value.ty, constant))
    }
}

fn fold_parts(op: Binary, a: &Constant, b: &Constant) -> Option<Constant> {
    match (a, b) {
        (&Constant::Scalar(scalar, a), &Constant::Scalar(_, b)) => binary(op, scalar, a, b),
        (Constant::Composite(a), Constant::Composite(b)) => {
            let parts =
                a.iter().zip(b).map(|(a, b)| fold_parts(op, a, b)).collect::<Option<_>>()?;
            Some(Constant::Composite(parts))
        }
        _ => None,
    }
}

fn fold_part(op: Unary, a: &Constant) -> Option<Constant> {
    match a {
        Constant::Composite(parts) => {
            let parts = parts.iter().map(|part| fold_part(op, part)).collect::<Option<_>>()?;
            Some(Constant::Composite(parts))
        }
        &Constant::Scalar(scalar, bits) => {
            let bits = match (op, scalar) {
                (Unary::Minus, Scalar::Float) => return Some(float(-f32::from_bits(bits))),
                (Unary::Minus, Scalar::Int | Scalar::Uint) => bits.wrapping_neg(),
                (Unary::Complement, Scalar::Int | Scalar::Uint) => !bits,
                (Unary::Not, Scalar::Bool) => u32::from(bits == 0),
                (Unary::Plus, _) => bits,
                _ => return None,
            };
            Some(Constant::Scalar(scalar, bits))
        }
    }
}

/// Converts a scalar constant.
pub(super) fn converted(to: Scalar, from: Scalar, bits: u32) -> Option<Constant> {
    let constant = match (from, to) {
        _ if from == to => Constant::Scalar(to, bits),
        (_, Scalar::Double) | (Scalar::Double, _) => return None,
        (Scalar::Float, Scalar::Bool) => of_bool(f32::from_bits(bits) != 0.0),
        (_, Scalar::Bool) => of_bool(bits != 0),
        (Scalar::Bool, Scalar::Float) => float(bits as f32),
        (Scalar::Int, Scalar::Float) => float(bits as i32 as f32),
        (Scalar::Uint, Scalar::Float) => float(bits as f32),
        // Numbers out of range are left to the running program.
        (Scalar::Float, Scalar::Int) => {
            let number = f32::from_bits(bits);
            let is_inside = (-2_147_483_648.0..2_147_483_648.0).contains(&number);
            is_inside.then_some(Constant::Scalar(to, number as i32 as u32))?
        }
        (Scalar::Float, Scalar::Uint) => {
            let number = f32::from_bits(bits);
            let is_inside = number > -1.0 && number < 4_294_967_296.0;
            is_inside.then_some(Constant::Scalar(to, number as u32))?
        }
        _ => Constant::Scalar(to, bits),
    };
    Some(constant)
}
