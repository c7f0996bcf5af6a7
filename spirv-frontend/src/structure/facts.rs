//! What is known of functions and loops.

use super::sets::BitSet;
use rustc_hash::FxHashMap;

/// What is known of a function.
#[derive(Debug)]
pub(crate) struct FunctionFacts {
    /// Ids of the roots: parameters that are pointers, variables, variables of the module.
    pub(crate) roots: Vec<u32>,
    /// The first root that is no parameter, and the first that is a variable of the module.
    pub(crate) bounds: [usize; 2],
    /// Roots by their ids.
    pub(crate) root_of: FxHashMap<u32, usize>,
    /// The roots that a caller sees written.
    pub(super) stores: BitSet,
    /// Roots that are live where each block begins.
    pub(super) live: Vec<BitSet>,
    /// Roots that are live at the end.
    pub(super) live_at_end: BitSet,
    /// The blocks from which control comes to each block, each once.
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// By the blocks of their headers.
    pub(crate) loops: FxHashMap<usize, LoopFacts>,
}

impl FunctionFacts {
    /// Whether a root may be read before it is written, from the beginning of that block on, or after the
    /// function.
    pub(crate) fn is_live(&self, block: Option<usize>, root: usize) -> bool {
        match block {
            Some(block) => self.live[block].contains(root),
            None => self.live_at_end.contains(root),
        }
    }
}

/// What is known of a loop.
#[derive(Debug, Default)]
pub(crate) struct LoopFacts {
    /// Whether control may come back to the header, as far as constants tell.
    pub(crate) comes_back: bool,
    /// The roots that it may write.
    pub(crate) stores: BitSet,
    /// The ids that it computes and that are used behind it.
    pub(crate) escaping: Vec<u32>,
}
