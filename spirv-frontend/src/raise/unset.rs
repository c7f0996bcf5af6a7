//! Variables without an initialiser, for reports of undefined behaviour: reads before anything is stored.
//!
//! Beside each such variable is a bool in a slot of its own, true once something was stored to any part of it. A read counts where the
//! bool is false. (A variable of which only other parts were stored is not noticed.) A value of which a compiler replaces some
//! components, to store it back, is not read.

use crate::module::{Function, Instruction};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The bools of variables.
#[derive(Debug, Default)]
pub(super) struct Unset {
    /// For the slot of a variable that of its bool, and the variable's id.
    pub(super) bools: FxHashMap<usize, (usize, u32)>,
    /// For the slot of a bool that of its variable.
    pub(super) variables: FxHashMap<usize, usize>,
    /// Loads of each function whose values are only parts of values to store back, by the function's first word.
    pub(super) partial: FxHashMap<usize, FxHashSet<u32>>,
}

impl Unset {
    /// The slot whose liveness is that of a slot.
    pub(super) fn variable_of(&self, slot: usize) -> usize {
        self.variables.get(&slot).copied().unwrap_or(slot)
    }

    /// Forgets what was at a slot before.
    pub(super) fn forget(&mut self, slot: usize) {
        self.bools.remove(&slot);
        self.variables.remove(&slot);
    }

    /// The slot of a variable's bool.
    pub(super) fn bool_of(&self, slot: usize) -> Option<usize> {
        self.bools.get(&slot).map(|&(of, _)| of)
    }
}

/// The results of loads that are only operands of instructions which replace some of their components.
pub(super) fn partial_loads(function: &Function<'_>) -> FxHashSet<u32> {
    let all = || function.blocks.iter().flat_map(|block| &block.instructions);
    let mut partial: FxHashSet<u32> =
        all().filter(|of| of.op == Op::Load).filter_map(Instruction::result).collect();
    let mut replaced: FxHashSet<u32> = FxHashSet::default();
    for of in all().chain(function.blocks.iter().map(|block| &block.end)) {
        match (of.op, of.operands) {
            (Op::CompositeInsert, &[_, _, part, whole, ..]) => {
                partial.remove(&part);
                replaced.insert(whole);
            }
            (Op::VectorShuffle, [_, _, first, second, from @ ..]) if first != second => {
                // A value to store back keeps its components at their places.
                let count = from.len() as u32;
                for (whole, before) in [(*first, 0), (*second, count)] {
                    let of_whole = |(_, from): &(u32, &u32)| (**from < count) == (before == 0);
                    let mut places = (0..count).zip(from).filter(of_whole);
                    match places.all(|(place, from)| *from == before + place) {
                        true => _ = replaced.insert(whole),
                        false => _ = partial.remove(&whole),
                    }
                }
            }
            _ => {
                for id in of.uses() {
                    partial.remove(id);
                }
            }
        }
    }
    partial.retain(|id| replaced.contains(id));
    partial
}
