//! A plain interpreter of schedules that records control flow, pixel by pixel.

use lambdav_core::inputs::Inputs;
use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type};
use std::collections::BTreeSet;

/// Largest number of loop rounds in a walk.
const MAX_ROUNDS: u32 = 400_000;
/// Number of decisions of an `if`, or executions of a loop, that are compared between pixels.
const MAX_EVENTS: usize = 32;

/// Control-flow events at one place, compared between pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// Events of the pixel with the most events so far.
    longest: Vec<u32>,
    /// Events of the current pixel.
    now: Vec<u32>,
    /// Two pixels differ in their k-th event here.
    pub(crate) varies: bool,
}

impl Trace {
    /// True if any pixel reached the place.
    pub(crate) fn was_reached(&self) -> bool {
        !self.longest.is_empty()
    }

    fn note(&mut self, event: u32) {
        if self.now.len() < MAX_EVENTS {
            self.now.push(event);
        }
    }

    fn end_pixel(&mut self) {
        self.varies |= self.now.iter().zip(&self.longest).any(|(a, b)| a != b);
        if self.now.len() > self.longest.len() {
            std::mem::swap(&mut self.now, &mut self.longest);
        }
        self.now.clear();
    }
}

/// Kinds of special numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Special {
    /// A NaN.
    pub nan: bool,
    /// An infinity.
    pub infinity: bool,
    /// A subnormal number.
    pub subnormal: bool,
    /// An integer.
    pub integer: bool,
}

/// Walks over the pixels of an image in turn.
pub(crate) struct Walker<'p> {
    program: &'p Program,
    words: Vec<Box<[u32]>>,
    rounds: u32,
    /// Decisions of the `if` statements (1 or 0), and numbers of rounds of the loops, by the statement's
    /// value.
    pub(crate) values: Vec<Trace>,
    /// Decisions of the `if`s that end blocks, by block.
    pub(crate) ends: Vec<Trace>,
    /// Executed operations.
    pub(crate) operations: BTreeSet<Op>,
    /// Kinds of numbers among the results.
    pub(crate) special: Special,
}

impl<'p> Walker<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            words: vec![Box::default(); program.values.len()],
            rounds: 0,
            values: vec![Trace::default(); program.values.len()],
            ends: vec![Trace::default(); program.blocks.len()],
            operations: BTreeSet::new(),
            special: Special::default(),
        }
    }

    /// The words of each output at one pixel; `None` if the walk takes too long.
    pub(crate) fn pixel(&mut self, inputs: &Inputs) -> Option<Vec<&[u32]>> {
        self.block(Program::ROOT, inputs)?;
        self.values.iter_mut().chain(&mut self.ends).for_each(Trace::end_pixel);
        Some(self.program.outputs().iter().map(|o| &*self.words[o.index()]).collect())
    }

    fn holds(&self, condition: ValueId) -> bool {
        self.words[condition.index()][0] != 0
    }

    /// Runs a block. The result is true for `rec`, and the values of its end.
    fn block(&mut self, mut id: BlockId, inputs: &Inputs) -> Option<(bool, &'p [ValueId])> {
        let program = self.program;
        loop {
            let block = program.block(id);
            for statement in &block.statements {
                match statement {
                    Statement::Let { value, expr } => self.compute(*value, expr, inputs),
                    Statement::If { value, condition, then, otherwise } => {
                        let holds = self.holds(*condition);
                        self.values[value.index()].note(holds.into());
                        let arm = if holds { *then } else { *otherwise };
                        let (_, result) = self.block(arm, inputs)?;
                        self.words[value.index()] = self.words[result[0].index()].clone();
                    }
                    Statement::Loop { value, params, inits, body } => {
                        let (mut next, mut rounds): (&[ValueId], _) = (inits, 0);
                        loop {
                            let new: Vec<_> =
                                next.iter().map(|v| self.words[v.index()].clone()).collect();
                            for (param, words) in params.iter().zip(new) {
                                self.words[param.index()] = words;
                            }
                            let (goes_on, result) = self.block(*body, inputs)?;
                            if !goes_on {
                                self.words[value.index()] = self.words[result[0].index()].clone();
                                break;
                            }
                            next = result;
                            rounds += 1;
                            self.rounds += 1;
                            if self.rounds > MAX_ROUNDS {
                                return None;
                            }
                        }
                        self.values[value.index()].note(rounds);
                    }
                }
            }
            match &block.end {
                End::Yield(values) => return Some((false, values)),
                End::Rec(values) => return Some((true, values)),
                End::If { condition, then, otherwise } => {
                    let holds = self.holds(*condition);
                    self.ends[id.index()].note(holds.into());
                    id = if holds { *then } else { *otherwise };
                }
            }
        }
    }

    fn compute(&mut self, value: ValueId, expr: &Expr, inputs: &Inputs) {
        let bits = |xs: &[f32]| xs.iter().map(|x| x.to_bits()).collect::<Box<[u32]>>();
        let ty = self.program.ty(value);
        let words = match expr {
            Expr::Constant(words) => words.clone(),
            Expr::Uniform(index) => inputs.uniforms[*index as usize].as_ref().into(),
            Expr::Input(input) => bits(inputs.get(*input)),
            Expr::Stage(_) => unreachable!("stages are evaluated as plain programs"),
            Expr::Op(op, operands) => {
                let types: Vec<Type> = operands.iter().map(|&o| self.program.ty(o)).collect();
                let words: Vec<&[u32]> =
                    operands.iter().map(|&o| &*self.words[o.index()]).collect();
                let mut out = vec![0; self.program.types.components(ty)];
                op.evaluate(&self.program.types, &inputs.resources, &types, &words, &mut out);
                if self.words[value.index()].is_empty() {
                    self.operations.insert(*op);
                }
                out.into()
            }
        };
        for (&word, scalar) in words.iter().zip(self.program.types.scalars(ty)) {
            if scalar == Scalar::F32 {
                let number = f32::from_bits(word);
                self.special.nan |= number.is_nan();
                self.special.infinity |= number.is_infinite();
                self.special.subnormal |= number.is_subnormal();
            }
            self.special.integer |= matches!(scalar, Scalar::I32 | Scalar::U32);
        }
        self.words[value.index()] = words;
    }
}
