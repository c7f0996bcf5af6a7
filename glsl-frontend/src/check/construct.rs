//! Conversions and constructors.

use super::checker::Checker;
use super::constants::converted;
use super::declarations::OPERANDS;
use super::values::{Constant, Operand, Value};
use crate::mutants::{Mutant, is_active};
use crate::types::{Kind, Length, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

impl Checker<'_> {
    /// True if the version converts a scalar without being asked.
    pub(super) fn converts(&self, from: Scalar, to: Scalar) -> bool {
        if self.set.version.es || self.set.version.number < 120 {
            return false;
        }
        match (from, to) {
            (Scalar::Int, Scalar::Uint) => self.set.int_to_uint,
            (Scalar::Int | Scalar::Uint, Scalar::Float) => true,
            (Scalar::Int | Scalar::Uint | Scalar::Float, Scalar::Double) => true,
            _ => false,
        }
    }

    /// True if a type becomes another one without being asked.
    pub(super) fn fits(&self, from: Type, to: Type) -> bool {
        if from == to {
            return true;
        }
        let scalars = self.types.scalar(from).zip(self.types.scalar(to));
        let same = match (self.types.kind(from), self.types.kind(to)) {
            (Kind::Scalar(_), Kind::Scalar(_)) => true,
            (Kind::Vector(_, a), Kind::Vector(_, b)) => a == b,
            (Kind::Matrix(_, a, b), Kind::Matrix(_, c, d)) => [a, b] == [c, d],
            _ => false,
        };
        same && scalars.is_some_and(|(from, to)| self.converts(from, to))
    }

    /// The value with the scalars of a type of the same shape.
    pub(super) fn convert(&mut self, value: &Value, to: Scalar) -> Value {
        let Some(from) = self.types.scalar(value.ty) else { return value.clone() };
        if from == to {
            return value.clone();
        }
        let ty = self.types.with_scalar(value.ty, to);
        if value.id == 0
            && let Some(constant) = value.constant.as_deref()
            && let Some(constant) = convert_constant(to, constant)
        {
            return Value::constant(ty, constant);
        }
        if let Kind::Matrix(_, columns, _) = self.types.kind(value.ty) {
            let parts: Vec<Value> = (0..usize::from(columns))
                .map(|k| {
                    let column = self.extract(value, k);
                    self.convert(&column, to)
                })
                .collect();
            return self.compose(ty, &parts);
        }
        let id = self.id(value);
        let op = match (from, to) {
            (Scalar::Bool, _) => {
                let [zero, one] = [self.number(ty, 0), self.number(ty, 1)];
                return self.compute(Op::Select, ty, &[id, one, zero]);
            }
            (Scalar::Int | Scalar::Uint, Scalar::Bool) => {
                let zero = self.number(value.ty, 0);
                return self.compute(Op::INotEqual, ty, &[id, zero]);
            }
            (Scalar::Float | Scalar::Double, Scalar::Bool) => {
                let zero = self.number(value.ty, 0);
                return self.compute(Op::FUnordNotEqual, ty, &[id, zero]);
            }
            (Scalar::Int, Scalar::Float | Scalar::Double) => Op::ConvertSToF,
            (Scalar::Uint, Scalar::Float | Scalar::Double) => Op::ConvertUToF,
            (Scalar::Float | Scalar::Double, Scalar::Int) => Op::ConvertFToS,
            (Scalar::Float | Scalar::Double, Scalar::Uint) => Op::ConvertFToU,
            (Scalar::Float | Scalar::Double, _) => Op::FConvert,
            _ => Op::Bitcast,
        };
        let mut new = self.compute(op, ty, &[id]);
        // A value that specialisation may change keeps its default.
        new.constant =
            value.constant.as_deref().and_then(|of| convert_constant(to, of)).map(Into::into);
        new
    }

    /// A small number in each component of a type.
    pub(super) fn number(&mut self, ty: Type, number: u32) -> u32 {
        let constant = self.splat_constant(ty, number);
        self.constant_id(ty, &constant)
    }

    fn splat_constant(&mut self, ty: Type, number: u32) -> Constant {
        match self.types.kind(ty) {
            Kind::Scalar(scalar @ (Scalar::Float | Scalar::Double)) => {
                Constant::Scalar(scalar, (number as f32).to_bits())
            }
            Kind::Scalar(scalar) => Constant::Scalar(scalar, number),
            _ => {
                let parts = (0..self.parts(ty))
                    .map(|k| {
                        let part = self.part(ty, k);
                        self.splat_constant(part, number)
                    })
                    .collect();
                Constant::Composite(parts)
            }
        }
    }

    /// The same number in each component.
    pub(super) fn splat_value(&mut self, ty: Type, number: u32) -> Value {
        let constant = self.splat_constant(ty, number);
        Value::constant(ty, constant)
    }

    /// A vector with this scalar in each component.
    pub(super) fn splat(&mut self, value: &Value, width: u8) -> Value {
        let Some((scalar, 1)) = self.types.numeric(value.ty) else { return value.clone() };
        if width == 1 {
            return value.clone();
        }
        let ty = self.types.vector(scalar, width);
        self.compose(ty, &vec![value.clone(); width.into()])
    }

    /// The value as a type that it fits, or an error.
    pub(super) fn coerce(
        &mut self,
        value: &Value,
        to: Type,
        at: Span,
        what: &str,
    ) -> Option<Value> {
        if value.ty == to {
            return Some(value.clone());
        }
        if [value.ty, to].contains(&Types::ERROR) {
            return None;
        }
        if self.fits(value.ty, to) {
            let scalar = self.types.scalar(to)?;
            let has_words = |ty| self.types.scalar(ty) != Some(Scalar::Double);
            if is_active(Mutant::LostConversion) && has_words(value.ty) && has_words(to) {
                let id = self.id(value);
                return Some(self.compute(Op::Bitcast, to, &[id]));
            }
            return Some(self.convert(value, scalar));
        }
        let [found, wanted] = [self.type_name(value.ty), self.type_name(to)];
        self.wrong(DiagnosticCode::GlslTypes, at, format!("{what} {wanted}, and this is {found}"));
        let scalars = self.types.scalar(value.ty).zip(self.types.scalar(to));
        if scalars.is_some() && self.types.components(value.ty) == self.types.components(to) {
            let name = self.types.name(to);
            self.help(format!("convert it: `{name}(…)`"));
        }
        None
    }

    /// The scalars of a scalar, vector or matrix, in order.
    fn components(&mut self, value: &Value, out: &mut Vec<Value>, most: usize) {
        match self.types.kind(value.ty) {
            Kind::Scalar(_) => out.push(value.clone()),
            Kind::Vector(..) | Kind::Matrix(..) => {
                for k in 0..self.parts(value.ty) {
                    if out.len() >= most {
                        return;
                    }
                    let part = self.extract(value, k);
                    self.components(&part, out, most);
                }
            }
            _ => {}
        }
    }

    /// The components of a scalar or vector, converted. Surplus ones are not converted.
    fn converted_components(
        &mut self,
        value: &Value,
        scalar: Scalar,
        out: &mut Vec<Value>,
        most: usize,
    ) {
        let count = self.types.components(value.ty).unwrap_or(1) as usize;
        if count <= most.saturating_sub(out.len()) {
            let value = self.convert(value, scalar);
            return self.components(&value, out, most);
        }
        let mut parts = Vec::new();
        self.components(value, &mut parts, most.saturating_sub(out.len()));
        for part in parts {
            out.push(self.convert(&part, scalar));
        }
    }

    /// Calls a constructor.
    pub(super) fn construct(
        &mut self,
        ty: Type,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        let mut values = Vec::new();
        let mut failed = false;
        for (operand, span) in arguments {
            match self.value_of(operand, span) {
                Some(value) if value.ty == Types::ERROR => failed = true,
                Some(value) => values.push((value, span)),
                None => failed = true,
            }
        }
        if failed {
            return None;
        }
        match self.types.kind(ty) {
            Kind::Scalar(_) | Kind::Vector(..) | Kind::Matrix(..) => {
                self.construct_numbers(ty, &values, at)
            }
            Kind::Array(element, length) => {
                let count = values.len() as u32;
                if values.is_empty() {
                    self.wrong(
                        DiagnosticCode::GlslArguments,
                        at,
                        "an array has at least one element",
                    );
                    return None;
                }
                let beyond = values.get(OPERANDS).map(|(_, at)| *at);
                self.check_operands(beyond, "a list has at most")?;
                let ty = match length {
                    Length::Open => self.types.array(element, Length::Known(count)),
                    Length::Known(length) if length == count => ty,
                    Length::Known(length) => {
                        let message =
                            format!("the array has {length} elements, and here are {count}");
                        self.wrong(DiagnosticCode::GlslArguments, at, message);
                        return None;
                    }
                };
                let mut element = element;
                let mut parts = Vec::new();
                for (value, span) in &values {
                    // `float[][](…)`: the first element says how long the inner arrays are.
                    if self.types.contents(element).is_open {
                        element = value.ty;
                    }
                    parts.push(self.coerce(value, element, *span, "the element must be")?);
                }
                let ty = match parts.is_empty() {
                    true => ty,
                    false => self.types.array(element, Length::Known(count)),
                };
                Some(self.compose(ty, &parts))
            }
            Kind::Struct(number) => {
                let members: Vec<Type> =
                    self.structure(number).members.iter().map(|member| member.ty).collect();
                if members.len() != values.len() {
                    let name = self.type_name(ty);
                    let message = format!(
                        "{name} has {} members, and here are {}",
                        members.len(),
                        values.len()
                    );
                    self.wrong(DiagnosticCode::GlslArguments, at, message);
                    return None;
                }
                let mut parts = Vec::new();
                for ((value, span), member) in values.iter().zip(members) {
                    parts.push(self.coerce(value, member, *span, "the member is")?);
                }
                Some(self.compose(ty, &parts))
            }
            Kind::Error => None,
            _ => {
                let name = self.type_name(ty);
                self.wrong(
                    DiagnosticCode::GlslArguments,
                    at,
                    format!("a value of the type {name} cannot be constructed"),
                );
                None
            }
        }
    }

    fn construct_numbers(&mut self, ty: Type, values: &[(Value, Span)], at: Span) -> Option<Value> {
        let scalar = self.types.scalar(ty)?;
        let name = self.types.name(ty);
        if let Some((value, span)) =
            values.iter().find(|(value, _)| self.types.scalar(value.ty).is_none())
        {
            let found = self.type_name(value.ty);
            let message = format!("`{name}` takes numbers, and this is {found}");
            self.wrong(DiagnosticCode::GlslArguments, *span, message);
            return None;
        }
        let wanted = self.types.components(ty)? as usize;
        if values.is_empty() {
            self.wrong(DiagnosticCode::GlslArguments, at, format!("`{name}` takes an argument"));
            return None;
        }
        if let [(only, _)] = values {
            // One scalar fills a vector, or the diagonal of a matrix; a matrix gives a matrix.
            if let Some((_, 1)) = self.types.numeric(only.ty) {
                let one = self.convert(only, scalar);
                return Some(match self.types.kind(ty) {
                    Kind::Matrix(_, columns, rows) => self.diagonal(ty, &one, columns, rows),
                    _ => self.splat(&one, wanted as u8),
                });
            }
            if let (Kind::Matrix(_, columns, rows), Kind::Matrix(..)) =
                (self.types.kind(ty), self.types.kind(only.ty))
            {
                return Some(self.resize(ty, only, columns, rows, scalar));
            }
            if self.types.components(only.ty) == Some(wanted as u32)
                && self.types.numeric(only.ty).is_some()
                && self.types.numeric(ty).is_some()
            {
                return Some(self.convert(only, scalar));
            }
        }
        let mut parts = Vec::new();
        for (k, (value, span)) in values.iter().enumerate() {
            if parts.len() >= wanted {
                self.wrong(
                    DiagnosticCode::GlslArguments,
                    *span,
                    format!(
                        "`{name}` has {wanted} components, which are complete before this argument"
                    ),
                );
                return None;
            }
            if k > 0 || values.len() > 1 {
                let is_matrix = |ty| matches!(self.types.kind(ty), Kind::Matrix(..));
                if is_matrix(ty) && is_matrix(value.ty) {
                    self.wrong(
                        DiagnosticCode::GlslArguments,
                        *span,
                        format!("`{name}` takes one matrix alone"),
                    );
                    return None;
                }
            }
            // A vector is converted as a whole, a matrix column by column: there are no matrices of integers.
            if let Kind::Matrix(..) = self.types.kind(value.ty) {
                for column in 0..self.parts(value.ty) {
                    let column = self.extract(value, column);
                    self.converted_components(&column, scalar, &mut parts, wanted);
                }
            } else {
                self.converted_components(value, scalar, &mut parts, wanted);
            }
        }
        if parts.len() < wanted {
            let found = parts.len();
            self.wrong(
                DiagnosticCode::GlslArguments,
                at,
                format!("`{name}` has {wanted} components, and here are {found}"),
            );
            return None;
        }
        Some(match self.types.kind(ty) {
            Kind::Scalar(_) => parts.swap_remove(0),
            Kind::Matrix(_, columns, rows) => {
                let column = self.types.vector(scalar, rows);
                if columns == rows && is_active(Mutant::RowsForColumns) {
                    let width = usize::from(rows);
                    let order =
                        (0..width * width).map(|k| parts[k % width * width + k / width].clone());
                    parts = order.collect();
                }
                let columns: Vec<Value> = (0..usize::from(columns))
                    .map(|k| {
                        let from = k * usize::from(rows);
                        self.compose(column, &parts[from..from + usize::from(rows)])
                    })
                    .collect();
                self.compose(ty, &columns)
            }
            _ => self.compose(ty, &parts),
        })
    }

    fn diagonal(&mut self, ty: Type, one: &Value, columns: u8, rows: u8) -> Value {
        let Some(scalar) = self.types.scalar(ty) else { return one.clone() };
        let column = self.types.vector(scalar, rows);
        let single = self.types.of(Kind::Scalar(scalar));
        let zero = self.splat_value(single, 0);
        let columns: Vec<Value> = (0..columns)
            .map(|k| {
                let parts: Vec<Value> = (0..rows)
                    .map(|row| if row == k { one.clone() } else { zero.clone() })
                    .collect();
                self.compose(column, &parts)
            })
            .collect();
        self.compose(ty, &columns)
    }

    /// A matrix of another size: what is missing is that of the identity.
    fn resize(&mut self, ty: Type, from: &Value, columns: u8, rows: u8, scalar: Scalar) -> Value {
        if from.ty == ty {
            return from.clone();
        }
        let from = self.convert(from, scalar);
        let Kind::Matrix(_, old_columns, old_rows) = self.types.kind(from.ty) else { return from };
        let column = self.types.vector(scalar, rows);
        let single = self.types.of(Kind::Scalar(scalar));
        let mut all = Vec::new();
        for k in 0..columns {
            let old = (k < old_columns).then(|| self.extract(&from, k.into()));
            let parts: Vec<Value> = (0..rows)
                .map(|row| match &old {
                    Some(old) if row < old_rows => self.extract(old, row.into()),
                    _ => self.splat_value(single, u32::from(row == k)),
                })
                .collect();
            all.push(self.compose(column, &parts));
        }
        self.compose(ty, &all)
    }
}

fn convert_constant(to: Scalar, constant: &Constant) -> Option<Constant> {
    match constant {
        &Constant::Scalar(from, bits) => converted(to, from, bits),
        Constant::Composite(parts) => {
            let parts =
                parts.iter().map(|part| convert_constant(to, part)).collect::<Option<_>>()?;
            Some(Constant::Composite(parts))
        }
    }
}
