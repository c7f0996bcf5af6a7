//! Contents of variables on a way through the program.
//!
//! Each variable has a *slot*. Memories are copied at every branch, so equal chunks are shared.

use lambdav_core::graph::NodeId;
use std::rc::Rc;

const CHUNK: usize = 32;

/// The node in each slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    chunks: Vec<Rc<[NodeId; CHUNK]>>,
    len: usize,
}

impl Memory {
    /// The number of slots.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a slot and returns its number.
    pub(crate) fn push(&mut self, node: NodeId) -> usize {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Rc::new([NodeId(u32::MAX); CHUNK]));
        }
        self.len += 1;
        self.set(self.len - 1, node);
        self.len - 1
    }

    /// The node in a slot.
    pub(crate) fn get(&self, slot: usize) -> NodeId {
        debug_assert!(slot < self.len);
        self.chunks[slot / CHUNK][slot % CHUNK]
    }

    /// Sets the node in a slot.
    pub(crate) fn set(&mut self, slot: usize, node: NodeId) {
        if self.chunks[slot / CHUNK][slot % CHUNK] != node {
            Rc::make_mut(&mut self.chunks[slot / CHUNK])[slot % CHUNK] = node;
        }
    }

    /// Drops all slots from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = len.min(self.len);
        self.chunks.truncate(self.len.div_ceil(CHUNK));
    }

    /// The slots below `len` whose nodes differ from those in `other`.
    pub(crate) fn differing<'m>(
        &'m self,
        other: &'m Self,
        len: usize,
    ) -> impl Iterator<Item = usize> + 'm {
        let chunks = self.chunks.iter().zip(&other.chunks).enumerate();
        let different = chunks.filter(|(_, (a, b))| !Rc::ptr_eq(a, b));
        let slots = different.flat_map(|(k, (a, b))| {
            let slots = (0..CHUNK).filter(move |&i| a[i] != b[i]);
            slots.map(move |i| k * CHUNK + i)
        });
        slots.filter(move |&slot| slot < len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_and_differ() {
        let mut memory = Memory::default();
        for k in 0..100 {
            assert_eq!(memory.push(NodeId(k)), k as usize);
        }
        let mut other = memory.clone();
        other.set(3, NodeId(7));
        other.set(70, NodeId(70));
        other.set(99, NodeId(0));
        assert_eq!(memory.differing(&other, 100).collect::<Vec<_>>(), [3, 99]);
        assert_eq!(memory.differing(&other, 99).collect::<Vec<_>>(), [3]);
        assert_eq!((memory.get(3), other.get(3)), (NodeId(3), NodeId(7)));
        other.truncate(64);
        assert_eq!((other.len(), other.push(NodeId(9))), (64, 64));
    }
}
