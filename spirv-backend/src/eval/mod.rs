//! eval_S: what a SPIR-V module computes, by the operational semantics of the λV report (§3).
//!
//! A module is read from its words alone and checked as far as executing it needs; then each pixel is
//! a walk: a memory of ids, the current and the previous block. A φ takes the value of the way that
//! control came; merge instructions, names and lines do nothing. Arithmetic is IEEE binary32, the functions
//! of GLSL.std.450 are the correctly rounded ones of LANGUAGE §6, and a NaN that is computed is
//! 0x7fc00000.
//!
//! # What is guaranteed
//!
//! - *Words of any kind give an answer or an error, never a panic, and every run ends*: a branch
//!   backwards goes to the header of a loop, and each entry of a loop may take it only so often.
//! - *Nothing is guessed*: instructions, capabilities, decorations and functions that the evaluator does not
//!   know are refused by name. It knows one fragment entry point without calls, with values
//!   of bools, 32-bit floats and integers, vectors and matrices of them, and blocks of memory read at constant
//!   places. [`Module::ACCEPTED`] lists the instructions.
//! - An id that has not been computed in this pixel is an error where it is used. (OpUndef, which may
//!   be anything, is zero.)

mod arithmetic;
mod binary;
mod code;
mod composite;
mod compute;
mod global;
mod loader;
mod resources;
mod run;
mod values;

pub use loader::LoadError;
pub use resources::{Member, PUSH_CONSTANT_WORDS, Resources};
pub use run::{Evaluator, Fault};

use code::Block;
use global::Output;
use rspirv::spirv::Op;

/// A module that can be executed.
#[derive(Clone, Debug)]
pub struct Module {
    blocks: Vec<Block>,
    /// How many words all values take.
    words: usize,
    /// Where constants lie in memory, and their words.
    constants: Vec<(usize, Box<[u32]>)>,
    outputs: Vec<Output>,
    /// How many words all outputs take.
    output_words: usize,
    uniforms: Vec<Member>,
    /// How many words the uniform block must have at least.
    uniform_words: usize,
    source: Option<Source>,
}

/// The source that a module carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A place in the source, both numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Module {
    /// The instructions that the evaluator knows.
    pub const ACCEPTED: &'static [Op] = loader::ACCEPTED;

    /// Reads a module.
    pub fn new(words: &[u32]) -> Result<Self, LoadError> {
        loader::load(words)
    }

    /// The locations of the outputs, ascending.
    pub fn locations(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.outputs.iter().map(|output| output.location).collect();
        all.sort_unstable();
        all
    }

    /// The members of the uniform block, in order; none if there is no block.
    pub fn uniforms(&self) -> &[Member] {
        &self.uniforms
    }

    /// The source that the module carries, if it does.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }
}
