//! Checks the invariants of a lane program, and gathers all that is wrong.

use std::fmt::{self, Display, Formatter};

use super::{BlockId, End, Expr, Kind, LaneProgram, Rate, Statement, ValueId, dead_code};

/// Something that a lane program must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The block in which it was found.
    pub block: BlockId,
    /// What is wrong.
    pub message: String,
}

impl Display for VerifyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "block {}: {}", self.block.0, self.message)
    }
}

/// Checks all invariants listed in [`super`]. Recurses on the nesting of blocks.
///
/// # Errors
///
/// Everything that is wrong.
pub fn verify(program: &LaneProgram) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        program,
        visible: vec![false; program.values.len()],
        defined: vec![false; program.values.len()],
        seen: vec![false; program.blocks.len()],
        errors: Vec::new(),
        at: LaneProgram::ROOT,
    };
    verifier.block(LaneProgram::ROOT, Place::Root);
    for statement in &program.block(LaneProgram::ROOT).statements[..program.frame_len] {
        if !dead_code::is_of_frame(program, statement) {
            verifier.error(format!("{:?} is not of the frame", statement.values()));
        }
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// What a block's end has to agree with.
#[derive(Clone, Copy)]
enum Place<'p> {
    Root,
    /// The arm of an `if` with these values.
    Arm(&'p [ValueId]),
    /// The tail of a loop with these values and parameters.
    Body(&'p [ValueId], &'p [ValueId]),
}

struct Verifier<'p> {
    program: &'p LaneProgram,
    visible: Vec<bool>,
    defined: Vec<bool>,
    seen: Vec<bool>,
    errors: Vec<VerifyError>,
    at: BlockId,
}

impl<'p> Verifier<'p> {
    fn error(&mut self, message: String) {
        self.errors.push(VerifyError { block: self.at, message });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.error(message());
        }
    }

    fn uses(&mut self, value: ValueId) {
        let visible = self.visible.get(value.index()).copied().unwrap_or(false);
        self.require(visible, || format!("{value} is not visible here"));
    }

    fn define(&mut self, values: &[ValueId], scope: &mut Vec<ValueId>) {
        for &value in values {
            let again = std::mem::replace(&mut self.defined[value.index()], true);
            self.require(!again, || format!("{value} is defined twice"));
            self.visible[value.index()] = true;
            scope.push(value);
        }
    }

    /// Values that become others: of the same number and kinds, and no greater rates.
    fn flow(&mut self, what: &str, from: &[ValueId], to: &[ValueId], control: Rate) {
        for &value in from {
            self.uses(value);
        }
        self.require(from.len() == to.len(), || {
            format!("{what}: {} values where {} are wanted", from.len(), to.len())
        });
        let program = self.program;
        for (&from, &to) in from.iter().zip(to) {
            self.require(program.kind(from) == program.kind(to), || {
                format!("{what}: {from} and {to} are of different kinds")
            });
            self.require(program.rate(to).includes(program.rate(from) | control), || {
                format!("{what}: {to} has a rate below that of {from} or of the condition")
            });
        }
    }

    fn condition(&mut self, value: ValueId) -> Rate {
        self.uses(value);
        let info = self.program.values[value.index()];
        self.require(info.kind == Kind::Mask && info.rate.is_uniform(), || {
            format!("the condition {value} is not one mask for all lanes")
        });
        info.rate
    }

    fn block(&mut self, id: BlockId, place: Place<'p>) {
        let outer = std::mem::replace(&mut self.at, id);
        let again = std::mem::replace(&mut self.seen[id.index()], true);
        self.require(!again, || "the block is referred to twice".into());
        let program = self.program;
        let mut scope = Vec::new();
        for statement in &program.block(id).statements {
            self.statement(statement, &mut scope);
        }
        self.end(&program.block(id).end, place);
        for value in scope {
            self.visible[value.index()] = false;
        }
        self.at = outer;
    }

    fn statement(&mut self, statement: &'p Statement, scope: &mut Vec<ValueId>) {
        match statement {
            Statement::Let { value, expr } => self.expr(*value, expr),
            Statement::If { values, condition, then, otherwise } => {
                let control = self.condition(*condition);
                for &value in values {
                    let rate = self.program.rate(value);
                    self.require(rate.includes(control), || {
                        format!("{value} has a rate below its condition's")
                    });
                }
                self.block(*then, Place::Arm(values));
                self.block(*otherwise, Place::Arm(values));
            }
            Statement::Loop { values, params, inits, body, site } => {
                self.flow("initial values", inits, params, Rate::FRAME);
                let known = (*site as usize) < self.program.sites.len();
                self.require(known, || format!("there is no loop site {site}"));
                let mut inner = Vec::new();
                self.define(params, &mut inner);
                self.block(*body, Place::Body(values, params));
                for value in inner {
                    self.visible[value.index()] = false;
                }
                let control = self.tail_conditions(*body);
                for &value in values {
                    let rate = self.program.rate(value);
                    self.require(rate.includes(control), || {
                        format!("{value} has a rate below the loop's exits'")
                    });
                }
                self.require(self.can_leave(*body), || "the loop cannot be left".into());
            }
        }
        self.define(statement.values(), scope);
    }

    fn expr(&mut self, value: ValueId, expr: &Expr) {
        let program = self.program;
        let info = program.values[value.index()];
        for operand in expr.operands() {
            self.uses(operand);
        }
        let (kind, rate) = match expr {
            Expr::Constant(_) | Expr::Undefined | Expr::Input(_) => (Some(info.kind), Rate::FRAME),
            Expr::Coordinate(axis) => (Some(Kind::F32), program.width.rate(*axis)),
            Expr::ExecutionMask => (Some(Kind::Mask), Rate::VARYING),
            Expr::Any(mask) => {
                let is_mask = program.kind(*mask) == Kind::Mask;
                (is_mask.then_some(Kind::Mask), Rate::GROUP)
            }
            Expr::Op(op, operands) => {
                let kinds: Vec<_> = operands.iter().map(|&v| program.kind(v)).collect();
                let rates = operands.iter().map(|&v| program.rate(v));
                (op.result(&kinds), rates.fold(Rate::FRAME, |a, b| a | b))
            }
            Expr::Elementary { function, operands, mask } => {
                let fits = operands.len() == function.arity()
                    && operands.iter().all(|&v| program.kind(v) == Kind::F32)
                    && mask.is_none_or(|mask| program.kind(mask) == Kind::Mask)
                    && (mask.is_some() || info.rate.is_uniform());
                let rates = operands.iter().map(|&v| program.rate(v));
                (fits.then_some(Kind::F32), rates.fold(Rate::FRAME, |a, b| a | b))
            }
        };
        self.require(kind == Some(info.kind), || {
            format!("{value}: {expr:?} does not give a {}", info.kind)
        });
        self.require(info.rate.includes(rate), || {
            format!("{value} has a rate below its operands'")
        });
    }

    fn end(&mut self, end: &'p End, place: Place<'p>) {
        match (end, place) {
            (End::Yield(values), Place::Root) => {
                for &value in values {
                    self.uses(value);
                }
                let numbers = values.iter().all(|&v| self.program.kind(v) == Kind::F32);
                self.require(values.len() == 4 && numbers, || "no pixel is yielded".into());
            }
            (End::Yield(values), Place::Arm(results) | Place::Body(results, _)) => {
                self.flow("yield", values, results, Rate::FRAME);
            }
            (End::Rec(values), Place::Body(_, params)) => {
                self.flow("rec", values, params, Rate::FRAME);
            }
            (End::If { condition, then, otherwise }, Place::Body(..)) => {
                self.condition(*condition);
                self.block(*then, place);
                self.block(*otherwise, place);
            }
            (End::Rec(_) | End::If { .. }, _) => {
                self.error("only a loop's body may end so".into());
            }
        }
    }

    fn tail_conditions(&self, id: BlockId) -> Rate {
        match self.program.block(id).end {
            End::Yield(_) | End::Rec(_) => Rate::FRAME,
            End::If { condition, then, otherwise } => {
                let arms = self.tail_conditions(then) | self.tail_conditions(otherwise);
                self.program.rate(condition) | arms
            }
        }
    }

    fn can_leave(&self, id: BlockId) -> bool {
        match self.program.block(id).end {
            End::Yield(_) => true,
            End::Rec(_) => false,
            End::If { then, otherwise, .. } => self.can_leave(then) || self.can_leave(otherwise),
        }
    }
}
