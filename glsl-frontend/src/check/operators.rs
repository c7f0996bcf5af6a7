//! Operators on values.

use super::checker::Checker;
use super::values::Value;
use crate::syntax::tree::{Binary, Unary};
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

impl Checker<'_> {
    /// Reports operands that an operator does not take.
    fn no_operator(&mut self, op: Binary, a: &Value, b: &Value, at: Span) -> Option<Value> {
        let [left, right] = [self.type_name(a.ty), self.type_name(b.ty)];
        let message = format!("`{}` does not take {left} and {right}", op.text());
        self.wrong(DiagnosticCode::GlslTypes, at, message);
        let scalars = self.types.scalar(a.ty).zip(self.types.scalar(b.ty));
        if let Some((x, y)) = scalars
            && x != y
            && (x.is_integer() || y.is_integer())
            && (x.is_float() || y.is_float())
        {
            let es = if self.set.version.es { "GLSL ES converts" } else { "This version converts" };
            self.help(format!("{es} no numbers by itself: write `1.0` for `1`, or `float(…)`"));
        }
        None
    }

    /// Brings two numeric operands to one scalar, if the version converts.
    fn same_scalar(&mut self, a: Value, b: Value) -> Option<(Value, Value, Scalar)> {
        let [x, y] = [self.types.scalar(a.ty)?, self.types.scalar(b.ty)?];
        if x == y {
            return Some((a, b, x));
        }
        if self.converts(x, y) {
            return Some((self.convert(&a, y), b, y));
        }
        if self.converts(y, x) {
            return Some((a, self.convert(&b, x), x));
        }
        None
    }

    pub(super) fn unary(&mut self, op: Unary, value: &Value, at: Span) -> Option<Value> {
        let scalar = self.types.scalar(value.ty);
        let fits = match (op, scalar) {
            (Unary::Plus | Unary::Minus, Some(scalar)) => scalar != Scalar::Bool,
            (Unary::Not, Some(Scalar::Bool)) => {
                self.types.kind(value.ty) == Kind::Scalar(Scalar::Bool)
            }
            (Unary::Complement, Some(scalar)) => scalar.is_integer(),
            _ => false,
        };
        if !fits {
            let found = self.type_name(value.ty);
            let message = format!("`{}` does not take {found}", op.text());
            self.wrong(DiagnosticCode::GlslTypes, at, message);
            if op == Unary::Not && scalar == Some(Scalar::Bool) {
                self.help("`not(…)` is for vectors");
            }
            return None;
        }
        if op == Unary::Plus {
            return Some(value.clone());
        }
        let folded = self.fold_unary(op, value);
        if let (0, Some(folded)) = (value.id, &folded) {
            return Some(folded.clone());
        }
        let mut new = match (op, self.types.kind(value.ty)) {
            (Unary::Minus, Kind::Matrix(_, columns, _)) => {
                let parts: Vec<Value> = (0..usize::from(columns))
                    .map(|k| {
                        let column = self.extract(value, k);
                        let id = self.id(&column);
                        self.compute(Op::FNegate, column.ty, &[id])
                    })
                    .collect();
                self.compose(value.ty, &parts)
            }
            _ => {
                let id = self.id(value);
                let op = match (op, scalar) {
                    (Unary::Minus, Some(Scalar::Float | Scalar::Double)) => Op::FNegate,
                    (Unary::Minus, _) => Op::SNegate,
                    (Unary::Not, _) => Op::LogicalNot,
                    _ => Op::Not,
                };
                self.compute(op, value.ty, &[id])
            }
        };
        new.constant = folded.and_then(|of| of.constant);
        Some(new)
    }

    pub(super) fn binary(&mut self, op: Binary, a: Value, b: Value, at: Span) -> Option<Value> {
        if [a.ty, b.ty].contains(&Types::ERROR) {
            return None;
        }
        match op {
            Binary::Equal | Binary::NotEqual => self.equality(op, a, b, at),
            Binary::LogicalXor => {
                if a.ty != Types::BOOL || b.ty != Types::BOOL {
                    return self.no_operator(op, &a, &b, at);
                }
                Some(self.componentwise(op, Op::LogicalNotEqual, Types::BOOL, &a, &b))
            }
            Binary::ShiftLeft | Binary::ShiftRight => self.shift(op, a, b, at),
            Binary::Less | Binary::Greater | Binary::LessEqual | Binary::GreaterEqual => {
                self.comparison(op, a, b, at)
            }
            _ => self.arithmetic(op, a, b, at),
        }
    }

    /// An operation of two values of one type, folded if both are constants.
    fn componentwise(&mut self, op: Binary, code: Op, result: Type, a: &Value, b: &Value) -> Value {
        let folded = self.fold_binary(op, result, a, b);
        if let (0, 0, Some(folded)) = (a.id, b.id, &folded) {
            return folded.clone();
        }
        let operands = [self.id(a), self.id(b)];
        let mut new = self.compute(code, result, &operands);
        new.constant = folded.and_then(|of| of.constant);
        new
    }

    fn comparison(&mut self, op: Binary, a: Value, b: Value, at: Span) -> Option<Value> {
        let both = [a.ty, b.ty].map(|ty| self.types.kind(ty));
        let scalars =
            both.iter().all(|kind| matches!(kind, Kind::Scalar(of) if *of != Scalar::Bool));
        if !scalars {
            let none = self.no_operator(op, &a, &b, at);
            if matches!(both[0], Kind::Vector(..)) {
                self.help("`lessThan(…)` and its like compare vectors");
            }
            return none;
        }
        let Some((a, b, scalar)) = self.same_scalar(a.clone(), b.clone()) else {
            return self.no_operator(op, &a, &b, at);
        };
        let code = comparison_op(op, scalar);
        Some(self.componentwise(op, code, Types::BOOL, &a, &b))
    }

    fn shift(&mut self, op: Binary, a: Value, b: Value, at: Span) -> Option<Value> {
        let (Some((x, width)), Some((y, count))) =
            (self.types.numeric(a.ty), self.types.numeric(b.ty))
        else {
            return self.no_operator(op, &a, &b, at);
        };
        if !x.is_integer() || !y.is_integer() || (count != 1 && count != width) {
            return self.no_operator(op, &a, &b, at);
        }
        let b = if count == width { b } else { self.splat(&b, width) };
        let code = match (op, x) {
            (Binary::ShiftLeft, _) => Op::ShiftLeftLogical,
            (_, Scalar::Int) => Op::ShiftRightArithmetic,
            _ => Op::ShiftRightLogical,
        };
        Some(self.componentwise(op, code, a.ty, &a, &b))
    }

    fn arithmetic(&mut self, op: Binary, a: Value, b: Value, at: Span) -> Option<Value> {
        let Some((a, b, scalar)) = self.same_scalar(a.clone(), b.clone()) else {
            return self.no_operator(op, &a, &b, at);
        };
        let bits = matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::Remainder);
        if scalar == Scalar::Bool || (bits && !scalar.is_integer()) {
            let none = self.no_operator(op, &a, &b, at);
            match op {
                Binary::Remainder if scalar.is_float() => {
                    self.help("`mod(a, b)` is the remainder of floating-point numbers");
                }
                Binary::And | Binary::Or if scalar == Scalar::Bool => {
                    self.help(format!("write `{0}{0}`", op.text()));
                }
                _ => {}
            }
            return none;
        }
        if !self.since(130, 300) && bits {
            let message = format!("`{}` needs version 130, or 300 es", op.text());
            self.wrong(DiagnosticCode::GlslVersion, at, message);
        }
        match (self.types.kind(a.ty), self.types.kind(b.ty)) {
            (Kind::Matrix(..), _) | (_, Kind::Matrix(..)) => self.of_matrices(op, a, b, at),
            _ => self.of_vectors(op, scalar, a, b, at),
        }
    }

    fn of_vectors(
        &mut self,
        op: Binary,
        scalar: Scalar,
        a: Value,
        b: Value,
        at: Span,
    ) -> Option<Value> {
        let (Some((_, x)), Some((_, y))) = (self.types.numeric(a.ty), self.types.numeric(b.ty))
        else {
            return self.no_operator(op, &a, &b, at);
        };
        if x != y && x != 1 && y != 1 {
            return self.no_operator(op, &a, &b, at);
        }
        let width = x.max(y);
        let ty = self.types.vector(scalar, width);
        let constants = a.constant.is_some() && b.constant.is_some();
        if op == Binary::Multiply && scalar == Scalar::Float && x != y && !constants {
            let (vector, factor) = if x > y { (&a, &b) } else { (&b, &a) };
            let operands = [self.id(vector), self.id(factor)];
            return Some(self.compute(Op::VectorTimesScalar, ty, &operands));
        }
        let [a, b] = [(a, x), (b, y)]
            .map(|(value, own)| if own == width { value } else { self.splat(&value, width) });
        Some(self.componentwise(op, arithmetic_op(op, scalar), ty, &a, &b))
    }

    fn of_matrices(&mut self, op: Binary, a: Value, b: Value, at: Span) -> Option<Value> {
        let [x, y] = [a.ty, b.ty].map(|ty| self.types.kind(ty));
        if op == Binary::Multiply {
            let (code, ty) = match (x, y) {
                (Kind::Matrix(s, inner, rows), Kind::Matrix(_, columns, other))
                    if inner == other =>
                {
                    (Op::MatrixTimesMatrix, self.types.of(Kind::Matrix(s, columns, rows)))
                }
                (Kind::Matrix(s, columns, rows), Kind::Vector(_, width)) if columns == width => {
                    (Op::MatrixTimesVector, self.types.vector(s, rows))
                }
                (Kind::Vector(_, width), Kind::Matrix(s, columns, rows)) if rows == width => {
                    (Op::VectorTimesMatrix, self.types.vector(s, columns))
                }
                (Kind::Matrix(..), Kind::Scalar(_)) => (Op::MatrixTimesScalar, a.ty),
                (Kind::Scalar(_), Kind::Matrix(..)) => {
                    let operands = [self.id(&b), self.id(&a)];
                    return Some(self.compute(Op::MatrixTimesScalar, b.ty, &operands));
                }
                _ => return self.no_operator(op, &a, &b, at),
            };
            let operands = [self.id(&a), self.id(&b)];
            return Some(self.compute(code, ty, &operands));
        }
        // Others are done column by column.
        let (ty, columns, rows) = match (x, y) {
            (Kind::Matrix(..), Kind::Matrix(_, columns, rows)) if a.ty == b.ty => {
                (a.ty, columns, rows)
            }
            (Kind::Matrix(_, columns, rows), Kind::Scalar(_)) => (a.ty, columns, rows),
            (Kind::Scalar(_), Kind::Matrix(_, columns, rows)) => (b.ty, columns, rows),
            _ => return self.no_operator(op, &a, &b, at),
        };
        let scalar = self.types.scalar(ty)?;
        let mut parts = Vec::new();
        for k in 0..usize::from(columns) {
            let [left, right] = [&a, &b].map(|value| match self.types.kind(value.ty) {
                Kind::Matrix(..) => self.extract(value, k),
                _ => self.splat(value, rows),
            });
            parts.push(self.of_vectors(op, scalar, left, right, at)?);
        }
        Some(self.compose(ty, &parts))
    }

    fn equality(&mut self, op: Binary, a: Value, b: Value, at: Span) -> Option<Value> {
        let (a, b) = match self.same_scalar(a.clone(), b.clone()) {
            Some((a, b, _)) => (a, b),
            None => (a, b),
        };
        if a.ty != b.ty || a.ty == Types::VOID || self.types.contents(a.ty).is_opaque {
            return self.no_operator(op, &a, &b, at);
        }
        let folded = self.fold_binary(op, Types::BOOL, &a, &b);
        if let (0, 0, Some(folded)) = (a.id, b.id, &folded) {
            return Some(folded.clone());
        }
        let equal = self.all_equal(&a, &b, op == Binary::NotEqual);
        Some(Value { constant: folded.and_then(|of| of.constant), ..equal })
    }

    /// True if all components are equal, or with `unequal`, if any differs.
    fn all_equal(&mut self, a: &Value, b: &Value, unequal: bool) -> Value {
        let join = if unequal { Op::LogicalOr } else { Op::LogicalAnd };
        if let Some((scalar, width)) = self.types.numeric(a.ty) {
            let op = match (scalar, unequal) {
                (Scalar::Bool, false) => Op::LogicalEqual,
                (Scalar::Bool, true) => Op::LogicalNotEqual,
                (Scalar::Float | Scalar::Double, false) => Op::FOrdEqual,
                (Scalar::Float | Scalar::Double, true) => Op::FUnordNotEqual,
                (_, false) => Op::IEqual,
                (_, true) => Op::INotEqual,
            };
            let ty = self.types.vector(Scalar::Bool, width);
            let operands = [self.id(a), self.id(b)];
            let each = self.compute(op, ty, &operands);
            if width == 1 {
                return each;
            }
            let join = if unequal { Op::Any } else { Op::All };
            return self.compute(join, Types::BOOL, &[each.id]);
        }
        let mut all: Option<Value> = None;
        let parts = self.expansion(a.ty);
        for k in 0..parts {
            let [x, y] = [self.extract(a, k), self.extract(b, k)];
            let one = self.all_equal(&x, &y, unequal);
            all = Some(match all {
                None => one,
                Some(before) => self.compute(join, Types::BOOL, &[before.id, one.id]),
            });
        }
        all.unwrap_or_else(|| self.splat_value(Types::BOOL, u32::from(!unequal)))
    }
}

/// The comparison of two numbers.
pub(super) fn comparison_op(op: Binary, scalar: Scalar) -> Op {
    let [float, signed, unsigned] = match op {
        Binary::Less => [Op::FOrdLessThan, Op::SLessThan, Op::ULessThan],
        Binary::Greater => [Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan],
        Binary::LessEqual => [Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual],
        Binary::GreaterEqual => {
            [Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual]
        }
        Binary::Equal => [Op::FOrdEqual, Op::IEqual, Op::IEqual],
        _ => [Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual],
    };
    match scalar {
        Scalar::Int => signed,
        Scalar::Uint => unsigned,
        _ => float,
    }
}

fn arithmetic_op(op: Binary, scalar: Scalar) -> Op {
    let float = scalar.is_float();
    let signed = scalar == Scalar::Int;
    match op {
        Binary::Add if float => Op::FAdd,
        Binary::Add => Op::IAdd,
        Binary::Subtract if float => Op::FSub,
        Binary::Subtract => Op::ISub,
        Binary::Multiply if float => Op::FMul,
        Binary::Multiply => Op::IMul,
        Binary::Divide if float => Op::FDiv,
        Binary::Divide if signed => Op::SDiv,
        Binary::Divide => Op::UDiv,
        // The remainder of negative numbers is undefined in GLSL; this one has the sign of the divisor, as glslang's.
        Binary::Remainder if signed => Op::SMod,
        Binary::Remainder => Op::UMod,
        Binary::And => Op::BitwiseAnd,
        Binary::Or => Op::BitwiseOr,
        _ => Op::BitwiseXor,
    }
}
