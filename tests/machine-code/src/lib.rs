//! An evaluator of x86-64 machine code, for emitters what the evaluator of SPIR-V words is for the
//! SPIR-V emitter.
//!
//! It decodes bytes and executes them on a model of the processor, AVX-512 included, on any machine.
//! It knows nothing of emitters: what an instruction does is as the processors' manuals say, and
//! `tests/` compares it with a processor, form by form.
//!
//! *Nothing is executed that is not known.* An instruction, or a form of one, that the evaluator
//! does not know is an error that names it ([`FaultKind`]); so is an access outside the regions of
//! [`Memory`], a write to a constant one, a misaligned operand, and whatever breaks the calling
//! convention. Each run ends: its instructions are counted.
//!
//! *Undefined bits are known as such.* Each bit of a register and of memory has a value or is
//! undefined ([`Bits`]): fresh stack, and what a call-out may have changed. They go through
//! arithmetic, moves and masks; an address or a mask of memory accesses that is undefined is an
//! error, and so is a flag that an instruction leaves undefined. A flag that is *computed* from
//! undefined bits may be looked at, since code may branch on what makes no difference (a poll of
//! lanes that nobody wants): it is true and false by turns, which shows a difference if there is
//! one.
//!
//! - [`bits`], [`memory`], [`fault`], [`flags`], [`machine`]: the state;
//! - `operation`, `shuffle`, `integer`, `float`: which vector instruction does what, by name;
//! - `vector`, `general`: executing instructions;
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

/// Whether the evaluator knows an instruction of vectors or masks of that name.
pub fn is_vector_instruction(mnemonic: iced_x86::Mnemonic) -> bool {
    operation::operation(mnemonic, true).is_some()
}
