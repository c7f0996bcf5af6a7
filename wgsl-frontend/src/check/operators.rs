//! Operators.

use super::checker::Checker;
use super::values::{Operand, Value};
use crate::const_eval::{Constant, Fault, Product, binary, product, unary, zip};
use crate::syntax::tree::{Binary, Unary};
use crate::types::{Kind, Scalar, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

/// The instruction of an operation of scalars or vectors.
fn instruction(op: Binary, scalar: Scalar) -> Op {
    let by = |float, signed, unsigned| match scalar {
        Scalar::Float | Scalar::AbstractFloat => float,
        Scalar::Int | Scalar::AbstractInt => signed,
        _ => unsigned,
    };
    match op {
        Binary::Multiply => by(Op::FMul, Op::IMul, Op::IMul),
        Binary::Divide => by(Op::FDiv, Op::SDiv, Op::UDiv),
        Binary::Remainder => by(Op::FRem, Op::SRem, Op::UMod),
        Binary::Add => by(Op::FAdd, Op::IAdd, Op::IAdd),
        Binary::Subtract => by(Op::FSub, Op::ISub, Op::ISub),
        Binary::ShiftLeft => Op::ShiftLeftLogical,
        Binary::ShiftRight if scalar == Scalar::Int => Op::ShiftRightArithmetic,
        Binary::ShiftRight => Op::ShiftRightLogical,
        Binary::Less => by(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan),
        Binary::Greater => by(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan),
        Binary::LessEqual => by(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual),
        Binary::GreaterEqual => {
            by(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual)
        }
        Binary::Equal if scalar == Scalar::Bool => Op::LogicalEqual,
        Binary::NotEqual if scalar == Scalar::Bool => Op::LogicalNotEqual,
        Binary::Equal => by(Op::FOrdEqual, Op::IEqual, Op::IEqual),
        Binary::NotEqual => by(Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual),
        Binary::And if scalar == Scalar::Bool => Op::LogicalAnd,
        Binary::Or if scalar == Scalar::Bool => Op::LogicalOr,
        Binary::And => Op::BitwiseAnd,
        Binary::Or => Op::BitwiseOr,
        Binary::Xor => Op::BitwiseXor,
    }
}

/// True if an operator is defined on scalars of a type.
fn is_defined(op: Binary, scalar: Scalar) -> bool {
    match op {
        Binary::And | Binary::Or => scalar == Scalar::Bool || scalar.is_integer(),
        Binary::Xor => scalar.is_integer(),
        Binary::Equal | Binary::NotEqual => true,
        _ => scalar != Scalar::Bool,
    }
}

impl Checker<'_> {
    /// An operation of two values.
    pub(super) fn binary(&mut self, op: Binary, a: &Value, b: &Value, at: Span) -> Option<Value> {
        if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) {
            return self.shift(op, a, b, at);
        }
        let (Some(x), Some(y)) = (self.types.scalar(a.ty), self.types.scalar(b.ty)) else {
            return self.no_operator(op, a, b, at);
        };
        let scalar = match (x.rank(y), y.rank(x)) {
            (Some(_), _) => y,
            (_, Some(_)) => x,
            _ => return self.no_operator(op, a, b, at),
        };
        if !is_defined(op, scalar) {
            return self.no_operator(op, a, b, at);
        }
        let [first, second] = [a, b].map(|value| self.types.with_scalar(value.ty, scalar));
        let left = self.coerce(a, first, at, "the operand has the type")?;
        let right = self.coerce(b, second, at, "the operand has the type")?;
        let kinds = (self.types.kind(left.ty), self.types.kind(right.ty));
        match kinds {
            (Kind::Matrix(..), _) | (_, Kind::Matrix(..)) => {
                self.of_matrices(op, scalar, &left, &right, at)
            }
            (Kind::Vector(_, n), Kind::Vector(_, m)) if n != m => self.no_operator(op, a, b, at),
            (Kind::Vector(_, width), Kind::Scalar(_))
            | (Kind::Scalar(_), Kind::Vector(_, width)) => {
                // Only arithmetic mixes them.
                if op.is_comparison() || matches!(op, Binary::And | Binary::Or | Binary::Xor) {
                    return self.no_operator(op, a, b, at);
                }
                self.mixed(op, scalar, width, &left, &right, at)
            }
            _ => self.componentwise(op, scalar, &left, &right, at),
        }
    }

    fn no_operator(&mut self, op: Binary, a: &Value, b: &Value, at: Span) -> Option<Value> {
        let [x, y] = [a.ty, b.ty].map(|ty| self.type_name(ty));
        let message = format!("`{}` is not defined for {x} and {y}", op.text());
        self.wrong(DiagnosticCode::WgslTypes, at, message);
        let scalars = [a.ty, b.ty].map(|ty| self.types.scalar(ty));
        if let [Some(x), Some(y)] = scalars
            && x != y
        {
            self.help("convert one of them: `f32(i)`");
        }
        None
    }

    /// An operation of a vector and a scalar.
    fn mixed(
        &mut self,
        op: Binary,
        scalar: Scalar,
        width: u8,
        a: &Value,
        b: &Value,
        at: Span,
    ) -> Option<Value> {
        let is_constant = a.constant.is_some() && b.constant.is_some();
        if op == Binary::Multiply && scalar == Scalar::Float && !is_constant {
            let (vector, factor) = match self.types.kind(a.ty) {
                Kind::Vector(..) => (a, b),
                _ => (b, a),
            };
            let [x, y] = [self.id(vector), self.id(factor)];
            let ty = vector.ty;
            return Some(self.compute(Op::VectorTimesScalar, ty, &[x, y]));
        }
        let widened = |checker: &mut Self, value: &Value| match checker.types.kind(value.ty) {
            Kind::Scalar(_) => checker.splat(value, width),
            _ => value.clone(),
        };
        let [left, right] = [widened(self, a), widened(self, b)];
        self.componentwise(op, scalar, &left, &right, at)
    }

    /// An operation of two values of one type.
    pub(super) fn componentwise(
        &mut self,
        op: Binary,
        scalar: Scalar,
        a: &Value,
        b: &Value,
        at: Span,
    ) -> Option<Value> {
        let result = match op.is_comparison() {
            true => self.types.with_scalar(a.ty, Scalar::Bool),
            false => a.ty,
        };
        if let (Some(x), Some(y)) = (&a.constant, &b.constant) {
            let folded = zip(&[x, y], &mut |of| binary(op, scalar, of[0], of[1]));
            return self.folded(result, folded, at);
        }
        if self.body.is_none() {
            self.not_constant(at, "this operand");
            return None;
        }
        let [x, y] = [self.id(a), self.id(b)];
        Some(self.compute(instruction(op, scalar), result, &[x, y]))
    }

    fn of_matrices(
        &mut self,
        op: Binary,
        scalar: Scalar,
        a: &Value,
        b: &Value,
        at: Span,
    ) -> Option<Value> {
        let kinds = (self.types.kind(a.ty), self.types.kind(b.ty));
        let both = match (&a.constant, &b.constant) {
            (Some(x), Some(y)) => Some((x.clone(), y.clone())),
            _ => None,
        };
        match (op, kinds) {
            (Binary::Add | Binary::Subtract, (Kind::Matrix(_, columns, rows), of)) => {
                if of != kinds.0 {
                    return self.no_operator(op, a, b, at);
                }
                if let Some((x, y)) = both {
                    let folded = zip(&[&x, &y], &mut |of| binary(op, scalar, of[0], of[1]));
                    return self.folded(a.ty, folded, at);
                }
                let column = self.types.vector(scalar, rows);
                let [x, y] = [self.id(a), self.id(b)];
                let mut parts = Vec::new();
                for k in 0..u32::from(columns) {
                    let left = self.compute(Op::CompositeExtract, column, &[x, k]);
                    let right = self.compute(Op::CompositeExtract, column, &[y, k]);
                    let sum = self.compute(instruction(op, scalar), column, &[left.id, right.id]);
                    parts.push(sum.id);
                }
                Some(self.compute(Op::CompositeConstruct, a.ty, &parts))
            }
            (Binary::Multiply, (Kind::Matrix(..), Kind::Scalar(_))) => {
                self.scaled(a, b, scalar, both, at)
            }
            (Binary::Multiply, (Kind::Scalar(_), Kind::Matrix(..))) => {
                let both = both.map(|(x, y)| (y, x));
                self.scaled(b, a, scalar, both, at)
            }
            (Binary::Multiply, (left, right)) => {
                let (op, shape, ty) = match (left, right) {
                    (Kind::Matrix(_, columns, rows), Kind::Vector(_, width))
                        if columns == width =>
                    {
                        let ty = self.types.vector(scalar, rows);
                        (Op::MatrixTimesVector, Product::MatrixVector, ty)
                    }
                    (Kind::Vector(_, width), Kind::Matrix(_, columns, rows)) if rows == width => {
                        let ty = self.types.vector(scalar, columns);
                        (Op::VectorTimesMatrix, Product::VectorMatrix, ty)
                    }
                    (Kind::Matrix(_, inner, rows), Kind::Matrix(_, columns, other))
                        if inner == other =>
                    {
                        let ty = self.types.matrix(scalar, columns, rows);
                        (Op::MatrixTimesMatrix, Product::MatrixMatrix, ty)
                    }
                    _ => return self.no_operator(op, a, b, at),
                };
                if let Some((x, y)) = both {
                    return self.folded(ty, product(shape, scalar, &x, &y), at);
                }
                let [x, y] = [self.id(a), self.id(b)];
                Some(self.compute(op, ty, &[x, y]))
            }
            _ => self.no_operator(op, a, b, at),
        }
    }

    fn scaled(
        &mut self,
        matrix: &Value,
        factor: &Value,
        scalar: Scalar,
        both: Option<(Constant, Constant)>,
        at: Span,
    ) -> Option<Value> {
        if let Some((x, y)) = both {
            let folded = zip(&[&x, &y], &mut |of| binary(Binary::Multiply, scalar, of[0], of[1]));
            return self.folded(matrix.ty, folded, at);
        }
        let [x, y] = [self.id(matrix), self.id(factor)];
        Some(self.compute(Op::MatrixTimesScalar, matrix.ty, &[x, y]))
    }

    fn shift(&mut self, op: Binary, a: &Value, b: &Value, at: Span) -> Option<Value> {
        let (Some(x), Some(y)) = (self.types.scalar(a.ty), self.types.scalar(b.ty)) else {
            return self.no_operator(op, a, b, at);
        };
        let widths = [a.ty, b.ty].map(|ty| self.types.width(ty));
        let is_count = matches!(y, Scalar::Uint | Scalar::AbstractInt);
        if !x.is_integer() || !is_count || widths[0] != widths[1] || widths[0].is_none() {
            self.no_operator(op, a, b, at);
            if y == Scalar::Int {
                self.help("the number of bits is a `u32`: `a << u32(n)`");
            }
            return None;
        }
        if let (Some(left), Some(right)) = (&a.constant, &b.constant) {
            let folded = zip(&[left, right], &mut |of| binary(op, x, of[0], of[1]));
            return self.folded(a.ty, folded, at);
        }
        let left = self.concrete(a, at)?;
        let count = self.types.with_scalar(b.ty, Scalar::Uint);
        let right = self.coerce(b, count, at, "the number of bits has the type")?;
        if let Some(constant) = &right.constant {
            let too_far = crate::const_eval::scalars(constant)
                .iter()
                .any(|one| one.word().is_some_and(|count| count >= 32));
            if too_far {
                self.fault(&Fault::Shift(32), at);
                return None;
            }
        }
        let scalar = self.types.scalar(left.ty)?;
        let [x, y] = [self.id(&left), self.id(&right)];
        Some(self.compute(instruction(op, scalar), left.ty, &[x, y]))
    }

    /// An operation of one operand.
    pub(super) fn unary(&mut self, op: Unary, operand: Operand, at: Span) -> Operand {
        match op {
            Unary::AddressOf => self.address_of(operand, at),
            Unary::Dereference => match operand {
                Operand::Pointer(place) => Operand::Place(place),
                Operand::Error => Operand::Error,
                _ => {
                    self.wrong(DiagnosticCode::WgslTypes, at, "`*` is applied to a pointer");
                    Operand::Error
                }
            },
            _ => {
                let value = self.value_of(operand, at);
                match value.and_then(|value| self.negated(op, &value, at)) {
                    Some(value) => Operand::Value(value),
                    None => Operand::Error,
                }
            }
        }
    }

    fn address_of(&mut self, operand: Operand, at: Span) -> Operand {
        match operand {
            Operand::Place(place) if place.space != crate::types::Space::Handle => {
                let in_vector = self.is_component(&place);
                if in_vector {
                    let message = "a component of a vector has no pointer";
                    self.wrong(DiagnosticCode::WgslTypes, at, message);
                    return Operand::Error;
                }
                Operand::Pointer(place)
            }
            Operand::Error => Operand::Error,
            _ => {
                self.wrong(DiagnosticCode::WgslTypes, at, "`&` is applied to a variable");
                self.help("a `let`, a parameter and a result are values: copy it into a `var`");
                Operand::Error
            }
        }
    }

    fn negated(&mut self, op: Unary, value: &Value, at: Span) -> Option<Value> {
        let scalar = match self.types.kind(value.ty) {
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) => Some(scalar),
            _ => None,
        };
        let instruction = match (op, scalar) {
            (Unary::Negate, Some(Scalar::Float | Scalar::AbstractFloat)) => Some(Op::FNegate),
            (Unary::Negate, Some(Scalar::Int | Scalar::AbstractInt)) => Some(Op::SNegate),
            (Unary::Complement, Some(scalar)) if scalar.is_integer() => Some(Op::Not),
            (Unary::Not, Some(Scalar::Bool)) => Some(Op::LogicalNot),
            _ => None,
        };
        let (Some(instruction), Some(scalar)) = (instruction, scalar) else {
            let found = self.type_name(value.ty);
            let text = match op {
                Unary::Negate => "-",
                Unary::Complement => "~",
                _ => "!",
            };
            let message = format!("`{text}` is not defined for {found}");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        };
        if let Some(constant) = &value.constant {
            let folded = zip(&[constant], &mut |of| unary(op, scalar, of[0]));
            return self.folded(value.ty, folded, at);
        }
        let id = self.id(value);
        if let Kind::Matrix(_, columns, rows) = self.types.kind(value.ty) {
            let column = self.types.vector(scalar, rows);
            let mut parts = Vec::new();
            for k in 0..u32::from(columns) {
                let part = self.compute(Op::CompositeExtract, column, &[id, k]);
                parts.push(self.compute(instruction, column, &[part.id]).id);
            }
            return Some(self.compute(Op::CompositeConstruct, value.ty, &parts));
        }
        Some(self.compute(instruction, value.ty, &[id]))
    }

    /// The condition of a statement or of `&&`.
    pub(super) fn condition(&mut self, operand: Operand, at: Span, what: &str) -> Option<Value> {
        let value = self.value_of(operand, at)?;
        if value.ty == Types::BOOL {
            return Some(value);
        }
        let found = self.type_name(value.ty);
        let message = format!("{what} is a `bool`, and this is {found}");
        self.wrong(DiagnosticCode::WgslTypes, at, message);
        if matches!(self.types.kind(value.ty), Kind::Vector(Scalar::Bool, _)) {
            self.help("write `all(…)` or `any(…)`");
        }
        None
    }
}
