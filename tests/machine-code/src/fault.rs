//! Faults of executed code.

use thiserror::Error;

/// An instruction that is unknown or does something forbidden.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{address:#x}: {text}: {kind}")]
pub struct Fault {
    /// The instruction's address.
    pub address: u64,
    /// The instruction.
    pub text: String,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// An instruction that the evaluator does not know.
    #[error("it is not known to the evaluator")]
    Unknown,
    /// An unknown form of a known instruction.
    #[error("the evaluator does not know {0}")]
    UnknownForm(&'static str),
    /// An access outside all regions of memory.
    #[error("{size} bytes at {address:#x} lie outside all memory")]
    Outside {
        /// The first byte.
        address: u64,
        /// Number of bytes.
        size: u64,
    },
    /// A write to read-only memory.
    #[error("it writes to {0}, which is read only")]
    ReadOnly(&'static str),
    /// An address that is not a multiple of the operand's size.
    #[error("{address:#x} is not aligned to {size} bytes")]
    Misaligned {
        /// The address.
        address: u64,
        /// The required alignment, in bytes.
        size: u64,
    },
    /// An undefined address, or an undefined operand that decides the effect.
    #[error("{0} is undefined")]
    Undefined(&'static str),
    /// A flag that an earlier instruction left undefined.
    #[error("the flag {0} is undefined")]
    UndefinedFlag(&'static str),
    /// More instructions than the limit.
    #[error("there were more than {0} instructions")]
    StepLimit(u64),
    /// A callee-saved register that is not restored.
    #[error("{0} differs from its value at the call")]
    NotPreserved(&'static str),
    /// An upper half of a vector register that is not clear at the return.
    #[error("the upper half of vector register {0} is in use")]
    UpperHalf(usize),
    /// A stack pointer that is not a multiple of 16 at a call.
    #[error("the stack pointer {0:#x} is not aligned for a call")]
    StackAlignment(u64),
    /// An instruction that ends the process.
    #[error("it traps")]
    Trap,
    /// An error of a host function.
    #[error("{0}")]
    Host(String),
}
