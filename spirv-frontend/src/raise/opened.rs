//! The memories that a raised program has so far.

use crate::structure::FunctionFacts;
use lambdav_core::graph::NodeId;
use lambdav_core::interface::Binding;
use lambdav_core::types::Type;

/// A memory of the program.
#[derive(Debug)]
pub(super) struct OpenMemory {
    /// Its variables.
    pub(super) variables: Vec<u32>,
    /// The binding of a buffer.
    pub(super) binding: Option<Binding>,
    /// The type of its states.
    pub(super) ty: Type,
    /// The state that an invocation finds.
    pub(super) found: NodeId,
    /// True if an invocation may change it, or wait for others that do.
    pub(super) is_written: bool,
}

/// The memories of the program, by slot.
#[derive(Debug, Default)]
pub(super) struct Memories(pub(super) Vec<OpenMemory>);

impl Memories {
    /// Their number; they have the slots below it.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// True for the slot of a memory that changes.
    pub(super) fn is_written(&self, slot: usize) -> bool {
        self.0.get(slot).is_some_and(|memory| memory.is_written)
    }

    /// True for the slot of a variable of the workgroup.
    pub(super) fn is_shared(&self, slot: usize) -> bool {
        self.0[slot].binding.is_none()
    }

    /// Notes which memories the entry point changes.
    pub(super) fn note(&mut self, facts: &FunctionFacts) {
        for memory in &mut self.0 {
            let roots = memory.variables.iter().filter_map(|id| facts.root_of.get(id));
            memory.is_written = roots.into_iter().any(|&root| facts.stores.contains(root));
        }
    }
}
