//! Guesses about numbers in registers, from how they are made.

use rustc_hash::FxHashMap;

use crate::lanes::{Kind, LaneOp};
use crate::registers::{Instr, Reg, RegisterFunction, RegisterType};

/// Most pairs of values that [`Guess::is_next`] compares.
const MAX_COMPARED: u32 = 128;

/// Registers of a function, and guesses about their numbers. A wrong guess costs time alone.
pub(super) struct Guess {
    types: Vec<RegisterType>,
    uses: Vec<u32>,
    definitions: FxHashMap<Reg, Instr>,
}

impl Guess {
    pub(super) fn new(function: &RegisterFunction) -> Self {
        let mut uses = vec![0; function.registers.len()];
        let mut definitions = FxHashMap::default();
        for block in &function.blocks {
            for instr in &block.instrs {
                instr.uses(&mut |reg| uses[reg.index()] += 1);
                if let Instr::Op(to, ..) | Instr::Constant(to, _) | Instr::Broadcast(to, _) = instr
                {
                    definitions.insert(*to, instr.clone());
                }
            }
            block.end.uses(&mut |reg| uses[reg.index()] += 1);
        }
        Self { types: function.registers.clone(), uses, definitions }
    }

    pub(super) fn is_float(&self, reg: Reg) -> bool {
        self.types[reg.index()] == RegisterType::Vector(Kind::F32)
    }

    pub(super) fn is_used_once(&self, reg: Reg) -> bool {
        self.uses[reg.index()] == 1
    }

    /// True if the second number is probably made like the first, with one more column.
    pub(super) fn is_next(&self, first: Reg, second: Reg) -> bool {
        self.columns_between(first, second, &mut MAX_COMPARED.clone()) == Some(1)
    }

    fn constant(&self, reg: Reg) -> Option<u64> {
        match self.definitions.get(&reg)? {
            Instr::Constant(_, bits) => Some(*bits),
            Instr::Broadcast(_, from) => match self.definitions.get(from)? {
                Instr::Constant(_, bits) => Some(*bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// 0 for numbers that are made alike, 1 if one column was added to the second.
    fn columns_between(&self, first: Reg, second: Reg, left: &mut u32) -> Option<u32> {
        let is_same =
            self.constant(first).is_some() && self.constant(first) == self.constant(second);
        if first == second || is_same {
            return Some(0);
        }
        *left = left.checked_sub(1)?;
        let Instr::Op(_, op, of) = self.definitions.get(&second)? else { return None };
        if *op == LaneOp::Add
            && (of[0] == first && self.constant(of[1]) == Some(1)
                || of[1] == first && self.constant(of[0]) == Some(1))
        {
            return Some(1);
        }
        // A coordinate that is repeated is chosen from the next one and others.
        if *op == LaneOp::Select
            && of[1..].iter().any(|&arm| self.columns_between(first, arm, left) == Some(1))
        {
            return Some(1);
        }
        let Instr::Op(_, first_op, first_of) = self.definitions.get(&first)? else { return None };
        if op != first_op {
            return None;
        }
        let mut most = 0;
        for (&first, &second) in first_of.iter().zip(of) {
            most = most.max(self.columns_between(first, second, left)?);
        }
        Some(most)
    }
}
