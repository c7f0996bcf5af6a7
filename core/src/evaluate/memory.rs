//! The contents of memories while a dispatch runs.

use crate::memory::Atomic;
use crate::mutants::{Mutant, is_active};
use crate::types::{MemoryKind, Types};

/// The words of all memories of a program, by the number of the resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Empty for resources that are no memories.
    contents: Vec<Vec<u32>>,
}

impl Memory {
    /// Buffers without words, and variables of workgroups.
    pub fn new(types: &Types) -> Self {
        let mut memory = Self { contents: vec![Vec::new(); types.resources().len()] };
        memory.begin_workgroup(types);
        memory
    }

    /// Sets the words of the memory with this number.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn set(&mut self, number: usize, words: Vec<u32>) {
        self.contents[number] = words;
    }

    /// The words of the memory with this number.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn words(&self, number: usize) -> &[u32] {
        &self.contents[number]
    }

    /// The words of the memory with this number, to be changed.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn words_mut(&mut self, number: usize) -> &mut [u32] {
        &mut self.contents[number]
    }

    /// The words of each resource, by number; none for a resource that is no memory.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        self.contents.iter_mut().map(Vec::as_mut_slice)
    }

    /// The words of each resource, by number; none for a resource that is no memory.
    pub fn into_words(self) -> Vec<Vec<u32>> {
        self.contents
    }

    /// Adds the words of a further memory, which the program does not have.
    pub fn push(&mut self, words: Vec<u32>) {
        self.contents.push(words);
    }

    /// The number of resources.
    pub fn count(&self) -> usize {
        self.contents.len()
    }

    /// Removes the memories from a number on.
    pub fn truncate(&mut self, count: usize) {
        self.contents.truncate(count);
    }

    /// Fills variables of workgroups with zeros.
    pub fn begin_workgroup(&mut self, types: &Types) {
        for (number, kind) in types.memories() {
            if let MemoryKind::Workgroup(count) = kind {
                self.contents[number].clear();
                self.contents[number].resize(count as usize, 0);
            }
        }
    }

    /// The word at an index; 0 beyond the end.
    pub(super) fn load(&self, number: usize, index: u32) -> u32 {
        self.contents[number].get(index as usize).copied().unwrap_or(0)
    }

    /// Replaces the word at an index, if there is one.
    pub(super) fn store(&mut self, number: usize, index: u32, word: u32) {
        let words = &mut self.contents[number];
        let index = match is_active(Mutant::ClampedStore) {
            true => (index as usize).min(words.len().wrapping_sub(1)),
            false => index as usize,
        };
        if let Some(place) = words.get_mut(index) {
            *place = word;
        }
    }

    /// Replaces the word at an index by a function of it, if there is one, and returns the old word; 0 beyond the end.
    /// `words` are the operand and the comparand.
    pub(super) fn atomic(
        &mut self,
        number: usize,
        atomic: Atomic,
        index: u32,
        words: [u32; 2],
    ) -> u32 {
        let Some(place) = self.contents[number].get_mut(index as usize) else { return 0 };
        let old = *place;
        let atomic = match (is_active(Mutant::ExchangedAtomics), atomic) {
            (true, Atomic::Add) => Atomic::UintMax,
            (true, Atomic::UintMax) => Atomic::Add,
            (_, other) => other,
        };
        *place = atomic.apply(old, words[0], words[1]);
        if is_active(Mutant::NewWord) { *place } else { old }
    }
}
