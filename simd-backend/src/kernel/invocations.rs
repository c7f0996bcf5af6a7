//! Code for invocations: its inputs, and the table of lanes.

use lambdav_core::evaluate::{Invocation, Memory};
use lambdav_core::inputs;
use lambdav_core::resource::{Bound, unbound};
use lambdav_core::schedule;

use super::given;
use crate::emit::BindError;
use crate::lanes::{Column, Items, LaneProgram};
use crate::registers::Inputs;

/// A lane program with its code.
#[derive(Debug)]
pub(super) struct Code<C> {
    pub(super) lanes: LaneProgram,
    pub(super) callable: C,
}

impl<C> Code<C> {
    pub(super) fn inputs(
        &self,
        program: &schedule::Program,
        inputs: &inputs::Inputs,
        memory: &Memory,
        max_iterations: u64,
    ) -> Result<Inputs, BindError> {
        dispatch_inputs(program, &self.lanes, inputs, memory, max_iterations)
    }
}

/// The inputs of a lane program for a dispatch on memories, which have the sizes of their variables of workgroups.
///
/// # Errors
///
/// If a resource is not bound, or a memory is too large.
pub fn dispatch_inputs(
    program: &schedule::Program,
    lanes: &LaneProgram,
    inputs: &inputs::Inputs,
    memory: &Memory,
    max_iterations: u64,
) -> Result<Inputs, BindError> {
    let types = &program.types;
    if let Some(unbound) = unbound(types, &inputs.resources) {
        return Err(BindError::Unbound(unbound.name.to_string()));
    }
    let mut data = inputs.resources.clone();
    data.resize(types.resources().len(), Bound::Nothing);
    let bound = Inputs::new(given(&lanes.inputs, inputs), &lanes.resources, data, max_iterations);
    let bound = bound.and_then(|mut bound| bound.set_memory(memory).map(|()| bound));
    bound.map_err(|mismatch| BindError::Size(types.resources()[mismatch.resource].name.to_string()))
}

/// Writes the table of invocations for groups of so many lanes, with saved words of 0. Lanes after the last invocation
/// repeat it and do not run.
pub fn list_invocations(all: &[Invocation], items: Items, lanes: usize, table: &mut Vec<u32>) {
    table.clear();
    for some in all.chunks(lanes) {
        for column in items.columns() {
            let word = |invocation: &Invocation| match column {
                Column::Invocation(input, k) => invocation.get(input)[usize::from(k)],
                Column::Saved(_) => 0,
                Column::Mask | Column::X | Column::Y => u32::MAX,
            };
            table.extend(some.iter().map(word));
            let last = if column == Column::Mask { 0 } else { word(&some[some.len() - 1]) };
            table.resize(table.len() + lanes - some.len(), last);
        }
    }
}
