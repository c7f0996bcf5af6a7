//! The evaluator of scheduled programs. Its stack is on the heap, so blocks may nest to any depth.

use super::fault::EvaluationFault;
use super::memory::Memory;
use super::observer::{Evaluated, Observer};
use crate::graph::StageInput;
use crate::inputs::Inputs;
use crate::memory::{InvocationInput, MemoryOp};
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use crate::types::{Type, Types};
use lambdav_float_environment::with_default;

/// The number of rounds of loops between two cancellation polls.
const ROUNDS: u32 = 1 << 14;

/// The number of statements between two polls. (An elementary function may take a tenth of a millisecond.)
const STATEMENTS: u32 = 1 << 8;

/// Executes a program for one pixel after another.
#[derive(Debug)]
pub struct Evaluator<'p> {
    program: &'p Program,
    /// The offset of each value's words in `words`.
    offsets: Vec<usize>,
    words: Vec<u32>,
    /// The `if`s and loops around the current statement, outermost first.
    stack: Vec<BlockCursor>,
    /// The current block, and the index of its next statement.
    next: (BlockId, usize),
    max_iterations: u64,
    /// Poll intervals: in rounds and in statements.
    intervals: [u32; 2],
    /// Rounds and statements until the next poll.
    to_poll: [u32; 2],
}

/// A statement whose inner block is being executed.
#[derive(Clone, Copy, Debug)]
struct BlockCursor {
    block: BlockId,
    /// Its index among the statements.
    at: usize,
    /// The number of `rec`s of a loop so far.
    rounds: u64,
}

/// The end of a segment of an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The invocation has ended.
    Done,
    /// It has arrived at a barrier.
    Barrier {
        /// The barrier's value.
        value: ValueId,
        /// The number of `rec`s so far of each loop around the barrier, outermost first.
        rounds: Vec<u64>,
    },
}

/// The built-in inputs of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// [`InvocationInput::GlobalId`].
    pub global_id: [u32; 3],
    /// [`InvocationInput::LocalId`].
    pub local_id: [u32; 3],
    /// [`InvocationInput::WorkgroupId`].
    pub workgroup_id: [u32; 3],
    /// [`InvocationInput::LocalIndex`].
    pub local_index: u32,
    /// [`InvocationInput::Workgroups`].
    pub workgroups: [u32; 3],
}

impl Invocation {
    /// The words of an input.
    pub fn get(&self, input: InvocationInput) -> &[u32] {
        match input {
            InvocationInput::GlobalId => &self.global_id,
            InvocationInput::LocalId => &self.local_id,
            InvocationInput::WorkgroupId => &self.workgroup_id,
            InvocationInput::LocalIndex => std::slice::from_ref(&self.local_index),
            InvocationInput::Workgroups => &self.workgroups,
        }
    }
}

/// Everything that a program reads and writes but its own values.
struct Surroundings<'a> {
    inputs: &'a Inputs,
    dispatch: Option<(&'a mut Memory, &'a Invocation)>,
}

impl<'a> Surroundings<'a> {
    fn pixel(inputs: &'a Inputs) -> Self {
        Self { inputs, dispatch: None }
    }

    fn dispatch(&mut self) -> (&mut Memory, &Invocation) {
        let (memory, invocation) =
            self.dispatch.as_mut().expect("programs with memories are dispatched");
        (memory, invocation)
    }

    /// Computes an operation on a memory, the first operand or the result.
    fn access(
        &mut self,
        types: &Types,
        op: MemoryOp,
        of: &[Type],
        operands: &[&[u32]],
        out: &mut [u32],
    ) {
        let (memory, _) = self.dispatch();
        // A state has no words.
        let Some(number) = of.first().and_then(|&state| types.resource(state)) else { return };
        let word = |operand: usize| operands.get(operand).map_or(0, |words| words[0]);
        match op {
            MemoryOp::State(_) | MemoryOp::Barrier(_) => {}
            MemoryOp::Size => out[0] = memory.words(number).len() as u32,
            MemoryOp::Load => out[0] = memory.load(number, word(1)),
            MemoryOp::Store => memory.store(number, word(1), word(2)),
            MemoryOp::Atomic(atomic, _) => {
                out[0] = memory.atomic(number, atomic, word(1), [word(2), word(3)]);
            }
        }
    }
}

impl<'p> Evaluator<'p> {
    /// An evaluator whose loops may execute `max_iterations` `rec`s at each entry.
    pub fn new(program: &'p Program, max_iterations: u64) -> Self {
        let offsets = program.component_offsets();
        let total = offsets[program.values.len()];
        Self {
            program,
            offsets,
            words: vec![0; total],
            stack: Vec::new(),
            next: (Program::ROOT, 0),
            max_iterations,
            intervals: [ROUNDS, STATEMENTS],
            to_poll: [ROUNDS, STATEMENTS],
        }
    }

    /// Polls for cancellation after each round of a loop, and nowhere else.
    pub(super) fn polling_rounds(self) -> Self {
        let intervals = [1, u32::MAX];
        Self { intervals, to_poll: intervals, ..self }
    }

    /// Computes the outputs of one pixel. `cancelled` is polled at intervals.
    ///
    /// # Errors
    ///
    /// A loop that exceeds the limit, and cancellation.
    ///
    /// # Panics
    ///
    /// If the program accesses a memory, which takes a [`Dispatch`](super::Dispatch).
    pub fn run(
        &mut self,
        inputs: &Inputs,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), EvaluationFault> {
        self.run_observed(inputs, cancelled, &mut ())
    }

    /// Like [`Evaluator::run`], and reports each operation to an observer.
    ///
    /// # Errors
    ///
    /// As for [`Evaluator::run`].
    pub fn run_observed(
        &mut self,
        inputs: &Inputs,
        cancelled: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<(), EvaluationFault> {
        self.begin();
        with_default(|| self.execute(&mut Surroundings::pixel(inputs), cancelled, observer))?;
        Ok(())
    }

    /// Goes back to the beginning of the program.
    pub(super) fn begin(&mut self) {
        self.stack.clear();
        self.next = (Program::ROOT, 0);
    }

    /// Runs an invocation from where it is to the next barrier, or to its end; then the next one begins. The
    /// floating-point environment must be the default one.
    pub(super) fn resume(
        &mut self,
        inputs: &Inputs,
        memory: &mut Memory,
        invocation: &Invocation,
        cancelled: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<Progress, EvaluationFault> {
        let mut surroundings = Surroundings { inputs, dispatch: Some((memory, invocation)) };
        observer.invocation(invocation.global_id);
        self.execute(&mut surroundings, cancelled, observer)
    }

    /// The barrier at which the invocation stops after a statement.
    fn suspended(&self, value: ValueId) -> Progress {
        let mut rounds = Vec::new();
        for cursor in &self.stack {
            let statement = &self.program.block(cursor.block).statements[cursor.at];
            if let Statement::Loop { .. } = statement {
                rounds.push(cursor.rounds);
            }
        }
        Progress::Barrier { value, rounds }
    }

    fn execute(
        &mut self,
        surroundings: &mut Surroundings<'_>,
        cancelled: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<Progress, EvaluationFault> {
        let program = self.program;
        let mut stack = std::mem::take(&mut self.stack);
        let (mut id, mut from) = self.next;
        'blocks: loop {
            let block = program.block(id);
            for (at, statement) in block.statements.iter().enumerate().skip(from) {
                let inner =
                    match statement {
                        Statement::Let {
                            value,
                            expr: Expr::Op(Op::Memory(MemoryOp::Barrier(_)), _),
                        } => {
                            (self.stack, self.next) = (stack, (id, at + 1));
                            return Ok(self.suspended(*value));
                        }
                        Statement::Let { value, expr } => {
                            self.compute(*value, expr, surroundings, observer);
                            self.tell(&[*value], observer);
                            self.poll(1, cancelled)?;
                            continue;
                        }
                        Statement::If { condition, then, otherwise, .. } => {
                            if self.holds(*condition) { *then } else { *otherwise }
                        }
                        Statement::Loop { params, inits, body, .. } => {
                            self.copy_all(params, inits);
                            self.tell(params, observer);
                            *body
                        }
                    };
                stack.push(BlockCursor { block: id, at, rounds: 0 });
                (id, from) = (inner, 0);
                continue 'blocks;
            }
            (id, from) = match &block.end {
                End::If { condition, then, otherwise } => {
                    (if self.holds(*condition) { *then } else { *otherwise }, 0)
                }
                End::Yield(values) => {
                    let Some(cursor) = stack.pop() else {
                        (self.stack, self.next) = (stack, (Program::ROOT, 0));
                        return Ok(Progress::Done);
                    };
                    let statement = &program.block(cursor.block).statements[cursor.at];
                    self.copy(statement.value(), values[0]);
                    self.tell(&[statement.value()], observer);
                    (cursor.block, cursor.at + 1)
                }
                End::Rec(arguments) => {
                    let cursor = stack.last_mut().expect("a `rec` stands in a loop");
                    let statement = &program.block(cursor.block).statements[cursor.at];
                    let Statement::Loop { value, params, body, .. } = statement else {
                        unreachable!("a `rec` stands in the tail of a loop")
                    };
                    self.copy_all(params, arguments);
                    self.tell(params, observer);
                    cursor.rounds += 1;
                    if cursor.rounds > self.max_iterations {
                        return Err(EvaluationFault::LoopLimit(program.values[value.index()].span));
                    }
                    self.poll(0, cancelled)?;
                    (*body, 0)
                }
            };
        }
    }

    /// The words of the `i`th output, as computed by the last [`Evaluator::run`].
    pub fn output(&self, i: usize) -> &[u32] {
        self.get(self.program.outputs()[i])
    }

    fn get(&self, value: ValueId) -> &[u32] {
        &self.words[self.offsets[value.index()]..self.offsets[value.index() + 1]]
    }

    fn set(&mut self, value: ValueId, words: &[u32]) {
        self.words[self.offsets[value.index()]..self.offsets[value.index() + 1]]
            .copy_from_slice(words);
    }

    fn copy(&mut self, to: ValueId, from: ValueId) {
        let from = self.offsets[from.index()]..self.offsets[from.index() + 1];
        self.words.copy_within(from, self.offsets[to.index()]);
    }

    /// Reports values.
    fn tell(&self, values: &[ValueId], observer: &mut impl Observer) {
        values.iter().for_each(|&value| observer.value(value, self.get(value)));
    }

    /// Polls at the interval of rounds (0) or of statements (1).
    fn poll(&mut self, of: usize, cancelled: &dyn Fn() -> bool) -> Result<(), EvaluationFault> {
        self.to_poll[of] -= 1;
        if self.to_poll[of] == 0 {
            self.to_poll[of] = self.intervals[of];
            if cancelled() {
                return Err(EvaluationFault::Cancelled);
            }
        }
        Ok(())
    }

    fn holds(&self, condition: ValueId) -> bool {
        self.get(condition)[0] != 0
    }

    /// Copies simultaneously: all sources are read before any target is written.
    fn copy_all(&mut self, to: &[ValueId], from: &[ValueId]) {
        if is_active(Mutant::SequentialRec) {
            return to.iter().zip(from).for_each(|(&to, &from)| self.copy(to, from));
        }
        let words: Vec<u32> = from.iter().flat_map(|&v| self.get(v)).copied().collect();
        let mut rest = &words[..];
        for &value in to {
            let (first, after) = rest.split_at(self.get(value).len());
            self.set(value, first);
            rest = after;
        }
    }

    fn compute(
        &mut self,
        value: ValueId,
        expr: &Expr,
        surroundings: &mut Surroundings<'_>,
        observer: &mut impl Observer,
    ) {
        let inputs = surroundings.inputs;
        match expr {
            Expr::Constant(words) => self.set(value, words),
            Expr::Uniform(index) => self.set(value, &inputs.uniforms[*index as usize]),
            Expr::Stage(StageInput::Invocation(input)) => {
                let (_, invocation) = surroundings.dispatch();
                self.set(value, invocation.get(*input));
            }
            Expr::Stage(_) => unreachable!("stages are evaluated as plain programs"),
            Expr::Input(input) => {
                let words = inputs.get(*input).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                self.set(value, &words);
            }
            Expr::Op(op, operands) => {
                // Fast path: most operations have few operands and few words.
                let (mut few_types, mut few_words) = ([Type::BOOL; 4], [&[][..]; 4]);
                let (mut many_types, mut many_words) = (Vec::new(), Vec::new());
                let (types, words) = if operands.len() <= 4 {
                    (&mut few_types[..operands.len()], &mut few_words[..operands.len()])
                } else {
                    many_types.resize(operands.len(), Type::BOOL);
                    many_words.resize(operands.len(), &[][..]);
                    (&mut many_types[..], &mut many_words[..])
                };
                for (i, &operand) in operands.iter().enumerate() {
                    types[i] = self.program.ty(operand);
                    words[i] = self.get(operand);
                }
                if *op == Op::Min && is_active(Mutant::WrongMinimum) {
                    words.swap(0, 1);
                }
                let (mut few, mut many) = ([0; 16], Vec::new());
                let count = self.get(value).len();
                let out = if count <= 16 {
                    &mut few[..count]
                } else {
                    many.resize(count, 0);
                    &mut many[..]
                };
                match *op {
                    Op::Memory(op) => {
                        surroundings.access(&self.program.types, op, types, words, out);
                    }
                    _ => op.evaluate(&self.program.types, &inputs.resources, types, words, out),
                }
                observer.operation(&Evaluated {
                    value,
                    op: *op,
                    types,
                    operands: words,
                    result: out,
                });
                self.set(value, out);
            }
        }
    }
}
