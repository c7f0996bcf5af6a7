//! Computations, register by register.

use lambdav_core::op::Elementary;

use super::builder::{Builder, Constant, Made};
use crate::lanes::{Axis, Column, Kind, LaneExpr, LaneOp, LaneStatement, Rate, Space, ValueId};
use crate::mutants::{Mutant, is_active};
use crate::registers::halves::{Assemble, Lanes};
use crate::registers::{Instr, Reg, RegisterType};

impl Builder<'_> {
    /// Straight-line code, strip-mined: all of it for one register of the group, then for the next,
    /// so that intermediate values stay in machine registers. Each pass makes its constants again:
    /// they are read from memory anyway. It also repeats broadcasts; registers of 512 bits are
    /// many, so there broadcasts of computed numbers are kept.
    pub(super) fn register_by_register(&mut self, statements: &[LaneStatement]) {
        for register in 0..self.shape.registers(Rate::VARYING) {
            if register > 0 {
                let (read, is_kept) = (&self.read, self.shape.tile.has_512_bits());
                self.made.retain(|(made, _), _| {
                    is_kept && matches!(made, Made::Broadcast(from) if !read.contains(from))
                });
            }
            for statement in statements {
                let LaneStatement::Let { value, expr } = statement else {
                    unreachable!("callers pass only `let` statements");
                };
                let rate = self.program.rate(*value);
                // A register that several passes share is computed in the first of them.
                for index in 0..self.shape.registers(rate) {
                    if self.shape.first_of(index, rate) == register {
                        self.compute(*value, expr, index);
                    }
                }
            }
        }
    }

    /// A register of a column of the table of lanes.
    fn listed(&mut self, ty: RegisterType, column: Column, index: usize, group: Reg) -> Reg {
        let reg = self.reg(ty);
        self.push(Instr::Lanes(reg, column, index as u32, group));
        reg
    }

    /// Computes one register of a value.
    fn compute(&mut self, value: ValueId, expr: &LaneExpr, index: usize) {
        let (kind, rate) = (self.program.kind(value), self.program.rate(value));
        let ty = self.type_of(kind, rate);
        let reg = match expr {
            LaneExpr::Constant(bits) => {
                self.constants.insert(value, Constant::Bits(*bits));
                return;
            }
            LaneExpr::Undefined => {
                self.constants.insert(value, Constant::Undefined);
                return;
            }
            LaneExpr::Input(word) => {
                let reg = self.reg(RegisterType::Scalar(kind));
                self.push(Instr::Input(reg, *word));
                if self.ty(reg) == ty { reg } else { self.broadcast(reg, ty) }
            }
            LaneExpr::Primitive(word) => {
                let reg = self.reg(RegisterType::Scalar(kind));
                self.push(Instr::Primitive(reg, *word));
                if self.ty(reg) == ty { reg } else { self.broadcast(reg, ty) }
            }
            LaneExpr::Load { space, first, index: of } => {
                let from = self.fit_one(*of, rate, index);
                let reg = self.reg(ty);
                self.push(Instr::Load(reg, *space, *first, from));
                reg
            }
            LaneExpr::Lookup { words, first, index: of } => {
                let from = self.fit_one(*of, rate, index);
                let first = 2 * self.tables[words] + first;
                let reg = self.reg(ty);
                self.push(Instr::Load(reg, Space::Slots, first, from));
                reg
            }
            LaneExpr::At { array, first, index: of } => self.at(kind, *array, *first, *of, index),
            LaneExpr::Array(_)
            | LaneExpr::Table(_)
            | LaneExpr::Put { .. }
            | LaneExpr::Merge(..) => {
                self.store_words(value, expr, index);
                return;
            }
            LaneExpr::Coordinate(axis) => match (self.group, axis) {
                (Some(group), axis) => self.listed(ty, Column::of(*axis), index, group),
                // `Builder::row` has prepared the coordinates.
                (None, Axis::X) => self.coordinates[0][index],
                (None, Axis::Y) => self.coordinates[1][index],
            },
            LaneExpr::Invocation(input, k) => {
                let group = self.group.expect("invocations are listed");
                self.listed(ty, Column::Invocation(*input, *k), index, group)
            }
            LaneExpr::Saved(word) => {
                let group = self.group.expect("invocations are listed");
                self.listed(ty, Column::Saved(*word), index, group)
            }
            LaneExpr::ExecutionMask => match self.group {
                Some(group) => self.listed(ty, Column::Mask, index, group),
                None => {
                    let reg = self.reg(ty);
                    self.push(Instr::ExecutionMask(reg, index as u32));
                    reg
                }
            },
            LaneExpr::Op(op, operands) => {
                let regs = self.operation(*op, operands, kind, rate, index);
                self.map[value.index()].extend(regs);
                return;
            }
            LaneExpr::Elementary { function, operands, mask } => {
                let to = self.reg(ty);
                let is_vector = matches!(ty, RegisterType::Vector(_));
                let procedure = self.procedure(*function, is_vector);
                let mut arguments: Vec<Reg> =
                    operands.iter().map(|&v| self.fit_one(v, rate, index)).collect();
                if let (true, Some(mask)) = (is_vector, mask) {
                    arguments.push(self.mask_of(*mask, rate, index));
                }
                self.push(Instr::Call { procedure, to, arguments: arguments.into() });
                to
            }
            LaneExpr::Neighbour { of, axis, side } => {
                if self.shape.tile.extent(*axis) == 1 {
                    // All registers of the operand are computed before.
                    let index = self.shape.neighbour(index, rate, *axis, *side);
                    self.fit_one(*of, rate, index)
                } else {
                    let from = self.fit_one(*of, rate, index);
                    let reg = self.reg(ty);
                    self.push(Instr::Neighbour(reg, from, *axis, *side));
                    reg
                }
            }
            LaneExpr::Any(mask) => {
                let masks = self.fit(*mask, self.program.rate(*mask));
                if self.program.rate(*mask).is_uniform() {
                    masks[0]
                } else {
                    let reg = self.reg(ty);
                    self.push(Instr::Any(reg, masks.into()));
                    reg
                }
            }
        };
        self.map[value.index()].push(reg);
    }

    /// The number of a procedure.
    fn procedure(&mut self, function: Elementary, is_vector: bool) -> u32 {
        let this = (function, is_vector);
        let known = self.procedures.iter().position(|known| *known == this);
        known.unwrap_or_else(|| {
            self.procedures.push(this);
            self.procedures.len() - 1
        }) as u32
    }

    /// The union of the masks of all lanes that share a register of a value of `rate`.
    fn mask_of(&mut self, mask: ValueId, rate: Rate, index: usize) -> Reg {
        let ty = self.type_of(Kind::Mask, Rate::VARYING);
        let of = |i: &usize| self.shape.project(*i, Rate::VARYING, rate) == index;
        let mut sharing: Vec<usize> = (0..self.shape.registers(Rate::VARYING)).filter(of).collect();
        if is_active(Mutant::NarrowMask) {
            sharing.truncate(1);
        }
        let masks: Vec<Reg> =
            sharing.into_iter().map(|i| self.fit_one(mask, Rate::VARYING, i)).collect();
        masks[1..].iter().fold(masks[0], |all, &mask| self.op(ty, LaneOp::Or, &[all, mask]))
    }

    /// The registers of an operation's result for a register of lanes: two halves for binary64 and
    /// 64-bit integers.
    fn operation(
        &mut self,
        op: LaneOp,
        operands: &[ValueId],
        kind: Kind,
        rate: Rate,
        index: usize,
    ) -> Vec<Reg> {
        let program = self.program;
        let ty = self.type_of(kind, rate);
        let is_wide = |s: &Self, kind| s.parts(kind, rate) == 2;
        let any_is_wide = operands.iter().any(|&v| is_wide(self, program.kind(v)));
        if !any_is_wide && !is_wide(self, kind) {
            let operands: Vec<Reg> =
                operands.iter().map(|&v| self.fit_one(v, rate, index)).collect();
            let reg = self.op(ty, op, &operands);
            let compares =
                matches!(op, LaneOp::Less | LaneOp::LessEqual | LaneOp::Equal | LaneOp::NotEqual);
            if compares && self.ty(operands[0]) == RegisterType::Scalar(Kind::F32) {
                self.compares.insert(reg, (op, [operands[0], operands[1]]));
            }
            return vec![reg];
        }
        let operands: Vec<Lanes> = operands
            .iter()
            .map(|&v| match program.kind(v) {
                kind if is_wide(self, kind) => {
                    Lanes::Wide([0, 1].map(|half| self.fit_one(v, rate, 2 * index + half)))
                }
                Kind::Mask => {
                    let mask = self.fit_one(v, rate, index);
                    Lanes::Wide(self.halves(mask, RegisterType::WideMask))
                }
                _ => Lanes::Narrow(self.fit_one(v, rate, index)),
            })
            .collect();
        match self.lanewise(op, &operands, kind) {
            Lanes::Narrow(reg) => vec![reg],
            Lanes::Wide(halves) if kind == Kind::Mask => vec![self.join(ty, halves)],
            Lanes::Wide(halves) => halves.to_vec(),
        }
    }
}
