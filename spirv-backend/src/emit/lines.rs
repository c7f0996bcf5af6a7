//! The embedded source, and positions in it.

use super::declarations::{Declarations, MAX_STRING, beginning, literal};
use lambdav_core::source::{LineColumn, SourceFile, Span};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, SourceLanguage, Word};
use rustc_hash::FxHashMap;

/// Source files, and lines and columns, from 1, of the starts of spans.
#[derive(Debug)]
pub(super) struct Lines {
    /// By index in the source.
    files: Vec<Word>,
    positions: FxHashMap<u32, (usize, LineColumn)>,
}

impl Lines {
    /// Embeds the source and finds the positions of all spans.
    pub(super) fn new(
        declarations: &mut Declarations<'_>,
        source: &SourceFile,
        spans: impl Iterator<Item = Span>,
    ) -> Self {
        let mut files = Vec::new();
        for file in source.files() {
            let id = declarations.id();
            files.push(id);
            let debug = &mut declarations.module.debug_string_source;
            let name = literal(&file.module_name);
            debug.push(Instruction::new(Op::String, None, Some(id), vec![name]));
        }
        let debug = &mut declarations.module.debug_string_source;
        for (file, id) in source.files().iter().zip(&files) {
            let mut rest = source.slice(file.span);
            let first = piece(&mut rest);
            let operands = vec![
                Operand::SourceLanguage(SourceLanguage::Unknown),
                Operand::LiteralBit32(lambdav_core::LANGUAGE_VERSION),
                Operand::IdRef(*id),
                first,
            ];
            debug.push(Instruction::new(Op::Source, None, None, operands));
            while !rest.is_empty() {
                let operands = vec![piece(&mut rest)];
                debug.push(Instruction::new(Op::SourceContinued, None, None, operands));
            }
        }
        let mut positions = FxHashMap::default();
        for Span { start, .. } in spans {
            let position = || (source.file_index(start), source.line_column(start));
            positions.entry(start).or_insert_with(position);
        }
        Self { files, positions }
    }

    /// An OpLine for a span.
    pub(super) fn instruction(&self, span: Span) -> Instruction {
        let first = (0, LineColumn { line: 1, column: 1 });
        let (file, at) = self.positions.get(&span.start).copied().unwrap_or(first);
        let operands = vec![
            Operand::IdRef(self.files[file]),
            Operand::LiteralBit32(at.line),
            Operand::LiteralBit32(at.column),
        ];
        Instruction::new(Op::Line, None, None, operands)
    }
}

/// Takes the longest prefix that fits in a string.
fn piece(rest: &mut &str) -> Operand {
    let first = beginning(rest, MAX_STRING);
    *rest = &rest[first.len()..];
    literal(first)
}
