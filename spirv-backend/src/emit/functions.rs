//! How elementary functions are computed in SPIR-V: by an instruction of GLSL.std.450, or, where
//! that has none or a device's own is not good enough, by an expansion into other operations of the
//! core.

use lambdav_core::op::{Elementary, Op};
use lambdav_core::types::Type;
use rspirv::spirv::{GlslStd450Op as Glsl, Word};

/// How an elementary function is computed.
#[derive(Clone, Copy, Debug)]
pub enum Lowering {
    /// By that instruction of GLSL.std.450, which takes nums and vectors of them.
    Instruction(Glsl),
    /// By the operations that this adds for the operands, all of one type, num or a vector; it
    /// returns the result, of that type. It must not use the function itself.
    Expansion(Expansion),
}

/// An expansion: adds operations, and returns the value of the function for these operands.
pub type Expansion = fn(&mut dyn Builder, &[Operand]) -> Operand;

/// A value within an expansion.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub(super) id: Word,
    pub(super) ty: Type,
}

/// What an expansion adds operations to.
pub trait Builder {
    /// An operation of the core.
    ///
    /// # Panics
    ///
    /// If it is not defined on operands of these types.
    fn op(&mut self, op: Op, operands: &[Operand]) -> Operand;

    /// A number in each component of a value of the operands' type.
    fn number(&mut self, value: f32) -> Operand;
}

/// The instructions of GLSL.std.450: every function of version 1 of the language has one.
pub fn native(function: Elementary) -> Lowering {
    Lowering::Instruction(match function {
        Elementary::Sin => Glsl::Sin,
        Elementary::Cos => Glsl::Cos,
        Elementary::Tan => Glsl::Tan,
        Elementary::Asin => Glsl::Asin,
        Elementary::Acos => Glsl::Acos,
        Elementary::Atan => Glsl::Atan,
        Elementary::Sinh => Glsl::Sinh,
        Elementary::Cosh => Glsl::Cosh,
        Elementary::Tanh => Glsl::Tanh,
        Elementary::Asinh => Glsl::Asinh,
        Elementary::Acosh => Glsl::Acosh,
        Elementary::Atanh => Glsl::Atanh,
        Elementary::Exp => Glsl::Exp,
        Elementary::Exp2 => Glsl::Exp2,
        Elementary::Log => Glsl::Log,
        Elementary::Log2 => Glsl::Log2,
        Elementary::Atan2 => Glsl::Atan2,
        Elementary::Pow => Glsl::Pow,
    })
}
