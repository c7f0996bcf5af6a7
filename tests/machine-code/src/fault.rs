//! What is wrong with code.

use thiserror::Error;

/// An instruction that does what it must not, or that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{address:#x}: {text}: {kind}")]
pub struct Fault {
    /// Where it lies.
    pub address: u64,
    /// The instruction.
    pub text: String,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// What an instruction does wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// No instruction that this evaluator knows.
    #[error("it is not known to the evaluator")]
    Unknown,
    /// A known instruction in a form that is not.
    #[error("the evaluator does not know {0}")]
    UnknownForm(&'static str),
    /// Bytes outside all regions of memory.
    #[error("{size} bytes at {address:#x} lie outside all memory")]
    Outside {
        /// The first byte.
        address: u64,
        /// How many.
        size: u64,
    },
    /// A write to what can only be read.
    #[error("it writes to {0}, which is read only")]
    ReadOnly(&'static str),
    /// An address that must be a multiple of the operand's size.
    #[error("{address:#x} is not aligned to {size} bytes")]
    Misaligned {
        /// The address.
        address: u64,
        /// What it must be a multiple of.
        size: u64,
    },
    /// An address or an operand that decides what happens and is undefined.
    #[error("{0} is undefined")]
    Undefined(&'static str),
    /// A flag that an earlier instruction left undefined.
    #[error("the flag {0} is undefined")]
    UndefinedFlag(&'static str),
    /// More instructions than allowed.
    #[error("there were more than {0} instructions")]
    StepLimit(u64),
    /// A register that belongs to the caller.
    #[error("{0} differs from its value at the call")]
    NotPreserved(&'static str),
    /// At the return.
    #[error("the upper half of vector register {0} is in use")]
    UpperHalf(usize),
    /// The stack pointer at a call is no multiple of 16.
    #[error("the stack pointer {0:#x} is not aligned for a call")]
    StackAlignment(u64),
    /// An instruction that ends the process.
    #[error("it traps")]
    Trap,
    /// What a function of the host found.
    #[error("{0}")]
    Host(String),
}
