//! Source files and positions in them.

/// A half-open range of byte offsets into one [`SourceFile`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to but not including `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position for people: both numbers count from 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
}

/// The text of a program and the name by which messages call it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// How many characters begin before each block of [`CHARS_BLOCK`] bytes: a line may be all of
    /// the text.
    chars: Vec<u32>,
}

const CHARS_BLOCK: usize = 4096;

/// How many characters begin there.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

impl SourceFile {
    /// Takes over `text`; `name` is what messages show (a path, or `<stdin>`).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        let mut chars = vec![0];
        for block in text.as_bytes().chunks(CHARS_BLOCK) {
            chars.push(chars[chars.len() - 1] + beginnings(block) as u32);
        }
        Self { name: name.into(), text, line_starts, chars }
    }

    /// The name by which messages call this file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of `span`.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The line of a byte offset, counted from 0.
    pub(crate) fn line_index(&self, offset: u32) -> usize {
        // The first line starts at 0, so at least one start is not after the offset.
        self.line_starts.partition_point(|&start| start <= offset) - 1
    }

    /// The text of a line counted from 0, without its end and without a byte order mark.
    pub(crate) fn line_span(&self, index: usize) -> Span {
        let start = self.line_starts[index] as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        let line = &self.text[start..end];
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let mark = if index == 0 && content.starts_with('\u{feff}') { 3 } else { 0 };
        Span::new((start + mark) as u32, (start + content.len()) as u32)
    }

    /// Line and column of a byte offset; an offset past the end counts as the end. A byte order
    /// mark at the start of the text is not a column.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let mut column = self.chars_before(offset) - self.chars_before(start);
        if line == 1 && offset > 0 && self.text.starts_with('\u{feff}') {
            column -= 1;
        }
        LineColumn { line: line as u32, column: column as u32 + 1 }
    }

    /// How many characters begin before a byte.
    fn chars_before(&self, offset: usize) -> usize {
        let block = offset / CHARS_BLOCK;
        let rest = &self.text.as_bytes()[block * CHARS_BLOCK..offset];
        self.chars[block] as usize + beginnings(rest)
    }
}
