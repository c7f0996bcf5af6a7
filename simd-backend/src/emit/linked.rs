//! Machine code of x86-64 with all addresses filled in, for evaluators of machine code: these
//! choose the address.

use cranelift_codegen::binemit::Reloc;
use cranelift_module::ModuleRelocTarget;

use super::abi::{self, MachineCode};

/// Code at a fixed address.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Instructions and constants.
    pub bytes: Vec<u8>,
    /// The address of the function for the frame.
    pub frame: u64,
    /// The address of the function for a row of groups.
    pub row: u64,
}

impl Linked {
    /// Places the code at `base`, a multiple of 4096, with the reference mathematics
    /// ([`abi::REFERENCE`]) at `reference`.
    ///
    /// # Panics
    ///
    /// If the code is for another architecture, or a distance does not fit 32 bits.
    pub fn new(code: &MachineCode, base: u64, reference: u64) -> Self {
        let (mut bytes, offsets) = code.laid_out();
        let address = |function: usize| base + offsets[function] as u64;
        let symbol = |symbol: u32, offset: u32| match symbol.checked_sub(abi::symbol(0)) {
            Some(function) => address(function as usize) + u64::from(offset),
            None => reference,
        };
        for (function, &begin) in code.functions.iter().zip(&offsets) {
            for relocation in &function.relocations {
                let target = match relocation.name {
                    ModuleRelocTarget::User { index, .. } => symbol(index, 0),
                    ModuleRelocTarget::FunctionOffset(id, offset) => symbol(id.as_u32(), offset),
                    ref other => unreachable!("no code refers to {other}"),
                };
                let target = target.wrapping_add_signed(relocation.addend);
                let at = begin + relocation.offset as usize;
                match relocation.kind {
                    Reloc::Abs8 => bytes[at..][..8].copy_from_slice(&target.to_le_bytes()),
                    Reloc::X86PCRel4 | Reloc::X86CallPCRel4 => {
                        let distance = target.wrapping_sub(base + at as u64) as i64;
                        let distance = i32::try_from(distance).expect("the distance fits 32 bits");
                        bytes[at..][..4].copy_from_slice(&distance.to_le_bytes());
                    }
                    kind => panic!("code of x86-64 has no relocation {kind}"),
                }
            }
        }
        Self { bytes, frame: address(code.frame), row: address(code.row) }
    }
}
