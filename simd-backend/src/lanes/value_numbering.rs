//! Global value numbering with constant folding and algebraic simplification. (J. Cocke, J. T. Schwartz,
//! "Programming Languages and Their Compilers", 1970.)
//!
//! The core has done this for whole vectors. This pass works on components, such as those of `(+ p (vec3 0
//! 1 0))`. A simplification must hold for every float and preserve signs of zeros: x − 0 = x holds, but x +
//! 0 = x does not, since −0 + 0 = 0. Where limits of a value are known, shift counts are not taken modulo
//! 32, conversions to integers do not test the range, and redundant clamps are removed.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::interpret::apply;
use super::limits::{Limits, POSITIVE};
use super::{
    BlockId, End, Expr, Kind, LaneProgram, Op, Rate, Space, Statement, ValueId, ValueInfo,
};
use crate::lanes::walk::{Event, Walk};

/// Replaces each value by an earlier equal one.
pub(super) fn number_values(program: &mut LaneProgram) {
    let mut numbering = Numbering {
        known: FxHashMap::with_capacity_and_hasher(program.values.len(), FxBuildHasher),
        scope: Vec::new(),
        same: (0..program.values.len() as u32).map(ValueId).collect(),
        bits: vec![None; program.values.len()],
        limits: Limits::new(program),
        open: Vec::new(),
    };
    numbering.run(program);
}

type Key = (Kind, Expr);

struct Numbering {
    /// The available expressions at this point.
    known: FxHashMap<Key, ValueId>,
    /// The keys to remove at the end of their blocks. Keys of the root are never removed.
    scope: Vec<Key>,
    /// The blocks around this point.
    open: Vec<Open>,
    /// The replacement of each value.
    same: Vec<ValueId>,
    /// The bits of each value that is a constant.
    bits: Vec<Option<u64>>,
    limits: Limits,
}

/// A block that has begun.
struct Open {
    /// Number of keys in [`Numbering::scope`] that belong to outer blocks.
    outer: usize,
    /// For each statement seen so far, true if it stays.
    stays: Vec<bool>,
}

impl Numbering {
    fn run(&mut self, program: &mut LaneProgram) {
        let mut walk = Walk::new();
        while let Some(event) = walk.next(program) {
            match event {
                Event::Enter(_) => {
                    self.open.push(Open { outer: self.scope.len(), stays: Vec::new() });
                }
                Event::Statement(id, index) => {
                    let stays = self.statement(program, id, index);
                    let open = self.open.last_mut().expect("a block has begun");
                    open.stays.push(stays);
                }
                Event::After(..) => {}
                Event::End(id) => {
                    let open = self.open.last_mut().expect("a block has begun");
                    let mut stays = std::mem::take(&mut open.stays).into_iter();
                    let block = &mut program.blocks[id.index()];
                    block.statements.retain(|_| stays.next().unwrap_or(true));
                    match &mut block.end {
                        End::Yield(values) | End::Rec(values) => {
                            values.iter_mut().for_each(|value| self.replace(value));
                        }
                        End::If { condition, .. } => self.replace(condition),
                    }
                }
                Event::Leave(_) => {
                    let Open { outer, .. } = self.open.pop().expect("a block has begun");
                    for key in self.scope.drain(outer..) {
                        self.known.remove(&key);
                    }
                }
            }
        }
    }

    /// Rewrites a statement; false if it is to be removed.
    fn statement(&mut self, program: &mut LaneProgram, id: BlockId, index: usize) -> bool {
        let LaneProgram { values, blocks, .. } = program;
        match &mut blocks[id.index()].statements[index] {
            Statement::Let { value, expr } => return self.computation(values, *value, expr),
            Statement::If { condition, .. } => self.replace(condition),
            Statement::Loop { inits, .. } => inits.iter_mut().for_each(|v| self.replace(v)),
        }
        true
    }

    fn replace(&self, value: &mut ValueId) {
        *value = self.same[value.index()];
    }

    /// Rewrites a computation; false if it is to be removed.
    fn computation(&mut self, values: &[ValueInfo], value: ValueId, expr: &mut Expr) -> bool {
        match expr {
            Expr::Op(_, operands) => operands.iter_mut().for_each(|v| self.replace(v)),
            Expr::Elementary { operands, mask, .. } => {
                operands.iter_mut().chain(mask).for_each(|v| self.replace(v));
            }
            Expr::Any(of) | Expr::Neighbour { of, .. } => self.replace(of),
            Expr::Load { space, first, index } => {
                self.replace(index);
                if let (Space::Inputs, Some(bits)) = (*space, self.bits[index.index()]) {
                    *expr = Expr::Input(*first + bits as u32);
                }
            }
            Expr::Lookup { words, index, .. } => {
                words.iter_mut().chain([index]).for_each(|v| self.replace(v));
            }
            Expr::Array(words) => words.iter_mut().for_each(|v| self.replace(v)),
            Expr::At { array, first, index } => {
                self.replace(array);
                self.constant_index(first, index);
            }
            Expr::Put { array, first, index, word, mask } => {
                [array, word].into_iter().chain(mask).for_each(|v| self.replace(v));
                self.constant_index(first, index);
            }
            Expr::Merge(mask, arrays) => {
                arrays.iter_mut().chain([mask]).for_each(|v| self.replace(v));
            }
            // Any bits are allowed, so two of them need not be equal.
            Expr::Undefined => return true,
            Expr::Constant(_)
            | Expr::Input(_)
            | Expr::Primitive(_)
            | Expr::Table(_)
            | Expr::Coordinate(_)
            | Expr::ExecutionMask => {}
        }
        if let Expr::Op(op, operands) = expr {
            match self.simpler(values, *op, operands) {
                None => {}
                Some(Simpler::Operand(operand))
                    if values[value.index()].rate.includes(values[operand.index()].rate) =>
                {
                    self.same[value.index()] = operand;
                    return false;
                }
                Some(Simpler::Operand(_)) => {}
                Some(Simpler::Constant(bits)) => *expr = Expr::Constant(bits),
                Some(Simpler::Op(op, operands)) => *expr = Expr::Op(op, operands),
            }
        }
        self.limits.define(value, values[value.index()].kind, expr);
        if let Expr::Constant(bits) = *expr {
            // A constant does not replace a value of another rate: the rate decides how masks are
            // represented.
            self.bits[value.index()] = Some(bits);
            if values[value.index()].rate != Rate::FRAME {
                return true;
            }
        }
        let key = (values[value.index()].kind, expr.clone());
        match self.known.get(&key) {
            Some(&known) if values[value.index()].rate.includes(values[known.index()].rate) => {
                self.same[value.index()] = known;
                false
            }
            Some(_) => true,
            None => {
                if self.open.len() > 1 {
                    self.scope.push(key.clone());
                }
                self.known.insert(key, value);
                true
            }
        }
    }

    /// Folds a constant index into the offset.
    fn constant_index(&self, first: &mut u32, index: &mut Option<ValueId>) {
        if let Some(of) = index {
            self.replace(of);
            if let Some(bits) = self.bits[of.index()] {
                *first += bits as u32;
                *index = None;
            }
        }
    }

    /// A cheaper equivalent of an operation.
    fn simpler(&self, values: &[ValueInfo], op: Op, operands: &[ValueId]) -> Option<Simpler> {
        let kind = values[operands[0].index()].kind;
        let bits = |i: usize| self.bits[operands.get(i)?.index()];
        if (0..operands.len()).all(|i| bits(i).is_some()) {
            let mut words = [0; 3];
            for (i, word) in words.iter_mut().enumerate() {
                *word = bits(i).unwrap_or(0);
            }
            return Some(Simpler::Constant(apply(op, kind, words)));
        }
        if let (Op::Select, Some(condition)) = (op, bits(0)) {
            return Some(Simpler::Operand(operands[if condition == 0 { 2 } else { 1 }]));
        }
        if op == Op::Select && operands[1] == operands[2] {
            return Some(Simpler::Operand(operands[1]));
        }
        if kind == Kind::I32 {
            return self.simpler_integer(op, operands);
        }
        if kind != Kind::F32 {
            return None;
        }
        let number = |i: usize| bits(i).map(|bits| f32::from_bits(bits as u32));
        let is = |i: usize, value: f32| number(i).is_some_and(|n| n.to_bits() == value.to_bits());
        match op {
            Op::ToInteger | Op::ToUnsigned
                if self.limits.fits(operands[0], op == Op::ToUnsigned) =>
            {
                Some(Simpler::Op(Op::ToIntegerInRange, operands.into()))
            }
            Op::Sub if is(1, 0.0) => Some(Simpler::Operand(operands[0])),
            Op::Add if is(1, -0.0) => Some(Simpler::Operand(operands[0])),
            Op::Add if is(0, -0.0) => Some(Simpler::Operand(operands[1])),
            Op::Mul | Op::Div if is(1, 1.0) => Some(Simpler::Operand(operands[0])),
            Op::Mul if is(0, 1.0) => Some(Simpler::Operand(operands[1])),
            Op::Mul if is(0, 2.0) => Some(Simpler::Op(Op::Add, [operands[1]; 2].into())),
            Op::Mul if is(1, 2.0) => Some(Simpler::Op(Op::Add, [operands[0]; 2].into())),
            _ => None,
        }
    }
}

impl Numbering {
    /// [`Self::simpler`] for 32-bit integers.
    fn simpler_integer(&self, op: Op, operands: &[ValueId]) -> Option<Simpler> {
        let constant = |i: usize| {
            let operand = operands.get(i)?;
            self.bits[operand.index()].map(|bits| (bits as u32, operands[1 - i]))
        };
        let most = |i: usize| self.limits.most(operands[i]);
        if let Op::ShiftLeftBy | Op::ShiftRightBy | Op::ShiftRightSignedBy = op {
            let (count, of) = constant(1)?;
            let count = u8::try_from(count).ok().filter(|&count| count < 32)?;
            return Some(match op {
                _ if count == 0 => Simpler::Operand(of),
                Op::ShiftLeftBy => Simpler::Op(Op::ShiftLeft(count), [of].into()),
                Op::ShiftRightBy => Simpler::Op(Op::ShiftRight(count), [of].into()),
                _ => Simpler::Op(Op::ShiftRightSigned(count), [of].into()),
            });
        }
        match op {
            Op::ShiftLeft(0) | Op::ShiftRight(0) | Op::ShiftRightSigned(0) => {
                return Some(Simpler::Operand(operands[0]));
            }
            Op::ShiftRightSigned(count) => {
                let most = Some(most(0)).filter(|&most| most <= POSITIVE)?;
                return Some(match most.checked_shr(count.into()) {
                    None | Some(0) => Simpler::Constant(0),
                    Some(_) => Simpler::Op(Op::ShiftRight(count), operands.into()),
                });
            }
            Op::Sub => {
                let is_zero = constant(1)?.0 == 0;
                return is_zero.then_some(Simpler::Operand(operands[0]));
            }
            Op::FromUnsigned => {
                let is_same = most(0) <= POSITIVE;
                return is_same.then(|| Simpler::Op(Op::FromInteger, operands.into()));
            }
            Op::Add | Op::Or | Op::Xor | Op::And | Op::Mul | Op::MinUnsigned | Op::Max => {}
            _ => return None,
        }
        let (place, (bits, of)) = [1, 0].into_iter().find_map(|i| Some((i, constant(i)?)))?;
        match (op, bits) {
            (Op::Add | Op::Or | Op::Xor, 0) | (Op::Mul, 1) => Some(Simpler::Operand(of)),
            (Op::Mul | Op::And | Op::MinUnsigned, 0) => Some(Simpler::Constant(0)),
            // The `and` keeps all bits that the operand can have.
            (Op::And, _) if (bits.wrapping_add(1) & bits) == 0 && most(1 - place) <= bits => {
                Some(Simpler::Operand(of))
            }
            // Redundant clamps.
            (Op::MinUnsigned, _) if most(1 - place) <= bits => Some(Simpler::Operand(of)),
            (Op::Max, 0) if most(1 - place) <= POSITIVE => Some(Simpler::Operand(of)),
            (Op::Mul, _) if bits.is_power_of_two() => {
                Some(Simpler::Op(Op::ShiftLeft(bits.trailing_zeros() as u8), [of].into()))
            }
            _ => None,
        }
    }
}

enum Simpler {
    Operand(ValueId),
    Constant(u64),
    Op(Op, Box<[ValueId]>),
}
