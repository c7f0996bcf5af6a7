//! The evaluator of scheduled programs.

use super::Fault;
use crate::inputs::Inputs;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use crate::types::Type;

/// After how many rounds of loops it asks whether to stop.
const POLL_INTERVAL: u32 = 1 << 14;

/// Executes a program for one pixel after another.
#[derive(Debug)]
pub struct Evaluator<'p> {
    program: &'p Program,
    /// Where each value's words begin in `words`.
    offsets: Vec<usize>,
    words: Vec<u32>,
    max_iterations: u64,
    poll_interval: u32,
    rounds_to_poll: u32,
}

/// How a block ended.
enum Outcome<'p> {
    Yield(&'p [ValueId]),
    Rec(&'p [ValueId]),
}

impl<'p> Evaluator<'p> {
    /// An evaluator whose loops may do `max_iterations` rounds more than the first at each entry.
    pub fn new(program: &'p Program, max_iterations: u64) -> Self {
        let offsets = program.component_offsets();
        let total = offsets[program.values.len()];
        Self {
            program,
            offsets,
            words: vec![0; total],
            max_iterations,
            poll_interval: POLL_INTERVAL,
            rounds_to_poll: POLL_INTERVAL,
        }
    }

    /// The same, asking whether to stop after each round of a loop.
    pub(super) fn polling_always(self) -> Self {
        Self { poll_interval: 1, rounds_to_poll: 1, ..self }
    }

    /// Computes the outputs of one pixel. `cancelled` is asked now and then.
    pub fn run(&mut self, inputs: &Inputs, cancelled: &dyn Fn() -> bool) -> Result<(), Fault> {
        self.block(Program::ROOT, inputs, cancelled).map(|_| ())
    }

    /// The words of the `i`th output that the last [`Evaluator::run`] computed.
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

    fn block(
        &mut self,
        mut id: BlockId,
        inputs: &Inputs,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Outcome<'p>, Fault> {
        let program = self.program;
        loop {
            let block = program.block(id);
            for statement in &block.statements {
                match statement {
                    Statement::Let { value, expr } => self.compute(*value, expr, inputs),
                    Statement::If { value, condition, then, otherwise } => {
                        let arm = if self.holds(*condition) { *then } else { *otherwise };
                        if let Outcome::Yield(result) = self.block(arm, inputs, cancelled)? {
                            self.copy(*value, result[0]);
                        }
                    }
                    Statement::Loop { value, params, inits, body } => {
                        self.copy_all(params, inits);
                        let mut rounds = 0;
                        loop {
                            match self.block(*body, inputs, cancelled)? {
                                Outcome::Yield(result) => {
                                    self.copy(*value, result[0]);
                                    break;
                                }
                                Outcome::Rec(arguments) => self.copy_all(params, arguments),
                            }
                            rounds += 1;
                            if rounds > self.max_iterations {
                                return Err(Fault::LoopLimit(program.values[value.index()].span));
                            }
                            self.poll(cancelled)?;
                        }
                    }
                }
            }
            match &block.end {
                End::Yield(values) => return Ok(Outcome::Yield(values)),
                End::Rec(values) => return Ok(Outcome::Rec(values)),
                End::If { condition, then, otherwise } => {
                    id = if self.holds(*condition) { *then } else { *otherwise };
                }
            }
        }
    }

    fn poll(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), Fault> {
        self.rounds_to_poll -= 1;
        if self.rounds_to_poll == 0 {
            self.rounds_to_poll = self.poll_interval;
            if cancelled() {
                return Err(Fault::Cancelled);
            }
        }
        Ok(())
    }

    fn holds(&self, condition: ValueId) -> bool {
        self.get(condition)[0] != 0
    }

    /// Simultaneously: all sources are read before any target is written.
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

    fn compute(&mut self, value: ValueId, expr: &Expr, inputs: &Inputs) {
        match expr {
            Expr::Constant(words) => self.set(value, words),
            Expr::Uniform(index) => self.set(value, &inputs.uniforms[*index as usize]),
            Expr::Input(input) => {
                let words = inputs.get(*input).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                self.set(value, &words);
            }
            Expr::Op(op, operands) => {
                let mut types = [Type::BOOL; 4];
                let mut words: [&[u32]; 4] = [&[]; 4];
                for (i, &operand) in operands.iter().enumerate() {
                    types[i] = self.program.ty(operand);
                    words[i] = self.get(operand);
                }
                if *op == Op::Min && is_active(Mutant::WrongMinimum) {
                    words.swap(0, 1);
                }
                let mut out = [0; 16];
                let out = &mut out[..self.program.ty(value).components()];
                op.apply(&types[..operands.len()], &words[..operands.len()], out);
                self.set(value, out);
            }
        }
    }
}
