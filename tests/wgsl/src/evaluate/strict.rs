//! Rules of const-expressions: overflow, and operations without a value, are errors of the text.

use super::operations::operation;
use crate::builtins::Builtin;
use crate::program::{Binary, Expr, Kind, Program, Scalar, Type, Unary};

/// The value of a const-expression whose operands have values. `None` if it is an error, or may be one.
pub(crate) fn strict(program: &Program, of: &Expr) -> Option<Vec<u32>> {
    let operands = of.operands();
    let values: Vec<Vec<u32>> =
        operands.iter().map(|operand| operand.value.clone()).collect::<Option<_>>()?;
    if !is_partly_valid(of) || !is_valid(of, &operands, &values) {
        return None;
    }
    let words = operation(program, of, &values)?;
    let kinds = of.ty.components(&program.structures);
    let is_finite = |(&word, &scalar): (&u32, &Scalar)| {
        scalar != Scalar::Float || f32::from_bits(word).is_finite()
    };
    words.iter().zip(&kinds).all(is_finite).then_some(words)
}

fn pairs<'a>(a: &'a [u32], b: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    let at = |words: &'a [u32], k: usize| if words.len() == 1 { words[0] } else { words[k] };
    (0..a.len().max(b.len())).map(move |k| (at(a, k), at(b, k)))
}

fn is_valid(of: &Expr, operands: &[&Expr], values: &[Vec<u32>]) -> bool {
    let scalar = operands.first().and_then(|operand| operand.ty.scalar());
    match &of.kind {
        Kind::Unary(Unary::Minus, _) if scalar == Some(Scalar::Int) => {
            values[0].iter().all(|&word| word != 1 << 31)
        }
        Kind::Binary(Binary::Mul, a, b) if a.ty.is_matrix() || b.ty.is_matrix() => true,
        Kind::Binary(op, ..) => pairs(&values[0], &values[1]).all(|(a, b)| match scalar {
            Some(Scalar::Int) => {
                let (x, y) = (a as i32, b as i32);
                match op {
                    Binary::Add => x.checked_add(y).is_some(),
                    Binary::Sub => x.checked_sub(y).is_some(),
                    Binary::Mul => x.checked_mul(y).is_some(),
                    Binary::Div | Binary::Rem => x.checked_div(y).is_some(),
                    Binary::ShiftLeft => b < 31 && (x << b) >> b == x,
                    Binary::ShiftRight => b < 32,
                    _ => true,
                }
            }
            Some(Scalar::Uint) => match op {
                Binary::Add => a.checked_add(b).is_some(),
                Binary::Sub => a.checked_sub(b).is_some(),
                Binary::Mul => a.checked_mul(b).is_some(),
                Binary::Div | Binary::Rem => b != 0,
                Binary::ShiftLeft => b < 32 && (a << b) >> b == a,
                Binary::ShiftRight => b < 32,
                _ => true,
            },
            Some(Scalar::Float) if matches!(op, Binary::Div | Binary::Rem) => {
                f32::from_bits(b) != 0.0
            }
            _ => true,
        }),
        // Conversions out of range are avoided.
        Kind::Construct(parts) => match of.ty.scalar() {
            Some(to @ (Scalar::Int | Scalar::Uint)) => {
                parts.iter().zip(values).all(|(part, of)| {
                    part.ty.scalar() != Some(Scalar::Float)
                        || of.iter().all(|&word| {
                            let number = f32::from_bits(word);
                            let least = if to == Scalar::Int { -2_147_483_648.0 } else { 0.0 };
                            number >= least && number < 2_147_483_648.0
                        })
                })
            }
            _ => true,
        },
        Kind::Builtin(builtin, _) => match builtin {
            Builtin::Abs if scalar == Some(Scalar::Int) => {
                values[0].iter().all(|&word| word != 1 << 31)
            }
            // Sums of products may overflow.
            Builtin::Dot => scalar == Some(Scalar::Float),
            Builtin::QuantizeToF16 | Builtin::Pack2x16float => {
                values[0].iter().all(|&word| f32::from_bits(word).abs() < 65_504.0)
            }
            _ => true,
        },
        _ => true,
    }
}

/// Rules for operands that are known while others are not.
pub(crate) fn is_partly_valid(of: &Expr) -> bool {
    let operands = of.operands();
    let known = |k: usize| operands.get(k).and_then(|operand| operand.value.as_ref());
    let scalar = operands.first().and_then(|operand| operand.ty.scalar());
    match &of.kind {
        Kind::Binary(Binary::Div | Binary::Rem, ..) if scalar != Some(Scalar::Float) => {
            known(1).is_none_or(|words| !words.contains(&0))
        }
        Kind::Binary(Binary::ShiftLeft | Binary::ShiftRight, ..) => {
            known(1).is_none_or(|words| words.iter().all(|&word| word < 32))
        }
        Kind::Index(base, index) => known(1).is_none_or(|words| {
            let (_, count) = base.ty.indexed().expect("it has parts");
            let is_negative = index.ty == Type::INT && (words[0] as i32) < 0;
            !is_negative && (words[0] as usize) < count
        }),
        Kind::Builtin(Builtin::Clamp, _) => match (known(1), known(2)) {
            (Some(low), Some(high)) => low.iter().zip(high).all(|(&low, &high)| match scalar {
                Some(Scalar::Float) => f32::from_bits(low) <= f32::from_bits(high),
                Some(Scalar::Int) => low as i32 <= high as i32,
                _ => low <= high,
            }),
            _ => true,
        },
        Kind::Builtin(Builtin::SmoothStep, _) => match (known(0), known(1)) {
            (Some(low), Some(high)) => {
                let mut both = low.iter().zip(high);
                both.all(|(&low, &high)| f32::from_bits(low) < f32::from_bits(high))
            }
            _ => true,
        },
        Kind::Builtin(Builtin::Ldexp, _) => {
            known(1).is_none_or(|words| words.iter().all(|&word| word as i32 <= 128))
        }
        Kind::Builtin(builtin @ (Builtin::ExtractBits | Builtin::InsertBits), _) => {
            let first = if *builtin == Builtin::ExtractBits { 1 } else { 2 };
            let [offset, count] = [first, first + 1]
                .map(|k| known(k).map_or(0, |words| words.first().copied().unwrap_or(0)));
            u64::from(offset) + u64::from(count) <= 32
        }
        _ => true,
    }
}
