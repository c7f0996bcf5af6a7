//! The wide emitter: vectors of 256 and of 512 bits on x86-64.
//!
//! ```text
//! register program ─ select ─▶ Code ─ regalloc2 ─▶ registers ─ assemble ─▶ bytes
//!                              virtual registers   and moves
//! ```
//!
//! | module | does |
//! |---|---|
//! | [`machine`] | the machines: register widths, encodings, registers preserved by calls |
//! | [`isa`] | the table of instructions |
//! | [`instruction`] | an instruction's bytes and text, by that table |
//! | [`code`] | a function with virtual registers, as the allocator sees it |
//! | [`select`] | instruction selection |
//! | [`assemble`] | frames, moves, jumps and constants |
//!
//! It is one emitter for three machines ([`Wide`]), which differ in register width, in the encoding
//! of instructions and in the place of masks. AVX2 has VEX encodings and 16 vector registers, some
//! of which hold masks. AVX-512 has EVEX encodings, 32 vector registers and 7 for masks, at 512 or
//! at 256 bits. Instructions that VEX can encode take VEX there too: it is shorter.
//!
//! *Masks.* In mask registers the bits beyond the lanes are undefined: tests and joins of masks
//! ignore them. In vectors, masks are whole lanes of ones and zeros.
//!
//! *Memory.* A vector of constants is a memory operand: one element broadcast to all lanes in EVEX,
//! else the whole vector. So is a spill slot's value that the register program reloads for one use.
//!
//! *Registers.* The address of the context stays in one general register everywhere. Procedures use
//! the lower 16 vector registers and all masks. The other vector registers, where there are any,
//! survive procedures: only the cold call of the reference mathematics saves them.
//!
//! *Nothing is relocated*: the address of the reference mathematics is in the context, and the
//! distances to functions and constants are known here.
//!
//! Upper halves of vector registers are clear on entry, on return, and when the reference is
//! called: otherwise instructions of SSE would depend on them.
//!
//! *Checks.* Tests decode each row of the table with another decoder. Debug builds run regalloc2's checker. The evaluator of
//! `tests/machine-code` executes AVX-512 code where the processor lacks it.

mod assemble;
mod code;
mod instruction;
mod isa;
mod machine;
mod select;
#[cfg(test)]
mod tests;

use regalloc2::checker::Checker;
use regalloc2::{Algorithm, RegallocOptions};

pub use self::machine::Wide;

use self::assemble::Assembled;
use self::code::Code;
use super::abi::{self, CompiledFunction, MachineCode, Needs};
use super::{Allocation, EmitError, Emitter, Listing, Part, Role, parts};
use crate::machine::Machine;
use crate::registers::{Bounds, RegisterProgram};

/// Limit of blocks × values for the checker, whose memory is proportional to it.
const CHECKED: usize = 1 << 20;

/// Makes code for registers of 256 or 512 bits.
#[derive(Clone, Copy, Debug)]
pub struct WideEmitter {
    pub(super) wide: Wide,
    machine: Machine,
    /// True if one instruction shifts two words as one (AVX-512 VBMI2).
    has_funnels: bool,
}

impl WideEmitter {
    /// An emitter for that machine, even if this processor is another.
    pub fn new(wide: Wide) -> Self {
        Self { wide, machine: wide.describe(), has_funnels: wide.has_funnels() }
    }

    /// The same without VBMI2: for all processors that have its registers.
    pub(super) fn without_funnels(self) -> Self {
        Self { has_funnels: false, ..self }
    }

    fn function(
        &self,
        program: &RegisterProgram,
        part: &Part<'_>,
        bounds: &Bounds,
        listing: Listing,
    ) -> Result<(Code, Assembled), EmitError> {
        let Part { function, role, allocation, .. } = *part;
        let code = select::select(self.wide, self.has_funnels, program, function, role, bounds);
        let environment = self.wide.environment(role == Role::Procedure);
        let algorithm = match allocation {
            Allocation::Thorough => Algorithm::Ion,
            Allocation::Quick => Algorithm::Fastalloc,
        };
        let options =
            RegallocOptions { verbose_log: false, validate_ssa: cfg!(debug_assertions), algorithm };
        let output = regalloc2::run(&code, &environment, &options)
            .map_err(|error| EmitError::TooLarge(error.to_string()))?;
        if cfg!(debug_assertions) && code.blocks.len() * code.classes.len() <= CHECKED {
            let mut checker = Checker::new(&code, &environment);
            checker.prepare(&output);
            if let Err(errors) = checker.run() {
                unreachable!("registers are allocated wrongly: {errors:?}\n{code}");
            }
        }
        let lists = listing == Listing::Assembly;
        let mut made =
            assemble::assemble(self.wide, role, &code, &output, function.spill_slots, lists);
        if listing == Listing::Intermediate {
            made.listing = code.to_string();
        }
        Ok((code, made))
    }
}

impl Emitter for WideEmitter {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn emit(
        &self,
        program: &RegisterProgram,
        allocation: Allocation,
        listing: Listing,
    ) -> Result<MachineCode, EmitError> {
        let (mut functions, mut calls) = (Vec::new(), Vec::new());
        let bounds = Bounds::new(program);
        for part in parts(program, allocation) {
            let (_, made) = self.function(program, &part, &bounds, listing)?;
            functions.push(CompiledFunction {
                name: part.name,
                bytes: made.bytes,
                alignment: 64,
                relocations: Vec::new(),
                stack: made.stack,
                listing: made.listing,
            });
            calls.push(made.calls);
        }
        let offsets = abi::offsets(&functions);
        for (index, calls) in calls.into_iter().enumerate() {
            for (at, procedure) in calls {
                let from = offsets[index] + at + 4;
                let distance = (offsets[procedure as usize] as i64 - from as i64) as i32;
                functions[index].bytes[at..][..4].copy_from_slice(&distance.to_le_bytes());
            }
        }
        let needs =
            Needs { name: self.wide.name(), what: self.wide.needs(), is_here: self.wide.is_here() };
        Ok(MachineCode::new(program, functions, Some(needs)))
    }
}
