//! What each component of each scheduled value may differ by, and which loops diverge.
//!
//! This is the rate analysis of vectorising compilers (PolyVecImp's inference; "uniform" and
//! "varying" of ISPC), with axes: a value has the rates of what it is computed from. Two things come
//! on top:
//!
//! - *Control.* An `if` that lanes decide differently gives its condition's rate to its value.
//! - *Time.* Lanes leave a divergent loop in different rounds, so its value varies even if
//!   what they leave with is the same for all that leave together. Its parameters need not: all lanes
//!   that are still in the loop have gone the same number of rounds, so a counter stays one number.
//!
//! Loop parameters begin at the rate of their initial values, and rise until nothing changes.

use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use lambdav_core::types::Type;

use super::{Axis, Rate, Width};

/// The result of the analysis.
pub(super) struct Rates {
    offsets: Vec<usize>,
    rates: Vec<Rate>,
    /// Of each value, whether it is that of a loop whose lanes leave in different rounds.
    divergent: Vec<bool>,
}

impl Rates {
    /// Analyses a program. Recurses on the nesting of its blocks.
    pub(super) fn new(program: &Program, width: Width) -> Self {
        let offsets = program.component_offsets();
        let total = offsets[program.values.len()];
        let rates = Self {
            offsets,
            rates: vec![Rate::FRAME; total],
            divergent: vec![false; program.values.len()],
        };
        let mut analysis = Analysis { program, width, rates, changed: true };
        while std::mem::take(&mut analysis.changed) {
            analysis.block(Program::ROOT);
        }
        analysis.rates
    }

    /// The rates of a value's components.
    pub(super) fn of(&self, value: ValueId) -> &[Rate] {
        &self.rates[self.offsets[value.index()]..self.offsets[value.index() + 1]]
    }

    /// Whether the loop of that value is left by different lanes in different rounds.
    pub(super) fn is_divergent(&self, value: ValueId) -> bool {
        self.divergent[value.index()]
    }
}

/// What component `i` of an operation's result is computed from: for each, an operand and a
/// component of it.
pub(super) fn sources(op: Op, types: &[Type], i: usize) -> Vec<(usize, usize)> {
    match op {
        Op::Any | Op::All => (0..types[0].components()).map(|k| (0, k)).collect(),
        Op::Component(k) => vec![(0, k.into())],
        Op::Column(k) => {
            let Type::Matrix(_, n) = types[0] else { unreachable!("columns are of matrices") };
            vec![(0, usize::from(k) * usize::from(n) + i)]
        }
        Op::Construct(_) => {
            let width = types[0].components();
            vec![(i / width, i % width)]
        }
        Op::Select if types[0] == Type::BOOL => vec![(0, 0), (1, i), (2, i)],
        _ => (0..types.len()).map(|operand| (operand, i)).collect(),
    }
}

struct Analysis<'p> {
    program: &'p Program,
    width: Width,
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

    /// Raises a value to another's rates, and to `more`.
    fn flow(&mut self, from: ValueId, to: ValueId, more: Rate) {
        for i in 0..self.rates.of(to).len() {
            let rate = self.rates.of(from)[i] | more;
            self.raise(to, i, rate);
        }
    }

    fn condition(&self, value: ValueId) -> Rate {
        self.rates.of(value)[0]
    }

    fn block(&mut self, id: BlockId) {
        let program = self.program;
        for statement in &program.block(id).statements {
            match statement {
                Statement::Let { value, expr } => self.compute(*value, expr),
                Statement::If { value, condition, then, otherwise } => {
                    self.block(*then);
                    self.block(*otherwise);
                    let mut rate = self.condition(*condition);
                    let guard = program.is_guard(*value);
                    if guard && !rate.is_uniform() {
                        // Only lanes in `then` look at the value; but some groups skip it.
                        rate = Rate::GROUP;
                    }
                    self.yields(*then, *value, rate);
                    if !guard {
                        self.yields(*otherwise, *value, rate);
                    }
                }
                Statement::Loop { value, params, inits, body } => {
                    for (&param, &init) in params.iter().zip(inits) {
                        self.flow(init, param, Rate::FRAME);
                    }
                    self.block(*body);
                    let exits = self.tail_conditions(*body);
                    if !exits.is_uniform() {
                        self.rates.divergent[value.index()] = true;
                        for &param in params {
                            for i in 0..self.rates.of(param).len() {
                                self.raise(param, i, Rate::GROUP);
                            }
                        }
                    }
                    // A result is captured under a mask, and masks are of every lane.
                    let exits = if exits.is_uniform() { exits } else { Rate::VARYING };
                    self.yields(*body, *value, exits);
                    self.recs(*body, params);
                }
            }
        }
        if let End::If { then, otherwise, .. } = program.block(id).end {
            self.block(then);
            self.block(otherwise);
        }
    }

    /// The rates of all conditions in the tail of a loop's body.
    fn tail_conditions(&self, id: BlockId) -> Rate {
        match self.program.block(id).end {
            End::Yield(_) | End::Rec(_) => Rate::FRAME,
            End::If { condition, then, otherwise } => {
                self.condition(condition)
                    | self.tail_conditions(then)
                    | self.tail_conditions(otherwise)
            }
        }
    }

    fn yields(&mut self, id: BlockId, to: ValueId, more: Rate) {
        match &self.program.block(id).end {
            End::Yield(values) => self.flow(values[0], to, more),
            End::Rec(_) => {}
            End::If { then, otherwise, .. } => {
                self.yields(*then, to, more);
                self.yields(*otherwise, to, more);
            }
        }
    }

    /// Lets the arguments of every `rec` in a tail flow into the parameters. Gives the arguments if they are
    /// the same for all of them.
    fn recs(&mut self, id: BlockId, params: &[ValueId]) -> Arguments {
        let program = self.program;
        match &program.block(id).end {
            End::Yield(_) => Arguments::None,
            End::Rec(values) => {
                for (&param, &value) in params.iter().zip(values) {
                    self.flow(value, param, Rate::FRAME);
                }
                Arguments::One(values.to_vec())
            }
            End::If { condition, then, otherwise } => {
                let (a, b) = (self.recs(*then, params), self.recs(*otherwise, params));
                match (a, b) {
                    (Arguments::None, one) | (one, Arguments::None) => one,
                    (Arguments::One(a), Arguments::One(b)) if a == b => Arguments::One(a),
                    (a, b) => {
                        let rate = self.condition(*condition);
                        for (k, &param) in params.iter().enumerate() {
                            let same = match (&a, &b) {
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
        }
    }

    fn compute(&mut self, value: ValueId, expr: &Expr) {
        match expr {
            Expr::Input(Input::FragCoord) => {
                self.raise(value, 0, self.width.rate(Axis::X));
                self.raise(value, 1, self.width.rate(Axis::Y));
            }
            Expr::Constant(_) | Expr::Uniform(_) | Expr::Input(_) => {}
            Expr::Op(op, operands) => {
                let types: Vec<_> = operands.iter().map(|&v| self.program.ty(v)).collect();
                for i in 0..self.program.ty(value).components() {
                    let mut rate = Rate::FRAME;
                    for (operand, k) in sources(*op, &types, i) {
                        rate |= self.rates.of(operands[operand])[k];
                    }
                    self.raise(value, i, rate);
                }
            }
        }
    }
}

/// What the `rec`s of a part of a tail pass on.
enum Arguments {
    /// There is none.
    None,
    /// All pass the same values.
    One(Vec<ValueId>),
    /// They differ.
    Several,
}
