//! Logical text of a GLSL program: newlines are `\n`, continued lines are joined, and each comment is a
//! blank (GLSL ES 3.20 §3.10, phases 4, 6 and 7).

use std::str::CharIndices;

/// A logical text, with a map of its bytes to the written text.
#[derive(Default)]
pub(super) struct Logical {
    pub(super) text: String,
    /// Pairs of offsets, in the logical and the written text, at which their distance changes;
    /// ascending.
    jumps: Vec<(usize, usize)>,
}

impl Logical {
    pub(super) fn new(written: &str) -> Self {
        let mut characters = Characters { text: written, left: written.char_indices() };
        let mut logical = Self::default();
        while let Some((at, c)) = characters.next() {
            let mut ahead = characters.clone();
            match (c, ahead.next().map(|(_, next)| next)) {
                ('/', Some('/')) => {
                    characters = ahead.clone();
                    while ahead.next().is_some_and(|(_, c)| c != '\n') {
                        characters = ahead.clone();
                    }
                    logical.push(' ', at);
                }
                ('/', Some('*')) => {
                    let mut before = ' ';
                    for (_, c) in ahead.by_ref() {
                        if (before, c) == ('*', '/') {
                            break;
                        }
                        before = c;
                    }
                    characters = ahead;
                    logical.push(' ', at);
                }
                _ => logical.push(c, at),
            }
        }
        logical
    }

    fn push(&mut self, c: char, at: usize) {
        let expected = self.jumps.last().map_or(0, |(here, there)| there + self.text.len() - here);
        if expected != at {
            self.jumps.push((self.text.len(), at));
        }
        self.text.push(c);
    }

    /// Offset in the written text.
    pub(super) fn written(&self, offset: usize) -> usize {
        let index = self.jumps.partition_point(|(here, _)| *here <= offset);
        index.checked_sub(1).map_or(offset, |index| {
            let (here, there) = self.jumps[index];
            there + offset - here
        })
    }
}

/// The characters of a text with their offsets, without line continuations.
#[derive(Clone)]
struct Characters<'t> {
    text: &'t str,
    left: CharIndices<'t>,
}

impl Characters<'_> {
    /// The next character; a newline is one or two characters in the text.
    fn any(&mut self) -> Option<(usize, char)> {
        let (at, c) = self.left.next()?;
        let second = match c {
            '\n' => '\r',
            '\r' => '\n',
            _ => return Some((at, c)),
        };
        if self.text[at + 1..].starts_with(second) {
            self.left.next();
        }
        Some((at, '\n'))
    }
}

impl Iterator for Characters<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<(usize, char)> {
        loop {
            let (at, c) = self.any()?;
            if c != '\\' {
                return Some((at, c));
            }
            let mut ahead = self.clone();
            match ahead.any() {
                Some((_, '\n')) => *self = ahead,
                _ => return Some((at, c)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(written: &str, logical: &str) {
        let found = Logical::new(written);
        assert_eq!(found.text, logical, "{written:?}");
        for (offset, c) in found.text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
            assert!(written[found.written(offset)..].starts_with(c), "{written:?} {offset}");
        }
    }

    #[test]
    fn comments_are_blanks_and_continued_lines_are_one() {
        is("a /* x\n */ b // y\nc", "a   b  \nc");
        is("a /* x */\n/* y */ b", "a  \n  b");
        is("a\r\nb\n\rc\rd", "a\nb\nc\nd");
        is("a\\\nb\\\r\nc \\ d\\", "abc \\ d\\");
        is("/\\\n/ a\\\nb\nc", " \nc");
        is("/\\\n* a *\\\n/b", " b");
        is("é/**/ü /* /* */ c", "é ü   c");
        is("a // b", "a  ");
        is("a /* b", "a  ");
    }
}
