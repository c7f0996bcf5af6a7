//! The one table of builtins: names, signatures, meanings.
//!
//! An application of a builtin is *resolved* against the types of its operands and yields a result
//! type and a [`Recipe`]; elaboration builds core nodes from the recipe, the source evaluator
//! computes with it. Nothing else in the system knows a builtin by name.

use crate::op::Op;
use crate::types::Type;

/// A quantity given from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// `(frag-coord)`: vec4.
    FragCoord,
    /// `(resolution)`: vec2.
    Resolution,
    /// `(time)`: num.
    Time,
    /// `(frame)`: num.
    Frame,
    /// `(mouse)`: vec4.
    Mouse,
}

/// How the value of an application is made of primitive operations.
#[derive(Clone, Debug, PartialEq)]
pub enum Recipe {
    /// The operands, each first spread to the given type, folded from the left with a binary
    /// operation; with one operand (unary operations), the operation applied to it.
    Fold(Op, Type),
    /// A binary operation on the operands in reverse order, both first spread to the type.
    Reversed(Op, Type),
    /// The operation on the operands just as they are.
    Direct(Op),
    /// All components of the operands in order, as a vector or matrix of this type; one `num` or
    /// `bool` operand is spread over a vector.
    Flatten(Type),
    /// A matrix with the one operand on its diagonal and zero elsewhere.
    Diagonal(Type),
    /// The components of the one operand (a vector), in this order; one component gives a scalar.
    Swizzle(Vec<u8>),
    /// The λV text of a `func` with as many parameters as there are operands.
    Expansion(String),
    /// No operands: an input.
    Input(Input),
}
