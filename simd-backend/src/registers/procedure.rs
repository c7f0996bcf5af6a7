//! Elementary functions as procedures.

use lambdav_core::elementary::{self, Body, Step, V, body, wide_body};
use lambdav_core::op::Elementary;

use super::halves::{Assemble, Lanes};
use super::{Block, BlockCall, BlockId, End, Function, Instr, Procedure, Reg, RegisterType};
use crate::lanes::{Kind, Op};
use crate::machine::Tile;

/// The procedure of a function, for a register of lanes or for one number.
pub(super) fn procedure(elementary: Elementary, tile: Option<Tile>) -> Procedure {
    let (is_vector, is_wide) = (tile.is_some(), tile.is_some_and(Tile::has_512_bits));
    let body = if is_wide { wide_body(elementary) } else { body(elementary) };
    let is_concat = |step: &Step| matches!(step, Step::Op(elementary::Op::Concat, _));
    let is_paired = body.steps.iter().any(|(_, step)| is_concat(step));
    let mut builder = Builder {
        registers: Vec::new(),
        instrs: Vec::new(),
        values: Vec::new(),
        is_vector,
        is_paired,
    };
    let operands: Vec<Reg> =
        (0..elementary.arity()).map(|_| builder.reg(builder.ty(Kind::F32))).collect();
    let mask = is_vector.then(|| builder.reg(RegisterType::Vector(Kind::Mask)));
    let masks = Tests::new(&body, is_wide, is_paired);
    builder.steps(&body, &operands, |v| !masks.has(v));

    let result = builder.narrow(body.result);
    let of_masks = builder.ty(Kind::Mask);
    let active = |builder: &mut Builder, found| match mask {
        Some(mask) => builder.op(of_masks, Op::And, &[found, mask]),
        None => found,
    };
    let mut tested = Vec::new();
    for chain in &masks.chains {
        let (narrow, rest) = chain.split_first().expect("it begins with words");
        builder.mix(&body, *narrow);
        builder.steps(&body, &operands, |v| rest.contains(&v));
        tested.push(builder.narrow(rest[rest.len() - 1]));
    }
    let mut undecided = Vec::new();
    for &v in &masks.others {
        undecided.push(
            match (mask, masks.opposites.iter().find(|&&(opposite, _)| opposite == v)) {
                (Some(mask), Some(&(_, of))) => {
                    let of = builder.narrow(of);
                    builder.op(of_masks, Op::AndNot, &[mask, of])
                }
                _ => {
                    let found = builder.narrow(v);
                    active(&mut builder, found)
                }
            },
        );
    }
    tested.extend(&undecided);
    let condition = if is_vector {
        let any = builder.reg(RegisterType::Scalar(Kind::Mask));
        builder.instrs.push(Instr::Any(any, tested.into()));
        any
    } else {
        tested[0]
    };
    let target = |block| BlockCall { block: BlockId(block), arguments: Vec::new() };
    let params = operands.iter().copied().chain(mask).collect();
    let entry = Block {
        params,
        instrs: std::mem::take(&mut builder.instrs),
        end: End::Branch { condition, then: target(1), otherwise: target(2) },
        cold: false,
    };
    for chain in &masks.chains {
        builder.steps(&body, &operands, |v| chain.contains(&v));
        let found = builder.narrow(chain[chain.len() - 1]);
        undecided.push(active(&mut builder, found));
    }
    let ty = builder.ty(Kind::F32);
    let undecided = undecided.into_iter().reduce(|a, b| builder.op(of_masks, Op::Or, &[a, b]));
    let undecided = undecided.expect("there is a rounding test");
    let called = builder.reg(ty);
    builder.instrs.push(Instr::Callout {
        function: elementary,
        to: called,
        mask: undecided,
        operands: operands.into(),
    });
    let both = builder.op(ty, Op::Select, &[undecided, called, result]);
    let fallback = Block {
        params: Vec::new(),
        instrs: builder.instrs,
        end: End::ReturnValue(both),
        cold: true,
    };
    let decided = Block {
        params: Vec::new(),
        instrs: Vec::new(),
        end: End::ReturnValue(result),
        cold: false,
    };
    let blocks = vec![entry, fallback, decided];
    let code = Function { registers: builder.registers, blocks, spill_slots: 0 };
    Procedure { elementary, is_vector, code }
}

/// How it is found out whether a body decides: by masks, of which one has each lane that it does not.
///
/// With registers of 512 bits each mask is tested by itself: comparisons take the active lanes alone, and two masks are
/// tested at once. What is computed of the words of two registers, where these are not in the order of the lanes, is computed in
/// any order, which takes one cheap instruction, and in theirs where it says that a lane is not decided. (An inactive one may
/// then say so, too.)
struct Tests {
    /// Of each mask that is made of words: these, and what is computed of them up to the mask.
    chains: Vec<Vec<V>>,
    /// The other masks.
    others: Vec<V>,
    /// What combines them.
    unions: Vec<V>,
    /// Those of the others that are the opposite of a mask, with that.
    opposites: Vec<(V, V)>,
}

impl Tests {
    fn new(body: &Body, is_split: bool, is_paired: bool) -> Self {
        let mut tests = Self {
            chains: Vec::new(),
            others: Vec::new(),
            unions: Vec::new(),
            opposites: Vec::new(),
        };
        if is_split {
            tests.split(body, body.undecided, is_paired);
        } else {
            tests.others.push(body.undecided);
        }
        tests
    }

    fn split(&mut self, body: &Body, mask: V, is_paired: bool) {
        match &body.steps[mask.0 as usize].1 {
            Step::Op(elementary::Op::Or, of) => {
                self.unions.push(mask);
                of.iter().for_each(|&v| self.split(body, v, is_paired));
                return;
            }
            Step::Op(elementary::Op::Not, of) => self.opposites.push((mask, of[0])),
            _ => {}
        }
        match chain(body, mask).filter(|_| !is_paired) {
            Some(chain) => self.chains.push(chain),
            None => self.others.push(mask),
        }
    }

    /// Whether a value is of these alone.
    fn has(&self, v: V) -> bool {
        self.unions.contains(&v)
            || self.opposites.iter().any(|&(opposite, _)| opposite == v)
            || self.chains.iter().any(|chain| chain.contains(&v))
    }
}

/// From words to a mask, if that is computed of nothing but these and constants.
fn chain(body: &Body, mask: V) -> Option<Vec<V>> {
    let step = |v: V| &body.steps[v.0 as usize].1;
    let mut chain = vec![mask];
    loop {
        let Step::Op(op, of) = step(chain[chain.len() - 1]) else { return None };
        if *op == elementary::Op::Narrow {
            chain.reverse();
            return Some(chain);
        }
        let mut others = of.iter().filter(|&&v| !matches!(step(v), Step::Constant(_)));
        let (Some(&v), None) = (others.next(), others.next()) else { return None };
        chain.push(v);
    }
}

/// The registers of a value. A mask over vectors is narrow or wide, or, once both have been used,
/// both.
#[derive(Clone, Copy, Default)]
struct Forms {
    narrow: Option<Reg>,
    wide: Option<[Reg; 2]>,
}

impl From<Lanes> for Forms {
    fn from(lanes: Lanes) -> Self {
        match lanes {
            Lanes::Narrow(reg) => Self { narrow: Some(reg), wide: None },
            Lanes::Wide(halves) => Self { narrow: None, wide: Some(halves) },
        }
    }
}

impl Forms {
    fn lanes(self) -> Lanes {
        let narrow = self.narrow.map(Lanes::Narrow);
        narrow.or(self.wide.map(Lanes::Wide)).expect("it is somewhere")
    }
}

struct Builder {
    registers: Vec<RegisterType>,
    instrs: Vec<Instr>,
    values: Vec<Forms>,
    is_vector: bool,
    /// Whether lanes of 64 bits lie as [`Instr::Concat`] puts them, rather than as [`Instr::Half`] does.
    is_paired: bool,
}

impl Assemble for Builder {
    fn reg(&mut self, ty: RegisterType) -> Reg {
        self.registers.push(ty);
        Reg(self.registers.len() as u32 - 1)
    }

    fn push(&mut self, instr: Instr) {
        self.instrs.push(instr);
    }
}

impl Builder {
    fn ty(&self, kind: Kind) -> RegisterType {
        if self.is_vector { RegisterType::Vector(kind) } else { RegisterType::Scalar(kind) }
    }

    /// A value of numbers, or of scalars.
    fn lanes(&self, value: V) -> Lanes {
        self.values[value.0 as usize].lanes()
    }

    /// The one register of a value of 32 bits a lane, or of a scalar.
    fn narrow(&mut self, value: V) -> Reg {
        let place = self.values[value.0 as usize];
        if let Some(reg) = place.narrow {
            return reg;
        }
        let reg = self.join(RegisterType::Vector(Kind::Mask), place.wide.expect("it is somewhere"));
        self.values[value.0 as usize].narrow = Some(reg);
        reg
    }

    /// A mask for lanes of 64 bits.
    fn wide(&mut self, mask: V) -> [Reg; 2] {
        let place = self.values[mask.0 as usize];
        if let Some(halves) = place.wide {
            return halves;
        }
        let halves = self.halves(place.narrow.expect("it is somewhere"), RegisterType::WideMask);
        self.values[mask.0 as usize].wide = Some(halves);
        halves
    }

    /// The words of a value, which is computed of others of 64 bits, in any order.
    fn mix(&mut self, body: &Body, narrow: V) {
        let Step::Op(_, of) = &body.steps[narrow.0 as usize].1 else {
            unreachable!("words are made of others")
        };
        self.values[narrow.0 as usize] = self.words(of[0], false).into();
    }

    fn words(&mut self, of: V, is_upper: bool) -> Lanes {
        let Lanes::Wide(halves) = self.lanes(of) else { unreachable!("of 64 bits") };
        let reg = self.reg(self.ty(Kind::I32));
        self.push(Instr::Words(reg, halves, is_upper));
        Lanes::Narrow(reg)
    }

    /// Makes those steps of a body.
    fn steps(&mut self, body: &Body, operands: &[Reg], is_made: impl Fn(V) -> bool) {
        self.values.resize(body.steps.len(), Forms::default());
        for (v, (kind, step)) in (0..).map(V).zip(&body.steps) {
            if !is_made(v) {
                continue;
            }
            let kind = lane_kind(*kind);
            let ty = self.ty(kind);
            let lanes = match step {
                Step::Operand(index) => Lanes::Narrow(operands[*index]),
                Step::Constant(bits) => {
                    let reg = self.reg(ty);
                    self.push(Instr::Constant(reg, *bits));
                    if self.is_vector && is_wide(kind) {
                        Lanes::Wide([reg; 2])
                    } else {
                        Lanes::Narrow(reg)
                    }
                }
                Step::MulAdd(of) => {
                    let (of, is_vector) = (of.map(|v| self.lanes(v)), self.is_vector);
                    let mut at = |half| {
                        let reg = self.reg(ty);
                        self.push(Instr::MulAdd(reg, of.map(|v| v.half(half))));
                        reg
                    };
                    if is_vector { Lanes::Wide([0, 1].map(at)) } else { Lanes::Narrow(at(0)) }
                }
                Step::Op(elementary::Op::Part(part), of) => {
                    let from = self.lanes(of[0]);
                    Lanes::Wide([0, 1].map(|half| {
                        let reg = self.reg(ty);
                        self.push(Instr::Part(reg, *part, from.half(half)));
                        reg
                    }))
                }
                Step::Op(elementary::Op::Concat, of) => {
                    let of = [0, 1].map(|i| self.narrow(of[i]));
                    Lanes::Wide([false, true].map(|is_upper| {
                        let reg = self.reg(ty);
                        self.push(Instr::Concat(reg, of, is_upper));
                        reg
                    }))
                }
                Step::Op(elementary::Op::Upper, of) => self.words(of[0], true),
                Step::Op(elementary::Op::Narrow, of) if self.is_paired => self.words(of[0], false),
                Step::Op(elementary::Op::Funnel(by), of) => {
                    let (of, reg) = ([0, 1].map(|i| self.narrow(of[i])), self.reg(ty));
                    self.push(Instr::Funnel(reg, *by, of));
                    Lanes::Narrow(reg)
                }
                Step::Op(elementary::Op::Logic(table), of) => {
                    let (of, reg) = ([0, 1, 2].map(|i| self.narrow(of[i])), self.reg(ty));
                    self.push(Instr::Logic(reg, *table, of));
                    Lanes::Narrow(reg)
                }
                Step::Op(op, of) if self.is_vector => {
                    let kinds = of.iter().map(|v| lane_kind(body.steps[v.0 as usize].0));
                    self.vector(lane_op(*op), of, &kinds.collect::<Vec<_>>(), kind)
                }
                Step::Op(op, of) => {
                    let operands: Vec<Reg> = of.iter().map(|&v| self.narrow(v)).collect();
                    Lanes::Narrow(self.op(ty, lane_op(*op), &operands))
                }
            };
            self.values[v.0 as usize] = lanes.into();
        }
    }

    /// A step over vectors. Masks are combined where they are.
    fn vector(&mut self, op: Op, of: &[V], kinds: &[Kind], to: Kind) -> Lanes {
        let of_masks = kinds.iter().all(|&kind| kind == Kind::Mask);
        let mut operands_in_halves = of.iter().map(|v| self.values[v.0 as usize].wide.is_some());
        let masks_are_wide = if of_masks {
            operands_in_halves.all(|wide| wide)
        } else {
            kinds.iter().any(|&kind| is_wide(kind))
        };
        let operands: Vec<Lanes> = of
            .iter()
            .zip(kinds)
            .map(|(&v, &kind)| match kind {
                Kind::Mask if masks_are_wide => Lanes::Wide(self.wide(v)),
                Kind::Mask => Lanes::Narrow(self.narrow(v)),
                _ => self.lanes(v),
            })
            .collect();
        self.lanewise(op, &operands, to)
    }
}

fn is_wide(kind: Kind) -> bool {
    matches!(kind, Kind::F64 | Kind::I64)
}

/// A kind of a body as one of lanes.
fn lane_kind(kind: elementary::Kind) -> Kind {
    match kind {
        elementary::Kind::F32 => Kind::F32,
        elementary::Kind::F64 => Kind::F64,
        elementary::Kind::I32 => Kind::I32,
        elementary::Kind::I64 => Kind::I64,
        elementary::Kind::Mask => Kind::Mask,
    }
}

/// An operation of a body as one of lanes.
fn lane_op(op: elementary::Op) -> Op {
    match op {
        elementary::Op::Neg => Op::Neg,
        elementary::Op::Abs => Op::Abs,
        elementary::Op::Trunc => Op::Trunc,
        elementary::Op::Sqrt => Op::Sqrt,
        elementary::Op::Add => Op::Add,
        elementary::Op::Sub => Op::Sub,
        elementary::Op::Mul => Op::Mul,
        elementary::Op::Div => Op::Div,
        elementary::Op::Min => Op::Min,
        elementary::Op::Max => Op::Max,
        elementary::Op::Less => Op::Less,
        elementary::Op::Equal => Op::Equal,
        elementary::Op::NotEqual => Op::NotEqual,
        elementary::Op::And => Op::And,
        elementary::Op::AndNot => Op::AndNot,
        elementary::Op::Or => Op::Or,
        elementary::Op::Not => Op::Not,
        elementary::Op::ShiftLeft(count) => Op::ShiftLeft(count),
        elementary::Op::ShiftRight(count) => Op::ShiftRight(count),
        elementary::Op::Select => Op::Select,
        elementary::Op::Promote => Op::Promote,
        elementary::Op::Demote => Op::Demote,
        elementary::Op::Narrow => Op::Narrow,
        elementary::Op::Bits => Op::Bits,
        elementary::Op::Part(_)
        | elementary::Op::Concat
        | elementary::Op::Upper
        | elementary::Op::Funnel(_)
        | elementary::Op::Logic(_) => unreachable!("it is an instruction of its own"),
    }
}
