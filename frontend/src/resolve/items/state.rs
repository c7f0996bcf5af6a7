//! `discard-if`, and the state of the pipeline (LANGUAGE §14).

use super::TopLevel;
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

const CLEAR: &str = "(state (clear 0 0 0 1))";

/// An option of `state`, with its values.
struct StateOption {
    name: &'static str,
    usage: &'static str,
}

const OPTIONS: [StateOption; 8] = [
    StateOption { name: "clear", usage: CLEAR },
    StateOption { name: "cull", usage: "(state (cull none|back|front))" },
    StateOption { name: "front", usage: "(state (front ccw|cw))" },
    StateOption {
        name: "depth",
        usage: "(state (depth never|less|equal|less-eq|greater|neq|greater-eq|always|off))",
    },
    StateOption { name: "depth-write", usage: "(state (depth-write on|off))" },
    StateOption { name: "blend", usage: "(state (blend off|over|add|multiply))" },
    StateOption { name: "samples", usage: "(state (samples 1|4))" },
    StateOption { name: "topology", usage: "(state (topology triangles|strip|fan))" },
];

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
            let parts = self.resolver.list(option).and_then(<[_]>::split_first);
            let word = parts.and_then(|(&word, _)| self.resolver.identifier(word));
            let known = OPTIONS.iter().find(|known| Some(known.name) == word);
            match (known, parts) {
                (Some(known), Some((_, values))) => {
                    if self.option(known, span, values) {
                        self.once(known.name, span);
                    }
                }
                _ if matches!(self.resolver.tree.get(option).kind, ExprKind::Error) => {}
                _ => {
                    let all = OPTIONS.map(|known| known.name).join(", ");
                    let what = format!("there is no such state; the options are {all}");
                    self.malformed(span, what, CLEAR);
                }
            }
        }
    }

    /// Records an option, which must be new.
    fn once(&mut self, name: &'static str, span: Span) {
        let first = *self.states.entry(name).or_insert(span);
        if first != span {
            let help = match name {
                "clear" => "pixels are cleared to one colour",
                _ => "a pipeline has one state: keep one of the two",
            };
            self.second(name, span, first, help);
        }
    }

    /// Sets an option; false if its value is wrong, after reporting it.
    fn option(&mut self, option: &StateOption, span: Span, values: &'t [ExprId]) -> bool {
        if option.name == "clear" {
            return self.clear(span, values);
        }
        let &[value] = values else {
            let what = format!("`{}` has 1 value, not {}", option.name, values.len());
            self.malformed(span, what, option.usage);
            return false;
        };
        let found = self.resolver.tree.get(value);
        let word = match &found.kind {
            ExprKind::Identifier(word) => word,
            ExprKind::Number { index: Some(1), .. } => "1",
            ExprKind::Number { index: Some(4), .. } => "4",
            ExprKind::Error => return false,
            _ => "",
        };
        // A second option of the name changes nothing.
        let mut state = self.items.state;
        let is_known = state.set(option.name, word).expect("the option is known");
        if !is_known {
            let what = format!("this is no value of `{}`", option.name);
            self.malformed(found.span, what, option.usage);
            return false;
        }
        if !self.states.contains_key(option.name) {
            self.items.state = state;
        }
        true
    }

    fn clear(&mut self, span: Span, colour: &[ExprId]) -> bool {
        let mut numbers = Vec::new();
        for &part in colour {
            let part = self.resolver.tree.get(part);
            match part.kind {
                ExprKind::Number { value, .. } => numbers.push(value),
                ExprKind::Error => return false,
                _ => {
                    self.malformed(part.span, "not a number", CLEAR);
                    return false;
                }
            }
        }
        let Ok(clear) = <[f32; 4]>::try_from(numbers) else {
            let what = format!("`clear` has 4 numbers, not {}", colour.len());
            self.malformed(span, what, CLEAR);
            return false;
        };
        if !self.states.contains_key("clear") {
            self.items.state.clear = clear;
        }
        true
    }

    pub(super) fn second(&mut self, word: &str, span: Span, first: Span, help: &str) {
        let diagnostic =
            Diagnostic::new(DiagnosticCode::MalformedTopLevel, span, format!("a second `{word}`"));
        self.resolver.report(diagnostic.label("here again").also(first, "first here").help(help));
    }
}
