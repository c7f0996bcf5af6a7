//! The state of the lowering: the lane program under construction, tasks, and builder methods.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use lambdav_core::graph::StageInput;
use lambdav_core::op::Op;
use lambdav_core::schedule::{self, BlockId, Expr};
use lambdav_core::types::{Scalar, Type};

use super::cost;
use super::lineage::Lineage;
use crate::lanes::arrays::Arrays;
use crate::lanes::quads::Pair;
use crate::lanes::rates::Rates;
use crate::lanes::{
    self, Kind, LaneEnd, LaneExpr, LaneOp, LaneProgram, LaneStatement, Rate, Space, ValueId,
    ValueInfo,
};
use crate::mutants::{Mutant, is_active};
use lambdav_core::schedule::Places;

/// The state of the lowering.
pub(super) struct Lowering<'p> {
    pub(super) program: &'p schedule::Program,
    pub(super) rates: Rates,
    /// `of_frame[v]`: v is computed once for the frame. Empty if there is no lookup.
    pub(super) of_frame: Vec<bool>,
    /// Values that are read in place, and the place of each.
    pub(super) places: Places,
    pub(super) place_of: FxHashMap<schedule::ValueId, Place>,
    /// Arrays that lie in memory, and their lineage.
    pub(super) arrays: Arrays,
    pub(super) lineage: Lineage,
    /// The first input word of each constant.
    pub(super) tables: FxHashMap<Box<[u32]>, u32>,
    pub(super) costs: Vec<cost::Cost>,
    /// The first word of each uniform.
    pub(super) uniforms: Vec<UniformWords>,
    /// The components of each scheduled value lowered so far.
    pub(super) map: Vec<Box<[ValueId]>>,
    pub(super) out: LaneProgram,
    /// The statements of the current block.
    pub(super) current: Vec<LaneStatement>,
    /// `and`s and `or`s of two bools, with their operands.
    pub(super) logic: FxHashMap<schedule::ValueId, (Op, [schedule::ValueId; 2])>,
    /// Lane-program values that are constants.
    pub(super) constants: FxHashMap<ValueId, u64>,
    /// Values of the frame, each with an equal value that a statement of the root defines.
    pub(super) of_root: FxHashMap<ValueId, ValueId>,
    /// Computations of values of the frame inside nested blocks.
    pub(super) inner: FxHashMap<ValueId, LaneExpr>,
    /// Precomputed values of divisors that are uniform over the frame, signed (`true`) or unsigned.
    pub(super) divisors: FxHashMap<(bool, ValueId), Invariant>,
    /// Values that no active lane reads.
    pub(super) undefined: FxHashSet<ValueId>,
    /// The execution mask.
    pub(super) run: ValueId,
    /// The components of the innermost loop's parameters.
    pub(super) params: Vec<ValueId>,
    pub(super) work: Work,
    /// Values at other pixels, with the values that they are copies of.
    pub(super) pairs: Vec<Pair>,
}

/// Maximum depth of expressions that move to the root.
const MAX_MOVED: usize = 8;

/// Precomputed values of a division by a number that is uniform over the frame. All are `I32`.
#[derive(Clone, Copy)]
pub(super) struct Invariant {
    /// The absolute value of the divisor, at least 1.
    pub(super) divisor: ValueId,
    /// All ones if the divisor is signed and negative, else 0.
    pub(super) sign: ValueId,
    pub(super) factor: ValueId,
    /// For unsigned division: the shift before the sum, 0 or 1.
    pub(super) before: ValueId,
    pub(super) shift: ValueId,
    /// 0 if the divisor is 1, else all ones.
    pub(super) keep: ValueId,
}

/// The position of a value in memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The memory.
    pub(super) space: Space,
    /// The offset of its first word.
    pub(super) first: u32,
    /// A dynamic offset in words.
    pub(super) index: Option<ValueId>,
}

pub(super) fn kind_of(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::F32 => Kind::F32,
        Scalar::Bool => Kind::Mask,
        Scalar::I32 | Scalar::U32 => Kind::I32,
    }
}

/// The position of a uniform's first word.
#[derive(Clone, Copy)]
pub(super) enum UniformWords {
    /// An index into the words of the inputs.
    Inputs(u32),
    /// An index into the words of the primitive.
    Primitive(u32),
    /// An index into the saved words of the invocation.
    Saved(u32),
}

impl Lowering<'_> {
    pub(super) fn value(&mut self, kind: Kind, rate: Rate) -> ValueId {
        self.out.values.push(ValueInfo { kind, rate });
        ValueId(self.out.values.len() as u32 - 1)
    }

    pub(super) fn define(&mut self, kind: Kind, rate: Rate, expr: LaneExpr) -> ValueId {
        let value = self.value(kind, rate);
        if rate == Rate::FRAME {
            if self.work.outer.is_empty() {
                self.of_root.insert(value, value);
            } else if matches!(expr, LaneExpr::Constant(_) | LaneExpr::Input(_) | LaneExpr::Op(..))
            {
                self.inner.insert(value, expr.clone());
            }
        }
        self.current.push(LaneStatement::Let { value, expr });
        value
    }

    /// Registers values that a statement of the current block defines.
    pub(super) fn are_defined(&mut self, values: &[ValueId]) {
        if self.work.outer.is_empty() {
            let of_frame = values.iter().filter(|&&value| self.out.rate(value) == Rate::FRAME);
            self.of_root.extend(of_frame.map(|&value| (value, value)));
        }
    }

    /// Emits code at the root, in front of the statement of the root that is under construction.
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

    /// The same value, defined at the root. It must be an input, a constant, or a small expression of such
    /// values.
    pub(super) fn at_root(&mut self, value: ValueId) -> Option<ValueId> {
        self.at_root_within(value, MAX_MOVED)
    }

    fn at_root_within(&mut self, value: ValueId, depth: usize) -> Option<ValueId> {
        if let Some(&known) = self.of_root.get(&value) {
            return Some(known);
        }
        let mut expr = self.inner.get(&value)?.clone();
        if let LaneExpr::Op(_, operands) = &mut expr {
            for operand in operands {
                *operand = self.at_root_within(*operand, depth.checked_sub(1)?)?;
            }
        }
        let kind = self.out.kind(value);
        let moved = self.in_root(|lowering| match expr {
            LaneExpr::Constant(bits) => lowering.constant(kind, bits),
            expr => lowering.define(kind, Rate::FRAME, expr),
        });
        self.of_root.insert(value, moved);
        Some(moved)
    }

    pub(super) fn constant(&mut self, kind: Kind, bits: u64) -> ValueId {
        let value = self.define(kind, Rate::FRAME, LaneExpr::Constant(bits));
        self.constants.insert(value, bits);
        value
    }

    pub(super) fn undefined(&mut self, kind: Kind) -> ValueId {
        let rate = if kind.words().is_some() { self.out.width.lanes() } else { Rate::FRAME };
        let value = self.define(kind, rate, LaneExpr::Undefined);
        self.undefined.insert(value);
        value
    }

    pub(super) fn op(&mut self, op: LaneOp, operands: &[ValueId]) -> ValueId {
        let kinds: Vec<_> = operands.iter().map(|&v| self.out.kind(v)).collect();
        let kind = op.result(&kinds).expect("operands fit the operation");
        let rate = operands.iter().fold(Rate::FRAME, |rate, &v| rate | self.out.rate(v));
        self.define(kind, rate, LaneExpr::Op(op, operands.into()))
    }

    pub(super) fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        match self.out.kind(a) {
            _ if a == b => a,
            Kind::Array(_) => self.merge_arrays(condition, a, b),
            _ => self.op(LaneOp::Select, &[condition, a, b]),
        }
    }

    pub(super) fn any(&mut self, mask: ValueId) -> ValueId {
        self.define(Kind::Mask, Rate::GROUP, LaneExpr::Any(mask))
    }

    pub(super) fn components(&self, value: schedule::ValueId) -> &[ValueId] {
        &self.map[value.index()]
    }

    /// The values that scheduled values consist of, one after the other: components, and arrays in memory,
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

    /// The lanes of `mask` in which the condition is true, and those in which it is false.
    pub(super) fn split(&mut self, mask: ValueId, condition: ValueId) -> [ValueId; 2] {
        if is_active(Mutant::LostMask) {
            return [condition, self.op(LaneOp::Not, &[condition])];
        }
        let [on, off] = [LaneOp::And, LaneOp::AndNot].map(|op| {
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
        expr: &Expr,
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
            Expr::Constant(words) => {
                let mut component = |&word: &u32| {
                    let kind = kinds.next().expect("one for each word");
                    self.constant(kind, word.into())
                };
                words.iter().map(&mut component).collect()
            }
            Expr::Uniform(index) => {
                let words = self.uniforms[*index as usize];
                kinds.enumerate().map(|(k, kind)| self.uniform_word(kind, words, k)).collect()
            }
            Expr::Input(input) => self.input(*input),
            Expr::Stage(StageInput::Invocation(input)) => self.invocation(*input),
            Expr::Stage(_) => unreachable!("stages are compiled as plain programs"),
            Expr::Op(op, operands) => {
                if let (Op::And | Op::Or, Type::BOOL, &[a, b]) = (op, ty, &**operands) {
                    self.logic.insert(value, (*op, [a, b]));
                }
                if let Op::Memory(op) = *op {
                    return self.of_memory(op, operands, mask);
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
                    // All words of an array map to the same value.
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
                self.define(kind, Rate::PRIMITIVE, LaneExpr::Primitive(first + k as u32))
            }
            UniformWords::Saved(first) => {
                let rate = self.out.width.lanes();
                let word = self.define(Kind::I32, rate, LaneExpr::Saved(first + k as u32));
                if kind == Kind::I32 { word } else { self.op(LaneOp::Bits, &[word]) }
            }
        }
    }

    pub(super) fn input_word(&mut self, kind: Kind, word: u32) -> ValueId {
        self.define(kind, Rate::FRAME, LaneExpr::Input(word))
    }

    /// New lane-program values for the components and arrays of a scheduled value.
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

    /// The components of a scheduled value from the values it consists of. An array stands for each of its
    /// words.
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

/// A step of the lowering. Comments tell the results that it pops and pushes.
pub(super) enum Task {
    /// Lowers statements of a block from an index on, for the lanes of a mask.
    Statements(BlockId, usize, ValueId),
    /// Pops values and binds a scheduled value to them.
    Define(schedule::ValueId),
    /// Pushes the values that an arm yields.
    Yields(BlockId),
    /// Opens a block.
    Open,
    /// Closes a block whose yields [`Task::Merge`] fills in later. Pushes the block.
    CloseArm,
    /// Pops an end and closes a block with it. Pushes the block.
    Close,
    /// Pushes undefined values of the kinds of the values on top of the stack.
    ///
    /// For an array it pushes the one from before the value of that index.
    Undefined(usize),
    /// Lowers an arm for the lanes of a mask. Pushes its values.
    Guarded(BlockId, ValueId),
    /// Begins the second arm of a decision, for the lanes of a mask. Reads the values of the first arm.
    Second(ValueId),
    /// Selects by a condition; the masks are those of the two arms. Pops two lists of values, pushes one.
    Select(ValueId, [ValueId; 2]),
    /// An `if` with a uniform condition, whose arms define no value below `first`. Pops two blocks and two
    /// lists of values, pushes one list.
    Merge {
        /// The condition.
        condition: ValueId,
        /// The index of the first value that the arms may define.
        first: usize,
    },
    /// Pops the body of a loop, pushes the loop's values.
    Loop(Box<OpenLoop>),
    /// Lowers a block in the tail of a uniform loop. Pushes an end.
    Uniform(BlockId, ValueId),
    /// [`Task::Uniform`], after the statements of the block.
    UniformEnd(BlockId, ValueId),
    /// Pops two blocks, pushes an end that chooses one of them.
    Fork(ValueId),
    /// Lowers a step of a divergent loop's exits.
    Exit(Box<Exit>),
    /// Lowers a block in the tail of a divergent loop, for the lanes of a mask. Pushes a tail.
    Tail(Round, BlockId, ValueId, Vec<ValueId>),
    /// [`Task::Tail`], after the statements of the block.
    TailEnd(Round, BlockId, ValueId, Vec<ValueId>),
    /// Lowers one arm of a decision, under a test if any lane is active when that pays. Pushes a tail.
    Part(Round, BlockId, ValueId, Vec<ValueId>),
    /// [`Task::Part`] for the second arm. It starts with the results of the first arm's tail.
    SecondPart(Round, BlockId, ValueId),
    /// Lowers a divergent decision. Pushes a tail.
    Divergent(Round, ValueId, [BlockId; 2], ValueId, Vec<ValueId>),
    /// Combines the tails of a divergent decision's arms, whose masks are given. Pops two tails, pushes
    /// one.
    Combine(ValueId, [ValueId; 2]),
    /// Pushes a tail in which no lane goes on.
    Leave(Vec<ValueId>),
    /// Pops a tail, pushes it as values of an arm.
    Pack(Round, bool),
    /// Pops values of an arm, pushes them as a tail.
    Unpack(Round, bool),
    /// Pops a tail, pushes the end of a round.
    NextRound(Round),
}

/// The tasks to do, and the stacks of results. Tops are last.
#[derive(Default)]
pub(super) struct Work {
    pub(super) tasks: Vec<Task>,
    /// The statements of the blocks around the current one.
    pub(super) outer: Vec<Vec<LaneStatement>>,
    pub(super) values: Vec<Vec<ValueId>>,
    pub(super) blocks: Vec<lanes::BlockId>,
    pub(super) ends: Vec<LaneEnd>,
    pub(super) tails: Vec<Tail>,
}

/// The values of a divergent loop's round that its tail needs.
#[derive(Clone)]
pub(super) struct Round {
    /// The live lanes.
    pub(super) live: ValueId,
    /// The loop's own parameters.
    pub(super) params: Rc<[ValueId]>,
    /// For each result, the index of the parameter that carries it, if it is an array that one carries.
    pub(super) carried: Rc<[Option<usize>]>,
}

/// A step of a divergent loop's exits that all live lanes reach, with the results so far. Each pushes an
/// end.
pub(super) enum Exit {
    /// Lowers a block.
    Block(Round, BlockId, Vec<ValueId>),
    /// [`Exit::Block`], after the statements of the block.
    End(Round, BlockId, Vec<ValueId>),
    /// Lowers a decision.
    Decide(Round, schedule::ValueId, [BlockId; 2], Vec<ValueId>),
    /// Tests a decision with one arm that leaves the loop. The other arm is computed already, up to its
    /// end.
    Test(Leaving, Vec<ValueId>),
    /// Lowers the arm that leaves, for these lanes, of which there is at least one.
    Leave(Leaving, ValueId, Vec<ValueId>),
    /// Lowers the end of the other arm, for the lanes that stay. Pops the tail of the arm that leaves.
    Stay(Leaving, ValueId),
}

/// A decision with one arm that leaves the loop.
#[derive(Clone)]
pub(super) struct Leaving {
    pub(super) round: Round,
    /// The condition of the decision.
    pub(super) mask: ValueId,
    pub(super) leave: BlockId,
    pub(super) stay: BlockId,
    /// The operation on live lanes and condition that gives the lanes that leave.
    pub(super) op: LaneOp,
}

/// The state after a part of a linearised tail.
pub(super) struct Tail {
    /// The lanes that start another round and their arguments, if any lane can.
    pub(super) again: Option<(ValueId, Vec<ValueId>)>,
    /// The results of the lanes that have left in this round or earlier ones.
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
