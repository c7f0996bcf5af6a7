//! A word minus its copy is zero, even where its bits are left over.

use iced_x86::Code as Form;
use iced_x86::{Encoder, Instruction, Register};
use lambdav_machine_code::{Code, Machine, Memory};

const START: u64 = 0x1000;

/// The machine after these instructions, from undefined registers on.
fn after(instructions: &[Instruction]) -> Machine<'static> {
    let mut encoder = Encoder::new(64);
    let sizes: Vec<usize> =
        instructions.iter().map(|i| encoder.encode(i, START).expect("a form")).collect();
    let code = Code::new(START, encoder.take_buffer());
    let mut machine = Machine::new(Memory::new(vec![code.region()]));
    let mut address = START;
    for size in sizes {
        machine.execute(&code, address).expect("no fault");
        address += size as u64;
    }
    machine
}

fn pair(form: Form, to: Register, from: Register) -> Instruction {
    Instruction::with2(form, to, from).expect("operands of the form")
}

/// `r11` is a truth value in its lowest byte; of the other bits, 22 and 30 are left over.
fn truth_value() -> Vec<Instruction> {
    vec![
        Instruction::with2(Form::Mov_r32_imm32, Register::EAX, 0x4040_0001).expect("a constant"),
        Instruction::with2(Form::Mov_r8_imm8, Register::R11L, 1).expect("a constant"),
        pair(Form::And_rm32_r32, Register::R11D, Register::EAX),
        pair(Form::Mov_rm64_r64, Register::RBX, Register::R11),
        Instruction::with1(Form::Neg_rm8, Register::BL).expect("one operand"),
    ]
}

#[test]
fn a_copy_is_subtracted() {
    // Every lane of a mask from a truth value: the copy minus the word, minus the borrow.
    let mut copied = truth_value();
    copied.push(pair(Form::Mov_rm64_r64, Register::RBX, Register::R11));
    copied.push(pair(Form::Sbb_rm32_r32, Register::EBX, Register::R11D));
    assert_eq!(after(&copied).general[3].get(32), Some(0xffff_ffff));
    // `rbx` is no copy once its lowest byte is negated.
    let mut changed = truth_value();
    changed.push(pair(Form::Sbb_rm32_r32, Register::EBX, Register::R11D));
    assert_eq!(after(&changed).general[3].get(32), None);
}
