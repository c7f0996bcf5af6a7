//! Instructions on integers.
//!
//! Undefined results are improbable bits, or those that [`Undefined::Total`] defines.

use super::options::Undefined;
use rspirv::spirv::Op;

/// An undefined result: improbable bits, or `total`.
fn open(undefined: Undefined, total: u32) -> u32 {
    match undefined {
        Undefined::Marked => 0x5bad_c0de,
        Undefined::Total => total,
    }
}

/// A function of one integer, or with an integer result.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntegerUnary {
    Negate,
    Complement,
    /// Keeps the bits.
    Bitcast,
    FromSigned,
    FromUnsigned,
    ToSigned,
    ToUnsigned,
}

/// A function of two integers.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntegerBinary {
    Add,
    Sub,
    Mul,
    Div,
    DivUnsigned,
    Rem,
    RemUnsigned,
    Modulo,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Min,
    MinUnsigned,
    Max,
    MaxUnsigned,
    Less,
    LessUnsigned,
    LessEqual,
    LessEqualUnsigned,
}

impl IntegerUnary {
    pub(super) fn apply(self, undefined: Undefined, a: u32) -> u32 {
        let x = f32::from_bits(a).trunc();
        match self {
            Self::Negate => a.wrapping_neg(),
            Self::Complement => !a,
            Self::Bitcast => a,
            Self::FromSigned => (a as i32 as f32).to_bits(),
            Self::FromUnsigned => (a as f32).to_bits(),
            Self::ToSigned if (-2_147_483_648.0..2_147_483_648.0).contains(&x) => x as i32 as u32,
            Self::ToUnsigned if (0.0..4_294_967_296.0).contains(&x) => x as u32,
            // Rust's conversions saturate.
            Self::ToSigned => open(undefined, x as i32 as u32),
            Self::ToUnsigned => open(undefined, x as u32),
        }
    }
}

impl IntegerBinary {
    pub(super) fn apply(self, undefined: Undefined, a: u32, b: u32) -> u32 {
        let (x, y) = (a as i32, b as i32);
        let or = |value: Option<u32>, total| value.unwrap_or_else(|| open(undefined, total));
        let signed = |value: Option<i32>, total| or(value.map(|value| value as u32), total);
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::Mul => a.wrapping_mul(b),
            Self::Div => signed(x.checked_div(y), a),
            Self::DivUnsigned => or(a.checked_div(b), a),
            Self::Rem => signed(x.checked_rem(y), 0),
            Self::RemUnsigned => or(a.checked_rem(b), 0),
            Self::Modulo => signed(
                x.checked_rem(y)
                    .map(|rest| if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }),
                0,
            ),
            Self::Xor => a ^ b,
            Self::ShiftLeft => or(a.checked_shl(b), a << (b % 32)),
            Self::ShiftRight => or(a.checked_shr(b), a >> (b % 32)),
            Self::ShiftRightSigned => signed(x.checked_shr(b), (x >> (b % 32)) as u32),
            Self::Min => x.min(y) as u32,
            Self::MinUnsigned => a.min(b),
            Self::Max => x.max(y) as u32,
            Self::MaxUnsigned => a.max(b),
            Self::Less => (x < y).into(),
            Self::LessUnsigned => (a < b).into(),
            Self::LessEqual => (x <= y).into(),
            Self::LessEqualUnsigned => (a <= b).into(),
        }
    }
}

/// The binary operation of an instruction.
pub(super) fn arithmetic(op: Op) -> Option<IntegerBinary> {
    Some(match op {
        Op::IAdd => IntegerBinary::Add,
        Op::ISub => IntegerBinary::Sub,
        Op::IMul => IntegerBinary::Mul,
        Op::SDiv => IntegerBinary::Div,
        Op::UDiv => IntegerBinary::DivUnsigned,
        Op::SRem => IntegerBinary::Rem,
        Op::UMod => IntegerBinary::RemUnsigned,
        Op::SMod => IntegerBinary::Modulo,
        Op::BitwiseXor => IntegerBinary::Xor,
        Op::ShiftLeftLogical => IntegerBinary::ShiftLeft,
        Op::ShiftRightLogical => IntegerBinary::ShiftRight,
        Op::ShiftRightArithmetic => IntegerBinary::ShiftRightSigned,
        _ => return None,
    })
}

/// The comparison of an instruction; true if its operands are swapped.
pub(super) fn order(op: Op) -> Option<(IntegerBinary, bool)> {
    Some(match op {
        Op::SLessThan => (IntegerBinary::Less, false),
        Op::SGreaterThan => (IntegerBinary::Less, true),
        Op::ULessThan => (IntegerBinary::LessUnsigned, false),
        Op::UGreaterThan => (IntegerBinary::LessUnsigned, true),
        Op::SLessThanEqual => (IntegerBinary::LessEqual, false),
        Op::SGreaterThanEqual => (IntegerBinary::LessEqual, true),
        Op::ULessThanEqual => (IntegerBinary::LessEqualUnsigned, false),
        Op::UGreaterThanEqual => (IntegerBinary::LessEqualUnsigned, true),
        _ => return None,
    })
}
