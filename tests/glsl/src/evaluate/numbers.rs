//! Operations on single components.

use crate::program::Scalar;
use lambdav_core::op::{Elementary, Op};
use lambdav_core::types::{self, Type, Types};

fn core_scalar(scalar: Scalar) -> types::Scalar {
    match scalar {
        Scalar::Bool => types::Scalar::Bool,
        Scalar::Int => types::Scalar::I32,
        Scalar::Uint => types::Scalar::U32,
        Scalar::Float => types::Scalar::F32,
    }
}

/// An operation of the core on components of one kind. The second operand of a shift is a `uint`.
pub fn apply(op: Op, scalar: Scalar, operands: &[u32]) -> u32 {
    thread_local! { static TYPES: Types = Types::default() }
    let mut of = [Type::of(core_scalar(scalar), 1); 3];
    if matches!(op, Op::ShiftLeft | Op::ShiftRight) {
        of[1] = Type::UINT;
    }
    let none: &[u32] = &[];
    let mut slices = [none; 3];
    for (slice, operand) in slices.iter_mut().zip(operands) {
        *slice = std::slice::from_ref(operand);
    }
    let count = operands.len();
    let mut out = [0];
    TYPES.with(|types| op.apply(types, &of[..count], &slices[..count], &mut out));
    out[0]
}

/// A conversion.
pub fn convert(from: Scalar, to: Scalar, word: u32) -> u32 {
    if from == to { word } else { apply(Op::Convert(core_scalar(to)), from, &[word]) }
}

/// An operation on floats.
pub fn float(op: Op, operands: &[u32]) -> u32 {
    apply(op, Scalar::Float, operands)
}

/// An elementary function.
pub fn elementary(function: Elementary, operands: &[u32]) -> u32 {
    float(Op::Elementary(function), operands)
}

/// `a + b`.
pub fn add(a: u32, b: u32) -> u32 {
    float(Op::Add, &[a, b])
}

/// `a - b`.
pub fn sub(a: u32, b: u32) -> u32 {
    float(Op::Sub, &[a, b])
}

/// `a * b`.
pub fn mul(a: u32, b: u32) -> u32 {
    float(Op::Mul, &[a, b])
}

/// `a / b`.
pub fn div(a: u32, b: u32) -> u32 {
    float(Op::Div, &[a, b])
}

/// `a < b`.
pub fn less(a: u32, b: u32) -> bool {
    f32::from_bits(a) < f32::from_bits(b)
}

/// The bits of 0.
pub const ZERO: u32 = 0;
/// The bits of 1.
pub const ONE: u32 = 0x3f80_0000;
/// The bits of 2.
pub const TWO: u32 = 0x4000_0000;
/// The bits of 3.
pub const THREE: u32 = 0x4040_0000;
