//! An expression that is computed in place of the outputs, for the expectations of `lambdav test`.

use super::TopLevel;
use super::triangles::Mention;
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

impl TopLevel<'_> {
    /// Resolves the expression behind all definitions, and drops the outputs and stages of the program. `at`: the text
    /// of the expression.
    pub(super) fn expectation(&mut self, roots: &[ExprId], at: Span) {
        let items = &mut self.items;
        items.outputs.clear();
        (items.discard, items.depth, items.position) = (None, None, None);
        let &[root] = roots else {
            let (span, message) = match roots.get(1) {
                Some(&second) => {
                    let span = self.resolver.tree.get(second).span;
                    (span, "the expression ends before this one")
                }
                None => (at, "an expression is missing"),
            };
            let diagnostic = Diagnostic::new(DiagnosticCode::MalformedTopLevel, span, message);
            self.resolver.report(diagnostic.help("an expectation compares one expression"));
            return;
        };
        if matches!(self.resolver.tree.get(root).kind, ExprKind::Error) {
            return;
        }
        let code = self.resolver.expression(root);
        for (span, input) in self.mentioned(&[code]) {
            if matches!(
                input,
                Mention::Builtin("frag-coord" | "resolution") | Mention::Neighbours(_)
            ) {
                continue;
            }
            let message = format!("an expectation has no {}", self.shown(input));
            let message = message.replace("no the ", "no ");
            let diagnostic = Diagnostic::new(DiagnosticCode::WrongStage, span, message);
            let help = "call a function with a value in place of it";
            self.resolver.report(diagnostic.label("an input of a stage or pass").help(help));
        }
        self.items.expression = Some(code);
    }
}
