//! Loads and stores: fields of the context, the memory that they point to, spill slots, pixels.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};

use super::operations::same_bits;
use super::selection::{Selection, clif_type};
use crate::emit::abi::Field;
use crate::lanes::{Kind, Space};
use crate::mutants::{Mutant, is_active};
use crate::registers::{ArrayPlace, Reg, RegisterType};

/// For vectors aligned to their elements only: a load that needs more alignment would fault.
pub(super) const UNALIGNED: MemFlagsData = MemFlagsData::new().with_notrap();

impl Selection<'_, '_> {
    /// A field of the context. All fields are constant during a call.
    pub(super) fn field(&mut self, field: Field) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.builder.ins().load(types::I64, flags, self.arguments[0], field as i32)
    }

    /// The address of the spill slots, and the offset of one of them.
    fn spill_slot(&self, slot: u32) -> (Value, i32) {
        let address = self.spill_slots.expect("a function that spills has slots");
        (address, (slot * self.machine.register_bytes()) as i32)
    }

    pub(super) fn spill(&mut self, slot: u32, from: Reg) {
        let (value, (address, offset)) = (self.get(from), self.spill_slot(slot));
        self.builder.ins().store(MemFlagsData::trusted(), value, address, offset);
    }

    pub(super) fn reload(&mut self, ty: RegisterType, slot: u32) -> Value {
        let (address, offset) = self.spill_slot(slot);
        self.builder.ins().load(clif_type(ty), MemFlagsData::trusted(), address, offset)
    }

    /// Loads the value `offset` bytes after the address in a field of the context. The address is
    /// aligned to single numbers, even for vectors.
    pub(super) fn load(&mut self, field: Field, offset: u32, ty: ir::Type) -> Value {
        let address = self.field(field);
        self.load_from(address, offset, ty)
    }

    /// Loads a value `offset` bytes after an address, from memory that is constant during a call.
    pub(super) fn load_from(&mut self, address: Value, offset: u32, ty: ir::Type) -> Value {
        let flags = if ty.is_vector() { UNALIGNED } else { MemFlagsData::trusted() };
        let flags = flags.with_readonly().with_can_move();
        self.builder.ins().load(ty, flags, address, offset as i32)
    }

    /// The address of the words of a space.
    fn words_of(&mut self, space: Space) -> Value {
        match space {
            Space::Inputs => self.field(Field::Inputs),
            Space::Slots => self.field(Field::Slots),
            Space::Resource(number) => {
                let resources = self.field(Field::Resources);
                let flags = MemFlagsData::trusted().with_readonly();
                self.builder.ins().load(types::I64, flags, resources, (number * 8) as i32)
            }
        }
    }

    /// The address of the word number `index` after `base`.
    fn word_at(&mut self, base: Value, index: Value) -> Value {
        let index = self.builder.ins().uextend(types::I64, index);
        let bytes = self.builder.ins().ishl_imm_u(index, 2);
        self.builder.ins().iadd(base, bytes)
    }

    /// Four consecutive words of each lane, from `first` plus the lane's index on.
    pub(super) fn load_four(&mut self, space: Space, first: u32, index: Reg) -> [Value; 4] {
        let base = self.words_of(space);
        let index = self.get(index);
        let rows = [0, 1, 2, 3].map(|lane| {
            let index = self.builder.ins().extractlane(index, lane);
            let address = self.word_at(base, index);
            let flags = UNALIGNED.with_readonly();
            self.builder.ins().load(types::F32X4, flags, address, (first * 4) as i32)
        });
        self.transpose(rows)
    }

    /// True if the index of a lane differs from the first lane's plus `step` for each lane between.
    pub(super) fn scattered(&mut self, index: Reg, step: u32) -> Value {
        let index = self.get(index);
        let first = self.shuffle(types::I32X4, index, index, std::array::from_fn(|i| i as u8 % 4));
        let further = (0..4).rev().fold(0, |bits, lane| bits << 32 | u128::from(step * lane));
        let further = self.vector(types::I32X4, further);
        let mut expected = self.builder.ins().iadd(first, further);
        if is_active(Mutant::UntestedColumns) {
            expected = index;
        }
        let differ = self.builder.ins().bxor(expected, index);
        self.builder.ins().vany_true(differ)
    }

    /// True if in some lane the second index of a pair is not `step` more than the first.
    pub(super) fn apart(&mut self, step: u32, pairs: &[[Reg; 2]]) -> Value {
        let step = (0..4).fold(0, |all, lane| all | u128::from(step) << (32 * lane));
        let step = self.vector(types::I32X4, step);
        let mut all = self.vector(types::I32X4, 0);
        for pair in pairs {
            let [first, second] = pair.map(|index| self.get(index));
            let next = self.builder.ins().iadd(first, step);
            let differ = self.builder.ins().bxor(next, second);
            all = self.builder.ins().bor(all, differ);
        }
        match is_active(Mutant::UntestedPairs) {
            true => self.builder.ins().iconst(types::I8, 0),
            false => self.builder.ins().vany_true(all),
        }
    }

    /// Mixes of pairs of texels.
    pub(super) fn load_mixed(
        &mut self,
        space: Space,
        first: u32,
        indices: &[Reg],
        weights: &[[Reg; 2]],
    ) -> [Value; 4] {
        let base = self.words_of(space);
        let lanes = [0, 1, 2, 3].map(|lane| {
            let mut values = Vec::new();
            for &index in indices {
                let index = self.get(index);
                let index = self.builder.ins().extractlane(index, lane);
                let address = self.word_at(base, index);
                let flags = UNALIGNED.with_readonly();
                for word in [first, first + 4] {
                    let offset = (word * 4) as i32;
                    values.push(self.builder.ins().load(types::F32X4, flags, address, offset));
                }
            }
            for pair in weights {
                let pair = pair.map(|weight| {
                    let weight = self.get(weight);
                    let bytes = std::array::from_fn(|byte| 4 * lane + byte as u8 % 4);
                    self.shuffle(types::F32X4, weight, weight, bytes)
                });
                let mixed = values.chunks(2).map(|of| {
                    let products = [(of[0], pair[0]), (of[1], pair[1])];
                    let [a, b] = products.map(|(of, weight)| self.builder.ins().fmul(of, weight));
                    self.builder.ins().fadd(a, b)
                });
                values = mixed.collect();
            }
            values[0]
        });
        self.transpose(lanes)
    }

    /// Loads those of four words of each lane that are `asked` for, where the index grows by `step`
    /// from lane to lane.
    pub(super) fn load_columns(
        &mut self,
        space: Space,
        first: u32,
        index: Reg,
        step: u32,
        asked: [bool; 4],
    ) -> [Option<Value>; 4] {
        let base = self.words_of(space);
        let index = self.get(index);
        let index = self.builder.ins().extractlane(index, 0);
        let address = self.word_at(base, index);
        let mut load = |word: u32| {
            let flags = UNALIGNED.with_readonly();
            self.builder.ins().load(types::F32X4, flags, address, ((first + word) * 4) as i32)
        };
        if step == 4 {
            let rows = [0, 4, 8, 12].map(load);
            return self.transpose(rows).map(Some);
        }
        [0, 1, 2, 3].map(|word| asked[word as usize].then(|| load(word)))
    }

    /// The word number `first + index` of a space, one for each lane if the index is a vector.
    pub(super) fn load_words(
        &mut self,
        ty: RegisterType,
        space: Space,
        first: u32,
        index: Reg,
    ) -> Value {
        let base = self.words_of(space);
        self.load_at(ty, base, first, index, MemFlagsData::trusted().with_readonly())
    }

    /// Words of a memory, which the call may change.
    pub(super) fn load_memory(&mut self, ty: RegisterType, memory: u32, index: Reg) -> Value {
        let base = self.words_of(Space::Resource(memory));
        self.load_at(ty, base, 0, index, MemFlagsData::trusted())
    }

    /// The address of the first lane's word of a memory.
    pub(super) fn lanes_of_memory(&mut self, memory: u32, index: Reg) -> Value {
        let base = self.words_of(Space::Resource(memory));
        let index = self.get(index);
        let index = self.builder.ins().extractlane(index, 0);
        self.word_at(base, index)
    }

    /// Stores a word of a memory or, if the mask is false, the dropped word.
    pub(super) fn store_memory(&mut self, memory: u32, index: Reg, word: Reg, mask: Reg) {
        let base = self.words_of(Space::Resource(memory));
        let [index, word, mask] = [index, word, mask].map(|reg| self.get(reg));
        let place = self.word_at(base, index);
        let dropped = self.field(Field::Dropped);
        let place = self.builder.ins().select(mask, place, dropped);
        self.builder.ins().store(MemFlagsData::trusted(), word, place, 0);
    }

    /// The word number `first + index` after an address, one for each lane if the index is a vector.
    fn load_at(
        &mut self,
        ty: RegisterType,
        base: Value,
        first: u32,
        index: Reg,
        flags: MemFlagsData,
    ) -> Value {
        let index = self.get(index);
        let one = |s: &mut Self, ty, index| {
            let address = s.word_at(base, index);
            s.builder.ins().load(ty, flags, address, (first * 4) as i32)
        };
        if let RegisterType::Scalar(_) = ty {
            return one(self, clif_type(ty), index);
        }
        let mut words = self.vector(types::I32X4, 0);
        for lane in 0..4 {
            let index = self.builder.ins().extractlane(index, lane);
            let word = one(self, types::I32, index);
            words = self.builder.ins().insertlane(words, word, lane);
        }
        self.words_as(clif_type(ty), words)
    }

    /// The place of a register's words in an array, where all lanes have one index: an address, and
    /// an offset from there.
    fn array_place(&mut self, place: &ArrayPlace, index: Option<Value>) -> (Value, i32) {
        let (lanes, width) = (self.program.shape.lanes(), self.program.shape.tile.width());
        let words = (place.array + place.first) * lanes + place.register * width;
        let mut address = self.field(Field::Arrays);
        if let Some(index) = index {
            let index = self.builder.ins().uextend(types::I64, index);
            let bytes = self.builder.ins().ishl_imm_u(index, i64::from((4 * lanes).ilog2()));
            address = self.builder.ins().iadd(address, bytes);
        }
        (address, (words * 4) as i32)
    }

    /// The indices of a place, if they vary by lane.
    fn indices(&self, place: &ArrayPlace) -> Option<Value> {
        let index = place.index?;
        matches!(self.ty(index), RegisterType::Vector(_)).then(|| self.get(index))
    }

    /// The words of a register's lanes in an array.
    pub(super) fn load_array(&mut self, ty: RegisterType, place: &ArrayPlace) -> Value {
        let Some(indices) = self.indices(place) else {
            let index = place.index.map(|index| self.get(index));
            let (address, offset) = self.array_place(place, index);
            return self.builder.ins().load(clif_type(ty), UNALIGNED, address, offset);
        };
        let mut words = self.vector(types::I32X4, 0);
        for lane in 0..4 {
            let index = self.builder.ins().extractlane(indices, lane);
            let (address, offset) = self.array_place(place, Some(index));
            let offset = offset + 4 * i32::from(lane);
            let word =
                self.builder.ins().load(types::I32, MemFlagsData::trusted(), address, offset);
            words = self.builder.ins().insertlane(words, word, lane);
        }
        self.words_as(clif_type(ty), words)
    }

    /// Stores the words of a register's lanes in an array. Lanes outside the mask store the old
    /// word back.
    pub(super) fn store_array(&mut self, place: &ArrayPlace, word: Reg, mask: Option<Reg>) {
        let ty = self.ty(word);
        let (mut value, mask) = (self.get(word), mask.map(|mask| self.get(mask)));
        let Some(indices) = self.indices(place) else {
            let index = place.index.map(|index| self.get(index));
            let (address, offset) = self.array_place(place, index);
            if let Some(mask) = mask {
                let before = self.builder.ins().load(clif_type(ty), UNALIGNED, address, offset);
                value = match ty {
                    RegisterType::Vector(_) => self.blend(ty, mask, value, before),
                    _ => self.builder.ins().select(mask, value, before),
                };
            }
            self.builder.ins().store(UNALIGNED, value, address, offset);
            return;
        };
        let flags = MemFlagsData::trusted();
        let value = self.words_as(types::I32X4, value);
        for lane in 0..4 {
            let index = self.builder.ins().extractlane(indices, lane);
            let (address, offset) = self.array_place(place, Some(index));
            let offset = offset + 4 * i32::from(lane);
            let mut word = self.builder.ins().extractlane(value, lane);
            if let Some(mask) = mask {
                let before = self.builder.ins().load(types::I32, flags, address, offset);
                let is_active = self.builder.ins().extractlane(mask, lane);
                word = self.builder.ins().select(is_active, word, before);
            }
            self.builder.ins().store(flags, word, address, offset);
        }
    }

    pub(super) fn words_as(&mut self, ty: ir::Type, words: Value) -> Value {
        match self.builder.func.dfg.value_type(words) == ty {
            true => words,
            false => self.builder.ins().bitcast(ty, same_bits(), words),
        }
    }

    /// A word as a truth value, if that is its type.
    pub(super) fn truth(&mut self, ty: RegisterType, word: Value) -> Value {
        if ty == RegisterType::Scalar(Kind::Mask) {
            self.builder.ins().icmp_imm_s(IntCC::NotEqual, word, 0)
        } else {
            word
        }
    }

    /// Stores pixels one after the other: a transposition of four registers.
    pub(super) fn store(&mut self, channels: [Value; 4], rows: &[Reg], offset: u32) {
        let &[address] = rows else { unreachable!("a register holds pixels of one row") };
        let address = self.get(address);
        let is_scalar = self.program.shape.tile.width() == 1;
        let values = if is_scalar { channels } else { self.transpose(channels) };
        let step = if is_scalar { 4 } else { 16 };
        for (i, value) in values.into_iter().enumerate() {
            let offset = offset as i32 + i as i32 * step;
            self.builder.ins().store(UNALIGNED, value, address, offset);
        }
    }

    fn transpose(&mut self, [r, g, b, a]: [Value; 4]) -> [Value; 4] {
        // Interleaves words of `size` bytes of the lower or upper halves.
        let interleave = |size: u8, upper: bool| -> [u8; 16] {
            let first = if upper { 8 } else { 0 };
            std::array::from_fn(|i| {
                let (word, byte) = (i as u8 / size, i as u8 % size);
                first + word / 2 * size + word % 2 * 16 + byte
            })
        };
        let mut mix = |x, y, size, upper| self.shuffle(types::F32X4, x, y, interleave(size, upper));
        let (rg, ba) = (mix(r, g, 4, false), mix(b, a, 4, false));
        let (rg_high, ba_high) = (mix(r, g, 4, true), mix(b, a, 4, true));
        [
            mix(rg, ba, 8, false),
            mix(rg, ba, 8, true),
            mix(rg_high, ba_high, 8, false),
            mix(rg_high, ba_high, 8, true),
        ]
    }
}
