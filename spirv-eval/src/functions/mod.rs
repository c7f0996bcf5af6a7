//! Functions of whole operands: most of GLSL.std.450, products of vectors and matrices, bits.

mod bits;
mod each;
mod numbers;
mod packing;
mod vectors;

use super::arithmetic::{Binary, Unary};
use super::binary::Instruction;
use super::code::{Argument, Meaning, Step};
use super::error::LoadError;
use super::integers::IntegerBinary;
use super::options::Undefined;
use super::values::{ComponentType, Entity, Ids, SpirvType, ValueType};
use lambdav_core::op::Elementary;
use rspirv::spirv::{GlslStd450Op as Glsl, Op};

/// Types of a function's operands.
#[derive(Clone, Copy)]
enum Rule {
    /// Number of operands, all of the result's type, a scalar or vector of floats.
    Numbers(usize),
    /// Number of operands, all integers of the result's shape.
    Integers(usize),
    /// Number of operands, all vectors of one type; the result is a scalar.
    Reduced(usize),
    /// Vectors of three floats.
    Triples,
    /// Two of the result's type, and a scalar.
    Refract,
    /// One of the result's type, and an integer for each component.
    Ldexp,
    /// An integer from this many floats; `Unpack` is the inverse.
    Pack(u8),
    Unpack(u8),
    /// A square matrix; `Inverse` also returns one.
    Determinant,
    Inverse,
    /// The result is a structure of two values of the operand's type, which is of floats.
    Modf,
    /// The result is a structure of a value of the operand's type and of integers.
    Frexp,
    /// The result is a structure of two values of both operands' type, which is of integers.
    Extended,
}

/// A function of GLSL.std.450.
enum Extended {
    Unary(Unary),
    Binary(Binary),
    /// A product and a sum, rounded once.
    Fma,
    Whole(Meaning, Rule),
}

/// The function of that number, or the name of an unsupported one.
fn extended(undefined: Undefined, number: u32) -> Result<Extended, String> {
    use Extended::Whole;
    let Some(function) = Glsl::from_u32(number) else { return Err(format!("number {number}")) };
    let elementary = |function| Extended::Unary(Unary::Elementary(function));
    let integer = |function| Extended::Binary(Binary::Integer(function, undefined));
    Ok(match function {
        Glsl::FAbs => Extended::Unary(Unary::Abs),
        Glsl::Floor => Extended::Unary(Unary::Floor),
        Glsl::Ceil => Extended::Unary(Unary::Ceil),
        Glsl::Trunc => Extended::Unary(Unary::Trunc),
        Glsl::Round | Glsl::RoundEven => Extended::Unary(Unary::RoundEven),
        Glsl::Sqrt => Extended::Unary(Unary::Sqrt),
        Glsl::InverseSqrt => Extended::Unary(Unary::InverseSqrt),
        Glsl::Sin => elementary(Elementary::Sin),
        Glsl::Cos => elementary(Elementary::Cos),
        Glsl::Tan => elementary(Elementary::Tan),
        Glsl::Asin => elementary(Elementary::Asin),
        Glsl::Acos => elementary(Elementary::Acos),
        Glsl::Atan => elementary(Elementary::Atan),
        Glsl::Sinh => elementary(Elementary::Sinh),
        Glsl::Cosh => elementary(Elementary::Cosh),
        Glsl::Tanh => elementary(Elementary::Tanh),
        Glsl::Asinh => elementary(Elementary::Asinh),
        Glsl::Acosh => elementary(Elementary::Acosh),
        Glsl::Atanh => elementary(Elementary::Atanh),
        Glsl::Exp => elementary(Elementary::Exp),
        Glsl::Exp2 => elementary(Elementary::Exp2),
        Glsl::Log => elementary(Elementary::Log),
        Glsl::Log2 => elementary(Elementary::Log2),
        Glsl::Atan2 => Extended::Binary(Binary::Elementary(Elementary::Atan2)),
        Glsl::Pow => Extended::Binary(Binary::Elementary(Elementary::Pow)),
        Glsl::Fma => Extended::Fma,
        Glsl::SMin => integer(IntegerBinary::Min),
        Glsl::UMin => integer(IntegerBinary::MinUnsigned),
        Glsl::SMax => integer(IntegerBinary::Max),
        Glsl::UMax => integer(IntegerBinary::MaxUnsigned),
        Glsl::Fract => Whole(numbers::fract, Rule::Numbers(1)),
        Glsl::Radians => Whole(numbers::radians, Rule::Numbers(1)),
        Glsl::Degrees => Whole(numbers::degrees, Rule::Numbers(1)),
        Glsl::FSign => Whole(numbers::sign, Rule::Numbers(1)),
        Glsl::FMin => Whole(numbers::minimum, Rule::Numbers(2)),
        Glsl::FMax => Whole(numbers::maximum, Rule::Numbers(2)),
        Glsl::FClamp => Whole(numbers::clamp, Rule::Numbers(3)),
        Glsl::NMin => Whole(numbers::n_min, Rule::Numbers(2)),
        Glsl::NMax => Whole(numbers::n_max, Rule::Numbers(2)),
        Glsl::NClamp => Whole(numbers::n_clamp, Rule::Numbers(3)),
        Glsl::FMix => Whole(numbers::mix, Rule::Numbers(3)),
        Glsl::Step => Whole(numbers::step, Rule::Numbers(2)),
        Glsl::SmoothStep => Whole(numbers::smooth_step, Rule::Numbers(3)),
        Glsl::Ldexp => Whole(numbers::ldexp, Rule::Ldexp),
        Glsl::ModfStruct => Whole(numbers::modf, Rule::Modf),
        Glsl::FrexpStruct => Whole(numbers::frexp, Rule::Frexp),
        Glsl::Length => Whole(vectors::length, Rule::Reduced(1)),
        Glsl::Distance => Whole(vectors::distance, Rule::Reduced(2)),
        Glsl::Normalize => Whole(vectors::normalize, Rule::Numbers(1)),
        Glsl::Cross => Whole(vectors::cross, Rule::Triples),
        Glsl::FaceForward => Whole(vectors::face_forward, Rule::Numbers(3)),
        Glsl::Reflect => Whole(vectors::reflect, Rule::Numbers(2)),
        Glsl::Refract => Whole(vectors::refract, Rule::Refract),
        Glsl::Determinant => Whole(vectors::determinant, Rule::Determinant),
        Glsl::MatrixInverse => Whole(vectors::inverse, Rule::Inverse),
        Glsl::SAbs => Whole(bits::absolute, Rule::Integers(1)),
        Glsl::SSign => Whole(bits::sign, Rule::Integers(1)),
        Glsl::SClamp => Whole(bits::clamp_signed, Rule::Integers(3)),
        Glsl::UClamp => Whole(bits::clamp_unsigned, Rule::Integers(3)),
        Glsl::FindILsb => Whole(bits::lowest, Rule::Integers(1)),
        Glsl::FindUMsb => Whole(bits::highest, Rule::Integers(1)),
        Glsl::FindSMsb => Whole(bits::highest_signed, Rule::Integers(1)),
        Glsl::PackSnorm4x8 => Whole(packing::pack_snorm_4x8, Rule::Pack(4)),
        Glsl::PackUnorm4x8 => Whole(packing::pack_unorm_4x8, Rule::Pack(4)),
        Glsl::PackSnorm2x16 => Whole(packing::pack_snorm_2x16, Rule::Pack(2)),
        Glsl::PackUnorm2x16 => Whole(packing::pack_unorm_2x16, Rule::Pack(2)),
        Glsl::PackHalf2x16 => Whole(packing::pack_half, Rule::Pack(2)),
        Glsl::UnpackSnorm4x8 => Whole(packing::unpack_snorm_4x8, Rule::Unpack(4)),
        Glsl::UnpackUnorm4x8 => Whole(packing::unpack_unorm_4x8, Rule::Unpack(4)),
        Glsl::UnpackSnorm2x16 => Whole(packing::unpack_snorm_2x16, Rule::Unpack(2)),
        Glsl::UnpackUnorm2x16 => Whole(packing::unpack_unorm_2x16, Rule::Unpack(2)),
        Glsl::UnpackHalf2x16 => Whole(packing::unpack_half, Rule::Unpack(2)),
        other => return Err(format!("{other:?}")),
    })
}

/// The step for a function of GLSL.std.450 with a result of type `kind`.
pub(super) fn glsl(
    undefined: Undefined,
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Step, LoadError> {
    let words = kind.words();
    let place = |index, kind| argument(ids, instruction, index, kind).map(|of| of.at);
    let operands = |count: usize| instruction.exactly(4 + count);
    let found = extended(undefined, instruction.operand(3)?).map_err(|name| {
        let what = format!("the function {name} of GLSL.std.450");
        LoadError::Unknown { what, at: instruction.at }
    })?;
    let is_of_integers = matches!(found, Extended::Binary(Binary::Integer(..)));
    let is_whole = matches!(found, Extended::Whole(..));
    if !is_whole && (kind.is_matrix() || is_of_integers != kind.scalar.is_integer())
        || !is_whole && !is_of_integers && kind.scalar != ComponentType::Float
    {
        return Err(instruction.malformed("its result is of another type"));
    }
    Ok(match found {
        Extended::Unary(function) => {
            operands(1)?;
            Step::Unary { function, to, a: place(4, kind)?, words }
        }
        Extended::Binary(function) => {
            operands(2)?;
            let [a, b] = match is_of_integers {
                true => {
                    [integers(ids, instruction, 4, kind)?, integers(ids, instruction, 5, kind)?]
                        .map(|of| of.at)
                }
                false => [place(4, kind)?, place(5, kind)?],
            };
            Step::Binary { function, to, a, b, words }
        }
        Extended::Fma => {
            operands(3)?;
            Step::Fma { to, of: [place(4, kind)?, place(5, kind)?, place(6, kind)?], words }
        }
        Extended::Whole(meaning, rule) => {
            let of = arguments(ids, instruction, 4, kind, rule)?.into();
            Step::Apply { meaning, to, of, words }
        }
    })
}

/// A function with two results, of which it stores the second through a pointer, and the component type
/// of the second.
pub(super) fn with_pointer(
    ids: &Ids,
    instruction: &Instruction<'_>,
) -> Result<Option<(Meaning, ComponentType)>, LoadError> {
    let is_glsl = instruction.op == Op::ExtInst
        && matches!(ids.get(instruction.operand(2)?), Some(Entity::Glsl));
    if !is_glsl {
        return Ok(None);
    }
    let found: Option<(Meaning, _)> = match Glsl::from_u32(instruction.operand(3)?) {
        Some(Glsl::Modf) => Some((numbers::modf, ComponentType::Float)),
        Some(Glsl::Frexp) => Some((numbers::frexp, ComponentType::Int)),
        _ => None,
    };
    if found.is_some() {
        instruction.exactly(6)?;
    }
    Ok(found)
}

/// The step for an instruction that is a function of whole operands.
pub(super) fn applied(
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Option<Step>, LoadError> {
    let words = kind.words();
    let step = |meaning, of: Vec<Argument>| Some(Step::Apply { meaning, to, of: of.into(), words });
    let rule: (Meaning, Rule) = match instruction.op {
        Op::Dot => (vectors::dot, Rule::Reduced(2)),
        Op::BitCount => (bits::count, Rule::Integers(1)),
        Op::BitReverse => (bits::reverse, Rule::Integers(1)),
        Op::IAddCarry => (bits::add_carry, Rule::Extended),
        Op::ISubBorrow => (bits::sub_borrow, Rule::Extended),
        Op::UMulExtended => (bits::mul_extended, Rule::Extended),
        Op::SMulExtended => (bits::mul_extended_signed, Rule::Extended),
        Op::QuantizeToF16 => (packing::quantize, Rule::Numbers(1)),
        Op::BitFieldInsert => {
            instruction.exactly(6)?;
            return Ok(step(bits::insert, fields(ids, instruction, kind, 2)?));
        }
        Op::BitFieldUExtract | Op::BitFieldSExtract => {
            instruction.exactly(5)?;
            let meaning = match instruction.op {
                Op::BitFieldUExtract => bits::extract,
                _ => bits::extract_signed as Meaning,
            };
            return Ok(step(meaning, fields(ids, instruction, kind, 1)?));
        }
        _ => return product(ids, instruction, kind, to),
    };
    let (meaning, rule) = rule;
    Ok(step(meaning, arguments(ids, instruction, 2, kind, rule)?))
}

/// Operands of a bit-field instruction: `count` integers of the result's type, then the scalars offset
/// and count.
fn fields(
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    count: usize,
) -> Result<Vec<Argument>, LoadError> {
    let scalar = ValueType::scalar(ComponentType::Uint);
    let kinds = std::iter::repeat_n(kind, count).chain([scalar; 2]);
    (2..).zip(kinds).map(|(k, kind)| integers(ids, instruction, k, kind)).collect()
}

/// The step for a product of vectors, matrices and scalars.
fn product(
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Option<Step>, LoadError> {
    let vector = |rows| ValueType::numbers(rows);
    let matrix = |rows, columns| ValueType { columns, ..vector(rows) };
    let of = |index| ids.value(instruction, instruction.operand(index)?).map(|(of, _)| of);
    // Operand types for a result of type `kind`.
    let (meaning, kinds): (Meaning, Vec<ValueType>) = match instruction.op {
        Op::VectorTimesScalar | Op::MatrixTimesScalar => (vectors::scaled, vec![kind, vector(1)]),
        Op::VectorTimesMatrix => {
            let rows = of(2)?.rows;
            (vectors::vector_times_matrix, vec![vector(rows), matrix(rows, kind.rows)])
        }
        Op::MatrixTimesVector => {
            let columns = of(3)?.rows;
            (vectors::matrix_times_vector, vec![matrix(kind.rows, columns), vector(columns)])
        }
        Op::MatrixTimesMatrix => {
            let inner = of(3)?.rows;
            let (left, right) = (matrix(kind.rows, inner), matrix(inner, kind.columns));
            (vectors::matrix_times_matrix, vec![left, right])
        }
        Op::OuterProduct => (vectors::outer_product, vec![vector(kind.rows), vector(kind.columns)]),
        Op::Transpose => (vectors::transpose, vec![matrix(kind.columns, kind.rows)]),
        _ => return Ok(None),
    };
    if kind.scalar != ComponentType::Float || kind.aggregate.is_some() {
        return Err(instruction.malformed("its result is of another type"));
    }
    instruction.exactly(2 + kinds.len())?;
    let all = (2..).zip(kinds).map(|(k, kind)| argument(ids, instruction, k, kind));
    let of = all.collect::<Result<Vec<Argument>, LoadError>>()?.into();
    Ok(Some(Step::Apply { meaning, to, of, words: kind.words() }))
}

/// The operands from that index on.
fn arguments(
    ids: &Ids,
    instruction: &Instruction<'_>,
    first: usize,
    kind: ValueType,
    rule: Rule,
) -> Result<Vec<Argument>, LoadError> {
    let wrong = || instruction.malformed("its result is of another type");
    let wants = |is_so: bool| if is_so { Ok(()) } else { Err(wrong()) };
    let is_vector = |of: ValueType| !of.is_matrix() && of.aggregate.is_none();
    let numbers = |of: ValueType| is_vector(of) && of.scalar == ComponentType::Float;
    let ints = |of: ValueType| is_vector(of) && of.scalar.is_integer();
    let exactly = |wanted: usize| instruction.exactly(first + wanted);
    let argument = |k: usize, of: ValueType| argument(ids, instruction, first + k, of);
    let integer = |k: usize, of: ValueType| integers(ids, instruction, first + k, of);
    let scalar = ValueType::numbers(1);
    match rule {
        Rule::Numbers(n) => {
            wants(numbers(kind))?;
            exactly(n)?;
            (0..n).map(|k| argument(k, kind)).collect()
        }
        Rule::Triples => {
            wants(kind == ValueType::numbers(3))?;
            exactly(2)?;
            (0..2).map(|k| argument(k, kind)).collect()
        }
        Rule::Integers(n) => {
            wants(ints(kind))?;
            exactly(n)?;
            (0..n).map(|k| integer(k, kind)).collect()
        }
        Rule::Reduced(n) => {
            exactly(n)?;
            let (of, _) = ids.value(instruction, instruction.operand(first)?)?;
            wants(kind == scalar && numbers(of))?;
            (0..n).map(|k| argument(k, of)).collect()
        }
        Rule::Refract => {
            wants(numbers(kind))?;
            exactly(3)?;
            [(0, kind), (1, kind), (2, scalar)].map(|(k, of)| argument(k, of)).into_iter().collect()
        }
        Rule::Ldexp => {
            wants(numbers(kind))?;
            exactly(2)?;
            Ok(vec![argument(0, kind)?, integer(1, kind.of(ComponentType::Int))?])
        }
        Rule::Pack(rows) => {
            wants(ints(kind) && kind.is_scalar())?;
            exactly(1)?;
            Ok(vec![argument(0, ValueType::numbers(rows))?])
        }
        Rule::Unpack(rows) => {
            wants(kind == ValueType::numbers(rows))?;
            exactly(1)?;
            Ok(vec![integer(0, ValueType::scalar(ComponentType::Uint))?])
        }
        Rule::Determinant => {
            exactly(1)?;
            let (of, _) = ids.value(instruction, instruction.operand(first)?)?;
            wants(kind == scalar && is_square(of))?;
            Ok(vec![argument(0, of)?])
        }
        Rule::Inverse => {
            wants(is_square(kind))?;
            exactly(1)?;
            Ok(vec![argument(0, kind)?])
        }
        Rule::Modf | Rule::Frexp | Rule::Extended => {
            let members = kind.aggregate.and_then(|aggregate| match ids.get(aggregate.ty) {
                Some(Entity::Type(SpirvType::Struct(members, _))) => Some(members),
                _ => None,
            });
            let Some(&[(of, _), (other, _)]) = members.map(|members| &**members) else {
                return Err(wrong());
            };
            match rule {
                Rule::Modf => wants(numbers(of) && other == of)?,
                Rule::Frexp => wants(numbers(of) && ints(other) && other.rows == of.rows)?,
                _ => {
                    wants(ints(of) && other == of)?;
                    exactly(2)?;
                    return (0..2).map(|k| integer(k, of)).collect();
                }
            }
            exactly(1)?;
            Ok(vec![argument(0, of)?])
        }
    }
}

fn is_square(of: ValueType) -> bool {
    of.is_matrix() && of.columns == of.rows && of.scalar == ComponentType::Float
}

/// An operand of type `kind`.
pub(super) fn argument(
    ids: &Ids,
    instruction: &Instruction<'_>,
    index: usize,
    kind: ValueType,
) -> Result<Argument, LoadError> {
    let at = ids.value_of(instruction, instruction.operand(index)?, kind)?;
    Ok(Argument { at, words: kind.words(), rows: kind.rows.into() })
}

/// An operand of that shape, of signed or unsigned integers.
fn integers(
    ids: &Ids,
    instruction: &Instruction<'_>,
    index: usize,
    kind: ValueType,
) -> Result<Argument, LoadError> {
    let (of, at) = ids.value(instruction, instruction.operand(index)?)?;
    match of.scalar.is_integer() && of.of(kind.scalar) == kind {
        true => Ok(Argument { at, words: kind.words(), rows: kind.rows.into() }),
        false => Err(instruction.malformed("an operand is of another type")),
    }
}
