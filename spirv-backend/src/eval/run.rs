//! Executing a module, pixel by pixel.

use super::arithmetic::fma;
use super::code::{Block, End, Place, Position, Step, Words};
use super::module::Module;
use super::resources::{BindingKind, Resources, SharedData};
use super::values::Space;
use crate::mutants::{Mutant, is_active};
use lambdav_core::texture::TextureData;
use lambdav_float_environment::with_default;
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
}

/// Executes a module for one pixel after another.
#[derive(Debug)]
pub struct ModuleEvaluator<'m> {
    module: &'m Module,
    /// The words of all ids.
    memory: Vec<u32>,
    /// The pixel that defined the value whose first word is there; [`ALWAYS`] for constants.
    defined: Vec<u32>,
    pixel: u32,
    frag_coord: [u32; 4],
    push_constants: [u32; 8],
    uniforms: Vec<u32>,
    /// The textures and buffers of the module, as far as they are bound.
    resources: Vec<Option<SharedData>>,
    outputs: Vec<u32>,
    /// The words of the module's own variables, and the pixel in which each was last filled.
    variables: Vec<Vec<u32>>,
    filled: Vec<u32>,
    /// How many rounds the loop of each header has done since it was entered.
    rounds: Vec<u64>,
    /// Values of φ's on their way.
    transit: Vec<u32>,
    max_iterations: u64,
    /// How many instructions are left to the next poll.
    to_poll: u32,
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
        let mut uniforms = resources.uniforms.clone();
        uniforms.resize(uniforms.len().max(module.uniform_words), 0);
        Self {
            module,
            memory,
            defined,
            pixel: 0,
            frag_coord: [0; 4],
            push_constants: resources.push_constants,
            uniforms,
            resources: module
                .resources
                .iter()
                .map(|wanted| {
                    let mut all = resources.resources.iter();
                    all.find(|(binding, _)| *binding == wanted.binding).map(|(_, it)| it.clone())
                })
                .collect(),
            outputs: vec![0; module.output_words],
            variables: module
                .variables
                .iter()
                .map(|variable| match &variable.initial {
                    Some(words) => words.to_vec(),
                    None => vec![0; variable.words],
                })
                .collect(),
            filled: module
                .variables
                .iter()
                .map(|variable| if variable.initial.is_some() { ALWAYS } else { 0 })
                .collect(),
            rounds: vec![0; module.blocks.len()],
            transit: Vec::new(),
            max_iterations,
            to_poll: INSTRUCTIONS,
        }
    }

    /// Computes the outputs of one pixel. `cancelled` is polled now and then.
    pub fn run(
        &mut self,
        frag_coord: [f32; 4],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        with_default(|| self.run_pixel(frag_coord, cancelled))
    }

    fn run_pixel(
        &mut self,
        frag_coord: [f32; 4],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        let module = self.module;
        self.frag_coord = frag_coord.map(f32::to_bits);
        self.outputs.fill(0);
        self.next_pixel();
        for (words, variable) in self.variables.iter_mut().zip(&module.variables) {
            if let (true, Some(initial)) = (variable.is_written, &variable.initial) {
                words.copy_from_slice(initial);
            }
        }
        let mut current = 0;
        let mut block = &module.blocks[current];
        loop {
            let undefined = ModuleFault::Undefined(block.label);
            for step in &block.steps {
                self.step(step).map_err(|wrong| match wrong {
                    Wrong::Undefined => undefined,
                    Wrong::Outside => ModuleFault::Outside(block.label),
                    Wrong::Unbound(number) => {
                        ModuleFault::Unbound(module.resources[number].binding)
                    }
                })?;
                self.poll(cancelled)?;
            }
            let next = match block.end {
                End::Branch(next) => next,
                End::Conditional { condition, then, otherwise } => {
                    let holds = self.get(condition, 1).ok_or(undefined)?[0] != 0;
                    if holds { then } else { otherwise }
                }
                End::Return => return Ok(()),
                End::Unreachable => return Err(ModuleFault::Unreachable(block.label)),
            };
            block = &module.blocks[next];
            self.enter(block, next, current, cancelled)?;
            current = next;
        }
    }

    /// The components of the output at that location that the last [`ModuleEvaluator::run`]
    /// computed, if there is such an output.
    pub fn output(&self, location: u32) -> Option<&[u32]> {
        let output = self.module.outputs.iter().find(|output| output.location == location)?;
        Some(&self.outputs[output.at..output.at + output.components])
    }

    fn next_pixel(&mut self) {
        self.pixel += 1;
        if self.pixel == ALWAYS {
            // After four thousand million pixels.
            let stamps = self.defined.iter_mut().chain(&mut self.filled);
            stamps.filter(|pixel| **pixel != ALWAYS).for_each(|pixel| *pixel = 0);
            self.pixel = 1;
        }
    }

    /// Comes to a block from the one with the index `previous`.
    fn enter(
        &mut self,
        block: &Block,
        index: usize,
        previous: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        if let Some(position) = block.header {
            if previous >= index {
                self.rounds[index] += 1;
                if self.rounds[index] > self.max_iterations {
                    return Err(ModuleFault::LoopLimit { header: block.label, position });
                }
                self.poll(cancelled)?;
            } else if !is_active(Mutant::RoundsKept) {
                self.rounds[index] = 0;
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
            self.defined[phi.to] = self.pixel;
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

    /// The words of a value, if it has been computed.
    fn get(&self, at: usize, words: usize) -> Option<&[u32]> {
        self.check(at).ok().map(|()| &self.memory[at..at + words])
    }

    /// Whether a value has been computed in this pixel, or is a constant.
    fn check(&self, at: usize) -> Result<(), Wrong> {
        if self.defined[at] >= self.pixel { Ok(()) } else { Err(Wrong::Undefined) }
    }

    /// The texture of that number.
    fn texture(&self, number: usize) -> Result<&TextureData, Wrong> {
        match &self.resources[number] {
            Some(SharedData::Texture(data)) => Ok(data),
            _ => Err(Wrong::Unbound(number)),
        }
    }

    /// The words of the buffer of that number.
    fn buffer(&self, number: usize) -> Result<&[u32], Wrong> {
        match &self.resources[number] {
            Some(SharedData::Buffer(words)) => Ok(words),
            _ => Err(Wrong::Unbound(number)),
        }
    }

    /// An index below `count`.
    fn index(&self, at: usize, count: usize) -> Result<usize, Wrong> {
        self.check(at)?;
        let index = self.memory[at] as usize;
        if index < count { Ok(index) } else { Err(Wrong::Outside) }
    }

    /// Executes an instruction.
    fn step(&mut self, step: &Step) -> Result<(), Wrong> {
        let to = match *step {
            Step::Unary { function, to, a, words } => {
                self.check(a)?;
                for i in 0..words {
                    self.memory[to + i] = function.apply(self.memory[a + i]);
                }
                to
            }
            Step::Binary { function, to, a, b, words } => {
                self.check(a)?;
                self.check(b)?;
                for i in 0..words {
                    self.memory[to + i] = function.apply(self.memory[a + i], self.memory[b + i]);
                }
                to
            }
            Step::Fma { to, of, words } => {
                for operand in of {
                    self.check(operand)?;
                }
                for i in 0..words {
                    self.memory[to + i] = fma(of.map(|at| self.memory[at + i]));
                }
                to
            }
            Step::Select { to, condition, a, b, words, stride } => {
                self.check(condition)?;
                self.check(a)?;
                self.check(b)?;
                let stride = if is_active(Mutant::OneCondition) { 0 } else { stride };
                for i in 0..words {
                    let holds = self.memory[condition + i * stride] != 0;
                    self.memory[to + i] = self.memory[if holds { a } else { b } + i];
                }
                to
            }
            Step::Any { to, a, words } => {
                let any = self.get(a, words).ok_or(Wrong::Undefined)?.iter().any(|&word| word != 0);
                self.memory[to] = any.into();
                to
            }
            Step::All { to, a, words } => {
                let all = self.get(a, words).ok_or(Wrong::Undefined)?.iter().all(|&word| word != 0);
                self.memory[to] = all.into();
                to
            }
            Step::Compose { to, ref parts } => {
                let mut end = to;
                for part in parts {
                    self.check(part.value)?;
                    self.memory.copy_within(part.at..part.at + part.words, end);
                    end += part.words;
                }
                to
            }
            Step::Pick { to, a, index, count } => {
                self.check(a)?;
                self.memory[to] = self.memory[a + self.index(index, count)?];
                to
            }
            Step::Replace { to, a, part, index, count } => {
                self.check(a)?;
                self.check(part)?;
                let index = self.index(index, count)?;
                self.memory.copy_within(a..a + count, to);
                self.memory[to + index] = self.memory[part];
                to
            }
            Step::Load { to, ref place } => {
                self.load(to, place)?;
                to
            }
            Step::Fetch { to, texture, place, level } => {
                let texture = self.texture(texture)?;
                let level = self.index(level, texture.levels().len())?;
                let size = texture.level(level as i32);
                let x = self.index(place, size.width as usize)?;
                let y = self.memory[place + 1];
                if y >= size.height {
                    return Err(Wrong::Outside);
                }
                let texel = texture.texel(x as i32, y as i32, level as i32).map(f32::to_bits);
                self.memory[to..to + 4].copy_from_slice(&texel);
                to
            }
            Step::Size { to, texture, level } => {
                let texture = self.texture(texture)?;
                let level = self.index(level, texture.levels().len())?;
                let size = texture.level(level as i32);
                self.memory[to..to + 2].copy_from_slice(&[size.width, size.height]);
                to
            }
            Step::Levels { to, texture } => {
                self.memory[to] = self.texture(texture)?.levels().len() as u32;
                to
            }
            Step::Length { to, buffer } => {
                let BindingKind::Buffer { stride, .. } = self.module.resources[buffer].kind else {
                    return Err(Wrong::Unbound(buffer));
                };
                self.memory[to] = (self.buffer(buffer)?.len() / stride) as u32;
                to
            }
            Step::Store { ref place, a } => {
                self.check(a)?;
                self.store(place, a)?;
                return Ok(());
            }
        };
        self.defined[to] = self.pixel;
        Ok(())
    }

    /// The first word of a place.
    fn first(&self, place: &Place) -> Result<usize, Wrong> {
        let mut first = place.at;
        for index in &place.indices {
            first += self.index(index.value, index.count)? * index.stride;
        }
        Ok(first)
    }

    fn load(&mut self, to: usize, place: &Place) -> Result<(), Wrong> {
        let first = self.first(place)?;
        let space = match place.space {
            Space::FragCoord => &self.frag_coord[..],
            Space::PushConstants => &self.push_constants[..],
            Space::Uniforms => &self.uniforms[..],
            Space::Outputs => &self.outputs[..],
            Space::Buffer(number) => match &self.resources[number] {
                Some(SharedData::Buffer(words)) => &words[..],
                _ => return Err(Wrong::Unbound(number)),
            },
            Space::Own(number) if self.filled[number] < self.pixel => return Err(Wrong::Undefined),
            Space::Own(number) => &self.variables[number][..],
        };
        match &place.words {
            Words::Together(count) => {
                self.memory[to..to + count].copy_from_slice(&space[first..first + count]);
            }
            Words::Apart(words) => {
                for (to, &word) in self.memory[to..].iter_mut().zip(words) {
                    *to = *space.get(first + word as usize).ok_or(Wrong::Outside)?;
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, place: &Place, a: usize) -> Result<(), Wrong> {
        let first = self.first(place)?;
        let Words::Together(count) = place.words else {
            unreachable!("what is written has no gaps");
        };
        let space = match place.space {
            Space::Own(number) => {
                // A part of what holds nothing is stored nowhere.
                if count == self.variables[number].len() {
                    self.filled[number] = self.filled[number].max(self.pixel);
                } else if self.filled[number] < self.pixel {
                    return Err(Wrong::Undefined);
                }
                &mut self.variables[number]
            }
            _ => &mut self.outputs,
        };
        space[first..first + count].copy_from_slice(&self.memory[a..a + count]);
        Ok(())
    }
}
