//! Values of const-expressions.

use crate::types::{Kind, Scalar, Type, Types};
use std::rc::Rc;

/// A value; its type stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    /// An abstract integer.
    Int(i64),
    /// An abstract float.
    Wide(f64),
    /// The bits of a concrete scalar; a bool is 0 or 1.
    Word(u32),
    Composite(Rc<[Constant]>),
    /// An array or structure of zeros.
    Zero,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The result does not fit its type; with the name of the type.
    Overflow(&'static str),
    DivisionByZero,
    /// An infinity or NaN.
    NotFinite,
    /// By so many bits or more.
    Shift(u32),
    /// A shift to the left loses bits that matter.
    ShiftLoses,
    /// An argument that a function does not take.
    Argument(&'static str),
}

impl Constant {
    pub(crate) fn bool(value: bool) -> Self {
        Self::Word(value.into())
    }

    /// A concrete float, if it is finite.
    pub(crate) fn float(value: f32) -> Result<Self, Fault> {
        if value.is_finite() { Ok(Self::Word(value.to_bits())) } else { Err(Fault::NotFinite) }
    }

    /// An abstract float, if it is finite.
    pub(crate) fn wide(value: f64) -> Result<Self, Fault> {
        if value.is_finite() { Ok(Self::Wide(value)) } else { Err(Fault::NotFinite) }
    }

    pub(crate) fn composite(parts: Vec<Self>) -> Self {
        Self::Composite(parts.into())
    }

    /// The bits of a concrete scalar.
    pub(crate) fn word(&self) -> Option<u32> {
        match self {
            Self::Word(word) => Some(*word),
            _ => None,
        }
    }

    /// The value of an integer scalar of this type.
    pub(crate) fn integer(&self, scalar: Scalar) -> Option<i64> {
        match (self, scalar) {
            (Self::Int(value), _) => Some(*value),
            (Self::Word(word), Scalar::Int) => Some(i64::from(*word as i32)),
            (Self::Word(word), Scalar::Uint) => Some(i64::from(*word)),
            _ => None,
        }
    }

    /// A part of a composite of type `ty`.
    pub(crate) fn part(&self, types: &mut Types, ty: Type, k: usize) -> Self {
        match self {
            Self::Composite(parts) => parts.get(k).cloned().unwrap_or(Self::Zero),
            _ => {
                let part = types.part(ty, k);
                zero(types, part)
            }
        }
    }
}

/// The zero value of a type.
pub(crate) fn zero(types: &Types, ty: Type) -> Constant {
    let scalar = |scalar| match scalar {
        Scalar::AbstractInt => Constant::Int(0),
        Scalar::AbstractFloat => Constant::Wide(0.0),
        _ => Constant::Word(0),
    };
    match types.kind(ty) {
        Kind::Scalar(of) => scalar(of),
        Kind::Vector(of, width) => Constant::composite(vec![scalar(of); width.into()]),
        Kind::Matrix(of, columns, rows) => {
            let column = Constant::composite(vec![scalar(of); rows.into()]);
            Constant::composite(vec![column; columns.into()])
        }
        _ => Constant::Zero,
    }
}

/// The scalars of a scalar or vector.
pub(crate) fn scalars(of: &Constant) -> Vec<Constant> {
    match of {
        Constant::Composite(parts) => parts.to_vec(),
        scalar => vec![scalar.clone()],
    }
}

/// Applies a function to the scalars of operands of one shape, component by component.
pub(crate) fn zip(
    operands: &[&Constant],
    apply: &mut dyn FnMut(&[&Constant]) -> Result<Constant, Fault>,
) -> Result<Constant, Fault> {
    let Some(Constant::Composite(first)) = operands.first() else { return apply(operands) };
    let mut parts = Vec::with_capacity(first.len());
    for k in 0..first.len() {
        let inner: Vec<&Constant> = operands
            .iter()
            .map(|operand| match operand {
                Constant::Composite(parts) => parts.get(k).unwrap_or(&Constant::Zero),
                scalar => scalar,
            })
            .collect();
        parts.push(zip(&inner, apply)?);
    }
    Ok(Constant::composite(parts))
}
