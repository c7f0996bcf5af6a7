//! Applications of builtins: their operands, what they come to, and why they may not be.

use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::graph::Axis;
use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::types::{ResourceKind, Type, TypeKind, Types};

/// How the value of an application is made of primitive operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// The operands, each first broadcast to the given type, folded from the left with a binary
    /// operation; with one operand (unary operations), the operation applied to it.
    Fold(Op, Type),
    /// A binary operation on the two operands in reverse order, both first broadcast to the type.
    Reversed(Op, Type),
    /// The operation on all operands, each first broadcast to that many components of its own
    /// scalar type.
    Broadcast(Op, u8),
    /// The operation on the operands just as they are.
    Direct(Op),
    /// All components of the operands in order, as a vector or matrix of this type; one `num` or
    /// `bool` operand is broadcast to a vector.
    Flatten(Type),
    /// A matrix with the one operand on its diagonal and zero elsewhere.
    Diagonal(Type),
    /// These components of the first operand (a vector), in this order; one component is a
    /// scalar. A second operand, the index of `(at v K)`, is already in the recipe.
    Swizzle(Vec<u8>),
    /// This column of the first operand (a matrix). The second operand, the index of `(col m K)`,
    /// is already in the recipe.
    Column(u8),
    /// The part of the first operand at that literal index, or at the second operand.
    At(Option<u32>),
    /// The first operand with the third as its part there.
    Update(Option<u32>),
    /// The element of the first operand, a buffer, at that literal index, or at the second operand.
    Element(Option<u32>),
    /// The λV text of a `func` with as many parameters as there are operands. Its names denote
    /// builtins and forms of the outermost scope, whatever the program binds.
    Expansion(String),
    /// The difference of the operand's values at the two pixels of the quad along that axis, in its
    /// own row or column: the odd one's minus the even one's.
    Derivative(Axis),
    /// No operands: an input.
    Input(Input),
}

/// An operand of an application, as far as resolution needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// Its value where the operand is a literal token of decimal digits (what `at` and `col`
    /// need), else `None`.
    pub index: Option<u32>,
    /// Of a vector, matrix or array: the type of its parts, and how many there are.
    pub parts: Option<(Type, u32)>,
    /// Of a texture or a buffer: what its declaration says.
    pub resource: Option<ResourceKind>,
}

impl Operand {
    /// An operand of a type of that table that is not an index.
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
    /// An operand of a type that every program has, and that is not an index.
    fn from(ty: Type) -> Self {
        let parts = match ty.builtin() {
            Some(TypeKind::Vector(scalar, n)) => Some((Type::of(scalar, 1), n.into())),
            Some(TypeKind::Matrix(scalar, n)) => Some((Type::of(scalar, n), n.into())),
            _ => None,
        };
        Self { ty, index: None, parts, resource: None }
    }
}

/// What an application of a builtin to operands of given types is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The type of its value.
    pub result: Type,
    /// How the value is made.
    pub recipe: Recipe,
}

/// Why a builtin cannot be applied so. [`Builtin::message`](super::Builtin::message) makes a sentence
/// of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// The builtin is a value, like `pi`.
    NotAFunction,
    /// Too few or too many operands.
    Count {
        /// How many it takes: `2 operands`, `at least 2 operands`.
        expected: String,
    },
    /// Operands of wrong types.
    Types {
        /// What it takes, as a clause: `nums and vectors of one size`.
        expected: String,
        /// The first operand that does not fit, where one can be blamed.
        culprit: Option<usize>,
        /// What to write instead, where the builtin knows.
        instead: Option<&'static str>,
    },
    /// An index that is not a literal token of digits, or too large.
    Index {
        /// Which operand it is.
        operand: usize,
        /// The index that was given, if it was a literal.
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
