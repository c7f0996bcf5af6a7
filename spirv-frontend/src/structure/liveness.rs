//! Live roots at the beginning of each block: a backward data-flow analysis to a fixed point.

use super::roots::Effects;
use super::sets::BitSet;
use crate::error::{RaiseError, Result};
use crate::module::Function;
use rspirv::spirv::Op;

/// Limit of the words of all sets of a function.
const SET_WORDS: usize = 1 << 24;

/// The live roots at the beginning of each block.
pub(super) fn live_variables(
    function: &Function<'_>,
    effects: &[Effects],
    live_at_end: &BitSet,
) -> Result<Vec<BitSet>> {
    let blocks = function.blocks.len();
    let words = effects.iter().map(|of| of.stores.len().max(of.reads.len())).max();
    if blocks.saturating_mul(words.unwrap_or(0)) > SET_WORDS {
        return Err(RaiseError::too_large("a function has too many blocks and variables"));
    }
    let mut live: Vec<BitSet> = effects.iter().map(|of| of.reads.clone()).collect();
    let mut successors = Vec::with_capacity(blocks);
    let mut predecessors = vec![Vec::new(); blocks];
    for block in 0..blocks {
        let next = function.successors(block)?;
        next.iter().for_each(|&next| predecessors[next].push(block));
        successors.push(next);
    }
    for (block, of) in function.blocks.iter().enumerate() {
        if matches!(of.end.op, Op::Return | Op::ReturnValue) {
            live[block].add(live_at_end, &effects[block].writes);
        }
    }
    let mut queue: Vec<usize> = (0..blocks).collect();
    let mut is_queued = vec![true; blocks];
    while let Some(block) = queue.pop() {
        is_queued[block] = false;
        let mut is_new = false;
        for &next in &successors[block] {
            let after = live[next].clone();
            is_new |= live[block].add(&after, &effects[block].writes);
        }
        // All blocks are queued at first, later the predecessors of a changed block.
        if is_new {
            for &before in &predecessors[block] {
                if !std::mem::replace(&mut is_queued[before], true) {
                    queue.push(before);
                }
            }
        }
    }
    Ok(live)
}
