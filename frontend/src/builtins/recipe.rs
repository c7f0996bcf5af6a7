//! Applications of builtins: operands, recipes and errors.

use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::graph::{Axis, StageInput};
use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::types::{ResourceKind, Type, TypeKind, Types};

/// The construction of an application's value from primitive operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// The operands, each broadcast to the given type, folded from the left by a binary operation; for a
    /// unary operation, the operation applied to the only operand.
    Fold(Op, Type),
    /// A binary operation on the two operands in reverse order, both broadcast to the type.
    Reversed(Op, Type),
    /// The operation on all operands, each broadcast to this many components of its own scalar type.
    Broadcast(Op, u8),
    /// The operation on the operands as they are.
    Direct(Op),
    /// All components of the operands in order, as a vector or matrix of this type. A single scalar operand
    /// is broadcast to a vector.
    Flatten(Type),
    /// A matrix with the only operand on its diagonal and zero elsewhere.
    Diagonal(Type),
    /// These components of the first operand, a vector, in this order; a single component is a scalar.
    Swizzle(Vec<u8>),
    /// A column of the first operand, a matrix. The second operand, the index of `(col m K)`, is already in
    /// the recipe.
    Column(u8),
    /// A part of the first operand, at the literal index, or at the second operand.
    At(Option<u32>),
    /// The first operand with one part replaced by the third operand, at the literal index or the second
    /// operand.
    Update(Option<u32>),
    /// An element of the first operand, a buffer, at the literal index, or at the second operand.
    Element(Option<u32>),
    /// The λV text of a `func` with as many parameters as there are operands. Its names denote builtins and
    /// forms of the outermost scope, whatever the program binds.
    Expansion(String),
    /// The difference of the operand's values at the two pixels of the quad along this axis, in its own row
    /// or column: odd minus even.
    Derivative(Axis),
    /// An input; no operands.
    Input(Input),
    /// An input of a stage of a program that draws triangles; no operands.
    Stage(StageInput),
}

/// An operand of an application, as resolution sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// The value of a literal token of decimal digits (as `at` and `col` require), otherwise `None`.
    pub index: Option<u32>,
    /// For a vector, matrix or array: type and number of its parts.
    pub parts: Option<(Type, u32)>,
    /// For a texture or buffer: its kind.
    pub resource: Option<ResourceKind>,
}

impl Operand {
    /// An operand of a type of this table that is not an index.
    pub fn of(types: &Types, ty: Type) -> Self {
        let parts = match types.kind(ty) {
            TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..) => {
                let count = types.parts(ty).len() as u32;
                types.part(ty, 0).map(|(part, _)| (part, count))
            }
            TypeKind::Scalar(_)
            | TypeKind::Structure(_)
            | TypeKind::Variant(_)
            | TypeKind::Resource(_) => None,
        };
        Self { ty, index: None, parts, resource: types.resource_kind(ty) }
    }
}

impl From<Type> for Operand {
    /// An operand of a builtin type that is not an index.
    fn from(ty: Type) -> Self {
        let parts = match ty.builtin() {
            Some(TypeKind::Vector(scalar, n)) => Some((Type::of(scalar, 1), n.into())),
            Some(TypeKind::Matrix(scalar, n)) => Some((Type::of(scalar, n), n.into())),
            _ => None,
        };
        Self { ty, index: None, parts, resource: None }
    }
}

/// A resolved application of a builtin to operands of given types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The type of its value.
    pub result: Type,
    /// The construction of the value.
    pub recipe: Recipe,
}

/// An error of an application. [`Builtin::message`](super::Builtin::message) turns it into a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// The builtin is a value, such as `pi`.
    NotAFunction,
    /// The number of operands is wrong.
    Count {
        /// The accepted number: `2 operands`, `at least 2 operands`.
        expected: String,
    },
    /// The types of operands are wrong.
    Types {
        /// The accepted types, as a clause: `nums and vectors of one size`.
        expected: String,
        /// The first operand that does not fit, if a single one is wrong.
        culprit: Option<usize>,
        /// The advice, if the builtin has one.
        instead: Option<&'static str>,
    },
    /// An index that is not a literal token of digits, or too large.
    Index {
        /// The index of the operand.
        operand: usize,
        /// The given index, if it was a literal.
        found: Option<u32>,
        /// The smallest index that is too large.
        limit: u32,
    },
}

impl SignatureError {
    /// The code under which it is reported.
    pub fn code(&self) -> DiagnosticCode {
        match self {
            Self::NotAFunction => DiagnosticCode::NotAFunction,
            Self::Count { .. } => DiagnosticCode::OperandCount,
            Self::Types { .. } => DiagnosticCode::OperandTypes,
            Self::Index { .. } => DiagnosticCode::IndexLiteral,
        }
    }
}
