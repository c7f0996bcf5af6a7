//! Facts about functions and loops.

use super::sets::BitSet;
use rustc_hash::FxHashMap;

/// Facts about a function.
#[derive(Debug)]
pub(crate) struct FunctionFacts {
    /// Ids of the roots: first pointer parameters, then variables, then variables of the module.
    pub(crate) roots: Vec<u32>,
    /// Indices of the first root that is no parameter and of the first that is a variable of the module.
    pub(crate) bounds: [usize; 2],
    /// Indices of roots by id.
    pub(crate) root_of: FxHashMap<u32, usize>,
    /// Roots whose stores are visible to a caller.
    pub(crate) stores: BitSet,
    /// Roots that are live at the beginning of each block.
    pub(super) live: Vec<BitSet>,
    /// Roots that are live at the end of the function.
    pub(super) live_at_end: BitSet,
    /// The predecessors of each block, each once.
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// Loops by header block.
    pub(crate) loops: FxHashMap<usize, LoopFacts>,
}

impl FunctionFacts {
    /// True if a root is live at the beginning of a block, or, for `None`, at the end of the function.
    pub(crate) fn is_live(&self, block: Option<usize>, root: usize) -> bool {
        match block {
            Some(block) => self.live[block].contains(root),
            None => self.live_at_end.contains(root),
        }
    }
}

/// Facts about a loop.
#[derive(Debug, Default)]
pub(crate) struct LoopFacts {
    /// True if a way leads back to the header; constant conditions are evaluated.
    pub(crate) comes_back: bool,
    /// Roots that the loop may write.
    pub(crate) stores: BitSet,
    /// Roots that the loop may read before it has written all of them.
    pub(crate) reads: BitSet,
    /// Ids that the loop computes and that are used after it.
    pub(crate) escaping: Vec<u32>,
}
