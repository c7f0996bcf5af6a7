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
            RawKind::String(text) => {
                let text = unescaped(self.interned.texts.text(text));
                TokenKind::Text(self.interned.names.number(&text))
            }
            RawKind::Hash | RawKind::Paste | RawKind::Other => {
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
                    "\"" => "a string ends in its line",
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

/// The characters of a string, whose escapes are those of C. A backslash in front of another character is dropped.
fn unescaped(text: &str) -> String {
    let mut all = String::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            all.push(character);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let mut number = |radix: u32, most: usize, first: u32| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = rest.peek().and_then(|next| next.to_digit(radix)) else { break };
                value = value * radix + digit;
                rest.next();
            }
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        all.push(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'v' => '\x0b',
            'f' => '\x0c',
            'x' => number(16, 2, 0),
            '0'..='7' => number(8, 2, escape.to_digit(8).unwrap_or_default()),
            other => other,
        });
    }
    all
}
