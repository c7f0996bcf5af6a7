//! Declarations of types.

use super::super::line::{Line, Reading, malformed, type_number};
use super::super::names::is_digits;
use super::Reader;
use crate::source::Span;
use crate::types::{Case, Field, Structure, Variant};

impl Reader {
    /// Takes the declaration of a type, whose first word is taken.
    pub(super) fn declared_type(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let number = line.take();
        let Some(index) = type_number(number.text) else {
            let message = format!("{} is not the number of a type", number.name());
            return Err(malformed(number.span, message).help("types are `#0`, `#1`, …").into());
        };
        line.expect("=")?;
        let word = line.take();
        let made = match word.text {
            "struct" => {
                let name = line.string()?.into();
                let structure = Structure { name, fields: self.fields(line)? };
                line.end()?;
                self.core.graph.types_mut().add_structure(structure)
            }
            "variant" => {
                let name = line.string()?.into();
                line.expect("(")?;
                let cases = line.list(|line| {
                    let name = line.string()?.into();
                    Ok(Case { name, fields: self.fields(line)? })
                })?;
                line.expect(")")?;
                line.end()?;
                if cases.is_empty() {
                    let message = "a variant has at least one case";
                    return Err(malformed(line.span_from(word.span), message).into());
                }
                self.core.graph.types_mut().add_variant(Variant { name, cases: cases.into() })
            }
            "array" => {
                let token = line.take();
                let count = token.text.parse().ok().filter(|_| is_digits(token.text));
                let Some(count @ 1..) = count else {
                    let message = format!("{} is not a number of elements", token.name());
                    return Err(malformed(token.span, message).into());
                };
                let element = line.ty(&self.types)?;
                line.end()?;
                self.core.graph.types_mut().add_array(element, count)
            }
            _ => {
                let message = format!("{} makes no type", word.name());
                return Err(malformed(word.span, message)
                    .help("types are made with `struct`, `variant` and `array`")
                    .into());
            }
        };
        let ty = made.map_err(|limit| malformed(line.span_from(first), limit.to_string()))?;
        self.check_root(first, "a type")?;
        if self.types.contains_key(&index) {
            let message = format!("{} is declared a second time", number.name());
            return Err(malformed(number.span, message).into());
        }
        self.types.insert(index, Some(ty));
        Ok(())
    }

    fn fields(&self, line: &mut Line<'_>) -> Reading<Box<[Field]>> {
        line.expect("(")?;
        let fields = line.list(|line| {
            let is_generic = line.accept("generic");
            let name = line.string()?.into();
            line.expect(":")?;
            Ok(Field { name, ty: line.ty(&self.types)?, is_generic })
        })?;
        line.expect(")")?;
        Ok(fields.into())
    }
}
