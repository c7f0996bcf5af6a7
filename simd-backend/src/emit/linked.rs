//! Machine code of x86-64 with all addresses filled in: for evaluators of machine code, for which it
//! lies where they say.

use cranelift_codegen::binemit::Reloc;

use super::abi::{Layout, MachineCode, Referent};

/// Code for an address.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Instructions and constants.
    pub bytes: Vec<u8>,
    /// The address of the function for the frame.
    pub frame: u64,
    /// The address of that for a row of groups.
    pub row: u64,
}

impl Linked {
    /// Code that lies at `base`, which is well aligned, and finds the reference mathematics
    /// ([`abi::REFERENCE`](super::abi::REFERENCE)) at `reference`.
    ///
    /// # Panics
    ///
    /// If the code is for another architecture, or something does not reach as far.
    pub fn new(code: &MachineCode, base: u64, reference: u64) -> Self {
        let layout = Layout::new(code);
        assert_eq!(base % layout.alignment, 0, "functions are aligned");
        let mut bytes = layout.bytes.clone();
        for (relocation, referent) in layout.relocations(code) {
            let target = match referent {
                Referent::Reference => reference,
                Referent::Offset(offset) => base + u64::from(offset),
            };
            let (offset, target) =
                (relocation.offset as usize, target.wrapping_add_signed(relocation.addend));
            match relocation.kind {
                Reloc::Abs8 => bytes[offset..][..8].copy_from_slice(&target.to_le_bytes()),
                Reloc::X86PCRel4 | Reloc::X86CallPCRel4 => {
                    let distance = target.wrapping_sub(base + offset as u64) as i64;
                    let distance = i32::try_from(distance).expect("it is near enough");
                    bytes[offset..][..4].copy_from_slice(&distance.to_le_bytes());
                }
                kind => panic!("code of x86-64 has no relocation {kind}"),
            }
        }
        let [frame, row] =
            [code.frame, code.row].map(|function| base + u64::from(layout.offsets[function]));
        Self { bytes, frame, row }
    }
}
