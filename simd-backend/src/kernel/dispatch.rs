//! Dispatches: programs of invocations, executed on memories.
//!
//! The result is that of [`Dispatch::run`](evaluate::Dispatch::run), the first fault included.
//!
//! *In order.* Code for one lane executes one invocation after the other. It is not hoisted, so an invocation meets
//! its loops in the order of the schedule. A program without loops has no faults, and a call takes many invocations; in
//! others each invocation is a call of its own, which names the invocation at fault.
//!
//! *At once.* If the invocations are proved to be [independent](crate::lanes::independence), they are one range, whatever
//! their workgroups are. [Threads](super::threads) claim parts of it, and fill lanes.
//!
//! *Checked.* If there is no proof, invocations of a large dispatch run in lanes on one thread, by code that
//! [checks](super::checked) the order.
//!
//! Programs with barriers run phase by phase ([`phased`](super::phased)).
//!
//! A fault has no place in an order that is not kept: then the dispatch is repeated in order, on the original memories.
//! After an error they are what they were. So those that the dispatch changes are copied if it may have a fault, or may
//! be cancelled, or is checked.

use std::ops::Range;
use std::sync::atomic::AtomicU64;

use lambdav_core::evaluate::{self, DispatchFault, EvaluationFault, Memory, has_barrier};
use lambdav_core::inputs;
use lambdav_core::memory::Atomic;
use lambdav_core::schedule;
use lambdav_core::schedule::phases::{Phases, split};
use lambdav_core::types::{MemoryKind, Types};

use super::checked::{Checked, Checks, Maker, is_late, with_stamps};
use super::ends::{Call, DispatchError, Ran, Tier};
use super::invocations::{Code, Ready, list_invocations, number_invocations};
use super::phased::Phased;
use super::threads::{self, Extent, Parts, Progress};
use crate::emit::executable::shared;
use crate::emit::{EmitError, Executable};
use crate::lanes::checks::{Stamps, checked};
use crate::lanes::independence::{Given, Scope, changed, may_be_independent, prove_each};
use crate::lanes::{InputSet, Items, LaneProgram};
use crate::pipeline::Compiler;
use crate::registers::{Callable, Listed, Memories};

/// Maximum number of groups in one call.
const MAX_GROUPS: usize = 256;

/// A program of invocations with its code, of any executable form.
#[derive(Debug)]
pub struct DispatchKernel<C> {
    program: schedule::Program,
    code: Codes<C>,
    /// Maximum number of groups in one call.
    groups: usize,
    /// For several lanes.
    compiler: Compiler,
    make: Maker<C>,
}

#[derive(Debug)]
enum Codes<C> {
    /// Of a program without barriers.
    Whole {
        /// For one lane.
        in_order: Box<Code<C>>,
        /// For several lanes, unless no dispatch of the program has a proof.
        at_once: Option<Box<Code<C>>>,
        /// The same with checks.
        checks: Checks<Code<C>>,
    },
    Phased(Box<Phased<C>>),
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

impl<C: Callable + Send + Sync> DispatchKernel<C> {
    /// A kernel with the code that `make` makes of its lane programs.
    ///
    /// # Errors
    ///
    /// Those of [`Compiler::check`] and of `make`; [`EmitError::Barrier`] if the program cannot be split at its barriers.
    pub fn new(
        program: schedule::Program,
        compiler: &Compiler,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, EmitError> + Send + Sync + 'static,
    ) -> Result<Self, EmitError> {
        let make = Maker(Box::new(make));
        let several = Compiler { items: Items::INVOCATIONS, ..compiler.clone() };
        let code = |compiler: &Compiler, lanes: LaneProgram| {
            Ok::<_, EmitError>(Code { callable: (make.0)(compiler, &lanes)?, lanes })
        };
        let groups = MAX_GROUPS;
        if has_barrier(&program) {
            let phases = split(&program)?;
            let Phases { saved, .. } = &phases;
            let items = Items::Invocations { inputs: InputSet::ALL, saved: saved.len() as u32 };
            let compiler = Compiler { items, of_primitive: saved.clone().collect(), ..several };
            let code = Codes::Phased(Phased::new(phases, &compiler, code)?.into());
            return Ok(Self { program, code, groups, compiler, make });
        }
        several.check(&program)?;
        let one = several.in_order();
        let in_order = code(&one, one.lane_program(&program))?.into();
        let lanes = several.lane_program(&program);
        let at_once = may_be_independent(&lanes).then(|| code(&several, lanes));
        let at_once = at_once.transpose()?.map(Box::new);
        let code = Codes::Whole { in_order, at_once, checks: Checks::default() };
        Ok(Self { program, code, groups, compiler: several, make })
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

    /// The same kernel, which checks dispatches of at least so many invocations. For tests.
    #[must_use]
    pub fn with_checks_from(self, least: u64) -> Self {
        let code = match self.code {
            Codes::Whole { in_order, at_once, checks } => {
                Codes::Whole { in_order, at_once, checks: checks.with_least(least) }
            }
            Codes::Phased(phased) => Codes::Phased(phased.with_checks_from(least).into()),
        };
        Self { code, ..self }
    }

    /// Executes the program on memories, and returns how its invocations ran. Each entry of a loop may execute at most
    /// `max_iterations` `rec`s. The dispatch is cancelled when the frontier, if there is one, is 0.
    ///
    /// # Errors
    ///
    /// The first fault in the order of the dispatch, cancellation, and inputs that do not fit. Then the memories are as
    /// before, but for variables of workgroups.
    ///
    /// # Panics
    ///
    /// If `memory` is for another program.
    pub fn run(
        &self,
        dispatch: &evaluate::Dispatch,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        max_iterations: u64,
        frontier: Option<&AtomicU64>,
    ) -> Result<Tier, DispatchError> {
        self.or_restored(memory, frontier.is_some(), |memory, original| {
            let frontier = frontier.unwrap_or(&NEVER);
            let call = Call { dispatch, max_iterations, frontier };
            let mut ran = self.run_out_of_order(inputs, memory, call, original)?;
            if let Some(Ran::Late) = ran {
                original.as_ref().expect("a checked dispatch has it").restore(memory);
                ran = self.run_out_of_order(inputs, memory, call, original)?;
            }
            match ran {
                Some(Ran::Done(tier)) => return Ok(tier),
                Some(Ran::Fault | Ran::Late) => {
                    original.as_ref().expect("it may have a fault").restore(memory);
                }
                None => {}
            }
            self.execute_in_order(inputs, memory, call)?;
            Ok(Tier::InOrder)
        })
    }

    /// Runs the program without an order, or with checks that it is kept. `None` if that cannot be.
    fn run_out_of_order(
        &self,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        call: Call<'_>,
        original: &mut Option<Original>,
    ) -> Result<Option<Ran>, DispatchError> {
        match &self.code {
            Codes::Whole { at_once: None, .. } => Ok(None),
            Codes::Whole { at_once: Some(code), checks, .. } => {
                let of_code = code.inputs(&self.program, inputs, memory, call.max_iterations)?;
                let words = of_code.words();
                let of = [Given { program: &code.lanes, words, is_repeated: false }];
                let (proved, unproved) = prove_each(&of, call.dispatch, Scope::Dispatch);
                if unproved.is_empty() {
                    let order = LaneOrder { reduced: &proved.reduced, flag: None };
                    return self.run_in_lanes(code, of_code, memory, call, order);
                }
                let suits = |made: &Checked<_>| made.stamps.has(&unproved);
                let of = (&*memory, &unproved[..]);
                let make = || self.checked(code, &unproved);
                let checked = checks.get(call.dispatch, of, suits, make);
                let Some(checked) = checked else { return Ok(None) };
                original.get_or_insert_with(|| Original::new(&self.code, memory));
                let ran = self.run_checked(&checked, inputs, memory, call)?;
                if let Ran::Late = ran {
                    checks.fail();
                }
                Ok(Some(ran))
            }
            Codes::Phased(phased) => {
                let keep = |memory: &Memory| {
                    original.get_or_insert_with(|| Original::new(&self.code, memory));
                };
                phased.run(inputs, memory, call, keep, |lanes, program| {
                    let lanes = Some(lanes);
                    let compiler = Compiler { lanes, ..self.compiler.clone() };
                    self.code(&compiler, program).ok()
                })
            }
        }
    }

    /// The code of a lane program.
    fn code(&self, compiler: &Compiler, lanes: LaneProgram) -> Result<Code<C>, EmitError> {
        Ok(Code { callable: (self.make.0)(compiler, &lanes)?, lanes })
    }

    /// The code with checks of some memories.
    fn checked(&self, code: &Code<C>, memories: &[usize]) -> Option<Checked<Code<C>>> {
        let stamps = Stamps::new(&code.lanes, memories.to_vec());
        let code = self.code(&self.compiler, checked(&code.lanes, &stamps)).ok()?;
        Some(Checked { stamps, code })
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
        memory: &mut Memory,
        max_iterations: u64,
        frontier: Option<&AtomicU64>,
    ) -> Result<(), DispatchError> {
        let call = Call { dispatch, max_iterations, frontier: frontier.unwrap_or(&NEVER) };
        self.or_restored(memory, frontier.is_some(), |memory, _| {
            self.execute_in_order(inputs, memory, call)
        })
    }

    /// Works on memories, which are restored after an error.
    fn or_restored<T>(
        &self,
        memory: &mut Memory,
        may_be_cancelled: bool,
        work: impl FnOnce(&mut Memory, &mut Option<Original>) -> Result<T, DispatchError>,
    ) -> Result<T, DispatchError> {
        memory.begin_workgroup(&self.program.types);
        let is_fallible = match &self.code {
            // Without loops there are no faults.
            Codes::Whole { in_order, .. } => !in_order.lanes.sites.is_empty(),
            Codes::Phased(phased) => phased.is_fallible(),
        };
        let mut original =
            (is_fallible || may_be_cancelled).then(|| Original::new(&self.code, memory));
        let result = work(memory, &mut original);
        if let (Err(_), Some(original)) = (&result, original) {
            original.restore(memory);
        }
        result
    }

    fn execute_in_order(
        &self,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        call: Call<'_>,
    ) -> Result<(), DispatchError> {
        let Call { max_iterations, frontier, .. } = call;
        match &self.code {
            Codes::Whole { in_order, .. } => {
                let inputs = in_order.inputs(&self.program, inputs, memory, max_iterations)?;
                // Nothing is hoisted, so there is no fault.
                let ready =
                    in_order.ready(inputs, frontier).map_err(|_| DispatchError::cancelled())?;
                let done = self.execute_whole(in_order, call, &ready, memory);
                done.map_err(DispatchError::Fault)
            }
            Codes::Phased(phased) => phased.run_in_order(inputs, memory, call),
        }
    }

    /// Runs invocations in lanes, on one thread, and checks their order.
    fn run_checked(
        &self,
        Checked { stamps, code }: &Checked<Code<C>>,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        call: Call<'_>,
    ) -> Result<Ran, DispatchError> {
        let order = LaneOrder { reduced: &[], flag: Some(stamps.flag()) };
        let ran = with_stamps(memory, stamps, |memory| {
            let inputs = code.inputs(&self.program, inputs, memory, call.max_iterations)?;
            self.run_in_lanes(code, inputs, memory, call, order)
        })?;
        Ok(match ran {
            Some(Ran::Done(tier)) => Ran::Done(tier),
            _ => Ran::Late,
        })
    }

    /// Runs invocations in lanes. `None` if a loop of what is uniform over the dispatch is at its limit.
    fn run_in_lanes(
        &self,
        code: &Code<C>,
        inputs: crate::registers::Inputs,
        memory: &mut Memory,
        Call { dispatch, frontier, .. }: Call<'_>,
        LaneOrder { reduced, flag }: LaneOrder<'_>,
    ) -> Result<Option<Ran>, DispatchError> {
        let ready = match code.ready(inputs, frontier) {
            Ok(ready) => ready,
            Err(EvaluationFault::Cancelled) => return Err(DispatchError::cancelled()),
            Err(_) => return Ok(None),
        };
        let parts = Invocations { code, ready: &ready, dispatch, frontier, flag };
        let is_in_order = flag.is_some();
        let extent = Extent {
            total: dispatch.workgroups() * dispatch.invocations_of_workgroup(),
            part: self.groups as u64 * u64::from(code.callable.shape().lanes()),
            reduced,
            is_in_order,
        };
        let tier = if is_in_order { Tier::Lanes } else { Tier::AtOnce };
        match threads::run(&parts, extent, &shared(memory), frontier)? {
            Progress::Done => Ok(Some(Ran::Done(tier))),
            Progress::Cancelled => Err(DispatchError::cancelled()),
            Progress::Fault => Ok(Some(Ran::Fault)),
        }
    }

    fn execute_whole(
        &self,
        code: &Code<C>,
        Call { dispatch, frontier, .. }: Call<'_>,
        ready: &Ready,
        memory: &mut Memory,
    ) -> Result<(), DispatchFault> {
        let most = if code.lanes.sites.is_empty() { self.groups as u64 } else { 1 };
        let mut table = Vec::new();
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
            for first in (0..size).step_by(most as usize) {
                let from = workgroup * size + first;
                let all = from..from + most.min(size - first);
                list_invocations(dispatch, all, code.lanes.items, 1, &mut table);
                let listed = Listed { table: &table, primitive: &dispatch.groups };
                let done = code.call(ready, listed, &memories, &mut [], frontier);
                done.map_err(|fault| {
                    let id = dispatch.invocation(from / per_group, from % per_group).global_id;
                    DispatchFault::Invocation { id, fault }
                })?;
            }
        }
        Ok(())
    }
}

/// The frontier of a dispatch that is never cancelled.
static NEVER: AtomicU64 = AtomicU64::new(u64::MAX);

/// The original words of memories that a dispatch changes.
struct Original(Vec<(usize, Vec<u32>)>);

impl Original {
    fn new<C: Callable + Send + Sync>(code: &Codes<C>, memory: &Memory) -> Self {
        let changed = match code {
            Codes::Whole { in_order, .. } => changed([&in_order.lanes]),
            Codes::Phased(phased) => changed(phased.programs()),
        };
        let changed = changed.into_iter();
        Self(changed.map(|number| (number, memory.words(number).to_vec())).collect())
    }

    fn restore(&self, memory: &mut Memory) {
        for (number, words) in &self.0 {
            memory.words_mut(*number).copy_from_slice(words);
        }
    }
}

/// What lets invocations run in lanes: a proof, or checks, which keep groups of lanes in order.
#[derive(Clone, Copy)]
struct LaneOrder<'a> {
    /// The reduced memories, each with its operation.
    reduced: &'a [(usize, Atomic)],
    /// The memory that tells if an access was late, of code with checks.
    flag: Option<usize>,
}

/// The invocations of a dispatch in lanes.
struct Invocations<'a, C> {
    code: &'a Code<C>,
    ready: &'a Ready,
    dispatch: &'a evaluate::Dispatch,
    frontier: &'a AtomicU64,
    /// The memory that tells if an access was late, of code with checks.
    flag: Option<usize>,
}

impl<C: Callable + Send + Sync> Parts for Invocations<'_, C> {
    /// A table of lanes.
    type Scratch = Vec<u32>;

    fn execute(
        &self,
        part: Range<u64>,
        memories: &Memories<'_>,
        table: &mut Self::Scratch,
    ) -> bool {
        let &Self { code, ready, dispatch, frontier, flag } = self;
        let (lanes, items) = (code.callable.shape().lanes() as usize, code.lanes.items);
        list_invocations(dispatch, part.clone(), items, lanes, table);
        if flag.is_some() {
            number_invocations(table, items, lanes, part.start as u32);
        }
        let listed = Listed { table, primitive: &dispatch.groups };
        let is_done = code.call(ready, listed, memories, &mut [], frontier).is_ok();
        is_done && !flag.is_some_and(|flag| is_late(memories, flag))
    }

    fn stack(&self) -> usize {
        self.code.callable.stack()
    }
}
