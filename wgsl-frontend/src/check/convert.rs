//! Conversions: automatic ones of numbers without a type, and explicit ones.

use super::checker::Checker;
use super::values::Value;
use crate::const_eval::{Constant, Fault, converted, zip};
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

impl Checker<'_> {
    /// True if values of type `from` become `to` by themselves.
    pub(super) fn fits(&self, from: Type, to: Type) -> bool {
        let (mut from, mut to) = (from, to);
        loop {
            if from == to {
                return true;
            }
            match (self.types.kind(from), self.types.kind(to)) {
                (Kind::Scalar(a), Kind::Scalar(b)) => return a.rank(b).is_some(),
                (Kind::Vector(a, n), Kind::Vector(b, m)) => return n == m && a.rank(b).is_some(),
                (Kind::Matrix(a, c, r), Kind::Matrix(b, d, s)) => {
                    return (c, r) == (d, s) && a.rank(b).is_some();
                }
                (Kind::Array(a, n), Kind::Array(b, m)) if n == m => (from, to) = (a, b),
                (Kind::Struct(number), _) => {
                    return self.types.structs[number as usize].concrete == Some(to);
                }
                _ => return false,
            }
        }
    }

    /// Converts a value to the type that is needed, or reports that it does not fit.
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
        if to == Types::ERROR || value.ty == Types::ERROR {
            return None;
        }
        if !self.fits(value.ty, to) {
            let [wanted, found] = [to, value.ty].map(|ty| self.type_name(ty));
            let message = format!("{what} {wanted}, and this is {found}");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            self.conversion_help(value.ty, to);
            return None;
        }
        self.converted_constant(value, to, at)
    }

    /// Help for a type that does not fit.
    fn conversion_help(&mut self, from: Type, to: Type) {
        let [a, b] = [from, to].map(|ty| self.types.width(ty));
        if a.is_some() && a == b {
            let name = self.types.name(to);
            self.help(format!("convert it: `{name}(…)`"));
        } else if matches!((a, b), (Some(1), Some(2..))) {
            let name = self.types.name(to);
            self.help(format!("a scalar in each component is `{name}(…)`"));
        }
    }

    /// A constant of an abstract type as another one of the same shape.
    fn converted_constant(&mut self, value: &Value, to: Type, at: Span) -> Option<Value> {
        let constant = value.constant.as_ref()?;
        let key = match constant {
            Constant::Composite(parts) => Some((parts.as_ptr() as usize, to)),
            _ => None,
        };
        if let Some((_, known)) = key.and_then(|key| self.conversions.get(&key)) {
            return Some(Value::constant(to, known.clone()));
        }
        if !self.spend(self.types.facts(to).words, at) {
            return None;
        }
        let result: Result<Constant, Fault> = match constant {
            Constant::Zero => Ok(Constant::Zero),
            constant => self.converted_parts(constant, value.ty, to),
        };
        if let (Some(key), Constant::Composite(parts), Ok(new)) = (key, constant, &result) {
            self.conversions.insert(key, (parts.clone(), new.clone()));
        }
        self.folded(to, result, at)
    }

    /// A constant of the type `from` as one of the type `to`. Types nest up to a limit.
    fn converted_parts(
        &self,
        constant: &Constant,
        from: Type,
        to: Type,
    ) -> Result<Constant, Fault> {
        match (self.types.kind(from), self.types.kind(to), constant) {
            (_, _, Constant::Zero) => Ok(Constant::Zero),
            (Kind::Array(a, _), Kind::Array(b, _), Constant::Composite(parts)) => {
                let parts = parts.iter().map(|part| self.converted_parts(part, a, b));
                Ok(Constant::composite(parts.collect::<Result<_, _>>()?))
            }
            (Kind::Struct(a), Kind::Struct(b), Constant::Composite(parts)) => {
                let [a, b] = [a, b].map(|number| &self.types.structs[number as usize].members);
                let members = a.iter().zip(b).zip(&**parts);
                let parts = members.map(|((a, b), part)| self.converted_parts(part, a.ty, b.ty));
                Ok(Constant::composite(parts.collect::<Result<_, _>>()?))
            }
            _ => match (self.types.scalar(from), self.types.scalar(to)) {
                (Some(from), Some(to)) => zip(&[constant], &mut |of| match of[0] {
                    Constant::Zero => Ok(Constant::Zero),
                    one => converted(from, to, one),
                }),
                _ => Ok(constant.clone()),
            },
        }
    }

    /// A value of a type that the program can compute with.
    pub(super) fn concrete(&mut self, value: &Value, at: Span) -> Option<Value> {
        let to = self.types.concrete(value.ty);
        self.coerce(value, to, at, "the value has the type")
    }

    /// An explicit conversion of a scalar or vector to one of the same width.
    pub(super) fn convert(&mut self, value: &Value, to: Type, at: Span) -> Option<Value> {
        let (from, scalar) = (self.types.scalar(value.ty)?, self.types.scalar(to)?);
        if value.ty == to {
            return Some(value.clone());
        }
        if let Some(constant) = &value.constant {
            let result = zip(&[constant], &mut |of| converted(from, scalar, of[0]));
            return self.folded(to, result, at);
        }
        let id = self.id(value);
        Some(self.convert_id(id, from, scalar, value.ty, to))
    }

    fn convert_id(&mut self, id: u32, from: Scalar, to: Scalar, old: Type, ty: Type) -> Value {
        let op = match (from, to) {
            (Scalar::Float, Scalar::Int) => Op::ConvertFToS,
            (Scalar::Float, Scalar::Uint) => Op::ConvertFToU,
            (Scalar::Int, Scalar::Float) => Op::ConvertSToF,
            (Scalar::Uint, Scalar::Float) => Op::ConvertUToF,
            (Scalar::Bool, _) => {
                let one = if to == Scalar::Float { 1.0_f32.to_bits() } else { 1 };
                let [yes, no] = [one, 0].map(|word| self.splat_constant(ty, word));
                return self.compute(Op::Select, ty, &[id, yes, no]);
            }
            (_, Scalar::Bool) => {
                let zero = self.splat_constant(old, 0);
                let op = if from == Scalar::Float { Op::FUnordNotEqual } else { Op::INotEqual };
                return self.compute(op, ty, &[id, zero]);
            }
            _ => Op::Bitcast,
        };
        self.compute(op, ty, &[id])
    }

    /// A vector with the scalar in each component.
    pub(super) fn splat(&mut self, value: &Value, width: u8) -> Value {
        let Some(scalar) = self.types.scalar(value.ty) else { return value.clone() };
        let ty = self.types.vector(scalar, width);
        if width == 1 {
            return value.clone();
        }
        if let Some(constant) = &value.constant {
            return Value::constant(ty, Constant::composite(vec![constant.clone(); width.into()]));
        }
        let id = self.id(value);
        self.compute(Op::CompositeConstruct, ty, &vec![id; width.into()])
    }
}
