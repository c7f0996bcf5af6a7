//! Loads of rows whose words are consecutive in memory.

use regalloc2::VReg;

use super::selection::{Selection, Source};
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Mem};
use crate::emit::wide::isa::{Condition, Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR};
use crate::lanes::Space;
use crate::mutants::{Mutant, is_active};
use crate::registers::{Columns, Reg, Rows};

/// The predicate "not equal" of `vpcmpd`.
const NOT_EQUAL: i32 = 4;

impl Selection<'_> {
    /// A constant with a word for each lane.
    fn words_of_lanes(&mut self, word: impl Fn(u32) -> u32) -> Mem<Arg> {
        let lanes = 0..self.program.shape.tile.width();
        self.whole_constant(lanes.flat_map(|lane| word(lane).to_le_bytes()).collect())
    }

    /// Sets the flags: the condition holds if the indices do not grow as `columns` says.
    pub(super) fn scattered(&mut self, index: Reg, columns: Columns) -> Condition {
        let (size, tile) = (self.size(), self.program.shape.tile);
        let index = self.register(index);
        let first = self.temporary(VECTOR);
        if columns.rows != Rows::Apart {
            self.op2(Opcode::BroadcastD, size, first, Source::register(index));
        } else if size == Size::B512 {
            let places = self.places(|lane| tile.first_column(lane));
            self.op3(Opcode::PermuteD, size, first, places, Source::register(index));
        } else {
            // A row is 128 bits.
            let it = Instruction::new(Opcode::ShufflePs, size).reg(Arg::Def(first));
            self.push(it.vvvv(Arg::Use(index)).rm(Arg::Use(index)).number(0));
        }
        let mut expected = self.temporary(VECTOR);
        let further = self.words_of_lanes(|lane| columns.of(tile, lane).1);
        self.op3(Opcode::AddD, size, expected, first, Source::memory(further));
        if is_active(Mutant::UntestedColumns) {
            expected = index;
        }
        let differ;
        if self.wide.has_masks() {
            differ = self.temporary(MASK);
            let it = Instruction::new(Opcode::CompareDK, size).reg(Arg::Def(differ));
            self.push(it.vvvv(Arg::Use(expected)).rm(Arg::Use(index)).number(NOT_EQUAL));
        } else {
            differ = self.temporary(VECTOR);
            self.op3(Opcode::XorPs, size, differ, expected, Source::register(index));
        }
        self.any_of_two(differ, differ)
    }

    /// A register of lane numbers.
    fn places(&mut self, lane: impl Fn(u32) -> u32) -> VReg {
        let places = self.temporary(VECTOR);
        let mem = self.words_of_lanes(lane);
        self.op2(Opcode::Load, self.size(), places, Source::memory(mem));
        places
    }

    /// The indices at the first column of the first `rows` rows, in general registers.
    fn starts(&mut self, index: VReg, rows: u32) -> Vec<VReg> {
        let (size, tile) = (self.size(), self.program.shape.tile);
        let (mut part, mut words) = (0, index);
        let mut starts = Vec::new();
        for row in 0..rows {
            let lane = (0..tile.width()).find(|&lane| tile.pixel(lane) == (0, row));
            let lane = lane.expect("a row has a first pixel");
            if lane / 4 != part {
                part = lane / 4;
                words = self.temporary(VECTOR);
                let it = Instruction::new(Opcode::Extract128, size).reg(Arg::Use(index));
                self.push(it.rm(Arg::Def(words)).number(part as i32));
            }
            let start = self.temporary(GENERAL);
            let rm = Arg::Def(start);
            self.push(match lane % 4 {
                0 => Instruction::new(Opcode::ToGeneral32, Size::B128).reg(Arg::Use(words)).rm(rm),
                lane => {
                    let it = Instruction::new(Opcode::ExtractD, Size::B32).reg(Arg::Use(words));
                    it.rm(rm).number(lane as i32)
                }
            });
            starts.push(start);
        }
        starts
    }

    /// Consecutive words of a memory, from the first lane's on.
    fn lanes_of_memory(&mut self, memory: u32, index: Reg) -> Mem<Arg> {
        let base = self.words_of(Space::Resource(memory));
        let index = self.register(index);
        let start = self.starts(index, 1)[0];
        Mem::word(base, Arg::Use(start), 0)
    }

    /// Loads consecutive words of a memory.
    pub(super) fn load_memory_lanes(&mut self, to: Reg, memory: u32, index: Reg) {
        let place = self.lanes_of_memory(memory, index);
        let made = self.define(to);
        self.op2(Opcode::Load, self.size(), made, Source::memory(place));
    }

    /// Stores consecutive words of a memory.
    pub(super) fn store_memory_lanes(&mut self, memory: u32, index: Reg, words: Reg) {
        let place = self.lanes_of_memory(memory, index);
        let words = self.register(words);
        let it = Instruction::new(Opcode::Store, self.size()).reg(Arg::Use(words));
        self.push(it.mem(place));
    }

    /// Loads the words of each row from its first column on.
    pub(super) fn load_columns(
        &mut self,
        to: [Option<Reg>; 4],
        space: Space,
        first: u32,
        index: Reg,
        columns: Columns,
    ) {
        let (size, tile) = (self.size(), self.program.shape.tile);
        let base = self.words_of(space);
        let index = self.register(index);
        let count = if columns.rows == Rows::Alike { 1 } else { tile.rows() };
        let starts = self.starts(index, count);
        let at = |row: u32, word: u32| {
            let start = starts[row.min(count - 1) as usize];
            Mem::word(base, Arg::Use(start), ((first + word) * 4) as i32)
        };
        if columns.step == 1 {
            // The four words of 128 bits serve all rows.
            for (word, to) in (0..).zip(to) {
                let Some(to) = to else { continue };
                let row = self.temporary(VECTOR);
                self.op2(Opcode::Load, Size::B128, row, Source::memory(at(0, word)));
                let places = self.places(|lane| tile.pixel(lane).0);
                let made = self.define(to);
                self.op3(Opcode::PermuteD, size, made, places, Source::register(row));
            }
            return;
        }
        let texels = [0, 1, 2, 3].map(|number| {
            let mut made = self.temporary(VECTOR);
            if size == Size::B512 {
                // Each register holds one row: its columns are in the order of lanes.
                self.op2(Opcode::Load, size, made, Source::memory(at(number, 0)));
                return made;
            }
            // Each register holds one column: its rows are in the order of lanes.
            self.op2(Opcode::Load, Size::B128, made, Source::memory(at(0, 4 * number)));
            for row in 1..tile.rows() {
                let with = self.temporary(VECTOR);
                let it = Instruction::new(Opcode::Insert128, size).reg(Arg::Def(with));
                self.push(it.vvvv(Arg::Use(made)).mem(at(row, 4 * number)).number(row as i32));
                made = with;
            }
            made
        });
        self.transpose_words(to, texels);
    }
}
