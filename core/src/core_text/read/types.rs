//! Declarations of types.

use super::super::line::{Line, Reading, Token, malformed, type_number};
use super::super::names::is_digits;
use super::Reader;
use crate::diagnostics::quote;
use crate::sampler::{Border, Compare};
use crate::source::Span;
use crate::texture::{Filter, Number, Texels, TextureKind, TextureOptions, Wrap};
use crate::types::{Case, Field, Resource, ResourceKind, Structure, Type, Types, Variant};
use std::sync::Arc;

impl Reader {
    /// Takes the declaration of a type; its first word is already taken.
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
            word @ ("texture" | "buffer") => {
                let at = line.peek().span;
                let name: Arc<str> = line.string()?.into();
                let kind = match word {
                    "texture" => ResourceKind::Texture(options(line, self.core.graph.types())?),
                    _ => ResourceKind::Buffer(self.element(line)?),
                };
                line.end()?;
                let types = self.core.graph.types_mut();
                if types.resources().iter().any(|resource| resource.name == name) {
                    let message = format!("a second resource named {}", quote(&name));
                    return Err(malformed(at, message).into());
                }
                Ok(types.add_resource(Resource { name, kind }))
            }
            word @ ("memory" | "workgroup") => self.memory(word, line, first)?,
            _ => {
                let message = format!("{} makes no type", word.name());
                return Err(malformed(word.span, message)
                    .help(
                        "types are made with `struct`, `variant`, `array`, `texture`, `buffer`, `memory` and `workgroup`",
                    )
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

    /// The type of a buffer's elements.
    fn element(&self, line: &mut Line<'_>) -> Reading<Type> {
        let token = line.peek();
        let ty = line.ty(&self.types)?;
        if !self.core.graph.types().fits_element(ty) {
            let message = format!("{} is no type of a buffer's elements", token.name());
            return Err(malformed(token.span, message).into());
        }
        Ok(ty)
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

/// Takes the options of a texture.
fn options(line: &mut Line<'_>, types: &Types) -> Reading<TextureOptions> {
    let wrong = |token: Token<'_>, what: &str| {
        let message = format!("{} is no way to {what} a texture", token.name());
        malformed(token.span, message)
    };
    let kinds = TextureKind::ALL.into_iter().filter(|kind| kind.has_planes());
    let kind = kinds.into_iter().find(|kind| line.accept(kind.name())).unwrap_or_default();
    let token = line.take();
    let filter = Filter::from_name(token.text)
        .ok_or_else(|| wrong(token, "filter").help("these are `nearest` and `linear`"))?;
    let mut wraps = Vec::new();
    while wraps.len() < kind.wrapped_axes().max(1)
        && let Some(&wrap) = Wrap::ALL.iter().find(|wrap| line.accept(wrap.name()))
    {
        wraps.push(wrap);
    }
    let wrap = TextureOptions::wraps(&wraps).ok_or_else(|| {
        let help = "these are `clamp`, `repeat`, `mirror`, `mirror-once` and `border`";
        wrong(line.take(), "wrap").help(help)
    })?;
    let border = Border::ALL.iter().find(|of| line.accept(&format!("border-{}", of.word())));
    let border = border.copied().unwrap_or_default();
    let compare = Compare::ALL.iter().find(|of| line.accept(&format!("compare-{}", of.word())));
    let compare = compare.copied();
    let number = |line: &mut Line<'_>| -> Reading<Number> {
        let span = line.peek().span;
        let number = f32::from_bits(line.constant(types, Type::NUM)?[0]);
        match number.is_finite() {
            true => Ok(number.into()),
            false => Err(malformed(span, "a level of detail is finite").into()),
        }
    };
    let bias = if line.accept("bias") { number(line)? } else { Number::default() };
    let limits = match line.accept("levels") {
        true => Some([number(line)?, number(line)?]),
        false => None,
    };
    let [srgb, mipmaps, native] = ["srgb", "mipmaps", "native"].map(|word| line.accept(word));
    let integers = [Texels::Integers, Texels::Unsigned];
    let texels = integers.into_iter().find(|texels| line.accept(texels.name()));
    let texels = texels.unwrap_or_default();
    let options = TextureOptions {
        kind,
        filter,
        wrap,
        border,
        compare,
        bias,
        limits,
        srgb,
        mipmaps,
        texels,
        native,
    };
    match native && !options.fits_device() {
        true => {
            let message = "a device's sampler lacks an option of this texture";
            Err(malformed(line.peek().span, message).into())
        }
        false => Ok(options),
    }
}
