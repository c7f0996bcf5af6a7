//! Bit sets.

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    pub(crate) fn insert(&mut self, index: usize) -> bool {
        if self.0.len() <= index / 64 {
            self.0.resize(index / 64 + 1, 0);
        }
        let (word, bit) = (&mut self.0[index / 64], 1 << (index % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Size in words.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds all elements of `others` that are not in `except`; true if any is new.
    pub(super) fn add(&mut self, others: &Self, except: &Self) -> bool {
        let mut is_new = false;
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        for (k, (word, other)) in self.0.iter_mut().zip(&others.0).enumerate() {
            let more = other & !except.0.get(k).copied().unwrap_or(0) & !*word;
            is_new |= more != 0;
            *word |= more;
        }
        is_new
    }
}
