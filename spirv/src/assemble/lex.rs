//! The lexer of SPIR-V text.

use super::error::{AssembleError, AssembleErrorKind};
use lambdav_core::source::Span;

/// A word or a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    /// Source text; a string includes its quotation marks.
    pub(super) text: &'t str,
    pub(super) span: Span,
}

impl<'t> Token<'t> {
    /// True for the name of an instruction; no operand looks like one.
    pub(super) fn is_instruction(&self) -> bool {
        let name = self.text.strip_prefix("Op");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
    }

    /// The name of an id.
    pub(super) fn id(&self) -> Option<&'t str> {
        let name = self.text.strip_prefix('%')?;
        let is_good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_good)).then_some(name)
    }

    /// Contents of a string, unescaped.
    pub(super) fn string(&self) -> Option<String> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        let mut text = String::with_capacity(inner.len());
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            text.extend(if c == '\\' { chars.next() } else { Some(c) });
        }
        Some(text)
    }

    pub(super) fn error(&self, kind: AssembleErrorKind) -> AssembleError {
        AssembleError { span: self.span, kind }
    }
}

/// All tokens of a text of less than 4 GiB. Comments go from `;` to the end of the line.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, AssembleError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b';' => {
                at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            b'"' => match string_end(&bytes[at + 1..]) {
                Some(length) => at += length + 2,
                None => {
                    let span = Span::new(start as u32, start as u32 + 1);
                    return Err(AssembleError { span, kind: AssembleErrorKind::OpenString });
                }
            },
            _ => {
                let is_end = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'"');
                at += bytes[at..].iter().position(is_end).unwrap_or(bytes.len() - at);
            }
        }
        let span = Span::new(start as u32, at as u32);
        tokens.push(Token { text: &text[start..at], span });
    }
    Ok(tokens)
}

/// Index of the closing quotation mark.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
