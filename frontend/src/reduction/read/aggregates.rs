//! Forms that make and access aggregates.

use super::{Meaning, Read, Reader, Task};
use crate::reduction::fault::SourceFault;
use crate::reduction::operate::Data;
use crate::reduction::text::{Arm, Constructor, Form, Primitive};
use crate::syntax::ExprId;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use std::sync::Arc;

impl<'t> Reader<'t> {
    /// The constructor that a pattern names.
    pub(super) fn pattern(&self, id: ExprId) -> Option<Arc<Constructor>> {
        match self.meaning(self.name(id)?)? {
            Meaning::Text(text) => match &self.texts.get(text).form {
                Form::Constructor(constructor) | Form::Constant(constructor) => {
                    Some(Arc::clone(constructor))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `(case e ((CASE x …) body) … [(else body)])`
    pub(super) fn case(&mut self, span: Span, scrutinee: ExprId, arms: &'t [ExprId]) -> Read<()> {
        let (mut all, mut tasks) = (Vec::new(), vec![Task::Read(scrutinee)]);
        let mut parts = vec![self.tree.get(scrutinee).span];
        for &arm in arms {
            let Some(&[pattern, body]) = self.list(arm) else {
                return self.unexpected(arm, "a malformed arm");
            };
            parts.push(self.tree.get(body).span);
            if self.name(pattern) == Some("else") {
                all.push(Arm { constructor: None, first: self.texts.new_variables(0) });
                tasks.push(Task::Read(body));
                continue;
            }
            let pattern = self.list(pattern).and_then(<[_]>::split_first);
            let constructor = pattern.and_then(|(&case, _)| self.pattern(case));
            let (Some((_, fields)), Some(constructor)) = (pattern, constructor) else {
                return self.unexpected(arm, "a malformed pattern");
            };
            if fields.len() != constructor.fields.len() {
                return self.unexpected(arm, "a pattern with another number of fields");
            }
            let first = self.texts.new_variables(fields.len());
            all.push(Arm { constructor: Some(constructor), first });
            let mut names = Vec::new();
            for (variable, &field) in (first..).zip(fields) {
                match self.name(field) {
                    Some("_") => {}
                    Some(name) => {
                        self.names.set_variable(variable, self.tree.get(field).span);
                        names.push((name, Meaning::Variable(variable)));
                    }
                    None => return self.unexpected(field, "not a name"),
                }
            }
            tasks.extend([Task::Bind(names.clone()), Task::Read(body), Task::Unbind(names)]);
        }
        let children = 1 + all.len();
        tasks.push(Task::Build { form: Form::Case(all.into()), span, children });
        tasks.push(Task::Parts(parts.into()));
        self.schedule(tasks);
        Ok(())
    }

    /// `(with s (f e) …)`
    pub(super) fn with(&mut self, span: Span, structure: ExprId, fields: &[ExprId]) -> Read<()> {
        let (mut names, mut children) = (Vec::new(), vec![structure]);
        for &field in fields {
            let (name, value) = self.field(field)?;
            let Some(value) = value else { return self.unexpected(field, "a malformed field") };
            names.push(name.into());
            children.push(value);
        }
        self.build(Form::With(names.into()), &children, span);
        Ok(())
    }

    /// `(let ((f function)) (array (f 0i) …))`
    pub(super) fn tabulate(&mut self, span: Span, count: u32) -> Read<()> {
        let Some(function) = self.results.pop() else {
            return Err(SourceFault::Unexpected(span, "nothing was read"));
        };
        let variable = self.texts.new_variables(1);
        let texts = &mut *self.texts;
        let mut parts = vec![texts.push(Form::Primitive(Primitive::Array), &[], span, None)?];
        for index in 0..count {
            let callee = texts.push(Form::Variable(variable), &[], span, None)?;
            let index = Form::Data(Data { ty: Type::INT, words: [index].into() });
            let index = texts.push(index, &[], span, None)?;
            parts.push(texts.push(Form::Apply, &[callee, index], span, None)?);
        }
        let array = texts.push(Form::Apply, &parts, span, None)?;
        let text = texts.push(Form::Let(variable), &[function, array], span, None)?;
        self.results.push(text);
        Ok(())
    }
}
