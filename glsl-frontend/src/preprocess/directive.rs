//! Directives other than conditionals and inclusions.

use super::define::{Origin, error, parse};
use super::expand::expand_line;
use super::expression::evaluate;
use super::lexer::{RawKind, RawToken};
use super::lines::SourceString;
use super::number::integer;
use super::predefined::extensions;
use super::state::{Behaviour, Extension, Pragma, Preprocessor};
use super::version_line;
use crate::token::Punctuation as P;
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::diagnostics::{nearest_name, quote};
use lambdav_core::source::Span;
use std::rc::Rc;

const DIRECTIVES: [&str; 14] = [
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "error",
    "pragma",
    "extension",
    "version",
    "line",
    "include",
];

impl Preprocessor<'_> {
    /// Reads the directive that begins with this `#`, to the end of its line.
    pub(super) fn directive(&mut self, hash: RawToken) {
        let file = self.file();
        let tokens = Rc::clone(&file.tokens);
        let start = file.next;
        let length = tokens[start..].iter().take_while(|t| t.kind != RawKind::NewLine).count();
        file.next = start + length;
        let is_active = file.is_active;
        let Some((first, rest)) = tokens[start..start + length].split_first() else { return };
        let span = hash.span.to(first.span);
        let whole = hash.span.to(rest.last().unwrap_or(first).span);
        let RawKind::Name(name) = first.kind else {
            if is_active {
                let found = error(first.span, "the name of a directive is expected").label("here");
                let help = match first.kind {
                    RawKind::Number(_) => "write `#line` before the number",
                    _ => "write `#define`, `#if` or another directive",
                };
                self.diagnostics.push(found.help(help));
            }
            return;
        };
        let name = self.interned.names.text(name).to_owned();
        match name.as_str() {
            "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" => {
                self.conditional(&name, span, rest);
            }
            _ if !is_active => {}
            "define" => self.define(span, rest),
            "undef" => self.undefine(span, rest),
            "error" => {
                let text = rest
                    .first()
                    .map_or("", |from| self.source.slice(Span::new(from.span.start, whole.end)));
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let message =
                    if text.is_empty() { "#error".into() } else { format!("#error: {text}") };
                let found = error(whole, message).label("the text refuses these settings");
                let help = "define the macros that it asks for with `--define NAME=VALUE`";
                self.diagnostics.push(found.help(help));
            }
            "pragma" => self.pragma(whole, rest),
            "extension" => self.extension(whole, rest),
            "version" => self.version_directive(whole, rest),
            "line" => self.line(whole, rest),
            "include" => self.include_line(whole, rest),
            _ => {
                if self.has_room() {
                    let found =
                        error(first.span, format!("there is no directive {}", quote(&name)));
                    let help = match nearest_name(&name, DIRECTIVES) {
                        Some(near) => format!("did you mean `#{near}`?"),
                        None => "GLSL has `#define`, `#undef`, `#if` and its parts, `#error`, `#pragma`, \
                                 `#extension`, `#version`, `#line` and `#include`"
                            .to_owned(),
                    };
                    self.diagnostics.push(found.label("unknown").help(help));
                }
            }
        }
    }

    fn define(&mut self, span: Span, rest: &[RawToken]) {
        let (name, of) = match parse(rest, span, &self.interned, Origin::Text) {
            Ok(parsed) => parsed,
            Err(found) => return self.diagnostics.push(found),
        };
        if self.is_reserved(name) {
            return self.reserved(of.at, name);
        }
        let old = self.macros.get(&name).filter(|old| old.origin != Origin::Predefined);
        if let Some(old) = old.filter(|old| !old.agrees(&of)) {
            let shown = quote(self.interned.names.text(name));
            let found = error(of.at, format!("{shown} is defined twice, with different texts"));
            let found = found.label("the second definition");
            self.diagnostics.push(if old.origin == Origin::CommandLine {
                let found = found.note("the first definition is `--define` of the command line");
                found.help(format!("write `#ifndef` before it, so that `--define` decides {shown}"))
            } else {
                let found = found.also(old.at, "the first definition");
                found.help("write `#undef` before the second one, or another name")
            });
            return;
        }
        self.macros.insert(name, Rc::new(of));
    }

    fn undefine(&mut self, span: Span, rest: &[RawToken]) {
        let Some(&RawToken { kind: RawKind::Name(name), span: at, .. }) = rest.first() else {
            let at = rest.first().map_or(span, |token| token.span);
            let found = error(at, "`#undef` lacks the name of a macro").label("here");
            return self.diagnostics.push(found.help("write `#undef NAME`"));
        };
        if let Some(extra) = rest.get(1) {
            let found = error(extra.span, "`#undef` takes one name").label("from here");
            self.diagnostics.push(found.help("write an `#undef` for each name"));
        }
        if self.is_reserved(name) {
            return self.reserved(at, name);
        }
        self.macros.remove(&name);
    }

    fn is_reserved(&self, name: crate::token::Name) -> bool {
        let text = self.interned.names.text(name);
        matches!(text, "__LINE__" | "__FILE__" | "__VERSION__" | "defined")
    }

    fn reserved(&mut self, at: Span, name: crate::token::Name) {
        let shown = quote(self.interned.names.text(name));
        let found = error(at, format!("{shown} belongs to the language")).label("here");
        self.diagnostics.push(found.help("choose another name for the macro"));
    }

    fn pragma(&mut self, whole: Span, rest: &[RawToken]) {
        let Some(first) = rest.first() else { return };
        let word = |token: Option<&RawToken>, text: &str| {
            let kind = token.map(|token| token.kind);
            matches!(kind, Some(RawKind::Name(name)) if self.interned.names.text(name) == text)
        };
        if word(Some(first), "once") && rest.len() == 1 {
            self.once();
        } else if word(Some(first), "include") {
            self.include_line(whole, &rest[1..]);
        } else {
            let span = Span::new(first.span.start, whole.end);
            self.pragmas.push(Pragma { text: self.source.slice(span).to_owned(), span });
        }
    }

    fn extension(&mut self, whole: Span, rest: &[RawToken]) {
        const HELP: &str = "write `#extension NAME : enable`, or `require`, `warn` or `disable`";
        let name_of = |token: Option<&RawToken>| match token.map(|token| token.kind) {
            Some(RawKind::Name(name)) => Some(self.interned.names.text(name)),
            _ => None,
        };
        let wrong = |at: Option<&RawToken>, what: &str| {
            let at = at.map_or(whole, |token| token.span);
            error(at, format!("{what} is expected")).label("in this `#extension`").help(HELP)
        };
        let found = if let Some(name) = name_of(rest.first()) {
            if !rest.get(1).is_some_and(|token| token.is(P::Colon)) {
                Err(wrong(rest.get(1), "`:`"))
            } else if let Some(behaviour) = name_of(rest.get(2)) {
                let span = rest[0].span;
                match behaviour {
                    _ if rest.len() > 3 => Err(wrong(rest.get(3), "the end of the line")),
                    "require" => Ok((name, span, Behaviour::Require)),
                    "enable" => Ok((name, span, Behaviour::Enable)),
                    "warn" => Ok((name, span, Behaviour::Warn)),
                    "disable" => Ok((name, span, Behaviour::Disable)),
                    _ => Err(wrong(rest.get(2), "`require`, `enable`, `warn` or `disable`")),
                }
            } else {
                Err(wrong(rest.get(2), "`require`, `enable`, `warn` or `disable`"))
            }
        } else {
            Err(wrong(rest.first(), "the name of an extension"))
        };
        match found {
            Err(found) => self.diagnostics.push(found),
            Ok(("all", span, Behaviour::Require | Behaviour::Enable)) => {
                let found = error(span, "`all` extensions cannot be enabled").label("here");
                self.diagnostics
                    .push(found.help("`all` takes `warn` or `disable`; name the others"));
            }
            Ok((name, span, Behaviour::Require)) if !extensions().any(|known| known == name) => {
                let what = format!("the extension {} is not supported", quote(name));
                let help = match nearest_name(name, extensions()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "write `enable` for `require` where the text can do without it".to_owned()
                    }
                };
                let mut found = error(span, what).label("required here").help(help);
                // Other names are mistakes.
                if name.starts_with("GL_") {
                    found.code = DiagnosticCode::UnsupportedModule;
                }
                self.diagnostics.push(found);
            }
            Ok((name, span, behaviour)) => {
                self.extensions.push(Extension { name: name.to_owned(), span, behaviour });
            }
        }
    }

    fn version_directive(&mut self, whole: Span, rest: &[RawToken]) {
        let line = match version_line::parse(rest, whole, &self.interned) {
            Ok(line) => line,
            Err(found) => return self.diagnostics.push(found),
        };
        if line.version == self.version || self.version_at.is_some_and(|at| at.start == whole.start)
        {
            return;
        }
        let found = match self.version_at {
            Some(at) => error(whole, "a second `#version` has another number")
                .label("the second one")
                .also(at, "this one decides")
                .help("delete one of them"),
            None => error(whole, "an included file has `#version`, and the text has none")
                .label("too late")
                .help("move it to the first line of the main file"),
        };
        self.diagnostics.push(found);
    }

    fn line(&mut self, whole: Span, rest: &[RawToken]) {
        let tokens = expand_line(rest, self);
        if self.stopped {
            return;
        }
        let value = |preprocessor: &Self, token: &RawToken| match token.kind {
            RawKind::Number(text) => {
                let (value, _) = integer(preprocessor.interned.texts.text(text)).ok()?;
                u32::try_from(value).ok()
            }
            _ => None,
        };
        let string = |preprocessor: &Self, token: &RawToken| match token.kind {
            RawKind::String(text) => {
                Some(SourceString::Path(preprocessor.interned.texts.text(text).into()))
            }
            _ => value(preprocessor, token).map(SourceString::Number),
        };
        let found = match &tokens[..] {
            [line] => value(self, line).map(|line| (line, None)),
            [line, file] if matches!(file.kind, RawKind::Number(_) | RawKind::String(_)) => {
                value(self, line).zip(string(self, file).map(Some))
            }
            _ => None,
        };
        let (line, string) = match found {
            Some(found) => found,
            None => {
                let is_defined = |name| self.macros.contains_key(&name);
                let defined = self.words.defined;
                let value = evaluate(&tokens, &self.interned, whole, defined, is_defined);
                let Some(line) = value.ok().and_then(|value| u32::try_from(value).ok()) else {
                    let found =
                        error(whole, "`#line` takes the number of a line, and perhaps of a file");
                    let found = found.label("this directive");
                    return self.diagnostics.push(found.help("write `#line 1` or `#line 1 0`"));
                };
                (line, None)
            }
        };
        // Older versions give the number of the directive's own line.
        let (version, physical) = (self.version, self.source.line(whole.end) + 1);
        let is_old = if version.es { version.number < 300 } else { version.number < 330 };
        let line = line.saturating_add(u32::from(is_old));
        let file = self.file();
        if string.is_some() {
            file.string = string;
        }
        let string = file.string.clone();
        self.lines.set(whole.start, physical, line, string);
    }

    /// The value of `__LINE__` or `__FILE__` at a position.
    pub(super) fn position(&mut self, origin: Origin, span: Span) -> RawToken {
        let place = self.lines.place(self.source, span.start);
        let value = match (origin, place) {
            (Origin::Line, Some((line, _))) => line,
            (Origin::Line, None) => self.source.line(span.start),
            (_, Some((_, Some(SourceString::Number(number))))) => *number,
            _ => self.source.file_index(span.start) as u32,
        };
        let text = self.interned.texts.number(&value.to_string());
        RawToken::replaced(RawKind::Number(text), span)
    }
}
