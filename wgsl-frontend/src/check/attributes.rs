//! Attributes: which belong where, and their numbers.

use super::checker::Checker;
use crate::syntax::tree::{Attribute, Expression};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;

/// Attributes of inputs and outputs.
pub(super) const OUTSIDE: [&str; 5] =
    ["location", "builtin", "interpolate", "invariant", "blend_src"];

impl Checker<'_> {
    /// The attribute of a name.
    pub(super) fn attribute<'t>(&self, all: &'t [Attribute], name: &str) -> Option<&'t Attribute> {
        all.iter().find(|one| self.text(one.name) == name)
    }

    /// Reports attributes that do not belong to `place`, and those that stand twice.
    pub(super) fn check_attributes(&mut self, all: &[Attribute], allowed: &[&str], place: &str) {
        for (k, one) in all.iter().enumerate() {
            let text = self.text(one.name);
            if !allowed.contains(&text) && text != "diagnostic" {
                let message = format!("`@{text}` does not belong to {place}");
                self.wrong(DiagnosticCode::WgslAttribute, one.span, message);
            } else if all[..k].iter().any(|other| other.name == one.name) && text != "diagnostic" {
                let message = format!("`@{text}` stands twice");
                self.wrong(DiagnosticCode::WgslAttribute, one.span, message);
            }
        }
    }

    /// The number of an attribute that has one.
    pub(super) fn attribute_number(&mut self, of: &Attribute) -> Option<u32> {
        let &[argument] = &of.arguments[..] else {
            let text = self.text(of.name);
            let message = format!("`@{text}` has one number");
            self.wrong(DiagnosticCode::WgslAttribute, of.span, message);
            return None;
        };
        self.without_overrides(|own| own.attribute_value(argument))
    }

    /// A number from 0 on.
    pub(super) fn attribute_value(&mut self, argument: Expression) -> Option<u32> {
        let operand = self.expression(argument);
        let number = self.constant_integer(operand, argument.span)?;
        let number = u32::try_from(number).ok().filter(|&number| number <= i32::MAX as u32);
        if number.is_none() {
            let message = "the number of an attribute is not negative";
            self.wrong(DiagnosticCode::WgslAttribute, argument.span, message);
        }
        number
    }

    /// The number of the attribute of a name, if it is there.
    pub(super) fn numbered(&mut self, all: &[Attribute], name: &str) -> Option<u32> {
        let of = self.attribute(all, name)?;
        self.attribute_number(of)
    }

    /// Reports an attribute that lacks.
    pub(super) fn lacks(&mut self, at: Span, message: impl Into<String>) {
        self.wrong(DiagnosticCode::WgslAttribute, at, message);
    }
}
