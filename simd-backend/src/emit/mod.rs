//! From the register program to machine code, and calling it.
//!
//! ```text
//! register program ─ an Emitter ─▶ MachineCode ─ Executable ─▶ calls
//!                    cranelift     bytes         pages
//! ```
//!
//! - [`abi`] is what code and callers agree on, whoever emits it;
//! - an [`Emitter`] selects instructions for one kind of machine, which it describes ([`Machine`]);
//!   emitters stand beside each other and know nothing of one another, of [`Target`]s and of
//!   memory;
//! - [`Target`] chooses the emitter;
//! - [`executable`] owns the memory of code and calls it: the only unsafe code;
//! - [`linked`] is code for an address that need not exist, for evaluators of machine code.
//!
//! *An emitter changes no value and moves no computation.* Masks, registers for values, their
//! order, and what lies in memory are decided before; it selects, allocates and encodes.

pub mod abi;
pub mod cranelift;
pub mod executable;
pub mod linked;
mod target;
pub mod wide;

use lambdav_core::limits::CODE_LOOP_NESTING;
use thiserror::Error;

pub use abi::MachineCode;
pub use executable::Executable;
pub use target::Target;
pub use wide::Wide;

use crate::machine::Machine;
use crate::registers::RegisterProgram;

/// What keeps code from being made.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The machine has no instructions that the code needs.
    #[error("this machine is too old or of an unknown kind: {0}")]
    Machine(String),
    /// Code has been asked for that the machine cannot execute.
    #[error("{0}")]
    Absent(String),
    /// Loops nest so deeply that compiling them would take for ever: register allocation takes the
    /// square of it.
    #[error("loops nest {depth} deep, and machine code is made of at most {CODE_LOOP_NESTING}")]
    TooDeep {
        /// How deep.
        depth: usize,
    },
    /// There is so much code that making it would take for ever.
    #[error("the program takes {size} {unit}, and machine code is made of at most {most}")]
    TooMuch {
        /// How much.
        size: usize,
        /// Of what.
        unit: &'static str,
        /// The limit.
        most: usize,
    },
    /// The time that compiling may take is over.
    #[error("compiling took longer than it may")]
    TimedOut,
    /// There is no memory that could be executed.
    #[error("cannot put machine code into memory: {0}")]
    Memory(String),
    /// The program is too large for the code generator.
    #[error("the program is too large to compile: {0}")]
    TooLarge(String),
}

/// Makes machine code of register programs.
pub trait Emitter: Send + Sync {
    /// The machine that the code is for.
    fn machine(&self) -> &Machine;

    /// Makes the code of a program that has been spilled for that machine, and for that allocation.
    ///
    /// # Errors
    ///
    /// [`EmitError::TooLarge`].
    fn emit(
        &self,
        program: &RegisterProgram,
        allocation: Allocation,
        listing: Listing,
    ) -> Result<MachineCode, EmitError>;
}

/// How the values of the function for a row get registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// By trying, and trying again.
    Thorough,
    /// In one pass over each block, with nothing in registers between blocks. Compiling takes half
    /// the time, less for a program of many blocks, and the code of large programs runs a fifth to
    /// two fifths longer: nearly all of their values are in memory between blocks in any case.
    /// Small loops would run twice as long.
    Quick,
}

/// What is to be shown of the code beside making it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// Nothing.
    #[default]
    None,
    /// The code generator's own form of each function, before registers are allocated.
    Intermediate,
    /// Assembly.
    Assembly,
}
