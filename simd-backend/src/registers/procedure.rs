//! Elementary functions as procedures.
//!
//! The first block computes the body and tests whether an active lane is undecided; if none is, the procedure
//! returns. If there is a body for arguments beyond the range of the first ([`far_body`]), the next block
//! computes it in all lanes, and selects its results in the lanes beyond. The reference mathematics computes
//! the lanes that are still undecided. Both blocks are out of the way of the first. A procedure for one number
//! has no second body.

use lambdav_core::elementary::{Body, BodyKind, BodyOp, Step, V, body, far_body, wide_body};
use lambdav_core::op::Elementary;

use super::halves::{Assemble, Lanes};
use super::{
    BlockCall, BlockId, End, Instr, Procedure, Reg, RegisterBlock, RegisterFunction, RegisterType,
};
use crate::lanes::{Kind, LaneOp};
use crate::machine::Tile;
use crate::mutants::{Mutant, is_active};

/// The procedure of a function, for a register of lanes in `tile` or for one number.
pub(super) fn procedure(elementary: Elementary, tile: Option<Tile>) -> Procedure {
    let (is_vector, is_wide) = (tile.is_some(), tile.is_some_and(Tile::has_512_bits));
    let body = if is_wide { wide_body(elementary) } else { body(elementary) };
    let is_concat = |step: &Step| matches!(step, Step::Op(BodyOp::Concat, _));
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
    let mut tested = Vec::new();
    for chain in &masks.chains {
        let (narrow, rest) = chain.split_first().expect("it begins with words");
        builder.mix(&body, *narrow);
        builder.steps(&body, &operands, |v| rest.contains(&v));
        tested.push(builder.narrow(rest[rest.len() - 1]));
    }
    let mut undecided = Vec::new();
    let mut beyond = None;
    for &v in &masks.others {
        let found = match (mask, masks.opposites.iter().find(|&&(opposite, _)| opposite == v)) {
            (Some(mask), Some(&(_, of))) => {
                let of = builder.narrow(of);
                builder.op(RegisterType::Vector(Kind::Mask), LaneOp::AndNot, &[mask, of])
            }
            _ => {
                let found = builder.narrow(v);
                builder.active(found, mask)
            }
        };
        if body.beyond == Some(v) {
            beyond = Some(found);
        }
        undecided.push(found);
    }
    tested.extend(&undecided);
    let condition = builder.any(tested);
    let params = operands.iter().copied().chain(mask).collect();
    let entry = builder.block(params, branch(condition, 1, 2), false);
    for chain in &masks.chains {
        builder.steps(&body, &operands, |v| chain.contains(&v));
        let found = builder.narrow(chain[chain.len() - 1]);
        undecided.push(builder.active(found, mask));
    }
    let of_masks = builder.ty(Kind::Mask);
    let undecided = undecided.into_iter().reduce(|a, b| builder.op(of_masks, LaneOp::Or, &[a, b]));
    let near = Outcome { result, undecided: undecided.expect("there is a rounding test") };

    let far = far_body(elementary, is_wide).filter(|_| is_vector);
    let blocks = match far.zip(body.beyond) {
        Some((far, of)) => {
            let beyond = beyond.unwrap_or_else(|| {
                let found = builder.narrow(of);
                builder.active(found, mask)
            });
            let all = builder.far(&far, &operands, near, beyond);
            let condition = builder.any(vec![all.undecided]);
            let second = builder.block(Vec::new(), branch(condition, 3, 4), true);
            let fallback = builder.fallback(elementary, operands, all);
            vec![entry, second, returning(result), fallback, returning(all.result)]
        }
        None => {
            let fallback = builder.fallback(elementary, operands, near);
            vec![entry, fallback, returning(result)]
        }
    };
    let code = RegisterFunction { registers: builder.registers, blocks, spill_slots: 0 };
    Procedure { elementary, is_vector, code }
}

/// The results of lanes.
#[derive(Clone, Copy)]
struct Outcome {
    result: Reg,
    /// A mask: active lanes whose result must not be used.
    undecided: Reg,
}

fn branch(condition: Reg, then: u32, otherwise: u32) -> End {
    let [then, otherwise] =
        [then, otherwise].map(|block| BlockCall { block: BlockId(block), arguments: Vec::new() });
    End::Branch { condition, then, otherwise }
}

fn returning(result: Reg) -> RegisterBlock {
    let (params, instrs) = (Vec::new(), Vec::new());
    RegisterBlock { params, instrs, end: End::ReturnValue(result), cold: false }
}

/// The tests of a body for undecided lanes: masks whose union is the set of undecided lanes.
///
/// With registers of 512 bits each mask is tested by itself: comparisons are made in the active
/// lanes alone, and one instruction tests two masks. The words of two registers can be collected in
/// two ways: in any order, by one cheap instruction, or in the order of the lanes. Tests on such
/// words are computed in any order first, and in the order of the lanes only if the first test
/// finds an undecided lane. (It may find an inactive lane, too.)
struct Tests {
    /// For each mask made of words: these, and the values computed from them up to the mask.
    chains: Vec<Vec<V>>,
    /// The other masks.
    others: Vec<V>,
    /// The disjunctions of masks.
    unions: Vec<V>,
    /// The negations among the other masks, each with its operand.
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
            Step::Op(BodyOp::Or, of) => {
                self.unions.push(mask);
                of.iter().for_each(|&v| self.split(body, v, is_paired));
                return;
            }
            Step::Op(BodyOp::Not, of) => self.opposites.push((mask, of[0])),
            _ => {}
        }
        match chain(body, mask).filter(|_| !is_paired) {
            Some(chain) => self.chains.push(chain),
            None => self.others.push(mask),
        }
    }

    /// True if only the tests use a value.
    fn has(&self, v: V) -> bool {
        self.unions.contains(&v)
            || self.opposites.iter().any(|&(opposite, _)| opposite == v)
            || self.chains.iter().any(|chain| chain.contains(&v))
    }
}

/// The values from words to a mask, if the mask depends only on these and on constants.
fn chain(body: &Body, mask: V) -> Option<Vec<V>> {
    let step = |v: V| &body.steps[v.0 as usize].1;
    let mut chain = vec![mask];
    loop {
        let Step::Op(op, of) = step(chain[chain.len() - 1]) else { return None };
        if *op == BodyOp::Narrow {
            chain.reverse();
            return Some(chain);
        }
        let mut others = of.iter().filter(|&&v| !matches!(step(v), Step::Constant(_)));
        let (Some(&v), None) = (others.next(), others.next()) else { return None };
        chain.push(v);
    }
}

/// The registers of a value. A mask over vectors is narrow or wide or, once both forms have been
/// used, both.
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
        narrow.or(self.wide.map(Lanes::Wide)).expect("it has a form")
    }
}

struct Builder {
    registers: Vec<RegisterType>,
    instrs: Vec<Instr>,
    values: Vec<Forms>,
    is_vector: bool,
    /// True if lanes of 64 bits are ordered as by [`Instr::Concat`], false if as by
    /// [`Instr::Half`].
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

    /// A block of the instructions since the last one.
    fn block(&mut self, params: Vec<Reg>, end: End, cold: bool) -> RegisterBlock {
        RegisterBlock { params, instrs: std::mem::take(&mut self.instrs), end, cold }
    }

    /// The lanes of a mask that are active.
    fn active(&mut self, found: Reg, mask: Option<Reg>) -> Reg {
        let ty = self.ty(Kind::Mask);
        mask.map_or(found, |mask| self.op(ty, LaneOp::And, &[found, mask]))
    }

    /// True if a lane of any of the masks is set. A scalar is its own test.
    fn any(&mut self, masks: Vec<Reg>) -> Reg {
        if !self.is_vector {
            return masks[0];
        }
        let any = self.reg(RegisterType::Scalar(Kind::Mask));
        self.push(Instr::Any(any, masks.into()));
        any
    }

    /// The outcome of `near`, but that of the body `far` in the lanes of the mask `beyond`.
    fn far(&mut self, far: &Body, operands: &[Reg], near: Outcome, beyond: Reg) -> Outcome {
        let of_masks = self.ty(Kind::Mask);
        let of_near = self.op(of_masks, LaneOp::AndNot, &[near.undecided, beyond]);
        self.values.clear();
        self.steps(far, operands, |_| true);
        let (result, undecided) = (self.narrow(far.result), self.narrow(far.undecided));
        let of_far = self.op(of_masks, LaneOp::And, &[undecided, beyond]);
        let undecided = self.op(of_masks, LaneOp::Or, &[of_far, of_near]);
        if is_active(Mutant::NearResult) {
            return Outcome { undecided, ..near };
        }
        let operands = [beyond, result, near.result];
        Outcome { result: self.op(self.ty(Kind::F32), LaneOp::Select, &operands), undecided }
    }

    /// A block that computes the undecided lanes by the reference mathematics, and returns.
    fn fallback(&mut self, of: Elementary, operands: Vec<Reg>, lanes: Outcome) -> RegisterBlock {
        let (ty, mask) = (self.ty(Kind::F32), lanes.undecided);
        let called = self.reg(ty);
        let operands = operands.into();
        self.push(Instr::Callout { function: of, to: called, mask, operands });
        let both = self.op(ty, LaneOp::Select, &[mask, called, lanes.result]);
        self.block(Vec::new(), End::ReturnValue(both), true)
    }

    /// The registers of a value that is no mask, or of a scalar.
    fn lanes(&self, value: V) -> Lanes {
        self.values[value.0 as usize].lanes()
    }

    /// The register of a value with 32 bits a lane, or of a scalar.
    fn narrow(&mut self, value: V) -> Reg {
        let place = self.values[value.0 as usize];
        if let Some(reg) = place.narrow {
            return reg;
        }
        let reg = self.join(RegisterType::Vector(Kind::Mask), place.wide.expect("it has a form"));
        self.values[value.0 as usize].narrow = Some(reg);
        reg
    }

    /// The two registers of a mask for lanes of 64 bits.
    fn wide(&mut self, mask: V) -> [Reg; 2] {
        let place = self.values[mask.0 as usize];
        if let Some(halves) = place.wide {
            return halves;
        }
        let halves = self.halves(place.narrow.expect("it has a form"), RegisterType::WideMask);
        self.values[mask.0 as usize].wide = Some(halves);
        halves
    }

    /// Computes the words of a value of 64-bit lanes in any order.
    fn mix(&mut self, body: &Body, narrow: V) {
        let Step::Op(_, of) = &body.steps[narrow.0 as usize].1 else {
            unreachable!("words are the result of an operation")
        };
        self.values[narrow.0 as usize] = self.words(of[0], false).into();
    }

    fn words(&mut self, of: V, is_upper: bool) -> Lanes {
        let Lanes::Wide(halves) = self.lanes(of) else { unreachable!("words are of 64-bit lanes") };
        let reg = self.reg(self.ty(Kind::I32));
        self.push(Instr::Words(reg, halves, is_upper));
        Lanes::Narrow(reg)
    }

    /// Emits the steps of a body for which `is_made` holds.
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
                Step::Op(BodyOp::Part(part), of) => {
                    let from = self.lanes(of[0]);
                    Lanes::Wide([0, 1].map(|half| {
                        let reg = self.reg(ty);
                        self.push(Instr::Part(reg, *part, from.half(half)));
                        reg
                    }))
                }
                Step::Op(BodyOp::Concat, of) => {
                    let of = [0, 1].map(|i| self.narrow(of[i]));
                    Lanes::Wide([false, true].map(|is_upper| {
                        let reg = self.reg(ty);
                        self.push(Instr::Concat(reg, of, is_upper));
                        reg
                    }))
                }
                Step::Op(BodyOp::Upper, of) => self.words(of[0], true),
                Step::Op(BodyOp::Narrow, of) if self.is_paired => self.words(of[0], false),
                Step::Op(BodyOp::Funnel(by), of) => {
                    let (of, reg) = ([0, 1].map(|i| self.narrow(of[i])), self.reg(ty));
                    self.push(Instr::Funnel(reg, *by, of));
                    Lanes::Narrow(reg)
                }
                Step::Op(BodyOp::Logic(table), of) => {
                    let (of, reg) = ([0, 1, 2].map(|i| self.narrow(of[i])), self.reg(ty));
                    self.push(Instr::Logic(reg, *table, of));
                    Lanes::Narrow(reg)
                }
                Step::Op(BodyOp::Table(table), of) => {
                    let (of, reg) = (self.narrow(of[0]), self.reg(ty));
                    let mut table = Box::new(**table);
                    table.rotate_left(usize::from(is_active(Mutant::ShiftedTable)));
                    self.push(Instr::Table(reg, table, of));
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

    /// A step over vectors. Masks are combined in the form that all of them have.
    fn vector(&mut self, op: LaneOp, of: &[V], kinds: &[Kind], to: Kind) -> Lanes {
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

/// The lane program's kind for a kind of a body.
fn lane_kind(kind: BodyKind) -> Kind {
    match kind {
        BodyKind::F32 => Kind::F32,
        BodyKind::F64 => Kind::F64,
        BodyKind::I32 => Kind::I32,
        BodyKind::I64 => Kind::I64,
        BodyKind::Mask => Kind::Mask,
    }
}

/// The lane program's operation for an operation of a body.
fn lane_op(op: BodyOp) -> LaneOp {
    match op {
        BodyOp::Neg => LaneOp::Neg,
        BodyOp::Abs => LaneOp::Abs,
        BodyOp::Trunc => LaneOp::Trunc,
        BodyOp::Sqrt => LaneOp::Sqrt,
        BodyOp::Add => LaneOp::Add,
        BodyOp::Sub => LaneOp::Sub,
        BodyOp::Mul => LaneOp::Mul,
        BodyOp::Div => LaneOp::Div,
        BodyOp::Min => LaneOp::Min,
        BodyOp::Max => LaneOp::Max,
        BodyOp::Less => LaneOp::Less,
        BodyOp::Equal => LaneOp::Equal,
        BodyOp::NotEqual => LaneOp::NotEqual,
        BodyOp::And => LaneOp::And,
        BodyOp::AndNot => LaneOp::AndNot,
        BodyOp::Or => LaneOp::Or,
        BodyOp::Not => LaneOp::Not,
        BodyOp::ShiftLeft(count) => LaneOp::ShiftLeft(count),
        BodyOp::ShiftRight(count) => LaneOp::ShiftRight(count),
        BodyOp::Select => LaneOp::Select,
        BodyOp::Promote => LaneOp::Promote,
        BodyOp::Demote => LaneOp::Demote,
        BodyOp::Narrow => LaneOp::Narrow,
        BodyOp::Bits => LaneOp::Bits,
        BodyOp::Table(_)
        | BodyOp::Part(_)
        | BodyOp::Concat
        | BodyOp::Upper
        | BodyOp::Funnel(_)
        | BodyOp::Logic(_) => {
            unreachable!("it is an instruction of its own")
        }
    }
}
