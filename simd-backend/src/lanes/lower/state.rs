//! A lane program that is being made: the state, what is to be done next, and computations.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use lambdav_core::op::Op as CoreOp;
use lambdav_core::schedule::{self, BlockId, Expr as CoreExpr};
use lambdav_core::types::{Scalar, Type};

use super::cost;
use super::lineage::Lineage;
use crate::lanes::arrays::Arrays;
use crate::lanes::quads::Pair;
use crate::lanes::rates::Rates;
use crate::lanes::{
    self, End, Expr, Kind, LaneProgram, Op, Rate, Space, Statement, ValueId, ValueInfo,
};
use crate::mutants::{Mutant, is_active};
use lambdav_core::schedule::Places;

/// A lane program that is being made.
pub(super) struct Lowering<'p> {
    pub(super) program: &'p schedule::Program,
    pub(super) rates: Rates,
    /// Of each value, whether it is computed once for the frame; nothing if none is.
    pub(super) of_frame: Vec<bool>,
    /// What lies in memory, and where each of these values does.
    pub(super) places: Places,
    pub(super) place_of: FxHashMap<schedule::ValueId, Place>,
    /// What else lies in memory, and how the values that stand for it come about.
    pub(super) arrays: Arrays,
    pub(super) lineage: Lineage,
    /// Where the words of constants begin.
    pub(super) tables: FxHashMap<Box<[u32]>, u32>,
    pub(super) costs: Vec<cost::Cost>,
    /// The words of each uniform.
    pub(super) uniforms: Vec<UniformWords>,
    /// The components of each scheduled value that has been lowered.
    pub(super) map: Vec<Box<[ValueId]>>,
    pub(super) out: LaneProgram,
    /// The statements of the block that is being filled.
    pub(super) current: Vec<Statement>,
    /// The `and`s and `or`s of two bools.
    pub(super) logic: FxHashMap<schedule::ValueId, (CoreOp, [schedule::ValueId; 2])>,
    /// The values that are constants.
    pub(super) constants: FxHashMap<ValueId, u64>,
    /// The values of the frame that statements of the root define, or are to be had there.
    pub(super) of_root: FxHashMap<ValueId, ValueId>,
    /// How values of the frame come about that statements inside of others define.
    pub(super) inner: FxHashMap<ValueId, Expr>,
    /// What divisors take that are the same for the frame, with signs or without.
    pub(super) divisors: FxHashMap<(bool, ValueId), Invariant>,
    /// The values that no lane looks at.
    pub(super) undefined: FxHashSet<ValueId>,
    /// All active lanes.
    pub(super) run: ValueId,
    /// The components of the innermost loop's parameters.
    pub(super) params: Vec<ValueId>,
    pub(super) work: Work,
    /// Values at other pixels, and what they are of.
    pub(super) pairs: Vec<Pair>,
}

/// So deep are computations that are moved to the root.
const MOST_MOVED: usize = 8;

/// What is computed once for the frame to divide by a number. All are `I32`.
#[derive(Clone, Copy)]
pub(super) struct Invariant {
    /// The divisor without its sign, at least 1.
    pub(super) divisor: ValueId,
    /// All ones where the divisor is negative and has a sign, else 0.
    pub(super) sign: ValueId,
    pub(super) factor: ValueId,
    /// Without sign, the shift before the sum, which is 0 or 1.
    pub(super) before: ValueId,
    pub(super) shift: ValueId,
    /// 0 where the divisor is 1, else all ones.
    pub(super) keep: ValueId,
}

/// Where a value lies in memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The memory.
    pub(super) space: Space,
    /// Its first word there.
    pub(super) first: u32,
    /// How many words further it is.
    pub(super) index: Option<ValueId>,
}

pub(super) fn kind_of(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::F32 => Kind::F32,
        Scalar::Bool => Kind::Mask,
        Scalar::I32 | Scalar::U32 => Kind::I32,
    }
}

/// The first of a uniform's words.
#[derive(Clone, Copy)]
pub(super) enum UniformWords {
    /// Of the inputs'.
    Inputs(u32),
    /// Of the primitive's.
    Primitive(u32),
}

impl Lowering<'_> {
    pub(super) fn value(&mut self, kind: Kind, rate: Rate) -> ValueId {
        self.out.values.push(ValueInfo { kind, rate });
        ValueId(self.out.values.len() as u32 - 1)
    }

    pub(super) fn define(&mut self, kind: Kind, rate: Rate, expr: Expr) -> ValueId {
        let value = self.value(kind, rate);
        if rate == Rate::FRAME {
            if self.work.outer.is_empty() {
                self.of_root.insert(value, value);
            } else if matches!(expr, Expr::Constant(_) | Expr::Input(_) | Expr::Op(..)) {
                self.inner.insert(value, expr.clone());
            }
        }
        self.current.push(Statement::Let { value, expr });
        value
    }

    /// Says that a statement of the block that is being filled defines these.
    pub(super) fn are_defined(&mut self, values: &[ValueId]) {
        if self.work.outer.is_empty() {
            let of_frame = values.iter().filter(|&&value| self.out.rate(value) == Rate::FRAME);
            self.of_root.extend(of_frame.map(|&value| (value, value)));
        }
    }

    /// Does something where the statement of the root begins that is being made.
    pub(super) fn in_root<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        if self.work.outer.is_empty() {
            return make(self);
        }
        let mut outer = std::mem::take(&mut self.work.outer);
        std::mem::swap(&mut outer[0], &mut self.current);
        let made = make(self);
        std::mem::swap(&mut outer[0], &mut self.current);
        self.work.outer = outer;
        made
    }

    /// A value of the frame where the statement of the root begins that is being made, if it is an input, a
    /// constant, or made of such by few operations.
    pub(super) fn at_root(&mut self, value: ValueId) -> Option<ValueId> {
        self.at_root_within(value, MOST_MOVED)
    }

    fn at_root_within(&mut self, value: ValueId, depth: usize) -> Option<ValueId> {
        if let Some(&known) = self.of_root.get(&value) {
            return Some(known);
        }
        let mut expr = self.inner.get(&value)?.clone();
        if let Expr::Op(_, operands) = &mut expr {
            for operand in operands {
                *operand = self.at_root_within(*operand, depth.checked_sub(1)?)?;
            }
        }
        let kind = self.out.kind(value);
        let moved = self.in_root(|lowering| match expr {
            Expr::Constant(bits) => lowering.constant(kind, bits),
            expr => lowering.define(kind, Rate::FRAME, expr),
        });
        self.of_root.insert(value, moved);
        Some(moved)
    }

    pub(super) fn constant(&mut self, kind: Kind, bits: u64) -> ValueId {
        let value = self.define(kind, Rate::FRAME, Expr::Constant(bits));
        self.constants.insert(value, bits);
        value
    }

    pub(super) fn undefined(&mut self, kind: Kind) -> ValueId {
        let rate = if kind.words().is_some() { self.out.width.lanes() } else { Rate::FRAME };
        let value = self.define(kind, rate, Expr::Undefined);
        self.undefined.insert(value);
        value
    }

    pub(super) fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        let kinds: Vec<_> = operands.iter().map(|&v| self.out.kind(v)).collect();
        let kind = op.result(&kinds).expect("operands fit the operation");
        let rate = operands.iter().fold(Rate::FRAME, |rate, &v| rate | self.out.rate(v));
        self.define(kind, rate, Expr::Op(op, operands.into()))
    }

    pub(super) fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        match self.out.kind(a) {
            _ if a == b => a,
            Kind::Array(_) => self.merge_arrays(condition, a, b),
            _ => self.op(Op::Select, &[condition, a, b]),
        }
    }

    pub(super) fn any(&mut self, mask: ValueId) -> ValueId {
        self.define(Kind::Mask, Rate::GROUP, Expr::Any(mask))
    }

    pub(super) fn components(&self, value: schedule::ValueId) -> &[ValueId] {
        &self.map[value.index()]
    }

    /// What several values consist of, one after the other: components, and arrays that lie in memory,
    /// each of which is one value.
    pub(super) fn flat(&self, values: &[schedule::ValueId]) -> Vec<ValueId> {
        let mut all = Vec::new();
        for &value in values {
            let components = self.components(value);
            let mut next = 0;
            for range in self.arrays.of(self.program.ty(value)) {
                all.extend(&components[next..range.start]);
                all.push(self.lineage.latest(components[range.start]));
                next = range.end;
            }
            all.extend(&components[next..]);
        }
        all
    }

    pub(super) fn is_uniform(&self, value: ValueId) -> bool {
        self.out.rate(value).is_uniform()
    }

    /// The lanes of `mask` that go each way.
    pub(super) fn split(&mut self, mask: ValueId, condition: ValueId) -> [ValueId; 2] {
        if is_active(Mutant::LostMask) {
            return [condition, self.op(Op::Not, &[condition])];
        }
        let [on, off] = [Op::And, Op::AndNot].map(|op| {
            let some = self.op(op, &[mask, condition]);
            self.lineage.some_of(some, mask);
            some
        });
        self.lineage.opposite(on, off);
        [on, off]
    }

    pub(super) fn expr(
        &mut self,
        value: schedule::ValueId,
        expr: &CoreExpr,
        mask: ValueId,
    ) -> Vec<ValueId> {
        let ty = self.program.ty(value);
        let mut kinds = self.program.types.scalars(ty).map(kind_of);
        if let Some(place) = self.place(value, expr) {
            self.place_of.insert(value, place);
            let kinds = kinds.collect();
            return if self.places.is_whole(value) {
                self.loaded(place, ty, kinds)
            } else {
                Vec::new()
            };
        }
        match expr {
            CoreExpr::Constant(words) => {
                let mut component = |&word: &u32| {
                    let kind = kinds.next().expect("one for each word");
                    self.constant(kind, word.into())
                };
                words.iter().map(&mut component).collect()
            }
            CoreExpr::Uniform(index) => {
                let words = self.uniforms[*index as usize];
                kinds.enumerate().map(|(k, kind)| self.uniform_word(kind, words, k)).collect()
            }
            CoreExpr::Input(input) => self.input(*input),
            CoreExpr::Op(op, operands) => {
                if let (CoreOp::And | CoreOp::Or, Type::BOOL, &[a, b]) = (op, ty, &**operands) {
                    self.logic.insert(value, (*op, [a, b]));
                }
                if op.reads_resource() {
                    return self.of_resource(*op, operands);
                }
                if let Some(components) = self.of_parts(*op, operands, ty, mask) {
                    return components;
                }
                let types: Vec<Type> = operands.iter().map(|&v| self.program.ty(v)).collect();
                let operands: Vec<Box<[ValueId]>> =
                    operands.iter().map(|&v| self.components(v).into()).collect();
                let mut components = Vec::with_capacity(self.program.types.components(ty));
                for i in 0..self.program.types.components(ty) {
                    // An array is all of its words.
                    let is_next = self.arrays.around(ty, i).is_some_and(|range| range.start < i);
                    let component = match components.last() {
                        Some(&array) if is_next => array,
                        _ => self.component(*op, &types, &operands, i, mask),
                    };
                    components.push(component);
                }
                components
            }
        }
    }

    fn uniform_word(&mut self, kind: Kind, words: UniformWords, k: usize) -> ValueId {
        match words {
            UniformWords::Inputs(first) => self.input_word(kind, first + k as u32),
            UniformWords::Primitive(first) => {
                self.define(kind, Rate::PRIMITIVE, Expr::Primitive(first + k as u32))
            }
        }
    }

    pub(super) fn input_word(&mut self, kind: Kind, word: u32) -> ValueId {
        self.define(kind, Rate::FRAME, Expr::Input(word))
    }

    /// A value of the lane program for each component and each array of a scheduled one.
    pub(super) fn values_of(&mut self, value: schedule::ValueId) -> Box<[ValueId]> {
        let ty = self.program.ty(value);
        let rates = self.rates.of(value).to_vec();
        let scalars: Vec<Scalar> = self.program.types.scalars(ty).collect();
        let (mut all, mut next) = (Vec::new(), 0);
        while next < scalars.len() {
            let (kind, end) = match self.arrays.around(ty, next) {
                Some(range) => (Kind::Array(range.len() as u32), range.end),
                None => (kind_of(scalars[next]), next + 1),
            };
            all.push(self.value(kind, rates[next]));
            next = end;
        }
        all.into()
    }

    /// The components of a value that consists of these: of an array, itself for each of its words.
    pub(super) fn spread(&self, value: schedule::ValueId, of: &[ValueId]) -> Vec<ValueId> {
        let words = |&one: &ValueId| self.out.kind(one).words().unwrap_or(1) as usize;
        let all = of.iter().flat_map(|one| std::iter::repeat_n(*one, words(one)));
        debug_assert_eq!(
            of.iter().map(words).sum::<usize>(),
            self.program.types.components(self.program.ty(value))
        );
        all.collect()
    }
}

/// A step of the lowering.
pub(super) enum Task {
    /// The statements of a block from one on, for the lanes of a mask.
    Statements(BlockId, usize, ValueId),
    /// The values that have been left are those of a statement.
    Define(schedule::ValueId),
    /// Leaves what an arm yields.
    Yields(BlockId),
    /// Begins a block.
    Open,
    /// Ends a block that yields what has been left; [`Task::Merge`] says to whom. Leaves the block.
    CloseArm,
    /// Ends a block with the end that has been left. Leaves the block.
    Close,
    /// Leaves undefined values of the kinds of those that have been left.
    ///
    /// Of arrays, what they were before values with that number.
    Undefined(usize),
    /// An arm for the lanes of a mask. Leaves its values.
    Guarded(BlockId, ValueId),
    /// Begins the second arm of a decision, for the lanes of a mask: looks at what the first has left.
    Second(ValueId),
    /// Selects by a condition, where lanes go these ways. Takes two lists of values, leaves one.
    Select(ValueId, [ValueId; 2]),
    /// An `if` on a condition that is the same for all lanes, whose arms define no value below
    /// `first`. Takes two blocks and their values, leaves the values of both.
    Merge {
        /// The condition.
        condition: ValueId,
        /// The first value that was not there before the arms.
        first: usize,
    },
    /// Takes the body of a loop, leaves the loop's values.
    Loop(Box<OpenLoop>),
    /// A block of a tail that all lanes leave together. Leaves an end.
    Uniform(BlockId, ValueId),
    /// The same after the statements of the block.
    UniformEnd(BlockId, ValueId),
    /// Takes two blocks, leaves an end that chooses one of them.
    Fork(ValueId),
    /// A step of the way out of a divergent loop.
    Exit(Box<Exit>),
    /// What a block in the tail of a divergent loop does for the lanes of a mask. Leaves a tail.
    Tail(Round, BlockId, ValueId, Vec<ValueId>),
    /// The same after the statements of the block.
    TailEnd(Round, BlockId, ValueId, Vec<ValueId>),
    /// One arm of a decision, under a test whether any lane is active if it is worth it. Leaves a
    /// tail.
    Part(Round, BlockId, ValueId, Vec<ValueId>),
    /// The same, after the first arm, whose results it takes.
    SecondPart(Round, BlockId, ValueId),
    /// A decision that lanes make differently. Leaves a tail.
    Divergent(Round, ValueId, [BlockId; 2], ValueId, Vec<ValueId>),
    /// Takes the tails of both arms of such a decision, to which lanes go these ways, leaves one.
    Combine(ValueId, [ValueId; 2]),
    /// Leaves a tail in which no lane goes on.
    Leave(Vec<ValueId>),
    /// Takes a tail, leaves it as values of an arm.
    Pack(Round, bool),
    /// The other way round.
    Unpack(Round, bool),
    /// Takes a tail, leaves the end of a round.
    NextRound(Round),
}

/// What is to be done, and what has been left for it. The last come first.
#[derive(Default)]
pub(super) struct Work {
    pub(super) tasks: Vec<Task>,
    /// The statements of the blocks around the one that is being filled.
    pub(super) outer: Vec<Vec<Statement>>,
    pub(super) values: Vec<Vec<ValueId>>,
    pub(super) blocks: Vec<lanes::BlockId>,
    pub(super) ends: Vec<End>,
    pub(super) tails: Vec<Tail>,
}

/// A round of a divergent loop: what all of its tail needs.
#[derive(Clone)]
pub(super) struct Round {
    /// The lanes that are still in the loop.
    pub(super) live: ValueId,
    /// The loop's own parameters.
    pub(super) params: Rc<[ValueId]>,
    /// Of each result, which of these holds it, if one does: an array.
    pub(super) carried: Rc<[Option<usize>]>,
}

/// A step of the way out of a divergent loop, to which all live lanes come, with the results so
/// far. Each leaves the end of a block.
pub(super) enum Exit {
    /// A block.
    Block(Round, BlockId, Vec<ValueId>),
    /// The same after the statements of the block.
    End(Round, BlockId, Vec<ValueId>),
    /// A decision.
    Decide(Round, schedule::ValueId, [BlockId; 2], Vec<ValueId>),
    /// A decision of which one arm leaves the loop, and the other has been computed up to its end.
    Test(Leaving, Vec<ValueId>),
    /// The same where some lane leaves: these.
    Leave(Leaving, ValueId, Vec<ValueId>),
    /// The same after the arm that leaves, whose results it takes.
    Stay(Leaving, ValueId),
}

/// A decision of which one arm leaves the loop.
#[derive(Clone)]
pub(super) struct Leaving {
    pub(super) round: Round,
    /// Where lanes go the one or the other way.
    pub(super) mask: ValueId,
    pub(super) leave: BlockId,
    pub(super) stay: BlockId,
    /// How the lanes that leave are made of the live lanes and the mask.
    pub(super) op: Op,
}

/// What a part of a linearised tail leaves behind.
pub(super) struct Tail {
    /// The lanes that go round again, if any can, and with which arguments.
    pub(super) again: Option<(ValueId, Vec<ValueId>)>,
    /// The results of the lanes that have left in this or an earlier round.
    pub(super) results: Vec<ValueId>,
}

/// A loop whose body is being lowered.
pub(super) struct OpenLoop {
    pub(super) values: Box<[ValueId]>,
    pub(super) params: Vec<ValueId>,
    pub(super) inits: Vec<ValueId>,
    pub(super) site: u32,
    /// The parameters of the loop around it.
    pub(super) outer: Vec<ValueId>,
}

impl Tail {
    pub(super) fn unpack(mut values: Vec<ValueId>, goes_on: bool, params: usize) -> Self {
        if !goes_on {
            return Self { again: None, results: values };
        }
        let results = values.split_off(1 + params);
        let arguments = values.split_off(1);
        Self { again: Some((values[0], arguments)), results }
    }
}
