//! Loops: their blocks, the roots that they access, and the ids used after them.

use super::facts::LoopFacts;
use super::roots::Effects;
use super::sets::BitSet;
use crate::error::{RaiseError, Result};
use crate::module::{Function, Merge, Module};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Limit of the blocks of all loops of a function together.
const LOOP_BLOCKS: usize = 1 << 22;

/// The loops of a function, by header block.
pub(super) fn loops(
    module: &Module<'_>,
    function: &Function<'_>,
    effects: &[Effects],
) -> Result<FxHashMap<usize, LoopFacts>> {
    let (mut all, mut work) = (FxHashMap::default(), 0);
    let mut users: Option<FxHashMap<u32, Vec<usize>>> = None;
    for (header, block) in function.blocks.iter().enumerate() {
        let Some(Merge::Loop(merge, _)) = block.merge else { continue };
        let merge = function.block(merge)?;
        let users = users.get_or_insert_with(|| users_of(function));
        let mut facts = LoopFacts::default();
        // All its blocks; and its blocks when constant conditions are evaluated.
        let blocks = reached(function, header, merge, |block| function.successors(block))?.0;
        let live = |block| live_successors(module, function, block);
        facts.comes_back = reached(function, header, merge, live)?.1;
        work += blocks.len();
        if work > LOOP_BLOCKS {
            return Err(RaiseError::too_large("loops are nested too deep"));
        }
        for &block in &blocks {
            facts.stores.add(&effects[block].stores, &BitSet::default());
            facts.reads.add(&effects[block].reads, &BitSet::default());
            let computed = function.blocks[block].instructions.iter().filter_map(|i| i.result());
            for id in computed {
                let is_outside = |user: &usize| !blocks.contains(user);
                if users.get(&id).is_some_and(|users| users.iter().any(is_outside)) {
                    facts.escaping.push(id);
                }
            }
        }
        // Sort in the order of ids, which is deterministic.
        facts.escaping.sort_unstable();
        all.insert(header, facts);
    }
    Ok(all)
}

/// The blocks between header and merge block; true if one of them branches to the header.
fn reached(
    function: &Function<'_>,
    header: usize,
    merge: usize,
    successors: impl Fn(usize) -> Result<Vec<usize>>,
) -> Result<(FxHashSet<usize>, bool)> {
    let (mut blocks, mut comes_back) = (FxHashSet::default(), false);
    let mut stack = vec![header];
    debug_assert!(header < function.blocks.len());
    while let Some(block) = stack.pop() {
        if block == merge || !blocks.insert(block) {
            continue;
        }
        let next = successors(block)?;
        comes_back |= next.contains(&header);
        stack.extend(next);
    }
    Ok((blocks, comes_back))
}

/// The successors of a block when a constant condition is evaluated.
fn live_successors(
    module: &Module<'_>,
    function: &Function<'_>,
    block: usize,
) -> Result<Vec<usize>> {
    let end = &function.blocks[block].end;
    if end.op == Op::BranchConditional
        && let Some(holds) = module.truth(end.operand(0)?)
    {
        return Ok(vec![function.block(end.operand(if holds { 1 } else { 2 })?)?]);
    }
    function.successors(block)
}

/// The blocks that use each id; a φ uses its operand in the predecessor.
fn users_of(function: &Function<'_>) -> FxHashMap<u32, Vec<usize>> {
    let mut users: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let mut add = |id, block| {
        let of: &mut Vec<usize> = users.entry(id).or_default();
        if of.last() != Some(&block) {
            of.push(block);
        }
    };
    for (index, block) in function.blocks.iter().enumerate() {
        for instruction in &block.instructions {
            if instruction.op == Op::Phi {
                for pair in instruction.rest(2).chunks_exact(2) {
                    if let Some(&from) = function.labels.get(&pair[1]) {
                        add(pair[0], from);
                    }
                }
                continue;
            }
            instruction.uses().iter().for_each(|&id| add(id, index));
        }
        block.end.uses().iter().for_each(|&id| add(id, index));
    }
    users
}
