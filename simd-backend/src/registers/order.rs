//! The loops of a function, and an order of blocks that keeps the blocks of each loop together.

use super::{BlockId, End, RegisterFunction};

/// All reachable blocks, each after its dominators. The blocks of a loop are consecutive as far as
/// possible: exits are visited first by the depth-first search, and so come later in its reverse
/// postorder. Blocks that return a status come last.
pub(crate) fn order(function: &RegisterFunction) -> Vec<BlockId> {
    let depths = loop_depths(function);
    let is_first = |a: BlockId, b: BlockId| depths[a.index()] <= depths[b.index()];
    let mut order = function.reverse_postorder_by(is_first);
    order.sort_by_key(|id| matches!(function.blocks[id.index()].end, End::Return(_)));
    order
}

/// The loop depth of each block, by the block's number.
pub(crate) fn loop_depths(function: &RegisterFunction) -> Vec<u32> {
    let order = function.reverse_postorder();
    let loops = Loops::new(function, &order);
    let mut depths = vec![0; function.blocks.len()];
    for (index, id) in order.iter().enumerate() {
        depths[id.index()] = loops.depth(index);
    }
    depths
}

/// The loops of a function. Blocks are given by their indices in the order.
pub(super) struct Loops {
    /// The innermost loop of each block.
    of: Vec<Option<u32>>,
    loops: Vec<Loop>,
}

pub(super) struct Loop {
    pub(super) header: usize,
    /// The index of the loop's last block.
    pub(super) last: usize,
    /// The number of its blocks, inner loops included.
    blocks: usize,
    parent: Option<u32>,
    depth: u32,
}

impl Loops {
    pub(super) fn new(function: &RegisterFunction, order: &[BlockId]) -> Self {
        let mut index_of = vec![usize::MAX; function.blocks.len()];
        for (index, id) in order.iter().enumerate() {
            index_of[id.index()] = index;
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (index, id) in order.iter().enumerate() {
            for target in function.blocks[id.index()].end.targets() {
                before[index_of[target.block.index()]].push(index);
            }
        }
        let mut found = Self { of: vec![None; order.len()], loops: Vec::new() };
        // Inner loops first: their headers come later in the order.
        for header in (0..order.len()).rev() {
            let mut stack: Vec<usize> =
                before[header].iter().copied().filter(|&index| index >= header).collect();
            if stack.is_empty() {
                continue;
            }
            let this = found.loops.len() as u32;
            found.loops.push(Loop { header, last: header, blocks: 0, parent: None, depth: 1 });
            while let Some(index) = stack.pop() {
                // All blocks of an inner loop belong to this loop.
                let entry = match found.around(index).last() {
                    Some(known) if known == this => continue,
                    Some(inner) => {
                        let Loop { header, last, blocks, .. } = found.loops[inner as usize];
                        found.loops[inner as usize].parent = Some(this);
                        found.extend(this, last, blocks);
                        header
                    }
                    None => {
                        found.of[index] = Some(this);
                        found.extend(this, index, 1);
                        index
                    }
                };
                if entry != header {
                    stack.extend(&before[entry]);
                }
            }
        }
        for index in (0..found.loops.len()).rev() {
            let parent = found.loops[index].parent;
            found.loops[index].depth = 1 + parent.map_or(0, |p| found.loops[p as usize].depth);
        }
        found
    }

    fn extend(&mut self, this: u32, last: usize, blocks: usize) {
        let this = &mut self.loops[this as usize];
        this.last = this.last.max(last);
        this.blocks += blocks;
    }

    /// The loops whose blocks are not consecutive.
    pub(super) fn scattered(&self) -> Vec<&Loop> {
        self.loops.iter().filter(|l| l.last + 1 - l.header != l.blocks).collect()
    }

    /// The loops around a block, innermost first.
    fn around(&self, block: usize) -> impl Iterator<Item = u32> {
        std::iter::successors(self.of[block], |&l| self.loops[l as usize].parent)
    }

    pub(super) fn depth(&self, block: usize) -> u32 {
        self.of[block].map_or(0, |l| self.loops[l as usize].depth)
    }

    /// The last block of the outermost loop that contains `block` but not `other`, where `other`
    /// dominates `block`.
    pub(super) fn outermost_without(&self, block: usize, other: usize) -> Option<usize> {
        if block == other {
            return None;
        }
        let loops = self.around(block).map(|l| &self.loops[l as usize]);
        loops.take_while(|l| l.header > other).last().map(|l| l.last)
    }
}
