//! Loads and stores of arrays at indices.
//!
//! Where each lane has its own index, AVX-512 scatters under a mask. AVX2 has no scatter: it stores
//! lane by lane, and gathers first the old words for the lanes outside the mask.

use regalloc2::VReg;

use super::selection::{Selection, Source};
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Mem};
use crate::emit::wide::isa::{Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR};
use crate::lanes::Kind;
use crate::registers::{ArrayPlace, Reg, RegisterType};

/// The number of lanes in 128 bits.
const LANES: i32 = 4;

impl Selection<'_> {
    /// The place of words in an array, by an index in units of one lane's word.
    fn array_place(&self, place: &ArrayPlace, index: Option<VReg>) -> Mem<Arg> {
        let (lanes, width) = (self.program.shape.lanes(), self.program.shape.tile.width());
        let words = (place.array + place.first) * lanes + place.register * width;
        let base = Arg::Use(self.arrays.expect("loaded on entry"));
        match index {
            None => Mem::at(base, (words * 4) as i32),
            Some(index) => Mem::word(base, Arg::Use(index), (words * 4) as i32),
        }
    }

    /// The place of a register's words in an array, where all lanes have one index or none.
    fn whole_place(&mut self, place: &ArrayPlace) -> Mem<Arg> {
        let Some(index) = place.index else { return self.array_place(place, None) };
        let index = self.register(index);
        let [whole, lanes] = [(); 2].map(|()| self.temporary(GENERAL));
        // The upper half of the index register is undefined: this clears it.
        self.op2(Opcode::Mov, Size::B32, whole, Source::register(index));
        let count = self.program.shape.lanes().ilog2() as i32;
        let shift = Instruction::new(Opcode::Shl, Size::B64).rm(Arg::Tied(whole, lanes));
        self.push(shift.number(count));
        self.array_place(place, Some(lanes))
    }

    /// The indices in units of one lane's word; `None` if all lanes have one index.
    fn indices(&mut self, place: &ArrayPlace) -> Option<VReg> {
        let index = place.index.filter(|&of| matches!(self.ty(of), RegisterType::Vector(_)))?;
        let index = self.register(index);
        let [words, lanes] = [(); 2].map(|()| self.temporary(VECTOR));
        let (size, count) = (self.size(), self.program.shape.lanes().ilog2());
        self.shift(Opcode::ShiftLeftD, size, words, index, count as u8);
        let own = (0..self.program.shape.tile.width()).flat_map(u32::to_le_bytes).collect();
        let own = Source::memory(self.whole_constant(own));
        self.op3(Opcode::AddD, size, lanes, words, own);
        Some(lanes)
    }

    /// Loads the words of a register's lanes from an array.
    pub(super) fn load_array(&mut self, to: Reg, place: &ArrayPlace) {
        if let Some(indices) = self.indices(place) {
            let from = self.array_place(place, Some(indices));
            let made = self.define(to);
            self.gather(made, from);
        } else {
            let from = Source::memory(self.whole_place(place));
            let made = self.define(to);
            self.load(made, self.ty(to), from);
        }
    }

    /// Stores the words of a register's lanes in an array, in the lanes of the mask.
    pub(super) fn store_array(&mut self, place: &ArrayPlace, word: Reg, mask: Option<Reg>) {
        let word = self.register(word);
        let mask = mask.map(|mask| self.register(mask));
        let Some(indices) = self.indices(place) else {
            let to = self.whole_place(place);
            self.store_whole(word, to, mask);
            return;
        };
        let to = self.array_place(place, Some(indices));
        if self.wide.has_masks() {
            let [all, cleared] = [(); 2].map(|()| self.temporary(MASK));
            let mask = mask.unwrap_or_else(|| {
                self.load_constant(all, RegisterType::Vector(Kind::Mask), 1);
                all
            });
            let it = Instruction::new(Opcode::ScatterK, self.size()).reg(Arg::Use(word)).mem(to);
            self.push(Instruction { mask: Some(Arg::Tied(mask, cleared)), ..it });
            return;
        }
        let mut word = word;
        if let Some(mask) = mask {
            let before = self.temporary(VECTOR);
            self.gather(before, to);
            word = self.blend_words(mask, word, before);
        }
        self.store_lanes(place, indices, word);
    }

    /// Stores a register in the lanes of the mask.
    fn store_whole(&mut self, word: VReg, to: Mem<Arg>, mask: Option<VReg>) {
        let size = self.size();
        let word = match mask {
            Some(mask) if !self.wide.has_masks() => {
                let before = self.temporary(VECTOR);
                self.op2(Opcode::Load, size, before, Source::memory(to));
                self.blend_words(mask, word, before)
            }
            _ => word,
        };
        let it = Instruction::new(Opcode::Store, size).reg(Arg::Use(word)).mem(to);
        let mask = mask.filter(|_| self.wide.has_masks()).map(Arg::Use);
        self.push(Instruction { mask, ..it });
    }

    /// Words of `a` in the lanes of a mask, of `b` in the others.
    pub(super) fn blend_words(&mut self, mask: VReg, a: VReg, b: VReg) -> VReg {
        let made = self.temporary(VECTOR);
        if self.wide.has_masks() {
            let it = Instruction::new(Opcode::BlendMPs, self.size()).reg(Arg::Def(made));
            let it = Source::any(a).of(it.vvvv(Arg::Use(b)));
            self.push(Instruction { mask: Some(Arg::Use(mask)), ..it });
            return made;
        }
        let it =
            Instruction::new(Opcode::BlendVPs, self.size()).reg(Arg::Def(made)).vvvv(Arg::Use(b));
        let it = Source::any(a).of(it);
        self.push(Instruction { last: Some(Arg::Use(mask)), ..it });
        made
    }

    /// Stores words at indices, lane by lane.
    fn store_lanes(&mut self, place: &ArrayPlace, indices: VReg, words: VReg) {
        for half in 0..self.program.shape.tile.width() as i32 / LANES {
            let mut part = |of: VReg| {
                if half == 0 {
                    return of;
                }
                let part = self.temporary(VECTOR);
                let it = Instruction::new(Opcode::Extract128, Size::B256).reg(Arg::Use(of));
                self.push(it.rm(Arg::Def(part)).number(half));
                part
            };
            let [indices, words] = [part(indices), part(words)];
            for lane in 0..LANES {
                let index = self.temporary(GENERAL);
                let it = Instruction::new(Opcode::ExtractD, Size::B32).reg(Arg::Use(indices));
                self.push(it.rm(Arg::Def(index)).number(lane));
                let to = self.array_place(place, Some(index));
                let it = Instruction::new(Opcode::ExtractD, Size::B32).reg(Arg::Use(words));
                self.push(it.mem(to).number(lane));
            }
        }
    }
}
