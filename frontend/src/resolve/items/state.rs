//! `discard-if`, and the state of the pipeline (LANGUAGE §14).

use super::TopLevel;
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

const CLEAR: &str = "(state (clear 0 0 0 1))";

impl<'t> TopLevel<'t> {
    /// `(discard-if condition)`, without its head.
    pub(super) fn discard_if(&mut self, span: Span, rest: &'t [ExprId]) {
        const USAGE: &str = "(discard-if condition)";
        let &[condition] = rest else {
            let at = rest.get(1).map_or(span, |&extra| self.resolver.tree.get(extra).span);
            let what = format!("`discard-if` has 1 part after its name, not {}", rest.len());
            return self.malformed(at, what, USAGE);
        };
        let code = self.resolver.expression(condition);
        match self.discard_span {
            Some(first) => self.second("discard-if", span, first, "join the conditions by `or`"),
            None => (self.discard_span, self.items.discard) = (Some(span), Some(code)),
        }
    }

    /// `(state option …)`, without its head.
    pub(super) fn state(&mut self, span: Span, options: &'t [ExprId]) {
        if options.is_empty() {
            self.malformed(span, "`state` has no options", CLEAR);
        }
        for &option in options {
            let span = self.resolver.tree.get(option).span;
            let parts = self.resolver.list(option);
            let word =
                parts.and_then(<[_]>::first).and_then(|&word| self.resolver.identifier(word));
            match (word, parts) {
                (Some("clear"), Some([_, colour @ ..])) => self.clear(span, colour),
                _ if matches!(self.resolver.tree.get(option).kind, ExprKind::Error) => {}
                _ => self.malformed(span, "there is no such state without triangles", CLEAR),
            }
        }
    }

    fn clear(&mut self, span: Span, colour: &[ExprId]) {
        let mut numbers = Vec::new();
        for &part in colour {
            let part = self.resolver.tree.get(part);
            match part.kind {
                ExprKind::Number { value, .. } => numbers.push(value),
                ExprKind::Error => return,
                _ => return self.malformed(part.span, "not a number", CLEAR),
            }
        }
        let Ok(clear) = <[f32; 4]>::try_from(numbers) else {
            let what = format!("`clear` has 4 numbers, not {}", colour.len());
            return self.malformed(span, what, CLEAR);
        };
        match self.clear_span {
            Some(first) => self.second("clear", span, first, "pixels are cleared to one colour"),
            None => (self.clear_span, self.items.clear) = (Some(span), clear),
        }
    }

    fn second(&mut self, word: &str, span: Span, first: Span, help: &str) {
        let diagnostic =
            Diagnostic::new(DiagnosticCode::MalformedTopLevel, span, format!("a second `{word}`"));
        self.resolver.report(diagnostic.label("here again").also(first, "first here").help(help));
    }
}
