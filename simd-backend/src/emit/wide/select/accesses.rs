//! Stores in memories, and lanes of registers as scalars.

use regalloc2::VReg;

use super::selection::{Selection, Source, Value};
use crate::emit::abi::Field;
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Mem};
use crate::emit::wide::isa::{Condition, Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR};
use crate::lanes::{Kind, Space};
use crate::registers::Reg;

/// The number of lanes in 128 bits.
const LANES: i32 = 4;

impl Selection<'_> {
    /// Stores a word of a memory or, if the mask is false, the dropped word.
    pub(super) fn store_memory(&mut self, memory: u32, index: Reg, word: Reg, mask: Reg) {
        let base = self.words_of(Space::Resource(memory));
        let [index, word, mask] = [index, word, mask].map(|reg| self.register(reg));
        let [whole, place, to] = [(); 3].map(|()| self.temporary(GENERAL));
        // The upper half of the index register is undefined: this clears it.
        self.op2(Opcode::Mov, Size::B32, whole, Source::register(index));
        let at = Mem::word(base, Arg::Use(whole), 0);
        self.op2(Opcode::Lea, Size::B64, place, Source::memory(at));
        let dropped = self.field(Field::Dropped);
        let test = Instruction::new(Opcode::TestG, Size::B32).reg(Arg::Use(mask));
        self.push(test.rm(Arg::Use(mask)));
        let it = Instruction::new(Opcode::Cmov, Size::B64).reg(Arg::Tied(dropped, to));
        let condition = Some(Condition::NotEqual);
        self.push(Instruction { condition, ..it.rm(Arg::Use(place)) });
        let it = Instruction::new(Opcode::MovToMemory, Size::B32).reg(Arg::Use(word));
        self.push(it.mem(Mem::at(Arg::Use(to), 0)));
    }

    /// A lane of a register, as a word or a truth value.
    pub(super) fn lane(&mut self, to: Reg, from: Reg, lane: i32) {
        let from = self.register(from);
        if from.class() == MASK {
            let [all, shifted] = [(); 2].map(|()| self.temporary(GENERAL));
            let it = Instruction::new(Opcode::ToGeneralK, Size::B128);
            self.push(it.reg(Arg::Def(all)).rm(Arg::Use(from)));
            let it = Instruction::new(Opcode::Shr, Size::B32).rm(Arg::Tied(all, shifted));
            self.push(it.number(lane));
            self.last_bit(to, shifted);
            return;
        }
        let mut part = from;
        if lane >= LANES {
            part = self.temporary(VECTOR);
            let it = Instruction::new(Opcode::Extract128, self.size()).reg(Arg::Use(from));
            self.push(it.rm(Arg::Def(part)).number(lane / LANES));
        }
        let word = self.temporary(GENERAL);
        let it = Instruction::new(Opcode::ExtractD, Size::B32).reg(Arg::Use(part));
        self.push(it.rm(Arg::Def(word)).number(lane % LANES));
        self.last_bit(to, word);
    }

    /// A word, or its last bit as a truth value.
    fn last_bit(&mut self, to: Reg, word: VReg) {
        let made = self.define(to);
        if self.kind(to) == Kind::Mask {
            let it = Instruction::new(Opcode::AndNumber, Size::B32).rm(Arg::Tied(word, made));
            self.push(it.number(1));
        } else {
            self.op2(Opcode::Mov, Size::B32, made, Source::register(word));
        }
    }

    /// A register with these scalars as its lanes: four by four by interleaving, then joined.
    pub(super) fn join_lanes(&mut self, to: Reg, of: &[Reg]) {
        let words: Vec<VReg> = of.iter().map(|&reg| self.register(reg)).collect();
        let mut all: Option<VReg> = None;
        for (part, words) in (0..).zip(words.chunks(LANES as usize)) {
            let singles: Vec<VReg> = words
                .iter()
                .map(|&word| {
                    let single = self.temporary(VECTOR);
                    let it = Instruction::new(Opcode::FromGeneral32, Size::B32);
                    self.push(it.reg(Arg::Def(single)).rm(Arg::Use(word)));
                    single
                })
                .collect();
            let mut mixed = |op, x, y| {
                let to = self.temporary(VECTOR);
                self.op3(op, Size::B128, to, x, Source::register(y));
                to
            };
            let low = mixed(Opcode::UnpackLowPs, singles[0], singles[1]);
            let high = mixed(Opcode::UnpackLowPs, singles[2], singles[3]);
            let four = mixed(Opcode::UnpackLowPd, low, high);
            all = Some(match all {
                None => four,
                Some(before) => {
                    let joined = self.temporary(VECTOR);
                    let it = Instruction::new(Opcode::Insert128, self.size());
                    let it = it.reg(Arg::Def(joined)).vvvv(Arg::Use(before)).rm(Arg::Use(four));
                    self.push(it.number(part));
                    joined
                }
            });
        }
        let all = all.expect("a register has four lanes or more");
        self.values[to.index()] = Value::Register(all);
    }
}
