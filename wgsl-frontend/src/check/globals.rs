//! Declarations outside of functions: constants, overrides, types, assertions.

use super::attributes::OUTSIDE;
use super::checker::{Checker, Override};
use super::values::{Operand, Symbol, Value};
use crate::const_eval::Constant;
use crate::syntax::tree::{Attribute, Expression, Field, Global, Item};
use crate::types::{Kind, Member, Struct, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::source::Span;
use lambdav_spirv::build::round_up;
use rustc_hash::FxHashMap;

impl Checker<'_> {
    /// Checks a declaration.
    pub(super) fn global(&mut self, number: usize) {
        let global = &self.set.unit.globals[number];
        self.current = number;
        let symbol = match &global.what {
            Item::Const { ty, value } => {
                self.check_attributes(&global.attributes, &[], "a constant");
                let what = "the constant has the type";
                let found = self.without_overrides(|own| own.initial(*ty, *value, what));
                found.and_then(|value| self.constant_only(value, global.at))
            }
            Item::Override { ty, value } => self.override_value(number, global, *ty, *value),
            Item::Variable(variable) => self.global_variable(global, variable),
            Item::Alias(ty) => match self.type_of(*ty) {
                Types::ERROR => None,
                ty => Some(Symbol::Type(ty)),
            },
            Item::Structure(members) => self.structure(number, global, members),
            Item::Function(function) => self.function(number, global, function),
            Item::Assert(value) => {
                self.assertion(*value);
                None
            }
            Item::Expression(value) => {
                self.expectation(*value);
                None
            }
        };
        if self.symbols[number].is_none() {
            self.symbols[number] = Some(symbol.unwrap_or(Symbol::Error));
        }
    }

    fn constant_only(&mut self, value: Value, at: Span) -> Option<Symbol> {
        if value.constant.is_none() {
            self.not_constant(at, "its value");
            return None;
        }
        Some(Symbol::Value(value))
    }

    /// The value of a declaration with an optional type.
    pub(super) fn initial(
        &mut self,
        ty: Option<Expression>,
        value: Expression,
        what: &str,
    ) -> Option<Value> {
        let wanted = ty.map(|ty| self.type_of(ty));
        let operand = self.expression(value);
        let found = self.value_of(operand, value.span)?;
        match wanted {
            Some(wanted) => self.coerce(&found, wanted, value.span, what),
            None => Some(found),
        }
    }

    /// `const_assert`
    pub(super) fn assertion(&mut self, value: Expression) {
        let operand = self.without_overrides(|own| own.expression(value));
        let Some(found) = self.value_of(operand, value.span) else { return };
        if found.ty != Types::BOOL {
            let name = self.type_name(found.ty);
            let message = format!("an assertion is a `bool`, and this is {name}");
            self.wrong(DiagnosticCode::WgslTypes, value.span, message);
            return;
        }
        match found.constant {
            Some(Constant::Word(0)) => {
                self.wrong(DiagnosticCode::WgslConstant, value.span, "the assertion does not hold");
            }
            Some(_) => {}
            None => self.not_constant(value.span, "this condition"),
        }
    }

    fn override_value(
        &mut self,
        number: usize,
        global: &Global,
        ty: Option<Expression>,
        value: Option<Expression>,
    ) -> Option<Symbol> {
        self.check_attributes(&global.attributes, &["id"], "an override");
        let id = self.numbered(&global.attributes, "id");
        let name = global.name.map_or("", |name| self.text(name)).to_owned();
        let wanted = ty.map(|ty| self.type_of(ty));
        let default = match value {
            Some(value) => {
                let operand = self.expression(value);
                Some((self.value_of(operand, value.span)?, value.span))
            }
            None => None,
        };
        let ty = match (wanted, &default) {
            (Some(Types::ERROR), _) => return None,
            (Some(ty), _) => ty,
            (None, Some((value, _))) => self.types.concrete(value.ty),
            (None, None) => {
                let message = "an override has a type or a value";
                self.wrong(DiagnosticCode::WgslSyntax, global.at, message);
                return None;
            }
        };
        let Kind::Scalar(_) = self.types.kind(ty) else {
            let found = self.type_name(ty);
            let message = format!("an override is a scalar, not {found}");
            self.wrong(DiagnosticCode::WgslTypes, global.at, message);
            return None;
        };
        let given = self
            .set
            .overrides
            .iter()
            .find(|(key, _)| *key == name || id.is_some_and(|id| key.parse() == Ok(id)));
        let default = match default {
            Some((value, at)) => {
                let value = self.coerce(&value, ty, at, "the override has the type")?;
                if value.constant.is_none() {
                    self.not_constant(at, "its value");
                    return None;
                }
                Some(value)
            }
            None => None,
        };
        let value = match given {
            Some((_, bits)) => Some(Value::constant(ty, Constant::Word(*bits))),
            None => default,
        };
        let bits = value.as_ref().and_then(|value| value.constant.as_ref()?.word());
        let own = Override { name, id, ty: self.types.name(ty), bits };
        self.overrides.push(own);
        if value.is_none() {
            self.missing.insert(number, ty);
        }
        value.map(Symbol::Value)
    }

    fn structure(&mut self, number: usize, global: &Global, fields: &[Field]) -> Option<Symbol> {
        self.check_attributes(&global.attributes, &[], "a structure");
        let name = self.text(global.name?).to_owned();
        if fields.is_empty() {
            let message = format!("the structure {} has no members", quote(&name));
            self.wrong(DiagnosticCode::WgslTypes, global.at, message);
            return None;
        }
        let mut members: Vec<Member> = Vec::new();
        let mut known = FxHashMap::default();
        let (mut end, mut most) = (0_u32, 1_u32);
        let mut is_wrong = false;
        for (k, field) in fields.iter().enumerate() {
            let mut allowed = OUTSIDE.to_vec();
            allowed.extend(["size", "align"]);
            self.check_attributes(&field.attributes, &allowed, "a member");
            if let Some(before) = known.insert(field.name, field.at) {
                let message = format!("{} is declared twice", quote(self.text(field.name)));
                self.wrong(DiagnosticCode::WgslRedeclared, field.at, message);
                self.also(before, "declared here before");
                is_wrong = true;
            }
            let ty = self.type_of(field.ty);
            if ty == Types::ERROR {
                is_wrong = true;
                continue;
            }
            let facts = self.types.facts(ty);
            let is_data = facts.is_constructible || facts.has_atomics || facts.is_open;
            if !is_data || (facts.is_open && k + 1 != fields.len()) {
                let found = self.type_name(ty);
                let message = match facts.is_open {
                    true => "an array without a length is the last member only".to_owned(),
                    false => format!("a structure has no members of type {found}"),
                };
                self.wrong(DiagnosticCode::WgslTypes, field.ty.span, message);
                is_wrong = true;
                continue;
            }
            let (size, align) = self.placed(&field.attributes, facts.size, facts.align);
            let offset = round_up(end, align);
            end = offset.saturating_add(size);
            most = most.max(align);
            members.push(Member { name: field.name, ty, offset });
        }
        if is_wrong {
            return None;
        }
        let structure =
            Struct { name, members, size: round_up(end, most), align: most, concrete: None };
        let ty = self.types.structure(structure);
        if self.types.is_too_deep(ty) {
            let message = "structures and arrays are nested too deep";
            self.wrong(DiagnosticCode::WgslTooLarge, global.at, message);
            return None;
        }
        if let Kind::Struct(own) = self.types.kind(ty) {
            self.declarations.insert(own, number);
            let names = fields.iter().enumerate().map(|(k, field)| ((own, field.name), k));
            self.members.extend(names);
        }
        Some(Symbol::Type(ty))
    }

    /// Size and alignment of a member, by its attributes.
    fn placed(&mut self, attributes: &[Attribute], size: u32, align: u32) -> (u32, u32) {
        let (mut placed, mut aligned) = (size, align);
        if let Some(of) = self.attribute(attributes, "size")
            && let Some(number) = self.attribute_number(of)
        {
            if number < size {
                let message = format!("the member takes {size} bytes, and `@size` says {number}");
                self.wrong(DiagnosticCode::WgslAttribute, of.span, message);
            }
            placed = number.max(size);
        }
        if let Some(of) = self.attribute(attributes, "align")
            && let Some(number) = self.attribute_number(of)
        {
            if !number.is_power_of_two() || number < align {
                let message = format!("`@align` is a power of two from {align} on");
                self.wrong(DiagnosticCode::WgslAttribute, of.span, message);
            } else {
                aligned = number;
            }
        }
        (placed, aligned)
    }

    /// An integer that is known before the program runs.
    pub(super) fn constant_integer(&mut self, operand: Operand, at: Span) -> Option<i64> {
        let value = self.value_of(operand, at)?;
        let number = match (&value.constant, self.types.kind(value.ty)) {
            (Some(constant), Kind::Scalar(scalar)) if scalar.is_integer() => {
                constant.integer(scalar)
            }
            (None, Kind::Scalar(scalar)) if scalar.is_integer() => {
                self.not_constant(at, "this value");
                return None;
            }
            _ => None,
        };
        if number.is_none() {
            let found = self.type_name(value.ty);
            let message = format!("an integer is needed here, and this is {found}");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
        }
        number
    }
}
