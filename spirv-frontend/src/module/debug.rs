//! The source text that a module embeds, and positions in it: by OpSource and OpLine, or by
//! NonSemantic.Shader.DebugInfo.100.
//!
//! If a file's text is not embedded, blanks replace the lines and columns that positions refer to.

use super::words::Instruction;
use crate::error::Result;
use lambdav_core::source::{SourceFile, Span};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The instruction set for debug information.
pub(super) const DEBUG_INFO: &str = "NonSemantic.Shader.DebugInfo.100";

/// Numbers of its instructions.
pub(super) const DEBUG_SOURCE: u32 = 35;
pub(super) const DEBUG_SOURCE_CONTINUED: u32 = 102;
pub(super) const DEBUG_LINE: u32 = 103;
pub(super) const DEBUG_NO_LINE: u32 = 104;

/// Limit in bytes of the blanks that replace missing text.
const MAX_BLANKS: usize = 1 << 18;

/// Columns below this are found by counting.
const NEAR: usize = 512;

/// A source file: the ids by which lines refer to it and of its name, and its text.
#[derive(Debug)]
struct File {
    id: u32,
    name: u32,
    text: String,
}

/// The source files of the module, with the embedded text.
#[derive(Debug, Default)]
pub(crate) struct DebugInfo {
    /// Strings by their ids.
    strings: FxHashMap<u32, String>,
    /// In order of declaration.
    files: Vec<File>,
    /// Name ids of files without text, by the ids by which lines refer to the files.
    names: FxHashMap<u32, u32>,
    /// True if OpSourceContinued extends the last file.
    continues: bool,
    /// Start of each line in the concatenated text, by file; the end of the last line is included.
    lines: FxHashMap<u32, Vec<u32>>,
}

impl DebugInfo {
    /// Reads an instruction that describes the source.
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

    /// Reads an instruction of [`DEBUG_INFO`].
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

    /// Adds blanks for missing texts, as far as `places` refer to them: file, line and column.
    pub(super) fn fill(&mut self, places: impl Iterator<Item = [u32; 3]>) {
        let known: FxHashSet<u32> = self.files.iter().map(|file| file.id).collect();
        let mut blanks: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for [file, line, column] in places.filter(|[file, ..]| !known.contains(file)) {
            let of_line = blanks.entry(file).or_default().entry(line).or_default();
            *of_line = (*of_line).max(column);
        }
        let mut left = MAX_BLANKS;
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

    /// The concatenated text, first file first; an empty text called `name` if there is none.
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

    /// The span of a file, line and column in the text of [`Self::source`], if it contains it.
    pub(crate) fn span(&self, [file, line, column]: [u32; 3], source: &SourceFile) -> Option<Span> {
        let lines = self.lines.get(&file)?;
        let row = line.checked_sub(1)? as usize;
        let (&start, &next) = (lines.get(row)?, lines.get(row + 1)?);
        let near = column.saturating_sub(1) as usize;
        let line = source.text().get(start as usize..next as usize - 1)?;
        if near < NEAR {
            // Most columns are small: counting from the start of the line is cheaper than a search.
            let mut ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            let at = start + ends.nth(near).unwrap_or(line.len()) as u32;
            let end = start + ends.next().unwrap_or(line.len()) as u32;
            return Some(Span::new(at, end));
        }
        let at = source.offset_behind(start, column.saturating_sub(1)).min(next - 1);
        let end = source.offset_behind(at, 1).min(next - 1);
        Some(Span::new(at, end))
    }
}

/// Strips the lines that glslang adds before a text; line numbers do not count them.
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
