//! Instructions whose results nothing needs.

use crate::emit::translator::Translator;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashSet;

impl Translator<'_> {
    /// Drops them from the blocks of the function that is open. (Calls may do more than compute.)
    pub(in crate::emit) fn drop_unused(&mut self) {
        let is_id = |operand: &Operand| match operand {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        };
        let ids = |instruction: &Instruction| -> Vec<Word> {
            instruction.operands.iter().filter_map(is_id).collect()
        };
        let blocks = &mut self.function.blocks;
        // What comes from a later round stands behind its φ.
        let all = blocks.iter().flat_map(|block| &block.instructions);
        let phis = all.filter(|instruction| instruction.class.opcode == Op::Phi);
        let mut used: FxHashSet<Word> = phis.flat_map(ids).collect();
        let mut dropped: FxHashSet<Word> = FxHashSet::default();
        for block in blocks.iter_mut().rev() {
            let mut kept = Vec::with_capacity(block.instructions.len());
            for instruction in std::mem::take(&mut block.instructions).into_iter().rev() {
                let is_needed = instruction.class.opcode == Op::FunctionCall
                    || instruction.result_id.is_none_or(|id| used.contains(&id));
                if is_needed {
                    used.extend(ids(&instruction));
                    kept.push(instruction);
                } else {
                    dropped.extend(instruction.result_id);
                }
            }
            kept.reverse();
            block.instructions = kept;
        }
        let is_kept = |instruction: &Instruction| {
            instruction.operands.first().and_then(is_id).is_none_or(|of| !dropped.contains(&of))
        };
        self.declarations.module.annotations.retain(is_kept);
        self.declarations.module.debug_names.retain(is_kept);
    }
}
