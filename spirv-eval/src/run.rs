//! Executing a module, pixel by pixel.

mod memory;
mod notes;
mod quad;
mod samples;
mod step;

use super::code::{Block, Call, End, Passed, Position, Step};
use super::global::Role;
use super::module::Module;
use super::options::{Arithmetic, Undefined};
use super::resources::{InputSource, Resources, SharedData};
use crate::mutants::{Mutant, is_active};
use lambdav_float_environment::with_default;
use notes::Quad;
use thiserror::Error;

/// How many instructions lie between two cancellation polls, about. (An elementary function may take a
/// tenth of a millisecond.)
const INSTRUCTIONS: u32 = 1 << 8;

/// Why a pixel has no value.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ModuleFault {
    /// A loop wanted more rounds than allowed.
    #[error("the loop with header %{header} does not end")]
    LoopLimit {
        /// The label of its header block.
        header: u32,
        /// Where the module says that it comes from.
        position: Option<Position>,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A value was used that has not been computed in this pixel.
    #[error("in block %{0} a value is used that has not been computed")]
    Undefined(u32),
    /// A φ has no value for the block that control came from.
    #[error("block %{0} has a φ that does not know the block before it")]
    Phi(u32),
    /// An index leads out of a vector or an array.
    #[error("in block %{0} an index leads outside")]
    Outside(u32),
    /// A texture or a buffer is read that is not bound.
    #[error("nothing fitting is bound to binding {0}")]
    Unbound(u32),
    /// A block was reached that says that it is not.
    #[error("block %{0} is reached, and says that it is not")]
    Unreachable(u32),
    /// A derivative is asked for of what a neighbour does not compute.
    #[error("block %{0} has a derivative that a pixel beside this one does not come to")]
    Divergent(u32),
    /// Functions are called more often than can be counted.
    #[error("there are too many calls")]
    Calls,
}

/// Executes a module for one pixel after another.
#[derive(Debug)]
pub struct ModuleEvaluator<'m> {
    module: &'m Module,
    /// The words of all ids. No function calls itself, so each has its own place.
    memory: Vec<u32>,
    /// The activation that defined the value whose first word is there; [`ALWAYS`] for constants.
    defined: Vec<u32>,
    /// The number of the activation of a function that is executed.
    activation: u32,
    /// The last number that was given to one.
    last_activation: u32,
    /// The callers of the function that is executed.
    callers: Vec<Frame>,
    /// The words of blocks that are only read.
    blocks: Vec<Vec<u32>>,
    /// The textures and buffers of the module, as far as they are bound.
    resources: Vec<Option<SharedData>>,
    /// The words of all variables, and which of them hold something.
    variables: Vec<u32>,
    filled: Vec<bool>,
    /// What inputs of locations are, in the order of the module's.
    inputs: Vec<InputSource>,
    /// How many rounds the loop of each header has done since it was entered.
    rounds: Vec<u64>,
    /// Values on their way.
    transit: Vec<u32>,
    max_iterations: u64,
    /// How many instructions are left to the next poll.
    to_poll: u32,
    is_discarded: bool,
    /// The colour that targets are cleared to.
    clear: [u32; 4],
    /// Whether the constants that are computed have been.
    is_open: bool,
    arithmetic: Arithmetic,
    quad: Quad,
}

/// A function that waits for the end of another one.
#[derive(Clone, Copy, Debug)]
struct Frame {
    function: usize,
    block: usize,
    /// The next step.
    next: usize,
    activation: u32,
    /// Where the result goes.
    to: usize,
}

const ALWAYS: u32 = u32::MAX;

/// Why an instruction cannot be executed.
#[derive(Clone, Copy)]
enum Wrong {
    /// A value that it needs has not been computed.
    Undefined,
    /// An index leads outside.
    Outside,
    /// The texture or buffer of that number is not bound.
    Unbound(usize),
    /// The value of a pixel beside this one is not known yet.
    Neighbour,
}

/// Why a pixel is not computed further.
enum Stopped {
    Fault(ModuleFault),
    /// For a neighbour, in the block with that label.
    Neighbour(u32),
}

impl From<ModuleFault> for Stopped {
    fn from(fault: ModuleFault) -> Self {
        Self::Fault(fault)
    }
}

impl<'m> ModuleEvaluator<'m> {
    /// An evaluator whose loops may go back `max_iterations` times at each entry.
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
        let bound = bound.map(|wanted| resources.bound([wanted.set, wanted.binding]).cloned());
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
            variables,
            filled,
            inputs: vec![InputSource::default(); module.inputs.len()],
            rounds: vec![0; module.headers],
            transit: Vec::new(),
            max_iterations,
            to_poll: INSTRUCTIONS,
            is_discarded: false,
            clear: [0; 4],
            is_open: false,
            arithmetic: Arithmetic::default(),
            quad: Quad::default(),
        }
    }

    /// Says what the input of a location is, in all pixels that are computed from now on.
    pub fn set_input(&mut self, location: u32, source: &InputSource) {
        for (input, of) in self.module.inputs.iter().zip(&mut self.inputs) {
            if input.location == location {
                *of = source.clone();
            }
        }
    }

    /// Says which words a pixel keeps that is discarded; (0, 0, 0, 0) unless it is said.
    pub fn set_clear(&mut self, clear: [u32; 4]) {
        self.clear = clear;
    }

    /// Says how a device computes with numbers of 32 bits.
    pub fn set_arithmetic(&mut self, arithmetic: Arithmetic) {
        self.arithmetic = arithmetic;
    }

    /// Computes the outputs of one pixel. `cancelled` is polled now and then.
    pub fn run(
        &mut self,
        frag_coord: [f32; 4],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        with_default(|| self.run_quad(frag_coord, cancelled))
    }

    /// The components of the output at that location that the last [`ModuleEvaluator::run`]
    /// computed, if there is such an output; of a pixel that was discarded, those of the clear colour.
    pub fn output(&self, location: u32) -> Option<&[u32]> {
        let output = self.module.outputs.iter().find(|output| output.location == location)?;
        if self.is_discarded {
            return self.clear.get(..output.components);
        }
        Some(&self.variables[output.at..output.at + output.components])
    }

    /// Whether the last [`ModuleEvaluator::run`] discarded its pixel.
    pub fn is_discarded(&self) -> bool {
        self.is_discarded
    }

    /// Computes one pixel, as far as its neighbours are known.
    fn run_pixel(
        &mut self,
        frag_coord: [f32; 4],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Stopped> {
        let module = self.module;
        self.begin_pixel(frag_coord)?;
        let mut function = module.entry;
        self.activate(function)?;
        let (mut current, mut next) = (0, 0);
        loop {
            let block = &module.functions[function].blocks[current];
            let undefined = ModuleFault::Undefined(block.label);
            let mut called = None;
            for (index, step) in block.steps.iter().enumerate().skip(next) {
                if let Step::Call(call) = step {
                    called = Some((index, call));
                    break;
                }
                self.step(step).map_err(|wrong| self.stopped(wrong, block.label))?;
                self.poll(cancelled)?;
            }
            if let Some((index, call)) = called {
                let activation = self.activation;
                let frame =
                    Frame { function, block: current, next: index + 1, activation, to: call.to };
                self.pass(call).map_err(|wrong| self.stopped(wrong, block.label))?;
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
                    let Some(frame) = self.callers.pop() else { return Ok(()) };
                    self.activation = frame.activation;
                    if let End::ReturnValue { a, words } = block.end {
                        self.memory.copy_within(a..a + words, frame.to);
                        self.defined[frame.to] = self.activation;
                    }
                    (function, current, next) = (frame.function, frame.block, frame.next);
                    continue;
                }
                End::Kill => {
                    self.is_discarded = !is_active(Mutant::LostDiscard);
                    return Ok(());
                }
                End::Unreachable => return Err(ModuleFault::Unreachable(block.label).into()),
            };
            self.enter(&module.functions[function].blocks[target], target, current, cancelled)?;
            (current, next) = (target, 0);
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

    /// Begins a pixel: what variables of the module hold.
    fn begin_pixel(&mut self, frag_coord: [f32; 4]) -> Result<(), Stopped> {
        let module = self.module;
        self.callers.clear();
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

    /// Gives a variable what it holds at the beginning.
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

    /// Gives a variable the constant that it holds at the beginning, if that is computed.
    fn take_computed(&mut self, number: usize) {
        let variable = &self.module.variables[number];
        let Some(from) = variable.computed else { return };
        let (at, words) = (variable.at, variable.words);
        self.variables[at..at + words].copy_from_slice(&self.memory[from..from + words]);
        self.filled[at..at + words].fill(true);
    }

    /// Begins a function.
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

    /// Begins a function that is called, with its arguments.
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

    /// Comes to a block from the one with the index `previous`.
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
        // All at once: a φ may take the value of another one of this block, of the last round.
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
