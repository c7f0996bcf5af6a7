//! Lines as `#line` numbers them.

use lambdav_core::source::SourceFile;
use std::collections::BTreeMap;

/// The text's own numbers of lines and files.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// By the offset from which an entry holds, up to the next entry or the end of the file.
    entries: BTreeMap<u32, Entry>,
}

/// A file as `#line` calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceString {
    /// By a number, as GLSL does.
    Number(u32),
    /// By a path, as an extension does.
    Path(Box<str>),
}

#[derive(Clone, Debug)]
struct Entry {
    /// The line of the file behind the directive.
    physical: u32,
    /// Its number.
    line: u32,
    string: Option<SourceString>,
}

impl Lines {
    /// Records a `#line`. From `at`, in the line before `physical`, lines count from `line`.
    pub(super) fn set(&mut self, at: u32, physical: u32, line: u32, string: Option<SourceString>) {
        self.entries.insert(at, Entry { physical, line, string });
    }

    /// The line and file of an offset, if a `#line` of its file precedes it.
    pub fn place(&self, source: &SourceFile, offset: u32) -> Option<(u32, Option<&SourceString>)> {
        let (&at, entry) = self.entries.range(..=offset).next_back()?;
        if at < source.file(offset).span.start {
            return None;
        }
        // A token in the directive's own line has the line before.
        let lines = i64::from(source.line(offset)) - i64::from(entry.physical);
        let line = (i64::from(entry.line) + lines).clamp(0, i64::from(u32::MAX));
        Some((line as u32, entry.string.as_ref()))
    }

    /// True if the text has no `#line`.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
