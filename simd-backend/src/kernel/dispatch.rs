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

use lambdav_core::evaluate::{
    self, DispatchFault, EvaluationFault, Memory, has_barrier, needs_whole_workgroups,
};
use lambdav_core::inputs;
use lambdav_core::memory::Atomic;
use lambdav_core::schedule;
use lambdav_core::schedule::phases::{Phases, split};
use lambdav_core::types::Types;

use super::checked::{Checked, Checks, Maker, is_late, with_stamps};
use super::ends::{Call, DispatchError, Outputs, Ran, Tier};
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
        let mut call = Call::new(dispatch, max_iterations);
        call.frontier = frontier.unwrap_or(call.frontier);
        self.call(&call, inputs, memory)
    }

    /// [`Self::run`] for a part of a dispatch, or with a sink of outputs. If the sink is cleared, invocations run again.
    ///
    /// # Errors
    ///
    /// Those of [`Self::run`].
    ///
    /// # Panics
    ///
    /// If `memory` is for another program, or if the part divides workgroups that need to be whole.
    pub fn call(
        &self,
        call: &Call<'_>,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
    ) -> Result<Tier, DispatchError> {
        self.or_restored(memory, call.may_be_cancelled(), |memory, original| {
            let again = |original: &Option<Original>, memory: &mut Memory| {
                original.as_ref().expect("a dispatch that may end so has it").restore(memory);
                call.sink.inspect(|sink| sink.clear());
            };
            let mut ran = self.run_out_of_order(inputs, memory, call, original)?;
            if let Some(Ran::Late) = ran {
                again(original, memory);
                ran = self.run_out_of_order(inputs, memory, call, original)?;
            }
            match ran {
                Some(Ran::Done(tier)) => return Ok(tier),
                Some(Ran::Fault | Ran::Late) => again(original, memory),
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
        call: &Call<'_>,
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
                if code.callable.shape().lanes() == 1 {
                    // There is no order to be checked.
                    return Ok(None);
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
        let mut call = Call::new(dispatch, max_iterations);
        call.frontier = frontier.unwrap_or(call.frontier);
        self.or_restored(memory, frontier.is_some(), |memory, _| {
            self.execute_in_order(inputs, memory, &call)
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
        call: &Call<'_>,
    ) -> Result<(), DispatchError> {
        match &self.code {
            Codes::Whole { in_order, .. } => {
                let inputs = in_order.inputs(&self.program, inputs, memory, call.max_iterations)?;
                // Nothing is hoisted, so there is no fault.
                let ready = in_order
                    .ready(inputs, call.frontier)
                    .map_err(|_| DispatchError::cancelled())?;
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
        call: &Call<'_>,
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
        call: &Call<'_>,
        LaneOrder { reduced, flag }: LaneOrder<'_>,
    ) -> Result<Option<Ran>, DispatchError> {
        let ready = match code.ready(inputs, call.frontier) {
            Ok(ready) => ready,
            Err(EvaluationFault::Cancelled) => return Err(DispatchError::cancelled()),
            Err(_) => return Ok(None),
        };
        let outputs = self.outputs(code);
        let parts = Invocations { code, ready: &ready, call, flag, outputs };
        let is_in_order = flag.is_some();
        let extent = Extent {
            from: call.part.start,
            to: call.part.end,
            part: self.groups as u64 * u64::from(code.callable.shape().lanes()),
            reduced,
            is_in_order,
        };
        let tier = if is_in_order { Tier::Lanes } else { Tier::AtOnce };
        match threads::run(&parts, extent, &shared(memory), call.frontier)? {
            Progress::Done => Ok(Some(Ran::Done(tier))),
            Progress::Cancelled => Err(DispatchError::cancelled()),
            Progress::Fault => Ok(Some(Ran::Fault)),
        }
    }

    /// The outputs of a code of the whole program.
    fn outputs(&self, code: &Code<C>) -> Outputs {
        let types = &self.program.types;
        let words = |&output: &_| types.components(self.program.ty(output));
        Outputs { count: self.program.outputs().iter().map(words).sum(), pixels: code.pixels() }
    }

    fn execute_whole(
        &self,
        code: &Code<C>,
        call: &Call<'_>,
        ready: &Ready,
        memory: &mut Memory,
    ) -> Result<(), DispatchFault> {
        let most = if code.lanes.sites.is_empty() { self.groups as u64 } else { 1 };
        let (outputs, mut scratch) = (self.outputs(code), Scratch::default());
        let Call { dispatch, part, .. } = call;
        let per_group = dispatch.invocations_of_workgroup();
        // Without variables of workgroups all invocations are one list.
        let list = match needs_whole_workgroups(&self.program) {
            true => per_group,
            false => part.end - part.start,
        };
        for first in part.clone().step_by(list.max(1) as usize) {
            memory.begin_workgroup(&self.program.types);
            let memories = shared(memory);
            let end = part.end.min(first + list);
            for from in (first..end).step_by(most as usize) {
                let all = from..end.min(from + most);
                list_invocations(dispatch, all.clone(), code.lanes.items, 1, &mut scratch.table);
                let done = scratch.call(code, ready, call, (all, 1), &memories, &outputs);
                done.map_err(|fault| {
                    let id = dispatch.invocation(from / per_group, from % per_group).global_id;
                    DispatchFault::Invocation { id, fault }
                })?;
            }
        }
        Ok(())
    }
}

/// The data of calls.
#[derive(Default)]
struct Scratch {
    table: Vec<u32>,
    found: Vec<[f32; 4]>,
    words: Vec<u32>,
}

impl Scratch {
    /// Executes the invocations of the table, in groups of so many lanes, and hands over their outputs.
    fn call<C: Callable>(
        &mut self,
        code: &Code<C>,
        ready: &Ready,
        call: &Call<'_>,
        (all, lanes): (Range<u64>, usize),
        memories: &Memories<'_>,
        outputs: &Outputs,
    ) -> Result<(), EvaluationFault> {
        let Self { table, found, words } = self;
        let &Call { dispatch, frontier, sink, .. } = call;
        let (first, count) = (all.start, (all.end - all.start) as usize);
        found.resize(code.callable.attachments() * count.div_ceil(lanes) * lanes, [0.0; 4]);
        let listed = Listed { table, primitive: &dispatch.groups };
        code.call(ready, listed, memories, found, frontier)?;
        if let Some(sink) = sink.filter(|_| outputs.count > 0) {
            outputs.give(sink, first, count, found, words);
        }
        Ok(())
    }
}

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
    call: &'a Call<'a>,
    /// The memory that tells if an access was late, of code with checks.
    flag: Option<usize>,
    outputs: Outputs,
}

impl<C: Callable + Send + Sync> Parts for Invocations<'_, C> {
    type Scratch = Scratch;

    fn execute(
        &self,
        part: Range<u64>,
        memories: &Memories<'_>,
        scratch: &mut Self::Scratch,
    ) -> bool {
        let &Self { code, ready, call, flag, ref outputs } = self;
        let (lanes, items) = (code.callable.shape().lanes() as usize, code.lanes.items);
        list_invocations(call.dispatch, part.clone(), items, lanes, &mut scratch.table);
        if flag.is_some() {
            number_invocations(&mut scratch.table, items, lanes, part.start as u32);
        }
        let is_done = scratch.call(code, ready, call, (part, lanes), memories, outputs).is_ok();
        is_done && !flag.is_some_and(|flag| is_late(memories, flag))
    }

    fn stack(&self) -> usize {
        self.code.callable.stack()
    }
}
