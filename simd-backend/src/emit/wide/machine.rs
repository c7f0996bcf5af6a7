//! The machines that the emitter makes code for.

use regalloc2::{MachineEnv, PReg, PRegSet, RegClass};

#[cfg(test)]
use super::isa::Feature;
use super::isa::Size;
use crate::machine::{Class, Machine, PerClass, Tile};

/// The width of registers, and the encoding of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// 256 bits, AVX2 and FMA; masks are vectors.
    Avx2,
    /// 256 bits, AVX-512 with mask registers.
    Avx512At256,
    /// 512 bits, AVX-512 with mask registers.
    Avx512,
}

/// The register that holds the address of the context in all functions.
pub(super) const CONTEXT: u8 = 15;
/// The frame pointer of the functions for the frame and for a row.
pub(super) const FRAME: u8 = 5;
/// The stack pointer.
pub(super) const STACK: u8 = 4;

/// Allocatable general registers that a procedure preserves.
const PRESERVED: [u8; 4] = [3, 12, 13, 14];
/// The other allocatable general registers.
const SCRATCH: [u8; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];

/// The class of general registers.
pub(super) const GENERAL: RegClass = RegClass::Int;
/// The class of vectors and floating-point scalars.
pub(super) const VECTOR: RegClass = RegClass::Float;
/// The class of masks, if they are not vectors.
pub(super) const MASK: RegClass = RegClass::Vector;

/// The number of vector registers that a procedure may change, on machines with more.
const OF_PROCEDURES: usize = 16;

impl Wide {
    /// All machines.
    pub const ALL: [Self; 3] = [Self::Avx2, Self::Avx512At256, Self::Avx512];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "avx2",
            Self::Avx512At256 => "avx512-256",
            Self::Avx512 => "avx512",
        }
    }

    /// The features that the code needs, for messages.
    pub fn needs(self) -> &'static str {
        match self {
            Self::Avx2 => "AVX2 and FMA",
            Self::Avx512At256 | Self::Avx512 => "AVX-512 F, DQ, BW and VL",
        }
    }

    /// True if this processor and this system can execute the code.
    pub fn is_here(self) -> bool {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            use std::arch::is_x86_feature_detected as has;
            let older = has!("avx2") && has!("fma");
            let newer =
                || has!("avx512f") && has!("avx512dq") && has!("avx512bw") && has!("avx512vl");
            older && (self == Self::Avx2 || newer())
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        {
            false
        }
    }

    /// True if this processor has AVX-512 VBMI2, which shifts two words as one. The first AVX-512
    /// processors lack it.
    pub(super) fn has_funnels(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            self == Self::Avx512 && std::arch::is_x86_feature_detected!("avx512vbmi2")
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            false
        }
    }

    /// The features that instructions may need. (Code uses VBMI2 only if `has_funnels`.)
    #[cfg(test)]
    pub(super) fn features(self) -> &'static [Feature] {
        use Feature::{Avx, Avx2, Base, Bw, Dq, F, Fma, Vbmi2, Vl};
        match self {
            Self::Avx2 => &[Base, Avx, Avx2, Fma],
            Self::Avx512At256 => &[Base, Avx, Avx2, Fma, F, Dq, Bw, Vl],
            Self::Avx512 => &[Base, Avx, Avx2, Fma, F, Dq, Bw, Vl, Vbmi2],
        }
    }

    /// The size of a vector.
    pub(super) fn size(self) -> Size {
        if self == Self::Avx512 { Size::B512 } else { Size::B256 }
    }

    /// True if masks have registers of their own.
    pub(super) fn has_masks(self) -> bool {
        self != Self::Avx2
    }

    /// The number of vector registers.
    fn vectors(self) -> usize {
        if self.has_masks() { 32 } else { 16 }
    }

    /// The machine's description for lowering and spilling. One mask register stays free: a block
    /// needs it beside those of its values.
    pub(super) fn describe(self) -> Machine {
        let tile = if self == Self::Avx512 { Tile::SIXTEEN } else { Tile::EIGHT };
        let masks = if self.has_masks() { 7 } else { 0 };
        let mut machine = Machine {
            tile,
            registers: PerClass([self.vectors(), masks]),
            preserved: PerClass([0, 0]),
            fma: true,
        };
        machine.preserved[Class::Vector] = self.vectors() - OF_PROCEDURES;
        machine
    }

    /// The vector registers that procedures preserve.
    pub(super) fn preserved_vectors(self) -> std::ops::Range<u8> {
        OF_PROCEDURES as u8..self.vectors() as u8
    }

    /// The registers for the allocator: in a procedure, only those that it may change.
    pub(super) fn environment(self, is_procedure: bool) -> MachineEnv {
        let set = |class, registers: &mut dyn Iterator<Item = u8>| -> PRegSet {
            registers.map(|number| PReg::new(number.into(), class)).collect()
        };
        let vectors = self.vectors() as u8;
        let low = if is_procedure { OF_PROCEDURES as u8 } else { vectors };
        let masks = if self.has_masks() { 1..8 } else { 0..0 };
        let preserved = if is_procedure { &[][..] } else { &PRESERVED };
        MachineEnv {
            preferred_regs_by_class: [
                set(GENERAL, &mut SCRATCH.into_iter()),
                set(VECTOR, &mut (0..low.min(OF_PROCEDURES as u8))),
                set(MASK, &mut masks.into_iter()),
            ],
            non_preferred_regs_by_class: [
                set(GENERAL, &mut preserved.iter().copied()),
                set(VECTOR, &mut (OF_PROCEDURES as u8..low)),
                PRegSet::empty(),
            ],
            scratch_by_class: [None; 3],
            fixed_stack_slots: Vec::new(),
        }
    }

    /// The registers that a call of a procedure clobbers.
    pub(super) fn clobbers(self) -> PRegSet {
        PRegSet::from(&self.environment(true))
    }
}
