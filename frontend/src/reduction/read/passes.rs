//! Results and passes, already checked by the compiler.

use super::{Passes, Read, Reader};
use crate::reduction::program::{Length, SourcePass, SourceResult, SourceWrite, Whole};
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::graph::{Combine, Way};
use lambdav_core::source::Span;
use lambdav_core::types::{Resource, ResourceKind, Type, Types};

impl<'t> Reader<'t> {
    /// The number of the buffer of this name.
    fn numbered(&self, passes: &Passes<'t>, id: ExprId) -> Read<usize> {
        let name = self.name(id);
        match passes.named.iter().rev().find(|(of, _)| Some(*of) == name) {
            Some(&(_, number)) => Ok(number),
            None => self.unexpected(id, "not a buffer"),
        }
    }

    /// `(result NAME TYPE N)`, whose buffer has been added as the resource of this number.
    pub(super) fn result(
        &mut self,
        passes: &mut Passes<'t>,
        length: ExprId,
        resource: usize,
        span: Span,
    ) -> Read<()> {
        let length = match &self.tree.get(length).kind {
            &ExprKind::Number { index: Some(count), .. } => Length::Token(count),
            ExprKind::List(list) => match list[..] {
                [_, buffer] => Length::Of(self.numbered(passes, buffer)?),
                _ => return self.unexpected(length, "not a length"),
            },
            _ => Length::Text(self.term(length)?),
        };
        passes.results.push(SourceResult { resource, length, counter: None, span });
        Ok(())
    }

    /// `(pass NAME (size X) form …)`.
    pub(super) fn pass(
        &mut self,
        passes: &mut Passes<'t>,
        name: ExprId,
        size: ExprId,
        forms: &'t [ExprId],
    ) -> Read<()> {
        let size = self.list(size).and_then(<[_]>::split_first).map_or(&[][..], |(_, of)| of);
        let size = size.iter().map(|&size| self.whole(size)).collect::<Read<_>>()?;
        let (mut writes, mut hidden) = (Vec::new(), Vec::new());
        for &form in forms {
            let span = self.tree.get(form).span;
            let list = self.list(form).unwrap_or_default();
            let word = list.first().and_then(|&head| self.name(head));
            match (word, list) {
                (Some("define"), &[_, target, value]) => {
                    let named = self.list(target).and_then(<[_]>::first).copied().unwrap_or(target);
                    let Some(name) = self.name(named) else {
                        return self.unexpected(named, "not a name");
                    };
                    let was_defined = self.defined.contains(name);
                    hidden.push((name, self.scope.get(name).cloned(), was_defined));
                    self.define(target, value)?;
                }
                (Some(word), [_, operands @ ..]) => {
                    writes.push(self.write(passes, form, word, operands, span)?);
                }
                _ => return self.unexpected(form, "not a form of a pass"),
            }
        }
        while let Some((name, meanings, was_defined)) = hidden.pop() {
            match meanings {
                Some(meanings) => self.scope.insert(name, meanings),
                None => self.scope.remove(name),
            };
            if !was_defined {
                self.defined.remove(name);
            }
        }
        let span = self.tree.get(name).span;
        let name = self.name(name).unwrap_or_default().to_owned();
        passes.passes.push(SourcePass { name, span, size, writes });
        Ok(())
    }

    fn whole(&mut self, id: ExprId) -> Read<Whole> {
        match self.tree.get(id).kind {
            ExprKind::Number { index: Some(digits), .. } => Ok(Whole::Token(digits)),
            _ => Ok(Whole::Text(self.term(id)?)),
        }
    }

    fn write(
        &mut self,
        passes: &Passes<'t>,
        form: ExprId,
        word: &str,
        mut operands: &'t [ExprId],
        span: Span,
    ) -> Read<SourceWrite> {
        let mut condition = None;
        if let Some((&last, before)) = operands.split_last()
            && let Some(&[head, of]) = self.list(last)
            && self.name(head) == Some("when")
            && before.len() > 1
        {
            (operands, condition) = (before, Some(self.term(of)?));
        }
        let (target, index, value, way) = match (word, operands) {
            ("append", &[target, value]) => (target, None, value, Some(Way::Append)),
            ("scatter", &[target, index, value]) => {
                (target, Some(index), value, Some(Way::Scatter))
            }
            ("scatter", &[target, index, value, _]) => {
                (target, Some(index), value, Some(Way::Unique))
            }
            ("combine", &[target, index, value, op]) => {
                let combine = self.name(op).and_then(Combine::from_name);
                (target, Some(index), value, combine.map(Way::Combine))
            }
            _ => return self.unexpected(form, "not a form of a pass"),
        };
        let Some(way) = way else { return self.unexpected(form, "not a way to combine") };
        let resource = self.numbered(passes, target)?;
        let index = index.map(|index| self.whole(index)).transpose()?;
        let value = self.term(value)?;
        Ok(SourceWrite { way, resource, index, value, condition, span })
    }

    /// Adds the buffers that count the elements which passes append, after all others.
    pub(super) fn add_counters(passes: &mut Passes<'t>, types: &mut Types) {
        let Passes { results, passes, .. } = passes;
        let writes = || passes.iter().flat_map(|pass| &pass.writes);
        for result in results {
            let is_it = |resource: usize| resource == result.resource;
            if writes().any(|write| write.way == Way::Append && is_it(write.resource)) {
                let name = format!("(count {})", types.resources()[result.resource].name);
                let kind = ResourceKind::Buffer(Type::UINT);
                result.counter = Some(types.resources().len());
                types.add_resource(Resource { name: name.into(), kind });
            }
        }
    }
}
