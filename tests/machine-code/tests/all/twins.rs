//! Forms of AVX-512 on processors without it.
//!
//! An unmasked instruction of up to 256 bits equals its AVX2 twin, which the processor executes. A mask
//! chooses between the new and the old lanes. A broadcast operand equals a vector operand with repeated
//! elements. A 512-bit instruction that does not cross 128-bit blocks equals the 256-bit instruction on each
//! half.

use std::collections::HashMap;

use iced_x86::{
    Code, Encoder, EncodingKind, Instruction, MemorySize, Mnemonic, OpCodeOperandKind, OpKind,
    Register,
};
use lambdav_machine_code::{Bits, is_vector_instruction};
use lambdav_test_support::Random;

use crate::forms::{Variant, compare, evaluate, instruction, is_detected, memory, state};
use crate::native::{Native, State};

/// Quadwords of the scratch memory where the memory operand lies.
const OPERAND: std::ops::Range<usize> = 8..16;

/// All forms, by mnemonic, encoding and operand kinds.
fn by_operands() -> HashMap<(Mnemonic, EncodingKind, Vec<OpCodeOperandKind>), Code> {
    let all = Code::values().filter(|code| is_vector_instruction(code.mnemonic()));
    let key = |code: Code| {
        let info = code.op_code();
        (code.mnemonic(), info.encoding(), info.op_kinds().to_vec())
    };
    // Forms that differ only in an ignored bit count as one.
    let all = all.filter(|code| code.op_code().mode64() && code.op_code().w() == 0);
    let mut forms: HashMap<_, _> = all.map(|code| (key(code), code)).collect();
    let all = Code::values().filter(|code| is_vector_instruction(code.mnemonic()));
    for code in all.filter(|code| code.op_code().mode64()) {
        forms.entry(key(code)).or_insert(code);
    }
    forms
}

/// The same operands in another form, without mask and broadcast.
fn twin(of: &Instruction, code: Code) -> Instruction {
    let mut twin = *of;
    twin.set_code(code);
    twin.set_is_broadcast(false);
    twin.set_op_mask(Register::None);
    twin.set_zeroing_masking(false);
    twin
}

/// Fills the memory operand with copies of its first element.
fn repeat(state: &mut State, bytes: usize) {
    let first = state.scratch[OPERAND.start];
    let word = if bytes == 4 { first & 0xffff_ffff | first << 32 } else { first };
    state.scratch[OPERAND].fill(word);
}

/// Applies the write mask to a result.
fn under_mask(before: &State, after: &mut State, instruction: &Instruction, bytes: usize) {
    let register = instruction.op0_register().number();
    let mask = before.masks[instruction.op_mask().number()];
    for lane in 0..instruction.op0_register().size() / bytes {
        let (word, shift) = (lane * bytes / 8, lane * bytes % 8 * 8);
        let ones = if bytes == 8 { u64::MAX } else { 0xffff_ffff << shift };
        if mask >> lane & 1 == 0 {
            let kept =
                if instruction.zeroing_masking() { 0 } else { before.vectors[register][word] };
            let to = &mut after.vectors[register][word];
            *to = *to & !ones | kept & ones;
        }
    }
}

fn encode(instruction: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(instruction, 0x1000).ok().map(|_| encoder.take_buffer())
}

#[test]
fn masks_and_repeated_operands() {
    let mut random = Random::new(512);
    let forms = by_operands();
    let (mut compared, mut wrong) = (0, Vec::new());
    for code in Code::values() {
        let info = code.op_code();
        let key = (code.mnemonic(), EncodingKind::VEX, info.op_kinds().to_vec());
        let is_evex = info.encoding() == EncodingKind::EVEX;
        let Some(&older) = forms.get(&key).filter(|_| is_evex) else { continue };
        if !older.cpuid_features().iter().all(|&feature| is_detected(feature) == Some(true)) {
            continue;
        }
        // A mask counts lanes of the result. For conversions the lane's width is not known here.
        let size = info.broadcast_memory_size();
        let name = format!("{:?}", code.mnemonic()).to_lowercase();
        let converts = name.starts_with("vcvt") && name.contains("pd");
        for variant in Variant::all(code) {
            if variant.is_masked && (converts || size == MemorySize::Unknown) {
                continue;
            }
            for _ in 0..4 {
                let Some(newer) = instruction(code, variant, &mut random) else { continue };
                let older = twin(&newer, older);
                // The upper 16 registers have no twin.
                let high =
                    |k| newer.op_kind(k) == OpKind::Register && newer.op_register(k).number() > 15;
                if (0..newer.op_count()).any(high) {
                    continue;
                }
                let Some(bytes) = encode(&newer) else { continue };
                let native = Native::new(older);
                compared += 1;
                let found = (0..12).find_map(|_| {
                    let mut before = state(&mut random);
                    before.masks.iter_mut().for_each(|mask| *mask = random.bits());
                    if variant.is_broadcast {
                        repeat(&mut before, size.size());
                    }
                    let adjust = |after: &mut State| {
                        // The twin does not have the masks.
                        after.masks = before.masks;
                        if variant.is_masked {
                            under_mask(&before, after, &newer, size.size());
                        }
                    };
                    compare(&bytes, &native, &before, adjust).err()
                });
                if let Some(found) = found {
                    wrong.push(format!("{newer} ({code:?}): {found}"));
                    break;
                }
            }
        }
    }
    println!("{compared} instructions of AVX-512 compared with their twins");
    assert!(wrong.is_empty(), "{} forms differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 1000, "{compared}");
}

/// The operand kind of half the width.
fn half(kind: OpCodeOperandKind) -> OpCodeOperandKind {
    use OpCodeOperandKind as Kind;
    match kind {
        Kind::zmm_reg => Kind::ymm_reg,
        Kind::zmm_vvvv => Kind::ymm_vvvv,
        Kind::zmm_or_mem => Kind::ymm_or_mem,
        Kind::zmm_rm => Kind::ymm_rm,
        kind => kind,
    }
}

/// A state with the upper halves of registers, masks and the memory operand moved down.
fn upper(state: &State, lanes: usize) -> Box<State> {
    let mut upper = Box::new(state.clone());
    for (vector, from) in upper.vectors.iter_mut().zip(&state.vectors) {
        vector[..4].copy_from_slice(&from[4..]);
    }
    upper.scratch[8..12].copy_from_slice(&state.scratch[12..16]);
    upper.masks.iter_mut().for_each(|mask| *mask >>= lanes);
    upper
}

#[test]
fn halves_of_512_bits() {
    let mut random = Random::new(513);
    let forms = by_operands();
    let (mut compared, mut wrong) = (0, Vec::new());
    for code in Code::values() {
        let info = code.op_code();
        let kinds: Vec<_> = info.op_kinds().iter().map(|&kind| half(kind)).collect();
        let is_wide = info.encoding() == EncodingKind::EVEX && kinds != info.op_kinds();
        let key = (code.mnemonic(), EncodingKind::EVEX, kinds);
        let Some(&narrow) = forms.get(&key).filter(|_| is_wide) else { continue };
        let name = format!("{:?}", code.mnemonic()).to_lowercase();
        // These cross halves, or use other bits of the immediate in each half.
        let crosses = ["vperm", "vpbroadcast", "vbroadcast", "valign", "vshuf", "vpmovm"];
        let is_masks = info.op_kinds().contains(&OpCodeOperandKind::k_reg);
        let bytes = info.broadcast_memory_size().size();
        if crosses.iter().any(|prefix| name.starts_with(prefix)) || is_masks || bytes == 0 {
            continue;
        }
        for variant in Variant::all(code) {
            for _ in 0..4 {
                let Some(wide) = instruction(code, variant, &mut random) else { continue };
                let mut of_half = wide;
                of_half.set_code(narrow);
                for operand in 0..wide.op_count() {
                    if wide.op_kind(operand) == OpKind::Register
                        && wide.op_register(operand).is_zmm()
                    {
                        let number = wide.op_register(operand).number() as u32;
                        of_half.set_op_register(operand, Register::YMM0 + number);
                    }
                }
                let (Some(wide_bytes), Some(half_bytes)) = (encode(&wide), encode(&of_half)) else {
                    continue;
                };
                compared += 1;
                let mut check = || -> Result<(), String> {
                    let mut low = state(&mut random);
                    let high = state(&mut random);
                    for (vector, from) in low.vectors.iter_mut().zip(&high.vectors) {
                        vector[4..].copy_from_slice(&from[..4]);
                    }
                    low.masks.iter_mut().for_each(|mask| *mask = random.bits());
                    if variant.is_broadcast {
                        repeat(&mut low, bytes);
                    }
                    let high = upper(&low, 32 / bytes);
                    let address = low.scratch.as_ptr() as u64;
                    let whole = evaluate(&wide_bytes, &low, address)?;
                    let halves = [
                        evaluate(&half_bytes, &low, address)?,
                        evaluate(&half_bytes, &high, address)?,
                    ];
                    let writes = memory(info.op_kind(0)).is_some() && variant.is_memory;
                    for word in 0..8 {
                        let half = &halves[word / 4];
                        let (found, expected): (Bits, Bits) = if writes {
                            let at = |offset| 8 * (OPERAND.start + offset);
                            (
                                whole.memory.region("scratch").get(at(word), 8),
                                half.memory.region("scratch").get(at(word % 4), 8),
                            )
                        } else {
                            let register = wide.op0_register().number();
                            (
                                whole.vectors[register].lane(64, word),
                                half.vectors[register].lane(64, word % 4),
                            )
                        };
                        if found != expected {
                            return Err(format!("quadword {word}: {found:x?}, not {expected:x?}"));
                        }
                    }
                    Ok(())
                };
                if let Some(found) = (0..12).find_map(|_| check().err()) {
                    wrong.push(format!("{wide} ({code:?}): {found}"));
                    break;
                }
            }
        }
    }
    println!("{compared} instructions of 512 bits compared with two of 256");
    assert!(wrong.is_empty(), "{} forms differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 500, "{compared}");
}
