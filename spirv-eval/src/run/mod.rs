//! Executes a module, pixel by pixel.

mod dispatch;
mod memory;
mod notes;
mod observed;
mod quad;
mod samples;
mod slice;
mod step;
mod watch;

use super::code::{Block, Call, End, Passed, Position, Step};
use super::global::Role;
use super::module::Module;
use super::observer::Observer;
use super::options::{Arithmetic, Undefined};
use super::resources::{BindingKind, InputSource, Resources, SharedData};
use crate::mutants::{Mutant, is_active};
pub use dispatch::DispatchError;
use lambdav_float_environment::with_default;
use notes::Quad;
use rspirv::spirv::BuiltIn;
pub use slice::Slice;
use thiserror::Error;
use watch::Watch;

/// Approximate number of instructions between two cancellation polls. (An elementary function may take a
/// tenth of a millisecond.)
const INSTRUCTIONS: u32 = 1 << 8;

/// Reasons why a pixel has no value.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ModuleFault {
    /// A loop exceeded its limit of rounds.
    #[error("the loop with header %{header} does not end")]
    LoopLimit {
        /// The label of its header block.
        header: u32,
        /// Source position of the loop, if the module has one.
        position: Option<Position>,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A value is used that has not been computed in this activation.
    #[error("block %{0} uses a value that has not been computed")]
    Undefined(u32),
    /// A φ has no value for the predecessor.
    #[error("in block %{0} an OpPhi lacks its predecessor")]
    Phi(u32),
    /// An index is outside a vector, an array, a texture or a buffer.
    #[error("in block %{0} an index is out of bounds")]
    Outside(u32),
    /// A texture or buffer is read that is not bound, or that has another kind.
    #[error("binding {0} is unbound, or its data are of another kind")]
    Unbound(u32),
    /// OpUnreachable was executed.
    #[error("OpUnreachable executed in block %{0}")]
    Unreachable(u32),
    /// A neighbour in the quad does not compute the operand of a derivative.
    #[error("derivative in non-uniform control flow in block %{0}")]
    Divergent(u32),
    /// The number of calls exceeds the counter of activations.
    #[error("there are too many calls")]
    Calls,
}

/// The inputs of one invocation of a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invocation {
    /// FragCoord of a fragment.
    pub frag_coord: [f32; 4],
    /// The words of the inputs at locations; missing ones are zero.
    pub locations: Vec<(u32, Box<[u32]>)>,
    /// VertexIndex of a vertex.
    pub vertex_index: u32,
    /// InstanceIndex of a vertex.
    pub instance_index: u32,
    /// PrimitiveId of a fragment.
    pub primitive_id: u32,
    /// FrontFacing of a fragment.
    pub is_front_facing: bool,
}

/// The inputs of the pixel whose centre is at a position.
type InvocationAt<'a> = dyn Fn([f32; 2]) -> Invocation + 'a;

/// Executes a module for one pixel after another.
#[derive(Debug)]
pub struct ModuleEvaluator<'m> {
    module: &'m Module,
    /// The words of all ids. Without recursion each id has one place.
    memory: Vec<u32>,
    /// `defined[p]`: the activation that computed the value whose first word is at place p; [`ALWAYS`]
    /// for constants.
    defined: Vec<u32>,
    /// Number of the current activation of a function.
    activation: u32,
    /// The last number given to an activation.
    last_activation: u32,
    /// The callers of the current function.
    callers: Vec<Frame>,
    /// The words of read-only blocks.
    blocks: Vec<Vec<u32>>,
    /// The textures and buffers of the module, as far as bound.
    resources: Vec<Option<SharedData>>,
    /// The words of each resource that is a memory, and of each variable of the workgroup.
    storage: Vec<Vec<u32>>,
    shared: Vec<Vec<u32>>,
    /// The words of all variables; `filled` marks initialised ones.
    variables: Vec<u32>,
    filled: Vec<bool>,
    /// Sources of the inputs at locations, in the module's order.
    inputs: Vec<InputSource>,
    /// Rounds of each loop since its last entry, by header.
    rounds: Vec<u64>,
    /// Scratch memory for values that are being moved.
    transit: Vec<u32>,
    max_iterations: u64,
    /// Instructions left until the next poll.
    to_poll: u32,
    is_discarded: bool,
    /// Column and row of the pixel.
    pixel: [u32; 2],
    /// Words of the clear colour.
    clear: [u32; 4],
    /// True once computed constants have been evaluated.
    is_open: bool,
    arithmetic: Arithmetic,
    quad: Quad,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    function: usize,
    block: usize,
    /// Index of the step in the block.
    next: usize,
}

/// Where an execution stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Ended,
    /// At a barrier: the step behind it, and the label of the block.
    Waits(At, u32),
}

/// A function that waits for a callee's return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    function: usize,
    block: usize,
    /// Index of the next step.
    next: usize,
    activation: u32,
    /// Place of the callee's result.
    to: usize,
}

const ALWAYS: u32 = u32::MAX;

/// Reasons why an instruction cannot be executed.
#[derive(Clone, Copy)]
enum Wrong {
    /// An operand has not been computed.
    Undefined,
    /// An index is out of bounds.
    Outside,
    /// The texture or buffer of that number is not bound.
    Unbound(usize),
    /// A neighbour's operand of a derivative is not known yet.
    Neighbour,
}

/// Reasons why the execution of a pixel stops early.
enum Stopped {
    Fault(ModuleFault),
    /// A neighbour must run first; label of the current block.
    Neighbour(u32),
}

impl From<ModuleFault> for Stopped {
    fn from(fault: ModuleFault) -> Self {
        Self::Fault(fault)
    }
}

impl<'m> ModuleEvaluator<'m> {
    /// An evaluator whose loops may take `max_iterations` rounds at each entry.
    pub fn new(module: &'m Module, resources: &Resources, max_iterations: u64) -> Self {
        let mut memory = vec![0; module.words];
        let mut defined = vec![0; module.words];
        for (at, words) in &module.constants {
            memory[*at..at + words.len()].copy_from_slice(words);
            defined[*at] = ALWAYS;
        }
        let mut variables = vec![0; module.variable_words];
        for variable in &module.variables {
            if let Some(words) = &variable.initial {
                variables[variable.at..variable.at + variable.words].copy_from_slice(words);
            }
        }
        let blocks = module.blocks.iter().map(|block| {
            let mut words = resources.block(block.binding).to_vec();
            words.resize(words.len().max(block.words), 0);
            words
        });
        let bound = module.resources.iter();
        let bound = bound.map(|wanted| resources.bound(wanted).cloned());
        let is_total = module.undefined == Undefined::Total;
        let mut filled = vec![false; variables.len()];
        for variable in &module.variables {
            let is_filled = is_total || variable.initial.is_some() || variable.role != Role::Own;
            filled[variable.at..variable.at + variable.words].fill(is_filled);
        }
        Self {
            module,
            memory,
            defined,
            activation: 0,
            last_activation: 0,
            callers: Vec::new(),
            blocks: blocks.collect(),
            resources: bound.collect(),
            storage: vec![Vec::new(); module.resources.len()],
            shared: Vec::new(),
            variables,
            filled,
            inputs: vec![InputSource::default(); module.inputs.len()],
            rounds: vec![0; module.headers],
            transit: Vec::new(),
            max_iterations,
            to_poll: INSTRUCTIONS,
            is_discarded: false,
            pixel: [0; 2],
            clear: [0; 4],
            is_open: false,
            arithmetic: Arithmetic::default(),
            quad: Quad::default(),
        }
    }

    /// Sets the source of the input at a location, for later pixels.
    pub fn set_input(&mut self, location: u32, source: &InputSource) {
        for (input, of) in self.module.inputs.iter().zip(&mut self.inputs) {
            if input.location == location {
                *of = source.clone();
            }
        }
    }

    /// Sets the words that a discarded pixel keeps; (0, 0, 0, 0) by default.
    pub fn set_clear(&mut self, clear: [u32; 4]) {
        self.clear = clear;
    }

    /// Sets the device arithmetic for 32-bit numbers.
    pub fn set_arithmetic(&mut self, arithmetic: Arithmetic) {
        self.arithmetic = arithmetic;
    }

    /// Computes the outputs of one pixel. `cancelled` is polled at intervals.
    pub fn run(
        &mut self,
        frag_coord: [f32; 4],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        with_default(|| self.run_quad(frag_coord, None, cancelled))
    }

    /// Like [`ModuleEvaluator::run`], on the memory of the buffer that fragments change
    /// ([`LoadOptions::changed`](crate::LoadOptions::changed)).
    pub fn run_on(
        &mut self,
        memory: &mut Vec<u32>,
        frag_coord: [f32; 4],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        let mut all = self.module.resources.iter();
        let Some(number) = all.position(|of| of.kind == BindingKind::Memory) else {
            return self.run(frag_coord, cancelled);
        };
        self.storage.resize(self.module.resources.len(), Vec::new());
        std::mem::swap(&mut self.storage[number], memory);
        let result = self.run(frag_coord, cancelled);
        std::mem::swap(&mut self.storage[number], memory);
        result
    }

    /// Like [`ModuleEvaluator::run`], with an observer of the pixel. Neighbours in the quad are not observed. The module
    /// must have been loaded by [`Module::with_debug`]. Returns the slice of the output at `location`, if one is given.
    pub fn run_observed<O: Observer>(
        &mut self,
        frag_coord: [f32; 4],
        location: Option<u32>,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Slice, ModuleFault> {
        with_default(|| self.run_quad_observed(frag_coord, location, cancelled, observer))
    }

    /// Computes the outputs of one invocation whose inputs are given by `inputs`: of a vertex, or of the
    /// fragment whose centre is at `position`. For a quad, `inputs` is also asked for the centres of the other
    /// pixels. `cancelled` is polled at intervals.
    pub fn run_invocation(
        &mut self,
        position: [f32; 2],
        inputs: &dyn Fn([f32; 2]) -> Invocation,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        let [x, y] = position;
        with_default(|| self.run_quad([x, y, 0.0, 1.0], Some(inputs), cancelled))
    }

    /// The components of an output of the last [`ModuleEvaluator::run`], if there is an output at that
    /// location; the clear colour if the pixel was discarded.
    pub fn output(&self, location: u32) -> Option<&[u32]> {
        let output = self.module.outputs.iter().find(|output| output.location == location)?;
        if self.is_discarded {
            return self.clear.get(..output.components);
        }
        Some(&self.variables[output.at..output.at + output.components])
    }

    /// True if the last [`ModuleEvaluator::run`] discarded its pixel.
    pub fn is_discarded(&self) -> bool {
        self.is_discarded
    }

    /// Computes one pixel until it needs an unknown operand of a neighbour.
    fn run_pixel(
        &mut self,
        frag_coord: [f32; 4],
        inputs: Option<&InvocationAt<'_>>,
        cancelled: &dyn Fn() -> bool,
        watch: &mut Watch<'_, impl Observer>,
    ) -> Result<(), Stopped> {
        let module = self.module;
        let [x, y, ..] = frag_coord;
        let invocation = inputs.map(|inputs| inputs([x, y]));
        self.begin_pixel(invocation.as_ref().map_or(frag_coord, |of| of.frag_coord))?;
        if let Some(invocation) = &invocation {
            self.set_invocation(invocation);
        }
        self.activate(module.entry)?;
        let begin = At { function: module.entry, block: 0, next: 0 };
        self.run_from(begin, cancelled, watch).map(|_| ())
    }

    /// Executes an invocation from a step on, up to the next barrier or the end.
    fn run_from<O: Observer>(
        &mut self,
        at: At,
        cancelled: &dyn Fn() -> bool,
        watch: &mut Watch<'_, O>,
    ) -> Result<Progress, Stopped> {
        let module = self.module;
        let At { mut function, block: mut current, mut next } = at;
        loop {
            let block = &module.functions[function].blocks[current];
            let undefined = ModuleFault::Undefined(block.label);
            let mut called = None;
            for (index, step) in block.steps.iter().enumerate().skip(next) {
                if let Step::Call(call) = step {
                    called = Some((index, call));
                    break;
                }
                if let Step::Barrier = step
                    && !is_active(Mutant::SkippedBarrier)
                {
                    let behind = At { function, block: current, next: index + 1 };
                    return Ok(Progress::Waits(behind, block.label));
                }
                self.step(step).map_err(|wrong| self.stopped(wrong, block.label))?;
                if O::IS_ACTIVE {
                    self.observe_step(watch, function, current, index);
                }
                self.poll(cancelled)?;
            }
            if let Some((index, call)) = called {
                let activation = self.activation;
                let frame =
                    Frame { function, block: current, next: index + 1, activation, to: call.to };
                self.pass(call).map_err(|wrong| self.stopped(wrong, block.label))?;
                if O::IS_ACTIVE {
                    self.observe_call(watch, [function, current, index], call);
                }
                self.callers.push(frame);
                self.poll(cancelled)?;
                (function, current, next) = (call.function, 0, 0);
                continue;
            }
            let target = match block.end {
                End::Branch(target) => target,
                End::Conditional { condition, then, otherwise } => {
                    let holds = self.get(condition, 1).ok_or(undefined)?[0] != 0;
                    if holds { then } else { otherwise }
                }
                End::Switch { selector, default, ref cases } => {
                    let word = self.get(selector, 1).ok_or(undefined)?[0];
                    let is_lost = is_active(Mutant::LostCase) && word >> 31 != 0;
                    let cases = if is_lost { &[] } else { &cases[..] };
                    let case = cases.binary_search_by_key(&word, |&(literal, _)| literal);
                    case.map_or(default, |case| cases[case].1)
                }
                End::Return | End::ReturnValue { .. } => {
                    if let End::ReturnValue { a, .. } = block.end {
                        self.get(a, 1).ok_or(undefined)?;
                    }
                    if O::IS_ACTIVE {
                        self.observe_leave(watch, function, current, &block.end);
                    }
                    let Some(frame) = self.callers.pop() else { return Ok(Progress::Ended) };
                    self.activation = frame.activation;
                    if let End::ReturnValue { a, words } = block.end {
                        self.memory.copy_within(a..a + words, frame.to);
                        self.defined[frame.to] = self.activation;
                    }
                    if O::IS_ACTIVE {
                        self.observe_step(watch, frame.function, frame.block, frame.next - 1);
                    }
                    (function, current, next) = (frame.function, frame.block, frame.next);
                    continue;
                }
                End::Kill => {
                    if O::IS_ACTIVE
                        && let Some(collector) = &mut watch.collector
                    {
                        collector.kill();
                    }
                    self.is_discarded = !is_active(Mutant::LostDiscard);
                    return Ok(Progress::Ended);
                }
                End::Unreachable => return Err(ModuleFault::Unreachable(block.label).into()),
            };
            if O::IS_ACTIVE {
                self.observe_decide(watch, function, current, &block.end, target);
            }
            self.enter(&module.functions[function].blocks[target], target, current, cancelled)?;
            if O::IS_ACTIVE {
                self.observe_enter(watch, function, target, current);
            }
            (current, next) = (target, 0);
        }
    }

    /// Sets the inputs of an invocation.
    fn set_invocation(&mut self, invocation: &Invocation) {
        let module = self.module;
        for input in &module.inputs {
            let words =
                invocation.locations.iter().find(|(location, _)| *location == input.location);
            let words = words.map_or(&[][..], |(_, words)| words);
            let to = &mut self.variables[input.at..input.at + input.words];
            to.fill(0);
            to.iter_mut().zip(words).for_each(|(to, &word)| *to = word);
        }
        for &(built_in, at) in &module.built_ins {
            self.variables[at] = match built_in {
                BuiltIn::VertexIndex => invocation.vertex_index,
                BuiltIn::InstanceIndex => invocation.instance_index,
                BuiltIn::PrimitiveId => invocation.primitive_id,
                BuiltIn::FrontFacing => invocation.is_front_facing.into(),
                _ => 0,
            };
        }
    }

    fn stopped(&self, wrong: Wrong, label: u32) -> Stopped {
        Stopped::Fault(match wrong {
            Wrong::Undefined => ModuleFault::Undefined(label),
            Wrong::Outside => ModuleFault::Outside(label),
            Wrong::Unbound(number) => ModuleFault::Unbound(
                self.module.resources.get(number).map_or(0, |resource| resource.binding),
            ),
            Wrong::Neighbour => return Stopped::Neighbour(label),
        })
    }

    /// Prepares a pixel: initialises the module's variables.
    fn begin_pixel(&mut self, frag_coord: [f32; 4]) -> Result<(), Stopped> {
        let module = self.module;
        self.callers.clear();
        self.pixel = [frag_coord[0] as u32, frag_coord[1] as u32];
        self.is_discarded = false;
        if self.last_activation > ALWAYS / 2 {
            let stamps = self.defined.iter_mut().filter(|stamp| **stamp != ALWAYS);
            stamps.for_each(|stamp| *stamp = 0);
            self.last_activation = 0;
        }
        if !self.is_open {
            for step in &module.computed {
                self.activation = ALWAYS;
                self.step(step).map_err(|wrong| self.stopped(wrong, 0))?;
            }
            self.is_open = true;
            (0..module.variables.len()).for_each(|number| self.take_computed(number));
        }
        for &number in &module.globals {
            let variable = &module.variables[number];
            if variable.role == Role::FragCoord {
                self.variables[variable.at..variable.at + 4]
                    .copy_from_slice(&frag_coord.map(f32::to_bits));
            } else {
                self.reset(number);
            }
        }
        for (input, source) in module.inputs.iter().zip(&self.inputs) {
            let words = &mut self.variables[input.at..input.at + input.words];
            source.put(frag_coord, words);
        }
        Ok(())
    }

    /// Resets a variable to its initial value, if it was ever written.
    fn reset(&mut self, number: usize) {
        let variable = &self.module.variables[number];
        if !variable.is_written {
            return;
        }
        if variable.computed.is_some() {
            return self.take_computed(number);
        }
        let words = &mut self.variables[variable.at..variable.at + variable.words];
        match &variable.initial {
            Some(initial) => words.copy_from_slice(initial),
            None => {
                words.fill(0);
                let is_own = variable.role == Role::Own;
                let is_filled = !is_own || self.module.undefined == Undefined::Total;
                self.filled[variable.at..variable.at + variable.words].fill(is_filled);
            }
        }
    }

    /// Sets a variable to its computed initialiser, if it has one.
    fn take_computed(&mut self, number: usize) {
        let variable = &self.module.variables[number];
        let Some(from) = variable.computed else { return };
        let (at, words) = (variable.at, variable.words);
        self.variables[at..at + words].copy_from_slice(&self.memory[from..from + words]);
        self.filled[at..at + words].fill(true);
    }

    /// Begins an activation of a function.
    fn activate(&mut self, function: usize) -> Result<(), ModuleFault> {
        self.last_activation += 1;
        if self.last_activation == ALWAYS {
            return Err(ModuleFault::Calls);
        }
        self.activation = self.last_activation;
        let module = self.module;
        if !is_active(Mutant::KeptVariables) {
            module.functions[function].variables.iter().for_each(|&number| self.reset(number));
        }
        Ok(())
    }

    /// Passes the arguments of a call and begins the callee's activation.
    fn pass(&mut self, call: &Call) -> Result<(), Wrong> {
        for argument in &call.arguments {
            match argument {
                &Passed::Words { a, to, words } => {
                    self.check(a)?;
                    self.memory.copy_within(a..a + words, to);
                }
                Passed::Address { place, to } => {
                    let first = self.first(place)?;
                    let is_lost = is_active(Mutant::LostPart);
                    self.memory[*to] = if is_lost { place.at } else { first } as u32;
                }
            }
        }
        self.activate(call.function).map_err(|_| Wrong::Outside)?;
        for argument in &call.arguments {
            let (Passed::Words { to, .. } | Passed::Address { to, .. }) = argument;
            self.defined[*to] = self.activation;
        }
        Ok(())
    }

    /// Enters a block from the block with index `previous`.
    fn enter(
        &mut self,
        block: &Block,
        index: usize,
        previous: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        if let Some(header) = block.header {
            let rounds = &mut self.rounds[header.number];
            if previous >= index {
                *rounds += 1;
                if *rounds > self.max_iterations {
                    let position = header.position;
                    return Err(ModuleFault::LoopLimit { header: block.label, position });
                }
                self.poll(cancelled)?;
            } else if !is_active(Mutant::RoundsKept) {
                *rounds = 0;
            }
        }
        // Assign φ's in parallel: a φ may use the previous value of another φ of this block.
        let mut transit = std::mem::take(&mut self.transit);
        transit.clear();
        for phi in &block.phis {
            let way = phi.ways.binary_search_by_key(&previous, |&(from, _)| from);
            let (_, a) = phi.ways[way.map_err(|_| ModuleFault::Phi(block.label))?];
            let words = self.get(a, phi.words).ok_or(ModuleFault::Undefined(block.label))?;
            transit.extend_from_slice(words);
            if is_active(Mutant::SequentialPhis) {
                self.memory.copy_within(a..a + phi.words, phi.to);
            }
        }
        let mut rest = &transit[..];
        for phi in &block.phis {
            let (words, after) = rest.split_at(phi.words);
            self.memory[phi.to..phi.to + phi.words].copy_from_slice(words);
            self.defined[phi.to] = self.activation;
            rest = after;
        }
        self.transit = transit;
        Ok(())
    }

    fn poll(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), ModuleFault> {
        self.to_poll -= 1;
        if self.to_poll == 0 {
            self.to_poll = INSTRUCTIONS;
            if cancelled() {
                return Err(ModuleFault::Cancelled);
            }
        }
        Ok(())
    }
}
