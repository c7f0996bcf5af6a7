//! Lints: names that are never used, or that hide others.

use super::code::Parameter;
use super::resolver::Resolver;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

impl Resolver<'_> {
    /// Warns of the parameters that a function's body does not use, except those whose names begin with `_`.
    pub(super) fn unused_parameters(&mut self, parameters: &[Parameter]) {
        if !self.lints {
            return;
        }
        let used = std::mem::take(&mut self.closed_scope);
        for (parameter, used) in parameters.iter().zip(used) {
            let name = parameter.name.as_str();
            if !used && !name.starts_with('_') {
                let message = format!("the parameter `{name}` is never used");
                self.report(
                    Diagnostic::new(DiagnosticCode::UnusedParameter, parameter.span, message)
                        .label("nothing in the body looks at it")
                        .help(format!("leave it out, or call it `_{name}`")),
                );
            }
        }
    }

    /// Warns of a uniform that no expression uses.
    pub(super) fn unused_uniform(&mut self, name: &str, span: Span) {
        let message = format!("the uniform `{name}` is never used");
        self.report(
            Diagnostic::new(DiagnosticCode::UnusedUniform, span, message)
                .label("no expression looks at it")
                .help("leave it out"),
        );
    }

    /// Warns of a `define` that hides another one.
    pub(super) fn hidden_define(&mut self, name: &str, span: Span, first: Span) {
        let message = format!("`{name}` is defined again");
        self.report(
            Diagnostic::new(DiagnosticCode::HiddenDefine, span, message)
                .label("this is meant from here on")
                .also(first, "and this before")
                .help("give one of them another name"),
        );
    }
}
