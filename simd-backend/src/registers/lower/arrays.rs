//! Arrays in memory: the places of words, and copies.
//!
//! [`Memory`](crate::lanes::memory::Memory) has chosen a place for each array. An update in another
//! place than its array's copies the array first. On an edge of the flow graph all arrays move at
//! once: copies are ordered so that each place is read before it is overwritten, and a cycle takes
//! memory beside the arrays.

use super::builder::{Builder, Constant};
use crate::cost;
use crate::lanes::{Kind, LaneExpr, LaneOp, LaneStatement, Rate, Space, ValueId};
use crate::registers::halves::Assemble;
use crate::registers::{ArrayPlace, Instr, Reg, RegisterType};

/// A place in memory for an array.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    first: u32,
    words: u32,
}

impl Builder<'_> {
    fn slot_of(&self, array: ValueId) -> Slot {
        let words = self.program.kind(array).words().expect("it is an array");
        Slot { first: self.memory.first(array), words }
    }

    fn place(&self, slot: Slot, first: u32, index: Option<Reg>, register: usize) -> ArrayPlace {
        let Slot { first: array, words } = slot;
        ArrayPlace { array, words, first, index, register: register as u32 }
    }

    /// The place of the words of a register's lanes.
    fn place_of(
        &mut self,
        array: ValueId,
        first: u32,
        index: Option<ValueId>,
        register: usize,
    ) -> ArrayPlace {
        let index = index.map(|index| match self.program.rate(index).is_uniform() {
            true => self.fit_one(index, Rate::GROUP, 0),
            false => self.fit_one(index, Rate::VARYING, register),
        });
        self.place(self.slot_of(array), first, index, register)
    }

    /// Loads the words of a register's lanes.
    pub(super) fn at(
        &mut self,
        kind: Kind,
        array: ValueId,
        first: u32,
        index: Option<ValueId>,
        register: usize,
    ) -> Reg {
        let place = self.place_of(array, first, index, register);
        let reg = self.reg(self.type_of(kind, Rate::VARYING));
        self.push(Instr::LoadArray(reg, place));
        reg
    }

    /// Stores one register of an array: all words of a new array, or the one word of an update.
    pub(super) fn store_words(&mut self, array: ValueId, expr: &LaneExpr, register: usize) {
        match expr {
            LaneExpr::Array(words) => {
                for (first, &word) in words.iter().enumerate() {
                    let place = self.place_of(array, first as u32, None, register);
                    let word = self.fit_one(word, Rate::VARYING, register);
                    self.push(Instr::StoreArray { place, word, mask: None });
                }
            }
            LaneExpr::Put { first, index, word, mask, .. } => {
                let place = self.place_of(array, *first, *index, register);
                let word = self.fit_one(*word, Rate::VARYING, register);
                let mask = mask.map(|mask| self.fit_one(mask, Rate::VARYING, register));
                self.push(Instr::StoreArray { place, word, mask });
            }
            _ => {}
        }
    }

    /// True if a statement copies a whole array.
    pub(super) fn is_bulk(&self, statement: &LaneStatement) -> bool {
        let LaneStatement::Let { value, expr } = statement else { return false };
        match expr {
            LaneExpr::Put { array, .. } => self.slot_of(*array) != self.slot_of(*value),
            LaneExpr::Table(_) | LaneExpr::Merge(..) => true,
            _ => false,
        }
    }

    /// Makes the copy of such a statement.
    pub(super) fn bulk(&mut self, value: ValueId, expr: &LaneExpr) {
        let to = self.slot_of(value);
        match *expr {
            LaneExpr::Put { array, .. } => self.copy(self.slot_of(array), to),
            LaneExpr::Table(first) => {
                self.each_word(to.words, |s, word, index| {
                    let from = s.reg(RegisterType::Scalar(Kind::I32));
                    s.push(match index {
                        None => Instr::Input(from, first + word),
                        Some(index) => Instr::Load(from, Space::Inputs, first, index),
                    });
                    let ty = s.type_of(Kind::I32, Rate::VARYING);
                    let lanes = if s.ty(from) == ty { from } else { s.broadcast(from, ty) };
                    for register in 0..s.shape.registers(Rate::VARYING) {
                        let place = s.place(to, word, index, register);
                        s.push(Instr::StoreArray { place, word: lanes, mask: None });
                    }
                });
            }
            LaneExpr::Merge(mask, arrays) => {
                let from = arrays.map(|array| self.slot_of(array));
                self.each_word(to.words, |s, word, index| {
                    for register in 0..s.shape.registers(Rate::VARYING) {
                        let mask = s.fit_one(mask, Rate::VARYING, register);
                        let [a, b] = from.map(|from| s.word(from, word, index, register));
                        let ty = s.ty(a);
                        let merged = s.op(ty, LaneOp::Select, &[mask, a, b]);
                        let place = s.place(to, word, index, register);
                        s.push(Instr::StoreArray { place, word: merged, mask: None });
                    }
                });
            }
            _ => unreachable!("it copies nothing"),
        }
    }

    fn word(&mut self, from: Slot, word: u32, index: Option<Reg>, register: usize) -> Reg {
        let place = self.place(from, word, index, register);
        let reg = self.reg(self.type_of(Kind::I32, Rate::VARYING));
        self.push(Instr::LoadArray(reg, place));
        reg
    }

    fn copy(&mut self, from: Slot, to: Slot) {
        self.each_word(to.words, |s, word, index| {
            for register in 0..s.shape.registers(Rate::VARYING) {
                let lanes = s.word(from, word, index, register);
                let place = s.place(to, word, index, register);
                s.push(Instr::StoreArray { place, word: lanes, mask: None });
            }
        });
    }

    /// Calls `with` for each of `words` words: with its number, or in a loop with an index.
    fn each_word(&mut self, words: u32, mut with: impl FnMut(&mut Self, u32, Option<Reg>)) {
        if words <= cost::UNROLLED_WORDS {
            for word in 0..words {
                with(self, word, None);
            }
            return;
        }
        let (count, flag) = (RegisterType::Scalar(Kind::I32), RegisterType::Scalar(Kind::Mask));
        let [header, again, done] = [(); 3].map(|()| self.reserve());
        let zero = self.constant(count, 0);
        self.jump(header, vec![zero]);

        let word = self.reg(count);
        self.begin(header, vec![word]);
        let last = self.constant(count, u64::from(words - 1));
        // The index never exceeds `last`; the minimum shows that to the verifier.
        let index = self.op(count, LaneOp::MinUnsigned, &[word, last]);
        with(self, 0, Some(index));
        let is_last = self.op(flag, LaneOp::Equal, &[word, last]);
        self.branch(is_last, done, again);

        self.begin(again, Vec::new());
        let one = self.constant(count, 1);
        let next = self.op(count, LaneOp::Add, &[word, one]);
        self.jump(header, vec![next]);

        self.begin(done, Vec::new());
    }

    /// Moves arrays to others in parallel.
    pub(super) fn pass_arrays(&mut self, from: &[ValueId], to: &[ValueId]) {
        let mut left: Vec<[Slot; 2]> = Vec::new();
        for (&from, &to) in from.iter().zip(to) {
            let is_array = self.program.kind(to).words().is_some();
            if is_array && !matches!(self.constants.get(&from), Some(Constant::Undefined)) {
                let pair = [from, to].map(|array| self.slot_of(array));
                left.extend((pair[0] != pair[1]).then_some(pair));
            }
        }
        while !left.is_empty() {
            let is_read = |slot: Slot| left.iter().any(|[from, _]| from.first == slot.first);
            if let Some(at) = left.iter().position(|&[_, to]| !is_read(to)) {
                let [from, to] = left.swap_remove(at);
                self.copy(from, to);
                continue;
            }
            // A cycle: one array moves to the memory beside.
            let [_, to] = left[0];
            let words = left.iter().map(|[_, to]| to.words).max().unwrap_or(0);
            self.beside = self.beside.max(words);
            let beside = Slot { first: self.memory.words, words: to.words };
            self.copy(to, beside);
            for [from, _] in left.iter_mut().filter(|[from, _]| from.first == to.first) {
                from.first = beside.first;
            }
        }
    }
}
