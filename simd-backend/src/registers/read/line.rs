//! Lines of the text, and the words and marks in them.

use std::fmt::Display;
use std::str::FromStr;

use super::error::{ReadError, ReadErrorKind};

/// The lines of a text that are left, without comments and empty lines.
pub(super) struct Lines<'t> {
    /// Numbers from 1, and texts; in reverse.
    left: Vec<Line<'t>>,
    /// The number after the last line.
    after: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut left: Vec<Line<'t>> = (1..)
            .zip(text.lines())
            .map(|(number, text)| {
                let rest = text.split(';').next().unwrap_or_default().trim();
                Line { number, rest }
            })
            .filter(|line| !line.rest.is_empty())
            .collect();
        left.reverse();
        Self { left, after: text.lines().count() + 1 }
    }

    /// True if no line is left.
    pub(super) fn are_over(&self) -> bool {
        self.left.is_empty()
    }

    /// True if the next line begins with this text.
    pub(super) fn begins_with(&self, text: &str) -> bool {
        self.left.last().is_some_and(|line| line.rest.starts_with(text))
    }

    /// Takes the next line.
    ///
    /// # Errors
    ///
    /// If none is left.
    pub(super) fn take(&mut self) -> Result<Line<'t>, ReadError> {
        self.left.pop().ok_or(ReadErrorKind::TextEnds.at(self.after))
    }
}

/// The rest of a line.
pub(super) struct Line<'t> {
    number: usize,
    rest: &'t str,
}

/// True for characters of words; all others but spaces are marks.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.#".contains(c)
}

impl<'t> Line<'t> {
    /// Its number, from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The error that something else is expected here.
    pub(super) fn expected(&self, expected: &'static str) -> ReadError {
        match self.rest.trim_start() {
            "" => ReadErrorKind::LineEnds(expected).at(self.number),
            found => ReadErrorKind::Expected { expected, found: found.to_owned() }.at(self.number),
        }
    }

    /// The next word; empty if there is none.
    pub(super) fn peek(&self) -> &'t str {
        let rest = self.rest.trim_start();
        &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())]
    }

    /// Takes a word.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'t str, ReadError> {
        let word = self.peek();
        if word.is_empty() {
            return Err(self.expected(expected));
        }
        self.rest = &self.rest.trim_start()[word.len()..];
        Ok(word)
    }

    /// Takes a word if it is this one.
    pub(super) fn has(&mut self, word: &'static str) -> bool {
        self.peek() == word && self.word(word).is_ok()
    }

    /// Takes this word.
    ///
    /// # Errors
    ///
    /// If it is not there.
    pub(super) fn keyword(&mut self, word: &'static str) -> Result<(), ReadError> {
        if self.has(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    /// Takes a mark if it is this one.
    pub(super) fn has_mark(&mut self, mark: &'static str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(mark);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }

    /// Takes this mark.
    ///
    /// # Errors
    ///
    /// If it is not there.
    pub(super) fn mark(&mut self, mark: &'static str) -> Result<(), ReadError> {
        if self.has_mark(mark) { Ok(()) } else { Err(self.expected(mark)) }
    }

    /// Takes a word with its value, which is printed as this word.
    ///
    /// # Errors
    ///
    /// If there is another word or none.
    pub(super) fn printed<T: Display>(
        &mut self,
        expected: &'static str,
        value: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, ReadError> {
        let number = self.number;
        let word = self.word(expected)?;
        let value = value(word).filter(|value| value.to_string() == word);
        value.ok_or_else(|| ReadErrorKind::Number(word.to_owned()).at(number))
    }

    /// Takes a decimal number.
    ///
    /// # Errors
    ///
    /// If it is another word, or is not printed so.
    pub(super) fn decimal<T: FromStr + Display>(&mut self) -> Result<T, ReadError> {
        self.printed("a number", |word| word.parse().ok())
    }

    /// Takes a number above 0: parts of which there are none are not printed.
    ///
    /// # Errors
    ///
    /// If it is another word, or is not printed so.
    pub(super) fn positive(&mut self) -> Result<u32, ReadError> {
        self.printed("a number", |word| word.parse::<u32>().ok().filter(|&number| number > 0))
    }

    /// Takes the number of a part, which is due.
    ///
    /// # Errors
    ///
    /// If it is another.
    pub(super) fn counted(&mut self, expected: u32) -> Result<(), ReadError> {
        match self.decimal()? {
            found if found == expected => Ok(()),
            found => Err(ReadErrorKind::Order { expected, found }.at(self.number)),
        }
    }

    /// Takes a number in hexadecimal digits after `0x`: `digits` of them.
    ///
    /// # Errors
    ///
    /// If it is another word.
    pub(super) fn bits(&mut self, digits: usize) -> Result<u64, ReadError> {
        let number = self.number;
        let word = self.word("a number")?;
        let value = word.strip_prefix("0x").and_then(|word| u64::from_str_radix(word, 16).ok());
        let is_printed =
            |value: &u64| word.len() == digits + 2 && format!("0x{value:0digits$x}") == word;
        value.filter(is_printed).ok_or_else(|| ReadErrorKind::Number(word.to_owned()).at(number))
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    ///
    /// If something is.
    pub(super) fn end(&self) -> Result<(), ReadError> {
        match self.rest.trim_start() {
            "" => Ok(()),
            _ => Err(self.expected("the end of the line")),
        }
    }
}
