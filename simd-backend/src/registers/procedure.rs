//! Elementary functions as procedures.

use lambdav_frontend::op::Elementary;

use super::{Block, BlockId, End, Function, Instr, Procedure, Reg, Target, Type};
use crate::elementary::{Body, Step, V, body};
use crate::lanes::{Kind, Op};

/// The procedure of a function, for a register of lanes or for one number.
pub(super) fn procedure(elementary: Elementary, is_vector: bool) -> Procedure {
    let body = body(elementary);
    let mut builder =
        Builder { registers: Vec::new(), instrs: Vec::new(), values: Vec::new(), is_vector };
    let operands: Vec<Reg> =
        (0..elementary.arity()).map(|_| builder.reg(builder.ty(Kind::F32))).collect();
    let mask = is_vector.then(|| builder.reg(Type::Vector(Kind::Mask)));
    builder.steps(&body, &operands);

    let result = builder.values[body.result.0 as usize].regs[0];
    let mut undecided = builder.narrow(body.undecided);
    if let Some(mask) = mask {
        undecided = builder.op(Type::Vector(Kind::Mask), Op::And, &[undecided, mask]);
    }
    let condition = if is_vector {
        let any = builder.reg(Type::Scalar(Kind::Mask));
        builder.instrs.push(Instr::Any(any, [undecided].into()));
        any
    } else {
        undecided
    };
    let target = |block| Target { block: BlockId(block), arguments: Vec::new() };
    let params = operands.iter().copied().chain(mask).collect();
    let entry = Block {
        params,
        instrs: std::mem::take(&mut builder.instrs),
        end: End::Branch { condition, then: target(1), otherwise: target(2) },
        cold: false,
    };
    let ty = builder.ty(Kind::F32);
    let called = builder.reg(ty);
    builder.instrs.push(Instr::Callout {
        function: elementary,
        to: [called].into(),
        mask: [undecided].into(),
        operands: operands.into(),
    });
    let both = builder.op(ty, Op::Select, &[undecided, called, result]);
    let fallback =
        Block { params: Vec::new(), instrs: builder.instrs, end: End::Give(both), cold: true };
    let decided =
        Block { params: Vec::new(), instrs: Vec::new(), end: End::Give(result), cold: false };
    let code = Function { registers: builder.registers, blocks: vec![entry, fallback, decided] };
    Procedure { elementary, is_vector, code }
}

/// The registers of a value. A mask over vectors is in a register for lanes of 32 bits, in two for lanes of
/// 64 bits, or, once both have been wanted, in three.
#[derive(Default)]
struct Place {
    regs: Vec<Reg>,
    wide: Option<[Reg; 2]>,
}

struct Builder {
    registers: Vec<Type>,
    instrs: Vec<Instr>,
    values: Vec<Place>,
    is_vector: bool,
}

impl Builder {
    fn reg(&mut self, ty: Type) -> Reg {
        self.registers.push(ty);
        Reg(self.registers.len() as u32 - 1)
    }

    fn ty(&self, kind: Kind) -> Type {
        if self.is_vector { Type::Vector(kind) } else { Type::Scalar(kind) }
    }

    fn op(&mut self, ty: Type, op: Op, operands: &[Reg]) -> Reg {
        let reg = self.reg(ty);
        self.instrs.push(Instr::Op(reg, op, operands.into()));
        reg
    }

    /// A mask for lanes of 32 bits.
    fn narrow(&mut self, mask: V) -> Reg {
        let place = &self.values[mask.0 as usize];
        if let Some(&reg) = place.regs.first() {
            return reg;
        }
        let halves = place.wide.expect("it is somewhere");
        let reg = self.reg(Type::Vector(Kind::Mask));
        self.instrs.push(Instr::Join(reg, halves));
        self.values[mask.0 as usize].regs.push(reg);
        reg
    }

    /// A mask for lanes of 64 bits.
    fn wide(&mut self, mask: V) -> [Reg; 2] {
        let place = &self.values[mask.0 as usize];
        if let Some(halves) = place.wide {
            return halves;
        }
        let from = place.regs[0];
        let halves = self.halves(from, Type::WideMask);
        self.values[mask.0 as usize].wide = Some(halves);
        halves
    }

    fn halves(&mut self, from: Reg, ty: Type) -> [Reg; 2] {
        [false, true].map(|upper| {
            let reg = self.reg(ty);
            self.instrs.push(Instr::Half(reg, from, upper));
            reg
        })
    }

    fn steps(&mut self, body: &Body, operands: &[Reg]) {
        let is_wide = |kind| matches!(kind, Kind::F64 | Kind::I64);
        for (kind, step) in &body.steps {
            let ty = self.ty(*kind);
            let place = match step {
                Step::Operand(index) => Place { regs: vec![operands[*index]], wide: None },
                Step::Constant(bits) => {
                    let reg = self.reg(ty);
                    self.instrs.push(Instr::Constant(reg, *bits));
                    let count = if self.is_vector && is_wide(*kind) { 2 } else { 1 };
                    Place { regs: vec![reg; count], wide: None }
                }
                Step::MulAdd(of) => {
                    let columns = of.map(|v| self.values[v.0 as usize].regs.clone());
                    let regs = (0..columns[0].len())
                        .map(|half| {
                            let reg = self.reg(ty);
                            let operands = [0, 1, 2].map(|k: usize| columns[k][half]);
                            self.instrs.push(Instr::MulAdd(reg, operands));
                            reg
                        })
                        .collect();
                    Place { regs, wide: None }
                }
                Step::Op(op, of) if self.is_vector => {
                    let kinds: Vec<Kind> = of.iter().map(|v| body.steps[v.0 as usize].0).collect();
                    self.vector(*op, of, &kinds, *kind)
                }
                Step::Op(op, of) => {
                    let operands: Vec<Reg> =
                        of.iter().map(|v| self.values[v.0 as usize].regs[0]).collect();
                    Place { regs: vec![self.op(ty, *op, &operands)], wide: None }
                }
            };
            self.values.push(place);
        }
    }

    /// A step over vectors: once for lanes of 32 bits, twice for lanes of 64 bits.
    fn vector(&mut self, op: Op, of: &[V], kinds: &[Kind], to: Kind) -> Place {
        let is_wide = |kind: &Kind| matches!(kind, Kind::F64 | Kind::I64);
        let ty = Type::Vector(to);
        match op {
            Op::Promote => {
                let from = self.values[of[0].0 as usize].regs[0];
                return Place { regs: self.halves(from, ty).to_vec(), wide: None };
            }
            Op::Demote => {
                let from = &self.values[of[0].0 as usize].regs;
                let halves = [from[0], from[1]];
                let reg = self.reg(ty);
                self.instrs.push(Instr::Join(reg, halves));
                return Place { regs: vec![reg], wide: None };
            }
            _ => {}
        }
        let all_masks = kinds.iter().all(|&kind| kind == Kind::Mask);
        // Masks are combined where they are.
        let masks_are_wide =
            all_masks && of.iter().all(|v| self.values[v.0 as usize].wide.is_some());
        if !kinds.iter().any(is_wide) && !masks_are_wide {
            let operands: Vec<Reg> = of
                .iter()
                .zip(kinds)
                .map(|(&v, &kind)| match kind {
                    Kind::Mask => self.narrow(v),
                    _ => self.values[v.0 as usize].regs[0],
                })
                .collect();
            return Place { regs: vec![self.op(ty, op, &operands)], wide: None };
        }
        let columns: Vec<Vec<Reg>> = of
            .iter()
            .zip(kinds)
            .map(|(&v, &kind)| match kind {
                Kind::Mask => self.wide(v).to_vec(),
                _ => self.values[v.0 as usize].regs.clone(),
            })
            .collect();
        let ty = if to == Kind::Mask { Type::WideMask } else { ty };
        let halves = [0, 1].map(|half| {
            let operands: Vec<Reg> = columns.iter().map(|column| column[half]).collect();
            self.op(ty, op, &operands)
        });
        if to == Kind::Mask {
            Place { regs: Vec::new(), wide: Some(halves) }
        } else {
            Place { regs: halves.to_vec(), wide: None }
        }
    }
}
