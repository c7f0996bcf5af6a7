//! Operations on lanes of 64 bits, which need two registers for one register of 32-bit lanes.

use super::{Instr, Reg, RegisterType};
use crate::lanes::{Kind, LaneOp};

/// The values of as many lanes as one register of 32-bit lanes has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lanes {
    /// One register, of 32-bit lanes or of a mask for them.
    Narrow(Reg),
    /// The lower and the upper half, of 64-bit lanes or of a mask for them.
    Wide([Reg; 2]),
}

impl Lanes {
    /// The register of a half; narrow lanes have only one.
    pub(super) fn half(self, half: usize) -> Reg {
        match self {
            Self::Narrow(reg) => reg,
            Self::Wide(halves) => halves[half],
        }
    }
}

/// A sink of instructions.
pub(super) trait Assemble {
    /// A new register.
    fn reg(&mut self, ty: RegisterType) -> Reg;

    /// Appends an instruction.
    fn push(&mut self, instr: Instr);

    /// An operation on whole registers.
    fn op(&mut self, ty: RegisterType, op: LaneOp, operands: &[Reg]) -> Reg {
        let reg = self.reg(ty);
        self.push(Instr::Op(reg, op, operands.into()));
        reg
    }

    /// Splits a register: numbers into `F64`, integers into `I64`, a mask into wide masks.
    fn halves(&mut self, from: Reg, ty: RegisterType) -> [Reg; 2] {
        [false, true].map(|upper| {
            let reg = self.reg(ty);
            self.push(Instr::Half(reg, from, upper));
            reg
        })
    }

    /// Joins two halves: numbers to `F32`, integers to `I32`, wide masks to a mask.
    fn join(&mut self, ty: RegisterType, halves: [Reg; 2]) -> Reg {
        let reg = self.reg(ty);
        self.push(Instr::Join(reg, halves));
        reg
    }

    /// An operation on vectors of lanes; `to` is the kind of the result. It is done once if all
    /// operands are narrow, else for both halves. Masks are as wide as the other operands.
    fn lanewise(&mut self, op: LaneOp, operands: &[Lanes], to: Kind) -> Lanes {
        let ty = RegisterType::Vector(to);
        match (op, operands) {
            (LaneOp::Promote | LaneOp::Widen, &[Lanes::Narrow(from)]) => {
                Lanes::Wide(self.halves(from, ty))
            }
            (LaneOp::Demote | LaneOp::Narrow, &[Lanes::Wide(from)]) => {
                Lanes::Narrow(self.join(ty, from))
            }
            _ => {
                let mut at = |half, ty| {
                    let operands: Vec<Reg> = operands.iter().map(|v| v.half(half)).collect();
                    self.op(ty, op, &operands)
                };
                if operands.iter().all(|v| matches!(v, Lanes::Narrow(_))) {
                    return Lanes::Narrow(at(0, ty));
                }
                let ty = if to == Kind::Mask { RegisterType::WideMask } else { ty };
                Lanes::Wide([0, 1].map(|half| at(half, ty)))
            }
        }
    }
}
