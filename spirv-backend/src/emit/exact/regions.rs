//! Groups the blocks of a dispatch loop ([`machine`](super::machine)) into cases.
//!
//! A selection without loops and library calls stays structured if no way leads out of it or into it
//! except through header and merge block. Its values then need no memory, and the machine has fewer
//! cases.

use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

pub(super) fn label(block: &Block) -> Word {
    block.label.as_ref().and_then(|label| label.result_id).expect("blocks have labels")
}

/// The ids among an instruction's operands.
pub(super) fn ids(instruction: &Instruction) -> impl Iterator<Item = Word> {
    instruction.operands.iter().filter_map(|operand| match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    })
}

/// The merge block of a selection that a block heads.
pub(super) fn merge_of(block: &Block) -> Option<Word> {
    let merge = block.instructions.iter().rev().take(2);
    let mut merge = merge.filter(|instruction| instruction.class.opcode == Op::SelectionMerge);
    merge.next().and_then(|merge| ids(merge).next())
}

/// Groups blocks, which are in the order of their nesting, into cases. All blocks of a case but the last
/// branch only inside it, and only the first is entered from outside.
pub(super) fn cases(blocks: Vec<Block>) -> Vec<Vec<Block>> {
    let indices: FxHashMap<Word, usize> =
        blocks.iter().enumerate().map(|(index, block)| (label(block), index)).collect();
    // Merge-block index for each header whose selection stays; innermost selections first.
    let mut ends: Vec<Option<usize>> = vec![None; blocks.len()];
    for (index, block) in blocks.iter().enumerate().rev() {
        let Some(&end) = merge_of(block).and_then(|merge| indices.get(&merge)) else { continue };
        let mut at = index + 1;
        // Walk from block to block, skipping inner selections that stay.
        let stays = loop {
            if at >= end {
                break at == end;
            }
            at = match ends[at] {
                Some(end) => end,
                None if merge_of(&blocks[at]).is_some() => break false,
                None => {
                    let last = blocks[at].instructions.last();
                    let is_branch = last.filter(|last| last.class.opcode == Op::Branch);
                    match is_branch.and_then(|last| ids(last).next()) {
                        Some(to) if indices.get(&to) == Some(&end) => at + 1,
                        _ => break false,
                    }
                }
            };
        };
        ends[index] = stays.then_some(end);
    }
    let mut cases: Vec<Vec<Block>> = Vec::new();
    let mut inside = 0;
    for (index, block) in blocks.into_iter().enumerate() {
        match cases.last_mut() {
            Some(case) if index <= inside => case.push(block),
            _ => cases.push(vec![block]),
        }
        inside = inside.max(ends[index].unwrap_or(0));
    }
    cases
}
