//! The words of a program's inputs, stored as runs: a uniform or a constant may have millions of words.

use super::InputWord;
use super::extents::Resource;

/// The meaning of each word of a program's inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputWords {
    runs: Vec<Run>,
    words: usize,
}

/// Consecutive words with one meaning.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    /// The index of the first word.
    first: usize,
    what: What,
}

/// The meaning of consecutive words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// One word.
    One(InputWord),
    /// All words of the uniform of that index.
    Uniform(u32),
    /// The descriptor of the resource of that number.
    Descriptor(u32, Resource),
    /// The words of a constant.
    Constants(Box<[u32]>),
}

impl InputWords {
    /// Number of words.
    pub fn len(&self) -> usize {
        self.words
    }

    /// True if there are no words.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Adds words with one meaning and returns the index of the first.
    pub(crate) fn add(&mut self, what: What, words: usize) -> u32 {
        let first = self.words;
        if words > 0 {
            self.runs.push(Run { first, what });
            self.words += words;
        }
        first as u32
    }

    /// Adds a word and returns its index.
    pub fn push(&mut self, word: InputWord) -> u32 {
        self.add(What::One(word), 1)
    }

    /// Adds all words of a uniform and returns the index of the first.
    pub fn add_uniform(&mut self, index: u32, words: usize) -> u32 {
        self.add(What::Uniform(index), words)
    }

    /// Adds the descriptor of a resource and sets its first word.
    pub(super) fn add_descriptor(&mut self, number: u32, resource: &mut Resource) {
        resource.first = self.words as u32;
        let words = resource.words() as usize;
        self.add(What::Descriptor(number, resource.clone()), words);
    }

    /// Adds the words of a constant and returns the index of the first.
    pub fn add_constant(&mut self, words: &[u32]) -> u32 {
        self.add(What::Constants(words.into()), words.len())
    }

    /// The meaning of a word.
    ///
    /// # Panics
    ///
    /// If the word does not exist.
    pub fn get(&self, word: usize) -> InputWord {
        assert!(word < self.words, "there are {} words", self.words);
        let run = &self.runs[self.runs.partition_point(|run| run.first <= word) - 1];
        match &run.what {
            What::One(one) => one.clone(),
            What::Uniform(index) => InputWord::Uniform(*index, (word - run.first) as u32),
            What::Descriptor(number, resource) => {
                InputWord::Extent(*number, resource.extent((word - run.first) as u32))
            }
            What::Constants(words) => InputWord::Constant(words[word - run.first]),
        }
    }

    /// The runs of words with one meaning, in order.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (std::ops::Range<usize>, &What)> {
        self.runs.iter().enumerate().map(|(at, run)| {
            let end = self.runs.get(at + 1).map_or(self.words, |next| next.first);
            (run.first..end, &run.what)
        })
    }

    /// The meaning of each word, in order.
    pub fn iter(&self) -> impl Iterator<Item = InputWord> {
        (0..self.words).map(|word| self.get(word))
    }

    /// The values of all words: constants as they are, uniforms from `uniform`, single words from `other`.
    /// Descriptors are zero: they are filled in when data is bound.
    pub(crate) fn values<'a>(
        &self,
        uniform: impl Fn(u32) -> &'a [u32],
        other: impl Fn(&InputWord) -> u32,
    ) -> Vec<u32> {
        let mut values = Vec::with_capacity(self.words);
        for run in &self.runs {
            match &run.what {
                What::One(word) => values.push(other(word)),
                What::Uniform(index) => values.extend_from_slice(uniform(*index)),
                What::Descriptor(_, resource) => {
                    values.resize(values.len() + resource.words() as usize, 0);
                }
                What::Constants(words) => values.extend_from_slice(words),
            }
        }
        values
    }

    /// The words of a uniform, if it is read.
    pub(crate) fn uniform(&self, index: u32) -> Option<std::ops::Range<usize>> {
        self.runs().find(|(_, what)| **what == What::Uniform(index)).map(|(words, _)| words)
    }

    /// Words outside uniforms, descriptors and constants, with their indices.
    pub(crate) fn single(&self) -> impl Iterator<Item = (usize, &InputWord)> {
        self.runs.iter().filter_map(|run| match &run.what {
            What::One(word) => Some((run.first, word)),
            What::Uniform(_) | What::Descriptor(..) | What::Constants(_) => None,
        })
    }
}

impl FromIterator<InputWord> for InputWords {
    fn from_iter<I: IntoIterator<Item = InputWord>>(words: I) -> Self {
        let mut all = Self::default();
        for word in words {
            all.push(word);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_their_words() {
        let mut all: InputWords = [InputWord::Time, InputWord::Frame].into_iter().collect();
        assert_eq!(all.add_uniform(7, 3), 2);
        assert_eq!(all.add_uniform(8, 0), 5);
        assert_eq!(all.add_constant(&[5, 6]), 5);
        assert_eq!(all.push(InputWord::Mouse(1)), 7);
        let words: Vec<InputWord> = all.iter().collect();
        let uniform = |k| InputWord::Uniform(7, k);
        let constant = InputWord::Constant;
        let wanted = [
            InputWord::Time,
            InputWord::Frame,
            uniform(0),
            uniform(1),
            uniform(2),
            constant(5),
            constant(6),
            InputWord::Mouse(1),
        ];
        assert_eq!(words, wanted);
        assert_eq!(all.len(), 8);
        assert_eq!(all.uniform(7), Some(2..5));
        assert_eq!(all.uniform(8), None);
        let values = all.values(|_| &[10, 11, 12], |word| u32::from(*word == InputWord::Time));
        assert_eq!(values, [1, 0, 10, 11, 12, 5, 6, 0]);
        let single: Vec<usize> = all.single().map(|(number, _)| number).collect();
        assert_eq!(single, [0, 1, 7]);
    }
}
