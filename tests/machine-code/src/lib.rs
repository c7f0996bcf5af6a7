//! An evaluator of x86-64 machine code: the counterpart of the SPIR-V evaluator for emitters of machine code.
//!
//! It decodes bytes and executes them, on any machine, in a model of the processor that includes AVX-512. It
//! knows no emitter: instructions behave as in the processors' manuals, and `tests/` compares each form with
//! a processor.
//!
//! *Only known instructions are executed.* An unknown instruction or form is an error that names it
//! ([`FaultKind`]). Other errors are accesses outside the regions of [`Memory`], writes to constant regions,
//! misaligned operands, and violations of the calling convention. Every run ends, since instructions are
//! counted.
//!
//! *Undefined bits are tracked.* Each bit of registers and memory is known or undefined ([`Bits`]). Fresh
//! stack is undefined, and so are registers that a call-out may change. Arithmetic, moves and masks propagate
//! undefined bits. An undefined address, an undefined mask of a memory access, and reading a flag that an
//! instruction left undefined are errors. Reading a flag that was *computed* from undefined bits is allowed,
//! since code may branch where the outcome makes no difference (a poll in inactive lanes). Such a flag is
//! alternately true and false, so a difference shows.
//!
//! - [`bits`], [`memory`], [`fault`], [`flags`], [`machine`]: the state;
//! - `operation`, `shuffle`, `integer`, `float`: the effects of vector instructions, by mnemonic;
//! - `vector`, `general`: execution;
//! - [`function`]: compiled functions of λV, called under the evaluator.
#![forbid(unsafe_code)]

pub mod bits;
pub mod fault;
pub mod flags;
mod float;
pub mod function;
mod general;
mod integer;
pub mod machine;
pub mod memory;
mod operation;
mod shuffle;
mod vector;

pub use bits::{Bits, Vector};
pub use fault::{Fault, FaultKind};
pub use function::Evaluated;
pub use machine::{Code, HostFunction, Machine};
pub use memory::{Memory, Region};

/// True if the evaluator knows a vector or mask instruction with that mnemonic.
pub fn is_vector_instruction(mnemonic: iced_x86::Mnemonic) -> bool {
    operation::operation(mnemonic, true).is_some()
}
