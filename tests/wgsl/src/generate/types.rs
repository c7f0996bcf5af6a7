//! Random types.

use super::Generator;
use crate::program::{Scalar, Type};

impl Generator {
    pub(super) fn scalar(&mut self) -> Scalar {
        *self.random.pick(&[
            Scalar::Float,
            Scalar::Float,
            Scalar::Float,
            Scalar::Int,
            Scalar::Int,
            Scalar::Uint,
            Scalar::Uint,
            Scalar::Bool,
        ])
    }

    pub(super) fn integer(&mut self) -> Scalar {
        *self.random.pick(&[Scalar::Int, Scalar::Uint])
    }

    pub(super) fn width(&mut self) -> u8 {
        *self.random.pick(&[1, 1, 2, 3, 4])
    }

    /// A scalar or vector.
    pub(super) fn small_type(&mut self) -> Type {
        Type::of(self.scalar(), self.width())
    }

    pub(super) fn matrix_type(&mut self) -> Type {
        Type::Matrix(self.random.between(2, 4) as u8, self.random.between(2, 4) as u8)
    }

    /// A scalar, vector or matrix.
    pub(super) fn plain_type(&mut self) -> Type {
        if self.random.percent(12) { self.matrix_type() } else { self.small_type() }
    }

    /// Any type of values.
    pub(super) fn value_type(&mut self) -> Type {
        match self.random.below(20) {
            0..13 => self.plain_type(),
            13..16 if !self.program.structures.is_empty() => {
                Type::Structure(self.random.below(self.program.structures.len()))
            }
            19 => {
                let element = self.small_type();
                let inner = Type::array(element, self.random.between(1, 3));
                Type::array(inner, self.random.between(1, 3))
            }
            18 if !self.program.structures.is_empty() => {
                let number = self.random.below(self.program.structures.len());
                Type::array(Type::Structure(number), self.random.between(1, 3))
            }
            _ => {
                let element = self.plain_type();
                Type::array(element, self.random.between(1, 4))
            }
        }
    }

    /// A scalar, vector or matrix without `bool`.
    pub(super) fn uniform_type(&mut self) -> Type {
        if self.random.percent(20) {
            return self.matrix_type();
        }
        let scalar = *self.random.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
        Type::of(scalar, self.width())
    }
}
