//! Builtin functions, from LANGUAGE §6 and §9.

use super::arithmetic::{is_less, max, min};
use super::linear::{self, columns, dot};
use super::numbers::{ONE, THREE, TWO, ZERO, add, apply, div, elementary, float, less, mul, sub};
use super::packing;
use crate::builtins::Builtin;
use crate::program::{Scalar, Type};
use lambdav_core::op::{Elementary, Op};

/// The result, then the values of `out` arguments. `types` and `values` are those of the other arguments.
pub fn call(
    builtin: Builtin,
    result: &Type,
    types: &[&Type],
    values: &[Vec<u32>],
) -> Vec<Vec<u32>> {
    let scalar = types[0].scalar().expect("arguments have components");
    let count = values.iter().map(Vec::len).max().unwrap_or(1);
    // A scalar stands for a vector of equal components.
    let at = |argument: usize, k: usize| {
        let words = &values[argument];
        if words.len() == 1 { words[0] } else { words[k] }
    };
    let each = |f: &dyn Fn(&[u32]) -> u32| -> Vec<Vec<u32>> {
        let one = |k: usize| {
            let operands: Vec<u32> = (0..values.len()).map(|argument| at(argument, k)).collect();
            f(&operands)
        };
        vec![(0..count).map(one).collect()]
    };
    let pair = |f: &dyn Fn(u32, u32) -> (u32, u32)| -> (Vec<u32>, Vec<u32>) {
        (0..count).map(|k| f(at(0, k), if values.len() > 1 { at(1, k) } else { 0 })).unzip()
    };
    let compare = |op: Op, is_swapped: bool| {
        each(&|x| apply(op, scalar, &if is_swapped { [x[1], x[0]] } else { [x[0], x[1]] }))
    };
    if let Some(function) = elementary_function(builtin) {
        return each(&|x| elementary(function, x));
    }
    if let Some(op) = exact(builtin) {
        return each(&|x| apply(op, scalar, x));
    }
    let rows = |argument: usize| match types[argument] {
        Type::Matrix(_, rows) => columns(&values[argument], *rows),
        _ => unreachable!("it is a matrix"),
    };
    match builtin {
        Builtin::Radians => each(&|x| mul(x[0], 0.017_453_292_f32.to_bits())),
        Builtin::Degrees => each(&|x| mul(x[0], 57.295_78_f32.to_bits())),
        Builtin::InverseSqrt => each(&|x| div(ONE, float(Op::Sqrt, x))),
        Builtin::Sign => each(&|x| sign(scalar, x[0])),
        Builtin::Fract => each(&|x| sub(x[0], float(Op::Floor, x))),
        Builtin::Mod => each(&|x| sub(x[0], mul(x[1], float(Op::Floor, &[div(x[0], x[1])])))),
        Builtin::Min => each(&|x| min(scalar, x[0], x[1])),
        Builtin::Max => each(&|x| max(scalar, x[0], x[1])),
        Builtin::Clamp => each(&|x| min(scalar, max(scalar, x[0], x[1]), x[2])),
        Builtin::Mix => each(&|x| add(mul(x[0], sub(ONE, x[2])), mul(x[1], x[2]))),
        Builtin::Choose => each(&|x| if x[2] != 0 { x[1] } else { x[0] }),
        Builtin::Step => each(&|x| if less(x[1], x[0]) { ZERO } else { ONE }),
        Builtin::SmoothStep => each(&|x| smooth_step(x[0], x[1], x[2])),
        Builtin::IsNan => each(&|x| u32::from(f32::from_bits(x[0]).is_nan())),
        Builtin::IsInf => each(&|x| u32::from(f32::from_bits(x[0]).is_infinite())),
        Builtin::Ldexp => each(&|x| packing::scaled(x[0], x[1])),
        Builtin::MatrixCompMult => each(&|x| mul(x[0], x[1])),
        Builtin::LessThan => compare(Op::Less, false),
        Builtin::LessThanEqual => compare(Op::LessEqual, false),
        Builtin::GreaterThan => compare(Op::Less, true),
        Builtin::GreaterThanEqual => compare(Op::LessEqual, true),
        Builtin::Equal => compare(Op::Equal, false),
        Builtin::NotEqual => compare(Op::NotEqual, false),
        Builtin::Not => each(&|x| x[0] ^ 1),
        Builtin::Any => vec![vec![u32::from(values[0].contains(&1))]],
        Builtin::All => vec![vec![u32::from(!values[0].contains(&0))]],
        Builtin::FloatBitsToInt | Builtin::FloatBitsToUint => each(&|x| float(Op::Bits, x)),
        Builtin::IntBitsToFloat | Builtin::UintBitsToFloat => {
            each(&|x| lambdav_core::float::canonical(x[0]))
        }
        Builtin::BitfieldExtract => {
            each(&|x| packing::extract(x[0], x[1], x[2], scalar == Scalar::Int))
        }
        Builtin::BitfieldInsert => each(&|x| packing::insert(x[0], x[1], x[2], x[3])),
        Builtin::BitfieldReverse => each(&|x| x[0].reverse_bits()),
        Builtin::BitCount => each(&|x| x[0].count_ones()),
        Builtin::FindLsb => each(&|x| packing::lowest(x[0])),
        Builtin::FindMsb => each(&|x| packing::highest(x[0], scalar == Scalar::Int)),
        Builtin::AddCarry => {
            let (sum, carry) =
                pair(&|a, b| (a.wrapping_add(b), u32::from(a.checked_add(b).is_none())));
            vec![sum, carry]
        }
        Builtin::SubBorrow => {
            let (rest, borrow) = pair(&|a, b| (a.wrapping_sub(b), u32::from(a < b)));
            vec![rest, borrow]
        }
        Builtin::MulExtended | Builtin::SignedMulExtended => {
            let (high, low) = pair(&|a, b| {
                let product = match builtin {
                    Builtin::MulExtended => u64::from(a) * u64::from(b),
                    _ => (i64::from(a as i32) * i64::from(b as i32)) as u64,
                };
                ((product >> 32) as u32, product as u32)
            });
            vec![Vec::new(), high, low]
        }
        Builtin::Modf => {
            let (rest, whole) = pair(&|a, _| modf(a));
            vec![rest, whole]
        }
        Builtin::Frexp => {
            let (part, exponent) = pair(&|a, _| packing::significand(a));
            vec![part, exponent]
        }
        Builtin::PackUnorm2x16 => vec![vec![packing::pack(&values[0], 16, false)]],
        Builtin::PackSnorm2x16 => vec![vec![packing::pack(&values[0], 16, true)]],
        Builtin::PackUnorm4x8 => vec![vec![packing::pack(&values[0], 8, false)]],
        Builtin::PackSnorm4x8 => vec![vec![packing::pack(&values[0], 8, true)]],
        Builtin::PackHalf2x16 => vec![vec![packing::pack_half(&values[0])]],
        Builtin::UnpackUnorm2x16 => vec![packing::unpack(values[0][0], 16, false)],
        Builtin::UnpackSnorm2x16 => vec![packing::unpack(values[0][0], 16, true)],
        Builtin::UnpackUnorm4x8 => vec![packing::unpack(values[0][0], 8, false)],
        Builtin::UnpackSnorm4x8 => vec![packing::unpack(values[0][0], 8, true)],
        Builtin::UnpackHalf2x16 => vec![packing::unpack_half(values[0][0])],
        Builtin::Transpose => vec![linear::transpose(&rows(0))],
        Builtin::Determinant => vec![vec![linear::determinant(&rows(0))]],
        Builtin::Inverse => vec![linear::inverse(&rows(0))],
        Builtin::OuterProduct => {
            let column = |&factor: &u32| values[0].iter().map(move |&word| mul(word, factor));
            vec![values[1].iter().flat_map(column).collect()]
        }
        _ => vec![geometric(builtin, result, values)],
    }
}

/// The correctly rounded function of a builtin.
fn elementary_function(builtin: Builtin) -> Option<Elementary> {
    Some(match builtin {
        Builtin::Sin => Elementary::Sin,
        Builtin::Cos => Elementary::Cos,
        Builtin::Tan => Elementary::Tan,
        Builtin::Asin => Elementary::Asin,
        Builtin::Acos => Elementary::Acos,
        Builtin::Atan => Elementary::Atan,
        Builtin::Atan2 => Elementary::Atan2,
        Builtin::Sinh => Elementary::Sinh,
        Builtin::Cosh => Elementary::Cosh,
        Builtin::Tanh => Elementary::Tanh,
        Builtin::Asinh => Elementary::Asinh,
        Builtin::Acosh => Elementary::Acosh,
        Builtin::Atanh => Elementary::Atanh,
        Builtin::Pow => Elementary::Pow,
        Builtin::Exp => Elementary::Exp,
        Builtin::Log => Elementary::Log,
        Builtin::Exp2 => Elementary::Exp2,
        Builtin::Log2 => Elementary::Log2,
        _ => return None,
    })
}

/// The exact operation of a builtin.
fn exact(builtin: Builtin) -> Option<Op> {
    Some(match builtin {
        Builtin::Sqrt => Op::Sqrt,
        Builtin::Abs => Op::Abs,
        Builtin::Floor => Op::Floor,
        Builtin::Trunc => Op::Trunc,
        Builtin::Round | Builtin::RoundEven => Op::RoundEven,
        Builtin::Ceil => Op::Ceil,
        Builtin::Fma => Op::Fma,
        _ => return None,
    })
}

/// 1, −1, or else 0.
fn sign(scalar: Scalar, word: u32) -> u32 {
    let (plus, minus) = match scalar {
        Scalar::Float => (ONE, (-1_f32).to_bits()),
        _ => (1, u32::MAX),
    };
    match (is_less(scalar, ZERO, word), is_less(scalar, word, ZERO)) {
        (true, _) => plus,
        (_, true) => minus,
        _ => ZERO,
    }
}

fn smooth_step(low: u32, high: u32, x: u32) -> u32 {
    let t = div(sub(x, low), sub(high, low));
    let t = min(Scalar::Float, max(Scalar::Float, t, ZERO), ONE);
    mul(mul(t, t), sub(THREE, mul(TWO, t)))
}

/// The fraction, with the sign of the operand, and the whole part.
fn modf(word: u32) -> (u32, u32) {
    let whole = float(Op::Trunc, &[word]);
    let is_whole = f32::from_bits(word) == f32::from_bits(whole);
    (if is_whole { word & 1 << 31 } else { sub(word, whole) }, whole)
}

pub(super) fn length(v: &[u32]) -> u32 {
    match v {
        [x] => float(Op::Abs, &[*x]),
        _ => float(Op::Sqrt, &[dot(v, v)]),
    }
}

/// Functions of whole vectors.
fn geometric(builtin: Builtin, result: &Type, values: &[Vec<u32>]) -> Vec<u32> {
    let a = &values[0];
    let b = values.get(1).unwrap_or(a);
    let zip = |f: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
        a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
    };
    match builtin {
        Builtin::Length => vec![length(a)],
        Builtin::Distance => vec![length(&zip(&sub))],
        Builtin::Dot => vec![dot(a, b)],
        Builtin::Normalize => {
            let length = length(a);
            a.iter().map(|&x| div(x, length)).collect()
        }
        Builtin::Cross => {
            let part = |i: usize, j: usize| sub(mul(a[i], b[j]), mul(a[j], b[i]));
            vec![part(1, 2), part(2, 0), part(0, 1)]
        }
        // (normal, incident, reference)
        Builtin::FaceForward => match less(dot(&values[2], b), ZERO) {
            true => a.clone(),
            false => a.iter().map(|&x| float(Op::Neg, &[x])).collect(),
        },
        Builtin::Reflect => {
            let double = mul(TWO, dot(b, a));
            zip(&|i, n| sub(i, mul(n, double)))
        }
        Builtin::Refract => {
            let eta = values[2][0];
            let d = dot(b, a);
            let k = sub(ONE, mul(mul(eta, eta), sub(ONE, mul(d, d))));
            if less(k, ZERO) {
                return vec![ZERO; a.len()];
            }
            let factor = add(mul(eta, d), float(Op::Sqrt, &[k]));
            zip(&|i, n| sub(mul(i, eta), mul(n, factor)))
        }
        _ => unreachable!("{builtin:?} of {result:?}"),
    }
}
