//! Calls: of procedures, and of the reference mathematics.

use regalloc2::{PReg, RegClass};

use super::selection::{Selection, Source};
use crate::emit::wide::code::{Arg, Step};
use crate::emit::wide::instruction::{Area, Instruction, Mem};
use crate::emit::wide::isa::{Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR, Wide};
use crate::lanes::Kind;
use crate::registers::{Reg, RegisterType};

/// The registers of a procedure's arguments: vectors, masks and others are each in the first
/// registers of their class.
pub(super) fn places(types: &[RegisterType], wide: Wide) -> Vec<PReg> {
    let mut used = [0; 3];
    let mut next = |class: RegClass, first: usize| {
        used[class as usize] += 1;
        PReg::new(first + used[class as usize] - 1, class)
    };
    let place = |ty: &RegisterType| match ty {
        RegisterType::Vector(Kind::Mask) if wide.has_masks() => next(MASK, 1),
        RegisterType::Scalar(kind) if !kind.is_float() => next(GENERAL, 0),
        _ => next(VECTOR, 0),
    };
    types.iter().map(place).collect()
}

/// The register of a procedure's result.
pub(super) fn result_place() -> PReg {
    PReg::new(0, VECTOR)
}

impl Selection<'_> {
    pub(super) fn call(&mut self, procedure: u32, to: Reg, arguments: &[Reg]) {
        let types: Vec<RegisterType> = arguments.iter().map(|&reg| self.ty(reg)).collect();
        let values: Vec<_> = arguments.iter().map(|&reg| self.register(reg)).collect();
        let uses: Vec<_> = values.into_iter().zip(places(&types, self.wide)).collect();
        let result = self.define(to);
        self.code.push_fixed(Step::Call(procedure), &uses, &[(result, result_place())]);
    }

    /// Calls the reference mathematics; mask, operands and result are passed in memory.
    pub(super) fn callout(&mut self, function: u32, to: Reg, mask: Reg, operands: &[Reg]) {
        let ty = self.ty(to);
        let is_scalar = matches!(ty, RegisterType::Scalar(_));
        let size = self.size_of(ty);
        let bytes = if is_scalar { 4 } else { size.bytes() as i32 };
        let at = |index: i32| Mem::frame(Area::Scratch, index * bytes);
        let op = if is_scalar { Opcode::StoreSs } else { Opcode::Store };
        for (i, &reg) in std::iter::once(&mask).chain(operands).enumerate() {
            let mut value = self.register(reg);
            if value.class() == MASK {
                let words = self.temporary(VECTOR);
                self.op2(Opcode::KToSigns, size, words, Source::register(value));
                value = words;
            }
            let (op, size) = if value.class() == GENERAL {
                (Opcode::MovToMemory, Size::B32)
            } else {
                (op, size)
            };
            self.push(Instruction::new(op, size).reg(Arg::Use(value)).mem(at(i as i32)));
        }
        let step = Step::Reference { function, lanes: bytes as u32 / 4 };
        self.code.push_fixed(step, &[], &[]);
        let made = self.define(to);
        self.load(made, ty, Source::memory(at(3)));
    }
}
