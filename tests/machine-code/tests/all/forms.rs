//! Executes each form of each known instruction in the evaluator and on the processor, with random and
//! special operands, and compares registers, flags and memory bit for bit.
//!
//! The forms come from the decoder's table of instructions. Instructions that this processor lacks are
//! listed.

use std::collections::BTreeSet;

use iced_x86::{
    Code, CpuidFeature, Decoder, DecoderOptions, Encoder, EncodingKind, Instruction, Mnemonic,
    OpCodeOperandKind, OpKind, Register,
};
use lambdav_core::float::same_words;
use lambdav_machine_code::flags::Flag;
use lambdav_machine_code::{Bits, Machine, Memory, Region, Vector, is_vector_instruction};
use lambdav_test_support::Random;

use crate::native::{Native, SCRATCH, State, has_wide_registers};

/// Instructions of general registers that neither jump nor use the stack.
const GENERAL: &[Mnemonic] = {
    use Mnemonic::*;
    &[
        Nop, Mov, Movzx, Movsx, Movsxd, Cdqe, Lea, Add, Adc, Sub, Sbb, And, Or, Xor, Cmp, Test,
        Not, Neg, Inc, Dec, Imul, Shl, Shr, Sar, Shld, Shrd, Andn, Shlx, Shrx, Sarx, Bt, Popcnt,
        Lzcnt, Tzcnt, Seta, Setae, Setb, Setbe, Sete, Setg, Setge, Setl, Setle, Setne, Setno,
        Setnp, Setns, Seto, Setp, Sets, Cmova, Cmovae, Cmovb, Cmovbe, Cmove, Cmovg, Cmovge, Cmovl,
        Cmovle, Cmovne, Cmovno, Cmovnp, Cmovns, Cmovo, Cmovp, Cmovs,
    ]
};

/// True if the processor has the feature; `None` for features that our code does not use.
pub(crate) fn is_detected(feature: CpuidFeature) -> Option<bool> {
    Some(match feature {
        CpuidFeature::INTEL8086
        | CpuidFeature::INTEL186
        | CpuidFeature::INTEL386
        | CpuidFeature::INTEL486
        | CpuidFeature::X64
        | CpuidFeature::CMOV
        | CpuidFeature::MULTIBYTENOP
        | CpuidFeature::SSE
        | CpuidFeature::SSE2 => true,
        CpuidFeature::SSE3 => is_x86_feature_detected!("sse3"),
        CpuidFeature::SSSE3 => is_x86_feature_detected!("ssse3"),
        CpuidFeature::SSE4_1 => is_x86_feature_detected!("sse4.1"),
        CpuidFeature::SSE4_2 => is_x86_feature_detected!("sse4.2"),
        CpuidFeature::POPCNT => is_x86_feature_detected!("popcnt"),
        CpuidFeature::LZCNT => is_x86_feature_detected!("lzcnt"),
        CpuidFeature::BMI1 => is_x86_feature_detected!("bmi1"),
        CpuidFeature::BMI2 => is_x86_feature_detected!("bmi2"),
        CpuidFeature::AVX => is_x86_feature_detected!("avx"),
        CpuidFeature::AVX2 => is_x86_feature_detected!("avx2"),
        CpuidFeature::FMA => is_x86_feature_detected!("fma"),
        CpuidFeature::AVX512F => has_wide_registers(),
        CpuidFeature::AVX512BW => has_wide_registers(),
        CpuidFeature::AVX512DQ => has_wide_registers(),
        CpuidFeature::AVX512VL => has_wide_registers(),
        CpuidFeature::AVX512_VBMI2 => {
            has_wide_registers() && is_x86_feature_detected!("avx512vbmi2")
        }
        _ => return None,
    })
}

/// The operands and options of a form.
#[derive(Clone, Copy, Default)]
pub(crate) struct Variant {
    pub(crate) is_memory: bool,
    pub(crate) is_masked: bool,
    pub(crate) is_zeroing: bool,
    pub(crate) is_broadcast: bool,
}

impl Variant {
    /// The variants of a form.
    pub(crate) fn all(code: Code) -> Vec<Self> {
        let info = code.op_code();
        // The tested bit may lie anywhere in memory.
        let is_far = info.mnemonic() == Mnemonic::Bt;
        let has_memory = !is_far && info.op_kinds().iter().any(|&kind| memory(kind).is_some());
        let has_register = !info.op_kinds().iter().any(|&kind| memory(kind) == Some(false));
        let mut all = Vec::new();
        for bits in 0..16 {
            let bit = |k: u32| bits >> k & 1 == 1;
            let variant = Self {
                is_memory: bit(0),
                is_masked: bit(1),
                is_zeroing: bit(2),
                is_broadcast: bit(3),
            };
            let Self { is_memory, is_masked, is_zeroing, is_broadcast } = variant;
            let is_possible = (if is_memory { has_memory } else { has_register })
                && (!is_masked || info.can_use_op_mask_register())
                && (is_masked || !info.require_op_mask_register())
                && (!is_zeroing || is_masked && info.can_use_zeroing_masking())
                && (!is_broadcast || is_memory && info.can_broadcast());
            // Stores merge, so they cannot zero.
            let writes = is_memory && memory(info.op_kind(0)).is_some();
            if is_possible && !(is_zeroing && writes) {
                all.push(variant);
            }
        }
        all
    }
}

/// `None` if an operand cannot lie in memory; else true if it can lie in a register, too.
pub(crate) fn memory(kind: OpCodeOperandKind) -> Option<bool> {
    use OpCodeOperandKind::*;
    match kind {
        mem | mem_vsib32x | mem_vsib32y | mem_vsib32z => Some(false),
        r8_or_mem | r16_or_mem | r32_or_mem | r64_or_mem | xmm_or_mem | ymm_or_mem | zmm_or_mem
        | k_or_mem => Some(true),
        _ => Option::None,
    }
}

/// A random instruction of that form; `None` if our code uses no such operands.
pub(crate) fn instruction(
    code: Code,
    variant: Variant,
    random: &mut Random,
) -> Option<Instruction> {
    use OpCodeOperandKind::*;
    let info = code.op_code();
    let mut instruction = Instruction::new();
    instruction.set_code(code);
    let many = has_wide_registers() && info.encoding() == EncodingKind::EVEX;
    for (operand, &kind) in (0..).zip(info.op_kinds()) {
        if memory(kind).is_some() && (variant.is_memory || memory(kind) == Some(false)) {
            instruction.set_op_kind(operand, OpKind::Memory);
            instruction.set_memory_base(Register::R14);
            // AVX-512 counts displacements in multiples of the operand's size.
            instruction.set_memory_displ_size(1);
            instruction.set_memory_displacement64(64);
            instruction.set_is_broadcast(variant.is_broadcast);
            let indices = match kind {
                mem_vsib32x => Register::XMM0,
                mem_vsib32y => Register::YMM0,
                mem_vsib32z => Register::ZMM0,
                _ => continue,
            };
            let indices = indices + random.below(if many { 32 } else { 16 }) as u32;
            instruction.set_memory_index(indices);
            instruction.set_memory_index_scale(4);
            continue;
        }
        let mut general = || [0_u32, 1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13][random.below(12)];
        let register = match kind {
            r8_reg | r8_or_mem | r8_opcode => {
                [Register::AL, Register::BL, Register::CH, Register::DL][general() as usize % 4]
            }
            r16_reg | r16_or_mem | r16_opcode | r16_rm | r16_reg_mem => Register::AX + general(),
            r32_reg | r32_or_mem | r32_opcode | r32_rm | r32_reg_mem | r32_vvvv => {
                Register::EAX + general()
            }
            r64_reg | r64_or_mem | r64_opcode | r64_rm | r64_reg_mem | r64_vvvv => {
                Register::RAX + general()
            }
            xmm_reg | xmm_rm | xmm_vvvv | xmm_or_mem | xmm_is4 => {
                Register::XMM0 + random.below(if many { 32 } else { 16 }) as u32
            }
            ymm_reg | ymm_rm | ymm_vvvv | ymm_or_mem | ymm_is4 => {
                Register::YMM0 + random.below(if many { 32 } else { 16 }) as u32
            }
            zmm_reg | zmm_rm | zmm_vvvv | zmm_or_mem => Register::ZMM0 + random.below(32) as u32,
            k_reg | k_rm | k_vvvv | k_or_mem => Register::K0 + random.below(8) as u32,
            al => Register::AL,
            cl => Register::CL,
            ax => Register::AX,
            eax => Register::EAX,
            rax => Register::RAX,
            _ => Register::None,
        };
        if register != Register::None {
            instruction.set_op_kind(operand, OpKind::Register);
            instruction.set_op_register(operand, register);
            continue;
        }
        let kind = match kind {
            imm8 => OpKind::Immediate8,
            imm8sex16 => OpKind::Immediate8to16,
            imm8sex32 => OpKind::Immediate8to32,
            imm8sex64 => OpKind::Immediate8to64,
            imm16 => OpKind::Immediate16,
            imm32 => OpKind::Immediate32,
            imm32sex64 => OpKind::Immediate32to64,
            imm64 => OpKind::Immediate64,
            imm8_const_1 => {
                instruction.set_op_kind(operand, OpKind::Immediate8);
                instruction.set_immediate8(1);
                continue;
            }
            _ => return Option::None,
        };
        instruction.set_op_kind(operand, kind);
        let name = format!("{:?}", info.mnemonic()).to_lowercase();
        let bits = random.bits();
        match kind {
            OpKind::Immediate8 => {
                // The other bits are reserved.
                let used = if name.contains("cmp") {
                    if info.encoding() == EncodingKind::Legacy || name.contains("pcmp") {
                        7
                    } else {
                        31
                    }
                } else if name.contains("round") {
                    15
                } else {
                    255
                };
                instruction.set_immediate8(bits as u8 & used);
            }
            OpKind::Immediate8to16 => instruction.set_immediate8to16((bits as i8).into()),
            OpKind::Immediate8to32 => instruction.set_immediate8to32((bits as i8).into()),
            OpKind::Immediate8to64 => instruction.set_immediate8to64((bits as i8).into()),
            OpKind::Immediate16 => instruction.set_immediate16(bits as u16),
            OpKind::Immediate32 => instruction.set_immediate32(bits as u32),
            OpKind::Immediate32to64 => instruction.set_immediate32to64((bits as i32).into()),
            _ => instruction.set_immediate64(bits),
        }
    }
    if variant.is_masked {
        instruction.set_op_mask(Register::K1 + random.below(7) as u32);
        instruction.set_zeroing_masking(variant.is_zeroing);
    }
    Some(instruction)
}

/// A random word, often a special case of arithmetic.
fn word(random: &mut Random) -> u64 {
    const SINGLE: [u32; 16] = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffc1_2345,
        0x7f81_2345,
        0x0000_0001,
        0x807f_ffff,
        0x7f7f_ffff,
        0x4f00_0000,
        0xcf00_0000,
        0x3f00_0000,
        0x4020_0000,
    ];
    const DOUBLE: [u64; 14] = [
        0,
        1 << 63,
        0x3ff0_0000_0000_0000,
        0xbff8_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_1234,
        0xfff4_0000_2000_0000,
        0x7ff0_0000_0000_0001,
        1,
        0x7fef_ffff_ffff_ffff,
        0x41e0_0000_0000_0000,
        0xc1e0_0000_0010_0000,
        0x43e0_0000_0000_0000,
    ];
    let mut single = || {
        let special = SINGLE[random.below(16)];
        let any = random.bits() as u32;
        // A number of ordinary size.
        let usual = ((any % 20001) as f32 / 8.0 - 1250.0).to_bits();
        [special, any, usual, any >> 24, u32::MAX * (any & 1)][(random.bits() % 5) as usize]
    };
    let (low, high) = (single(), single());
    match random.below(4) {
        0 => DOUBLE[random.below(14)],
        1 => (f64::from(random.bits() as i32) / 64.0).to_bits(),
        _ => u64::from(high) << 32 | u64::from(low),
    }
}

pub(crate) fn state(random: &mut Random) -> Box<State> {
    let mut state = Box::new(State {
        vectors: [[0; 8]; 32],
        scratch: [0; SCRATCH / 8],
        masks: [0; 8],
        general: [0; 16],
        // Bit 1 is always set; bit 9 allows interrupts.
        flags: 0x202 | random.bits() & 0x8c5,
    });
    let State { vectors, scratch, masks, general, .. } = &mut *state;
    if has_wide_registers() {
        vectors.iter_mut().flatten().for_each(|w| *w = word(random));
        masks.iter_mut().for_each(|w| *w = random.bits());
    } else {
        vectors[..16].iter_mut().flat_map(|v| &mut v[..4]).for_each(|w| *w = word(random));
    }
    scratch.iter_mut().for_each(|w| *w = word(random));
    general.iter_mut().for_each(|w| *w = word(random));
    // Sometimes with equal operands.
    if random.below(4) == 0 {
        vectors[1..16].iter_mut().for_each(|v| *v = vectors_first(v, random));
    }
    state
}

/// Turns words into indices of words in the scratch memory, relative to its 16th word.
fn near(vector: &mut [u64; 8]) {
    let index = |word: u32| u64::from((word % (SCRATCH as u32 / 4)).wrapping_sub(16));
    for word in vector {
        *word = index((*word >> 32) as u32) << 32 | index(*word as u32) & u64::from(u32::MAX);
    }
}

fn vectors_first(vector: &[u64; 8], random: &mut Random) -> [u64; 8] {
    if random.below(2) == 0 {
        *vector
    } else {
        vector.map(|w| if w >> 63 == 1 { u64::MAX } else { 0 })
    }
}

/// The state after executing an instruction in the evaluator, with the scratch memory at that address.
pub(crate) fn evaluate(
    bytes: &[u8],
    before: &State,
    address: u64,
) -> Result<Machine<'static>, String> {
    let scratch = before.scratch.iter().flat_map(|w| w.to_le_bytes()).collect();
    let scratch = Region::constant("scratch", address, scratch).writable();
    let mut machine = Machine::new(Memory::new(vec![scratch]));
    machine.general = before.general.map(Bits::known);
    machine.general[14] = Bits::known(address);
    machine.masks = before.masks.map(Bits::known);
    for (vector, &value) in machine.vectors.iter_mut().zip(&before.vectors) {
        *vector = Vector { value, undefined: [0; 8] };
    }
    machine.flags = lambdav_machine_code::flags::Flags {
        carry: Flag::Is(before.flags & 1 != 0),
        parity: Flag::Is(before.flags & 4 != 0),
        zero: Flag::Is(before.flags & 0x40 != 0),
        sign: Flag::Is(before.flags & 0x80 != 0),
        overflow: Flag::Is(before.flags & 0x800 != 0),
    };
    let code = lambdav_machine_code::Code::new(0x1000, bytes.to_vec());
    machine.execute(&code, 0x1000).map_err(|fault| fault.to_string())?;
    Ok(machine)
}

/// True for fused multiplication and addition.
fn is_fused(bytes: &[u8]) -> bool {
    let mnemonic = Decoder::new(64, bytes, DecoderOptions::NONE).decode().mnemonic();
    let name = format!("{mnemonic:?}").to_lowercase();
    name.starts_with("vfm") || name.starts_with("vfnm")
}

/// True if two quadwords are equal as one binary64 or as two binary32 numbers; all NaNs are equal.
fn same_numbers(a: u64, b: u64) -> bool {
    let halves = |word: u64| [word as u32, (word >> 32) as u32];
    f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan() || same_words(&halves(a), &halves(b))
}

/// Compares the evaluator with the processor on one instruction. `adjust` changes the processor's result
/// before the comparison. The error describes the first difference.
pub(crate) fn compare(
    bytes: &[u8],
    native: &Native,
    before: &State,
    adjust: impl FnOnce(&mut State),
) -> Result<(), String> {
    let mut after = Box::new(before.clone());
    let address = after.scratch.as_ptr() as u64;
    native.run(&mut after);
    adjust(&mut after);
    let machine = evaluate(bytes, before, address)?;
    // Processors differ in which of several NaNs is propagated.
    let any_nan = is_fused(bytes);
    let differs = |what: String, found: Bits, expected: u64| {
        if found == Bits::known(expected) {
            return Ok(());
        }
        Err(format!("{what}: processor {expected:#018x}, evaluator {found:x?}"))
    };
    for k in (0..16).filter(|k| ![4, 15].contains(k)) {
        differs(format!("general {k}"), machine.general[k], after.general[k])?;
    }
    for (k, bits) in machine.masks.into_iter().enumerate() {
        differs(format!("k{k}"), bits, after.masks[k])?;
    }
    let words = if has_wide_registers() { 8 } else { 4 };
    for (k, vector) in machine.vectors.iter().enumerate() {
        for word in 0..words {
            let (found, expected) = (vector.lane(64, word), after.vectors[k][word]);
            if any_nan && found.get(64).is_some_and(|found| same_numbers(found, expected)) {
                continue;
            }
            differs(format!("vector {k}, quadword {word}"), found, expected)?;
        }
    }
    for (k, &expected) in after.scratch.iter().enumerate() {
        let found = machine.memory.region("scratch").get(8 * k, 8);
        differs(format!("memory, quadword {k}"), found, expected)?;
    }
    let flags = machine.flags;
    for (name, flag, bit) in [
        ("CF", flags.carry, 0),
        ("PF", flags.parity, 2),
        ("ZF", flags.zero, 6),
        ("SF", flags.sign, 7),
        ("OF", flags.overflow, 11),
    ] {
        let expected = after.flags >> bit & 1 == 1;
        if flag != Flag::Undefined && flag != Flag::Is(expected) {
            return Err(format!("{name}: processor {expected}, evaluator {flag:?}"));
        }
    }
    Ok(())
}

#[test]
fn forms_are_executed_as_by_the_processor() {
    assert!(is_x86_feature_detected!("avx"), "states are loaded by instructions of AVX");
    let mut random = Random::new(20_261_122);
    let (mut compared, mut wrong) = (0, Vec::new());
    let mut absent = BTreeSet::new();
    for code in Code::values() {
        let info = code.op_code();
        let mnemonic = code.mnemonic();
        let is_known = is_vector_instruction(mnemonic) || GENERAL.contains(&mnemonic);
        let encodings = [EncodingKind::Legacy, EncodingKind::VEX, EncodingKind::EVEX];
        // The product of two registers goes to a register pair, which is not supported.
        let is_known = is_known && !(mnemonic == Mnemonic::Imul && info.op_count() == 1);
        // The result of a 16-bit double shift may be undefined.
        let is_double_shift = matches!(mnemonic, Mnemonic::Shld | Mnemonic::Shrd);
        let is_known = is_known && !(is_double_shift && info.operand_size() == 16);
        if !is_known || !info.mode64() || !encodings.contains(&info.encoding()) {
            continue;
        }
        let features: Option<Vec<bool>> =
            code.cpuid_features().iter().map(|&feature| is_detected(feature)).collect();
        let Some(features) = features else { continue };
        if instruction(code, Variant::default(), &mut random).is_none() {
            continue;
        }
        if features.contains(&false) {
            absent.insert(format!("{mnemonic:?}").to_lowercase());
            continue;
        }
        for variant in Variant::all(code) {
            for _ in 0..4 {
                let Some(instruction) = instruction(code, variant, &mut random) else { continue };
                // A gather's registers must be different.
                let indices = instruction.memory_index();
                let of_gather = indices.is_vector_register().then(|| {
                    let operands = (0..instruction.op_count()).map(|k| instruction.op_register(k));
                    let mut numbers: Vec<usize> = operands
                        .chain([indices])
                        .filter(|register| register.is_vector_register())
                        .map(|register| register.number())
                        .collect();
                    let count = numbers.len();
                    numbers.sort_unstable();
                    numbers.dedup();
                    (numbers.len() == count).then_some(indices.number())
                });
                if of_gather == Some(None) {
                    continue;
                }
                let mut encoder = Encoder::new(64);
                let encoded = encoder.encode(&instruction, 0x1000);
                // Some registers cannot be combined, such as upper bytes with extended registers.
                if encoded.is_err() {
                    continue;
                }
                let (bytes, native) = (encoder.take_buffer(), Native::new(instruction));
                compared += 1;
                let found = (0..12).find_map(|_| {
                    let mut state = state(&mut random);
                    if let Some(Some(indices)) = of_gather {
                        near(&mut state.vectors[indices]);
                    }
                    compare(&bytes, &native, &state, |_| {}).err()
                });
                if let Some(found) = found {
                    wrong.push(format!("{instruction} ({code:?}): {found}"));
                    break;
                }
            }
        }
    }
    println!("{compared} instructions compared");
    println!("this processor has not: {}", Vec::from_iter(absent).join(" "));
    assert!(wrong.is_empty(), "{} forms differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 2000, "{compared}");
}
