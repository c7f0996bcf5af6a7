//! Accesses to memories.
//!
//! A load takes a register of lanes at once. If the indices of its lanes grow by one, as they often do, it is one load of
//! a vector; if they are the same, one of a word; else a gather. A store of all lanes to indices that grow by one is one
//! store. The code tests that, since a test takes less time than the lanes one after the other. Any other change is made lane by lane, in the order of lanes, by scalar code: two
//! lanes may change the same word. It loads the old word, applies the function, and stores the result under the mask. No
//! instruction is atomic: while a call runs, no other thread accesses a word that it changes.

use lambdav_core::memory::Atomic;

use super::builder::Builder;
use crate::lanes::{Access, Change, Kind, LaneOp, Rate, ValueId};
use crate::mutants::{Mutant, is_active};
use crate::registers::halves::Assemble;
use crate::registers::{BlockId, Columns, Instr, Reg, RegisterType};

const WORD: RegisterType = RegisterType::Scalar(Kind::I32);

impl Builder<'_> {
    /// Accesses a word of a memory in each lane.
    pub(super) fn access(&mut self, value: Option<ValueId>, access: &Access) {
        let &Access { memory, index, ref change, .. } = access;
        let rate = value.map_or(Rate::VARYING, |value| self.program.rate(value));
        let mut olds = Vec::new();
        for register in 0..self.shape.registers(rate) {
            let old = match change {
                None => {
                    let index = self.fit_one(index, rate, register);
                    self.loaded(memory, index, self.type_of(Kind::I32, rate))
                }
                Some(change) if value.is_none() && self.is_of_lanes(index, change) => {
                    self.stored(memory, index, change, register);
                    continue;
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

    /// The words of a register of lanes: one load if the indices grow by one from lane to lane, or are the same.
    fn loaded(&mut self, memory: u32, index: Reg, ty: RegisterType) -> Reg {
        let load = |s: &mut Self| {
            let to = s.reg(ty);
            s.push(Instr::LoadMemory(to, memory, index));
            to
        };
        if self.ty(index) != RegisterType::Vector(Kind::I32) {
            return load(self);
        }
        let [near, other, same, far, join] = [(); 5].map(|()| self.reserve());
        self.branch_if_scattered(index, Columns::LANES, other, near);
        self.begin(near, Vec::new());
        let to = self.reg(ty);
        self.push(Instr::LoadMemoryLanes(to, memory, index));
        self.jump(join, vec![to]);
        self.begin(other, Vec::new());
        self.branch_if_scattered(index, Columns::SAME, far, same);
        self.begin(same, Vec::new());
        let [first, word] = [(); 2].map(|()| self.reg(WORD));
        self.push(Instr::Lane(first, index, 0));
        self.push(Instr::LoadMemory(word, memory, first));
        let to = self.broadcast(word, ty);
        self.jump(join, vec![to]);
        self.begin(far, Vec::new());
        self.cold = true;
        let to = load(self);
        self.jump(join, vec![to]);
        let to = self.reg(ty);
        self.begin(join, vec![to]);
        to
    }

    fn branch_if_scattered(
        &mut self,
        index: Reg,
        columns: Columns,
        then: BlockId,
        otherwise: BlockId,
    ) {
        let condition = self.reg(RegisterType::Scalar(Kind::Mask));
        self.push(Instr::Scattered(condition, index, columns));
        self.branch(condition, then, otherwise);
    }

    /// True if a change is a store of a register of lanes, at indices of their own.
    fn is_of_lanes(&self, index: ValueId, change: &Change) -> bool {
        let is_uniform = self.program.rate(index).is_uniform();
        change.atomic == Atomic::Exchange && self.shape.tile.width() > 1 && !is_uniform
    }

    /// Stores the words of a register of lanes: by one store if all lanes have their mask and the indices grow by one
    /// from lane to lane.
    fn stored(&mut self, memory: u32, index: ValueId, change: &Change, register: usize) {
        let of = [index, change.words[0], change.mask];
        let [line, words, mask] = of.map(|value| self.fit_one(value, Rate::VARYING, register));
        let [next, near, far, join] = [(); 4].map(|()| self.reserve());
        // No edge leads from a branch to a block with several predecessors.
        let [scattered, partial] = [(); 2].map(|()| self.reserve());
        self.branch_if_scattered(line, Columns::LANES, scattered, next);
        self.begin(next, Vec::new());
        let absent = self.op(RegisterType::Vector(Kind::Mask), LaneOp::Not, &[mask]);
        let condition = self.reg(RegisterType::Scalar(Kind::Mask));
        self.push(Instr::Any(condition, [absent].into()));
        self.branch(condition, partial, near);
        self.begin(near, Vec::new());
        self.push(Instr::StoreMemoryLanes { memory, index: line, words, mask });
        self.jump(if is_active(Mutant::StoredTwice) { far } else { join }, Vec::new());
        for way in [scattered, partial] {
            self.begin(way, Vec::new());
            self.cold = true;
            self.jump(far, Vec::new());
        }
        self.begin(far, Vec::new());
        self.cold = true;
        self.changed(memory, index, change, register, false);
        self.jump(join, Vec::new());
        self.begin(join, Vec::new());
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
