//! Operations on lanes of 64 bits, which take two registers where those of 32 bits take one.

use super::{Instr, Reg, RegisterType};
use crate::lanes::{Kind, Op};

/// The lanes of one register of 32-bit lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lanes {
    /// Of 32 bits each, or of a mask over such.
    Narrow(Reg),
    /// Of 64 bits each, or of a mask over such: the lower and the upper half.
    Wide([Reg; 2]),
}

impl Lanes {
    /// The register of a half; of narrow lanes, the one there is.
    pub(super) fn half(self, half: usize) -> Reg {
        match self {
            Self::Narrow(reg) => reg,
            Self::Wide(halves) => halves[half],
        }
    }
}

/// Where instructions go.
pub(super) trait Assemble {
    /// A new register.
    fn reg(&mut self, ty: RegisterType) -> Reg;

    /// Appends an instruction.
    fn push(&mut self, instr: Instr);

    /// An operation on whole registers.
    fn op(&mut self, ty: RegisterType, op: Op, operands: &[Reg]) -> Reg {
        let reg = self.reg(ty);
        self.push(Instr::Op(reg, op, operands.into()));
        reg
    }

    /// The halves of a register: of numbers as `F64`, of integers as `I64`, of a mask as a wide one.
    fn halves(&mut self, from: Reg, ty: RegisterType) -> [Reg; 2] {
        [false, true].map(|upper| {
            let reg = self.reg(ty);
            self.push(Instr::Half(reg, from, upper));
            reg
        })
    }

    /// Both halves as one register: numbers as `F32`, integers as `I32`, wide masks as a mask.
    fn join(&mut self, ty: RegisterType, halves: [Reg; 2]) -> Reg {
        let reg = self.reg(ty);
        self.push(Instr::Join(reg, halves));
        reg
    }

    /// An operation on vectors of lanes, whose result has that kind: once if all operands are
    /// narrow, else for both halves. All masks are narrow, or all are wide, as the other operands
    /// are.
    fn lanewise(&mut self, op: Op, operands: &[Lanes], to: Kind) -> Lanes {
        let ty = RegisterType::Vector(to);
        match (op, operands) {
            (Op::Promote | Op::Widen, &[Lanes::Narrow(from)]) => Lanes::Wide(self.halves(from, ty)),
            (Op::Demote | Op::Narrow, &[Lanes::Wide(from)]) => Lanes::Narrow(self.join(ty, from)),
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
