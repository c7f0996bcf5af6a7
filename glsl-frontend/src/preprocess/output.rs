//! Tokens for the parser.

use super::lexer::{RawKind, RawToken};
use super::number::number;
use super::state::Preprocessor;
use crate::token::{Token, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Severity, quote};

impl Preprocessor<'_> {
    /// Hands a token to the parser. Numbers that are none become 1.
    pub(super) fn emit(&mut self, token: RawToken) {
        let kind = match token.kind {
            RawKind::Name(name) => TokenKind::Name(name),
            RawKind::Punctuation(punctuation) => TokenKind::Punctuation(punctuation),
            RawKind::Number(text) => match number(self.interned.texts.text(text)) {
                Ok(kind) => kind,
                Err(wrong) => {
                    if self.has_room() {
                        let what =
                            format!("{} {}", quote(self.interned.texts.text(text)), wrong.what);
                        let found = Diagnostic::new(DiagnosticCode::GlslToken, token.span, what);
                        self.diagnostics.push(found.label("here").help(wrong.help));
                    }
                    TokenKind::Integer { value: 1, unsigned: false }
                }
            },
            RawKind::Parameter(_) | RawKind::Placemarker | RawKind::NewLine => return,
            RawKind::Hash | RawKind::Paste | RawKind::Other | RawKind::String(_) => {
                return self.wrong_token(token);
            }
        };
        self.tokens.push(Token { kind, span: token.span });
    }

    fn wrong_token(&mut self, token: RawToken) {
        if !self.has_room() {
            return;
        }
        let text = self.source.slice(token.span);
        let shown = quote(text);
        let (what, help) = match token.kind {
            RawKind::String(_) => (
                "GLSL has no strings".to_owned(),
                "delete it; only `#include` and `#line` take one",
            ),
            RawKind::Hash => (
                "`#` stands inside a line".to_owned(),
                "a directive is the first of its line, apart from comments",
            ),
            RawKind::Paste => (
                "`##` stands outside the text of a macro".to_owned(),
                "it joins two tokens in the text of a `#define`",
            ),
            _ if token.is_replaced() => (
                format!("the text of {shown} has a character that does not belong to GLSL"),
                "delete it from the macro's definition",
            ),
            _ => (
                format!("{shown} does not belong to GLSL"),
                match text {
                    "\\" => "a line goes on in the next one only if `\\` is its last character",
                    "\"" => "GLSL has no strings",
                    "'" => "GLSL has no characters: write their numbers",
                    _ if text.is_ascii() => "delete it",
                    _ => "only comments have characters beyond ASCII",
                },
            ),
        };
        let found = Diagnostic::new(DiagnosticCode::GlslToken, token.span, what);
        self.diagnostics.push(found.label("here").help(help));
    }

    /// True if one more error is kept; otherwise counts it.
    pub(super) fn has_room(&mut self) -> bool {
        let has_room = self.diagnostics.has_room(Severity::Error);
        if !has_room {
            self.diagnostics.omit(Severity::Error);
        }
        has_room
    }
}
