//! A line of core text: its tokens, and the parts of statements that need no context.

use super::names::{component, is_digits};
use crate::diagnostics::{Diagnostic, DiagnosticCode, nearest_name, quote};
use crate::graph::Name;
use crate::source::Span;
use crate::types::{Type, TypeKind, Types};
use rustc_hash::FxHashMap;
use std::str::Chars;

/// The error of a wrong line.
#[derive(Debug)]
pub(super) enum LineError {
    /// A new error, not yet reported.
    New(Box<Diagnostic>),
    /// A use of a definition whose error has been reported.
    Known,
}

/// The result of reading a part of a line.
pub(super) type Reading<T> = Result<T, LineError>;

/// An LV0601 diagnostic.
pub(super) fn malformed(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::MalformedCore, span, message)
}

/// The error of a name that is unknown, with the nearest of those that are known.
pub(super) fn unknown<'a>(
    name: &str,
    span: Span,
    what: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> LineError {
    let diagnostic = malformed(span, format!("there is no {what} {}", quote(name)));
    match nearest_name(name, candidates) {
        Some(near) => diagnostic.help(format!("did you mean {}?", quote(near))).into(),
        None => diagnostic.into(),
    }
}

impl From<Diagnostic> for LineError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::New(Box::new(diagnostic))
    }
}

/// A token; its text is empty at the end of the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

impl Token<'_> {
    /// The token in messages.
    pub(super) fn name(&self) -> String {
        if self.text.is_empty() { "the end of the line".into() } else { quote(self.text) }
    }
}

/// The unread rest of a line.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    rest: &'a str,
    /// The offset of `rest` in the whole text.
    offset: u32,
    next: Token<'a>,
    /// The end of the last token taken.
    taken: u32,
}

impl<'a> Line<'a> {
    /// A line that begins at `offset` of the whole text.
    pub(super) fn new(text: &'a str, offset: u32) -> Self {
        let next = Token { text: "", span: Span::new(offset, offset) };
        let mut line = Self { rest: text, offset, next, taken: offset };
        line.advance();
        line
    }

    fn skip(&mut self, count: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at(count);
        self.rest = rest;
        self.offset += count as u32;
        skipped
    }

    fn advance(&mut self) {
        let is_space = |b: u8| b.is_ascii_whitespace() || b == 0x0b;
        let bytes = self.rest.as_bytes();
        self.skip(bytes.iter().position(|&b| !is_space(b)).unwrap_or(bytes.len()));
        let bytes = self.rest.as_bytes();
        let length = match bytes.first() {
            None | Some(b';') => 0,
            Some(b'"') => {
                let mut escaped = false;
                let closing = bytes.iter().skip(1).position(|&b| {
                    let closes = b == b'"' && !escaped;
                    escaped = b == b'\\' && !escaped;
                    closes
                });
                closing.map_or(bytes.len(), |at| at + 2)
            }
            Some(b) if is_punctuation(*b) => 1,
            Some(_) => {
                let ends = |&b: &u8| is_space(b) || is_punctuation(b) || matches!(b, b';' | b'"');
                bytes.iter().position(ends).unwrap_or(bytes.len())
            }
        };
        let start = self.offset;
        let text = self.skip(length);
        self.next = Token { text, span: Span::new(start, self.offset) };
    }

    /// The next token.
    pub(super) fn peek(&self) -> Token<'a> {
        self.next
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Token<'a> {
        let token = self.next;
        if !token.text.is_empty() {
            self.taken = token.span.end;
            self.advance();
        }
        token
    }

    /// The span from a token to the last token taken.
    pub(super) fn span_from(&self, first: Span) -> Span {
        Span::new(first.start, self.taken)
    }

    /// Takes the next token if it has this text.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.next.text == text;
        if found {
            self.take();
        }
        found
    }

    /// Takes a token with this text; any other is an error.
    pub(super) fn expect(&mut self, text: &str) -> Reading<()> {
        if self.accept(text) {
            return Ok(());
        }
        let found = self.peek();
        Err(malformed(found.span, format!("`{text}` must follow, not {}", found.name())).into())
    }

    /// Requires the end of the line.
    pub(super) fn end(&self) -> Reading<()> {
        let found = self.peek();
        if found.text.is_empty() {
            return Ok(());
        }
        Err(malformed(found.span, format!("the line must end before {}", found.name())).into())
    }

    /// Takes a value: `%` and a number.
    pub(super) fn value(&mut self) -> Reading<(u32, Span)> {
        let token = self.take();
        match value_number(token.text) {
            Some(number) => Ok((number, token.span)),
            None => Err(malformed(token.span, format!("{} is not a value", token.name()))
                .help("values are written `%0`, `%1`, …")
                .into()),
        }
    }

    /// Takes the definition of a value up to its type: number, position and name.
    pub(super) fn definition(&mut self) -> Reading<(u32, Span, Option<Name>)> {
        let (number, span) = self.value()?;
        let is_named = self.peek().text.starts_with('"');
        let name = if is_named { Some(Name::new(&self.string()?)) } else { None };
        self.expect(":")?;
        Ok((number, span, name))
    }

    /// Takes items separated by commas, up to the end of the line or a closing parenthesis.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Reading<T>,
    ) -> Reading<Vec<T>> {
        let mut items = Vec::new();
        if matches!(self.next.text, "" | ")") {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.accept(",") {
                return Ok(items);
            }
        }
    }

    /// Takes a type. `declared` maps the numbers of declared types; `None` is a wrong declaration.
    pub(super) fn ty(&mut self, declared: &FxHashMap<u32, Option<Type>>) -> Reading<Type> {
        let token = self.take();
        if let Some(number) = type_number(token.text) {
            return match declared.get(&number) {
                Some(Some(ty)) => Ok(*ty),
                Some(None) => Err(LineError::Known),
                None => {
                    let message = format!("{} is declared nowhere before", token.name());
                    Err(malformed(token.span, message).into())
                }
            };
        }
        Type::from_name(token.text).ok_or_else(|| {
            let diagnostic = malformed(token.span, format!("{} is not a type", token.name()));
            match nearest_name(token.text, Type::names()) {
                Some(name) => diagnostic.help(format!("did you mean `{name}`?")).into(),
                None => diagnostic.into(),
            }
        })
    }

    /// Takes a constant of this type, as words.
    pub(super) fn constant(&mut self, types: &Types, ty: Type) -> Reading<Vec<u32>> {
        let first = self.peek().span;
        if types.holds_state(ty) {
            let message = format!("no constant is a {}", types.name(ty));
            return Err(malformed(first, message)
                .help("`state` is the first state of a memory")
                .into());
        }
        if matches!(types.kind(ty), TypeKind::Scalar(_)) {
            return Ok(vec![self.component(types, ty, 0)?]);
        }
        self.expect("(")?;
        let components = types.components(ty);
        let mut index = 0;
        if components == 0 {
            self.expect(")")?;
            return Ok(vec![]);
        }
        let words = self.list(|line| {
            index += 1;
            // Surplus components are read like the last one; all are reported together below.
            line.component(types, ty, index.min(components) - 1)
        })?;
        self.expect(")")?;
        if words.len() != components {
            let message = format!("a {} has {components} components", types.name(ty));
            return Err(malformed(self.span_from(first), message)
                .label(format!("these are {}", words.len()))
                .into());
        }
        Ok(words)
    }

    fn component(&mut self, types: &Types, ty: Type, index: usize) -> Reading<u32> {
        let token = self.take();
        component(token.text, types.component(ty, index)).ok_or_else(|| {
            let message = format!("{} is not a component of a {}", token.name(), types.name(ty));
            malformed(token.span, message).into()
        })
    }

    /// Takes a quoted string.
    pub(super) fn string(&mut self) -> Reading<String> {
        let token = self.take();
        let wrong = |message: &str| LineError::from(malformed(token.span, message));
        let Some(rest) = token.text.strip_prefix('"') else {
            return Err(wrong(&format!("a name in quotes must follow, not {}", token.name())));
        };
        let mut name = String::new();
        let mut characters = rest.chars();
        loop {
            match characters.next() {
                Some('"') => return Ok(name),
                Some('\\') => match characters.next() {
                    Some(c @ ('"' | '\\')) => name.push(c),
                    Some('u') => match code_point(&mut characters) {
                        Some(c) => name.push(c),
                        None => {
                            return Err(wrong("`\\u{…}` of a name has the digits of a character"));
                        }
                    },
                    _ => {
                        let message = "in a name `\\` stands before `\"`, `\\` or `u{…}` only";
                        return Err(wrong(message));
                    }
                },
                Some(c) => name.push(c),
                None => return Err(wrong("the quotes are not closed")),
            }
        }
    }
}

/// Takes a code point in braces, of one to six hexadecimal digits.
fn code_point(characters: &mut Chars<'_>) -> Option<char> {
    let (digits, rest) = characters.as_str().strip_prefix('{')?.split_once('}')?;
    let is_number =
        (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    *characters = rest.chars();
    char::from_u32(code)
}

/// The number of a value; `None` for other texts.
pub(super) fn value_number(text: &str) -> Option<u32> {
    text.strip_prefix('%').filter(|digits| is_digits(digits))?.parse().ok()
}

/// The number of a declared type; `None` for other texts.
pub(super) fn type_number(text: &str) -> Option<u32> {
    text.strip_prefix('#').filter(|digits| is_digits(digits))?.parse().ok()
}

fn is_punctuation(b: u8) -> bool {
    matches!(b, b'(' | b')' | b'{' | b'}' | b',' | b':' | b'=')
}
