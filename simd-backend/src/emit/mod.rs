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

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::limits::CODE_LOOP_NESTING;
use thiserror::Error;

pub use abi::MachineCode;
pub use executable::Executable;
pub use target::Target;
pub use wide::Wide;

use crate::cost;
use crate::machine::Machine;
use crate::registers::{Function, RegisterProgram};

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
    /// An array that is computed is too large for an index to choose from.
    #[error("{}", .0.message)]
    IndexedArray(Box<Diagnostic>),
    /// Samples of the texture of that name are a device's.
    #[error("samples of the texture `{0}` are a device's")]
    Native(String),
    /// The inputs are not for the code.
    #[error(transparent)]
    Bind(#[from] BindError),
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

/// Why a kernel cannot have such inputs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// A texture or buffer has no data, or data of another kind.
    #[error("`{0}` is not bound")]
    Unbound(String),
    /// A texture or buffer has another size than code was specialised for.
    #[error("`{0}` has another size than the code is specialised for")]
    Size(String),
}

impl EmitError {
    /// Whether the program exceeds a limit that the evaluators do not have.
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::TooDeep { .. } | Self::TooMuch { .. } | Self::IndexedArray(_))
    }
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

/// What a function of a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An elementary function: the others call it.
    Procedure,
    /// What is the same for the whole frame.
    Frame,
    /// A row of groups.
    Row,
}

/// A function that code is to be made of.
struct Part<'p> {
    /// Its name, for people.
    name: String,
    function: &'p Function,
    role: Role,
    allocation: Allocation,
}

/// The functions of a program, in the order of [`MachineCode`]'s: all procedures, then that for the
/// frame, then that for a row, whose registers are allocated as is asked.
fn parts(program: &RegisterProgram, of_row: Allocation) -> impl Iterator<Item = Part<'_>> {
    let procedures = program.procedures.iter().enumerate().map(|(i, procedure)| {
        let lanes = if procedure.is_vector { "register" } else { "number" };
        let name = format!("procedure {i}: {} of a {lanes}", procedure.elementary.name());
        (name, &procedure.code, Role::Procedure, Allocation::Thorough)
    });
    // The function for the frame runs once, so all that matters of a large one is how long making it
    // takes: trying again takes the square of how many values live at once.
    let is_large = program.frame.instrs() >= cost::QUICK_INSTRS;
    let of_frame = if is_large { Allocation::Quick } else { Allocation::Thorough };
    let callers = [
        ("frame".to_owned(), &program.frame, Role::Frame, of_frame),
        ("row".to_owned(), &program.row, Role::Row, of_row),
    ];
    let all = procedures.chain(callers);
    all.map(|(name, function, role, allocation)| Part { name, function, role, allocation })
}
