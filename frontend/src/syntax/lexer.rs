//! Tokens: parentheses, words, strings and comments, with their spans. White space is dropped.
//!
//! The lexer only splits the text. The parser classifies words (number, literal, identifier) and reports
//! invalid characters.

use lambdav_core::source::{SourceFile, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A number, a literal, an identifier, or an invalid word.
    Word,
    /// From `"` to the next `"` in the line; if there is none, to the end of the word.
    String,
    /// From `;` up to, but not including, the end of the line.
    Comment,
}

/// A token and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// For the first token of a line, its distance from the start of the line in bytes.
    pub(super) indent: Option<u32>,
}

/// Splits a text of less than 4 GiB, or a part of it, into tokens.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
    line_start: usize,
    first_on_line: bool,
}

impl<'a> Lexer<'a> {
    /// A lexer for the file in this part of a text; skips a byte order mark at its start.
    pub(super) fn new(source: &'a SourceFile, part: Span) -> Self {
        let (text, start) = (source.slice(Span::new(0, part.end)), part.start as usize);
        let start = if source.is_mark(start) { start + '\u{feff}'.len_utf8() } else { start };
        Self { bytes: text.as_bytes(), position: start, line_start: start, first_on_line: true }
    }

    /// The position of the first byte from here on for which `stop` holds.
    fn find_byte(&self, stop: impl Fn(u8) -> bool) -> usize {
        let rest = &self.bytes[self.position..];
        rest.iter().position(|&b| stop(b)).map_or(self.bytes.len(), |n| self.position + n)
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            match self.bytes.get(self.position)? {
                b'\n' => {
                    self.position += 1;
                    self.line_start = self.position;
                    self.first_on_line = true;
                }
                &b if is_white_space(b) => self.position += 1,
                _ => break,
            }
        }
        let start = self.position;
        let (kind, end) = match self.bytes[start] {
            b'(' => (TokenKind::Open, start + 1),
            b')' => (TokenKind::Close, start + 1),
            b';' => (TokenKind::Comment, self.find_byte(|b| b == b'\n')),
            b'"' => {
                self.position += 1;
                let end = self.find_byte(|b| matches!(b, b'"' | b'\n' | b'\r'));
                // An unclosed string was probably not meant to be the whole line.
                let is_closed = self.bytes.get(end) == Some(&b'"');
                let end = if is_closed { end + 1 } else { self.find_byte(ends_word) };
                (TokenKind::String, end)
            }
            _ => (TokenKind::Word, self.find_byte(ends_word)),
        };
        self.position = end;
        let indent = self.first_on_line.then_some((start - self.line_start) as u32);
        self.first_on_line = false;
        Some(Token { kind, span: Span::new(start as u32, end as u32), indent })
    }
}

/// The white space of ASCII: tab, line feed, vertical tab, form feed, carriage return, space.
fn is_white_space(b: u8) -> bool {
    matches!(b, b'\t'..=b'\r' | b' ')
}

fn ends_word(b: u8) -> bool {
    is_white_space(b) || matches!(b, b'(' | b')' | b';')
}
