//! Calls of functions of the language.

use super::Generator;
use crate::builtins::{Builtin, Shape};
use crate::program::{Expr, Kind, Scalar, Type};

impl Generator {
    /// A call with a result of this type.
    pub(super) fn builtin(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let mut all: Vec<Builtin> = Builtin::ALL.to_vec();
        all.retain(|builtin| is_result(*builtin, ty));
        if all.is_empty() {
            return None;
        }
        let builtin = *self.random.pick(&all);
        let types = self.parameters(builtin, ty);
        let arguments = types.iter().map(|ty| self.expr(ty, depth)).collect();
        self.finish(ty, Kind::Builtin(builtin, arguments))
    }

    /// Types of arguments of a call with this result.
    fn parameters(&mut self, builtin: Builtin, ty: &Type) -> Vec<Type> {
        let width = ty.width().unwrap_or(1);
        let floats = |width| Type::of(Scalar::Float, width);
        let vector = self.random.between(2, 4) as u8;
        match builtin.shape() {
            Shape::Floats(count) | Shape::Numbers(count) | Shape::Vectors(count) => {
                vec![ty.clone(); count]
            }
            Shape::Signed | Shape::Integer => vec![ty.clone()],
            Shape::Field(count) => {
                let mut all = vec![ty.clone(); count + 1];
                all.extend([Type::UINT, Type::UINT]);
                all
            }
            Shape::Mix => {
                let last = if self.random.percent(50) { ty.clone() } else { Type::FLOAT };
                vec![ty.clone(), ty.clone(), last]
            }
            Shape::Dot => vec![Type::of(ty.scalar().unwrap_or(Scalar::Float), vector); 2],
            Shape::Length(count) => {
                let width = self.width();
                vec![floats(width); count]
            }
            Shape::Cross => vec![floats(3), floats(3)],
            Shape::Refract => vec![ty.clone(), ty.clone(), Type::FLOAT],
            Shape::Determinant => vec![Type::Matrix(vector, vector)],
            Shape::Transpose => match ty {
                Type::Matrix(columns, rows) => vec![Type::Matrix(*rows, *columns)],
                _ => Vec::new(),
            },
            Shape::Bools => vec![Type::of(Scalar::Bool, self.width())],
            Shape::Select => {
                let is_whole = self.random.percent(50);
                let last = Type::of(Scalar::Bool, if is_whole { 1 } else { width });
                vec![ty.clone(), ty.clone(), last]
            }
            Shape::Ldexp => vec![ty.clone(), Type::of(Scalar::Int, width)],
            Shape::Exponent => vec![floats(width)],
            Shape::Pack(width) => vec![floats(width)],
            Shape::Unpack(_) | Shape::UnpackBytes(_) => vec![Type::UINT],
            Shape::PackBytes(true) => vec![Type::Vector(Scalar::Int, 4)],
            Shape::PackBytes(false) => vec![Type::Vector(Scalar::Uint, 4)],
            Shape::DotBytes(_) => vec![Type::UINT, Type::UINT],
            Shape::Derivative => Vec::new(),
        }
    }
}

fn is_result(builtin: Builtin, ty: &Type) -> bool {
    let scalar = ty.scalar();
    let width = if ty.is_matrix() { None } else { ty.width() };
    let is = |kinds: &[Scalar]| width.is_some() && scalar.is_some_and(|of| kinds.contains(&of));
    let is_vector = width.is_some_and(|width| width > 1);
    match builtin.shape() {
        Shape::Floats(_) | Shape::Mix | Shape::Ldexp => is(&[Scalar::Float]),
        Shape::Numbers(_) => is(&[Scalar::Float, Scalar::Int, Scalar::Uint]),
        Shape::Signed => is(&[Scalar::Float, Scalar::Int]),
        Shape::Integer | Shape::Field(_) => is(&[Scalar::Int, Scalar::Uint]),
        Shape::Dot => is(&[Scalar::Float, Scalar::Int, Scalar::Uint]) && !is_vector,
        Shape::Length(_) | Shape::Determinant => *ty == Type::FLOAT,
        Shape::Vectors(_) | Shape::Refract => is(&[Scalar::Float]) && is_vector,
        Shape::Cross => *ty == Type::Vector(Scalar::Float, 3),
        Shape::Transpose => ty.is_matrix(),
        Shape::Bools => *ty == Type::BOOL,
        Shape::Select => width.is_some(),
        Shape::Exponent => is(&[Scalar::Int]),
        Shape::Pack(_) | Shape::PackBytes(_) => *ty == Type::UINT,
        Shape::Unpack(count) => *ty == Type::Vector(Scalar::Float, count),
        Shape::UnpackBytes(true) => *ty == Type::Vector(Scalar::Int, 4),
        Shape::UnpackBytes(false) => *ty == Type::Vector(Scalar::Uint, 4),
        Shape::DotBytes(true) => *ty == Type::INT,
        Shape::DotBytes(false) => *ty == Type::UINT,
        Shape::Derivative => false,
    }
}
