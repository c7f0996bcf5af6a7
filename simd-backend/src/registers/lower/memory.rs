//! Accesses to memories.
//!
//! A load takes a register of lanes at once. A change is made lane by lane, in the order of lanes, by scalar code: two
//! lanes may change the same word. It loads the old word, applies the function, and stores the result under the mask. No
//! instruction is atomic: while a call runs, no other thread accesses a word that it changes.

use lambdav_core::memory::Atomic;

use super::builder::Builder;
use crate::lanes::{Access, Change, Kind, LaneOp, Rate, ValueId};
use crate::mutants::{Mutant, is_active};
use crate::registers::halves::Assemble;
use crate::registers::{Instr, Reg, RegisterType};

const WORD: RegisterType = RegisterType::Scalar(Kind::I32);

impl Builder<'_> {
    /// Accesses a word of a memory in each lane.
    pub(super) fn access(&mut self, value: Option<ValueId>, access: &Access) {
        let &Access { memory, index, ref change } = access;
        let rate = value.map_or(Rate::VARYING, |value| self.program.rate(value));
        let mut olds = Vec::new();
        for register in 0..self.shape.registers(rate) {
            let old = match change {
                None => {
                    let index = self.fit_one(index, rate, register);
                    let to = self.reg(self.type_of(Kind::I32, rate));
                    self.push(Instr::LoadMemory(to, memory, index));
                    to
                }
                Some(change) => {
                    let old = self.changed(memory, index, change, register, value.is_some());
                    let Some(old) = old else { continue };
                    old
                }
            };
            olds.push(old);
        }
        if let Some(value) = value {
            self.map[value.index()] = olds;
        }
    }

    /// Changes the words of a register of lanes. The old words if they are used.
    fn changed(
        &mut self,
        memory: u32,
        index: ValueId,
        change: &Change,
        register: usize,
        is_used: bool,
    ) -> Option<Reg> {
        let width = self.shape.tile.width();
        let lanes: Vec<u32> = match is_active(Mutant::ReversedLanes) {
            true => (0..width).rev().collect(),
            false => (0..width).collect(),
        };
        let mut olds = vec![Reg(0); width as usize];
        for lane in lanes {
            let index = self.lane(index, register, lane);
            let words: Vec<Reg> =
                change.words.iter().map(|&word| self.lane(word, register, lane)).collect();
            let mask = self.lane(change.mask, register, lane);
            let (mut old, mut new) = (None, words[0]);
            if is_used || change.atomic != Atomic::Exchange {
                let word = self.reg(WORD);
                self.push(Instr::LoadMemory(word, memory, index));
                new = self.applied(change.atomic, word, &words);
                old = Some(word);
            }
            self.push(Instr::StoreMemory { memory, index, word: new, mask });
            if let Some(old) = old {
                olds[lane as usize] = if is_active(Mutant::NewWord) { new } else { old };
            }
        }
        if !is_used {
            return None;
        }
        let [old] = olds[..] else {
            let to = self.reg(RegisterType::Vector(Kind::I32));
            self.push(Instr::FromLanes(to, olds.into()));
            return Some(to);
        };
        Some(old)
    }

    /// One lane of a register of a value, as a scalar.
    fn lane(&mut self, value: ValueId, register: usize, lane: u32) -> Reg {
        if self.program.rate(value).is_uniform() {
            return self.fit_one(value, Rate::GROUP, 0);
        }
        let from = self.fit_one(value, Rate::VARYING, register);
        if let RegisterType::Scalar(_) = self.ty(from) {
            return from;
        }
        let to = self.reg(RegisterType::Scalar(self.program.kind(value)));
        self.push(Instr::Lane(to, from, lane));
        to
    }

    /// The new word.
    fn applied(&mut self, atomic: Atomic, old: Reg, words: &[Reg]) -> Reg {
        let op = match atomic {
            Atomic::Add => LaneOp::Add,
            Atomic::IntMin => LaneOp::Min,
            Atomic::IntMax => LaneOp::Max,
            Atomic::UintMin => LaneOp::MinUnsigned,
            Atomic::UintMax => LaneOp::MaxUnsigned,
            Atomic::And => LaneOp::And,
            Atomic::Or => LaneOp::Or,
            Atomic::Xor => LaneOp::Xor,
            Atomic::Exchange => return words[0],
            Atomic::CompareExchange => {
                let mask = RegisterType::Scalar(Kind::Mask);
                let is_equal = self.op(mask, LaneOp::Equal, &[old, words[1]]);
                return self.op(WORD, LaneOp::Select, &[is_equal, words[0], old]);
            }
        };
        self.op(WORD, op, &[old, words[0]])
    }
}
