//! A reference interpreter of lane programs, for any number of lanes. It defines the semantics that
//! emitters must reproduce.
//!
//! Undefined lanes are poisoned: they hold bits that change the result if it depends on them.

use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use lambdav_core::graph::Side;
use lambdav_core::inputs::centre;
use lambdav_core::memory::Atomic;
use lambdav_core::resource::Bound;
use rustc_hash::FxHashMap;

use super::{
    Access, Axis, BlockId, Column, Kind, LaneEnd, LaneExpr, LaneOp, LaneProgram, LaneStatement,
    Memories, Space, ValueId, Width,
};

/// The loop of that site exceeded its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopLimit {
    /// Index into [`LaneProgram::sites`].
    pub site: u32,
}

/// The inputs of a group of lanes.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// One word for each of [`LaneProgram::inputs`].
    pub inputs: &'a [u32],
    /// One word for each of [`LaneProgram::primitive_words`].
    pub primitive: &'a [u32],
    /// The data of each resource.
    pub resources: &'a [Bound],
    /// Column and row of each lane's pixel. Their layout is the program's [`Width`].
    pub pixels: &'a [(u32, u32)],
    /// The active lanes, at least one.
    pub mask: &'a [bool],
    /// Maximum number of `rec`s that each entry of a loop may execute.
    pub max_iterations: u64,
}

/// The pixels of a group, attachment by attachment, one for each lane. Pixels of inactive lanes are
/// undefined.
///
/// # Errors
///
/// The first loop in execution order that exceeds its limit in some lane.
pub fn interpret(program: &LaneProgram, group: &Group<'_>) -> Result<Vec<[f32; 4]>, LoopLimit> {
    observe(program, group, &mut ()).map_err(|interruption| match interruption {
        Interruption::Limit(limit) => limit,
        Interruption::Observer => unreachable!("the observer `()` never stops"),
    })
}

/// The invocations that a group of lanes computes, and the memories that they access.
#[derive(Clone, Copy, Debug)]
pub struct Invocations<'a> {
    /// The group's part of the table of lanes: the columns of the items, each with a word for each lane.
    pub table: &'a [u32],
    /// The memories.
    pub memories: &'a Memories<'a>,
}

/// A word of a memory that an interpreter replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The number of the memory among the resources.
    pub memory: u32,
    /// The index of the word.
    pub index: u32,
    /// The new word.
    pub word: u32,
}

/// A replacement by a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneChange {
    /// The lane.
    pub lane: usize,
    /// The function of the old word.
    pub atomic: Atomic,
    /// Its operand and comparand; 0 for one that it does not take.
    pub operands: [u32; 2],
    /// The word.
    pub replaced: Replaced,
}

/// Executes a group of invocations. It has no pixels. Each replaced word is reported, in the order of execution.
///
/// # Errors
///
/// The first loop in execution order that exceeds its limit in some lane.
pub fn dispatch(
    program: &LaneProgram,
    group: &Group<'_>,
    invocations: Invocations<'_>,
    changed: &mut dyn FnMut(LaneChange),
) -> Result<Vec<[f32; 4]>, LoopLimit> {
    let result = execute(program, group, Some(invocations), &mut Changes(changed));
    result.map_err(|interruption| match interruption {
        Interruption::Limit(limit) => limit,
        Interruption::Observer => unreachable!("the observer `()` never stops"),
    })
}

/// Observes the blocks executed and their active lanes.
pub(crate) trait Observer {
    /// The mask that a condition tests, if the condition is an [`LaneExpr::Any`].
    fn mask(&self, condition: ValueId) -> Option<ValueId>;

    /// A block is entered with this number of active lanes. `Break` stops the interpretation.
    fn enter(&mut self, block: BlockId, active: usize) -> ControlFlow<()>;

    /// A word of a memory has been replaced.
    fn changed(&mut self, _: LaneChange) {}
}

/// Observes replaced words.
struct Changes<'a>(&'a mut dyn FnMut(LaneChange));

impl Observer for Changes<'_> {
    fn mask(&self, _: ValueId) -> Option<ValueId> {
        None
    }

    fn enter(&mut self, _: BlockId, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn changed(&mut self, change: LaneChange) {
        (self.0)(change);
    }
}

/// Observes no block.
impl Observer for () {
    fn mask(&self, _: ValueId) -> Option<ValueId> {
        None
    }

    fn enter(&mut self, _: BlockId, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The reason that an interpretation stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    Limit(LoopLimit),
    /// The observer stopped it.
    Observer,
}

/// [`interpret`] with an observer.
pub(crate) fn observe(
    program: &LaneProgram,
    group: &Group<'_>,
    observer: &mut impl Observer,
) -> Result<Vec<[f32; 4]>, Interruption> {
    execute(program, group, None, observer)
}

fn execute(
    program: &LaneProgram,
    group: &Group<'_>,
    invocations: Option<Invocations<'_>>,
    observer: &mut impl Observer,
) -> Result<Vec<[f32; 4]>, Interruption> {
    assert!(group.mask.contains(&true), "at least one lane is active");
    let lanes = group.mask.len();
    let items = match invocations {
        Some(of) => of.table.len() / program.items.column_count(),
        None => group.pixels.len(),
    };
    assert_eq!(items, lanes, "a mask for each lane");
    assert!(program.width != Width::One || lanes == 1, "the program is for one lane");
    let words = vec![0; program.values.len() * lanes];
    let arrays = FxHashMap::default();
    let mut machine = Interpreter { program, group, invocations, lanes, words, arrays, observer };
    let active = group.mask.iter().filter(|&&active| active).count();
    machine.run(active)?;
    let outputs = program.outputs();
    let component = |value: ValueId, lane: usize| f32::from_bits(machine.get(value, lane) as u32);
    let attachments = outputs.as_chunks::<4>().0.iter();
    let pixels = attachments
        .flat_map(|channels| (0..lanes).map(|lane| channels.map(|value| component(value, lane))));
    Ok(pixels.collect())
}

/// Poison for undefined lanes: a signalling NaN as `F32`, and masks of alternating lanes.
pub(crate) fn undefined_bits(kind: Kind, lane: usize) -> u64 {
    match kind {
        Kind::Mask => u64::from(lane.is_multiple_of(2)),
        Kind::F32 | Kind::I32 | Kind::Array(_) => 0x7fa5_a5a5,
        Kind::F64 | Kind::I64 => 0x7ff4_a5a5_a5a5_a5a5,
    }
}

struct Interpreter<'a, O> {
    program: &'a LaneProgram,
    group: &'a Group<'a>,
    invocations: Option<Invocations<'a>>,
    lanes: usize,
    words: Vec<u64>,
    /// The words of arrays, lane by lane.
    arrays: FxHashMap<ValueId, Rc<Vec<u64>>>,
    observer: &'a mut O,
}

/// A block in execution, or the block of its tail that execution has reached.
struct Activation<'a> {
    block: BlockId,
    /// The next statement.
    next: usize,
    /// Number of active lanes.
    active: usize,
    /// The statement that contains the block.
    of: Option<&'a LaneStatement>,
    /// Number of rounds completed, for a loop.
    rounds: u64,
}

impl<'a, O: Observer> Interpreter<'a, O> {
    fn get(&self, value: ValueId, lane: usize) -> u64 {
        self.words[value.index() * self.lanes + lane]
    }

    /// The lane of the pixel on the given side of the pair along an axis, in the quad of a lane.
    fn neighbour(&self, lane: usize, axis: Axis, side: Side) -> usize {
        let (x, y) = self.group.pixels[lane];
        let of = |coordinate: u32| coordinate & !1 | u32::from(side == Side::Odd);
        let pixel = match axis {
            Axis::X => (of(x), y),
            Axis::Y => (x, of(y)),
        };
        let found = self.group.pixels.iter().position(|&other| other == pixel);
        found.expect("lanes lie in whole quads")
    }

    fn copy(&mut self, to: &[ValueId], from: &[ValueId]) {
        let lanes = self.lanes;
        let words: Vec<u64> =
            from.iter().flat_map(|v| &self.words[v.index() * lanes..][..lanes]).copied().collect();
        for (to, words) in to.iter().zip(words.chunks(lanes)) {
            self.words[to.index() * lanes..][..lanes].copy_from_slice(words);
        }
        let is_array = |v: &ValueId| self.program.kind(*v).words().is_some();
        let arrays = to.iter().zip(from).filter(|(to, _)| is_array(to));
        let arrays: Vec<_> =
            arrays.map(|(&to, from)| (to, Rc::clone(&self.arrays[from]))).collect();
        self.arrays.extend(arrays);
    }

    /// The index of an array's word among the words of all lanes.
    fn place(&self, words: usize, first: u32, index: Option<ValueId>, lane: usize) -> usize {
        let at = index.map_or(0, |index| self.get(index, lane)) + u64::from(first);
        assert!(at < words as u64, "the index is inside");
        lane * words + at as usize
    }

    /// The words of the array that an expression makes, for all lanes.
    fn array(&self, words: usize, expr: &LaneExpr) -> Rc<Vec<u64>> {
        let lanes = 0..self.lanes;
        let all = match expr {
            LaneExpr::Array(of) => {
                lanes.flat_map(|lane| of.iter().map(move |&v| self.get(v, lane))).collect()
            }
            LaneExpr::Table(first) => {
                let inputs = &self.group.inputs[*first as usize..][..words];
                lanes.flat_map(|_| inputs.iter().map(|&word| word.into())).collect()
            }
            LaneExpr::Put { array, first, index, word, mask } => {
                let mut all = self.arrays[array].clone();
                let words_of = Rc::make_mut(&mut all);
                for lane in lanes {
                    if mask.is_none_or(|mask| self.get(mask, lane) != 0) {
                        words_of[self.place(words, *first, *index, lane)] = self.get(*word, lane);
                    }
                }
                return all;
            }
            LaneExpr::Merge(mask, [a, b]) => {
                let of = |lane| &self.arrays[if self.get(*mask, lane) != 0 { a } else { b }];
                lanes.flat_map(|lane| of(lane)[lane * words..][..words].to_vec()).collect()
            }
            LaneExpr::Undefined => {
                let bits = |lane| undefined_bits(Kind::Array(words as u32), lane);
                lanes.flat_map(|lane| std::iter::repeat_n(bits(lane), words)).collect()
            }
            _ => unreachable!("{expr:?} is no array"),
        };
        Rc::new(all)
    }

    /// The arm taken, and the number of its active lanes.
    fn arm(&self, condition: ValueId, arms: [BlockId; 2], active: usize) -> (BlockId, usize) {
        let [then, otherwise] = arms;
        if self.get(condition, 0) == 0 {
            return (otherwise, active);
        }
        let set = |mask| (0..self.lanes).filter(|&lane| self.get(mask, lane) != 0).count();
        (then, self.observer.mask(condition).map_or(active, set))
    }

    /// Executes the root with this number of active lanes.
    fn run(&mut self, active: usize) -> Result<(), Interruption> {
        let program = self.program;
        let root = Activation { block: LaneProgram::ROOT, next: 0, active, of: None, rounds: 0 };
        let mut stack = vec![root];
        self.enter(LaneProgram::ROOT, active)?;
        while let Some(top) = stack.last_mut() {
            let block = program.block(top.block);
            if let Some(statement) = block.statements.get(top.next) {
                top.next += 1;
                let active = top.active;
                let (block, active) = match statement {
                    LaneStatement::Let { value, expr } => {
                        self.compute(*value, expr);
                        continue;
                    }
                    LaneStatement::Access { value, access } => {
                        self.access(*value, access);
                        continue;
                    }
                    LaneStatement::If { condition, then, otherwise, .. } => {
                        self.arm(*condition, [*then, *otherwise], active)
                    }
                    LaneStatement::Loop { params, inits, body, .. } => {
                        self.copy(params, inits);
                        (*body, active)
                    }
                };
                let of = Some(statement);
                stack.push(Activation { block, next: 0, active, of, rounds: 0 });
                self.enter(block, active)?;
                continue;
            }
            match &block.end {
                LaneEnd::Yield(values) => {
                    if let Some(statement) = top.of {
                        self.copy(statement.values(), values);
                    }
                    stack.pop();
                    continue;
                }
                LaneEnd::Rec(arguments) => {
                    let Some(LaneStatement::Loop { params, body, site, .. }) = top.of else {
                        unreachable!("a `rec` stands in the tail of a loop");
                    };
                    self.copy(params, arguments);
                    top.rounds += 1;
                    if top.rounds > self.group.max_iterations {
                        return Err(Interruption::Limit(LoopLimit { site: *site }));
                    }
                    top.block = *body;
                }
                LaneEnd::If { condition, then, otherwise } => {
                    (top.block, top.active) = self.arm(*condition, [*then, *otherwise], top.active);
                }
            }
            top.next = 0;
            self.enter(top.block, top.active)?;
        }
        Ok(())
    }

    fn enter(&mut self, block: BlockId, active: usize) -> Result<(), Interruption> {
        match self.observer.enter(block, active) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Interruption::Observer),
        }
    }

    fn invocations(&self) -> Invocations<'a> {
        self.invocations.expect("the program is for invocations")
    }

    /// A word of the table of lanes.
    fn listed(&self, column: Column, lane: usize) -> u64 {
        let position = self.program.items.position(column).expect("the items have the column");
        self.invocations().table[position * self.lanes + lane].into()
    }

    /// Accesses a memory, lane by lane. A load of a uniform index is one.
    fn access(&mut self, value: Option<ValueId>, access: &Access) {
        let number = access.memory as usize;
        let is_one = |value| access.change.is_none() && self.program.rate(value).is_uniform();
        let count = if value.is_some_and(is_one) { 1 } else { self.lanes };
        for lane in 0..count {
            let index = self.get(access.index, lane) as usize;
            let change = access.change.as_ref();
            let change = change.filter(|change| self.get(change.mask, lane) != 0);
            let new = change.map(|change| {
                let word = |k: usize| change.words.get(k).map_or(0, |&v| self.get(v, lane) as u32);
                (change.atomic, word(0), word(1))
            });
            let words = self.invocations().memories.words(number);
            assert!(index < words.len().max(1), "the index is inside");
            let mut word = words.get(index).map_or(undefined_bits(Kind::I32, lane), |word| {
                word.load(Ordering::Relaxed).into()
            });
            match new {
                Some((atomic, operand, comparand)) => {
                    let new = atomic.apply(word as u32, operand, comparand);
                    words[index].store(new, Ordering::Relaxed);
                    let replaced =
                        Replaced { memory: access.memory, index: index as u32, word: new };
                    let operands = [operand, comparand];
                    self.observer.changed(LaneChange { lane, atomic, operands, replaced });
                }
                None if access.change.is_some() => word = undefined_bits(Kind::I32, lane),
                None if count > 1 && access.mask.is_some_and(|mask| self.get(mask, lane) == 0) => {
                    word = undefined_bits(Kind::I32, lane);
                }
                None => {}
            }
            if let Some(value) = value {
                let at = value.index() * self.lanes + lane;
                self.words[at..][..if count == 1 { self.lanes } else { 1 }].fill(word);
            }
        }
    }

    fn compute(&mut self, value: ValueId, expr: &LaneExpr) {
        let info = self.program.values[value.index()];
        if let Some(words) = info.kind.words() {
            let array = self.array(words as usize, expr);
            self.arrays.insert(value, array);
            return;
        }
        for lane in 0..self.lanes {
            let word = if lane > 0 && info.rate.is_uniform() {
                self.get(value, 0)
            } else {
                self.lane(info.kind, expr, lane)
            };
            self.words[value.index() * self.lanes + lane] = word;
        }
    }

    fn lane(&self, kind: Kind, expr: &LaneExpr, lane: usize) -> u64 {
        let number = |v: ValueId| f32::from_bits(self.get(v, lane) as u32);
        match expr {
            LaneExpr::Constant(bits) => *bits,
            LaneExpr::Undefined => undefined_bits(kind, lane),
            LaneExpr::Input(word) => {
                let word = self.group.inputs[*word as usize];
                if kind == Kind::Mask { u64::from(word != 0) } else { word.into() }
            }
            LaneExpr::Primitive(word) => self.group.primitive[*word as usize].into(),
            LaneExpr::Load { space, first, index } => {
                let at = (u64::from(*first) + self.get(*index, lane)) as usize;
                match space {
                    Space::Inputs => self.group.inputs[at].into(),
                    Space::Resource(number) => {
                        let number = *number as usize;
                        let resource = &self.program.resources.0[number];
                        resource.words_of(&self.group.resources[number])[at].into()
                    }
                    Space::Slots => unreachable!("lane programs have no slots"),
                }
            }
            LaneExpr::Lookup { words, first, index } => {
                self.get(words[*first as usize + self.get(*index, lane) as usize], lane)
            }
            LaneExpr::At { array, first, index } => {
                let words = self.program.kind(*array).words().expect("it is an array");
                self.arrays[array][self.place(words as usize, *first, *index, lane)]
            }
            LaneExpr::Array(_)
            | LaneExpr::Table(_)
            | LaneExpr::Put { .. }
            | LaneExpr::Merge(..) => {
                unreachable!("an array is no word")
            }
            LaneExpr::Coordinate(Axis::X) => bits(centre(self.group.pixels[lane].0)),
            LaneExpr::Coordinate(Axis::Y) => bits(centre(self.group.pixels[lane].1)),
            LaneExpr::Invocation(input, k) => self.listed(Column::Invocation(*input, *k), lane),
            LaneExpr::Saved(word) => self.listed(Column::Saved(*word), lane),
            LaneExpr::ExecutionMask => self.group.mask[lane].into(),
            LaneExpr::Op(op, operands) => {
                let mut words = [0; 3];
                for (word, &operand) in words.iter_mut().zip(operands) {
                    *word = self.get(operand, lane);
                }
                apply(*op, self.program.kind(operands[0]), words)
            }
            LaneExpr::Elementary { function, operands, mask } => {
                if mask.is_some_and(|mask| self.get(mask, lane) == 0) {
                    return undefined_bits(kind, lane);
                }
                let y = operands.get(1).map_or(0.0, |&y| number(y));
                bits(function.evaluate(number(operands[0]), y))
            }
            LaneExpr::Neighbour { of, axis, side } => {
                self.get(*of, self.neighbour(lane, *axis, *side))
            }
            LaneExpr::Any(mask) => (0..self.lanes).any(|lane| self.get(*mask, lane) != 0).into(),
        }
    }
}

fn bits(value: f32) -> u64 {
    value.to_bits().into()
}

/// Operations of both binary32 and binary64.
macro_rules! floats {
    ($name:ident, $float:ty, $bits:ty) => {
        fn $name(op: LaneOp, words: [u64; 3]) -> u64 {
            let [a, b, c] = words.map(|word| <$float>::from_bits(word as $bits));
            let value = match op {
                LaneOp::Neg => -a,
                LaneOp::Abs => a.abs(),
                LaneOp::Floor => a.floor(),
                LaneOp::Ceil => a.ceil(),
                LaneOp::Trunc => a.trunc(),
                LaneOp::RoundEven => a.round_ties_even(),
                LaneOp::Sqrt => a.sqrt(),
                LaneOp::Add => a + b,
                LaneOp::Sub => a - b,
                LaneOp::Mul => a * b,
                LaneOp::Div => a / b,
                LaneOp::Fma => a.mul_add(b, c),
                LaneOp::Min => return words[usize::from(b < a)],
                LaneOp::Max => return words[usize::from(a < b)],
                LaneOp::Less => return (a < b).into(),
                LaneOp::LessEqual => return (a <= b).into(),
                LaneOp::Equal => return (a == b).into(),
                LaneOp::NotEqual => return (a != b).into(),
                LaneOp::Bits => return words[0],
                _ => unreachable!("not of {}: {op}", stringify!($float)),
            };
            value.to_bits().into()
        }
    };
}

floats!(single, f32, u32);
floats!(double, f64, u64);

/// Operations of both 32-bit and 64-bit integers.
macro_rules! integers {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        fn $name(op: LaneOp, words: [u64; 3]) -> u64 {
            let [a, b] = [0, 1].map(|i| words[i] as $unsigned);
            let value = match op {
                LaneOp::Add => a.wrapping_add(b),
                LaneOp::Sub => a.wrapping_sub(b),
                LaneOp::Mul => a.wrapping_mul(b),
                LaneOp::Min => (a as $signed).min(b as $signed) as $unsigned,
                LaneOp::Max => (a as $signed).max(b as $signed) as $unsigned,
                LaneOp::MinUnsigned => a.min(b),
                LaneOp::MaxUnsigned => a.max(b),
                LaneOp::LessUnsigned => (a < b).into(),
                LaneOp::LessEqualUnsigned => (a <= b).into(),
                LaneOp::Less => ((a as $signed) < (b as $signed)).into(),
                LaneOp::LessEqual => ((a as $signed) <= (b as $signed)).into(),
                LaneOp::Equal => (a == b).into(),
                LaneOp::NotEqual => (a != b).into(),
                LaneOp::And => a & b,
                LaneOp::AndNot => a & !b,
                LaneOp::Or => a | b,
                LaneOp::Xor => a ^ b,
                LaneOp::Not => !a,
                LaneOp::ShiftLeft(n) => a << n,
                LaneOp::ShiftRight(n) => a >> n,
                LaneOp::ShiftRightSigned(n) => (a as $signed >> n) as $unsigned,
                LaneOp::Bits => a,
                _ => unreachable!("not of {}: {op}", stringify!($signed)),
            };
            value.into()
        }
    };
}

integers!(word, u32, i32);
integers!(long, u64, i64);

/// Shifts by a count that is not constant.
fn shift(op: LaneOp, [a, count, _]: [u64; 3]) -> u64 {
    let a = a as u32;
    u64::from(match op {
        LaneOp::ShiftLeftBy => a << count,
        LaneOp::ShiftRightBy => a >> count,
        _ => (a as i32 >> count) as u32,
    })
}

/// True if the operation defines all bits of its result.
pub(crate) fn is_defined(op: LaneOp, words: [u64; 3]) -> bool {
    match op {
        LaneOp::ShiftLeftBy | LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy => words[1] < 32,
        LaneOp::ToIntegerInRange => FITS.contains(&f32::from_bits(words[0] as u32)),
        _ => true,
    }
}

/// Range of numbers that fit a signed 32-bit integer after rounding toward zero.
pub(super) const FITS: Range<f32> = -2_147_483_648.0..2_147_483_648.0;

fn mask(op: LaneOp, [a, b, c]: [u64; 3]) -> u64 {
    match op {
        LaneOp::Equal => u64::from(a == b),
        LaneOp::NotEqual => a ^ b,
        LaneOp::And => a & b,
        LaneOp::AndNot => a & (b ^ 1),
        LaneOp::Or => a | b,
        LaneOp::Not => a ^ 1,
        LaneOp::Select if a != 0 => b,
        LaneOp::Select => c,
        _ => unreachable!("not of masks: {op}"),
    }
}

/// One lane of an operation. `kind` is that of its first operand.
pub(crate) fn apply(op: LaneOp, kind: Kind, words: [u64; 3]) -> u64 {
    if !is_defined(op, words) {
        return undefined_bits(Kind::I32, 0);
    }
    match (kind, op) {
        (_, LaneOp::Promote) => f64::from(f32::from_bits(words[0] as u32)).to_bits(),
        (_, LaneOp::Demote) => bits(f64::from_bits(words[0]) as f32),
        (_, LaneOp::FromInteger) => bits(words[0] as i32 as f32),
        (_, LaneOp::FromUnsigned) => bits(words[0] as u32 as f32),
        (_, LaneOp::ToInteger | LaneOp::ToIntegerInRange) => {
            u64::from(f32::from_bits(words[0] as u32) as i32 as u32)
        }
        (_, LaneOp::ToUnsigned) => u64::from(f32::from_bits(words[0] as u32) as u32),
        (_, LaneOp::Widen | LaneOp::Narrow) => words[0] & u64::from(u32::MAX),
        (_, LaneOp::MulHigh) => (words[0] * words[1]) >> 32,
        (_, LaneOp::ShiftLeftBy | LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy) => {
            shift(op, words)
        }
        (Kind::F32, _) => single(op, words),
        (Kind::F64, _) => double(op, words),
        (Kind::I32, _) => word(op, words),
        (Kind::I64, _) => long(op, words),
        (Kind::Mask, _) => mask(op, words),
        (Kind::Array(_), _) => unreachable!("no operation takes an array"),
    }
}
