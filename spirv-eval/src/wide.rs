//! Numbers of 64 bits: scalars only, in two words, low half first.

use super::arithmetic::{halves, joined};
use super::binary::Instruction;
use super::code::{Argument, Meaning, Operand, Step};
use super::error::LoadError;
use super::values::{ComponentType, Entity, Ids, ValueType};
use rspirv::spirv::{GlslStd450Op as Glsl, Op};
use std::cmp::Ordering;

const DOUBLE: ComponentType = ComponentType::Double;
const LONG: ComponentType = ComponentType::Long;
const UINT: ComponentType = ComponentType::Uint;

fn long(of: &[Operand<'_>], operand: usize) -> u64 {
    match of.get(operand).map(|of| of.words) {
        Some(&[low, high]) => joined([low, high]),
        Some(&[low]) => low.into(),
        _ => 0,
    }
}

fn double(of: &[Operand<'_>], operand: usize) -> f64 {
    f64::from_bits(long(of, operand))
}

fn put(out: &mut [u32], value: u64) {
    out.iter_mut().zip(halves(value)).for_each(|(word, half)| *word = half);
}

/// Functions that read 64-bit operands by `$read` and write a 64-bit result, or its low half.
macro_rules! meanings {
    ($read:ident: $(|$($operand:ident),*| $value:expr),*) => {
        [$(|of: &[Operand<'_>], out: &mut [u32]| {
            let mut next = 0..;
            $(let $operand = $read(of, next.next().unwrap_or(0));)*
            put(out, $value);
        }),*]
    };
}

/// The function of an instruction on 64-bit floats, and its number of operands.
fn of_doubles(op: Op) -> Option<(Meaning, usize)> {
    let [negate]: [Meaning; 1] = meanings!(double: |a| (-a).to_bits());
    let arithmetic: [Meaning; 4] = meanings!(double:
        |a, b| (a + b).to_bits(),
        |a, b| (a - b).to_bits(),
        |a, b| (a * b).to_bits(),
        |a, b| (a / b).to_bits()
    );
    let comparisons: [Meaning; 8] = meanings!(double:
        |a, b| (a < b).into(),
        |a, b| (a <= b).into(),
        |a, b| (a > b).into(),
        |a, b| (a >= b).into(),
        |a, b| (a == b).into(),
        |a, b| a.partial_cmp(&b).is_some_and(Ordering::is_ne).into(),
        |a, b| (a != b).into(),
        |a, b| a.partial_cmp(&b).is_none_or(Ordering::is_eq).into()
    );
    Some(match op {
        Op::FNegate => (negate, 1),
        Op::FAdd => (arithmetic[0], 2),
        Op::FSub => (arithmetic[1], 2),
        Op::FMul => (arithmetic[2], 2),
        Op::FDiv => (arithmetic[3], 2),
        Op::FOrdLessThan => (comparisons[0], 2),
        Op::FOrdLessThanEqual => (comparisons[1], 2),
        Op::FOrdGreaterThan => (comparisons[2], 2),
        Op::FOrdGreaterThanEqual => (comparisons[3], 2),
        Op::FOrdEqual => (comparisons[4], 2),
        Op::FOrdNotEqual => (comparisons[5], 2),
        Op::FUnordNotEqual => (comparisons[6], 2),
        Op::FUnordEqual => (comparisons[7], 2),
        _ => return None,
    })
}

/// The function of an instruction on 64-bit integers.
fn of_longs(op: Op) -> Option<Meaning> {
    let all: [Meaning; 10] = meanings!(long:
        |a, b| a.wrapping_add(b),
        |a, b| a.wrapping_sub(b),
        |a, b| a.wrapping_mul(b),
        |a, b| a & b,
        |a, b| a | b,
        |a, b| a ^ b,
        |a, b| a.checked_shl(b as u32).unwrap_or(0),
        |a, b| a.checked_shr(b as u32).unwrap_or(0),
        |a, b| (a == b).into(),
        |a, b| (a != b).into()
    );
    let index = match op {
        Op::IAdd => 0,
        Op::ISub => 1,
        Op::IMul => 2,
        Op::BitwiseAnd => 3,
        Op::BitwiseOr => 4,
        Op::BitwiseXor => 5,
        Op::ShiftLeftLogical => 6,
        Op::ShiftRightLogical => 7,
        Op::IEqual => 8,
        Op::INotEqual => 9,
        _ => return None,
    };
    Some(all[index])
}

/// The 64-bit form of a function of GLSL.std.450, and its number of operands.
fn of_glsl(function: Glsl) -> Option<(Meaning, usize)> {
    let all: [Meaning; 7] = meanings!(double:
        |a| a.abs().to_bits(),
        |a| a.sqrt().to_bits(),
        |a| a.trunc().to_bits(),
        |a| a.floor().to_bits(),
        |a| a.ceil().to_bits(),
        |a| a.round_ties_even().to_bits(),
        |a, b, c| a.mul_add(b, c).to_bits()
    );
    Some(match function {
        Glsl::FAbs => (all[0], 1),
        Glsl::Sqrt => (all[1], 1),
        Glsl::Trunc => (all[2], 1),
        Glsl::Floor => (all[3], 1),
        Glsl::Ceil => (all[4], 1),
        Glsl::RoundEven => (all[5], 1),
        Glsl::Fma => (all[6], 3),
        _ => return None,
    })
}

/// The step for an instruction with a 64-bit result or first operand; `None` for others.
pub(super) fn wide(
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Option<Step>, LoadError> {
    let first = match instruction.op {
        Op::ExtInst => 4,
        Op::Select => 3,
        _ => 2,
    };
    let found = instruction.operands.get(first).and_then(|&id| ids.get(id));
    let from = match found {
        Some(&Entity::Value(from, _)) => from,
        _ => kind,
    };
    if !kind.scalar.is_wide() && !from.scalar.is_wide() {
        return Ok(None);
    }
    let wrong = |what: &str| Err(instruction.malformed(what));
    let apply = |meaning, kinds: &[ComponentType]| {
        instruction.exactly(first + kinds.len())?;
        let of = kinds.iter().enumerate().map(|(k, &scalar)| {
            let kind = ValueType::scalar(scalar);
            let at = ids.value_of(instruction, instruction.operand(first + k)?, kind)?;
            Ok(Argument { at, words: kind.words(), rows: 1 })
        });
        let of: Result<Box<[Argument]>, LoadError> = of.collect();
        Ok(Some(Step::Apply { meaning, to, of: of?, words: kind.words() }))
    };
    let is = |scalar: ComponentType| kind == ValueType::scalar(scalar);
    match instruction.op {
        // These move words of any width.
        Op::Select | Op::CopyObject => Ok(None),
        Op::ExtInst => {
            let function = Glsl::from_u32(instruction.operand(3)?).and_then(of_glsl);
            match function {
                Some((meaning, count)) if is(DOUBLE) => apply(meaning, &[DOUBLE; 3][..count]),
                _ => wrong("it is not known for numbers of 64 bits"),
            }
        }
        Op::FConvert if is(DOUBLE) && from == ValueType::numbers(1) => {
            instruction.exactly(3)?;
            let a = ids.value_of(instruction, instruction.operand(2)?, from)?;
            Ok(Some(Step::Lengthen { to, a }))
        }
        Op::FConvert if kind == ValueType::numbers(1) && from.scalar == DOUBLE => {
            instruction.exactly(3)?;
            let a = ids.value_of(instruction, instruction.operand(2)?, from)?;
            Ok(Some(Step::Shorten { to, a }))
        }
        Op::ConvertUToF if is(DOUBLE) && from.scalar == UINT => {
            let [meaning]: [Meaning; 1] = meanings!(long: |a| (a as f64).to_bits());
            apply(meaning, &[UINT])
        }
        Op::UConvert if is(UINT) || is(LONG) => {
            let [meaning]: [Meaning; 1] = meanings!(long: |a| a);
            if from.scalar != UINT && from.scalar != LONG {
                return wrong("its operand is of another type");
            }
            apply(meaning, &[from.scalar])
        }
        Op::Bitcast if kind.scalar.is_wide() && from.scalar.is_wide() => {
            let [meaning]: [Meaning; 1] = meanings!(long: |a| a);
            apply(meaning, &[from.scalar])
        }
        op if from.scalar == LONG => match of_longs(op) {
            Some(meaning) => {
                let is_shift = matches!(op, Op::ShiftLeftLogical | Op::ShiftRightLogical);
                let is_comparison = matches!(op, Op::IEqual | Op::INotEqual);
                if !is(if is_comparison { ComponentType::Bool } else { LONG }) {
                    return wrong("its result is of another type");
                }
                apply(meaning, &[LONG, if is_shift { UINT } else { LONG }])
            }
            None => wrong("it is not known for numbers of 64 bits"),
        },
        op => match of_doubles(op) {
            Some((meaning, count)) => {
                let is_arithmetic =
                    matches!(op, Op::FNegate | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv);
                if !is(if is_arithmetic { DOUBLE } else { ComponentType::Bool }) {
                    return wrong("its result is of another type");
                }
                apply(meaning, &[DOUBLE; 2][..count])
            }
            None => wrong("it is not known for numbers of 64 bits"),
        },
    }
}
