//! Splits a script into lines of words.

use super::error::{AmberError, AmberErrorKind};
use lambdav_core::source::Span;
use std::str::FromStr;

pub(super) type Result<T> = std::result::Result<T, AmberError>;

/// Iterator over the lines of a script.
pub(super) struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next line with its offset.
    fn line(&mut self) -> Option<(usize, &'t str)> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.at += length;
        Some((start, &rest[..length]))
    }

    /// The next line that contains words.
    pub(super) fn next(&mut self) -> Option<Words<'t>> {
        loop {
            let (start, line) = self.line()?;
            // A line that ends with a backslash goes on in the next one.
            let mut last = line;
            while last.trim_end().ends_with('\\')
                && !last.contains('#')
                && let Some((_, next)) = self.line()
            {
                last = next;
            }
            let line = &self.text[start..self.at];
            let line = line.split('#').next().unwrap_or_default();
            if !line.trim().is_empty() {
                return Some(Words { line, start, at: 0 });
            }
        }
    }

    /// The place of the text up to the next line that begins with `[`, and that line, if there is one.
    pub(super) fn section(&mut self) -> (Span, Option<Words<'t>>) {
        let begin = self.at;
        while let Some((start, line)) = self.line() {
            if line.starts_with('[') {
                let span = Span::new(begin as u32, start as u32);
                return (span, Some(Words { line, start, at: 0 }));
            }
        }
        (Span::new(begin as u32, self.text.len() as u32), None)
    }

    /// Text up to the line `END`, with its offset.
    pub(super) fn block(&mut self, of: &Words<'_>, what: &'static str) -> Result<(u32, &'t str)> {
        let begin = self.at;
        while let Some((start, line)) = self.line() {
            if line.trim() == "END" {
                return Ok((begin as u32, &self.text[begin..start]));
            }
        }
        Err(AmberError { span: of.span(), kind: AmberErrorKind::NoEnd(what) })
    }
}

/// Iterator over the words of a line.
#[derive(Clone)]
pub(super) struct Words<'t> {
    line: &'t str,
    start: usize,
    at: usize,
}

impl<'t> Words<'t> {
    /// Words of a text at an offset of the script.
    pub(super) fn of(text: &'t str, start: u32) -> Self {
        Self { line: text, start: start as usize, at: 0 }
    }

    /// The whole line.
    pub(super) fn text(&self) -> &'t str {
        self.line
    }

    /// The whole line without surrounding white space.
    pub(super) fn span(&self) -> Span {
        let front = self.line.len() - self.line.trim_start().len();
        let end = self.line.trim_end().len().max(front);
        Span::new((self.start + front) as u32, (self.start + end) as u32)
    }

    pub(super) fn next(&mut self) -> Option<(&'t str, Span)> {
        let (from, word) = loop {
            let mut rest = self.line[self.at..].trim_start();
            // (Only a block of several lines still has comments.)
            while rest.starts_with('#') {
                rest = rest.split_once('\n').map_or("", |(_, after)| after).trim_start();
            }
            let from = self.line.len() - rest.len();
            let word = rest.split_whitespace().next()?;
            self.at = from + word.len();
            let is_end = |rest: &str| rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
            if word != "\\" || !is_end(&rest[word.len()..]) {
                break (from, word);
            }
        };
        let at = self.start + from;
        Some((word, Span::new(at as u32, (at + word.len()) as u32)))
    }

    /// Takes the next word if it is `wanted`.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let mut after = self.clone();
        let is = after.next().is_some_and(|(word, _)| word == wanted);
        if is {
            *self = after;
        }
        is
    }

    /// The words up to the last one, `END`; none if that is not the last word.
    pub(super) fn before_end(&mut self) -> Option<Self> {
        let front = self.line.trim_end().strip_suffix("END")?;
        let is_word = front.len() > self.at && front.ends_with(char::is_whitespace);
        let before = Self { line: front, ..self.clone() };
        is_word.then(|| self.at = self.line.len())?;
        Some(before)
    }

    pub(super) fn word(&mut self, expected: &'static str) -> Result<(&'t str, Span)> {
        let end = self.span().end;
        self.next().ok_or(AmberError {
            span: Span::new(end, end),
            kind: AmberErrorKind::Expected { expected, found: String::new() },
        })
    }

    pub(super) fn keyword(&mut self, wanted: &'static str) -> Result<()> {
        match self.word(wanted)? {
            (word, _) if word == wanted => Ok(()),
            (word, span) => Err(unexpected(wanted, word, span)),
        }
    }

    pub(super) fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T> {
        let (word, span) = self.word(expected)?;
        word.parse().map_err(|_| unexpected(expected, word, span))
    }

    pub(super) fn numbers<T: FromStr, const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[T; N]> {
        let all: Vec<T> = (0..N).map(|_| self.number(expected)).collect::<Result<_>>()?;
        all.try_into().map_err(|_| self.unsupported("an odd number of numbers"))
    }

    /// Fails if another word follows.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.next() {
            None => Ok(()),
            Some((word, span)) => {
                Err(AmberError { span, kind: AmberErrorKind::Unsupported(word.to_owned()) })
            }
        }
    }

    pub(super) fn unsupported(&self, what: impl Into<String>) -> AmberError {
        AmberError { span: self.span(), kind: AmberErrorKind::Unsupported(what.into()) }
    }
}

pub(super) fn unexpected(expected: &'static str, found: &str, span: Span) -> AmberError {
    AmberError { span, kind: AmberErrorKind::Expected { expected, found: found.to_owned() } }
}
