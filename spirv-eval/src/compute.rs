//! Instructions that compute a value; checks operands against their types.

use super::arithmetic::{Binary, Unary, comparison};
use super::binary::{Instruction, name};
use super::code::{Axes, Part, Step};
use super::composite::composite;
use super::error::LoadError;
use super::functions::{applied, glsl};
use super::images::read;
use super::integers::{IntegerUnary, arithmetic, order};
use super::options::Undefined;
use super::values::{ComponentType, Entity, Ids, Index, MemoryRegion, ValueType};
use super::wide::wide;
use rspirv::spirv::Op;

/// The region that a pointer refers to.
pub(super) fn place<'i>(
    ids: &'i Ids,
    instruction: &Instruction<'_>,
    id: u32,
) -> Result<&'i MemoryRegion, LoadError> {
    match ids.get(id) {
        Some(Entity::Pointer(_, place)) => Ok(place),
        _ => Err(instruction.malformed(format!("%{id} does not point to a value"))),
    }
}

/// The step for an instruction that computes a value of type `kind`.
pub(super) fn compute(
    undefined: Undefined,
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Step, LoadError> {
    let words = kind.words();
    let operand = |index| instruction.operand(index);
    let malformed = |what: &str| Err(instruction.malformed(what));
    // The place of an operand of that type.
    let value = |index, wanted| ids.value_of(instruction, operand(index)?, wanted);
    let unary = |function, from: ValueType| {
        instruction.exactly(3)?;
        Ok(Step::Unary { function, to, a: value(2, from)?, words })
    };
    let binary = |function, from: ValueType| {
        instruction.exactly(4)?;
        Ok(Step::Binary { function, to, a: value(2, from)?, b: value(3, from)?, words })
    };
    let wants = |scalar| {
        if kind.scalar == scalar && !kind.is_matrix() {
            return Ok(());
        }
        Err(instruction.malformed("its result is of another type"))
    };
    let wants_integer = || match kind.scalar.is_integer() {
        true => Ok(()),
        false => Err(instruction.malformed("its result is of another type")),
    };
    // Accepts either signedness: the operation determines the sign.
    let integer_at = |index| {
        let (from, at) = ids.value(instruction, operand(index)?)?;
        match from.scalar.is_integer() && from.of(kind.scalar) == kind {
            true => Ok(at),
            false => Err(instruction.malformed("an operand is of another type")),
        }
    };
    let integer = |function| {
        instruction.exactly(3)?;
        Ok(Step::Unary {
            function: Unary::Integer(function, undefined),
            to,
            a: integer_at(2)?,
            words,
        })
    };
    let integers = |function, [a, b]: [usize; 2]| {
        instruction.exactly(4)?;
        Ok(Step::Binary { function, to, a: integer_at(a)?, b: integer_at(b)?, words })
    };
    let derivative = |axes| {
        instruction.exactly(3)?;
        Ok(Step::Derivative { to, a: value(2, kind)?, words, axes })
    };
    let op = instruction.op;
    if let Some(step) = read(undefined, ids, instruction, kind, to)? {
        return Ok(step);
    }
    if let Some(step) = wide(ids, instruction, kind, to)? {
        return Ok(step);
    }
    if let Some(step) = applied(ids, instruction, kind, to)? {
        return Ok(step);
    }
    if let Some(function) = arithmetic(op) {
        wants_integer()?;
        return integers(Binary::Integer(function, undefined), [2, 3]);
    }
    if let Some((function, is_swapped)) = order(op) {
        wants(ComponentType::Bool)?;
        let order = if is_swapped { [3, 2] } else { [2, 3] };
        return integers(Binary::Integer(function, undefined), order);
    }
    if let Some(function) = comparison(op) {
        wants(ComponentType::Bool)?;
        return binary(function, kind.of(ComponentType::Float));
    }
    match op {
        Op::FNegate
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FMod
        | Op::FRem
        | Op::DPdx
        | Op::DPdxFine
        | Op::DPdxCoarse
        | Op::DPdy
        | Op::DPdyFine
        | Op::DPdyCoarse
        | Op::Fwidth
        | Op::FwidthFine
        | Op::FwidthCoarse
        | Op::ConvertSToF
        | Op::ConvertUToF
        | Op::QuantizeToF16 => wants(ComponentType::Float)?,
        Op::SNegate | Op::Not | Op::BitwiseAnd | Op::BitwiseOr => wants_integer()?,
        Op::ConvertFToS => wants_integer()?,
        Op::ConvertFToU => wants(ComponentType::Uint)?,
        Op::Select
        | Op::GroupNonUniformQuadSwap
        | Op::CopyObject
        | Op::CopyLogical
        | Op::Bitcast
        | Op::ExtInst
        | Op::VectorExtractDynamic
        | Op::VectorInsertDynamic => {}
        Op::CompositeConstruct | Op::CompositeExtract | Op::CompositeInsert | Op::VectorShuffle => {
            return composite(ids, instruction, kind, to);
        }
        _ => wants(ComponentType::Bool)?,
    }
    match op {
        Op::FNegate => unary(Unary::Negate, kind),
        Op::FAdd => binary(Binary::Add, kind),
        Op::FSub => binary(Binary::Sub, kind),
        Op::FMul => binary(Binary::Mul, kind),
        Op::FDiv => binary(Binary::Div, kind),
        Op::FMod => binary(Binary::Modulo, kind),
        Op::FRem => binary(Binary::Remainder, kind),
        Op::IsInf => unary(Unary::IsInfinite, kind.of(ComponentType::Float)),
        Op::IsNan => unary(Unary::IsNan, kind.of(ComponentType::Float)),
        Op::LogicalNot => unary(Unary::Not, kind),
        Op::LogicalAnd => binary(Binary::And, kind),
        Op::LogicalOr => binary(Binary::Or, kind),
        Op::LogicalEqual => binary(Binary::Same, kind),
        Op::LogicalNotEqual => binary(Binary::Differ, kind),
        Op::IEqual => integers(Binary::Same, [2, 3]),
        Op::INotEqual => integers(Binary::Differ, [2, 3]),
        Op::SNegate => integer(IntegerUnary::Negate),
        Op::Not => integer(IntegerUnary::Complement),
        Op::BitwiseAnd => integers(Binary::And, [2, 3]),
        Op::BitwiseOr => integers(Binary::Or, [2, 3]),
        Op::ConvertSToF => integer(IntegerUnary::FromSigned),
        Op::ConvertUToF => integer(IntegerUnary::FromUnsigned),
        Op::ConvertFToS => {
            unary(Unary::Integer(IntegerUnary::ToSigned, undefined), kind.of(ComponentType::Float))
        }
        Op::ConvertFToU => unary(
            Unary::Integer(IntegerUnary::ToUnsigned, undefined),
            kind.of(ComponentType::Float),
        ),
        Op::Bitcast => {
            let (from, _) = ids.value(instruction, operand(2)?)?;
            let fits = from.of(kind.scalar) == kind && !kind.is_matrix();
            let is_number =
                |of: &ValueType| !matches!(of.scalar, ComponentType::Bool | ComponentType::Various);
            if !fits || ![from, kind].iter().all(is_number) {
                return malformed("its operand is of another type");
            }
            let is_float = [from, kind].iter().any(|of| of.scalar == ComponentType::Float);
            unary(
                match undefined {
                    // SPIR-V leaves the bits of a NaN open.
                    Undefined::Total if is_float => Unary::Canonical,
                    _ => Unary::Integer(IntegerUnary::Bitcast, undefined),
                },
                from,
            )
        }
        Op::Any | Op::All => {
            instruction.exactly(3)?;
            let (from, a) = ids.value(instruction, operand(2)?)?;
            if from.scalar != ComponentType::Bool || from.is_scalar() || !kind.is_scalar() {
                return malformed("not of a vector of bools");
            }
            let words = from.words();
            Ok(if op == Op::Any { Step::Any { to, a, words } } else { Step::All { to, a, words } })
        }
        Op::Select => {
            instruction.exactly(5)?;
            let (of, condition) = ids.value(instruction, operand(2)?)?;
            let (a, b) = (value(3, kind)?, value(4, kind)?);
            let stride = usize::from(!of.is_scalar() && of.words() == words);
            let is_wide = |kind: ValueType| kind.is_matrix() || kind.aggregate.is_some();
            let fits = of.is_scalar() || (stride == 1 && !is_wide(of) && !is_wide(kind));
            if of.scalar != ComponentType::Bool || !fits {
                return malformed("its condition is of another type");
            }
            Ok(Step::Select { to, condition, a, b, words, stride })
        }
        Op::ExtInst => {
            if !matches!(ids.get(operand(2)?), Some(Entity::Glsl)) {
                return malformed("its instruction set is unknown");
            }
            glsl(undefined, ids, instruction, kind, to)
        }
        Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => derivative(Axes::X),
        Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => derivative(Axes::Y),
        Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse => derivative(Axes::Both),
        Op::GroupNonUniformQuadSwap => {
            instruction.exactly(5)?;
            let uint = ValueType::scalar(ComponentType::Uint);
            let (a, direction) = (value(3, kind)?, value(4, uint)?);
            Ok(Step::Swap { to, a, words, direction })
        }
        Op::CopyLogical => {
            let (of, a) = ids.value(instruction, operand(2)?)?;
            if of.words() != words || of.scalar != kind.scalar {
                return malformed("its operand is of another type");
            }
            Ok(Step::Compose { to, parts: [Part { value: a, at: a, words }].into() })
        }
        Op::CopyObject => {
            let a = value(2, kind)?;
            Ok(Step::Compose { to, parts: [Part { value: a, at: a, words }].into() })
        }
        Op::VectorExtractDynamic | Op::VectorInsertDynamic => {
            let (vector, a) = ids.value(instruction, operand(2)?)?;
            let is_insertion = op == Op::VectorInsertDynamic;
            let index = operand(if is_insertion { 4 } else { 3 })?;
            let (of, index) = ids.value(instruction, index)?;
            let part = vector.part().filter(|_| !vector.is_matrix());
            let Some((part, count)) = part.filter(|_| of.is_scalar() && of.scalar.is_integer())
            else {
                return malformed("not a vector and an index");
            };
            if kind != if is_insertion { vector } else { part } {
                return malformed("its result is of another type");
            }
            let is_signed = of.scalar == ComponentType::Int;
            let index = Index { value: index, count, stride: 1, is_signed };
            Ok(if is_insertion {
                Step::Replace { to, a, part: value(3, part)?, index }
            } else {
                Step::Pick { to, a, index }
            })
        }
        other => malformed(&format!("{} in a block", name(other))),
    }
}
