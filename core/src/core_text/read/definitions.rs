//! Definitions of values.

use super::super::line::{Line, LineError, Reading, malformed, unknown};
use super::super::names::{operation, operation_names};
use super::triangles::{STAGE_INPUTS, stage_input};
use super::{BlockKind, Definition, OpenBlock, OpenLoop, Reader, State, Wants};
use crate::diagnostics::quote;
use crate::graph::NodeId;
use crate::inputs::Input;
use crate::source::Span;
use crate::types::Type;
use std::rc::Rc;

impl Reader {
    pub(super) fn definition(&mut self, line: &mut Line<'_>) -> Reading<()> {
        let (number, name_span, name) = line.definition()?;
        let ty = line.ty(&self.types)?;
        line.expect("=")?;
        let target = Definition { number, name, ty };
        match line.peek().text {
            word @ ("if" | "guard") => {
                line.take();
                let condition = self.condition(line)?;
                self.name(number, name_span, State::Pending)?;
                let kind = match word {
                    "if" => BlockKind::If { target: Some(target), condition, then: None },
                    _ => BlockKind::Guard(target),
                };
                self.open(OpenBlock::new(kind, Wants::Value(ty), line.span_from(name_span)));
                Ok(())
            }
            "loop" => self.loop_(line, target, name_span),
            _ => {
                let node = self.simple(line, ty, name_span)?;
                if let Some(name) = &target.name {
                    self.core.graph.set_name(node, name);
                }
                self.name(number, name_span, State::Defined(node))
            }
        }
    }

    /// Takes a computation without blocks.
    fn simple(&mut self, line: &mut Line<'_>, ty: Type, first: Span) -> Reading<NodeId> {
        let word = line.peek();
        let (node, found) = match word.text {
            "input" => {
                line.take();
                let name = line.take();
                let input = Input::ALL.into_iter().find(|input| input.name() == name.text);
                match (input, stage_input(name.text)) {
                    (Some(input), _) => {
                        (self.core.graph.input(input, line.span_from(first)), input.ty())
                    }
                    (None, Some(input)) => self.stage_input(line, input, first)?,
                    (None, None) => {
                        let all = Input::ALL.map(Input::name).into_iter().chain(STAGE_INPUTS);
                        return Err(unknown(name.text, name.span, "input", all));
                    }
                }
            }
            word @ ("attribute" | "varying") => {
                line.take();
                let input = self.named_stage_input(word, line)?;
                self.stage_input(line, input, first)?
            }
            "uniform" => {
                line.take();
                let span = line.peek().span;
                let name = line.string()?;
                let Some(&index) = self.uniforms.get(&name) else {
                    let names = self.core.uniforms.iter().map(|uniform| &*uniform.name);
                    return Err(unknown(&name, span, "uniform", names));
                };
                let found = self.core.uniforms[index as usize].ty;
                (self.core.graph.uniform(index, found, line.span_from(first)), found)
            }
            text if text.starts_with(|c: char| c.is_ascii_alphabetic())
                && !matches!(text, "true" | "false" | "inf" | "nan") =>
            {
                return self.operation(line, ty, first);
            }
            _ => {
                let words = line.constant(self.core.graph.types(), ty)?;
                (self.core.graph.constant(ty, &words, line.span_from(first)), ty)
            }
        };
        line.end()?;
        if found != ty {
            let message =
                format!("this is a {}, not a {}", self.type_name(found), self.type_name(ty));
            return Err(malformed(line.span_from(word.span), message).into());
        }
        Ok(node)
    }

    fn operation(&mut self, line: &mut Line<'_>, ty: Type, first: Span) -> Reading<NodeId> {
        let name = line.take();
        let Some(op) = operation(name.text, ty) else {
            return Err(unknown(name.text, name.span, "operation", operation_names()));
        };
        let operands = line.list(|line| self.operand(line))?;
        line.end()?;
        let (operands, types): (Vec<NodeId>, Vec<Type>) = operands.into_iter().unzip();
        match op.result_type(self.core.graph.types(), &types) {
            Some(found) if found == ty => {
                Ok(self.core.graph.op(op, operands, line.span_from(first)))
            }
            Some(found) => {
                let (found, ty) = (self.type_name(found), self.type_name(ty));
                let message = format!("{} gives a {found} here, not a {ty}", quote(name.text));
                Err(malformed(line.span_from(name.span), message).into())
            }
            None => {
                let message = format!("{} is not defined on these operands", quote(name.text));
                let shown: Vec<String> =
                    types.iter().take(8).map(|&ty| self.type_name(ty)).collect();
                let more = if types.len() > shown.len() { " …" } else { "" };
                Err(malformed(line.span_from(name.span), message)
                    .label(format!("({}{more})", shown.join(" ")))
                    .into())
            }
        }
    }

    fn loop_(&mut self, line: &mut Line<'_>, target: Definition, first: Span) -> Reading<()> {
        line.take();
        line.expect("(")?;
        let params = line.list(|line| {
            let (number, span, name) = line.definition()?;
            let ty = line.ty(&self.types)?;
            line.expect("=")?;
            let (init, found) = self.operand(line)?;
            if found != ty {
                let (ty, found) = (self.type_name(ty), self.type_name(found));
                let message = format!("%{number} is a {ty} and begins as a {found}");
                return Err(malformed(line.span_from(span), message).into());
            }
            Ok((number, span, name, ty, init))
        })?;
        line.expect(")")?;
        line.expect("{")?;
        line.end()?;
        self.name(target.number, first, State::Pending)?;
        let graph = &mut self.core.graph;
        let id = graph.begin_loop();
        let nodes: Vec<NodeId> = (0..)
            .zip(&params)
            .map(|(index, (_, span, name, ty, _))| {
                let param = graph.param(id, index, *ty, *span);
                name.iter().for_each(|name| graph.set_name(param, name));
                param
            })
            .collect();
        let inits = params.iter().map(|&(.., init)| init).collect();
        let open = Rc::new(OpenLoop { id, ty: target.ty, params: nodes.clone(), inits });
        let kind = BlockKind::Loop(target, Rc::clone(&open));
        self.open(OpenBlock::new(kind, Wants::Tail(open), line.span_from(first)));
        for (&(number, span, _, _, _), node) in params.iter().zip(nodes) {
            if let Err(LineError::New(diagnostic)) = self.name(number, span, State::Defined(node)) {
                self.report(*diagnostic);
            }
        }
        Ok(())
    }
}
