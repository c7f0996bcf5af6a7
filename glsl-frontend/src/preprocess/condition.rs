//! `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else` and `#endif`.

use super::define::error;
use super::expand::expand_line;
use super::expression::evaluate;
use super::lexer::{RawKind, RawToken};
use super::state::{Conditional, Preprocessor};
use lambdav_core::source::Span;

impl Preprocessor<'_> {
    /// Reads one of the directives above: its name, its span, and the rest of its line.
    pub(super) fn conditional(&mut self, name: &str, span: Span, rest: &[RawToken]) {
        let is_active = self.file().is_active;
        match name {
            "else" | "endif" => {
                if let [extra, ..] = rest
                    && self.file().conditionals.last().is_none_or(|conditional| conditional.outer)
                {
                    let found = error(extra.span, format!("`#{name}` has nothing behind it"));
                    let found = found.label("from here");
                    self.diagnostics.push(found.help("make a comment of it: `// …`"));
                }
                if name == "else" { self.otherwise(span) } else { self.end(span) }
            }
            "elif" => self.else_if(span, rest),
            _ => {
                let holds = is_active
                    && match name {
                        "if" => self.holds(span, rest),
                        _ => self.is_defined_line(name, span, rest) == Some(name == "ifdef"),
                    };
                let conditional = Conditional {
                    opening: span,
                    otherwise: None,
                    outer: is_active,
                    is_taken: holds,
                };
                let file = self.file();
                file.conditionals.push(conditional);
                file.is_active = holds;
            }
        }
    }

    fn holds(&mut self, span: Span, rest: &[RawToken]) -> bool {
        let tokens = expand_line(rest, self);
        if self.stopped {
            return false;
        }
        let is_defined = |name| self.macros.contains_key(&name);
        match evaluate(&tokens, &self.interned, span, self.words.defined, is_defined) {
            Ok(value) => value != 0,
            Err(found) => {
                self.diagnostics.push(found);
                false
            }
        }
    }

    fn is_defined_line(&mut self, directive: &str, span: Span, rest: &[RawToken]) -> Option<bool> {
        let Some(&RawToken { kind: RawKind::Name(name), .. }) = rest.first() else {
            let at = rest.first().map_or(span, |token| token.span);
            let found = error(at, format!("`#{directive}` lacks a name")).label("here");
            self.diagnostics.push(found.help(format!("write `#{directive} NAME`")));
            return None;
        };
        if let Some(extra) = rest.get(1) {
            let found =
                error(extra.span, format!("`#{directive}` takes one name")).label("from here");
            let help = "make a comment of it: `// …`; for more conditions write `#if defined(A) && defined(B)`";
            self.diagnostics.push(found.help(help));
        }
        Some(self.macros.contains_key(&name))
    }

    fn else_if(&mut self, span: Span, rest: &[RawToken]) {
        let Some(&conditional) = self.file().conditionals.last() else {
            return self.without_if("elif", span);
        };
        if let Some(before) = conditional.otherwise {
            return self.after_else("elif", span, before, conditional.opening);
        }
        let holds = conditional.outer && !conditional.is_taken && self.holds(span, rest);
        self.enter(conditional, holds);
    }

    fn otherwise(&mut self, span: Span) {
        let Some(&conditional) = self.file().conditionals.last() else {
            return self.without_if("else", span);
        };
        if let Some(before) = conditional.otherwise {
            return self.after_else("else", span, before, conditional.opening);
        }
        let holds = conditional.outer && !conditional.is_taken;
        self.enter(Conditional { otherwise: Some(span), ..conditional }, holds);
    }

    /// Begins the next group of the innermost conditional.
    fn enter(&mut self, conditional: Conditional, holds: bool) {
        let file = self.file();
        file.is_active = holds;
        if let Some(last) = file.conditionals.last_mut() {
            *last = Conditional { is_taken: conditional.is_taken || holds, ..conditional };
        }
    }

    fn end(&mut self, span: Span) {
        let file = self.file();
        match file.conditionals.pop() {
            Some(conditional) => file.is_active = conditional.outer,
            None => self.without_if("endif", span),
        }
    }

    fn without_if(&mut self, name: &str, span: Span) {
        let found = error(span, format!("`#{name}` has no `#if` before it")).label("here");
        self.diagnostics.push(found.help("delete it, or write the `#if` that it belongs to"));
    }

    fn after_else(&mut self, name: &str, span: Span, before: Span, opening: Span) {
        let found = error(span, format!("`#{name}` stands behind the `#else` of its `#if`"));
        let found = found.label("here").also(before, "the `#else`").also(opening, "the `#if`");
        let help =
            "an `#if` has one `#else`, the last of its parts; is an `#endif` missing before?";
        self.diagnostics.push(found.help(help));
    }

    /// Reports the conditionals that the file's end leaves open.
    pub(super) fn unclosed(&mut self, conditionals: &[Conditional]) {
        for conditional in conditionals {
            if self.has_room() {
                let found = error(conditional.opening, "a conditional is not closed");
                let mut found = found.label("its `#endif` is missing");
                if let Some(otherwise) = conditional.otherwise {
                    found = found.also(otherwise, "its `#else`");
                }
                self.diagnostics.push(found.help("write `#endif` where it ends, in the same file"));
            }
        }
    }
}
