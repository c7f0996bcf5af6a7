//! The source that a module holds, and places in it: by OpSource and OpLine, or by NonSemantic.Shader.DebugInfo.100.
//!
//! Of a file whose text the module does not hold, lines and columns are known from what they are said of: its text is as many
//! blanks.

use super::words::Instruction;
use crate::error::Result;
use lambdav_core::source::{SourceFile, Span};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The set of instructions that says where things come from.
pub(super) const DEBUG_INFO: &str = "NonSemantic.Shader.DebugInfo.100";

/// Numbers of its instructions.
pub(super) const DEBUG_SOURCE: u32 = 35;
pub(super) const DEBUG_SOURCE_CONTINUED: u32 = 102;
pub(super) const DEBUG_LINE: u32 = 103;
pub(super) const DEBUG_NO_LINE: u32 = 104;

/// How many bytes the blanks may be that stand for all text that is not there.
const MOST_BLANKS: usize = 1 << 18;

/// A file: the id by which lines call it, that of its name, and its text.
#[derive(Debug)]
struct File {
    id: u32,
    name: u32,
    text: String,
}

/// The files that the module names, with their text as far as it is there.
#[derive(Debug, Default)]
pub(crate) struct DebugInfo {
    /// Strings by their ids.
    strings: FxHashMap<u32, String>,
    /// In order of declaration.
    files: Vec<File>,
    /// The names of files without text, by the ids by which lines call them.
    names: FxHashMap<u32, u32>,
    /// Whether the last of the files goes on.
    continues: bool,
    /// Where the lines of each file with a text begin in all text, the end of the last among them.
    lines: FxHashMap<u32, Vec<u32>>,
}

impl DebugInfo {
    /// Takes what one of the instructions says that are about the source.
    pub(crate) fn read(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        match instruction.op {
            Op::String => {
                let (text, _) = instruction.string(1)?;
                self.strings.insert(instruction.operand(0)?, text);
            }
            Op::Source => {
                self.continues = instruction.operands.len() > 3;
                if self.continues {
                    let (id, text) = (instruction.operand(2)?, instruction.string(3)?.0);
                    self.files.push(File { id, name: id, text });
                }
            }
            Op::SourceContinued if self.continues => {
                let (text, _) = instruction.string(0)?;
                self.files.last_mut().expect("one goes on").text += &text;
            }
            _ => {}
        }
        Ok(())
    }

    /// The same of an instruction of [`DEBUG_INFO`].
    pub(super) fn read_extended(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let text = |s: &Self, index| {
            let id = instruction.operands.get(index)?;
            s.strings.get(id).cloned()
        };
        match instruction.operand(3)? {
            DEBUG_SOURCE => {
                let (id, name) = (instruction.operand(1)?, instruction.operand(4)?);
                let held = text(self, 5).filter(|text| !text.is_empty());
                self.continues = held.is_some();
                match held {
                    Some(text) => self.files.push(File { id, name, text }),
                    None => drop(self.names.insert(id, name)),
                }
            }
            DEBUG_SOURCE_CONTINUED if self.continues => {
                if let Some(text) = text(self, 4) {
                    self.files.last_mut().expect("one goes on").text += &text;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes blanks of what is not there, of which these lines and columns are spoken of: file, line and column.
    pub(super) fn fill(&mut self, places: impl Iterator<Item = [u32; 3]>) {
        let known: FxHashSet<u32> = self.files.iter().map(|file| file.id).collect();
        let mut blanks: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for [file, line, column] in places.filter(|[file, ..]| !known.contains(file)) {
            let of_line = blanks.entry(file).or_default().entry(line).or_default();
            *of_line = (*of_line).max(column);
        }
        let mut left = MOST_BLANKS;
        for (id, lines) in blanks {
            let name = self.names.get(&id).copied().unwrap_or(id);
            if !self.strings.contains_key(&name) {
                continue;
            }
            let mut text = String::new();
            let mut before = 1;
            for (line, columns) in lines {
                let (lines, columns) = (line.saturating_sub(before) as usize, columns as usize);
                if lines + columns + text.len() > left {
                    break;
                }
                text.extend(std::iter::repeat_n('\n', lines));
                text.extend(std::iter::repeat_n(' ', columns));
                before = line.max(before);
            }
            left -= text.len();
            self.files.push(File { id, name, text });
        }
    }

    /// All text, of which the first file comes first; without one, an empty text of that name.
    pub(crate) fn source(&mut self, name: &str) -> SourceFile {
        let mut source: Option<SourceFile> = None;
        for File { id, name: of_file, text } in std::mem::take(&mut self.files) {
            let text = without_prologue(&text);
            let file = self.strings.get(&of_file).cloned().unwrap_or_else(|| name.to_owned());
            let start = match &mut source {
                None => {
                    source = Some(SourceFile::new(file, text));
                    0
                }
                Some(source) => {
                    let index = source.append(file.clone(), file, text);
                    source.files()[index].span.start
                }
            };
            let mut lines = vec![start];
            let ends = text.bytes().zip(start + 1..).filter(|&(byte, _)| byte == b'\n');
            lines.extend(ends.map(|(_, next)| next));
            lines.push(start + text.len() as u32 + 1);
            self.lines.entry(id).or_insert(lines);
        }
        source.unwrap_or_else(|| SourceFile::new(name, ""))
    }

    /// The place of a file, line and column in the text of [`Self::source`], if that has it.
    pub(crate) fn span(&self, [file, line, column]: [u32; 3], source: &SourceFile) -> Option<Span> {
        let lines = self.lines.get(&file)?;
        let row = line.checked_sub(1)? as usize;
        let (&start, &next) = (lines.get(row)?, lines.get(row + 1)?);
        let text = &source.text()[start as usize..next as usize - 1];
        let at = text.char_indices().nth(column.saturating_sub(1) as usize);
        let (at, character) = at.unwrap_or((text.len(), '\0'));
        let end = if at == text.len() { at } else { at + character.len_utf8() };
        Some(Span::new(start + at as u32, start + end as u32))
    }
}

/// A text without what glslang puts in front of it, whose lines do not count.
fn without_prologue(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once('\n') {
        match line.trim_end() {
            "#line 1" if rest.len() < text.len() => return behind,
            comment if comment.starts_with("// OpModuleProcessed ") => rest = behind,
            _ => break,
        }
    }
    text
}
