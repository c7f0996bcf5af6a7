//! Code for invocations: its inputs, its calls, and the table of lanes.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_core::evaluate::{Dispatch, EvaluationFault, Invocation, Memory};
use lambdav_core::inputs;
use lambdav_core::resource::{Bound, unbound};
use lambdav_core::schedule;

use super::given;
use crate::emit::BindError;
use crate::lanes::{Column, Items, LaneProgram, Memories};
use crate::registers::{Callable, Inputs, Listed, Poll, Status};

/// A lane program with its code.
#[derive(Debug)]
pub(super) struct Code<C> {
    pub(super) lanes: LaneProgram,
    pub(super) callable: C,
}

/// The inputs of a code, and the values that it has computed from them.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) inputs: Inputs,
    slots: Vec<u64>,
}

impl<C: Callable> Code<C> {
    pub(super) fn inputs(
        &self,
        program: &schedule::Program,
        inputs: &inputs::Inputs,
        memory: &Memory,
        max_iterations: u64,
    ) -> Result<Inputs, BindError> {
        dispatch_inputs(program, &self.lanes, inputs, memory, max_iterations)
    }

    /// Computes what is uniform over the dispatch.
    ///
    /// # Errors
    ///
    /// A loop of that part at its limit, and cancellation.
    pub(super) fn ready(
        &self,
        inputs: Inputs,
        frontier: &AtomicU64,
    ) -> Result<Ready, EvaluationFault> {
        let (status, slots) = self.callable.frame(&inputs, Poll { frontier, first: 0 });
        self.ended(status, frontier)?;
        Ok(Ready { inputs, slots })
    }

    /// Executes the groups of a table.
    ///
    /// # Errors
    ///
    /// A loop at its limit, and cancellation.
    pub(super) fn call(
        &self,
        ready: &Ready,
        listed: Listed<'_>,
        memories: &Memories<'_>,
        found: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), EvaluationFault> {
        let (Ready { inputs, slots }, poll) = (ready, Poll { frontier, first: 0 });
        let status = self.callable.listed(inputs, slots, poll, listed, memories, found);
        self.ended(status, frontier)
    }

    /// The position of each lane among the pixels of a group.
    pub(super) fn pixels(&self) -> Vec<usize> {
        let shape = self.callable.shape();
        let pixel = |lane| {
            let (column, row) = shape.pixel(lane);
            (row * shape.columns() + column) as usize
        };
        (0..shape.lanes()).map(pixel).collect()
    }

    fn ended(&self, status: Status, frontier: &AtomicU64) -> Result<(), EvaluationFault> {
        match status {
            // A cancelled call has undefined results.
            _ if frontier.load(Ordering::Relaxed) == 0 => Err(EvaluationFault::Cancelled),
            Status::Done => Ok(()),
            Status::Cancelled => Err(EvaluationFault::Cancelled),
            Status::Limit(site) => Err(EvaluationFault::LoopLimit(self.lanes.sites[site as usize])),
        }
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
    // Checks add memories.
    data.resize(lanes.resources.0.len(), Bound::Nothing);
    let bound = Inputs::new(given(&lanes.inputs, inputs), &lanes.resources, data, max_iterations);
    let bound = bound.and_then(|mut bound| bound.set_memory(memory).map(|()| bound));
    bound.map_err(|mismatch| {
        let resource = types.resources().get(mismatch.resource);
        BindError::Size(resource.map_or_else(String::new, |of| of.name.to_string()))
    })
}

/// Writes the table of some invocations, by their indices in the order of the dispatch, for groups of so many lanes. Saved
/// words are 0. Lanes after the last invocation repeat it and do not run.
pub fn list_invocations(
    dispatch: &Dispatch,
    all: Range<u64>,
    items: Items,
    lanes: usize,
    table: &mut Vec<u32>,
) {
    table.clear();
    let count = (all.end - all.start) as usize;
    let columns = items.column_count();
    table.resize(count.div_ceil(lanes) * columns * lanes, 0);
    let size = dispatch.invocations_of_workgroup().max(1);
    let mut first = dispatch.invocation(all.start / size, all.start % size);
    let mut done = 0;
    // Invocations that differ in their first coordinate alone make a run.
    while done < count {
        let more = (dispatch.workgroup[0] - first.local_id[0]) as usize;
        let (group, lane) = (done / lanes, done % lanes);
        let run = more.min(count - done).min(lanes - lane);
        let words = &mut table[group * columns * lanes..][..columns * lanes];
        let is_last = done + run == count;
        for (of, words) in items.columns().zip(words.chunks_exact_mut(lanes)) {
            let (word, step) = first_word(&first, of);
            for (k, place) in (0..).zip(&mut words[lane..lane + run]) {
                *place = word.wrapping_add(step * k);
            }
            if is_last && of != Column::Mask {
                let last = words[lane + run - 1];
                words[lane + run..].fill(last);
            }
        }
        done += run;
        let further = run as u32 - 1;
        first.local_id[0] += further;
        first.local_index += further;
        first.global_id[0] = first.global_id[0].wrapping_add(further);
        first = dispatch.after(first);
    }
}

/// Writes numbers from `first` on into the last saved word of a table of groups of so many lanes.
pub(super) fn number_invocations(table: &mut [u32], items: Items, lanes: usize, first: u32) {
    let columns = items.column_count();
    let groups = table.chunks_exact_mut(columns * lanes);
    let words = groups.flat_map(|group| &mut group[(columns - 1) * lanes..]);
    for (number, word) in (first..).zip(words) {
        *word = number;
    }
}

/// The word of an invocation in a column, and the difference to that of its neighbour along x.
fn first_word(invocation: &Invocation, of: Column) -> (u32, u32) {
    use lambdav_core::memory::InvocationInput::{GlobalId, LocalId, LocalIndex};
    match of {
        Column::Invocation(input, k) => {
            let word = invocation.get(input)[usize::from(k)];
            let grows = matches!((input, k), (GlobalId | LocalId | LocalIndex, 0));
            (word, u32::from(grows))
        }
        Column::Saved(_) => (0, 0),
        Column::Mask | Column::X | Column::Y => (u32::MAX, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each word of the table is that of its invocation.
    #[test]
    fn tables_list_invocations() {
        let dispatch = Dispatch { workgroup: [3, 2, 2], groups: [2, 3, 2] };
        let items = Items::INVOCATIONS;
        let mut table = Vec::new();
        for lanes in [1, 4, 8, 16] {
            for (from, to) in [(0, 144), (12, 24), (7, 8), (5, 100)] {
                list_invocations(&dispatch, from..to, items, lanes, &mut table);
                let all: Vec<Invocation> =
                    dispatch.invocations(from).take((to - from) as usize).collect();
                let groups = all.len().div_ceil(lanes);
                assert_eq!(table.len(), groups * items.column_count() * lanes);
                let mut words = table.iter();
                for group in all.chunks(lanes) {
                    for column in items.columns() {
                        for lane in 0..lanes {
                            let expected = match (group.get(lane), column) {
                                (Some(_), Column::Mask) => u32::MAX,
                                (None, Column::Mask) => 0,
                                (of, Column::Invocation(input, k)) => {
                                    let of = of.unwrap_or(&group[group.len() - 1]);
                                    of.get(input)[usize::from(k)]
                                }
                                _ => unreachable!("invocations have no other column"),
                            };
                            assert_eq!(words.next(), Some(&expected), "{lanes} {from} {column:?}");
                        }
                    }
                }
            }
        }
    }
}
