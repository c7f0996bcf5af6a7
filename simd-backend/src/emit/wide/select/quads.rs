//! Reads of neighbours in a quad.
//!
//! The two lanes of a pair are adjacent or four apart: adjacent words of 128 bits, or adjacent
//! quarters of a half of 512 bits.

use lambdav_core::graph::Side;

use super::selection::Selection;
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::Instruction;
use crate::emit::wide::isa::Opcode;
use crate::lanes::Axis;
use crate::registers::Reg;

impl Selection<'_> {
    /// Moves the value of another pixel of the pair along `axis` into each lane.
    pub(super) fn neighbour(&mut self, to: Reg, from: Reg, axis: Axis, side: Side) {
        let (size, tile) = (self.size(), self.program.shape.tile);
        let from = self.register(from);
        let made = self.define(to);
        let is_odd = side == Side::Odd;
        let it = match tile.neighbour(0, axis, Side::Odd) {
            1 => {
                let words = if is_odd { 0b11_11_01_01 } else { 0b10_10_00_00 };
                let it = Instruction::new(Opcode::ShufflePs, size).reg(Arg::Def(made));
                it.vvvv(Arg::Use(from)).rm(Arg::Use(from)).number(words)
            }
            4 => {
                let halves = if is_odd { 0b11_10_11_10 } else { 0b01_00_01_00 };
                let it = Instruction::new(Opcode::PermuteQ, size).reg(Arg::Def(made));
                it.rm(Arg::Use(from)).number(halves)
            }
            apart => unreachable!("pairs lie {apart} lanes apart"),
        };
        self.push(it);
    }
}
