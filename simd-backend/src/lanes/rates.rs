//! Divergence analysis: the rate of each component of each scheduled value, and the set of divergent loops.
//!
//! This is the rate analysis of vectorising compilers (PolyVecImp's inference; "uniform" and "varying" of
//! ISPC), with axes: a value has the union of the rates of its operands. Two rules are added:
//!
//! - *Control.* A divergent `if` adds its condition's rate to its value's.
//! - *Time.* Lanes leave a divergent loop in different rounds. So its value varies even if all lanes that
//!   leave in the same round yield the same value. Its parameters need not vary: all lanes that are still
//!   in the loop have made the same number of rounds, so a counter stays uniform.
//!
//! Arrays in memory have the rate of lanes. So have old words of atomic operations. A loaded word may change from group to
//! group.
//!
//! Loop parameters start at the rate of their initial values and rise to a fixed point.

use lambdav_core::graph::StageInput;
use lambdav_core::inputs::Input;
use lambdav_core::memory::{InvocationInput, MemoryOp};
use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Event, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Type, Types};

use super::arrays::Arrays;
use super::sources::{Source, sources as parts};
use super::{Axis, Items, Rate, Width};
use lambdav_core::schedule::Places;

/// The parts of the options that rates of inputs depend on.
#[derive(Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) width: Width,
    pub(super) items: Items,
    /// The uniforms that are words of the primitive.
    pub(super) primitive: &'a [u32],
}

/// The result of the analysis.
pub(super) struct Rates {
    offsets: Vec<usize>,
    rates: Vec<Rate>,
    /// `divergent[v]`: v is the value of a loop that lanes leave in different rounds.
    divergent: Vec<bool>,
}

impl Rates {
    /// Analyses a scheduled program.
    pub(super) fn new(program: &Program, places: &Places, arrays: &Arrays, of: Of<'_>) -> Self {
        let offsets = program.component_offsets();
        let total = offsets[program.values.len()];
        let rates = Self {
            offsets,
            rates: vec![Rate::FRAME; total],
            divergent: vec![false; program.values.len()],
        };
        let mut rates = rates;
        for index in 0..program.values.len() as u32 {
            let value = ValueId(index);
            // A value read in place is no array of a lane.
            if !places.is_in_memory(value) {
                let first = rates.offsets[value.index()];
                for range in arrays.of(program.ty(value)) {
                    rates.rates[first + range.start..first + range.end].fill(of.width.lanes());
                }
            }
        }
        let mut analysis = Analysis { program, places, of, rates, changed: true };
        let is_statement =
            |event: &Event<'_>| matches!(event, Event::Statement(..) | Event::After(..));
        let statements: Vec<_> = program.walk().filter(is_statement).collect();
        while std::mem::take(&mut analysis.changed) {
            analysis.round(&statements);
        }
        analysis.rates
    }

    /// The rates of a value's components.
    pub(super) fn of(&self, value: ValueId) -> &[Rate] {
        &self.rates[self.offsets[value.index()]..self.offsets[value.index() + 1]]
    }

    /// True if lanes leave the loop of that value in different rounds.
    pub(super) fn is_divergent(&self, value: ValueId) -> bool {
        self.divergent[value.index()]
    }
}

/// The operands' components that component `i` of a result depends on, as pairs of an operand and a
/// component. The operation is not one of parts.
pub(super) fn sources(types: &Types, op: Op, of: &[Type], i: usize) -> Vec<(usize, usize)> {
    match op {
        Op::Any | Op::All => (0..types.components(of[0])).map(|k| (0, k)).collect(),
        Op::Select if of[0] == Type::BOOL => vec![(0, 0), (1, i), (2, i)],
        Op::Plane => vec![(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)],
        _ => (0..of.len()).map(|operand| (operand, i)).collect(),
    }
}

struct Analysis<'p> {
    program: &'p Program,
    places: &'p Places,
    of: Of<'p>,
    rates: Rates,
    changed: bool,
}

impl Analysis<'_> {
    fn raise(&mut self, value: ValueId, component: usize, rate: Rate) {
        let known = &mut self.rates.rates[self.rates.offsets[value.index()] + component];
        if !known.includes(rate) {
            *known |= rate;
            self.changed = true;
        }
    }

    /// Raises a value's rates by those of another value, and by `more`.
    fn flow(&mut self, from: ValueId, to: ValueId, more: Rate) {
        for i in 0..self.rates.of(to).len() {
            let rate = self.rates.of(from)[i] | more;
            self.raise(to, i, rate);
        }
    }

    fn condition(&self, value: ValueId) -> Rate {
        self.rates.of(value)[0]
    }

    /// One pass of the fixed-point iteration.
    fn round(&mut self, statements: &[Event<'_>]) {
        for &event in statements {
            match event {
                Event::Statement(_, statement) => match statement {
                    Statement::Let { value, expr } => self.compute(*value, expr),
                    Statement::If { .. } => {}
                    Statement::Loop { params, inits, .. } => {
                        for (&param, &init) in params.iter().zip(inits) {
                            self.flow(init, param, Rate::FRAME);
                        }
                    }
                },
                Event::After(_, statement) => self.leave(statement),
                Event::Enter(..) | Event::End(..) | Event::Leave(_) => {}
            }
        }
    }

    /// Handles the end of a statement with inner blocks.
    fn leave(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { .. } => {}
            Statement::If { value, condition, then, otherwise } => {
                let mut rate = self.condition(*condition);
                let guard = self.program.is_guard(*value);
                if guard && !rate.is_uniform() {
                    // Only lanes in `then` read the value, but some groups skip `then`.
                    rate = Rate::GROUP;
                }
                self.yields(*then, *value, rate);
                if !guard {
                    self.yields(*otherwise, *value, rate);
                }
            }
            Statement::Loop { value, params, body, .. } => {
                let tail = self.program.tail(*body);
                let exits = self.tail_conditions(&tail);
                if !exits.is_uniform() {
                    self.rates.divergent[value.index()] = true;
                    for &param in params {
                        for i in 0..self.rates.of(param).len() {
                            self.raise(param, i, Rate::GROUP);
                        }
                    }
                }
                // Results are captured under a mask, and masks vary.
                let exits = if exits.is_uniform() { exits } else { Rate::VARYING };
                for &id in &tail {
                    self.yields(id, *value, exits);
                }
                self.recs(&tail, params);
            }
        }
    }

    /// The union of the rates of all conditions in a tail.
    fn tail_conditions(&self, tail: &[BlockId]) -> Rate {
        let rates = tail.iter().map(|&id| match self.program.block(id).end {
            End::Yield(_) | End::Rec(_) => Rate::FRAME,
            End::If { condition, .. } => self.condition(condition),
        });
        rates.fold(Rate::FRAME, |all, rate| all | rate)
    }

    /// Lets the value that a block yields flow into `to`, if the block yields.
    fn yields(&mut self, id: BlockId, to: ValueId, more: Rate) {
        if let End::Yield(values) = &self.program.block(id).end {
            self.flow(values[0], to, more);
        }
    }

    /// Lets the arguments of every `rec` in a tail flow into the parameters. If a decision chooses between
    /// `rec`s, its rate flows into the parameters whose arguments differ.
    fn recs(&mut self, tail: &[BlockId], params: &[ValueId]) {
        let program = self.program;
        // The arguments of the parts of the tail seen so far. The walk is in reverse, so arms come before
        // their decision.
        let mut parts = Vec::new();
        for &id in tail.iter().rev() {
            let part = match &program.block(id).end {
                End::Yield(_) => Arguments::None,
                End::Rec(values) => {
                    for (&param, &value) in params.iter().zip(values) {
                        self.flow(value, param, Rate::FRAME);
                    }
                    Arguments::One(values)
                }
                End::If { condition, .. } => {
                    let [a, b] = [(); 2].map(|()| parts.pop().expect("the arms have been seen"));
                    self.decision(*condition, a, b, params)
                }
            };
            parts.push(part);
        }
    }

    /// The arguments of a decision between two parts of a tail.
    fn decision<'a>(
        &mut self,
        condition: ValueId,
        a: Arguments<'a>,
        b: Arguments<'a>,
        params: &[ValueId],
    ) -> Arguments<'a> {
        match (a, b) {
            (Arguments::None, one) | (one, Arguments::None) => one,
            (Arguments::One(a), Arguments::One(b)) if a == b => Arguments::One(a),
            (a, b) => {
                let rate = self.condition(condition);
                for (k, &param) in params.iter().enumerate() {
                    let same = match (a, b) {
                        (Arguments::One(a), Arguments::One(b)) => a[k] == b[k],
                        _ => false,
                    };
                    if !same {
                        self.flow(param, param, rate);
                    }
                }
                Arguments::Several
            }
        }
    }

    /// An array's part chosen by an index, or an array updated at an index.
    fn choose(&mut self, value: ValueId, operands: &[ValueId]) {
        let index = self.rates.of(operands[1])[0];
        let (from, to) = (self.rates.of(operands[0]).len(), self.rates.of(value).len());
        if let Some(&part) = operands.get(2) {
            let width = self.rates.of(part).len();
            for i in 0..to {
                let rate = self.rates.of(operands[0])[i] | self.rates.of(part)[i % width];
                self.raise(value, i, rate | index);
            }
            return;
        }
        // All parts of an array read in place have the same rates.
        let from = if self.places.is_in_memory(operands[0]) { to } else { from };
        for i in 0..from {
            let rate = self.rates.of(operands[0])[i];
            self.raise(value, i % to, rate | index);
        }
    }

    fn compute(&mut self, value: ValueId, expr: &Expr) {
        match expr {
            Expr::Input(Input::FragCoord) => {
                let Of { width, items, .. } = self.of;
                self.raise(value, 0, items.rate(width, Axis::X));
                self.raise(value, 1, items.rate(width, Axis::Y));
            }
            Expr::Uniform(index) if self.of.primitive.contains(index) => {
                let rate = match self.of.items {
                    Items::Invocations { .. } => self.of.width.lanes(),
                    Items::Rows | Items::Listed => Rate::PRIMITIVE,
                };
                for i in 0..self.rates.of(value).len() {
                    self.raise(value, i, rate);
                }
            }
            Expr::Stage(StageInput::Invocation(input)) => {
                let rate = match input {
                    InvocationInput::Workgroups => Rate::PRIMITIVE,
                    _ => self.of.width.lanes(),
                };
                for i in 0..self.rates.of(value).len() {
                    self.raise(value, i, rate);
                }
            }
            Expr::Constant(_) | Expr::Uniform(_) | Expr::Input(_) | Expr::Stage(_) => {}
            Expr::Op(Op::Memory(MemoryOp::Load), operands) => {
                let rate = self.rates.of(operands[1])[0] | Rate::GROUP;
                self.raise(value, 0, rate);
            }
            Expr::Op(Op::Memory(MemoryOp::Atomic(..)), _) => {
                self.raise(value, 0, self.of.width.lanes());
            }
            Expr::Op(Op::Memory(_), _) => {}
            Expr::Op(op, operands) => {
                let types: Vec<_> = operands.iter().map(|&v| self.program.ty(v)).collect();
                if let Op::At | Op::Update = op {
                    self.choose(value, operands);
                    return;
                }
                // An element or a texel depends on the index alone.
                if op.reads_resource() {
                    let mut rate = Rate::FRAME;
                    for operand in operands {
                        rate = self.rates.of(*operand).iter().fold(rate, |a, &b| a | b);
                    }
                    for i in 0..self.rates.of(value).len() {
                        self.raise(value, i, rate);
                    }
                    return;
                }
                if let Some(sources) =
                    parts(&self.program.types, *op, &types, self.program.ty(value))
                {
                    for (i, source) in sources.into_iter().enumerate() {
                        if let Source::Operand(operand, k) = source {
                            self.raise(value, i, self.rates.of(operands[operand])[k]);
                        }
                    }
                    return;
                }
                for i in 0..self.program.types.components(self.program.ty(value)) {
                    let mut rate = Rate::FRAME;
                    for (operand, k) in sources(&self.program.types, *op, &types, i) {
                        rate |= self.rates.of(operands[operand])[k];
                    }
                    self.raise(value, i, rate);
                }
            }
        }
    }
}

/// The arguments of the `rec`s in a part of a tail.
#[derive(Clone, Copy)]
enum Arguments<'a> {
    /// The part has no `rec`.
    None,
    /// All `rec`s pass the same values.
    One(&'a [ValueId]),
    /// The `rec`s pass different values.
    Several,
}
