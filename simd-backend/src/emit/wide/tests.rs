//! Compares the encoder with an independent decoder.

use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, Formatter as _, MemorySizeOptions, NasmFormatter,
    NumberBase,
};

use super::instruction::{Hardware, Instruction, Mem, RSP, Rm};
use super::isa::{Condition, Feature, Field, Form, OPS, Opcode, Size, TextOperand, Tuple};
use super::machine::Wide;

/// The text of the only instruction in `bytes`, as another disassembler writes it, and the features
/// that it needs.
fn decode(bytes: &[u8]) -> (String, Vec<CpuidFeature>) {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    let decoded = decoder.decode();
    assert_eq!(decoded.len(), bytes.len(), "{bytes:02x?} is {decoded:?}");
    let mut formatter = NasmFormatter::new();
    let options = formatter.options_mut();
    options.set_memory_size_options(MemorySizeOptions::Never);
    options.set_number_base(NumberBase::Decimal);
    options.set_signed_immediate_operands(true);
    options.set_space_after_operand_separator(true);
    options.set_rip_relative_addresses(true);
    options.set_use_pseudo_ops(false);
    options.set_show_useless_prefixes(true);
    let mut text = String::new();
    formatter.format(&decoded, &mut text);
    (text, decoded.cpuid_features().to_vec())
}

fn feature(of: CpuidFeature) -> Feature {
    match of {
        CpuidFeature::AVX => Feature::Avx,
        CpuidFeature::AVX2 => Feature::Avx2,
        CpuidFeature::FMA => Feature::Fma,
        CpuidFeature::AVX512F => Feature::F,
        CpuidFeature::AVX512DQ => Feature::Dq,
        CpuidFeature::AVX512VL => Feature::Vl,
        CpuidFeature::AVX512BW => Feature::Bw,
        CpuidFeature::AVX512_VBMI2 => Feature::Vbmi2,
        CpuidFeature::INTEL8086
        | CpuidFeature::INTEL386
        | CpuidFeature::X64
        | CpuidFeature::CMOV => Feature::Base,
        other => panic!("{other:?}"),
    }
}

/// The operand sizes of an instruction.
fn sizes(op: Opcode) -> Vec<Size> {
    let row = op.row();
    let has = |kind| row.operands.iter().any(|&(_, of)| of == kind);
    match row.form {
        Form::Legacy if has(TextOperand::B) || has(TextOperand::D) => vec![Size::B32],
        Form::Legacy
            if matches!(op, Opcode::Push | Opcode::Pop | Opcode::CallAddress | Opcode::Return) =>
        {
            vec![Size::B64]
        }
        Form::Legacy if op == Opcode::Lea => vec![Size::B64],
        Form::Legacy => vec![Size::B32, Size::B64],
        _ if has(TextOperand::G) => vec![Size::B64],
        _ if has(TextOperand::D) => vec![Size::B32],
        _ if matches!(op, Opcode::Extract256 | Opcode::Insert256) => vec![Size::B512],
        Form::Vex if op == Opcode::Permute128 => vec![Size::B256],
        _ if matches!(op, Opcode::Extract128 | Opcode::Insert128 | Opcode::Shuffle128) => {
            vec![Size::B256, Size::B512]
        }
        _ if matches!(op, Opcode::BroadcastSd | Opcode::PermuteD | Opcode::PermuteQ) => {
            vec![Size::B256, Size::B512]
        }
        Form::Vex if has(TextOperand::V) => vec![Size::B128, Size::B256],
        _ if has(TextOperand::V) => vec![Size::B128, Size::B256, Size::B512],
        _ => vec![Size::B128],
    }
}

/// Forms of an instruction: low and high registers, small and large displacements.
fn forms(op: Opcode, size: Size) -> Vec<Instruction<Hardware>> {
    let row = op.row();
    let kind = |field| row.operands.iter().find(|&&(of, _)| of == field).map(|&(_, kind)| kind);
    let most = |kind| match kind {
        TextOperand::K => 8,
        TextOperand::G | TextOperand::D | TextOperand::B => 16,
        _ if row.form == Form::Vex || row.form == Form::Legacy => 16,
        _ => 32,
    };
    // Each field names another register.
    let number = |field: Field, turn: u8| {
        kind(field).map(|kind| (turn * 7 + field as u8 * 3 + 1) % most(kind))
    };
    let mut found = Vec::new();
    let vector = |field| {
        matches!(
            kind(field),
            Some(TextOperand::V | TextOperand::H | TextOperand::X | TextOperand::Y)
        )
    };
    let has_rm = kind(Field::Rm).is_some();
    let indices = match kind(Field::Rm) {
        Some(TextOperand::M) if row.form == Form::Evex => 32,
        _ => 16,
    };
    for turn in 0..12 {
        let mut it = Instruction::new(op, size);
        it.reg = number(Field::Reg, turn);
        it.vvvv = number(Field::Vvvv, turn);
        it.last = number(Field::Last, turn);
        if kind(Field::Imm).is_some() {
            it.number = if op.number_bytes() == 4 { i32::from(turn) * 1000 - 2500 } else { 11 };
        }
        if matches!(op, Opcode::Set | Opcode::Cmov) {
            it.condition = Some([Condition::Below, Condition::Greater][usize::from(turn % 2)]);
        }
        if !has_rm {
            found.push(it);
            continue;
        }
        let in_memory = ![
            Opcode::FromGeneralK,
            Opcode::ToGeneralK,
            Opcode::AndK,
            Opcode::AndNotK,
            Opcode::NotK,
            Opcode::OrK,
            Opcode::XnorK,
            Opcode::XorK,
            Opcode::UnpackK,
            Opcode::TestK16,
            Opcode::TestK8,
            Opcode::ShiftRightK16,
            Opcode::ShiftRightK8,
            Opcode::ShiftLeftK8,
            Opcode::SignsToK,
            Opcode::KToSigns,
        ]
        .contains(&op);
        // Shifts by an immediate have memory operands in EVEX only.
        let in_memory = in_memory && !(row.digit.is_some() && row.form == Form::Both);
        let in_register = !matches!(
            op,
            Opcode::Gather
                | Opcode::GatherK
                | Opcode::ScatterK
                | Opcode::LoadSs
                | Opcode::LoadSd
                | Opcode::LoadHigh
                | Opcode::StoreSs
                | Opcode::StoreSd
                | Opcode::StoreK
                | Opcode::Lea
                | Opcode::MovToMemory
        );
        if in_register {
            it.rm = number(Field::Rm, turn).map(Rm::Reg);
            found.push(it);
            let masks = matches!(row.form, Form::Evex)
                || matches!(
                    op,
                    Opcode::Move | Opcode::MoveAPd | Opcode::AddPs | Opcode::MulPd | Opcode::PsToD
                );
            if masks
                && kind(Field::Reg).is_some()
                && !matches!(op, Opcode::KToSigns | Opcode::SignsToK)
            {
                let masked = Instruction { mask: Some(turn % 7 + 1), ..it };
                found.push(masked);
                if vector(Field::Reg) && matches!(row.operands[0], (Field::Reg, _)) {
                    found.push(Instruction { zeroing: true, ..masked });
                }
            }
        }
        if matches!(op, Opcode::GatherK | Opcode::ScatterK) {
            it.mask = Some(turn % 7 + 1);
        }
        if in_memory {
            // (The stack pointer cannot be an index.)
            let index = (turn * 7 + 11) % indices;
            if index != RSP || kind(Field::Rm) == Some(TextOperand::M) {
                for offset in [0, 4, 100, 508, 512, 4096, -4, -512, -516] {
                    it.rm = Some(Rm::Mem(Mem::word((turn * 5 + 2) % 16, index, offset)));
                    found.push(it);
                }
            }
        }
        if op == Opcode::Store {
            // Masked stores.
            it.rm = Some(Rm::Mem(Mem::at((turn * 5 + 2) % 16, 64)));
            found.push(Instruction { mask: Some(turn % 7 + 1), ..it });
        }
        if in_memory && kind(Field::Rm) != Some(TextOperand::M) {
            for offset in
                [0, 1, 8, 64, 100, 127, 128, 1024, 4096, 8128, 8192, -64, -8192, -8256, -128]
            {
                it.rm = Some(Rm::Mem(Mem::at((turn * 5 + 2) % 16, offset)));
                found.push(it);
            }
            if matches!(row.form, Form::Both | Form::Evex)
                && row.tuple.element().is_some()
                && matches!(row.tuple, Tuple::Full(_) | Tuple::Half(_))
            {
                for offset in [0, 4, 8, 508, 512, 1016, 1020, 1024, -512, -516] {
                    it.rm = Some(Rm::Mem(Mem::at((turn * 5 + 2) % 16, offset)));
                    found.push(Instruction { broadcast: true, ..it });
                }
            }
            it.rm = Some(Rm::Mem(Mem::constant(0)));
            it.broadcast = false;
            found.push(it);
        }
    }
    found
}

/// For each row of the table, the bytes decode to its text, and the decoder demands the features of
/// the row.
#[test]
fn what_is_encoded_is_what_is_meant() {
    let mut count = 0;
    for &op in OPS {
        for size in sizes(op) {
            for it in forms(op, size) {
                let mut bytes = Vec::new();
                let constant = it.encode(&mut bytes);
                let (found, features) = decode(&bytes);
                let meant = match constant {
                    Some(_) => it.to_string().replace("constant0", "rip"),
                    None => it.to_string(),
                };
                let normal = |text: &str| text.replace(' ', "").replace("near", "");
                assert_eq!(normal(&found), normal(&meant), "{bytes:02x?}: {it:?}");
                let needs = op.row().features[usize::from(it.is_evex())];
                for of in features {
                    let has = |of| needs.contains(&of);
                    // AVX2 and FMA imply AVX.
                    let implied =
                        feature(of) == Feature::Avx && (has(Feature::Avx2) || has(Feature::Fma));
                    assert!(implied || has(feature(of)), "{it} needs {of:?}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 10_000, "{count} instructions");
}

/// Rows need only features of their machines: the VEX form of a row that also has an EVEX form
/// needs no more than AVX2 and FMA.
#[test]
fn rows_are_of_machines() {
    for &op in OPS {
        let row = op.row();
        let all = Wide::Avx512.features();
        assert!(row.features.iter().flat_map(|of| *of).all(|of| all.contains(of)));
        if row.form == Form::Both {
            assert!(row.features[0].iter().all(|of| Wide::Avx2.features().contains(of)), "{op:?}");
        }
    }
}
