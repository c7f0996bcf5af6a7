//! Constructors of types.

use super::checker::Checker;
use super::statements::OPERANDS;
use super::values::{Generator, Operand, Value};
use crate::const_eval::{Constant, scalars};
use crate::mutants::{Mutant, is_active};
use crate::types::{Kind, Length, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::limits::WORDS;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

impl Checker<'_> {
    /// The values of arguments; `None` if one of them was reported.
    pub(super) fn values(&mut self, arguments: Vec<(Operand, Span)>) -> Option<Vec<(Value, Span)>> {
        let mut values = Vec::with_capacity(arguments.len());
        let mut is_wrong = false;
        for (operand, span) in arguments {
            match self.value_of(operand, span) {
                Some(value) => values.push((value, span)),
                None => is_wrong = true,
            }
        }
        (!is_wrong).then_some(values)
    }

    /// `T(…)`
    pub(super) fn construct(
        &mut self,
        ty: Type,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        let values = self.values(arguments)?;
        if ty == Types::ERROR {
            return None;
        }
        let facts = self.types.facts(ty);
        if !facts.is_constructible {
            // `array<f32>(1, 2)` has the length of the list.
            if let Kind::Array(element, Length::Open) = self.types.kind(ty)
                && !values.is_empty()
            {
                let ty = self.array_type(element, Length::Known(values.len() as u32), at)?;
                return self.of_parts(ty, &values, at);
            }
            let name = self.type_name(ty);
            let message = format!("{name} has no values");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        }
        if facts.words > u64::from(WORDS) {
            let name = self.type_name(ty);
            let message = format!("a value of type {name} has more than {WORDS} words");
            self.wrong(DiagnosticCode::WgslTooLarge, at, message);
            return None;
        }
        if values.is_empty() {
            return Some(self.zero_value(ty));
        }
        match (self.types.kind(ty), &values[..]) {
            (Kind::Scalar(_), [(value, span)]) => {
                if !matches!(self.types.kind(value.ty), Kind::Scalar(_)) {
                    return self.wrong_constructor(ty, &values, at);
                }
                self.convert(value, ty, *span)
            }
            (Kind::Vector(scalar, width), [(value, span)]) => match self.types.kind(value.ty) {
                Kind::Scalar(_) => {
                    let component = self.types.scalar_type(scalar);
                    let value = self.coerce(value, component, *span, "a component has the type")?;
                    Some(self.splat(&value, width))
                }
                Kind::Vector(_, own) if own == width => self.convert(value, ty, *span),
                _ => self.wrong_constructor(ty, &values, at),
            },
            (Kind::Vector(scalar, width), _) => self.components(ty, scalar, width, &values, at),
            (Kind::Matrix(scalar, columns, rows), [(value, span)]) if matches!(self.types.kind(value.ty), Kind::Matrix(_, c, r) if (c, r) == (columns, rows)) =>
            {
                let ty = self.types.matrix(scalar, columns, rows);
                self.coerce(value, ty, *span, "the matrix has the type")
            }
            (Kind::Matrix(scalar, columns, rows), _) => {
                self.columns(ty, scalar, [columns, rows], &values, at)
            }
            (Kind::Array(..) | Kind::Struct(_), _) => self.of_parts(ty, &values, at),
            _ => self.wrong_constructor(ty, &values, at),
        }
    }

    fn wrong_constructor(&mut self, ty: Type, values: &[(Value, Span)], at: Span) -> Option<Value> {
        let name = self.types.name(ty);
        let given: Vec<String> =
            values.iter().map(|(value, _)| self.types.name(value.ty)).collect();
        let message = format!("`{name}` is not made of ({})", given.join(", "));
        self.wrong(DiagnosticCode::WgslArguments, at, message);
        None
    }

    /// A vector of scalars and vectors.
    fn components(
        &mut self,
        ty: Type,
        scalar: Scalar,
        width: u8,
        values: &[(Value, Span)],
        at: Span,
    ) -> Option<Value> {
        let mut parts = Vec::new();
        let mut count = 0_usize;
        for (value, span) in values {
            let Some(own) = self.types.width(value.ty) else {
                return self.wrong_constructor(ty, values, at);
            };
            count += usize::from(own);
            let wanted = self.types.vector(scalar, own);
            parts.push(self.coerce(value, wanted, *span, "the component has the type")?);
        }
        if count != usize::from(width) {
            let name = self.types.name(ty);
            let message = format!("`{name}` has {width} components, and here are {count}");
            self.wrong(DiagnosticCode::WgslArguments, at, message);
            return None;
        }
        Some(self.composite(ty, &parts))
    }

    /// A matrix of columns, or of scalars.
    fn columns(
        &mut self,
        ty: Type,
        scalar: Scalar,
        [columns, rows]: [u8; 2],
        values: &[(Value, Span)],
        at: Span,
    ) -> Option<Value> {
        let widths: Vec<Option<u8>> =
            values.iter().map(|(value, _)| self.types.width(value.ty)).collect();
        let column = self.types.vector(scalar, rows);
        let is_columns =
            values.len() == usize::from(columns) && widths.iter().all(|&width| width == Some(rows));
        let is_scalars = values.len() == usize::from(columns) * usize::from(rows)
            && widths.iter().all(|&width| width == Some(1));
        let wanted = match (is_columns, is_scalars) {
            (true, _) => column,
            (_, true) => self.types.scalar_type(scalar),
            _ => return self.wrong_constructor(ty, values, at),
        };
        let mut parts = Vec::new();
        for (value, span) in values {
            parts.push(self.coerce(value, wanted, *span, "the component has the type")?);
        }
        if is_columns {
            return Some(self.composite(ty, &parts));
        }
        if is_active(Mutant::RowsForColumns) && columns == rows {
            let width = usize::from(rows);
            parts =
                (0..parts.len()).map(|k| parts[k % width * width + k / width].clone()).collect();
        }
        let columns: Vec<Value> =
            parts.chunks(rows.into()).map(|parts| self.composite(column, parts)).collect();
        Some(self.composite(ty, &columns))
    }

    /// An array or a structure of its parts.
    fn of_parts(&mut self, ty: Type, values: &[(Value, Span)], at: Span) -> Option<Value> {
        let count = self.types.parts(ty);
        if count != values.len() {
            let name = self.type_name(ty);
            let message = format!("{name} has {count} parts, and here are {}", values.len());
            self.wrong(DiagnosticCode::WgslArguments, at, message);
            return None;
        }
        let mut parts = Vec::new();
        for (k, (value, span)) in values.iter().enumerate() {
            let part = self.types.part(ty, k);
            parts.push(self.coerce(value, part, *span, "the part has the type")?);
        }
        if parts.len() > OPERANDS {
            let message = format!("a list has at most {OPERANDS} elements");
            self.wrong(DiagnosticCode::WgslTooLarge, at, message);
            return None;
        }
        if !self.spend(self.types.facts(ty).words, at) {
            return None;
        }
        Some(self.composite(ty, &parts))
    }

    /// A composite of parts of the right types; those of a vector may be vectors.
    pub(super) fn composite(&mut self, ty: Type, parts: &[Value]) -> Value {
        if parts.iter().all(|part| part.constant.is_some()) {
            let constants = parts.iter().filter_map(|part| part.constant.as_ref());
            let all: Vec<Constant> = match self.types.kind(ty) {
                Kind::Vector(..) => constants.flat_map(scalars).collect(),
                _ => constants.cloned().collect(),
            };
            return Value::constant(ty, Constant::composite(all));
        }
        let ids: Vec<u32> = parts.iter().map(|part| self.id(part)).collect();
        self.compute(Op::CompositeConstruct, ty, &ids)
    }

    /// `vec3(…)`, `array(…)`: the component type is that of the arguments.
    pub(super) fn construct_inferred(
        &mut self,
        generator: Generator,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        let values = self.values(arguments)?;
        if generator == Generator::Array {
            let Some((first, _)) = values.first() else {
                let message = "the type of an array without elements is unknown";
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                self.help("write `array<f32, 4>()`");
                return None;
            };
            let mut common = first.ty;
            for (value, span) in &values {
                if self.fits(common, value.ty) {
                    common = value.ty;
                } else if !self.fits(value.ty, common) {
                    let [a, b] = [common, value.ty].map(|ty| self.type_name(ty));
                    let message =
                        format!("the elements of an array have one type: {a}, and this is {b}");
                    self.wrong(DiagnosticCode::WgslTypes, *span, message);
                    return None;
                }
            }
            let ty = self.array_type(common, Length::Known(values.len() as u32), at)?;
            if self.types.facts(ty).words > u64::from(WORDS) {
                let message = format!("the array has more than {WORDS} words");
                self.wrong(DiagnosticCode::WgslTooLarge, at, message);
                return None;
            }
            return self.of_parts(ty, &values, at);
        }
        let mut common = Scalar::AbstractInt;
        for (k, (value, span)) in values.iter().enumerate() {
            let Some(own) = self.types.scalar(value.ty) else {
                let found = self.type_name(value.ty);
                let message = format!("a component is a scalar or vector, and this is {found}");
                self.wrong(DiagnosticCode::WgslArguments, *span, message);
                return None;
            };
            // The first argument is met by itself: a bool fits nothing else.
            common = match (k == 0, common.rank(own), own.rank(common)) {
                (true, ..) | (_, Some(_), _) => own,
                (_, _, Some(_)) => common,
                _ => {
                    let found = self.type_name(value.ty);
                    let message = format!("the components have one type, and this one is {found}");
                    self.wrong(DiagnosticCode::WgslTypes, *span, message);
                    return None;
                }
            };
        }
        let ty = match generator {
            Generator::Vector(width) => self.types.vector(common, width),
            Generator::Matrix(columns, rows) => {
                let scalar = match common {
                    Scalar::AbstractInt => Scalar::AbstractFloat,
                    scalar => scalar,
                };
                if !scalar.is_float() {
                    let message = "the components of a matrix are `f32`";
                    self.wrong(DiagnosticCode::WgslTypes, at, message);
                    return None;
                }
                self.types.matrix(scalar, columns, rows)
            }
            Generator::Array => return None,
        };
        let arguments =
            values.into_iter().map(|(value, span)| (Operand::Value(value), span)).collect();
        self.construct(ty, arguments, at)
    }
}
