//! Operators.

use super::Generator;
use crate::program::{Binary, Expr, Kind, Scalar, Type, Unary};

impl Generator {
    /// An operator's expression of a type.
    pub(super) fn operator(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if let Type::Matrix(columns, rows) = *ty {
            return Some(self.of_matrices(ty, columns, rows, depth));
        }
        let (scalar, width) = (ty.scalar()?, ty.width()?);
        if scalar == Scalar::Bool {
            return self.condition(width, depth);
        }
        if *ty == Type::INT && self.random.percent(8) && !self.dialect.is_old() {
            let array = self.array()?;
            return Some(Expr::new(Type::INT, Kind::Length(Box::new(array))));
        }
        if self.random.percent(12) {
            let op = match self.random.below(4) {
                0 => Unary::Plus,
                1 if scalar != Scalar::Float && !self.dialect.is_old() => Unary::BitNot,
                _ => Unary::Minus,
            };
            let operand = self.expr(ty, depth);
            return Some(Expr::new(ty.clone(), Kind::Unary(op, Box::new(operand))));
        }
        if scalar == Scalar::Float && width > 1 && self.random.percent(15) {
            // A matrix and a vector.
            let other = if self.dialect.is_old() { width } else { self.random.between(2, 4) as u8 };
            let vector = Type::of(Scalar::Float, other);
            let types = match self.random.percent(50) {
                true => [Type::Matrix(other, width), vector],
                false => [vector, Type::Matrix(width, other)],
            };
            return Some(self.of_two(ty, Binary::Mul, &types, depth));
        }
        let op = self.arithmetic(scalar);
        if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) {
            let kind = if self.random.percent(50) { Scalar::Int } else { Scalar::Uint };
            let count = if self.random.percent(50) { 1 } else { width };
            return Some(self.of_two(ty, op, &[ty.clone(), Type::of(kind, count)], depth));
        }
        let one = Type::Scalar(scalar);
        let types = match self.random.below(6) {
            0 if width > 1 => [ty.clone(), one],
            1 if width > 1 => [one, ty.clone()],
            _ => [ty.clone(), ty.clone()],
        };
        let mut operands = self.operands(&types, depth);
        // One of the operands may convert.
        let which = self.random.below(2);
        let converted = self.converted(&types[which], depth);
        operands[which] = converted;
        self.order(&mut operands, false);
        let [a, b] = <[Expr; 2]>::try_from(operands).expect("there are two");
        Some(Expr::binary(ty.clone(), op, a, b))
    }

    fn arithmetic(&mut self, scalar: Scalar) -> Binary {
        use Binary::*;
        match scalar {
            Scalar::Float => *self.random.pick(&[Add, Sub, Mul, Mul, Add, Div]),
            _ if self.dialect.is_old() => *self.random.pick(&[Add, Sub, Mul]),
            _ => *self
                .random
                .pick(&[Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor]),
        }
    }

    fn of_two(&mut self, ty: &Type, op: Binary, types: &[Type; 2], depth: u32) -> Expr {
        let operands = self.operands(types, depth);
        let [a, b] = <[Expr; 2]>::try_from(operands).expect("there are two");
        Expr::binary(ty.clone(), op, a, b)
    }

    fn of_matrices(&mut self, ty: &Type, columns: u8, rows: u8, depth: u32) -> Expr {
        let op = *self.random.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Mul]);
        match self.random.below(6) {
            0 => {
                let operand = Box::new(self.expr(ty, depth));
                Expr::new(ty.clone(), Kind::Unary(Unary::Minus, operand))
            }
            1 => self.of_two(ty, op, &[ty.clone(), Type::FLOAT], depth),
            2 => {
                let op = if self.random.percent(30) { Binary::Div } else { op };
                self.of_two(ty, op, &[Type::FLOAT, ty.clone()], depth)
            }
            3 => {
                let op = *self.random.pick(&[Binary::Add, Binary::Sub, Binary::Div]);
                self.of_two(ty, op, &[ty.clone(), ty.clone()], depth)
            }
            _ => {
                let inner = match self.dialect.is_old() {
                    true => columns,
                    false => self.random.between(2, 4) as u8,
                };
                let types = [Type::Matrix(inner, rows), Type::Matrix(columns, inner)];
                self.of_two(ty, Binary::Mul, &types, depth)
            }
        }
    }

    /// An expression of bools.
    fn condition(&mut self, width: u8, depth: u32) -> Option<Expr> {
        if width > 1 {
            return None;
        }
        use Binary::*;
        match self.random.below(10) {
            0..4 => {
                let op = *self.random.pick(&[And, Or, And, Or, Xor]);
                let mut operands = self.operands(&[Type::BOOL, Type::BOOL], depth);
                let b = operands.pop().expect("there are two");
                let a = operands.pop().expect("there are two");
                Some(Expr::binary(Type::BOOL, op, a, b))
            }
            4 => {
                let operand = Box::new(self.expr(&Type::BOOL, depth));
                Some(Expr::new(Type::BOOL, Kind::Unary(Unary::Not, operand)))
            }
            5 => {
                let ty = self.value_type();
                if self.dialect.is_old() && ty.has_array(&self.program.structures) {
                    return None;
                }
                let op = *self.random.pick(&[Equal, NotEqual]);
                Some(self.of_two(&Type::BOOL, op, &[ty.clone(), ty], depth))
            }
            _ => {
                let scalar = match self.scalar() {
                    Scalar::Bool => Scalar::Float,
                    scalar => scalar,
                };
                let op = *self.random.pick(&[Less, LessEqual, Greater, GreaterEqual, Less]);
                let ty = Type::Scalar(scalar);
                Some(self.of_two(&Type::BOOL, op, &[ty.clone(), ty], depth))
            }
        }
    }

    /// The operator and operand of a compound assignment.
    pub(super) fn compound(&mut self, ty: &Type, depth: u32) -> Option<(Binary, Expr)> {
        if let Type::Matrix(columns, _) = *ty {
            let op = *self.random.pick(&[Binary::Add, Binary::Sub, Binary::Mul]);
            let other = match (self.random.below(3), op) {
                (0, _) => Type::FLOAT,
                (_, Binary::Mul) => Type::Matrix(columns, columns),
                _ => ty.clone(),
            };
            return Some((op, self.expr(&other, depth)));
        }
        let (scalar, width) = (ty.scalar()?, ty.width()?);
        if scalar == Scalar::Bool {
            return None;
        }
        if scalar == Scalar::Float && width > 1 && self.random.percent(10) {
            let value = self.expr(&Type::Matrix(width, width), depth);
            return Some((Binary::Mul, value));
        }
        let op = self.arithmetic(scalar);
        let mut other = match self.random.percent(30) {
            true => Type::Scalar(scalar),
            false => ty.clone(),
        };
        if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) {
            other = Type::of(Scalar::Int, other.width().unwrap_or(1));
            return Some((op, self.expr(&other, depth)));
        }
        Some((op, self.converted(&other, depth)))
    }
}
