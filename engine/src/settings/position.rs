//! Places in texts of settings.

use std::fmt;

/// A line and a column, in characters, of a text; both begin with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl TextPosition {
    /// Of that byte of a text.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { line, column: before[start..].chars().count() + 1 }
    }

    /// Of a place in a text that begins here.
    #[must_use]
    pub fn then(self, inner: Self) -> Self {
        match inner.line {
            1 => Self { line: self.line, column: self.column + inner.column - 1 },
            _ => Self { line: self.line + inner.line - 1, column: inner.column },
        }
    }
}

/// The place behind a message.
pub(super) fn suffix(at: &Option<TextPosition>) -> String {
    at.map_or(String::new(), |at| format!(" ({at})"))
}
