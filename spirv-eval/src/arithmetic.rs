//! Instructions on components.

use super::integers::{IntegerBinary, IntegerUnary};
use super::options::Undefined;
use lambdav_core::op::{Elementary, NAN};
use rspirv::spirv::Op;

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
    InverseSqrt,
    IsNan,
    IsInfinite,
    /// The identity, but any NaN becomes 0x7fc00000.
    Canonical,
    Not,
    Integer(IntegerUnary, Undefined),
    Elementary(Elementary),
}

/// A function of two components.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// `a − b·floor(a/b)`.
    Modulo,
    /// `a − b·trunc(a/b)`.
    Remainder,
    /// Compares floats: the orders that give true; `unordered` for NaN.
    Compare {
        less: bool,
        equal: bool,
        greater: bool,
        unordered: bool,
    },
    /// Equality of words: bools or integers.
    Same,
    /// Inequality of words.
    Differ,
    And,
    Or,
    Integer(IntegerBinary, Undefined),
    Elementary(Elementary),
}

/// The bits of a float; any NaN is 0x7fc00000.
pub(super) fn word(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// The two words of 64 bits, low half first.
pub(super) fn halves(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

/// The 64 bits of two words, low half first.
pub(super) fn joined([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// `a·b + c`, rounded once.
pub(super) fn fma([a, b, c]: [u32; 3]) -> u32 {
    word(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

impl Unary {
    /// True if operands, and true if the result, are floats.
    pub(super) fn numbers(self) -> (bool, bool) {
        match self {
            Self::Canonical | Self::Not | Self::Integer(..) => (false, false),
            Self::IsNan | Self::IsInfinite => (true, false),
            _ => (true, true),
        }
    }

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
            Self::InverseSqrt => word(1.0 / x.sqrt()),
            Self::IsNan => x.is_nan().into(),
            Self::IsInfinite => x.is_infinite().into(),
            Self::Canonical => word(x),
            Self::Not => a ^ 1,
            Self::Integer(function, undefined) => function.apply(undefined, a),
            Self::Elementary(function) => word(function.evaluate(x, 0.0)),
        }
    }
}

impl Binary {
    /// True if operands, and true if the result, are floats.
    pub(super) fn numbers(self) -> (bool, bool) {
        match self {
            Self::Same | Self::Differ | Self::And | Self::Or | Self::Integer(..) => (false, false),
            Self::Compare { .. } => (true, false),
            _ => (true, true),
        }
    }

    pub(super) fn apply(self, a: u32, b: u32) -> u32 {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        match self {
            Self::Add => word(x + y),
            Self::Sub => word(x - y),
            Self::Mul => word(x * y),
            Self::Div => word(x / y),
            Self::Modulo => word(x - y * (x / y).floor()),
            Self::Remainder => word(x - y * (x / y).trunc()),
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
            Self::Integer(function, undefined) => function.apply(undefined, a, b),
            Self::Elementary(function) => word(function.evaluate(x, y)),
        }
    }
}

/// The comparison of floats that an instruction computes.
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
