//! The words of a command.

use std::str::FromStr;

/// Words that have not been taken yet.
pub(super) struct Options<'c> {
    words: Vec<&'c str>,
}

impl<'c> Options<'c> {
    pub(super) fn new(command: &'c str) -> Self {
        Self { words: command.split_whitespace().collect() }
    }

    /// Takes the first word.
    pub(super) fn word(&mut self) -> Option<&'c str> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// Takes a word. The result is true if it was there.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        let at = self.words.iter().position(|word| *word == name);
        at.map(|at| self.words.remove(at)).is_some()
    }

    /// Takes an option and its value.
    ///
    /// # Errors
    ///
    /// If the value is absent or of another kind.
    pub(super) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(at) = self.words.iter().position(|word| *word == name) else { return Ok(None) };
        self.words.remove(at);
        if at == self.words.len() {
            return Err(format!("`{name}` has no value"));
        }
        let word = self.words.remove(at);
        word.parse().map(Some).map_err(|_| format!("`{word}` is no value of `{name}`"))
    }

    /// Takes an option whose value is a list, with commas and without spaces.
    ///
    /// # Errors
    ///
    /// As of [`Self::value`].
    pub(super) fn list<T: FromStr>(&mut self, name: &str) -> Result<Option<Vec<T>>, String> {
        let Some(words) = self.value::<String>(name)? else { return Ok(None) };
        let value =
            |word: &str| word.parse().map_err(|_| format!("`{word}` is no value of `{name}`"));
        words.split(',').map(value).collect::<Result<_, _>>().map(Some)
    }

    /// Checks that all words have been taken.
    ///
    /// # Errors
    ///
    /// If one is left.
    pub(super) fn end(&self) -> Result<(), String> {
        match self.words.first() {
            Some(word) => Err(format!("the command has no option `{word}`")),
            None => Ok(()),
        }
    }
}
