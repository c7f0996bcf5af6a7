//! The evaluator of scheduled programs. Its stack is on the heap, so blocks may nest to any depth.

use super::fault::EvaluationFault;
use super::observer::{Evaluated, Observer};
use crate::inputs::Inputs;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use crate::types::Type;
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
        with_default(|| self.run_pixel(inputs, cancelled, observer))
    }

    fn run_pixel(
        &mut self,
        inputs: &Inputs,
        cancelled: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<(), EvaluationFault> {
        let program = self.program;
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        // The current block, and the index of its next statement.
        let (mut id, mut from) = (Program::ROOT, 0);
        'blocks: loop {
            let block = program.block(id);
            for (at, statement) in block.statements.iter().enumerate().skip(from) {
                let inner =
                    match statement {
                        Statement::Let { value, expr } => {
                            self.compute(*value, expr, inputs, observer);
                            self.poll(1, cancelled)?;
                            continue;
                        }
                        Statement::If { condition, then, otherwise, .. } => {
                            if self.holds(*condition) { *then } else { *otherwise }
                        }
                        Statement::Loop { params, inits, body, .. } => {
                            self.copy_all(params, inits);
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
                        self.stack = stack;
                        return Ok(());
                    };
                    let statement = &program.block(cursor.block).statements[cursor.at];
                    self.copy(statement.value(), values[0]);
                    (cursor.block, cursor.at + 1)
                }
                End::Rec(arguments) => {
                    let cursor = stack.last_mut().expect("a `rec` stands in a loop");
                    let statement = &program.block(cursor.block).statements[cursor.at];
                    let Statement::Loop { value, params, body, .. } = statement else {
                        unreachable!("a `rec` stands in the tail of a loop")
                    };
                    self.copy_all(params, arguments);
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
        inputs: &Inputs,
        observer: &mut impl Observer,
    ) {
        match expr {
            Expr::Constant(words) => self.set(value, words),
            Expr::Uniform(index) => self.set(value, &inputs.uniforms[*index as usize]),
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
                op.evaluate(&self.program.types, &inputs.resources, types, words, out);
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
