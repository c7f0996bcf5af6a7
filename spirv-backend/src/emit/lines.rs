//! The source in the module, and positions in it.

use super::declarations::{Declarations, MAX_STRING, beginning, literal};
use lambdav_core::source::{SourceFile, Span};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, SourceLanguage, Word};
use rustc_hash::FxHashMap;

/// Lines and columns, from 1, of the starts of spans.
#[derive(Debug)]
pub(super) struct Lines {
    file: Word,
    positions: FxHashMap<u32, (u32, u32)>,
}

impl Lines {
    /// Puts the source into the module, and finds the positions of all spans, in one walk over the
    /// text.
    pub(super) fn new(
        declarations: &mut Declarations<'_>,
        source: &SourceFile,
        spans: impl Iterator<Item = Span>,
    ) -> Self {
        let file = declarations.id();
        let debug = &mut declarations.module.debug_string_source;
        let name = literal(source.name());
        debug.push(Instruction::new(Op::String, None, Some(file), vec![name]));
        let mut rest = source.text();
        let first = piece(&mut rest);
        let operands = vec![
            Operand::SourceLanguage(SourceLanguage::Unknown),
            Operand::LiteralBit32(lambdav_core::LANGUAGE_VERSION),
            Operand::IdRef(file),
            first,
        ];
        debug.push(Instruction::new(Op::Source, None, None, operands));
        while !rest.is_empty() {
            let operands = vec![piece(&mut rest)];
            debug.push(Instruction::new(Op::SourceContinued, None, None, operands));
        }
        Self { file, positions: positions(source.text(), spans) }
    }

    /// The instruction that says that what follows comes from there.
    pub(super) fn instruction(&self, span: Span) -> Instruction {
        let (line, column) = self.positions.get(&span.start).copied().unwrap_or((1, 1));
        let operands = vec![
            Operand::IdRef(self.file),
            Operand::LiteralBit32(line),
            Operand::LiteralBit32(column),
        ];
        Instruction::new(Op::Line, None, None, operands)
    }
}

/// Takes as much of the text as a string may hold.
fn piece(rest: &mut &str) -> Operand {
    let first = beginning(rest, MAX_STRING);
    *rest = &rest[first.len()..];
    literal(first)
}

fn positions(text: &str, spans: impl Iterator<Item = Span>) -> FxHashMap<u32, (u32, u32)> {
    let mut starts: Vec<u32> = spans.map(|span| span.start).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut found = FxHashMap::default();
    let mut starts = starts.into_iter().peekable();
    let (mut line, mut column) = (1, 1);
    for (offset, character) in text.char_indices() {
        while let Some(start) = starts.next_if(|&start| start as usize <= offset) {
            found.insert(start, (line, column));
        }
        match character {
            '\n' => (line, column) = (line + 1, 1),
            // A byte order mark is no column.
            '\u{feff}' if offset == 0 => {}
            _ => column += 1,
        }
    }
    found.extend(starts.map(|start| (start, (line, column))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As messages count them.
    #[test]
    fn as_in_messages() {
        for text in ["(+ 1\n  ä (sin 2))\n\n x", "\u{feff}(vec3 1)\r\n(f)", ""] {
            let source = SourceFile::new("a.lv", text);
            let offsets = text.char_indices().map(|(i, _)| i as u32).chain([text.len() as u32]);
            let spans = offsets.clone().map(|offset| Span::new(offset, offset));
            let found = positions(text, spans);
            for offset in offsets {
                let wanted = source.line_column(offset);
                assert_eq!(found[&offset], (wanted.line, wanted.column), "{offset} of {text:?}");
            }
        }
    }
}
