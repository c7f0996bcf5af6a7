//! Variables without an initialiser, for reports of undefined behaviour: reads before anything is stored.
//!
//! Beside each such variable is a bool in a slot of its own, true once something was stored to any part of it. A read counts where the
//! bool is false. (A variable of which only other parts were stored is not noticed.) A value of which a compiler replaces some
//! components, to store it back, is not read.

use super::raiser::{Pointer, Raiser, Root};
use crate::error::Result;
use crate::memory::Memory;
use crate::module::{Function, Instruction};
use crate::options::OperationNames;
use lambdav_core::graph::NodeId;
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The bools of variables.
#[derive(Debug, Default)]
pub(super) struct Unset {
    /// For the slot of a variable that of its bool, and the variable's id.
    bools: FxHashMap<usize, (usize, u32)>,
    /// For the slot of a bool that of its variable.
    variables: FxHashMap<usize, usize>,
    /// Loads of each function whose values are only parts of values to store back, by the function's first word.
    partial: FxHashMap<usize, FxHashSet<u32>>,
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
fn partial_loads(function: &Function<'_>) -> FxHashSet<u32> {
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
            (Op::VectorShuffle, &[_, _, first, second, ..]) if first != second => {
                replaced.extend([first, second]);
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

impl Raiser<'_, '_> {
    /// Adds the bool of a variable without an initialiser, if undefined behaviour is reported. (WGSL's variables are zero.)
    pub(super) fn open_unset(&mut self, id: u32, slot: usize, memory: &mut Memory) {
        // The slots of a function are those of others before.
        self.unset.forget(slot);
        if !matches!(self.names, Some(OperationNames::Glsl | OperationNames::Instructions)) {
            return;
        }
        let is_set = memory.push(self.graph.bool(false, self.span));
        self.unset.forget(is_set);
        self.unset.bools.insert(slot, (is_set, id));
        self.unset.variables.insert(is_set, slot);
    }

    /// Notes that something was stored to a variable.
    pub(super) fn set(&mut self, slot: usize, memory: &mut Memory) {
        if let Some(is_set) = self.unset.bool_of(slot) {
            memory.set(is_set, self.graph.bool(true, self.span));
        }
    }

    /// For a read through a pointer: the bool that something was stored, and the name of the variable.
    pub(super) fn unset_read(
        &mut self,
        of: &Instruction<'_>,
        memory: &Memory,
    ) -> Result<Option<(NodeId, String)>> {
        let Ok(Pointer { root: Root::Slot(slot), .. }) = self.pointer(of.operand(2)?) else {
            return Ok(None);
        };
        let Some(&(is_set, id)) = self.unset.bools.get(&slot) else { return Ok(None) };
        let is_set = memory.get(is_set);
        if self.graph.constant_words(is_set).is_some_and(|words| words == [1]) {
            return Ok(None);
        }
        let function = self.frame().function;
        let partial =
            self.unset.partial.entry(function.at).or_insert_with(|| partial_loads(function));
        if of.result().is_some_and(|result| partial.contains(&result)) {
            return Ok(None);
        }
        let name = match self.module.name(id) {
            // Of texts, the copy of an argument.
            "" if self.names == Some(OperationNames::Glsl) => "argument".to_owned(),
            "" => format!("%{id}"),
            name => name.to_owned(),
        };
        Ok(Some((is_set, name)))
    }
}
