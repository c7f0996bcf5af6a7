//! Preprocessing tokens: comments are gone, lines are joined, ends of lines are tokens.

use crate::token::{Name, Names, Punctuation};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

/// Most characters of a name, which is a minimum of GLSL's versions.
const NAME_LENGTH: usize = 1024;

/// A preprocessing token.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawToken {
    /// What it is.
    pub kind: RawKind,
    /// Where it stands, or the invocation of the macro that made it.
    pub span: Span,
    flags: u8,
}

/// The kind of a preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RawKind {
    /// A name or keyword, in [`Interned::names`].
    Name(Name),
    /// A number, its spelling in [`Interned::texts`].
    Number(Name),
    /// A string without its quotes, in [`Interned::texts`].
    String(Name),
    Punctuation(Punctuation),
    /// `#`
    Hash,
    /// `##`
    Paste,
    /// Characters that are no token.
    Other,
    /// The end of a line that does not go on in the next one.
    NewLine,
    /// In the replacement list of a macro: a parameter, by its index.
    Parameter(u32),
    /// An empty operand of `##`.
    Placemarker,
}

/// The first token of its line.
const FIRST: u8 = 1;
/// White space or a comment precedes it.
const SPACED: u8 = 2;
/// A name that is never expanded again: it occurred in the expansion of its own macro.
const PAINTED: u8 = 4;
/// It comes from a replacement list; its span is that of an invocation.
const REPLACED: u8 = 8;

impl RawToken {
    /// A token of a macro invoked at `span`.
    pub(super) fn replaced(kind: RawKind, span: Span) -> Self {
        Self { kind, span, flags: REPLACED }
    }

    /// True for the first token of a line.
    pub(super) fn is_first(self) -> bool {
        self.flags & FIRST != 0
    }

    /// True if white space or a comment precedes it.
    pub(super) fn is_spaced(self) -> bool {
        self.flags & SPACED != 0
    }

    /// True if it must not be expanded.
    pub(super) fn is_painted(self) -> bool {
        self.flags & PAINTED != 0
    }

    /// True if its span is that of an invocation.
    pub(super) fn is_replaced(self) -> bool {
        self.flags & REPLACED != 0
    }

    /// Marks a name that must not be expanded.
    pub(super) fn paint(&mut self) {
        self.flags |= PAINTED;
    }

    /// True for this punctuation.
    pub(super) fn is(self, punctuation: Punctuation) -> bool {
        self.kind == RawKind::Punctuation(punctuation)
    }
}

/// The texts of tokens.
#[derive(Default)]
pub(super) struct Interned {
    /// Names and keywords, for later stages.
    pub names: Names,
    /// Spellings of numbers and strings.
    pub texts: Names,
}

impl Interned {
    /// The spelling of a token that `##` can join.
    pub(super) fn spelling(&self, kind: RawKind) -> Option<&str> {
        Some(match kind {
            RawKind::Name(name) => self.names.text(name),
            RawKind::Number(text) => self.texts.text(text),
            RawKind::Punctuation(punctuation) => punctuation.text(),
            _ => return None,
        })
    }
}

/// Splits a text into tokens.
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// The offset of the text in all files.
    base: u32,
    at: usize,
    /// The end of the last character taken, before joined lines.
    end: usize,
    /// A joined line was passed in this token.
    joined: bool,
    first: bool,
    ended: bool,
    /// Comments that do not end.
    pub problems: Vec<Diagnostic>,
}

impl<'t> Lexer<'t> {
    /// A lexer of a file's text, which begins at offset `base` of all files.
    pub(super) fn new(text: &'t str, base: u32) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let (end, joined) = (at, false);
        Self { text, base, at, end, joined, first: true, ended: false, problems: Vec::new() }
    }

    /// The byte at hand, behind joined lines.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at) == Some(&b'\\') {
            match bytes[self.at + 1..] {
                [b'\r', b'\n', ..] => self.at += 3,
                [b'\n' | b'\r', ..] => self.at += 2,
                _ => break,
            }
            self.joined = true;
        }
        bytes.get(self.at).copied()
    }

    fn bump(&mut self) {
        self.at += 1;
        self.end = self.at;
    }

    /// The next bytes, zero past the end.
    fn ahead(&mut self) -> [u8; 3] {
        let (at, joined) = (self.at, self.joined);
        let mut found = [0; 3];
        for byte in &mut found {
            let Some(next) = self.peek() else { break };
            *byte = next;
            self.at += 1;
        }
        (self.at, self.joined) = (at, joined);
        found
    }

    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let plain = rest.iter().take_while(|&&byte| byte != b'\\' && is_part(byte)).count();
            if plain > 0 {
                self.at += plain;
                self.end = self.at;
            }
            // A backslash may join lines.
            match self.peek() {
                Some(byte) if is_part(byte) => self.bump(),
                _ => return,
            }
        }
    }

    /// Passes white space and comments. True if there was some.
    fn skip(&mut self) -> bool {
        let mut skipped = false;
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | 0x0b | 0x0c) => self.at += 1,
                Some(b'/') => match self.ahead() {
                    [_, b'/', _] => self.take_while(|byte| byte != b'\n' && byte != b'\r'),
                    [_, b'*', _] => self.comment(),
                    _ => return skipped,
                },
                _ => return skipped,
            }
            skipped = true;
        }
    }

    fn comment(&mut self) {
        let start = self.at as u32 + self.base;
        self.peek();
        self.bump();
        self.peek();
        self.bump();
        let opening = Span::new(start, self.end as u32 + self.base);
        loop {
            match self.peek() {
                Some(b'*') => {
                    self.bump();
                    if self.peek() == Some(b'/') {
                        self.bump();
                        return;
                    }
                }
                Some(_) => self.bump(),
                None => break,
            }
        }
        let what = "a comment is not closed";
        let finding = Diagnostic::new(DiagnosticCode::GlslToken, opening, what);
        let finding = finding.label("it begins here");
        self.problems.push(finding.help("write `*/` where it ends; comments do not nest"));
    }

    /// The next token; after the text's end one more end of a line, then `None`.
    pub(super) fn next(&mut self, interned: &mut Interned) -> Option<RawToken> {
        let spaced = self.skip();
        let first = std::mem::replace(&mut self.first, false);
        let flags = (u8::from(first) * FIRST) | (u8::from(spaced) * SPACED);
        self.joined = false;
        let start = self.at;
        let Some(byte) = self.peek() else {
            let end = Span::new(start as u32 + self.base, start as u32 + self.base);
            let end = RawToken { kind: RawKind::NewLine, span: end, flags };
            return (!std::mem::replace(&mut self.ended, true)).then_some(end);
        };
        let start = self.at;
        let kind = match byte {
            b'\n' | b'\r' => {
                self.bump();
                self.first = true;
                RawKind::NewLine
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.take_while(is_word);
                let text = self.spelling(start);
                if text.len() > NAME_LENGTH {
                    let span = Span::new(start as u32 + self.base, self.end as u32 + self.base);
                    let what = format!("a name has at most {NAME_LENGTH} characters");
                    self.problems.push(Diagnostic::new(DiagnosticCode::GlslTooLarge, span, what));
                }
                RawKind::Name(interned.names.number(&text))
            }
            b'0'..=b'9' => self.number(start, interned),
            b'.' if self.ahead()[1].is_ascii_digit() => self.number(start, interned),
            b'"' => self.string(interned),
            b'#' => {
                self.bump();
                if self.peek() == Some(b'#') {
                    self.bump();
                    RawKind::Paste
                } else {
                    RawKind::Hash
                }
            }
            _ => self.punctuation(),
        };
        let span = Span::new(start as u32 + self.base, self.end as u32 + self.base);
        Some(RawToken { kind, span, flags })
    }

    /// The text of the token that begins at `start`, without joined lines.
    fn spelling(&self, start: usize) -> std::borrow::Cow<'t, str> {
        let text = &self.text[start..self.end];
        if !self.joined || !text.contains('\\') {
            return text.into();
        }
        text.chars().filter(|c| !matches!(c, '\\' | '\n' | '\r')).collect::<String>().into()
    }

    /// A number of GLSL with all letters and digits that follow.
    fn number(&mut self, start: usize, interned: &mut Interned) -> RawKind {
        let [zero, x, _] = self.ahead();
        if !(zero == b'0' && matches!(x, b'x' | b'X')) {
            self.take_while(|byte| byte.is_ascii_digit());
            if self.peek() == Some(b'.') {
                self.bump();
                self.take_while(|byte| byte.is_ascii_digit());
            }
            if let [b'e' | b'E', b'+' | b'-', b'0'..=b'9'] = self.ahead() {
                self.peek();
                self.bump();
                self.peek();
                self.bump();
            }
        }
        self.take_while(is_word);
        let text = self.spelling(start);
        RawKind::Number(interned.texts.number(&text))
    }

    /// A string that ends in its line. It may have quotes behind backslashes.
    fn string(&mut self, interned: &mut Interned) -> RawKind {
        self.bump();
        let rest = &self.text[self.at..];
        let mut is_escaped = false;
        let ends = |byte: u8| {
            let was_escaped = is_escaped;
            is_escaped = !was_escaped && byte == b'\\';
            matches!(byte, b'\n' | b'\r') || byte == b'"' && !was_escaped
        };
        let Some(length) = rest.bytes().position(ends).filter(|&at| rest[at..].starts_with('"'))
        else {
            return RawKind::Other;
        };
        self.at += length;
        self.bump();
        RawKind::String(interned.texts.number(&rest[..length]))
    }

    fn punctuation(&mut self) -> RawKind {
        let ahead = self.ahead();
        if let Some(punctuation) = Punctuation::at_start(&ahead) {
            for _ in punctuation.text().bytes() {
                self.peek();
                self.bump();
            }
            return RawKind::Punctuation(punctuation);
        }
        self.bump();
        if !ahead[0].is_ascii() {
            while self.text.as_bytes().get(self.at).is_some_and(|byte| !byte.is_ascii()) {
                self.bump();
            }
        }
        RawKind::Other
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The token that a text is, if it is exactly one.
pub(super) fn single(text: &str, interned: &mut Interned) -> Option<RawKind> {
    let mut lexer = Lexer::new(text, 0);
    let kind = lexer.next(interned)?.kind;
    (lexer.at == text.len() && lexer.problems.is_empty() && kind != RawKind::NewLine)
        .then_some(kind)
}
