//! Lines and columns of positions that mostly ascend.

use lambdav_core::source::{LineColumn, SourceFile};

/// Within so many bytes, counting from the last position is cheaper than a search.
const NEAR: u32 = 512;

/// The last position.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    at: u32,
    place: LineColumn,
    /// The end of its file; 0 before the first position.
    end: u32,
}

impl Default for Positions {
    fn default() -> Self {
        Self { at: 0, place: LineColumn { line: 1, column: 1 }, end: 0 }
    }
}

impl Positions {
    /// Line and column of a byte offset in its file.
    pub fn of(&mut self, offset: u32, source: &SourceFile) -> LineColumn {
        if (self.at..=self.end).contains(&offset) && offset - self.at <= NEAR && self.end > 0 {
            for &byte in &source.text().as_bytes()[self.at as usize..offset as usize] {
                if byte == b'\n' {
                    self.place = LineColumn { line: self.place.line + 1, column: 1 };
                } else if byte & 0xc0 != 0x80 {
                    self.place.column += 1;
                }
            }
        } else {
            self.place = source.line_column(offset);
            self.end = source.file(offset).span.end;
        }
        self.at = offset;
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions are those of the source, forwards, backwards, near and far, in all files.
    #[test]
    fn positions_are_those_of_the_source() {
        let text = "é = 1;\n\n\tλ();\r\n".repeat(60);
        let mut source = SourceFile::new("a", text.as_str());
        source.append("b".to_owned(), "b".to_owned(), "\u{feff}x\ny é z\n");
        source.append("c".to_owned(), "c".to_owned(), "");
        let all: Vec<u32> = source.text().char_indices().map(|(at, _)| at as u32).collect();
        let is_mark = |at: &&u32| !source.is_mark(**at as usize);
        let all: Vec<u32> = all.iter().filter(is_mark).copied().collect();
        for step in [1, 2, 7, 101, all.len() - 3] {
            let mut positions = Positions::default();
            let mut k = 0;
            for _ in 0..all.len() {
                let at = all[k];
                assert_eq!(positions.of(at, &source), source.line_column(at), "{step} {at}");
                k = (k + step) % all.len();
            }
        }
    }
}
