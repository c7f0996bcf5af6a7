//! Programs with barriers: the walk over their phases.
//!
//! The invocations of a workgroup have a *frame*: the columns of the table of lanes, with their inputs and saved words. A
//! call of a phase reads some of its columns and yields new words for others.
//!
//! *In order.* In a segment, invocations run one after the other, each from phase to phase until it waits at a barrier or
//! ends. So the order is that of the reference, also for programs with races. All invocations of a workgroup must arrive
//! at the same barrier in the same rounds of loops.
//!
//! *In lanes.* If the invocations of a workgroup are [independent](crate::lanes::independence) in each segment, that is in
//! the phases from a barrier to the next ones, then a call executes a phase for all of them. They go the same way: where
//! a condition differs among them, each goes on in order to the end of the workgroup, from where it is.
//!
//! Workgroups run in order, or in threads where they are independent. They have variables of their own.
//!
//! *Checked.* Segments without a proof run in lanes, too, by code that [checks](crate::lanes::checks) the order. There, a
//! condition that differs ends the attempt.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashSet;

use lambdav_core::evaluate::{Dispatch, DispatchFault, EvaluationFault, Memory};
use lambdav_core::inputs;
use lambdav_core::schedule::ValueId;
use lambdav_core::schedule::phases::{Next, Phase, Phases, Rounds};
use lambdav_core::source::Span;

use super::checked::{Checked, Checks, is_late, with_stamps};
use super::ends::{Call, DispatchError, Ran, Tier};
use super::invocations::{Code, Ready, list_invocations, number_invocations};
use super::threads::{self, Extent, Parts, Progress};
use crate::emit::executable::{shared, shared_words};
use crate::emit::{BindError, EmitError};
use crate::lanes::checks::{Stamps, checked};
use crate::lanes::independence::{Given, Independence, SYMBOLS, Scope, prove, prove_each};
use crate::lanes::{Extents, InputSet, Items, LaneProgram, Memories};
use crate::mutants::{Mutant, is_active};
use crate::pipeline::Compiler;
use crate::registers::{Callable, Listed};

/// A program that is split at its barriers, with code.
#[derive(Debug)]
pub(super) struct Phased<C> {
    phases: Vec<Phase>,
    /// The columns of the frame.
    items: Items,
    /// The code for one lane.
    one: Vec<CodeOfPhase<C>>,
    /// The code for several lanes, if it is not too large.
    several: Option<Vec<CodeOfPhase<C>>>,
    /// The phases of each segment, which its first one begins.
    segments: Vec<Vec<usize>>,
    /// True for each phase that may run several times in a segment.
    is_repeated: Vec<bool>,
    /// The saved words that are outputs.
    outputs: Vec<u32>,
    /// The code with checks for several lanes, of the phases in segments without a proof.
    checks: Checks<Vec<Option<CodeOfPhase<C>>>>,
}

#[derive(Debug)]
struct CodeOfPhase<C> {
    code: Code<C>,
    /// The positions in the frame of the columns that it reads.
    columns: Vec<usize>,
    /// The position of each lane among the pixels of a group.
    pixels: Vec<usize>,
}

/// The position of an invocation between two calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Thread {
    phase: usize,
    /// The number of `rec`s so far of each loop around, outermost first.
    rounds: Vec<u64>,
}

/// The place where an invocation is after an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Arrival {
    Done,
    Barrier { value: ValueId, span: Span, rounds: Vec<u64> },
}

impl Thread {
    /// Takes the edge behind its phase. Returns what ends its segment there, if anything does.
    fn go(
        &mut self,
        next: Next,
        condition: u32,
        max_iterations: u64,
    ) -> Result<Option<Arrival>, EvaluationFault> {
        match next {
            Next::Done => return Ok(Some(Arrival::Done)),
            Next::Barrier { value, span, phase } => {
                self.phase = phase;
                if !is_active(Mutant::SkippedBarrier) {
                    let rounds = self.rounds.clone();
                    return Ok(Some(Arrival::Barrier { value, span, rounds }));
                }
            }
            Next::If { then, otherwise } => {
                self.phase = if condition != 0 { then } else { otherwise };
            }
            Next::Goto { phase, rounds } => {
                self.phase = phase;
                match rounds {
                    Rounds::Same => {}
                    Rounds::Enter => self.rounds.push(0),
                    Rounds::Leave => drop(self.rounds.pop()),
                    Rounds::Again(span) => {
                        let round = self.rounds.last_mut().expect("a loop was entered");
                        *round += 1;
                        if *round > max_iterations {
                            return Err(EvaluationFault::LoopLimit(span));
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}

/// The invocations of a workgroup, while they run.
#[derive(Default)]
struct Workgroup {
    /// For groups of lanes, or for single invocations, their columns.
    frame: Vec<u32>,
    /// The table of a call, and its outputs.
    table: Vec<u32>,
    found: Vec<[f32; 4]>,
    /// The next number of an invocation in a segment, where the order is checked.
    number: u32,
}

/// What is known of the order of a dispatch.
struct Order {
    /// A proof that workgroups are independent.
    in_threads: Option<Independence>,
    /// For each phase the saved words that must be the same for all invocations, in lanes.
    symbols: Vec<Vec<u32>>,
}

/// The code of each phase.
struct Lanes<'p, C> {
    codes: Vec<&'p CodeOfPhase<C>>,
    /// The columns of the frame.
    items: Items,
    /// The memory that tells if an access was late, if some phases have checks.
    flag: Option<usize>,
}

/// Code that is ready for a dispatch.
struct Prepared<'p, C> {
    phased: &'p Phased<C>,
    codes: Vec<&'p CodeOfPhase<C>>,
    ready: Vec<Ready>,
    call: &'p Call<'p>,
    /// The columns of the frame.
    items: Items,
    /// The memory that tells if an access was late, if some phases have checks.
    flag: Option<usize>,
}

impl<C: Callable> CodeOfPhase<C> {
    /// A code with the places of its columns in a frame.
    fn new(code: Code<C>, items: Items) -> Self {
        let columns = code.lanes.items.columns();
        let columns = columns.map(|of| items.position(of).expect("the frame has all columns"));
        Self { columns: columns.collect(), pixels: code.pixels(), code }
    }
}

impl<C: Callable + Send + Sync> Phased<C> {
    /// The code that `code` makes of the lane programs of phases, for a compiler of items with saved words.
    pub(super) fn new(
        phases: Phases,
        compiler: &Compiler,
        code: impl Fn(&Compiler, LaneProgram) -> Result<Code<C>, EmitError>,
    ) -> Result<Self, EmitError> {
        let (phases, outputs) = (phases.all, phases.outputs);
        let in_order = compiler.in_order();
        let one = phases.iter().map(|phase| {
            compiler.check(&phase.program)?;
            code(&in_order, in_order.lane_program(&phase.program))
        });
        let one = one.collect::<Result<Vec<_>, EmitError>>()?;
        let lanes = phases.iter().map(|phase| compiler.lane_program(&phase.program));
        let lanes: Vec<LaneProgram> = lanes.collect();
        // The shape that suits all phases.
        let shapes = lanes.iter().map(|lanes| compiler.choice(lanes).shape);
        let shape = shapes.min_by_key(|shape| shape.lanes());
        let mut shape = shape.filter(|shape| shape.lanes() > 1);
        let mut several = None;
        while let (None, Some(wanted)) = (&several, shape) {
            let compiler = Compiler { lanes: Some(wanted.lanes()), ..compiler.clone() };
            let codes = lanes.iter().map(|lanes| code(&compiler, lanes.clone()));
            several = codes.collect::<Result<Vec<_>, _>>().ok();
            shape = wanted.fewer();
        }
        let segments = segments(&phases);
        let is_repeated = (0..phases.len()).map(|phase| {
            next(&phases[phase]).any(|after| reached(&phases, after).contains(&phase))
        });
        let is_repeated = is_repeated.collect();
        let read = one.iter().chain(several.iter().flatten());
        let inputs = read.map(|code| code.lanes.items.inputs());
        let inputs = inputs.fold(InputSet::NONE, InputSet::union);
        let items = Items::Invocations { inputs, saved: compiler.items.saved() };
        let with_columns = |codes: Vec<_>| -> Vec<_> {
            codes.into_iter().map(|code| CodeOfPhase::new(code, items)).collect()
        };
        let (one, several) = (with_columns(one), several.map(with_columns));
        let checks = Checks::default();
        Ok(Self { phases, items, one, several, segments, is_repeated, outputs, checks })
    }

    /// The same, which checks dispatches of at least so many invocations.
    pub(super) fn with_checks_from(self, least: u64) -> Self {
        let checks = self.checks.with_least(least);
        Self { checks, ..self }
    }

    /// Runs all workgroups. `None` if there is no proof of anything. `keep` is called before the order is checked; `code`
    /// makes the code for that, for so many lanes.
    ///
    /// # Errors
    ///
    /// Cancellation, and inputs that do not fit.
    pub(super) fn run(
        &self,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        call: &Call<'_>,
        keep: impl FnOnce(&Memory),
        code: impl Fn(u32, LaneProgram) -> Option<Code<C>>,
    ) -> Result<Option<Ran>, DispatchError> {
        let &Call { dispatch, max_iterations, .. } = call;
        let of = self.several.as_deref().unwrap_or(&self.one);
        let words = self.inputs(of, inputs, memory, max_iterations)?;
        let given = of.iter().zip(&words).zip(&self.is_repeated);
        let given = given.map(|((of, words), &is_repeated)| Given {
            program: &of.code.lanes,
            words: words.words(),
            is_repeated,
        });
        let given: Vec<Given<'_>> = given.collect();
        let in_threads = prove(&given, dispatch, Scope::Workgroups);
        let mut symbols = vec![Vec::new(); self.phases.len()];
        // The memories without a proof, and the phases of segments without one.
        let (mut memories, mut phases) = (BTreeSet::new(), BTreeSet::new());
        for segment in &self.segments {
            let given: Vec<Given<'_>> = segment.iter().map(|&phase| given[phase]).collect();
            let (proved, unproved) = prove_each(&given, dispatch, Scope::Workgroup);
            for (number, word) in proved.symbols {
                symbols[segment[number]].push(word);
            }
            if !unproved.is_empty() {
                memories.extend(unproved);
                phases.extend(segment);
            }
        }
        let are_proved = memories.is_empty() || is_active(Mutant::UnprovedSegment);
        let order = Order { in_threads, symbols };
        let Some(several) = &self.several else {
            return self.run_ordered(&order, None, inputs, memory, call);
        };
        if are_proved {
            let codes = Lanes { codes: several.iter().collect(), items: self.items, flag: None };
            return self.run_ordered(&order, Some(codes), inputs, memory, call);
        }
        let memories: Vec<usize> = memories.into_iter().collect();
        let suits = |made: &Checked<Vec<Option<CodeOfPhase<C>>>>| {
            made.stamps.has(&memories)
                && phases.iter().all(|&phase: &usize| made.code[phase].is_some())
        };
        let items = match self.items {
            Items::Invocations { inputs, saved } => Items::Invocations { inputs, saved: saved + 1 },
            other => other,
        };
        let checked = self.checks.get(dispatch, (memory, &memories), suits, || {
            let stamps = Stamps::new(&several[0].code.lanes, memories.clone());
            let codes = several.iter().enumerate().map(|(phase, of)| {
                if !phases.contains(&phase) {
                    return Some(None);
                }
                let lanes = of.code.callable.shape().lanes();
                let code = code(lanes, checked(&of.code.lanes, &stamps))?;
                Some(Some(CodeOfPhase::new(code, items)))
            });
            Some(Checked { code: codes.collect::<Option<_>>()?, stamps })
        });
        let Some(checked) = checked else {
            return self.run_ordered(&order, None, inputs, memory, call);
        };
        keep(memory);
        let codes = several.iter().zip(&checked.code);
        let codes = codes.map(|(of, checked)| checked.as_ref().unwrap_or(of)).collect();
        let codes = Lanes { codes, items, flag: Some(checked.stamps.flag()) };
        let ran = with_stamps(memory, &checked.stamps, |memory| {
            self.run_ordered(&order, Some(codes), inputs, memory, call)
        })?;
        Ok(match ran {
            Some(Ran::Done(tier)) => Some(Ran::Done(tier)),
            _ => {
                self.checks.fail();
                Some(Ran::Late)
            }
        })
    }

    /// Runs all workgroups as proofs, or code that checks, permit: in threads, and with `codes` in lanes. `None` if neither is
    /// possible.
    fn run_ordered(
        &self,
        Order { in_threads, symbols }: &Order,
        codes: Option<Lanes<'_, C>>,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        call: &Call<'_>,
    ) -> Result<Option<Ran>, DispatchError> {
        let &Call { max_iterations, frontier, .. } = call;
        let tier = match (in_threads.is_some(), codes.is_some()) {
            (true, true) => Tier::AtOnce,
            (true, false) => Tier::Threads,
            (false, true) => Tier::Lanes,
            (false, false) => return Ok(None),
        };
        let one = self.inputs(&self.one, inputs, memory, max_iterations)?;
        let in_order = Lanes { codes: self.one.iter().collect(), items: self.items, flag: None };
        let Ok(one) = self.prepared(in_order, one, call) else {
            return Err(DispatchError::cancelled());
        };
        // Checks add variables of workgroups.
        let most = codes.iter().flat_map(|lanes| &lanes.codes).chain(&one.codes);
        let most = most.map(|of| &of.code.lanes).max_by_key(|lanes| lanes.resources.0.len());
        let variables = variables(most.expect("there is a phase"), memory);
        let several = match codes {
            None => None,
            Some(codes) => {
                let words =
                    self.inputs(codes.codes.iter().copied(), inputs, memory, max_iterations)?;
                match self.prepared(codes, words, call) {
                    Ok(several) => Some(several),
                    Err(EvaluationFault::Cancelled) => return Err(DispatchError::cancelled()),
                    Err(_) => return Ok(None),
                }
            }
        };
        let reduced = in_threads.as_ref().map_or(&[][..], |found| &found.reduced);
        let extent = Extent {
            from: call.workgroups().start,
            to: call.workgroups().end,
            part: 1,
            reduced,
            is_in_order: in_threads.is_none(),
        };
        let parts = Workgroups { one, several, variables, symbols };
        match threads::run(&parts, extent, &shared(memory), frontier)? {
            Progress::Done => Ok(Some(Ran::Done(tier))),
            Progress::Cancelled => Err(DispatchError::cancelled()),
            Progress::Fault => Ok(Some(Ran::Fault)),
        }
    }

    /// Runs all workgroups, and their invocations, in order.
    pub(super) fn run_in_order(
        &self,
        inputs: &inputs::Inputs,
        memory: &mut Memory,
        call: &Call<'_>,
    ) -> Result<(), DispatchError> {
        let inputs = self.inputs(&self.one, inputs, memory, call.max_iterations)?;
        let codes = Lanes { codes: self.one.iter().collect(), items: self.items, flag: None };
        let Ok(prepared) = self.prepared(codes, inputs, call) else {
            return Err(DispatchError::cancelled());
        };
        let mut found = Workgroup::default();
        for workgroup in call.workgroups() {
            memory.begin_workgroup(&self.phases[0].program.types);
            let done = prepared.in_order(workgroup, &shared(memory), &mut found);
            done.map_err(DispatchError::Fault)?;
        }
        Ok(())
    }

    /// The inputs of each phase.
    fn inputs<'c>(
        &self,
        of: impl IntoIterator<Item = &'c CodeOfPhase<C>>,
        inputs: &inputs::Inputs,
        memory: &Memory,
        max_iterations: u64,
    ) -> Result<Vec<crate::registers::Inputs>, BindError>
    where
        C: 'c,
    {
        let all = of.into_iter().zip(&self.phases);
        all.map(|(of, phase)| of.code.inputs(&phase.program, inputs, memory, max_iterations))
            .collect()
    }

    fn prepared<'p>(
        &'p self,
        Lanes { codes, items, flag }: Lanes<'p, C>,
        inputs: Vec<crate::registers::Inputs>,
        call: &'p Call<'p>,
    ) -> Result<Prepared<'p, C>, EvaluationFault> {
        let all = codes.iter().zip(inputs);
        let ready = all.map(|(of, inputs)| of.code.ready(inputs, call.frontier));
        let ready = ready.collect::<Result<_, _>>()?;
        Ok(Prepared { phased: self, codes, ready, call, items, flag })
    }

    /// The programs of all phases.
    pub(super) fn programs(&self) -> impl Iterator<Item = &LaneProgram> {
        self.one.iter().map(|of| &of.code.lanes)
    }

    /// True if a loop may reach its limit, or invocations may part.
    pub(super) fn is_fallible(&self) -> bool {
        let has_loop = self.one.iter().any(|of| !of.code.lanes.sites.is_empty());
        let is_decision = |phase: &Phase| match phase.next {
            Next::If { .. } => true,
            Next::Goto { rounds, .. } => matches!(rounds, Rounds::Again(_)),
            Next::Done | Next::Barrier { .. } => false,
        };
        has_loop || self.phases.iter().any(is_decision)
    }
}

/// The phases of each segment: those that can be reached from the beginning, and from behind each barrier.
fn segments(phases: &[Phase]) -> Vec<Vec<usize>> {
    let behind = phases.iter().filter_map(|phase| match phase.next {
        Next::Barrier { phase, .. } => Some(phase),
        _ => None,
    });
    std::iter::once(0).chain(behind).map(|first| reached(phases, first)).collect()
}

/// The phases after one, without a barrier between.
fn next(phase: &Phase) -> impl Iterator<Item = usize> + use<> {
    let next = match phase.next {
        Next::Done | Next::Barrier { .. } => [None; 2],
        Next::Goto { phase, .. } => [Some(phase), None],
        Next::If { then, otherwise } => [Some(then), Some(otherwise)],
    };
    next.into_iter().flatten()
}

/// A phase, and those that can be reached from it without a barrier.
fn reached(phases: &[Phase], first: usize) -> Vec<usize> {
    let (mut found, mut at) = (vec![first], 0);
    let mut seen = FxHashSet::from_iter([first]);
    while let Some(&phase) = found.get(at) {
        at += 1;
        found.extend(next(&phases[phase]).filter(|&phase| seen.insert(phase)));
    }
    found
}

/// The variables of workgroups and their numbers of words.
fn variables(lanes: &LaneProgram, memory: &Memory) -> Vec<(usize, usize)> {
    let of_workgroup = |&number: &usize| lanes.resources.0[number].extents != Extents::Any;
    let numbers = lanes.resources.memories().filter(of_workgroup);
    numbers.map(|number| (number, memory.words(number).len())).collect()
}

impl<C: Callable> Prepared<'_, C> {
    /// Runs a workgroup in order.
    fn in_order(
        &self,
        workgroup: u64,
        memories: &Memories<'_>,
        found: &mut Workgroup,
    ) -> Result<(), DispatchFault> {
        let Call { dispatch, .. } = self.call;
        let all = indices(dispatch, workgroup);
        list_invocations(dispatch, all.clone(), self.items, 1, &mut found.frame);
        let threads = vec![Thread::default(); (all.end - all.start) as usize];
        self.go_on(workgroup, threads, memories, found)
    }

    /// Runs the invocations of a workgroup in order to their ends, from where they are in their segment. The frame is for
    /// single invocations.
    fn go_on(
        &self,
        workgroup: u64,
        mut threads: Vec<Thread>,
        memories: &Memories<'_>,
        found: &mut Workgroup,
    ) -> Result<(), DispatchFault> {
        let id = |local: usize| self.call.dispatch.invocation(workgroup, local as u64).global_id;
        loop {
            let mut first: Option<Arrival> = None;
            for (local, thread) in threads.iter_mut().enumerate() {
                let arrival = self.segment(local, thread, memories, found);
                let arrival =
                    arrival.map_err(|fault| DispatchFault::Invocation { id: id(local), fault })?;
                let Some(known) = &first else {
                    first = Some(arrival);
                    continue;
                };
                match (known, &arrival) {
                    (known, arrival) if known == arrival => {}
                    (Arrival::Barrier { span, .. }, _) => {
                        let (span, arrived, other) = (*span, id(0), id(local));
                        return Err(DispatchFault::DivergentBarrier { span, arrived, other });
                    }
                    (Arrival::Done, Arrival::Barrier { span, .. }) => {
                        let (span, arrived, other) = (*span, id(local), id(0));
                        return Err(DispatchFault::DivergentBarrier { span, arrived, other });
                    }
                    (Arrival::Done, Arrival::Done) => unreachable!("they are equal"),
                }
            }
            match first {
                Some(Arrival::Barrier { .. }) => {}
                Some(Arrival::Done) | None => {
                    self.give(workgroup, 1, found);
                    return Ok(());
                }
            }
        }
    }

    /// Hands over the outputs of the invocations of a workgroup that has ended. The frame is for groups of so many lanes.
    fn give(&self, workgroup: u64, lanes: usize, found: &mut Workgroup) {
        let Some(sink) = self.call.sink else { return };
        let Workgroup { frame, table: words, .. } = found;
        let columns = self.items.column_count();
        let first = columns - self.items.saved() as usize;
        let all = indices(self.call.dispatch, workgroup);
        for (output, &word) in self.phased.outputs.iter().enumerate() {
            words.clear();
            for group in frame.chunks_exact(columns * lanes) {
                words.extend_from_slice(&group[(first + word as usize) * lanes..][..lanes]);
            }
            words.truncate((all.end - all.start) as usize);
            sink.take(all.start, output, words);
        }
    }

    /// Runs an invocation to the end of its segment.
    fn segment(
        &self,
        local: usize,
        thread: &mut Thread,
        memories: &Memories<'_>,
        found: &mut Workgroup,
    ) -> Result<Arrival, EvaluationFault> {
        loop {
            let next = self.phased.phases[thread.phase].next;
            self.execute(thread.phase, local..local + 1, memories, found)?;
            let condition = self.condition(thread.phase, found).next().unwrap_or(0);
            if let Some(arrival) = thread.go(next, condition, self.call.max_iterations)? {
                return Ok(arrival);
            }
        }
    }

    /// Runs a workgroup in lanes. If a condition differs among its invocations, returns where each of them is; the frame
    /// is for groups of lanes.
    ///
    /// # Errors
    ///
    /// Faults, cancellation, and symbols that are not what the proof demands.
    fn in_lanes(
        &self,
        workgroup: u64,
        symbols: &[Vec<u32>],
        memories: &Memories<'_>,
        found: &mut Workgroup,
    ) -> Result<Option<Vec<Thread>>, OutOfOrder> {
        let &Call { dispatch, max_iterations, .. } = self.call;
        let all = indices(dispatch, workgroup);
        let count = (all.end - all.start) as usize;
        list_invocations(dispatch, all, self.items, self.lanes(), &mut found.frame);
        self.begin_segment(count, found)?;
        let groups = count.div_ceil(self.lanes());
        let mut thread = Thread::default();
        loop {
            let next = self.phased.phases[thread.phase].next;
            let mut words = symbols[thread.phase].iter();
            if !words.all(|&word| self.is_symbol(word, count, &found.frame)) {
                return Err(OutOfOrder);
            }
            self.execute(thread.phase, 0..groups, memories, found)?;
            let mut condition = 0;
            if let Next::If { .. } = next {
                let mut all = self.condition(thread.phase, found).take(count);
                condition = all.next().unwrap_or(0);
                if all.any(|other| (other != 0) != (condition != 0))
                    && !is_active(Mutant::FirstCondition)
                {
                    // In order, accesses leave no stamps.
                    if self.flag.is_some() {
                        return Err(OutOfOrder);
                    }
                    let all = self.condition(thread.phase, found).take(count);
                    let parted = all.map(|condition| {
                        let mut thread = thread.clone();
                        thread.go(next, condition, max_iterations)?;
                        Ok(thread)
                    });
                    let parted: Result<_, EvaluationFault> = parted.collect();
                    return Ok(Some(parted?));
                }
            }
            let Some(arrival) = thread.go(next, condition, max_iterations)? else { continue };
            if self.flag.is_some_and(|flag| is_late(memories, flag)) {
                return Err(OutOfOrder);
            }
            match arrival {
                Arrival::Done => {
                    self.give(workgroup, self.lanes(), found);
                    return Ok(None);
                }
                Arrival::Barrier { .. } => self.begin_segment(count, found)?,
            }
        }
    }

    /// Numbers the invocations of a workgroup in a segment, if the order is checked.
    ///
    /// # Errors
    ///
    /// If no numbers are left.
    fn begin_segment(&self, count: usize, found: &mut Workgroup) -> Result<(), OutOfOrder> {
        if self.flag.is_some() {
            let after = found.number.checked_add(count as u32).ok_or(OutOfOrder)?;
            number_invocations(&mut found.frame, self.items, self.lanes(), found.number);
            found.number = after;
        }
        Ok(())
    }

    /// True if a saved word is the same for all invocations, and small, in a frame for groups of lanes.
    fn is_symbol(&self, word: u32, count: usize, frame: &[u32]) -> bool {
        let (items, lanes) = (self.items, self.lanes());
        let first = items.column_count() - items.saved() as usize + word as usize;
        let groups = frame.chunks_exact(items.column_count() * lanes);
        let mut words = groups.flat_map(|group| &group[first * lanes..][..lanes]).take(count);
        let first = words.next().copied().unwrap_or(0);
        first < SYMBOLS && words.all(|&word| word == first)
    }

    fn lanes(&self) -> usize {
        self.codes[0].code.callable.shape().lanes() as usize
    }

    /// Executes a phase for some groups, and saves its words in the frame.
    fn execute(
        &self,
        number: usize,
        groups: Range<usize>,
        memories: &Memories<'_>,
        found: &mut Workgroup,
    ) -> Result<(), EvaluationFault> {
        let &Call { dispatch, frontier, .. } = self.call;
        let Workgroup { frame, table, found, .. } = found;
        let CodeOfPhase { code, columns, pixels } = self.codes[number];
        let (items, lanes) = (self.items, self.lanes());
        let words = items.column_count() * lanes;
        let of_groups = groups.start * words..groups.end * words;
        table.clear();
        for group in frame[of_groups.clone()].chunks_exact(words) {
            for &column in columns {
                table.extend_from_slice(&group[column * lanes..][..lanes]);
            }
        }
        let attachments = code.callable.attachments();
        found.resize(attachments * groups.len() * lanes, [0.0; 4]);
        let listed = Listed { table, primitive: &dispatch.groups };
        code.call(&self.ready[number], listed, memories, found, frontier)?;
        let first = items.column_count() - items.saved() as usize;
        for (k, &word) in self.phased.phases[number].saves.iter().enumerate() {
            let of_output = output(found, k, groups.len() * lanes);
            let places = frame[of_groups.clone()].chunks_exact_mut(words);
            for (group, new) in places.zip(of_output.chunks_exact(lanes)) {
                let places = &mut group[(first + word as usize) * lanes..][..lanes];
                for (place, &pixel) in places.iter_mut().zip(pixels) {
                    *place = new[pixel][k % 4].to_bits();
                }
            }
        }
        Ok(())
    }

    /// The condition that the last call of a phase has computed, lane by lane.
    fn condition<'f>(
        &self,
        number: usize,
        found: &'f Workgroup,
    ) -> impl Iterator<Item = u32> + use<'f, '_, C> {
        let k = self.phased.phases[number].saves.len();
        let CodeOfPhase { code, pixels, .. } = self.codes[number];
        let attachments = code.callable.attachments();
        let plane = found.found.len() / attachments.max(1);
        let of_output = if k < 4 * attachments { output(&found.found, k, plane) } else { &[] };
        let groups = of_output.chunks_exact(pixels.len());
        groups.flat_map(move |group| pixels.iter().map(move |&pixel| group[pixel][k % 4].to_bits()))
    }
}

/// A workgroup does not end in lanes.
#[derive(Debug)]
struct OutOfOrder;

impl From<EvaluationFault> for OutOfOrder {
    fn from(_: EvaluationFault) -> Self {
        Self
    }
}

/// The pixels with an output, for a number of lanes.
fn output(found: &[[f32; 4]], k: usize, plane: usize) -> &[[f32; 4]] {
    &found[k / 4 * plane..][..plane]
}

/// The indices of the invocations of a workgroup.
fn indices(dispatch: &Dispatch, workgroup: u64) -> Range<u64> {
    let size = dispatch.invocations_of_workgroup();
    workgroup * size..(workgroup + 1) * size
}

/// The workgroups of a dispatch.
struct Workgroups<'p, C> {
    one: Prepared<'p, C>,
    several: Option<Prepared<'p, C>>,
    /// Variables of workgroups, with their numbers of words.
    variables: Vec<(usize, usize)>,
    /// Those of the [`Order`].
    symbols: &'p [Vec<u32>],
}

impl<C: Callable + Send + Sync> Parts for Workgroups<'_, C> {
    /// The invocations, and the variables.
    type Scratch = (Workgroup, Vec<Vec<u32>>);

    fn execute(
        &self,
        part: Range<u64>,
        memories: &Memories<'_>,
        (found, variables): &mut Self::Scratch,
    ) -> bool {
        part.into_iter().all(|workgroup| {
            let mut memories = memories.clone();
            variables.resize(self.variables.len(), Vec::new());
            for (&(number, count), words) in self.variables.iter().zip(variables.iter_mut()) {
                if !is_active(Mutant::KeptVariables) {
                    words.clear();
                }
                words.resize(count, 0);
                memories.0[number] = shared_words(words);
            }
            let Some(several) = &self.several else {
                return self.one.in_order(workgroup, &memories, found).is_ok();
            };
            match several.in_lanes(workgroup, self.symbols, &memories, found) {
                Err(_) => false,
                Ok(None) => true,
                Ok(Some(parted)) => {
                    let columns = self.one.items.column_count();
                    found.frame = single(&found.frame, columns, several.lanes());
                    self.one.go_on(workgroup, parted, &memories, found).is_ok()
                }
            }
        })
    }

    fn stack(&self) -> usize {
        let all = [Some(&self.one), self.several.as_ref()].into_iter().flatten();
        let all = all.flat_map(|of| &of.codes);
        all.map(|of| of.code.callable.stack()).max().unwrap_or(0)
    }
}

/// The frame of single invocations with the words of one for groups of lanes.
fn single(frame: &[u32], columns: usize, lanes: usize) -> Vec<u32> {
    let groups = frame.chunks_exact(columns * lanes);
    let rows = groups.flat_map(|group| {
        let row = move |lane| (0..columns).map(move |column| group[column * lanes + lane]);
        (0..lanes).flat_map(row)
    });
    rows.collect()
}
