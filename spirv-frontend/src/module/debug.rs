//! The source that a module holds, and places in it.

use super::words::Instruction;
use crate::error::Result;
use lambdav_core::source::{SourceFile, Span};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// The files that the module names, with their text as far as it is there.
#[derive(Debug, Default)]
pub(crate) struct DebugInfo {
    /// Strings by their ids.
    strings: FxHashMap<u32, String>,
    /// Names of files, by ids of their strings, and texts, in order of declaration.
    files: Vec<(u32, String)>,
    /// Whether the last of them goes on.
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
                    self.files.push((instruction.operand(2)?, instruction.string(3)?.0));
                }
            }
            Op::SourceContinued if self.continues => {
                let (text, _) = instruction.string(0)?;
                self.files.last_mut().expect("one goes on").1 += &text;
            }
            _ => {}
        }
        Ok(())
    }

    /// All text, of which the first file comes first; without one, an empty text of that name.
    pub(crate) fn source(&mut self, name: &str) -> SourceFile {
        let mut source: Option<SourceFile> = None;
        for (id, text) in std::mem::take(&mut self.files) {
            let file = self.strings.get(&id).cloned().unwrap_or_else(|| name.to_owned());
            let start = match &mut source {
                None => {
                    source = Some(SourceFile::new(file, text.as_str()));
                    0
                }
                Some(source) => {
                    let index = source.append(file.clone(), file, &text);
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

    /// The place that an OpLine names, in the text of [`Self::source`], if that has it.
    pub(crate) fn span(&self, line: &Instruction<'_>, source: &SourceFile) -> Option<Span> {
        let &[file, line, column] = line.operands else { return None };
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
