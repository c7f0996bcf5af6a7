//! The words of the memories of a compute program.
//!
//! They are those that a dispatch finds, and afterwards those that it leaves. A memory whose block has a length is
//! zero until data is bound.

use lambdav_core::memory_layout::MemoryLayout;
use lambdav_core::types::{MemoryKind, Types};
use std::sync::Arc;

/// The words of memories, by the numbers of resources; none for other resources, and without data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memories(Vec<Option<Arc<Vec<u32>>>>);

impl Memories {
    /// The words of each memory, by the numbers of resources, for a dispatch; `Err` with a memory without data.
    pub(crate) fn take(
        &mut self,
        types: &Types,
        layouts: impl Fn(usize) -> Option<MemoryLayout>,
    ) -> Result<Vec<Vec<u32>>, usize> {
        self.0.resize(types.resources().len(), None);
        let mut all = vec![Vec::new(); types.resources().len()];
        let is_bound = |kind| kind == MemoryKind::Storage;
        for (number, _) in types.memories().filter(|&(_, kind)| is_bound(kind)) {
            let layout = layouts(number);
            let open = layout.as_ref().and_then(|layout| layout.array.as_ref());
            match (&self.0[number], &layout) {
                (Some(_), _) => {}
                (None, Some(layout)) if open.is_none_or(|array| array.length.is_some()) => {
                    self.0[number] = Some(vec![0; layout.size(0) as usize].into());
                }
                (None, _) => return Err(number),
            }
        }
        for (words, of) in all.iter_mut().zip(&mut self.0) {
            if let Some(of) = of.take() {
                *words = Arc::unwrap_or_clone(of);
            }
        }
        Ok(all)
    }

    /// Puts the words of each memory back.
    pub(crate) fn put(&mut self, types: &Types, words: Vec<Vec<u32>>) {
        for (number, words) in words.into_iter().enumerate() {
            if types.memories().any(|of| of == (number, MemoryKind::Storage)) {
                self.set(number, words);
            }
        }
    }

    /// Sets the words of a memory.
    pub(crate) fn set(&mut self, number: usize, words: Vec<u32>) {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number] = Some(words.into());
    }

    /// The words of a memory; none without data.
    pub(crate) fn get(&self, number: usize) -> Option<&[u32]> {
        self.0.get(number)?.as_deref().map(Vec::as_slice)
    }
}
