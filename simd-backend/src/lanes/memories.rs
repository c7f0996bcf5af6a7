//! Memories while code accesses them.

use std::sync::atomic::AtomicU32;

/// The words of memories while compiled code accesses them, by number; none for a resource that is no memory.
///
/// Threads may share them. Code accesses a word by one load or store of 32 aligned bits, like these atomics with
/// relaxed order.
#[derive(Clone, Debug, Default)]
pub struct Memories<'m>(pub Vec<&'m [AtomicU32]>);

impl<'m> Memories<'m> {
    /// No memories.
    pub const NONE: Self = Self(Vec::new());

    /// The words of a memory.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn words(&self, number: usize) -> &'m [AtomicU32] {
        self.0[number]
    }
}
