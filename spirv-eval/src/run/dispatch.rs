//! Executes a compute entry point for all invocations of a dispatch.
//!
//! The order is that of one processor: workgroups one after another, x fastest; in a workgroup segments, which barriers
//! end; in a segment the invocations one after another by local index, each in the order of its program. A barrier that
//! one invocation of a workgroup reaches and another does not in the same segment is an error, and the first error in
//! this order is reported. It is *the same* barrier if it is the same instruction, in the same rounds of the loops around
//! it, by the same calls. An invocation that waits has its values put aside.

use super::super::code::Function;
use super::super::observer::Observer;
use super::slice::{Collector, Slice};
use super::watch::Watch;
use super::{At, Frame, ModuleEvaluator, ModuleFault, Progress, Stopped};
use crate::mutants::{Mutant, is_active};
use lambdav_float_environment::with_default;
use rspirv::spirv::BuiltIn;
use thiserror::Error;

/// Reasons why a dispatch has no result.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DispatchError {
    /// An invocation has a fault.
    #[error("invocation {invocation:?}: {fault}")]
    Fault {
        /// Its GlobalInvocationId.
        invocation: [u32; 3],
        /// The fault.
        fault: ModuleFault,
    },
    /// A barrier in divergent control flow.
    #[error(
        "invocation {waits:?} waits at a barrier in block %{block} that invocation {other:?} does not reach"
    )]
    Barrier {
        /// GlobalInvocationId of the first invocation that waits.
        waits: [u32; 3],
        /// GlobalInvocationId of the first one that does not wait there.
        other: [u32; 3],
        /// The label of the block with the barrier.
        block: u32,
    },
}

/// A barrier at which an invocation waits.
#[derive(Debug, PartialEq, Eq)]
struct Barrier {
    /// The step behind it.
    behind: At,
    /// The label of its block.
    block: u32,
    /// The steps behind the calls that led there.
    callers: Vec<At>,
    /// The rounds of the loops around it, and around the calls.
    rounds: Vec<u64>,
}

/// The loops around each block of a function, once they are known.
type LoopsAround = Option<Vec<Vec<usize>>>;

/// The loops around each block, by the numbers of their headers, in one function. A loop is the natural one: the blocks
/// that reach a branch back to its header without passing the header.
fn loops(function: &Function) -> Vec<Vec<usize>> {
    let blocks = &function.blocks;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        for target in block.end.targets() {
            before[target].push(index);
        }
    }
    let mut around = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        let Some(header) = block.header else { continue };
        let mut is_inside = vec![false; blocks.len()];
        is_inside[index] = true;
        let mut open: Vec<usize> =
            before[index].iter().copied().filter(|&from| from >= index).collect();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut is_inside[block], true) {
                open.extend(&before[block]);
            }
        }
        let inside = (0..blocks.len()).filter(|&block| is_inside[block]);
        inside.for_each(|block| around[block].push(header.number));
    }
    around
}

/// The values of an invocation that waits.
#[derive(Debug)]
struct Waiting {
    at: At,
    memory: Vec<u32>,
    defined: Vec<u32>,
    activation: u32,
    callers: Vec<Frame>,
    variables: Vec<u32>,
    filled: Vec<bool>,
    rounds: Vec<u64>,
}

impl ModuleEvaluator<'_> {
    /// Executes a compute entry point for `groups` workgroups along each axis. `memory` has the words of each resource
    /// that is a memory, in the order of [`Module::resources`](crate::Module::resources); afterwards those that the
    /// dispatch leaves, also after an error. `cancelled` is polled at intervals,
    /// with the number of workgroups that are finished.
    ///
    /// # Errors
    ///
    /// The first error in the order of execution.
    pub fn dispatch(
        &mut self,
        groups: [u32; 3],
        memory: &mut Vec<Vec<u32>>,
        cancelled: &dyn Fn(u64) -> bool,
    ) -> Result<(), DispatchError> {
        self.with_memory(memory, |this| {
            this.run_groups(groups, cancelled, None, &mut Watch::nobody())
        })
    }

    /// Like [`ModuleEvaluator::dispatch`], up to the end of the workgroup of one invocation, which is observed.
    /// `invocation` is its GlobalInvocationId. Returns the slice of the words that it writes to memories.
    ///
    /// # Errors
    ///
    /// The first error in the order of execution, up to that workgroup.
    pub fn dispatch_observed<O: Observer>(
        &mut self,
        groups: [u32; 3],
        memory: &mut Vec<Vec<u32>>,
        invocation: [u32; 3],
        cancelled: &dyn Fn(u64) -> bool,
        observer: &mut O,
    ) -> Result<Slice, DispatchError> {
        let mut watch = Watch::new(observer, Some(Collector::new(self.module)));
        self.with_memory(memory, |this| {
            this.run_groups(groups, cancelled, Some(invocation), &mut watch)
        })?;
        Ok(watch.collector.map_or_else(Slice::default, |collector| collector.slice([])))
    }

    /// Works on the words of memories.
    fn with_memory<T>(
        &mut self,
        memory: &mut Vec<Vec<u32>>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        std::mem::swap(&mut self.storage, memory);
        self.storage.resize(self.module.resources.len(), Vec::new());
        let result = with_default(|| work(self));
        std::mem::swap(&mut self.storage, memory);
        result
    }

    /// Runs all workgroups, or those up to that of the observed invocation.
    fn run_groups<O: Observer>(
        &mut self,
        groups: [u32; 3],
        cancelled: &dyn Fn(u64) -> bool,
        observed: Option<[u32; 3]>,
        watch: &mut Watch<'_, O>,
    ) -> Result<(), DispatchError> {
        let mut finished = 0;
        let [x, y, z] = groups;
        let mut around = vec![None; self.module.functions.len()];
        let size = self.module.workgroup.size;
        let last: Option<[u32; 3]> =
            observed.map(|id| std::array::from_fn(|axis| id[axis] / size[axis].max(1)));
        for k in 0..z {
            for j in 0..y {
                for i in 0..x {
                    let group = [i, j, k];
                    let observed = observed.filter(|_| Some(group) == last);
                    let cancelled = &|| cancelled(finished);
                    self.run_group([group, groups], &mut around, cancelled, observed, watch)?;
                    if observed.is_some() {
                        return Ok(());
                    }
                    finished += 1;
                }
            }
        }
        Ok(())
    }

    fn run_group<O: Observer>(
        &mut self,
        [group, groups]: [[u32; 3]; 2],
        around: &mut [LoopsAround],
        cancelled: &dyn Fn() -> bool,
        observed: Option<[u32; 3]>,
        watch: &mut Watch<'_, O>,
    ) -> Result<(), DispatchError> {
        let module = self.module;
        let [width, height, depth] = module.workgroup.size;
        if self.shared.is_empty() || !is_active(Mutant::KeptWorkgroup) {
            self.shared = module.workgroup.variables.iter().map(|&words| vec![0; words]).collect();
        }
        let count = width * height * depth;
        let local = |index: u32| [index % width, index / width % height, index / width / height];
        let global = |index: u32| {
            let local = local(index);
            std::array::from_fn(|axis| {
                group[axis].wrapping_mul(module.workgroup.size[axis]).wrapping_add(local[axis])
            })
        };
        let mut waiting: Vec<Option<Waiting>> = Vec::new();
        let mut is_first = true;
        loop {
            // In this segment: the first invocation that waits, and the first one that does not wait there.
            let (mut waits, mut ended): (Option<(u32, Barrier)>, Option<u32>) = (None, None);
            for index in 0..count {
                let is_reversed = is_active(Mutant::ReversedInvocations);
                let index = if is_reversed { count - 1 - index } else { index };
                let begun = match is_first {
                    true => {
                        let entry = At { function: module.entry, block: 0, next: 0 };
                        self.begin_invocation([group, groups], local(index), index).map(|()| entry)
                    }
                    false => Ok(self.take_up(waiting[index as usize].take())),
                };
                let progress = begun.and_then(|at| match observed {
                    Some(id) if id == global(index) => self.run_from(at, cancelled, watch),
                    _ => self.run_from(at, cancelled, &mut Watch::nobody()),
                });
                let progress = progress.map_err(|stopped| DispatchError::Fault {
                    invocation: global(index),
                    fault: match stopped {
                        Stopped::Fault(fault) => fault,
                        Stopped::Neighbour(block) => ModuleFault::Divergent(block),
                    },
                })?;
                let other = match (progress, &waits) {
                    (Progress::Waits(at, block), None) => {
                        waits = Some((index, self.barrier(at, block, around)));
                        ended
                    }
                    (Progress::Waits(at, block), Some((_, first))) => {
                        (self.barrier(at, block, around) != *first).then_some(index)
                    }
                    (Progress::Ended, _) => {
                        ended.get_or_insert(index);
                        waits.is_some().then_some(index)
                    }
                };
                if let (Some(other), Some((first, barrier))) = (other, &waits) {
                    let (waits, other, block) = (global(*first), global(other), barrier.block);
                    return Err(DispatchError::Barrier { waits, other, block });
                }
                if let Progress::Waits(at, _) = progress {
                    let aside = self.put_aside(at);
                    waiting.resize_with(count as usize, || None);
                    waiting[index as usize] = Some(aside);
                }
            }
            if waits.is_none() {
                return Ok(());
            }
            is_first = false;
        }
    }

    /// Prepares an invocation.
    fn begin_invocation(
        &mut self,
        [group, groups]: [[u32; 3]; 2],
        local: [u32; 3],
        index: u32,
    ) -> Result<(), Stopped> {
        let module = self.module;
        self.begin_pixel([0.0; 4])?;
        for &(built_in, at) in &module.built_ins {
            let size = module.workgroup.size;
            let words: [u32; 3] = match built_in {
                BuiltIn::GlobalInvocationId => std::array::from_fn(|axis| {
                    group[axis].wrapping_mul(size[axis]).wrapping_add(local[axis])
                }),
                BuiltIn::LocalInvocationId => local,
                BuiltIn::WorkgroupId => group,
                BuiltIn::NumWorkgroups => groups,
                _ => {
                    self.variables[at] = index;
                    continue;
                }
            };
            self.variables[at..at + 3].copy_from_slice(&words);
        }
        self.activate(module.entry)?;
        Ok(())
    }

    /// The barrier at which the invocation waits.
    fn barrier(&self, behind: At, block: u32, around: &mut [LoopsAround]) -> Barrier {
        let mut rounds = Vec::new();
        let places = self.callers.iter().map(|frame| (frame.function, frame.block));
        for (function, block) in places.chain([(behind.function, behind.block)]) {
            let of_function =
                around[function].get_or_insert_with(|| loops(&self.module.functions[function]));
            rounds.extend(of_function[block].iter().map(|&header| self.rounds[header]));
        }
        let at =
            |frame: &Frame| At { function: frame.function, block: frame.block, next: frame.next };
        Barrier { behind, block, callers: self.callers.iter().map(at).collect(), rounds }
    }

    /// Puts the values of the invocation aside.
    fn put_aside(&mut self, at: At) -> Waiting {
        Waiting {
            at,
            memory: self.memory.clone(),
            defined: self.defined.clone(),
            activation: self.activation,
            callers: self.callers.clone(),
            variables: self.variables.clone(),
            filled: self.filled.clone(),
            rounds: self.rounds.clone(),
        }
    }

    /// Takes them up again; returns the next step.
    fn take_up(&mut self, waiting: Option<Waiting>) -> At {
        let waiting = waiting.expect("all invocations wait");
        self.memory = waiting.memory;
        self.defined = waiting.defined;
        self.activation = waiting.activation;
        self.callers = waiting.callers;
        self.variables = waiting.variables;
        self.filled = waiting.filled;
        self.rounds = waiting.rounds;
        waiting.at
    }
}
