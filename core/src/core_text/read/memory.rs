//! Memories, workgroups and final states.

use super::super::VERSION;
use super::super::line::{Line, Reading, malformed};
use super::super::names::is_digits;
use super::Reader;
use crate::diagnostics::quote;
use crate::graph::{Effect, Node, NodeId};
use crate::limits::{WORKGROUP_INVOCATIONS, WORKGROUP_WORDS};
use crate::memory::MemoryOp;
use crate::op::Op;
use crate::source::Span;
use crate::types::{MemoryKind, Type, TypeLimit};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Reader {
    /// Takes the name of a memory, and the number of words of one of workgroups.
    pub(super) fn memory(
        &mut self,
        word: &str,
        line: &mut Line<'_>,
        first: Span,
    ) -> Reading<Result<Type, TypeLimit>> {
        self.check_version(first)?;
        let at = line.peek().span;
        let name: Arc<str> = line.string()?.into();
        let kind = match word {
            "memory" => MemoryKind::Storage,
            _ => MemoryKind::Workgroup(number(line, WORKGROUP_WORDS, "words")?),
        };
        line.end()?;
        let types = self.core.graph.types_mut();
        if types.resources().iter().any(|resource| resource.name == name) {
            let message = format!("a second resource named {}", quote(&name));
            return Err(malformed(at, message).into());
        }
        Ok(types.add_memory(name, kind))
    }

    pub(super) fn workgroup_size(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        self.check_version(first)?;
        let mut size = [0; 3];
        for count in &mut size {
            *count = number(line, WORKGROUP_INVOCATIONS, "invocations")?;
        }
        line.end()?;
        self.check_root(first, "`workgroup-size`")?;
        if size.iter().product::<u32>() > WORKGROUP_INVOCATIONS {
            let message = format!("a workgroup has at most {WORKGROUP_INVOCATIONS} invocations");
            return Err(malformed(line.span_from(first), message).into());
        }
        if self.core.workgroup.replace(size).is_some() {
            return Err(malformed(first, "there is a `workgroup-size` already").into());
        }
        Ok(())
    }

    pub(super) fn effect(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let (node, ty) = self.operand(line)?;
        line.end()?;
        self.check_root(first, "a final state")?;
        let span = line.span_from(first);
        if self.core.graph.types().memory(ty).is_none() {
            let message = format!("a final state is one of a memory, not a {}", self.type_name(ty));
            return Err(malformed(span, message).into());
        }
        let graph = &self.core.graph;
        let mut others = self.core.effects.iter();
        if let Some(other) = others.find(|other| graph.value_type(other.node) == ty) {
            let message = "there is a final state of this memory already";
            return Err(malformed(span, message).also(other.span, "here").into());
        }
        self.core.effects.push(Effect { node, span });
        Ok(())
    }

    /// Checks that the program has a result, and a compute program all its parts.
    pub(super) fn results(&self, end: Span) -> Reading<()> {
        let has_passes = !self.passes.all.passes.is_empty();
        if self.core.outputs.is_empty() && self.core.effects.is_empty() && !has_passes {
            let diagnostic = malformed(end, "the program has no output");
            let help = match self.has_memory {
                true => "add `output 0 = %…` or `effect %…`",
                false => "add `output 0 = %…`",
            };
            return Err(diagnostic.help(help).into());
        }
        let effect = self.core.effects.first().map(|effect| effect.span);
        match (self.core.workgroup, self.core.outputs.first(), effect.or(self.invocation)) {
            (None, _, Some(span)) => {
                let diagnostic = malformed(span, "only a program with workgroups has this");
                Err(diagnostic.help("add `workgroup-size 1 1 1`").into())
            }
            (Some(_), Some(output), _) => {
                Err(malformed(output.span, "a program with workgroups has no outputs").into())
            }
            (Some(_), None, _) if self.triangles.first.is_some() => {
                let span = self.triangles.first.unwrap_or(end);
                Err(malformed(span, "a program with workgroups draws no triangles").into())
            }
            _ => self.all_effects(),
        }
    }

    /// Checks that each memory that is changed has a final state.
    fn all_effects(&self) -> Reading<()> {
        let graph = &self.core.graph;
        let finals = self.core.effects.iter().map(|effect| graph.value_type(effect.node));
        let finals: FxHashSet<Type> = finals.collect();
        for id in (0..graph.len() as u32).map(NodeId) {
            if let Node::Op(Op::Memory(MemoryOp::Store | MemoryOp::Atomic(..)), operands) =
                graph.node(id)
                && !finals.contains(&graph.value_type(operands[0]))
            {
                let memory = self.type_name(graph.value_type(operands[0]));
                let message = format!("the final state of the {memory} is not given");
                let diagnostic = malformed(graph.span(id), message).label("this changes it");
                return Err(diagnostic.help("add `effect %…` with its last state").into());
            }
        }
        Ok(())
    }

    pub(super) fn check_version(&self, first: Span) -> Reading<()> {
        if self.has_memory {
            return Ok(());
        }
        let message = format!("memories are part of version {VERSION} of core text");
        Err(malformed(first, message).into())
    }
}

/// Takes a number from 1 to `most`.
pub(super) fn number(line: &mut Line<'_>, most: u32, what: &str) -> Reading<u32> {
    let token = line.take();
    let found = token.text.parse().ok().filter(|_| is_digits(token.text));
    found.filter(|found| (1..=most).contains(found)).ok_or_else(|| {
        let message = format!("{} is no number of {what} from 1 to {most}", token.name());
        malformed(token.span, message).into()
    })
}
