//! Machine code from register programs, and its execution.
//!
//! ```text
//! register program ─ an Emitter ─▶ MachineCode ─ Executable ─▶ calls
//!                    cranelift     bytes         pages
//! ```
//!
//! - [`abi`] is the interface between compiled code and its callers, the same for every emitter;
//! - an [`Emitter`] selects instructions for one kind of machine, which it describes ([`Machine`]);
//!   emitters know neither each other nor [`Target`]s nor executable memory;
//! - [`Target`] chooses the emitter;
//! - [`executable`] owns the memory of code and calls it: the only unsafe code;
//! - [`linked`] places code at an address that need not be mapped, for evaluators of machine code.
//!
//! *An emitter changes no value and moves no computation.* Masks, the registers of each value,
//! instruction order and spills are decided before; an emitter selects instructions, allocates
//! registers and encodes.

pub mod abi;
pub mod cranelift;
pub mod executable;
pub mod linked;
mod target;
pub mod wide;

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::limits::CODE_LOOP_NESTING;
use lambdav_core::schedule::phases::SplitError;
use thiserror::Error;

pub use abi::MachineCode;
pub use executable::Executable;
pub use target::Target;
pub use wide::Wide;

use crate::cost;
use crate::machine::Machine;
use crate::registers::{RegisterFunction, RegisterProgram};

/// Reasons why no code can be made.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The machine lacks instructions that all code needs.
    #[error("this machine is too old or unknown: {0}")]
    Machine(String),
    /// The machine cannot execute the requested code.
    #[error("{0}")]
    Absent(String),
    /// Loops nest too deeply: the time of register allocation is quadratic in the depth.
    #[error("loops nest {depth} deep; machine code is limited to {CODE_LOOP_NESTING}")]
    TooDeep {
        /// The nesting depth.
        depth: usize,
    },
    /// The program is too large: compiling it would take too long.
    #[error("the program takes {size} {unit}; machine code is limited to {most}")]
    TooMuch {
        /// The program's size.
        size: usize,
        /// The unit of `size` and `most`.
        unit: &'static str,
        /// The limit.
        most: usize,
    },
    /// An index chooses from a computed array that is too large.
    #[error("{}", .0.message)]
    IndexedArray(Box<Diagnostic>),
    /// The texture of that name has native sampling, which only a device can do.
    #[error("the texture `{0}` has native sampling, which only a device can do")]
    Native(String),
    /// The program accesses the memory of that name.
    #[error("the program accesses the memory `{0}`; machine code draws pictures only")]
    Dispatched(String),
    /// The program cannot be split at its barriers.
    #[error("machine code of barriers: {0}")]
    Barrier(#[from] SplitError),
    /// The inputs do not fit the code.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The time limit of compilation has passed.
    #[error("compilation timed out")]
    TimedOut,
    /// No executable memory is available.
    #[error("cannot put machine code into memory: {0}")]
    Memory(String),
    /// The code generator's own limits are exceeded.
    #[error("the program is too large to compile: {0}")]
    TooLarge(String),
}

/// Reasons why a kernel refuses inputs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// A texture or buffer has no data, or data of another kind.
    #[error("`{0}` is not bound")]
    Unbound(String),
    /// A texture or buffer differs in size from the one that the code was specialised for.
    #[error("`{0}` differs in size from the data that the code was specialised for")]
    Size(String),
}

impl EmitError {
    /// True if the program exceeds a limit that only machine code has: the evaluators can still run
    /// it.
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::TooDeep { .. } | Self::TooMuch { .. } | Self::IndexedArray(_))
    }
}

/// Makes machine code of register programs.
pub trait Emitter: Send + Sync {
    /// The machine for which it makes code.
    fn machine(&self) -> &Machine;

    /// Makes the code of a program that has been spilled for this emitter's machine and for
    /// `allocation`.
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

/// The register allocator of the function for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Backtracking: compiles slowly, gives fast code.
    Thorough,
    /// One pass over each block; no value stays in a register between blocks. Compiling takes half
    /// the time, less for a program of many blocks. The code of large programs runs a fifth to two
    /// fifths longer: nearly all of their values are in memory between blocks in any case. Small
    /// loops would run twice as long.
    Quick,
}

/// The listing to make beside the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// No listing.
    #[default]
    None,
    /// The code generator's own form of each function, before registers are allocated.
    Intermediate,
    /// Assembly.
    Assembly,
}

/// The purpose of a function of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An elementary function, called by the others.
    Procedure,
    /// Computes the values that are uniform over the frame.
    Frame,
    /// Computes a row of groups.
    Row,
}

/// A function to be compiled.
struct Part<'p> {
    /// Its name in listings.
    name: String,
    function: &'p RegisterFunction,
    role: Role,
    allocation: Allocation,
}

/// The functions of a program, in the order of [`MachineCode`]'s: all procedures, then the function
/// for the frame, then the function for a row, whose registers are allocated by `of_row`.
fn parts(program: &RegisterProgram, of_row: Allocation) -> impl Iterator<Item = Part<'_>> {
    let procedures = program.procedures.iter().enumerate().map(|(i, procedure)| {
        let lanes = if procedure.is_vector { "register" } else { "number" };
        let name = format!("procedure {i}: {} of a {lanes}", procedure.elementary.name());
        (name, &procedure.code, Role::Procedure, Allocation::Thorough)
    });
    // The function for the frame runs once, so only its compile time matters: the backtracking
    // allocator's is quadratic in the number of values that live at once.
    let is_large = program.frame.instrs() >= cost::QUICK_INSTRS;
    let of_frame = if is_large { Allocation::Quick } else { Allocation::Thorough };
    let callers = [
        ("frame".to_owned(), &program.frame, Role::Frame, of_frame),
        ("row".to_owned(), &program.row, Role::Row, of_row),
    ];
    let all = procedures.chain(callers);
    all.map(|(name, function, role, allocation)| Part { name, function, role, allocation })
}
