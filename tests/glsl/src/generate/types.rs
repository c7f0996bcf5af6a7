//! Random types and literals.

use super::Generator;
use crate::program::{Expr, Kind, Scalar, Type};

impl Generator {
    pub(super) fn scalar(&mut self) -> Scalar {
        match self.random.below(10) {
            0..5 => Scalar::Float,
            5..7 => Scalar::Int,
            7..9 if !self.dialect.is_old() => Scalar::Uint,
            7..9 => Scalar::Int,
            _ => Scalar::Bool,
        }
    }

    /// A scalar or a vector.
    pub(super) fn plain_type(&mut self) -> Type {
        let scalar = self.scalar();
        let width = [1, 1, 1, 2, 3, 4][self.random.below(6)];
        Type::of(scalar, width)
    }

    pub(super) fn matrix_type(&mut self) -> Type {
        let columns = self.random.between(2, 4) as u8;
        match self.dialect.is_old() {
            true => Type::Matrix(columns, columns),
            false => Type::Matrix(columns, self.random.between(2, 4) as u8),
        }
    }

    /// A scalar, a vector or a matrix.
    pub(super) fn small_type(&mut self) -> Type {
        if self.random.percent(15) { self.matrix_type() } else { self.plain_type() }
    }

    /// A type of uniforms, without bools.
    pub(super) fn uniform_type(&mut self) -> Type {
        loop {
            let ty = self.small_type();
            if ty.scalar() != Some(Scalar::Bool) {
                return ty;
            }
        }
    }

    /// A type of values: variables, parameters and results.
    pub(super) fn value_type(&mut self) -> Type {
        match self.random.below(20) {
            0..13 => self.small_type(),
            13..16 if !self.program.structures.is_empty() => {
                Type::Structure(self.random.below(self.program.structures.len()))
            }
            16..19 if !self.dialect.is_old() => {
                let element = match self.random.percent(20) && !self.program.structures.is_empty() {
                    true => Type::Structure(self.random.below(self.program.structures.len())),
                    false => self.small_type(),
                };
                let array = Type::array(element, self.random.between(1, 4));
                match self.dialect.has_nested_arrays() && self.random.percent(25) {
                    true => Type::array(array, self.random.between(1, 3)),
                    false => array,
                }
            }
            _ => self.plain_type(),
        }
    }

    pub(super) fn word(&mut self, scalar: Scalar) -> u32 {
        const FLOATS: [f32; 20] = [
            0.0, 1.0, -1.0, 0.5, 2.0, 0.25, 1.5, -0.5, 3.0, 0.1, -2.75, 10.0, 0.7, 100.0, 1e-3,
            -0.0, 7.0, 1e10, 3.125, 1e-20,
        ];
        const INTS: [i32; 20] =
            [0, 1, 2, 3, -1, 4, 5, 7, 8, -2, 15, 16, 31, 32, 255, -7, 1000, i32::MAX, i32::MIN, 33];
        match scalar {
            Scalar::Bool => self.random.below(2) as u32,
            Scalar::Int if self.dialect.is_old() => self.random.below(10) as u32,
            Scalar::Int => *self.random.pick(&INTS) as u32,
            Scalar::Uint => self
                .random
                .pick(&INTS)
                .unsigned_abs()
                .wrapping_add(u32::from(self.random.percent(5)) * 0xffff_ff00),
            Scalar::Float => self.random.pick(&FLOATS).to_bits(),
        }
    }

    /// A component of a uniform.
    pub(super) fn uniform_word(&mut self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Float => (self.random.below(64) as f32 * 0.125 - 4.0).to_bits(),
            Scalar::Int => (self.random.below(20) as i32 - 8) as u32,
            _ => self.random.below(12) as u32,
        }
    }

    /// A literal, or constructors of literals.
    pub(super) fn constant(&mut self, ty: &Type) -> Expr {
        let parts: Vec<Type> = match ty {
            Type::Scalar(scalar) => {
                let word = self.word(*scalar);
                return Expr::literal(*scalar, word);
            }
            Type::Vector(scalar, width) => {
                let count = if self.random.percent(30) { 1 } else { usize::from(*width) };
                vec![Type::Scalar(*scalar); count]
            }
            Type::Matrix(columns, rows) => match self.random.below(3) {
                0 => vec![Type::FLOAT],
                1 => vec![Type::FLOAT; usize::from(columns * rows)],
                _ => vec![Type::of(Scalar::Float, *rows); usize::from(*columns)],
            },
            Type::Structure(number) => {
                let fields = &self.program.structures[*number].fields;
                fields.iter().map(|(_, ty)| ty.clone()).collect()
            }
            Type::Array(element, length) => vec![(**element).clone(); *length],
            Type::Void => unreachable!("void has no value"),
        };
        let parts = parts.iter().map(|part| self.constant(part)).collect();
        Expr::new(ty.clone(), Kind::Construct(parts))
    }
}
