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
    BlockId, Kind, LaneEnd, LaneExpr, LaneOp, LaneProgram, LaneStatement, Rate, Space, ValueId,
    ValueInfo,
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

type Key = (Kind, LaneExpr);

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
                        LaneEnd::Yield(values) | LaneEnd::Rec(values) => {
                            values.iter_mut().for_each(|value| self.replace(value));
                        }
                        LaneEnd::If { condition, .. } => self.replace(condition),
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
            LaneStatement::Let { value, expr } => return self.computation(values, *value, expr),
            LaneStatement::Access { access, .. } => {
                access.operands_mut().for_each(|operand| self.replace(operand));
            }
            LaneStatement::If { condition, .. } => self.replace(condition),
            LaneStatement::Loop { inits, .. } => inits.iter_mut().for_each(|v| self.replace(v)),
        }
        true
    }

    fn replace(&self, value: &mut ValueId) {
        *value = self.same[value.index()];
    }

    /// Rewrites a computation; false if it is to be removed.
    fn computation(&mut self, values: &[ValueInfo], value: ValueId, expr: &mut LaneExpr) -> bool {
        match expr {
            LaneExpr::Op(_, operands) => operands.iter_mut().for_each(|v| self.replace(v)),
            LaneExpr::Elementary { operands, mask, .. } => {
                operands.iter_mut().chain(mask).for_each(|v| self.replace(v));
            }
            LaneExpr::Any(of) | LaneExpr::Neighbour { of, .. } => self.replace(of),
            LaneExpr::Load { space, first, index } => {
                self.replace(index);
                if let (Space::Inputs, Some(bits)) = (*space, self.bits[index.index()]) {
                    *expr = LaneExpr::Input(*first + bits as u32);
                }
            }
            LaneExpr::Lookup { words, index, .. } => {
                words.iter_mut().chain([index]).for_each(|v| self.replace(v));
            }
            LaneExpr::Array(words) => words.iter_mut().for_each(|v| self.replace(v)),
            LaneExpr::At { array, first, index } => {
                self.replace(array);
                self.constant_index(first, index);
            }
            LaneExpr::Put { array, first, index, word, mask } => {
                [array, word].into_iter().chain(mask).for_each(|v| self.replace(v));
                self.constant_index(first, index);
            }
            LaneExpr::Merge(mask, arrays) => {
                arrays.iter_mut().chain([mask]).for_each(|v| self.replace(v));
            }
            // Any bits are allowed, so two of them need not be equal.
            LaneExpr::Undefined => return true,
            LaneExpr::Constant(_)
            | LaneExpr::Input(_)
            | LaneExpr::Primitive(_)
            | LaneExpr::Table(_)
            | LaneExpr::Coordinate(_)
            | LaneExpr::Invocation(..)
            | LaneExpr::Saved(_)
            | LaneExpr::ExecutionMask => {}
        }
        if let LaneExpr::Op(op, operands) = expr {
            match self.simpler(values, *op, operands) {
                None => {}
                Some(Simpler::Operand(operand))
                    if values[value.index()].rate.includes(values[operand.index()].rate) =>
                {
                    self.same[value.index()] = operand;
                    return false;
                }
                Some(Simpler::Operand(_)) => {}
                Some(Simpler::Constant(bits)) => *expr = LaneExpr::Constant(bits),
                Some(Simpler::Op(op, operands)) => *expr = LaneExpr::Op(op, operands),
            }
        }
        self.limits.define(value, values[value.index()].kind, expr);
        if let LaneExpr::Constant(bits) = *expr {
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
    fn simpler(&self, values: &[ValueInfo], op: LaneOp, operands: &[ValueId]) -> Option<Simpler> {
        let kind = values[operands[0].index()].kind;
        let bits = |i: usize| self.bits[operands.get(i)?.index()];
        if (0..operands.len()).all(|i| bits(i).is_some()) {
            let mut words = [0; 3];
            for (i, word) in words.iter_mut().enumerate() {
                *word = bits(i).unwrap_or(0);
            }
            return Some(Simpler::Constant(apply(op, kind, words)));
        }
        if let (LaneOp::Select, Some(condition)) = (op, bits(0)) {
            return Some(Simpler::Operand(operands[if condition == 0 { 2 } else { 1 }]));
        }
        if op == LaneOp::Select && operands[1] == operands[2] {
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
            LaneOp::ToInteger | LaneOp::ToUnsigned
                if self.limits.fits(operands[0], op == LaneOp::ToUnsigned) =>
            {
                Some(Simpler::Op(LaneOp::ToIntegerInRange, operands.into()))
            }
            LaneOp::Sub if is(1, 0.0) => Some(Simpler::Operand(operands[0])),
            LaneOp::Add if is(1, -0.0) => Some(Simpler::Operand(operands[0])),
            LaneOp::Add if is(0, -0.0) => Some(Simpler::Operand(operands[1])),
            LaneOp::Mul | LaneOp::Div if is(1, 1.0) => Some(Simpler::Operand(operands[0])),
            LaneOp::Mul if is(0, 1.0) => Some(Simpler::Operand(operands[1])),
            LaneOp::Mul if is(0, 2.0) => Some(Simpler::Op(LaneOp::Add, [operands[1]; 2].into())),
            LaneOp::Mul if is(1, 2.0) => Some(Simpler::Op(LaneOp::Add, [operands[0]; 2].into())),
            _ => None,
        }
    }
}

impl Numbering {
    /// [`Self::simpler`] for 32-bit integers.
    fn simpler_integer(&self, op: LaneOp, operands: &[ValueId]) -> Option<Simpler> {
        let constant = |i: usize| {
            let operand = operands.get(i)?;
            self.bits[operand.index()].map(|bits| (bits as u32, operands[1 - i]))
        };
        let most = |i: usize| self.limits.most(operands[i]);
        if let LaneOp::ShiftLeftBy | LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy = op {
            let (count, of) = constant(1)?;
            let count = u8::try_from(count).ok().filter(|&count| count < 32)?;
            return Some(match op {
                _ if count == 0 => Simpler::Operand(of),
                LaneOp::ShiftLeftBy => Simpler::Op(LaneOp::ShiftLeft(count), [of].into()),
                LaneOp::ShiftRightBy => Simpler::Op(LaneOp::ShiftRight(count), [of].into()),
                _ => Simpler::Op(LaneOp::ShiftRightSigned(count), [of].into()),
            });
        }
        match op {
            LaneOp::ShiftLeft(0) | LaneOp::ShiftRight(0) | LaneOp::ShiftRightSigned(0) => {
                return Some(Simpler::Operand(operands[0]));
            }
            LaneOp::ShiftRightSigned(count) => {
                let most = Some(most(0)).filter(|&most| most <= POSITIVE)?;
                return Some(match most.checked_shr(count.into()) {
                    None | Some(0) => Simpler::Constant(0),
                    Some(_) => Simpler::Op(LaneOp::ShiftRight(count), operands.into()),
                });
            }
            LaneOp::Sub => {
                let is_zero = constant(1)?.0 == 0;
                return is_zero.then_some(Simpler::Operand(operands[0]));
            }
            LaneOp::FromUnsigned => {
                let is_same = most(0) <= POSITIVE;
                return is_same.then(|| Simpler::Op(LaneOp::FromInteger, operands.into()));
            }
            LaneOp::Add
            | LaneOp::Or
            | LaneOp::Xor
            | LaneOp::And
            | LaneOp::Mul
            | LaneOp::MinUnsigned
            | LaneOp::Max => {}
            _ => return None,
        }
        let (place, (bits, of)) = [1, 0].into_iter().find_map(|i| Some((i, constant(i)?)))?;
        match (op, bits) {
            (LaneOp::Add | LaneOp::Or | LaneOp::Xor, 0) | (LaneOp::Mul, 1) => {
                Some(Simpler::Operand(of))
            }
            (LaneOp::Mul | LaneOp::And | LaneOp::MinUnsigned, 0) => Some(Simpler::Constant(0)),
            // The `and` keeps all bits that the operand can have.
            (LaneOp::And, _) if (bits.wrapping_add(1) & bits) == 0 && most(1 - place) <= bits => {
                Some(Simpler::Operand(of))
            }
            // Redundant clamps.
            (LaneOp::MinUnsigned, _) if most(1 - place) <= bits => Some(Simpler::Operand(of)),
            (LaneOp::Max, 0) if most(1 - place) <= POSITIVE => Some(Simpler::Operand(of)),
            (LaneOp::Mul, _) if bits.is_power_of_two() => {
                Some(Simpler::Op(LaneOp::ShiftLeft(bits.trailing_zeros() as u8), [of].into()))
            }
            _ => None,
        }
    }
}

enum Simpler {
    Operand(ValueId),
    Constant(u64),
    Op(LaneOp, Box<[ValueId]>),
}
