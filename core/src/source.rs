//! Source files and positions in them.

/// A half-open range of byte offsets into the text of a [`SourceFile`].
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

/// A position as shown to users: line and column count from 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
}

/// The text of a program, which may consist of several files, and the file names used in messages.
///
/// The files are concatenated, each starting on a new line, so a [`Span`] determines its file. The program's
/// main file comes first, then the files that it includes.
#[derive(Clone, Debug)]
pub struct SourceFile {
    text: String,
    line_starts: Vec<u32>,
    /// The number of characters that begin before each block of [`CHARS_BLOCK`] bytes. A line may be as long
    /// as the whole text, so columns need this index.
    chars: Vec<u32>,
    /// At least one; ascending by position.
    files: Vec<FilePart>,
    /// Ascending by position.
    inclusions: Box<[Inclusion]>,
}

/// One of the files of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The name in messages.
    pub name: String,
    /// The name in a module, which does not depend on how the program's path was spelt: the file's name, or
    /// its path relative to the folder of the main file.
    pub module_name: String,
    /// The position of its text.
    pub span: Span,
}

/// An `include` of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// The offset at which the form begins.
    pub at: u32,
    /// The index of the included file; `None` if it was included before, or could not be read.
    pub file: Option<usize>,
}

const CHARS_BLOCK: usize = 4096;

/// The number of characters that begin in these bytes.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

impl SourceFile {
    /// A program of one file; `name` is shown in messages (a path, or `<stdin>`).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        let module_name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let span = Span::new(0, text.len() as u32);
        let mut source = Self {
            text,
            line_starts: vec![0],
            chars: vec![0],
            files: vec![FilePart { name, module_name, span }],
            inclusions: Box::default(),
        };
        source.index(0);
        source
    }

    /// The same files with another text of the same length and the same line breaks.
    pub fn with_text(&self, text: String) -> Self {
        debug_assert_eq!(text.len(), self.text.len(), "positions stay what they are");
        let mut source = Self { text, line_starts: vec![0], chars: vec![0], ..self.clone() };
        source.index(0);
        source
    }

    /// Adds a file and returns its index; the names are those of [`FilePart`].
    pub fn append(&mut self, name: String, module_name: String, text: &str) -> usize {
        let from = self.text.len();
        self.text.push('\n');
        self.text += text;
        self.index(from);
        let span = Span::new(from as u32 + 1, self.text.len() as u32);
        self.files.push(FilePart { name, module_name, span });
        self.files.len() - 1
    }

    /// Records the included file of each `include`.
    pub fn set_inclusions(&mut self, mut all: Vec<Inclusion>) {
        all.sort_unstable_by_key(|inclusion| inclusion.at);
        self.inclusions = all.into();
    }

    /// Indexes the text added from offset `from` on.
    fn index(&mut self, from: usize) {
        let added = self.text.as_bytes()[from..].iter().zip(from as u32 + 1..);
        self.line_starts.extend(added.filter(|&(&b, _)| b == b'\n').map(|(_, next)| next));
        let blocks = from / CHARS_BLOCK;
        self.chars.truncate(blocks + 1);
        for block in self.text.as_bytes()[blocks * CHARS_BLOCK..].chunks(CHARS_BLOCK) {
            self.chars.push(self.chars[self.chars.len() - 1] + beginnings(block) as u32);
        }
    }

    /// The files, the main file first.
    pub fn files(&self) -> &[FilePart] {
        &self.files
    }

    /// The index of the file that holds this offset.
    pub fn file_index(&self, offset: u32) -> usize {
        self.files.partition_point(|file| file.span.start <= offset).max(1) - 1
    }

    /// The file that holds this offset.
    pub fn file(&self, offset: u32) -> &FilePart {
        &self.files[self.file_index(offset)]
    }

    /// The `include` that begins at this offset.
    pub fn inclusion(&self, at: u32) -> Option<Inclusion> {
        let found = self.inclusions.binary_search_by_key(&at, |inclusion| inclusion.at).ok()?;
        Some(self.inclusions[found])
    }

    /// The name of the main file in messages.
    pub fn name(&self) -> &str {
        &self.files[0].name
    }

    /// The whole text, of all files.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of `span`.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The line of a byte offset, counted from 0 through all files.
    pub(crate) fn line_index(&self, offset: u32) -> usize {
        // The first line starts at 0, so at least one line starts at or before the offset.
        self.line_starts.partition_point(|&start| start <= offset) - 1
    }

    /// The number of lines before a file.
    pub(crate) fn lines_before(&self, file: &FilePart) -> usize {
        self.line_index(file.span.start)
    }

    /// The span of a line, counted from 0 through all files, without its line break and without a byte order
    /// mark.
    pub(crate) fn line_span(&self, index: usize) -> Span {
        let start = self.line_starts[index] as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        let line = &self.text[start..end];
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let mark = if self.is_mark(start) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        Span::new((start + mark) as u32, (start + content.len()) as u32)
    }

    /// True if a byte order mark begins at this offset: only at the start of a file.
    pub fn is_mark(&self, at: usize) -> bool {
        self.file(at as u32).span.start as usize == at
            && self.text[at..].starts_with(BYTE_ORDER_MARK)
    }

    /// Line and column of a byte offset in its file. An offset past the end counts as the end. A byte order
    /// mark at the start of a file is not a column.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = offset.min(self.text.len() as u32);
        let (line, file) = (self.line_index(offset), self.file(offset));
        let start = self.line_starts[line];
        let mut column = self.chars_before(offset as usize) - self.chars_before(start as usize);
        if offset > start && self.is_mark(start as usize) {
            column -= 1;
        }
        let line = (line - self.lines_before(file)) as u32 + 1;
        LineColumn { line, column: column as u32 + 1 }
    }

    /// The line of a byte offset in its file, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        (self.line_index(offset) - self.lines_before(self.file(offset))) as u32 + 1
    }

    /// The byte offset of the character that stands `count` characters behind the byte `from`, at most the length
    /// of the text.
    pub fn offset_behind(&self, from: u32, count: u32) -> u32 {
        let wanted = self.chars_before(from as usize) + count as usize;
        let block =
            self.chars.partition_point(|&before| before as usize <= wanted).saturating_sub(1);
        let start = block * CHARS_BLOCK;
        let mut left = wanted - self.chars[block] as usize;
        let bytes = &self.text.as_bytes()[start.min(self.text.len())..];
        // A block may begin inside of a character, which counts to the block before.
        let at = bytes.iter().position(|&byte| {
            let begins = beginnings(&[byte]) == 1;
            let is_wanted = begins && left == 0;
            left -= usize::from(begins && !is_wanted);
            is_wanted
        });
        at.map_or(self.text.len(), |at| start + at) as u32
    }

    /// The number of characters that begin before a byte.
    fn chars_before(&self, offset: usize) -> usize {
        let block = offset / CHARS_BLOCK;
        let rest = &self.text.as_bytes()[block * CHARS_BLOCK..offset];
        self.chars[block] as usize + beginnings(rest)
    }
}

/// Some editors write it at the start of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters are found behind any beginning of another, also in other blocks and at the end of the text.
    #[test]
    fn characters_behind_a_byte() {
        let text = "aé\nλx".repeat(CHARS_BLOCK / 4);
        let source = SourceFile::new("a", text.as_str());
        let places: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).collect();
        for from in (0..places.len()).step_by(97) {
            for count in [0, 1, 2, 3, 1000, 3000, 10_000] {
                let wanted = places.get(from + count).map_or(text.len() as u32, |&at| at);
                assert_eq!(
                    source.offset_behind(places[from], count as u32),
                    wanted,
                    "{from} {count}"
                );
            }
        }
    }

    /// Positions are the same as in each file on its own.
    #[test]
    fn files_behind_one_another() {
        let texts = ["(a)\n ä b\n", "\u{feff}(c\n d)", "", "x\ny"];
        let long = "é\n".repeat(CHARS_BLOCK);
        let texts: Vec<&str> = texts.into_iter().chain([long.as_str(), "z"]).collect();
        let mut all = SourceFile::new("a/0", texts[0]);
        for (i, text) in texts.iter().enumerate().skip(1) {
            assert_eq!(all.append(format!("{i}"), String::new(), text), i);
        }
        assert_eq!((all.name(), all.files()[0].module_name.as_str()), ("a/0", "0"));
        for (i, text) in texts.iter().enumerate() {
            let alone = SourceFile::new("alone", *text);
            let part = all.files()[i].span;
            assert_eq!(all.slice(part), *text);
            for offset in (0..=text.len() as u32).filter(|&o| text.is_char_boundary(o as usize)) {
                let at = part.start + offset;
                assert_eq!(
                    (all.file_index(at), all.line_column(at)),
                    (i, alone.line_column(offset))
                );
            }
        }
    }

    #[test]
    fn what_includes_stand_for() {
        let mut source = SourceFile::new("", "");
        let all = [(7, Some(2)), (3, None), (5, Some(1))];
        source.set_inclusions(all.map(|(at, file)| Inclusion { at, file }).into());
        for (at, file) in all {
            assert_eq!(source.inclusion(at), Some(Inclusion { at, file }));
        }
        assert_eq!(source.inclusion(4), None);
    }
}
