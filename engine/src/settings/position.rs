//! Positions in texts of settings.

use std::fmt;

/// Line and column (in characters) in a text, both from 1.
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
    /// Position of a byte in a text.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { line, column: before[start..].chars().count() + 1 }
    }

    /// Position in the outer text of `inner`, a position in a text that begins at `self`.
    #[must_use]
    pub fn then(self, inner: Self) -> Self {
        match inner.line {
            1 => Self { line: self.line, column: self.column + inner.column - 1 },
            _ => Self { line: self.line + inner.line - 1, column: inner.column },
        }
    }
}

/// The position as a suffix of a message.
pub(super) fn suffix(at: &Option<TextPosition>) -> String {
    at.map_or(String::new(), |at| format!(" ({at})"))
}
