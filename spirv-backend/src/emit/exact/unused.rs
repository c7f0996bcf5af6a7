//! Dead-code elimination.

use super::regions::ids;
use crate::emit::translator::Translator;
use crate::mutants::{Mutant, is_active};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashSet;

impl Translator<'_> {
    /// Drops instructions of the open function whose results are unused. (Calls and atomic operations may have effects.)
    pub(in crate::emit) fn drop_unused(&mut self) {
        let blocks = &mut self.function.blocks;
        // The operands of φ's may be defined later, by loops.
        let all = blocks.iter().flat_map(|block| &block.instructions);
        let phis = all.filter(|instruction| instruction.class.opcode == Op::Phi);
        let mut used: FxHashSet<Word> = phis.flat_map(ids).collect();
        let mut dropped: FxHashSet<Word> = FxHashSet::default();
        for block in blocks.iter_mut().rev() {
            let mut kept = Vec::with_capacity(block.instructions.len());
            for instruction in std::mem::take(&mut block.instructions).into_iter().rev() {
                let is_needed = has_effect(instruction.class.opcode)
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
        // The first operand is the decorated or named id.
        let is_kept = |instruction: &Instruction| match instruction.operands.first() {
            Some(Operand::IdRef(of)) => !dropped.contains(of),
            _ => true,
        };
        self.declarations.module.annotations.retain(is_kept);
        self.declarations.module.debug_names.retain(is_kept);
    }
}

/// True for an instruction with a result that may also have an effect.
fn has_effect(op: Op) -> bool {
    let is_atomic = matches!(
        op,
        Op::AtomicIAdd
            | Op::AtomicSMin
            | Op::AtomicSMax
            | Op::AtomicUMin
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
    );
    op == Op::FunctionCall || is_atomic && !is_active(Mutant::DroppedAtomic)
}
