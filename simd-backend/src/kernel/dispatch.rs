//! Dispatches: programs of invocations, executed on memories.
//!
//! The result is that of [`Dispatch::run`](evaluate::Dispatch::run), the first fault included.
//!
//! *In order.* Code for one lane executes one invocation after the other. It is not hoisted, so an invocation meets
//! its loops in the order of the schedule. A program without loops has no faults, and a call takes many invocations; in
//! others each invocation is a call of its own, which names the invocation at fault.
//!
//! Programs with barriers run in order, phase by phase ([`phased`](super::phased)).
//!
//! *At once.* If the invocations are proved to be [independent](crate::lanes::independence), they are one range, whatever
//! their workgroups are. Threads claim parts of it from a counter, and fill lanes. For a reduced memory each thread but the
//! first has a copy that begins with neutral words; the copies are combined when all threads have ended. (A locked
//! instruction for each lane would take longer than the scalar code, and the architectures have few of the operations.)
//! A fault has no place in the order: the dispatch is repeated in order, on the original memories. So these are copied if
//! the program has loops.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lambdav_core::evaluate::{self, DispatchFault, EvaluationFault, Memory, has_barrier};
use lambdav_core::inputs;
use lambdav_core::memory::Atomic;
use lambdav_core::schedule;
use lambdav_core::schedule::phases::{Phases, split};
use lambdav_core::types::{MemoryKind, Types};
use lambdav_workers::{Crew, ThreadError, Work};
use thiserror::Error;

use super::invocations::{Code, list_invocations};
use super::phased::Phased;
use crate::emit::executable::{shared, shared_words};
use crate::emit::{BindError, EmitError, Executable};
use crate::lanes::independence::{may_be_independent, neutral, prove};
use crate::lanes::{InputSet, Items, LaneProgram};
use crate::mutants::{Mutant, is_active};
use crate::pipeline::Compiler;
use crate::registers::{Callable, Inputs, Listed, Memories, Poll, Status};

/// Maximum number of groups in one call.
const MAX_GROUPS: usize = 256;

/// Bytes of stack that every thread has.
const SMALL_STACK: usize = 64 << 10;

/// The reason that a dispatch has no results.
#[derive(Debug, Error)]
pub enum DispatchError {
    /// The first fault, or cancellation.
    #[error("the dispatch has a fault")]
    Fault(DispatchFault),
    /// The inputs do not fit the program.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// No thread could be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// The order in which invocations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// One after the other.
    InOrder,
    /// In lanes and threads, without an order.
    AtOnce,
}

/// A program of invocations with its code, of any executable form.
#[derive(Debug)]
pub struct DispatchKernel<C> {
    program: schedule::Program,
    in_order: InOrder<C>,
    /// Code for several lanes, unless no dispatch of the program has a proof.
    at_once: Option<Code<C>>,
    /// Maximum number of groups in one call.
    groups: usize,
}

/// Code for one lane.
#[derive(Debug)]
enum InOrder<C> {
    /// Of a program without barriers.
    Whole(Code<C>),
    Phased(Phased<C>),
}

impl DispatchKernel<Executable> {
    /// Compiles a program of invocations.
    ///
    /// # Errors
    ///
    /// Those of [`Self::new`].
    pub fn compile(program: schedule::Program, compiler: &Compiler) -> Result<Self, EmitError> {
        Self::new(program, compiler, |compiler, lanes| {
            let compiled = compiler.compile_lane_program(lanes.clone())?;
            Executable::new(&compiled.code, &compiler.target)
        })
    }
}

impl<C: Callable + Sync> DispatchKernel<C> {
    /// A kernel with the code that `make` makes of its lane programs.
    ///
    /// # Errors
    ///
    /// Those of [`Compiler::check`] and of `make`; [`EmitError::Barrier`] if the program cannot be split at its barriers.
    pub fn new(
        program: schedule::Program,
        compiler: &Compiler,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, EmitError>,
    ) -> Result<Self, EmitError> {
        let several = Compiler { items: Items::INVOCATIONS, ..compiler.clone() };
        let one = Compiler { lanes: Some(1), hoist: false, ..several.clone() };
        let code = |compiler: &Compiler, program: &schedule::Program| {
            compiler.check(program)?;
            let lanes = compiler.lane_program(program);
            Ok(Code { callable: make(compiler, &lanes)?, lanes })
        };
        let groups = MAX_GROUPS;
        if has_barrier(&program) {
            let Phases { all, saved } = split(&program)?;
            let items = Items::Invocations { inputs: InputSet::ALL, saved: saved.len() as u32 };
            let compiler = Compiler { items, of_primitive: saved.collect(), ..one };
            let phased = Phased::new(all, items, |program| code(&compiler, program))?;
            let in_order = InOrder::Phased(phased);
            return Ok(Self { program, in_order, at_once: None, groups });
        }
        let in_order = InOrder::Whole(code(&one, &program)?);
        let may_have_proof = may_be_independent(&several.lane_program(&program));
        let at_once = may_have_proof.then(|| code(&several, &program)).transpose()?;
        Ok(Self { program, in_order, at_once, groups })
    }

    /// The types of the program.
    pub fn types(&self) -> &Types {
        &self.program.types
    }

    /// The same kernel with at most so many groups in one call, at least one. For tests.
    #[must_use]
    pub fn with_groups(self, groups: usize) -> Self {
        Self { groups, ..self }
    }

    /// Executes the program on memories, and returns their contents afterwards, and how its invocations ran. Each
    /// entry of a loop may execute at most `max_iterations` `rec`s. The dispatch is cancelled when the frontier is 0.
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
    ) -> Result<(Memory, Tier), DispatchError> {
        memory.begin_workgroup(&self.program.types);
        if let Some(code) = &self.at_once {
            let words = code.inputs(&self.program, inputs, &memory, max_iterations)?;
            if let Some(independence) = prove(&code.lanes, words.words(), dispatch) {
                // Without loops there are no faults.
                let original = (!code.lanes.sites.is_empty()).then(|| memory.clone());
                let part = self.groups as u64 * u64::from(code.callable.shape().lanes());
                let job = Job::new(code, &words, dispatch, &mut memory, part, frontier);
                match job.run(&independence.reduced)? {
                    Progress::Done => return Ok((memory, Tier::AtOnce)),
                    Progress::Cancelled => {
                        let (id, fault) = ([0; 3], EvaluationFault::Cancelled);
                        return Err(DispatchError::Fault(DispatchFault::Invocation { id, fault }));
                    }
                    Progress::Fault => memory = original.expect("only loops have faults"),
                }
            }
        }
        let memory = self.run_in_order(dispatch, inputs, memory, max_iterations, frontier)?;
        Ok((memory, Tier::InOrder))
    }

    /// [`Self::run`], one invocation after the other.
    ///
    /// # Errors
    ///
    /// Those of [`Self::run`].
    pub fn run_in_order(
        &self,
        dispatch: &evaluate::Dispatch,
        inputs: &inputs::Inputs,
        mut memory: Memory,
        max_iterations: u64,
        frontier: &AtomicU64,
    ) -> Result<Memory, DispatchError> {
        memory.begin_workgroup(&self.program.types);
        let done = match &self.in_order {
            InOrder::Whole(code) => {
                let words = code.inputs(&self.program, inputs, &memory, max_iterations)?;
                self.execute_in_order(code, dispatch, &words, &mut memory, frontier)
            }
            InOrder::Phased(phased) => {
                let words = phased.inputs(inputs, &memory, max_iterations)?;
                phased.run(dispatch, &words, &mut memory, max_iterations, frontier)
            }
        };
        done.map_err(DispatchError::Fault)?;
        Ok(memory)
    }

    fn execute_in_order(
        &self,
        code: &Code<C>,
        dispatch: &evaluate::Dispatch,
        inputs: &Inputs,
        memory: &mut Memory,
        frontier: &AtomicU64,
    ) -> Result<(), DispatchFault> {
        let sites = &code.lanes.sites;
        let most = if sites.is_empty() { self.groups } else { 1 };
        let (mut all, mut table) = (Vec::new(), Vec::new());
        // Without variables of workgroups all invocations are one list.
        let is_shared = |(_, kind)| matches!(kind, MemoryKind::Workgroup(_));
        let per_group = dispatch.invocations_of_workgroup();
        let (workgroups, size) = match self.program.types.memories().any(is_shared) {
            true => (dispatch.workgroups(), per_group),
            false => (1, dispatch.workgroups() * per_group),
        };
        for workgroup in 0..workgroups {
            memory.begin_workgroup(&self.program.types);
            let memories = shared(memory);
            for first in (0..size).step_by(most) {
                let count = size.min(first + most as u64) - first;
                all.clear();
                let from = workgroup * size + first;
                all.extend(dispatch.invocations(from).take(count as usize));
                list_invocations(&all, code.lanes.items, 1, &mut table);
                let poll = Poll { frontier, first: 0 };
                let listed = Listed { table: &table, primitive: &dispatch.groups };
                let status = code.callable.listed(inputs, &[], poll, listed, &memories, &mut []);
                let fault = match status {
                    // A cancelled call has undefined results.
                    _ if frontier.load(Ordering::Relaxed) == 0 => EvaluationFault::Cancelled,
                    Status::Done => continue,
                    Status::Cancelled => EvaluationFault::Cancelled,
                    Status::Limit(site) => EvaluationFault::LoopLimit(sites[site as usize]),
                };
                return Err(DispatchFault::Invocation { id: all[0].global_id, fault });
            }
        }
        Ok(())
    }
}

/// The end of a job.
enum Progress {
    Done,
    Cancelled,
    /// Some invocation has a fault.
    Fault,
}

/// The independent invocations of a dispatch, as work of several threads.
struct Job<'a, C> {
    code: &'a Code<C>,
    inputs: &'a Inputs,
    dispatch: &'a evaluate::Dispatch,
    memories: Memories<'a>,
    frontier: &'a AtomicU64,
    slots: Vec<u64>,
    reduced: &'a [(usize, Atomic)],
    /// Number of invocations.
    total: u64,
    /// Number of invocations that one call takes.
    part: u64,
    /// The first invocation that no thread has claimed.
    next: AtomicU64,
    /// True if a thread works on the memories themselves.
    has_first: AtomicBool,
    /// The copies of reduced memories, of threads that have ended.
    copies: Mutex<Vec<Vec<Vec<u32>>>>,
    has_fault: AtomicBool,
}

impl<'a, C: Callable + Sync> Job<'a, C> {
    fn new(
        code: &'a Code<C>,
        inputs: &'a Inputs,
        dispatch: &'a evaluate::Dispatch,
        memory: &'a mut Memory,
        part: u64,
        frontier: &'a AtomicU64,
    ) -> Self {
        let total = dispatch.workgroups() * dispatch.invocations_of_workgroup();
        Self {
            code,
            inputs,
            dispatch,
            memories: shared(memory),
            frontier,
            slots: Vec::new(),
            reduced: &[],
            total,
            part,
            next: AtomicU64::new(0),
            has_first: AtomicBool::new(false),
            copies: Mutex::default(),
            has_fault: AtomicBool::new(false),
        }
    }

    fn run(mut self, reduced: &'a [(usize, Atomic)]) -> Result<Progress, ThreadError> {
        let begun = Instant::now();
        let (status, slots) = self.code.callable.frame(self.inputs, self.poll());
        match status {
            _ if self.is_cancelled() => return Ok(Progress::Cancelled),
            Status::Done => {}
            Status::Cancelled => return Ok(Progress::Cancelled),
            Status::Limit(_) => return Ok(Progress::Fault),
        }
        (self.slots, self.reduced) = (slots, reduced);
        let parts = self.total.div_ceil(self.part);
        let stack = self.code.callable.stack();
        if parts <= 1 && stack <= SMALL_STACK {
            self.work();
        } else {
            let tasks = usize::try_from(parts).unwrap_or(usize::MAX);
            let crew = Crew { stack, tasks, is_small: parts < 16, begun, deadline: None };
            lambdav_workers::run(&crew, &self)?;
        }
        if self.is_cancelled() {
            return Ok(Progress::Cancelled);
        }
        if self.has_fault.load(Ordering::Relaxed) {
            return Ok(Progress::Fault);
        }
        let copies = self.copies.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (copy, &(number, atomic)) in
            copies.iter().flat_map(|copies| copies.iter().zip(self.reduced))
        {
            for (word, &other) in self.memories.words(number).iter().zip(copy) {
                let both = atomic.apply(word.load(Ordering::Relaxed), other, 0);
                word.store(both, Ordering::Relaxed);
            }
        }
        Ok(Progress::Done)
    }

    fn poll(&self) -> Poll<'a> {
        Poll { frontier: self.frontier, first: 0 }
    }

    fn is_cancelled(&self) -> bool {
        self.frontier.load(Ordering::Relaxed) == 0
    }

    /// Executes parts until none is left.
    fn execute(&self, memories: &Memories<'_>) {
        let (mut all, mut table) = (Vec::new(), Vec::new());
        let lanes = self.code.callable.shape().lanes() as usize;
        let items = self.code.lanes.items;
        loop {
            let first = self.next.fetch_add(self.part, Ordering::Relaxed);
            let is_over = self.has_fault.load(Ordering::Relaxed) || self.is_cancelled();
            if first >= self.total || is_over {
                return;
            }
            let count = self.part.min(self.total - first);
            all.clear();
            all.extend(self.dispatch.invocations(first).take(count as usize));
            list_invocations(&all, items, lanes, &mut table);
            let listed = Listed { table: &table, primitive: &self.dispatch.groups };
            let callable = &self.code.callable;
            match callable.listed(self.inputs, &self.slots, self.poll(), listed, memories, &mut [])
            {
                Status::Done => {}
                Status::Cancelled | Status::Limit(_) => {
                    self.has_fault.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    }
}

impl<C: Callable + Sync> Work for Job<'_, C> {
    fn work(&self) {
        if self.reduced.is_empty() || !self.has_first.swap(true, Ordering::Relaxed) {
            return self.execute(&self.memories);
        }
        let mut copies: Vec<Vec<u32>> = self
            .reduced
            .iter()
            .map(|&(number, atomic)| {
                let neutral = neutral(atomic).expect("a reduced memory has one");
                let words = self.memories.words(number).iter();
                match is_active(Mutant::UsedCopy) {
                    true => words.map(|word| word.load(Ordering::Relaxed)).collect(),
                    false => words.map(|_| neutral).collect(),
                }
            })
            .collect();
        let mut memories = self.memories.clone();
        for (&(number, _), copy) in self.reduced.iter().zip(&mut copies) {
            memories.0[number] = shared_words(copy);
        }
        self.execute(&memories);
        drop(memories);
        self.copies.lock().unwrap_or_else(PoisonError::into_inner).push(copies);
    }

    fn estimate(&self, elapsed: Duration) -> Duration {
        let done = self.next.load(Ordering::Relaxed).clamp(1, self.total.max(1));
        elapsed.mul_f64(self.total as f64 / done as f64)
    }

    fn time_out(&self) {
        self.frontier.store(0, Ordering::Relaxed);
    }
}
