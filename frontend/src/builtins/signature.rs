//! The signatures shared by rows: the accepted operand types, and the type of the result.
//!
//! A `num`, `int` or `uint` is broadcast if its signature here says so; a `bool` never is. *Numbers of one
//! kind* are nums, or ints, or uints, each with its vectors.

use lambdav_core::types::TypeKind::{Matrix, Vector};
use lambdav_core::types::{ResourceKind, Scalar, Type};

use super::recipe::{Operand, SignatureError};

/// The operand types that a builtin accepts.
pub(super) struct Signature {
    /// A clause for messages: "… takes *nums and vectors of one size*".
    pub(super) takes: &'static str,
    /// The type of the result. The number of operands must be one that the row allows.
    pub(super) check: fn(&[Operand]) -> Result<Type, Mismatch>,
}

/// The error of operands that are not accepted.
pub(super) enum Mismatch {
    /// The first operand that does not fit.
    Operand(usize),
    /// A special reason; the clause tells what would fit.
    Because(String),
    /// The builtin is not for such operands; the advice names another one.
    Instead(&'static str),
    /// This operand is not an index below the limit.
    Index { operand: usize, found: Option<u32>, limit: u32 },
}

impl Mismatch {
    pub(super) fn into_error(self, takes: &str) -> SignatureError {
        match self {
            Self::Operand(k) => SignatureError::Types {
                expected: takes.to_owned(),
                culprit: Some(k),
                instead: None,
            },
            Self::Because(expected) => {
                SignatureError::Types { expected, culprit: None, instead: None }
            }
            Self::Instead(instead) => SignatureError::Types {
                expected: takes.to_owned(),
                culprit: None,
                instead: Some(instead),
            },
            Self::Index { operand, found, limit } => {
                SignatureError::Index { operand, found, limit }
            }
        }
    }
}

type Checked = Result<Type, Mismatch>;

/// One `num` or vector, componentwise.
pub(super) const UNARY: Signature = Signature { takes: "a num or a vector", check: numeric };

/// Componentwise with broadcast: any mix of `num` and one vector type.
pub(super) const NUMERIC: Signature =
    Signature { takes: "nums and vectors of one size", check: numeric };

/// The same, with advice for integers, which have a builtin of their own.
pub(super) const QUOTIENT: Signature = Signature {
    takes: NUMERIC.takes,
    check: |operands| {
        let are_integers = operands.iter().all(|operand| operand.ty.is_integer());
        let instead = "write `(div a b)` for the quotient of integers, toward zero";
        if are_integers { Err(Mismatch::Instead(instead)) } else { numeric(operands) }
    },
};

/// One number or a vector of them, componentwise.
pub(super) const UNARY_NUMBER: Signature =
    Signature { takes: "a num, int or uint, or a vector of them", check: numbers };

/// Componentwise with broadcast: any mix of a scalar type of numbers and one vector type of it.
pub(super) const NUMBERS: Signature =
    Signature { takes: "numbers of one kind and vectors of one size", check: numbers };

/// One integer or a vector of them, componentwise.
pub(super) const UNARY_INTEGER: Signature =
    Signature { takes: "an int or uint, or a vector of them", check: integers };

/// Componentwise with broadcast: any mix of `int` and one vector type of it, or of `uint`.
pub(super) const INTEGERS: Signature =
    Signature { takes: "ints, or uints, and vectors of one size", check: integers };

/// `(shift-left a n)`.
pub(super) const SHIFT: Signature = Signature {
    takes: "an int or uint or a vector of them, and a uint or the same kind, one or of its size",
    check: |operands| {
        let result = integers(&operands[..1])?;
        let count = operands[1].ty;
        let is_of_kind = count.scalar() == Some(Scalar::U32) || count.scalar() == result.scalar();
        let is_of_size = count.width() == Some(1) || count.width() == result.width();
        if is_of_kind && is_of_size { Ok(result) } else { Err(Mismatch::Operand(1)) }
    },
};

/// Componentwise on integers, except for two `uint`s at the end.
pub(super) const BIT_FIELD: Signature = Signature {
    takes: "ints, or uints, and vectors of one size, and an offset and a count, which are uints",
    check: |operands| {
        let (values, field) = operands.split_at(operands.len() - 2);
        let result = integers(values)?;
        match field.iter().position(|o| o.ty != Type::UINT) {
            None => Ok(result),
            Some(k) => Err(Mismatch::Operand(values.len() + k)),
        }
    },
};

/// A conversion, whose check fixes the scalar type of the result.
pub(super) const fn conversion(check: fn(&[Operand]) -> Checked) -> Signature {
    Signature { takes: "a num, int, uint or bool, or a vector of them", check }
}

/// The check of a conversion to a scalar type.
pub(super) fn convert(operands: &[Operand], to: Scalar) -> Checked {
    of_width(operands[0].ty, to).ok_or(Mismatch::Operand(0))
}

/// One `num` or vector, to the same number of `uint`s.
pub(super) const BITS: Signature = Signature {
    takes: UNARY.takes,
    check: |operands| convert(operands, Scalar::U32).and_then(|ty| numeric(operands).map(|_| ty)),
};

/// One `uint` or uvec, to the same number of `num`s.
pub(super) const FROM_BITS: Signature = Signature {
    takes: "a uint or a uvec",
    check: |operands| match operands[0].ty {
        ty if ty.scalar() == Some(Scalar::U32) => convert(operands, Scalar::F32),
        _ => Err(Mismatch::Operand(0)),
    },
};

/// One `num` or vector, to the same number of `int`s.
pub(super) const EXPONENT: Signature = Signature {
    takes: UNARY.takes,
    check: |operands| convert(operands, Scalar::I32).and_then(|ty| numeric(operands).map(|_| ty)),
};

/// A `num` or vector, and an `int` or ivec, with broadcast.
pub(super) const SCALED: Signature = Signature {
    takes: "a num and an int, or vectors of them of one size",
    check: |operands| {
        let number = numeric(&operands[..1])?;
        let exponent = operands[1].ty;
        match (number.width(), exponent.width()) {
            _ if exponent.scalar() != Some(Scalar::I32) => Err(Mismatch::Operand(1)),
            (_, Some(1)) => Ok(number),
            (Some(n), Some(m)) if n == 1 || n == m => Ok(Type::vec(m)),
            _ => Err(Mismatch::Operand(1)),
        }
    },
};

/// A vector of `N` numbers to a `uint`.
pub(super) const fn pack<const N: u8>() -> Signature {
    Signature {
        takes: if N == 4 { "a vec4" } else { "a vec2" },
        check: |operands| match operands[0].ty {
            ty if ty == Type::vec(N) => Ok(Type::UINT),
            _ => Err(Mismatch::Operand(0)),
        },
    }
}

/// A `uint` to a vector of `N` numbers.
pub(super) const fn unpack<const N: u8>() -> Signature {
    Signature {
        takes: "a uint",
        check: |operands| match operands[0].ty {
            Type::UINT => Ok(Type::vec(N)),
            _ => Err(Mismatch::Operand(0)),
        },
    }
}

/// Numbers of one kind with broadcast, to `bool` or `bvec`.
pub(super) const COMPARISON: Signature = Signature {
    takes: NUMBERS.takes,
    check: |operands| numbers(operands).map(|t| t.width().map_or(t, Type::bvec)),
};

/// A comparison, or two equal types of bools.
pub(super) const EQUALITY: Signature = Signature {
    takes: "numbers of one kind and vectors of one size, or two bools, or two bvecs of one size",
    check: |operands| {
        if operands[0].ty.is_bool() { logic(operands) } else { (COMPARISON.check)(operands) }
    },
};

/// Bools of one type.
pub(super) const LOGIC: Signature =
    Signature { takes: "bools, or bvecs of one size", check: logic };

/// One `bool` or `bvec`.
pub(super) const LOGIC_UNARY: Signature = Signature { takes: "a bool or a bvec", check: logic };

/// A `bvec` to `bool`.
pub(super) const REDUCTION: Signature = Signature {
    takes: "a bvec",
    check: |operands| match operands[0].ty.builtin() {
        Some(Vector(Scalar::Bool, _)) => Ok(Type::BOOL),
        _ => Err(Mismatch::Operand(0)),
    },
};

/// A condition and two values.
pub(super) const SELECT: Signature = Signature {
    takes: "a bool and two values of one type, or a bvec and two vectors or bvecs of its size",
    check: |operands| {
        let (condition, value) = (operands[0].ty, operands[1].ty);
        match condition {
            Type::BOOL => {}
            _ if !condition.is_bool() => return Err(Mismatch::Operand(0)),
            _ if condition.width() == value.width() => {}
            _ => return Err(Mismatch::Operand(1)),
        }
        if operands[2].ty == value { Ok(value) } else { Err(Mismatch::Operand(2)) }
    },
};

/// Componentwise with broadcast, or matrices of one type.
pub(super) const SUM: Signature = Signature {
    takes: "numbers of one kind and vectors of one size, or matrices of one size",
    check: |operands| match operands[0].ty {
        first if first.is_matrix() => equal(operands),
        _ => numbers(operands),
    },
};

/// Componentwise with broadcast, or the products of linear algebra; folded from the left.
pub(super) const PRODUCT: Signature = Signature {
    takes: "numbers of one kind and vectors of one size, or matrices with nums and with vectors \
            and matrices of their size",
    check: |operands| {
        let first = operands[0].ty;
        if !first.is_num() && !first.is_matrix() {
            return integers(operands);
        }
        operands.iter().enumerate().skip(1).try_fold(first, |product, (k, operand)| {
            multiply(product, operand.ty).ok_or(Mismatch::Operand(k))
        })
    },
};

/// One `num` or vector to `num`.
pub(super) const MEASURE: Signature =
    Signature { takes: "a num or a vector", check: |operands| equal_numeric(operands, Type::NUM) };

/// Equal types, `num` or vector, to `num`.
pub(super) const EQUAL_TO_NUM: Signature = Signature {
    takes: "two nums or two vectors of one size",
    check: |operands| equal_numeric(operands, Type::NUM),
};

/// Two equal types, of numbers of one kind or vectors of them, to the scalar.
pub(super) const DOT: Signature = Signature {
    takes: "two numbers of one kind or two vectors of one type",
    check: |operands| {
        let scalar = numbers(&operands[..1])?.scalar().ok_or(Mismatch::Operand(0))?;
        equal(operands).map(|_| Type::of(scalar, 1))
    },
};

/// Equal types, `num` or vector, to that type.
pub(super) const EQUAL: Signature = Signature {
    takes: "operands of one type, num or vector",
    check: |operands| equal_numeric(operands, operands[0].ty),
};

/// Two equal types, `num` or vector, and a `num`.
pub(super) const REFRACT: Signature = Signature {
    takes: "two nums or two vectors of one size, and a num",
    check: |operands| {
        let result = equal_numeric(&operands[..2], operands[0].ty)?;
        if operands[2].ty == Type::NUM { Ok(result) } else { Err(Mismatch::Operand(2)) }
    },
};

/// Two `vec3`.
pub(super) const CROSS: Signature = Signature {
    takes: "two vec3",
    check: |operands| match operands.iter().position(|o| o.ty != Type::vec(3)) {
        None => Ok(Type::vec(3)),
        Some(k) => Err(Mismatch::Operand(k)),
    },
};

/// Nums of a projection, to a `mat4`.
pub(super) const PROJECTION: Signature = Signature {
    takes: "nums",
    check: |operands| match operands.iter().position(|operand| operand.ty != Type::NUM) {
        None => Ok(Type::mat(4)),
        Some(k) => Err(Mismatch::Operand(k)),
    },
};

/// Points and directions of a view, to a `mat4`.
pub(super) const VIEW: Signature = Signature {
    takes: "three vec3",
    check: |operands| match operands.iter().position(|operand| operand.ty != Type::vec(3)) {
        None => Ok(Type::mat(4)),
        Some(k) => Err(Mismatch::Operand(k)),
    },
};

/// One matrix to the same type.
pub(super) const MATRIX: Signature = Signature {
    takes: "a matrix",
    check: |operands| match operands[0].ty {
        matrix if matrix.is_matrix() => Ok(matrix),
        _ => Err(Mismatch::Operand(0)),
    },
};

/// One matrix to `num`.
pub(super) const DETERMINANT: Signature =
    Signature { takes: "a matrix", check: |operands| (MATRIX.check)(operands).map(|_| Type::NUM) };

/// `(at a i)`.
pub(super) const AT: Signature = Signature {
    takes: "an array, vector, matrix or buffer, and an index: an int, a uint or a literal",
    check: |operands| {
        if let Some(ResourceKind::Buffer(element)) = operands[0].resource {
            // The number of elements is not known yet.
            return part_index(operands, u32::MAX).map(|()| element);
        }
        let (part, count) = operands[0].parts.ok_or(Mismatch::Operand(0))?;
        part_index(operands, count).map(|()| part)
    },
};

/// `(update a i e)`.
pub(super) const UPDATE: Signature = Signature {
    takes: "an array or a vector, an index, and a value of the type of its parts",
    check: |operands| {
        let (part, count) = operands[0]
            .parts
            .filter(|_| !operands[0].ty.is_matrix())
            .ok_or(Mismatch::Operand(0))?;
        part_index(operands, count)?;
        if operands[2].ty == part { Ok(operands[0].ty) } else { Err(Mismatch::Operand(2)) }
    },
};

/// An index that is an `int`, a `uint`, or a literal below the limit.
fn part_index(operands: &[Operand], limit: u32) -> Result<(), Mismatch> {
    let Operand { ty, index, .. } = operands[1];
    match (ty, index) {
        (Type::INT | Type::UINT, _) => Ok(()),
        (_, Some(k)) if k < limit => Ok(()),
        (Type::NUM, found) => Err(Mismatch::Index { operand: 1, found, limit }),
        _ => Err(Mismatch::Operand(1)),
    }
}

/// `(col m K)`.
pub(super) const COLUMN: Signature = Signature {
    takes: "a matrix and a literal index",
    check: |operands| match operands[0].ty.builtin() {
        Some(Matrix(scalar, n)) => index(operands, n).map(|()| Type::of(scalar, n)),
        _ => Err(Mismatch::Operand(0)),
    },
};

/// A vector of `N` numbers.
pub(super) const fn vector<const N: u8>() -> Signature {
    Signature {
        takes: "nums and vectors that make up its components, or one num for all of them",
        check: |operands| components(operands, Scalar::F32, N),
    }
}

/// A vector of `N` ints.
pub(super) const fn ivector<const N: u8>() -> Signature {
    Signature {
        takes: "ints and ivecs that make up its components, or one int for all of them",
        check: |operands| components(operands, Scalar::I32, N),
    }
}

/// A vector of `N` uints.
pub(super) const fn uvector<const N: u8>() -> Signature {
    Signature {
        takes: "uints and uvecs that make up its components, or one uint for all of them",
        check: |operands| components(operands, Scalar::U32, N),
    }
}

/// A vector of `N` bools.
pub(super) const fn bvector<const N: u8>() -> Signature {
    Signature {
        takes: "bools and bvecs that make up its components, or one bool for all of them",
        check: |operands| components(operands, Scalar::Bool, N),
    }
}

/// A matrix of `N` columns.
pub(super) const fn matrix<const N: u8>() -> Signature {
    Signature {
        takes: "its columns, or nums for all components by columns, or one num for the diagonal",
        check: |operands| {
            let n = usize::from(N);
            let part = if operands[0].ty == Type::NUM { Type::NUM } else { Type::vec(N) };
            if let Some(k) = operands.iter().position(|o| o.ty != part) {
                return Err(Mismatch::Operand(k));
            }
            match (part == Type::NUM, operands.len()) {
                (true, count) if count == 1 || count == n * n => Ok(Type::mat(N)),
                (false, count) if count == n => Ok(Type::mat(N)),
                (_, count) => Err(Mismatch::Because(format!(
                    "{n} columns, {} nums or one num; here are {count} of type {}",
                    n * n,
                    constructor(part)
                ))),
            }
        },
    }
}

/// No operands, for an input of this type.
pub(super) const fn input(check: fn(&[Operand]) -> Checked) -> Signature {
    Signature { takes: "", check }
}

/// A value: never checked.
pub(super) const VALUE: Signature = Signature { takes: "", check: |_| Ok(Type::NUM) };

/// The name of the constructor of a builtin type, for the text of expansions.
pub(super) fn constructor(ty: Type) -> &'static str {
    ty.name().expect("signatures accept builtin types only")
}

/// The type with the same number of components of another scalar type; `None` for types that are not scalars
/// or vectors.
pub(super) fn of_width(ty: Type, scalar: Scalar) -> Option<Type> {
    ty.width().map(|width| Type::of(scalar, width))
}

fn numeric(operands: &[Operand]) -> Checked {
    broadcast(operands, &[Scalar::F32])
}

fn numbers(operands: &[Operand]) -> Checked {
    broadcast(operands, &[Scalar::F32, Scalar::I32, Scalar::U32])
}

fn integers(operands: &[Operand]) -> Checked {
    broadcast(operands, &[Scalar::I32, Scalar::U32])
}

/// The common type of scalars of one of these types and vectors of one type of it: the vector type, or the
/// scalar type.
fn broadcast(operands: &[Operand], scalars: &[Scalar]) -> Checked {
    let first = operands[0].ty.scalar().filter(|scalar| scalars.contains(scalar));
    let scalar = Type::of(first.ok_or(Mismatch::Operand(0))?, 1);
    let mut result = scalar;
    for (k, operand) in operands.iter().enumerate() {
        result = match (result, operand.ty) {
            (_, t) if t.scalar() != first => return Err(Mismatch::Operand(k)),
            (common, t) if t == scalar => common,
            (common, t) if common == scalar || common == t => t,
            _ => return Err(Mismatch::Operand(k)),
        };
    }
    Ok(result)
}

fn logic(operands: &[Operand]) -> Checked {
    if operands[0].ty.is_bool() { equal(operands) } else { Err(Mismatch::Operand(0)) }
}

fn equal(operands: &[Operand]) -> Checked {
    let first = operands[0].ty;
    match operands.iter().position(|o| o.ty != first) {
        None => Ok(first),
        Some(k) => Err(Mismatch::Operand(k)),
    }
}

fn equal_numeric(operands: &[Operand], result: Type) -> Checked {
    if operands[0].ty.is_num() {
        equal(operands).map(|_| result)
    } else {
        Err(Mismatch::Operand(0))
    }
}

/// The type of a product of two; `None` if they cannot be multiplied.
fn multiply(a: Type, b: Type) -> Option<Type> {
    match (a, b) {
        (Type::NUM, t) | (t, Type::NUM) if t.is_num() || t.is_matrix() => Some(t),
        (a, b) if a == b && (a.is_num() || a.is_matrix()) => Some(a),
        (matrix, vector) | (vector, matrix) if vector.is_num() => match matrix.builtin()? {
            Matrix(Scalar::F32, n) if vector == Type::vec(n) => Some(vector),
            _ => None,
        },
        _ => None,
    }
}

fn components(operands: &[Operand], scalar: Scalar, n: u8) -> Checked {
    let mut count = 0;
    for (k, operand) in operands.iter().enumerate() {
        match operand.ty.width() {
            Some(width) if operand.ty == Type::of(scalar, width) => count += usize::from(width),
            _ => return Err(Mismatch::Operand(k)),
        }
    }
    let is_broadcast = operands.len() == 1 && count == 1;
    if is_broadcast || count == usize::from(n) {
        return Ok(Type::of(scalar, n));
    }
    let (one, vectors) = match scalar {
        Scalar::F32 => ("num", "vectors"),
        Scalar::Bool => ("bool", "bvecs"),
        Scalar::I32 => ("int", "ivecs"),
        Scalar::U32 => ("uint", "uvecs"),
    };
    Err(Mismatch::Because(format!(
        "{one}s and {vectors} of {n} components together, or one {one}; these have {count}"
    )))
}

fn index(operands: &[Operand], limit: u8) -> Result<(), Mismatch> {
    let limit = u32::from(limit);
    match operands[1].index {
        Some(k) if k < limit => Ok(()),
        found => Err(Mismatch::Index { operand: 1, found, limit }),
    }
}
