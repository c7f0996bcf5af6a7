//! What instructions do to components.

use super::integers::{IntegerBinary, IntegerUnary};
use lambdav_core::op::{Elementary, NAN};
use rspirv::spirv::{GlslStd450Op as Glsl, Op};

/// A function of one component.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    Negate,
    Abs,
    Floor,
    Ceil,
    Trunc,
    RoundEven,
    Sqrt,
    IsNan,
    Not,
    Integer(IntegerUnary),
    Elementary(Elementary),
}

/// A function of two components.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// Numbers: whether the order is one of these, and what to say if there is none.
    Compare {
        less: bool,
        equal: bool,
        greater: bool,
        unordered: bool,
    },
    /// Words, which are bools or integers.
    Same,
    /// The negation of it.
    Differ,
    And,
    Or,
    Integer(IntegerBinary),
    Elementary(Elementary),
}

fn word(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// `a·b + c`, rounded once.
pub(super) fn fma([a, b, c]: [u32; 3]) -> u32 {
    word(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

impl Unary {
    pub(super) fn apply(self, a: u32) -> u32 {
        let x = f32::from_bits(a);
        match self {
            Self::Negate => word(-x),
            Self::Abs => word(x.abs()),
            Self::Floor => word(x.floor()),
            Self::Ceil => word(x.ceil()),
            Self::Trunc => word(x.trunc()),
            Self::RoundEven => word(x.round_ties_even()),
            Self::Sqrt => word(x.sqrt()),
            Self::IsNan => x.is_nan().into(),
            Self::Not => a ^ 1,
            Self::Integer(function) => function.apply(a),
            Self::Elementary(function) => word(function.evaluate(x, 0.0)),
        }
    }
}

impl Binary {
    pub(super) fn apply(self, a: u32, b: u32) -> u32 {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        match self {
            Self::Add => word(x + y),
            Self::Sub => word(x - y),
            Self::Mul => word(x * y),
            Self::Div => word(x / y),
            Self::Compare { less, equal, greater, unordered } => {
                let holds = match x.partial_cmp(&y) {
                    Some(std::cmp::Ordering::Less) => less,
                    Some(std::cmp::Ordering::Equal) => equal,
                    Some(std::cmp::Ordering::Greater) => greater,
                    None => unordered,
                };
                holds.into()
            }
            Self::Same => (a == b).into(),
            Self::Differ => (a != b).into(),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Integer(function) => function.apply(a, b),
            Self::Elementary(function) => word(function.evaluate(x, y)),
        }
    }
}

/// The comparison of numbers that an instruction is.
pub(super) fn comparison(op: Op) -> Option<Binary> {
    let (less, equal, greater, unordered) = match op {
        Op::FOrdEqual => (false, true, false, false),
        Op::FUnordEqual => (false, true, false, true),
        Op::FOrdNotEqual => (true, false, true, false),
        Op::FUnordNotEqual => (true, false, true, true),
        Op::FOrdLessThan => (true, false, false, false),
        Op::FUnordLessThan => (true, false, false, true),
        Op::FOrdGreaterThan => (false, false, true, false),
        Op::FUnordGreaterThan => (false, false, true, true),
        Op::FOrdLessThanEqual => (true, true, false, false),
        Op::FUnordLessThanEqual => (true, true, false, true),
        Op::FOrdGreaterThanEqual => (false, true, true, false),
        Op::FUnordGreaterThanEqual => (false, true, true, true),
        _ => return None,
    };
    Some(Binary::Compare { less, equal, greater, unordered })
}

/// A function of GLSL.std.450.
pub(super) enum Extended {
    Unary(Unary),
    Binary(Binary),
    /// A product and a sum, rounded once.
    Fma,
}

/// The function of that number, or the name of one that is not known.
pub(super) fn extended(number: u32) -> Result<Extended, String> {
    let Some(function) = Glsl::from_u32(number) else { return Err(format!("number {number}")) };
    let elementary = |function| Ok(Extended::Unary(Unary::Elementary(function)));
    match function {
        Glsl::FAbs => Ok(Extended::Unary(Unary::Abs)),
        Glsl::Floor => Ok(Extended::Unary(Unary::Floor)),
        Glsl::Ceil => Ok(Extended::Unary(Unary::Ceil)),
        Glsl::Trunc => Ok(Extended::Unary(Unary::Trunc)),
        Glsl::RoundEven => Ok(Extended::Unary(Unary::RoundEven)),
        Glsl::Sqrt => Ok(Extended::Unary(Unary::Sqrt)),
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
        Glsl::Atan2 => Ok(Extended::Binary(Binary::Elementary(Elementary::Atan2))),
        Glsl::Fma => Ok(Extended::Fma),
        Glsl::SMin => Ok(Extended::Binary(Binary::Integer(IntegerBinary::Min))),
        Glsl::UMin => Ok(Extended::Binary(Binary::Integer(IntegerBinary::MinUnsigned))),
        Glsl::SMax => Ok(Extended::Binary(Binary::Integer(IntegerBinary::Max))),
        Glsl::UMax => Ok(Extended::Binary(Binary::Integer(IntegerBinary::MaxUnsigned))),
        Glsl::Pow => Ok(Extended::Binary(Binary::Elementary(Elementary::Pow))),
        other => Err(format!("{other:?}")),
    }
}
