//! The machines that the emitter makes code for.

use regalloc2::{MachineEnv, PReg, PRegSet, RegClass};

#[cfg(test)]
use super::isa::Feature;
use super::isa::Size;
use crate::machine::{Class, Machine, PerClass, Tile};

/// How wide registers are, and how instructions are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// 256 bits, AVX2 and FMA; masks are vectors.
    Avx2,
    /// 256 bits, AVX-512 with mask registers.
    Avx512At256,
    /// 512 bits, AVX-512 with mask registers.
    Avx512,
}

/// Holds the address of the context in all functions.
pub(super) const CONTEXT: u8 = 15;
/// The frame pointer of the function that was called from outside.
pub(super) const FRAME: u8 = 5;
/// The stack pointer.
pub(super) const STACK: u8 = 4;

/// General registers that a procedure leaves as they are, among those that there are to allocate.
const PRESERVED: [u8; 4] = [3, 12, 13, 14];
/// The others.
const SCRATCH: [u8; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];

/// The class of general registers.
pub(super) const GENERAL: RegClass = RegClass::Int;
/// That of vectors and floating-point scalars.
pub(super) const VECTOR: RegClass = RegClass::Float;
/// That of masks, where they are no vectors.
pub(super) const MASK: RegClass = RegClass::Vector;

/// How many of the vector registers a procedure may change, where there are more.
const OF_PROCEDURES: usize = 16;

impl Wide {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Avx2, Self::Avx512At256, Self::Avx512];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "avx2",
            Self::Avx512At256 => "avx512-256",
            Self::Avx512 => "avx512",
        }
    }

    /// What the code needs, in words.
    pub fn needs(self) -> &'static str {
        match self {
            Self::Avx2 => "AVX2 and FMA",
            Self::Avx512At256 | Self::Avx512 => "AVX-512 F, DQ, BW and VL",
        }
    }

    /// Whether this processor, and this system, can execute the code.
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

    /// Whether this processor moves two words as one by one instruction, which those of the first years do not.
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

    /// Features that its instructions may need, on any processor. (Code has those of VBMI2 only where
    /// `has_funnels`.)
    #[cfg(test)]
    pub(super) fn features(self) -> &'static [Feature] {
        use Feature::{Avx, Avx2, Base, Bw, Dq, F, Fma, Vbmi2, Vl};
        match self {
            Self::Avx2 => &[Base, Avx, Avx2, Fma],
            Self::Avx512At256 => &[Base, Avx, Avx2, Fma, F, Dq, Bw, Vl],
            Self::Avx512 => &[Base, Avx, Avx2, Fma, F, Dq, Bw, Vl, Vbmi2],
        }
    }

    /// Of a vector.
    pub(super) fn size(self) -> Size {
        if self == Self::Avx512 { Size::B512 } else { Size::B256 }
    }

    /// Whether there are registers for masks.
    pub(super) fn has_masks(self) -> bool {
        self != Self::Avx2
    }

    /// How many vector registers there are.
    fn vectors(self) -> usize {
        if self.has_masks() { 32 } else { 16 }
    }

    /// What is known of it before registers are allocated. A block needs one register for masks
    /// beside those of its values.
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

    /// The vector registers that procedures leave as they are.
    pub(super) fn preserved_vectors(self) -> std::ops::Range<u8> {
        OF_PROCEDURES as u8..self.vectors() as u8
    }

    /// What the allocator may use: in procedures, what they may change.
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

    /// What a call of a procedure changes.
    pub(super) fn clobbers(self) -> PRegSet {
        PRegSet::from(&self.environment(true))
    }
}
