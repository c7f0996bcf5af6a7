//! Executing one instruction on this processor.

#![allow(unsafe_code, reason = "executing an instruction")]

use iced_x86::code_asm::*;
use iced_x86::{BlockEncoder, BlockEncoderOptions, Instruction, InstructionBlock};
use lambdav_simd_backend::emit::Wide;
use memmap2::{Mmap, MmapMut};

/// The bytes of memory that instructions read and write.
pub(crate) const SCRATCH: usize = 256;

/// Registers, flags and some memory.
#[repr(C, align(64))]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// zmm0 to zmm31, or the lower halves of ymm0 to ymm15.
    pub(crate) vectors: [[u64; 8]; 32],
    /// What `r14` points to.
    pub(crate) scratch: [u64; SCRATCH / 8],
    /// k0 to k7, where there are.
    pub(crate) masks: [u64; 8],
    /// rax to r15, but for rsp and r15; r14 is the address of `scratch`.
    pub(crate) general: [u64; 16],
    /// The flags.
    pub(crate) flags: u64,
}

const SCRATCH_AT: usize = std::mem::offset_of!(State, scratch);
const MASKS_AT: usize = std::mem::offset_of!(State, masks);
const GENERAL_AT: usize = std::mem::offset_of!(State, general);
const FLAGS_AT: usize = std::mem::offset_of!(State, flags);

/// Whether the machine has the registers of AVX-512, and they are to be used.
pub(crate) fn has_wide_registers() -> bool {
    Wide::Avx512.is_here()
}

const GENERAL: [AsmRegister64; 16] =
    [rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15];
const XMM: [AsmRegisterYmm; 16] = [
    ymm0, ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14,
    ymm15,
];
const ZMM: [AsmRegisterZmm; 32] = [
    zmm0, zmm1, zmm2, zmm3, zmm4, zmm5, zmm6, zmm7, zmm8, zmm9, zmm10, zmm11, zmm12, zmm13, zmm14,
    zmm15, zmm16, zmm17, zmm18, zmm19, zmm20, zmm21, zmm22, zmm23, zmm24, zmm25, zmm26, zmm27,
    zmm28, zmm29, zmm30, zmm31,
];
const K: [AsmRegisterK; 8] = [k0, k1, k2, k3, k4, k5, k6, k7];
const SAVED: [AsmRegister64; 6] = [rbx, rbp, r12, r13, r14, r15];

/// Code that loads a state, executes an instruction, and stores the state.
pub(crate) struct Native {
    memory: Mmap,
}

impl Native {
    /// Such code for an instruction that touches neither `rsp` nor `r15`.
    pub(crate) fn new(instruction: Instruction) -> Self {
        let is_usual = |k: &usize| ![4, 15].contains(k);
        let at = |offset: usize| r15 + offset as i32;
        let assemble = || {
            let mut a = CodeAssembler::new(64)?;
            for register in SAVED {
                a.push(register)?;
            }
            a.mov(r15, rdi)?;
            if has_wide_registers() {
                for (k, register) in ZMM.into_iter().enumerate() {
                    a.vmovups(register, at(64 * k))?;
                }
                for (k, register) in K.into_iter().enumerate() {
                    a.kmovq(register, qword_ptr(at(MASKS_AT + 8 * k)))?;
                }
            } else {
                for (k, register) in XMM.into_iter().enumerate() {
                    a.vmovups(register, at(64 * k))?;
                }
            }
            a.push(qword_ptr(at(FLAGS_AT)))?;
            a.popfq()?;
            for k in (0..16).filter(is_usual) {
                a.mov(GENERAL[k], qword_ptr(at(GENERAL_AT + 8 * k)))?;
            }
            a.add_instruction(instruction)?;
            for k in (0..16).filter(is_usual) {
                a.mov(qword_ptr(at(GENERAL_AT + 8 * k)), GENERAL[k])?;
            }
            a.pushfq()?;
            a.pop(qword_ptr(at(FLAGS_AT)))?;
            if has_wide_registers() {
                for (k, register) in ZMM.into_iter().enumerate() {
                    a.vmovups(at(64 * k), register)?;
                }
                for (k, register) in K.into_iter().enumerate() {
                    a.kmovq(qword_ptr(at(MASKS_AT + 8 * k)), register)?;
                }
            } else {
                for (k, register) in XMM.into_iter().enumerate() {
                    a.vmovups(at(64 * k), register)?;
                }
            }
            a.vzeroupper()?;
            for register in SAVED.into_iter().rev() {
                a.pop(register)?;
            }
            a.ret()?;
            Ok::<_, IcedError>(a.take_instructions())
        };
        let instructions = assemble().expect("it can be assembled");
        let block = InstructionBlock::new(&instructions, 0);
        let bytes = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE);
        let bytes = bytes.expect("it can be encoded").code_buffer;
        let mut memory = MmapMut::map_anon(bytes.len()).expect("there is memory");
        memory[..bytes.len()].copy_from_slice(&bytes);
        Self { memory: memory.make_exec().expect("it can be executed") }
    }

    /// Executes it.
    pub(crate) fn run(&self, state: &mut State) {
        let state: *mut State = state;
        // SAFETY: the code is complete, follows the C convention but for one instruction in its
        // middle, and that reads and writes registers and what `r14` points to: the state's own
        // scratch memory.
        unsafe {
            let scratch = state.cast::<u8>().add(SCRATCH_AT) as u64;
            (&raw mut (*state).general[14]).write(scratch);
            let function: extern "C" fn(*mut State) = std::mem::transmute(self.memory.as_ptr());
            function(state);
        }
    }
}
