//! Declarations of structures and variants, and type expressions.

use super::{Meaning, Read, Reader};
use crate::reduction::fault::SourceFault;
use crate::reduction::shape::Shape;
use crate::reduction::text::{Constructor, Form};
use crate::syntax::{ExprId, ExprKind};
use crate::texture_options::{Word, set};
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::Type;
use std::sync::Arc;

impl<'t> Reader<'t> {
    /// The shape of a type; `None` for an incomplete type or a variant.
    pub(super) fn shape(&self, id: ExprId) -> Read<Option<Shape>> {
        let (mut at, mut counts) = (id, Vec::new());
        while let Some(list) = self.list(at) {
            let &[head, count, element] = list else { return self.unexpected(at, "not a type") };
            match (self.name(head), &self.tree.get(count).kind) {
                (Some("array"), &ExprKind::Number { index: Some(count), .. }) if count > 0 => {
                    counts.push(count);
                    at = element;
                }
                _ => return self.unexpected(at, "not a type"),
            }
        }
        let Some(name) = self.name(at) else { return self.unexpected(at, "not a type") };
        let innermost = match (self.types.get(name), Type::from_name(name)) {
            (Some(declared), _) => declared.clone(),
            (None, Some(ty)) => Some(Shape::Builtin(ty)),
            (None, None) => return self.unexpected(at, "not a type"),
        };
        let nested = |inner: Shape, &count: &u32| Shape::Array(count, Arc::new(inner));
        let shape = innermost.map(|shape| counts.iter().rev().fold(shape, nested));
        match shape.as_ref().map(Shape::depth) {
            Some(None) => Err(SourceFault::Limit("types inside types")),
            _ => Ok(shape),
        }
    }

    /// The type of an annotation, if it is builtin.
    pub(super) fn annotation(&self, id: ExprId) -> Read<Option<Type>> {
        match self.shape(id)? {
            Some(Shape::Builtin(ty)) => Ok(Some(ty)),
            _ => Ok(None),
        }
    }

    /// The options of a texture, already checked by the compiler.
    pub(super) fn texture_options(&self, parts: &[ExprId]) -> TextureOptions {
        let mut options = TextureOptions::default();
        for &part in parts {
            let list = self.list(part);
            let words = list.unwrap_or(std::slice::from_ref(&part));
            let words: Vec<Word<'_>> =
                words.iter().map(|&word| self.tree.get(word).into()).collect();
            // The compiler has accepted it.
            let _ = set(&mut options, &words, list.is_some());
        }
        options
    }

    pub(super) fn declare(&mut self, name: ExprId, shape: Option<Shape>) -> Read<()> {
        match self.name(name) {
            Some(name) => {
                self.types.insert(name, shape);
                self.declarations += 1;
                Ok(())
            }
            None => self.unexpected(name, "not a name"),
        }
    }

    /// Collects the field names of all structures.
    pub(super) fn find_fields(&mut self) {
        for &root in &self.tree.roots {
            let Some(&[head, _, ref fields @ ..]) = self.list(root) else { continue };
            if self.name(head) == Some("struct") {
                let names = fields.iter().map(|&field| {
                    self.name(self.list(field).and_then(<[_]>::first).copied().unwrap_or(field))
                });
                let names: Vec<&str> = names.flatten().collect();
                self.fields.extend(names);
            }
        }
    }

    /// The name of a field, and its type if it has one.
    pub(super) fn field(&self, id: ExprId) -> Read<(Box<str>, Option<ExprId>)> {
        let (name, ty) = match self.list(id) {
            Some(&[name, ty]) => (name, Some(ty)),
            _ => (id, None),
        };
        match self.name(name) {
            Some(name) => Ok((name.into(), ty)),
            None => self.unexpected(id, "not a field"),
        }
    }

    pub(super) fn constructor(
        &mut self,
        name: ExprId,
        constructor: Arc<Constructor>,
        is_case: bool,
    ) -> Read<()> {
        let form = match is_case && constructor.fields.is_empty() {
            true => Form::Constant(constructor),
            false => Form::Constructor(constructor),
        };
        let text = self.texts.push(form, &[], self.tree.get(name).span, None)?;
        self.define_as(name, Meaning::Text(text))
    }

    pub(super) fn structure(&mut self, name: ExprId, fields: &[ExprId]) -> Read<()> {
        let (mut names, mut types, mut shapes) = (Vec::new(), Vec::new(), Some(Vec::new()));
        for &field in fields {
            let (field, ty) = self.field(field)?;
            names.push(field);
            types.push(ty.map(|ty| self.annotation(ty)).transpose()?);
            let shape = ty.map(|ty| self.shape(ty)).transpose()?.flatten();
            shapes = shapes.zip(shape).map(|(mut all, shape)| {
                all.push(shape);
                all
            });
        }
        let (declaration, fields, types) = (self.declarations, names.into(), types.into());
        let called = self.name(name).unwrap_or_default().into();
        let constructor =
            Arc::new(Constructor { name: called, declaration, case: 0, fields, types });
        let shape = shapes.map(|all| Shape::structure(&constructor, all));
        self.declare(name, shape)?;
        self.constructor(name, constructor, false)
    }

    pub(super) fn variant(&mut self, name: ExprId, cases: &[ExprId]) -> Read<()> {
        let declaration = self.declarations;
        self.declare(name, None)?;
        for (case, &id) in (0..).zip(cases) {
            let Some((&name, fields)) = self.list(id).and_then(<[_]>::split_first) else {
                return self.unexpected(id, "not a case");
            };
            let (mut names, mut types) = (Vec::new(), Vec::new());
            for &field in fields {
                let (name, ty) = self.field(field)?;
                names.push(name);
                types.push(ty.map(|ty| self.annotation(ty)).transpose()?);
            }
            let (fields, types) = (names.into(), types.into());
            let called = self.name(name).unwrap_or_default().into();
            let constructor = Constructor { name: called, declaration, case, fields, types };
            self.constructor(name, Arc::new(constructor), true)?;
        }
        Ok(())
    }
}
