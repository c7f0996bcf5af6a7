//! Identifiers of a source text as numbers.

use rustc_hash::FxHashMap;

/// An identifier or keyword, by its number in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// All identifiers and keywords of a text, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, Name>,
}

impl Names {
    /// The number of a name, a new one if needed.
    pub fn number(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), name);
        name
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// All texts, in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// The number of a name that occurs.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }
}
