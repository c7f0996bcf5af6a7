//! Dispatches: programs of invocations, executed on memories.
//!
//! The result is that of [`Dispatch::run`](evaluate::Dispatch::run), the first fault included.
//!
//! *In order.* Code for one lane executes one invocation after the other. It is not hoisted, so an invocation meets
//! its loops in the order of the schedule. A program without loops has no faults, and a call takes many invocations; in
//! others each invocation is a call of its own, which names the invocation at fault.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_core::evaluate::{self, DispatchFault, EvaluationFault, Invocation, Memory};
use lambdav_core::inputs;
use lambdav_core::resource::{Bound, unbound};
use lambdav_core::schedule;
use lambdav_core::source::Span;
use thiserror::Error;

use super::given;
use crate::emit::executable::shared;
use crate::emit::{BindError, EmitError, Executable};
use crate::lanes::{Column, Descriptors, InputWords, Items, LaneProgram};
use crate::pipeline::Compiler;
use crate::registers::{Callable, Inputs, Listed, Poll, Status};

/// Maximum number of groups in one call.
const MAX_GROUPS: usize = 256;

/// The reason that a dispatch has no results.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DispatchError {
    /// The first fault, or cancellation.
    #[error("the dispatch has a fault")]
    Fault(DispatchFault),
    /// The inputs do not fit the program.
    #[error(transparent)]
    Bind(#[from] BindError),
}

/// A program of invocations with its code, of any executable form.
#[derive(Debug)]
pub struct DispatchKernel<C> {
    program: schedule::Program,
    in_order: Code<C>,
}

/// The code of a lane program, and the parts of that program that its callers need.
#[derive(Debug)]
struct Code<C> {
    callable: C,
    layout: InputWords,
    resources: Descriptors,
    sites: Vec<Span>,
}

impl<C> Code<C> {
    fn new<E>(
        compiler: &Compiler,
        program: &schedule::Program,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, E>,
    ) -> Result<Self, E> {
        let lanes = compiler.lane_program(program);
        let callable = make(compiler, &lanes)?;
        let LaneProgram { inputs: layout, resources, sites, .. } = lanes;
        Ok(Self { callable, layout, resources, sites })
    }

    fn inputs(
        &self,
        program: &schedule::Program,
        inputs: &inputs::Inputs,
        memory: &Memory,
        max_iterations: u64,
    ) -> Result<Inputs, BindError> {
        let of_code = (&self.layout, &self.resources);
        dispatch_inputs(program, of_code, inputs, memory, max_iterations)
    }
}

/// The inputs of a program's code for a dispatch on memories, which have the sizes of their variables of workgroups.
///
/// # Errors
///
/// If a resource is not bound, or a memory is too large.
pub fn dispatch_inputs(
    program: &schedule::Program,
    (layout, resources): (&InputWords, &Descriptors),
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
    let bound = Inputs::new(given(layout, inputs), resources, data, max_iterations);
    let bound = bound.and_then(|mut bound| bound.set_memory(memory).map(|()| bound));
    bound.map_err(|mismatch| BindError::Size(types.resources()[mismatch.resource].name.to_string()))
}

impl DispatchKernel<Executable> {
    /// Compiles a program of invocations.
    ///
    /// # Errors
    ///
    /// Those of [`Compiler::compile`].
    pub fn compile(program: schedule::Program, compiler: &Compiler) -> Result<Self, EmitError> {
        let of_invocations = Compiler { items: Items::Invocations, ..compiler.clone() };
        of_invocations.check(&program)?;
        Self::new(program, compiler, |compiler, lanes| {
            let compiled = compiler.compile_lane_program(lanes.clone())?;
            Executable::new(&compiled.code, &compiler.target)
        })
    }
}

impl<C: Callable> DispatchKernel<C> {
    /// A kernel with the code that `make` makes of its lane program. [`Compiler::check`] accepts the program for
    /// [`Items::Invocations`].
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn new<E>(
        program: schedule::Program,
        compiler: &Compiler,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, E>,
    ) -> Result<Self, E> {
        let compiler = Compiler { items: Items::Invocations, ..compiler.clone() };
        let one = Compiler { lanes: Some(1), hoist: false, ..compiler };
        let in_order = Code::new(&one, &program, make)?;
        Ok(Self { program, in_order })
    }

    /// Executes the program on memories, and returns their contents afterwards. Each entry of a loop may execute at
    /// most `max_iterations` `rec`s. The dispatch is cancelled when the frontier is 0.
    ///
    /// # Errors
    ///
    /// The first fault in the order of the dispatch, cancellation, and inputs that do not fit. Then there are no
    /// results.
    ///
    /// # Panics
    ///
    /// If `memory` is for another program.
    pub fn run(
        &self,
        dispatch: &evaluate::Dispatch,
        inputs: &inputs::Inputs,
        mut memory: Memory,
        max_iterations: u64,
        frontier: &AtomicU64,
    ) -> Result<Memory, DispatchError> {
        memory.begin_workgroup(&self.program.types);
        let inputs = self.in_order.inputs(&self.program, inputs, &memory, max_iterations)?;
        self.run_in_order(dispatch, &inputs, &mut memory, frontier)
            .map_err(DispatchError::Fault)?;
        Ok(memory)
    }

    /// One invocation after the other.
    fn run_in_order(
        &self,
        dispatch: &evaluate::Dispatch,
        inputs: &Inputs,
        memory: &mut Memory,
        frontier: &AtomicU64,
    ) -> Result<(), DispatchFault> {
        let code = &self.in_order;
        let most = if code.sites.is_empty() { MAX_GROUPS } else { 1 };
        let (mut all, mut table) = (Vec::new(), Vec::new());
        for workgroup in 0..dispatch.workgroups() {
            memory.begin_workgroup(&self.program.types);
            let memories = shared(memory);
            let size = dispatch.invocations_of_workgroup();
            for first in (0..size).step_by(most) {
                let some = first..size.min(first + most as u64);
                all.clear();
                all.extend(some.map(|local| dispatch.invocation(workgroup, local)));
                list(&all, 1, &mut table);
                let poll = Poll { frontier, first: 0 };
                let listed = Listed { table: &table, primitive: &dispatch.groups };
                let status = code.callable.listed(inputs, &[], poll, listed, &memories, &mut []);
                let fault = match status {
                    // A cancelled call has undefined results.
                    _ if frontier.load(Ordering::Relaxed) == 0 => EvaluationFault::Cancelled,
                    Status::Done => continue,
                    Status::Cancelled => EvaluationFault::Cancelled,
                    Status::Limit(site) => EvaluationFault::LoopLimit(code.sites[site as usize]),
                };
                return Err(DispatchFault::Invocation { id: all[0].global_id, fault });
            }
        }
        Ok(())
    }
}

/// Writes the table of invocations for groups of so many lanes. Lanes after the last invocation repeat it and do not
/// run.
fn list(all: &[Invocation], lanes: usize, table: &mut Vec<u32>) {
    table.clear();
    for some in all.chunks(lanes) {
        for column in Items::Invocations.columns() {
            let word = |invocation: &Invocation| match *column {
                Column::Invocation(input, k) => invocation.get(input)[usize::from(k)],
                Column::Mask | Column::X | Column::Y => u32::MAX,
            };
            table.extend(some.iter().map(word));
            let last = if *column == Column::Mask { 0 } else { word(&some[some.len() - 1]) };
            table.resize(table.len() + lanes - some.len(), last);
        }
    }
}
