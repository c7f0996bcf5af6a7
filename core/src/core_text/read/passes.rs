//! Results and passes.

use super::super::line::{Line, Reading, malformed, unknown};
use super::Reader;
use super::memory::number;
use crate::diagnostics::quote;
use crate::graph::{Pass, PassResult, Passes, ResultLength, Way, Write};
use crate::limits::{BUFFER_WORDS, PASSES, WRITE_WORDS};
use crate::source::Span;
use crate::types::{ResourceKind, Scalar, Type};

impl Reader {
    /// Takes the name of a buffer.
    fn buffer_named(&self, line: &mut Line<'_>) -> Reading<(u32, Type)> {
        let span = line.peek().span;
        let name = line.string()?;
        let resources = self.core.graph.types().resources();
        let found = (0..).zip(resources).find(|(_, of)| *of.name == *name);
        match found.map(|(number, of)| (number, of.kind)) {
            Some((number, ResourceKind::Buffer(element))) => Ok((number, element)),
            Some(_) => Err(malformed(span, format!("{} is no buffer", quote(&name))).into()),
            None => {
                let names = resources.iter().map(|of| &*of.name);
                Err(unknown(&name, span, "buffer", names))
            }
        }
    }

    pub(super) fn result(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        self.check_version(first)?;
        self.passes.first.get_or_insert(first);
        let at = line.peek().span;
        let (resource, element) = self.buffer_named(line)?;
        line.expect("length")?;
        let length = match line.accept("of") {
            true => ResultLength::Of(self.buffer_named(line)?.0),
            false => ResultLength::Elements(number(line, BUFFER_WORDS, "elements")?),
        };
        let counter_at = line.peek().span;
        let counter = match line.accept("counter") {
            true => Some(self.buffer_named(line)?),
            false => None,
        };
        line.end()?;
        self.check_root(first, "a result")?;
        let is_taken = |number: u32| self.passes.all.result(number as usize).is_some();
        let is_other = |number: u32| number != resource && !is_taken(number);
        if is_taken(resource) {
            return Err(malformed(at, "the buffer is a result already").into());
        }
        if let ResultLength::Of(buffer) = length
            && !is_other(buffer)
        {
            return Err(malformed(at, "the length is that of a buffer which is no result").into());
        }
        if let Some((counter, ty)) = counter
            && (ty != Type::UINT || !is_other(counter))
        {
            let message = "a counter is a buffer of uints of its own";
            return Err(malformed(counter_at, message).into());
        }
        let types = self.core.graph.types();
        if types.scalars(element).any(|scalar| scalar == Scalar::Bool) {
            let message = format!("a result cannot be of {}", self.type_name(element));
            return Err(malformed(at, message).into());
        }
        let counter = counter.map(|(counter, _)| counter);
        let span = line.span_from(first);
        if self.passes.all.results.len() == PASSES {
            let message = format!("a program has at most {PASSES} results");
            return Err(malformed(span, message).into());
        }
        self.passes.all.results.push(PassResult { resource, length, counter, span });
        Ok(())
    }

    pub(super) fn pass(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        self.check_version(first)?;
        self.passes.first.get_or_insert(first);
        let span = line.peek().span;
        let name = line.string()?;
        let mut size = Vec::new();
        loop {
            let at = line.peek().span;
            let (node, ty) = self.operand(line)?;
            if !matches!(ty, Type::INT | Type::UINT) {
                let message =
                    format!("a number of ids is an int or a uint, not a {}", self.type_name(ty));
                return Err(malformed(at, message).into());
            }
            size.push(node);
            if size.len() == 3 || !line.accept(",") {
                break;
            }
        }
        line.end()?;
        self.check_root(first, "a pass")?;
        if self.passes.all.passes.len() == PASSES {
            let message = format!("a program has at most {PASSES} passes");
            return Err(malformed(span, message).into());
        }
        if self.passes.all.passes.iter().any(|other| other.name == name) {
            let message = format!("there is a pass {} already", quote(&name));
            return Err(malformed(span, message).into());
        }
        self.passes.all.passes.push(Pass {
            name,
            size,
            writes: Vec::new(),
            span: line.span_from(first),
        });
        Ok(())
    }

    pub(super) fn write(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let word = line.take();
        let Some(way) = Way::ALL.into_iter().find(|way| way.name() == word.text) else {
            return Err(unknown(word.text, word.span, "way to write", Way::ALL.map(Way::name)));
        };
        let at = line.peek().span;
        let (resource, element) = self.buffer_named(line)?;
        let index = match way {
            Way::Append => None,
            _ => {
                line.expect("at")?;
                let at = line.peek().span;
                let (index, ty) = self.operand(line)?;
                if !matches!(ty, Type::INT | Type::UINT) {
                    let message =
                        format!("an index is an int or a uint, not a {}", self.type_name(ty));
                    return Err(malformed(at, message).into());
                }
                Some(index)
            }
        };
        line.expect("=")?;
        let value_at = line.peek().span;
        let (value, ty) = self.operand(line)?;
        let mut condition = None;
        if line.accept("when") {
            let at = line.peek().span;
            let (node, ty) = self.operand(line)?;
            if ty != Type::BOOL {
                let message = format!("a condition is a bool, not a {}", self.type_name(ty));
                return Err(malformed(at, message).into());
            }
            condition = Some(node);
        }
        line.end()?;
        self.check_root(first, "a write")?;
        let all = &mut self.passes.all;
        let is_result = all.results.iter().find(|of| of.resource == resource);
        let Some(result) = is_result else {
            return Err(malformed(at, "the buffer is no result").into());
        };
        if way == Way::Append && result.counter.is_none() {
            return Err(malformed(at, "the result has no counter").into());
        }
        if ty != element {
            let wanted = self.type_name(element);
            let message = format!("an element is a {wanted}, not a {}", self.type_name(ty));
            return Err(malformed(value_at, message).into());
        }
        let types = self.core.graph.types();
        if let Way::Combine(combine) = way
            && !combine.fits(types, element)
        {
            let wanted = self.type_name(element);
            let message = format!("{} is not defined on a {wanted}", quote(combine.name()));
            return Err(malformed(at, message).into());
        }
        let Some(pass) = all.passes.last_mut() else {
            return Err(malformed(first, "a write follows its pass").into());
        };
        let differs = |other: &&Write| {
            other.resource == resource
                && other.way != way
                && !(other.way.is_scatter() && way.is_scatter())
        };
        if let Some(other) = pass.writes.iter().find(differs) {
            let message = "the pass writes the buffer in another way already";
            return Err(malformed(at, message).also(other.span, "here").into());
        }
        let span = line.span_from(first);
        self.passes.words += self.core.graph.types().components(element);
        if self.passes.words > WRITE_WORDS {
            let message = format!("the elements of all writes have at most {WRITE_WORDS} words");
            return Err(malformed(span, message).into());
        }
        pass.writes.push(Write { way, resource, index, value, condition, span });
        Ok(())
    }

    /// Adds the passes of a text without errors.
    pub(super) fn finish_passes(&mut self) {
        let pending = std::mem::take(&mut self.passes);
        if let Some(first) = pending.first {
            if self.core.workgroup.is_some() {
                let message = "a program with workgroups has no passes";
                return self.report(malformed(first, message));
            }
            if let Some(pass) = pending.all.beyond_limit(&self.core.graph) {
                let message = "the passes have too many operations together";
                return self.report(malformed(pass.span, message));
            }
            self.core.passes = Some(pending.all.into());
        }
        if pending.id.or(pending.first).is_some()
            && let Some(node) = Passes::misplaced(&self.core)
        {
            let message = "an input that is not one of this pass";
            self.report(malformed(self.core.graph.span(node), message));
        }
    }
}
