//! Programs with barriers: the walk over their phases.
//!
//! Each invocation of a workgroup has a row: its inputs and its saved words. A call of a phase reads some columns of the row
//! and yields new words for it. In a segment, invocations run one after the other, each from phase to phase until it
//! waits at a barrier or ends. So the order is that of the reference, also for programs with races. All invocations of a
//! workgroup must arrive at the same barrier in the same rounds of loops.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_core::evaluate::{Dispatch, DispatchFault, EvaluationFault, Memory};
use lambdav_core::inputs;
use lambdav_core::schedule::phases::{Next, Phase, Rounds};
use lambdav_core::schedule::{Program, ValueId};
use lambdav_core::source::Span;

use super::invocations::{Code, list_invocations};
use crate::emit::executable::shared;
use crate::emit::{BindError, EmitError};
use crate::lanes::{Items, Memories};
use crate::mutants::{Mutant, is_active};
use crate::registers::{Callable, Inputs, Listed, Poll, Status};

/// A program that is split at its barriers, with code of each phase for one lane.
#[derive(Debug)]
pub(super) struct Phased<C> {
    all: Vec<CodeOfPhase<C>>,
    /// The columns of a row.
    items: Items,
}

#[derive(Debug)]
struct CodeOfPhase<C> {
    phase: Phase,
    code: Code<C>,
    /// The positions in a row of the columns that it reads.
    columns: Vec<usize>,
}

/// The position of an invocation between two calls.
#[derive(Clone, Debug, Default)]
struct Thread {
    phase: usize,
    /// The number of `rec`s so far of each loop around, outermost first.
    rounds: Vec<u64>,
}

/// The end of a segment of an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Arrival {
    Done,
    Barrier { value: ValueId, span: Span, rounds: Vec<u64> },
}

/// A dispatch under way.
struct Walk<'w> {
    inputs: &'w [Inputs],
    dispatch: &'w Dispatch,
    memories: Memories<'w>,
    max_iterations: u64,
    frontier: &'w AtomicU64,
    /// The table of a call, and its outputs.
    table: Vec<u32>,
    found: Vec<[f32; 4]>,
}

impl<C: Callable> Phased<C> {
    /// The code that `code` makes of phases.
    pub(super) fn new(
        phases: Vec<Phase>,
        items: Items,
        code: impl Fn(&Program) -> Result<Code<C>, EmitError>,
    ) -> Result<Self, EmitError> {
        let with_code = |phase: Phase| {
            let code = code(&phase.program)?;
            let columns = code.lanes.items.columns();
            let columns = columns.map(|of| items.position(of).expect("a row has all columns"));
            let columns = columns.collect();
            Ok::<_, EmitError>(CodeOfPhase { phase, code, columns })
        };
        let all = phases.into_iter().map(with_code).collect::<Result<_, _>>()?;
        Ok(Self { all, items })
    }

    /// The inputs of each phase.
    pub(super) fn inputs(
        &self,
        inputs: &inputs::Inputs,
        memory: &Memory,
        max_iterations: u64,
    ) -> Result<Vec<Inputs>, BindError> {
        let of_phase =
            |of: &CodeOfPhase<C>| of.code.inputs(&of.phase.program, inputs, memory, max_iterations);
        self.all.iter().map(of_phase).collect()
    }

    /// Runs all workgroups in order.
    pub(super) fn run(
        &self,
        dispatch: &Dispatch,
        inputs: &[Inputs],
        memory: &mut Memory,
        max_iterations: u64,
        frontier: &AtomicU64,
    ) -> Result<(), DispatchFault> {
        let size = dispatch.invocations_of_workgroup();
        let columns = self.items.column_count();
        let mut rows_of_workgroup = Vec::new();
        for workgroup in 0..dispatch.workgroups() {
            memory.begin_workgroup(&self.all[0].phase.program.types);
            let memories = shared(memory);
            let (table, found) = (Vec::new(), Vec::new());
            let mut walk =
                Walk { inputs, dispatch, memories, max_iterations, frontier, table, found };
            let invocations = dispatch.invocations(workgroup * size);
            let invocations: Vec<_> = invocations.take(size as usize).collect();
            list_invocations(&invocations, self.items, 1, &mut rows_of_workgroup);
            let mut threads = vec![Thread::default(); invocations.len()];
            loop {
                let mut first: Option<Arrival> = None;
                let rows = rows_of_workgroup.chunks_exact_mut(columns);
                for ((thread, row), invocation) in threads.iter_mut().zip(rows).zip(&invocations) {
                    let id = invocation.global_id;
                    let arrival = self.segment(&mut walk, thread, row);
                    let arrival =
                        arrival.map_err(|fault| DispatchFault::Invocation { id, fault })?;
                    let Some(known) = &first else {
                        first = Some(arrival);
                        continue;
                    };
                    let (arrived, other) = (invocations[0].global_id, id);
                    match (known, &arrival) {
                        (known, arrival) if known == arrival => {}
                        (Arrival::Barrier { span, .. }, _) => {
                            let span = *span;
                            return Err(DispatchFault::DivergentBarrier { span, arrived, other });
                        }
                        (Arrival::Done, Arrival::Barrier { span, .. }) => {
                            let (span, arrived, other) = (*span, other, arrived);
                            return Err(DispatchFault::DivergentBarrier { span, arrived, other });
                        }
                        (Arrival::Done, Arrival::Done) => unreachable!("they are equal"),
                    }
                }
                match first {
                    Some(Arrival::Barrier { .. }) => {}
                    Some(Arrival::Done) | None => break,
                }
            }
        }
        Ok(())
    }

    /// Runs an invocation to the end of its segment.
    fn segment(
        &self,
        walk: &mut Walk<'_>,
        thread: &mut Thread,
        row: &mut [u32],
    ) -> Result<Arrival, EvaluationFault> {
        loop {
            let condition = self.call(walk, thread.phase, row)?;
            match self.all[thread.phase].phase.next {
                Next::Done => return Ok(Arrival::Done),
                Next::Barrier { value, span, phase } => {
                    thread.phase = phase;
                    if is_active(Mutant::SkippedBarrier) {
                        continue;
                    }
                    let rounds = thread.rounds.clone();
                    return Ok(Arrival::Barrier { value, span, rounds });
                }
                Next::If { then, otherwise } => {
                    thread.phase = if condition != 0 { then } else { otherwise };
                }
                Next::Goto { phase, rounds } => {
                    thread.phase = phase;
                    match rounds {
                        Rounds::Same => {}
                        Rounds::Enter => thread.rounds.push(0),
                        Rounds::Leave => drop(thread.rounds.pop()),
                        Rounds::Again(span) => {
                            let round = thread.rounds.last_mut().expect("a loop was entered");
                            *round += 1;
                            if *round > walk.max_iterations {
                                return Err(EvaluationFault::LoopLimit(span));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Executes a phase of an invocation. Returns its last output, the condition if it has one.
    fn call(
        &self,
        walk: &mut Walk<'_>,
        number: usize,
        row: &mut [u32],
    ) -> Result<u32, EvaluationFault> {
        let CodeOfPhase { phase, code, columns } = &self.all[number];
        let Walk { inputs, dispatch, memories, frontier, table, found, .. } = walk;
        table.clear();
        table.extend(columns.iter().map(|&column| row[column]));
        found.resize(code.callable.attachments(), [0.0; 4]);
        let poll = Poll { frontier, first: 0 };
        let listed = Listed { table, primitive: &dispatch.groups };
        match code.callable.listed(&inputs[number], &[], poll, listed, memories, found) {
            // A cancelled call has undefined results.
            _ if frontier.load(Ordering::Relaxed) == 0 => return Err(EvaluationFault::Cancelled),
            Status::Done => {}
            Status::Cancelled => return Err(EvaluationFault::Cancelled),
            Status::Limit(site) => {
                return Err(EvaluationFault::LoopLimit(code.lanes.sites[site as usize]));
            }
        }
        let outputs = found.as_flattened();
        let first = row.len() - self.items.saved() as usize;
        for (&word, output) in phase.saves.iter().zip(outputs) {
            row[first + word as usize] = output.to_bits();
        }
        Ok(outputs.get(phase.saves.len()).map_or(0, |output| output.to_bits()))
    }
}
