//! Executes single instructions on this processor.

#![allow(unsafe_code, reason = "executing an instruction")]

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, IcedError, Instruction, InstructionBlock,
    MemoryOperand, Register,
};
use lambdav_simd_backend::emit::Wide;
use memmap2::{Mmap, MmapMut};

/// Size of the memory that instructions access, in bytes.
pub(crate) const SCRATCH: usize = 256;

/// Registers, flags and some memory.
#[repr(C, align(64))]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// zmm0 to zmm31; or ymm0 to ymm15, in the lower halves.
    pub(crate) vectors: [[u64; 8]; 32],
    /// The memory to which `r14` points.
    pub(crate) scratch: [u64; SCRATCH / 8],
    /// k0 to k7, if the processor has them.
    pub(crate) masks: [u64; 8],
    /// rax to r15, except rsp and r15. r14 is the address of `scratch`.
    pub(crate) general: [u64; 16],
    /// The flags.
    pub(crate) flags: u64,
}

const SCRATCH_AT: usize = std::mem::offset_of!(State, scratch);
const MASKS_AT: usize = std::mem::offset_of!(State, masks);
const GENERAL_AT: usize = std::mem::offset_of!(State, general);
const FLAGS_AT: usize = std::mem::offset_of!(State, flags);

/// True if the machine has the registers of AVX-512, and they are enabled.
pub(crate) fn has_wide_registers() -> bool {
    Wide::Avx512.is_here()
}

/// General registers in the order of their numbers.
const GENERAL: [Register; 16] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSP,
    Register::RBP,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];
const SAVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// Memory at an offset from r15, which points to the state.
fn at(offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::R15, offset as i64)
}

/// Loads and stores of all vectors and masks.
struct Moves {
    loads: Vec<Instruction>,
    stores: Vec<Instruction>,
}

impl Moves {
    fn new() -> Result<Self, IcedError> {
        let (vectors, first, load, store) = if has_wide_registers() {
            (
                32,
                Register::ZMM0,
                Code::EVEX_Vmovups_zmm_k1z_zmmm512,
                Code::EVEX_Vmovups_zmmm512_k1z_zmm,
            )
        } else {
            (16, Register::YMM0, Code::VEX_Vmovups_ymm_ymmm256, Code::VEX_Vmovups_ymmm256_ymm)
        };
        let masks = if has_wide_registers() { 8 } else { 0 };
        let mut moves = Self { loads: Vec::new(), stores: Vec::new() };
        let mut add = |load: Code, store: Code, register: Register, offset: usize| {
            moves.loads.push(Instruction::with2(load, register, at(offset))?);
            moves.stores.push(Instruction::with2(store, at(offset), register)?);
            Ok(())
        };
        for k in 0..vectors {
            add(load, store, first + k as u32, 64 * k)?;
        }
        for k in 0..masks {
            let (load, store) = (Code::VEX_Kmovq_kr_km64, Code::VEX_Kmovq_m64_kr);
            add(load, store, Register::K0 + k as u32, MASKS_AT + 8 * k)?;
        }
        Ok(moves)
    }
}

/// An instruction, surrounded by code that loads and stores the state.
fn around(instruction: Instruction) -> Result<Vec<Instruction>, IcedError> {
    let usual = || (0..16).filter(|k| ![4, 15].contains(k));
    let moves = Moves::new()?;
    let mut all = Vec::new();
    for register in SAVED {
        all.push(Instruction::with1(Code::Push_r64, register)?);
    }
    all.push(Instruction::with2(Code::Mov_r64_rm64, Register::R15, Register::RDI)?);
    all.extend(moves.loads);
    all.push(Instruction::with1(Code::Push_rm64, at(FLAGS_AT))?);
    all.push(Instruction::with(Code::Popfq));
    for k in usual() {
        all.push(Instruction::with2(Code::Mov_r64_rm64, GENERAL[k], at(GENERAL_AT + 8 * k))?);
    }
    all.push(instruction);
    for k in usual() {
        all.push(Instruction::with2(Code::Mov_rm64_r64, at(GENERAL_AT + 8 * k), GENERAL[k])?);
    }
    all.push(Instruction::with(Code::Pushfq));
    all.push(Instruction::with1(Code::Pop_rm64, at(FLAGS_AT))?);
    all.extend(moves.stores);
    all.push(Instruction::with(Code::VEX_Vzeroupper));
    for register in SAVED.into_iter().rev() {
        all.push(Instruction::with1(Code::Pop_r64, register)?);
    }
    all.push(Instruction::with(Code::Retnq));
    Ok(all)
}

/// Code that loads a state, executes an instruction, and stores the state.
pub(crate) struct Native {
    memory: Mmap,
}

impl Native {
    /// Code for an instruction that uses neither `rsp` nor `r15`.
    pub(crate) fn new(instruction: Instruction) -> Self {
        let instructions = around(instruction).expect("there are such instructions");
        let block = InstructionBlock::new(&instructions, 0);
        let bytes = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE);
        let bytes = bytes.expect("it can be encoded").code_buffer;
        let mut memory = MmapMut::map_anon(bytes.len()).expect("there is memory");
        memory[..bytes.len()].copy_from_slice(&bytes);
        Self { memory: memory.make_exec().expect("it can be executed") }
    }

    /// Executes the instruction on a state.
    pub(crate) fn run(&self, state: &mut State) {
        let state: *mut State = state;
        // SAFETY: the code is complete and follows the C convention, except for one instruction in its
        // middle. That instruction reads and writes registers, and the memory to which `r14` points: the
        // state's own scratch memory.
        unsafe {
            let scratch = state.cast::<u8>().add(SCRATCH_AT) as u64;
            (&raw mut (*state).general[14]).write(scratch);
            let function: extern "C" fn(*mut State) = std::mem::transmute(self.memory.as_ptr());
            function(state);
        }
    }
}
