//! The reference order of a dispatch.
//!
//! *A dispatch is executed as if by one processor: workgroups one after another, x fastest, then y, then z; in a
//! workgroup, segment after segment, which barriers end; in a segment, invocations one after another by local index, each
//! in program order.* An atomic operation is one step. The first error in this order is reported.
//!
//! Each invocation of a workgroup has an evaluator of its own, which suspends at a barrier. A barrier is *divergent* if an
//! invocation arrives there and another one of its workgroup ends, or arrives at another barrier, or is in another round
//! of a loop around the barrier.

use super::evaluator::{Evaluator, Invocation, Progress};
use super::fault::EvaluationFault;
use super::memory::Memory;
use super::observer::Observer;
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::inputs::Inputs;
use crate::memory::MemoryOp;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::schedule::{Expr, Program, Statement};
use crate::source::Span;
use crate::types::MemoryKind;
use lambdav_float_environment::with_default;
use std::ops::Range;

/// The shape of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The number of invocations of a workgroup, by axes.
    pub workgroup: [u32; 3],
    /// The number of workgroups, by axes.
    pub groups: [u32; 3],
}

/// The cause of a dispatch without results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchFault {
    /// An invocation has a fault.
    Invocation {
        /// Its index in the dispatch.
        id: [u32; 3],
        /// The fault.
        fault: EvaluationFault,
    },
    /// A divergent barrier.
    DivergentBarrier {
        /// The position of the barrier.
        span: Span,
        /// The first invocation that arrived there.
        arrived: [u32; 3],
        /// The first invocation that did not.
        other: [u32; 3],
    },
}

impl DispatchFault {
    /// The message for a divergent barrier; `None` for other faults.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        let Self::DivergentBarrier { span, arrived, other } = self else { return None };
        let name = |[x, y, z]: &[u32; 3]| format!("({x}, {y}, {z})");
        let (arrived, other) = (name(arrived), name(other));
        let message =
            format!("the invocation {arrived} waits here for {other}, which does not come");
        Some(
            Diagnostic::new(DiagnosticCode::DivergentBarrier, *span, message)
                .label("this barrier is in divergent control flow")
                .help("let all invocations of a workgroup reach the same barriers in the same rounds of loops"),
        )
    }
}

/// True if parts of the program's dispatches must consist of whole workgroups: it has a barrier, or variables of workgroups.
pub fn needs_whole_workgroups(program: &Program) -> bool {
    let is_shared = |(_, kind)| matches!(kind, MemoryKind::Workgroup(_));
    has_barrier(program) || program.types.memories().any(is_shared)
}

fn product(sides: [u32; 3]) -> u64 {
    sides.map(u64::from).into_iter().product()
}

/// The coordinates of an index in a box, x fastest.
fn coordinates(index: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [index % x, index / x % y, index / x / y].map(|along| along as u32)
}

/// True if a program has a barrier.
pub fn has_barrier(program: &Program) -> bool {
    let mut statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.any(|statement| {
        let op = match statement {
            Statement::Let { expr: Expr::Op(op, _), .. } => *op,
            _ => return false,
        };
        matches!(op, Op::Memory(MemoryOp::Barrier(_)))
    })
}

impl Dispatch {
    /// The number of workgroups.
    pub fn workgroups(&self) -> u64 {
        product(self.groups)
    }

    /// The number of invocations of a workgroup.
    pub fn invocations_of_workgroup(&self) -> u64 {
        product(self.workgroup)
    }

    /// The number of invocations.
    pub fn invocations_in_all(&self) -> u64 {
        self.workgroups() * self.invocations_of_workgroup()
    }

    /// Runs a program on these memories, and returns their contents afterwards. `inputs` has uniforms and the data of
    /// other resources. A loop may execute `max_iterations` `rec`s at each entry. `cancelled`
    /// is polled at intervals, with the number of workgroups that are finished.
    ///
    /// # Errors
    ///
    /// The first fault. Then there are no results.
    pub fn run(
        &self,
        program: &Program,
        inputs: &Inputs,
        memory: Memory,
        max_iterations: u64,
        cancelled: &dyn Fn(u64) -> bool,
    ) -> Result<Memory, DispatchFault> {
        self.run_observed(program, inputs, memory, max_iterations, cancelled, &mut ())
    }

    /// Like [`Self::run`], and reports each operation to an observer.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`].
    pub fn run_observed(
        &self,
        program: &Program,
        inputs: &Inputs,
        mut memory: Memory,
        max_iterations: u64,
        cancelled: &dyn Fn(u64) -> bool,
        observer: &mut impl Observer,
    ) -> Result<Memory, DispatchFault> {
        let (all, memories) = (0..self.invocations_in_all(), &mut memory);
        self.run_part(program, inputs, (all, memories), max_iterations, cancelled, observer)?;
        Ok(memory)
    }

    /// Like [`Self::run_observed`], for some invocations, by their indices in the order of the dispatch: whole workgroups if the
    /// program [needs that](needs_whole_workgroups).
    ///
    /// # Errors
    ///
    /// The first fault. Then memories have any contents.
    pub fn run_part(
        &self,
        program: &Program,
        inputs: &Inputs,
        (part, memory): (Range<u64>, &mut Memory),
        max_iterations: u64,
        cancelled: &dyn Fn(u64) -> bool,
        observer: &mut impl Observer,
    ) -> Result<(), DispatchFault> {
        with_default(|| {
            let part = (part, memory);
            self.run_workgroups(program, inputs, part, max_iterations, cancelled, observer)
        })
    }

    fn run_workgroups(
        &self,
        program: &Program,
        inputs: &Inputs,
        (part, memory): (Range<u64>, &mut Memory),
        max_iterations: u64,
        cancelled: &dyn Fn(u64) -> bool,
        observer: &mut impl Observer,
    ) -> Result<(), DispatchFault> {
        let (groups, size) = (self.workgroups(), self.invocations_of_workgroup());
        if part.is_empty() {
            return Ok(());
        }
        // Without barriers, an invocation ends before the next one begins.
        let count = if has_barrier(program) { size as usize } else { size.min(1) as usize };
        let mut evaluators: Vec<Evaluator<'_>> =
            (0..count).map(|_| Evaluator::new(program, max_iterations)).collect();
        for number in part.start / size..part.end.div_ceil(size) {
            let of_part = part.start.max(number * size)..part.end.min((number + 1) * size);
            let cancelled = &|| cancelled(number);
            let group = match is_active(Mutant::ReversedWorkgroups) {
                true => groups - 1 - number,
                false => number,
            };
            if !is_active(Mutant::KeptWorkgroup) {
                memory.begin_workgroup(&program.types);
            }
            evaluators.iter_mut().for_each(Evaluator::begin);
            loop {
                let mut segment = Segment::default();
                for index in of_part.clone() {
                    let local = index - number * size;
                    let local = match is_active(Mutant::ReversedInvocations) {
                        true => size - 1 - local,
                        false => local,
                    };
                    let invocation = self.invocation(group, local);
                    let evaluator = &mut evaluators[local as usize % count];
                    let mut progress =
                        evaluator.resume(inputs, memory, &invocation, cancelled, observer);
                    while is_active(Mutant::SkippedBarrier)
                        && matches!(progress, Ok(Progress::Barrier { .. }))
                    {
                        progress =
                            evaluator.resume(inputs, memory, &invocation, cancelled, observer);
                    }
                    let id = invocation.global_id;
                    let progress =
                        progress.map_err(|fault| DispatchFault::Invocation { id, fault })?;
                    segment.add(program, id, progress)?;
                }
                match segment.first {
                    Some((_, Progress::Barrier { .. })) => {}
                    _ => break,
                }
            }
        }
        Ok(())
    }

    /// The inputs of consecutive invocations of the dispatch, from that of an index on.
    pub fn invocations(&self, from: u64) -> impl Iterator<Item = Invocation> + use<> {
        let size = self.invocations_of_workgroup().max(1);
        let (dispatch, first) = (*self, self.invocation(from / size, from % size));
        std::iter::successors(Some(first), move |before| Some(dispatch.after(*before)))
    }

    /// The inputs of the invocation after another one. The first one follows the last.
    pub fn after(&self, mut of: Invocation) -> Invocation {
        of.local_index += 1;
        for axis in 0..3 {
            of.local_id[axis] += 1;
            of.global_id[axis] = of.global_id[axis].wrapping_add(1);
            if of.local_id[axis] < self.workgroup[axis] {
                return of;
            }
            of.local_id[axis] = 0;
            of.global_id[axis] = of.global_id[axis].wrapping_sub(self.workgroup[axis]);
        }
        of.local_index = 0;
        for axis in 0..3 {
            of.workgroup_id[axis] += 1;
            of.global_id[axis] = of.global_id[axis].wrapping_add(self.workgroup[axis]);
            if of.workgroup_id[axis] < self.groups[axis] {
                return of;
            }
            of.workgroup_id[axis] = 0;
            of.global_id[axis] = 0;
        }
        of
    }

    /// The inputs of an invocation, by the index of its workgroup and its own in the workgroup, x fastest.
    pub fn invocation(&self, workgroup: u64, local: u64) -> Invocation {
        let workgroup_id = coordinates(workgroup, self.groups);
        let local_id = coordinates(local, self.workgroup);
        let along = |axis: usize| {
            let before = workgroup_id[axis].wrapping_mul(self.workgroup[axis]);
            before.wrapping_add(local_id[axis])
        };
        Invocation {
            global_id: [0, 1, 2].map(along),
            local_id,
            workgroup_id,
            local_index: local as u32,
            workgroups: self.groups,
        }
    }
}

/// The ends of invocations in one segment: all equal the first.
#[derive(Default)]
struct Segment {
    first: Option<([u32; 3], Progress)>,
}

impl Segment {
    fn add(
        &mut self,
        program: &Program,
        id: [u32; 3],
        progress: Progress,
    ) -> Result<(), DispatchFault> {
        let Some((first, known)) = &self.first else {
            self.first = Some((id, progress));
            return Ok(());
        };
        if *known == progress {
            return Ok(());
        }
        let (barrier, arrived, other) = match (known, &progress) {
            (Progress::Barrier { value, .. }, _) => (*value, *first, id),
            (Progress::Done, Progress::Barrier { value, .. }) => (*value, id, *first),
            (Progress::Done, Progress::Done) => unreachable!("they are equal"),
        };
        let span = program.values[barrier.index()].span;
        Err(DispatchFault::DivergentBarrier { span, arrived, other })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invocations_follow_one_another() {
        let dispatch = Dispatch { workgroup: [3, 2, 2], groups: [2, 3, 2] };
        let (groups, size) = (dispatch.workgroups(), dispatch.invocations_of_workgroup());
        assert_eq!((groups, size), (12, 12));
        let all: Vec<Invocation> = (0..groups * size)
            .map(|index| dispatch.invocation(index / size, index % size))
            .collect();
        for from in [0, 1, 5, 11, 12, 100] {
            let found: Vec<Invocation> =
                dispatch.invocations(from).take(all.len() - from as usize).collect();
            assert_eq!(found, all[from as usize..]);
        }
    }
}
