//! Short tables in registers.
//!
//! A gather takes about as long as loading its lanes one after the other. If the bound of an index
//! proves that all words in reach fill few registers, these registers are loaded whole and
//! permuted. The lower bits of an index choose the lane of one register or, with EVEX, of two. Each
//! higher bit chooses between two results. Constant tables of elementary functions are one permutation.

use regalloc2::VReg;

use super::selection::{Selection, Source, Value};
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Mem};
use crate::emit::wide::isa::Opcode;
use crate::emit::wide::machine::{MASK, VECTOR, Wide};
use crate::lanes::Space;
use crate::mutants::{Mutant, is_active};
use crate::registers::Reg;

/// The registers that hold all words within reach of an index.
#[derive(Clone, Copy)]
pub(super) struct Table {
    /// The first word of the first register. Every word of all registers exists.
    start: u32,
    /// The number of words in the registers before the index's origin.
    before: u32,
    /// The number of registers.
    registers: u32,
}

/// Largest table to permute rather than gather, in registers. (`cost::TABLE` has the measurement.)
fn most(wide: Wide) -> u32 {
    match wide {
        Wide::Avx2 => 2,
        Wide::Avx512At256 => 4,
        Wide::Avx512 => 8,
    }
}

impl Selection<'_> {
    /// The table that an index chooses from, if it is short.
    pub(super) fn table(&self, space: Space, first: u32, index: Reg) -> Option<Table> {
        let most_index = self.bounds.get(index.index())?.most;
        let width = self.size().bytes() / 4;
        let registers = most_index / width + 1;
        if registers > most(self.wide) {
            return None;
        }
        let words = self.program.spaces().words(space)?;
        // Where the words end before the last register does, the first register starts earlier.
        let last = words.checked_sub((registers * width) as usize)?;
        let start = first.min(u32::try_from(last).unwrap_or(u32::MAX));
        let before = first - start;
        (before + most_index < registers * width).then_some(Table { start, before, registers })
    }

    /// Reads words of a table, one for each lane.
    pub(super) fn permute_table(&mut self, to: Reg, base: Arg, table: Table, index: Reg) {
        let size = self.size();
        let width = size.bytes() / 4;
        let mut index = self.register(index);
        if table.before > 0 {
            let before = self.everywhere(size, table.before);
            let counted = self.temporary(VECTOR);
            self.op3(Opcode::AddD, size, counted, index, before);
            index = counted;
        }
        let place = |register: u32| Mem::at(base, ((table.start + register * width) * 4) as i32);
        let step = if self.wide.has_masks() { 2 } else { 1 };
        let mut chosen: Vec<VReg> = Vec::new();
        for register in (0..table.registers).step_by(step) {
            let made = self.temporary(VECTOR);
            if step == 1 || register + 1 == table.registers {
                self.op3(Opcode::PermuteD, size, made, index, Source::memory(place(register)));
            } else {
                let low = self.temporary(VECTOR);
                self.op2(Opcode::Load, size, low, Source::memory(place(register)));
                let it = Instruction::new(Opcode::PermuteTwo, size).reg(Arg::Tied(index, made));
                self.push(it.vvvv(Arg::Use(low)).mem(place(register + 1)));
            }
            chosen.push(made);
        }
        // The lowest bit that no permutation has used.
        let mut bit = (width * step as u32).trailing_zeros();
        while chosen.len() > 1 {
            let is_set = self.bit_mask(index, bit);
            let pairs: Vec<VReg> = chosen
                .chunks(2)
                .map(|pair| match *pair {
                    [clear, set] if is_active(Mutant::SwappedTables) => {
                        self.blend_words(is_set, clear, set)
                    }
                    [clear, set] => self.blend_words(is_set, set, clear),
                    _ => pair[0],
                })
                .collect();
            (chosen, bit) = (pairs, bit + 1);
        }
        self.values[to.index()] = Value::Register(chosen[0]);
    }

    /// The words of a constant table at the last three bits of each index. A register of 512 bits has the
    /// table twice.
    pub(super) fn constant_table(&mut self, to: Reg, table: &[u32; 8], index: Reg) {
        let size = self.size();
        let words = table.repeat(size.bytes() as usize / size_of_val(table));
        let bytes = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let mem = self.whole_constant(bytes);
        let index = self.register(index);
        let made = self.define(to);
        self.op3(Opcode::PermuteD, size, made, index, Source::memory(mem));
    }

    /// Tests a bit of each word: the result is a mask or, without mask registers, in the sign bits.
    fn bit_mask(&mut self, words: VReg, bit: u32) -> VReg {
        let size = self.size();
        if self.wide.has_masks() {
            let number = self.everywhere(size, 1 << bit);
            let mask = self.temporary(MASK);
            self.op3(Opcode::TestDK, size, mask, words, number);
            return mask;
        }
        let signs = self.temporary(VECTOR);
        self.shift(Opcode::ShiftLeftD, size, signs, words, (31 - bit) as u8);
        signs
    }
}
