//! Loops that end whatever numbers their programs compute.
//!
//! The fast function may continue with wrong numbers, so its loops need an exit for pixels that have
//! noted something. Few loops need it: most count up to a bound. Without the exit, drivers' compilers
//! analyse a loop more easily. (The time of LLVM's analysis of counters doubles with each loop that is
//! not unrolled.)
//!
//! A counter is a parameter, a float or an integer, to which each next round adds a constant of one
//! sign. The loop ends by itself if every way to a next round requires that the counter has not reached
//! a bound, and the initial count and the bound lie between constants. Computed numbers may have any
//! value, NaN included, and every comparison with NaN fails. So the failure of a condition is a fact
//! only for integers and for floats that are not NaN: constants, and counters that start as constants.

use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Event, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limit of the rounds of a loop, multiplied by those of the loops around it.
const MAX_ROUNDS: f64 = 4096.0;

/// Limits of the count and of the step; together they keep the rounding error at an eighth of a step at
/// most.
const MAX_COUNT: f64 = 4096.0;
const LEAST_STEP: f64 = 1.0 / 1024.0;

/// Limits of the depth of conditions and bounds, and of the blocks of a body.
const DEPTH: usize = 8;
const MAX_BLOCKS: usize = 64;

/// The loops that end by themselves.
pub(super) fn bounded(program: &Program) -> FxHashSet<ValueId> {
    let mut known = Bounds { program, exprs: vec![None; program.values.len()] };
    for statement in program.blocks.iter().flat_map(|block| &block.statements) {
        if let Statement::Let { value, expr } = statement {
            known.exprs[value.index()] = Some(expr);
        }
    }
    let mut bounded = FxHashSet::default();
    // The product of the rounds of the loops around; `if`s count as one round.
    let mut around = vec![1.0];
    for event in program.walk() {
        match event {
            Event::Statement(_, Statement::If { .. }) => around.extend(around.last().copied()),
            Event::Statement(_, Statement::Loop { value, params, inits, body }) => {
                let outer = around.last().copied().unwrap_or(1.0);
                let all = known.rounds(params, inits, *body).map(|rounds| rounds * outer);
                let all = all.filter(|&all| all <= MAX_ROUNDS);
                bounded.extend(all.map(|_| *value));
                // (Other loops end as soon as a pixel has noted something.)
                around.push(all.unwrap_or(outer));
            }
            Event::After(..) => {
                around.pop();
            }
            _ => {}
        }
    }
    bounded
}

/// A condition on a way: a value, and the truth value that it has.
type Fact = (ValueId, bool);

struct Bounds<'p> {
    program: &'p Program,
    /// Definitions of values that are computed without control flow.
    exprs: Vec<Option<&'p Expr>>,
}

impl Bounds<'_> {
    /// Upper bound of a loop's rounds, if one of its parameters counts.
    fn rounds(&self, params: &[ValueId], inits: &[ValueId], body: BlockId) -> Option<f64> {
        // The arguments of each next round, with the facts on the way to it.
        let mut facts: FxHashMap<BlockId, Vec<Fact>> = FxHashMap::default();
        let mut nexts: Vec<(&[ValueId], Vec<Fact>)> = Vec::new();
        let blocks = self.program.tail(body);
        if blocks.len() > MAX_BLOCKS {
            return None;
        }
        for block in blocks {
            let here = facts.remove(&block).unwrap_or_default();
            match &self.program.block(block).end {
                End::Rec(args) => nexts.push((args, here)),
                &End::If { condition, then, otherwise, .. } => {
                    for (to, holds) in [(then, true), (otherwise, false)] {
                        let mut there = here.clone();
                        there.push((condition, holds));
                        facts.insert(to, there);
                    }
                }
                End::Yield(_) => {}
            }
        }
        let counts = params.iter().zip(inits).enumerate();
        counts
            .filter_map(|(k, (&param, &init))| self.counted(k, param, init, &nexts))
            .reduce(f64::min)
    }

    /// Upper bound of the rounds from the k-th parameter.
    fn counted(
        &self,
        k: usize,
        param: ValueId,
        init: ValueId,
        nexts: &[(&[ValueId], Vec<Fact>)],
    ) -> Option<f64> {
        let steps: Option<Vec<f64>> =
            nexts.iter().map(|(args, _)| self.step(param, args[k])).collect();
        let steps = steps?;
        let is_up = *steps.first()? > 0.0;
        let least = steps.iter().map(|step| step.abs()).reduce(f64::min)?;
        // (Decreasing an unsigned counter below zero gives a large number.)
        let may_fall = self.program.ty(param) != Type::UINT;
        let is_monotonic = steps.iter().all(|&step| (step > 0.0) == is_up) && (is_up || may_fall);
        if !is_monotonic || least < LEAST_STEP {
            return None;
        }
        let is_number = self.is_number(init);
        let start = self.bound(init, !is_up, DEPTH)?;
        let ends = nexts.iter().map(|(_, facts)| {
            let bounds =
                facts.iter().filter_map(|&fact| self.limit(fact, param, is_up, is_number, DEPTH));
            bounds.reduce(if is_up { f64::min } else { f64::max })
        });
        let mut rounds: f64 = 1.0;
        for end in ends {
            let end = end?;
            if start.abs() > MAX_COUNT || end.abs() > MAX_COUNT {
                return None;
            }
            let way = if is_up { end - start } else { start - end };
            rounds = rounds.max(way / least * 1.25 + 2.0);
        }
        Some(rounds)
    }

    /// The constant added to a counter in a round.
    fn step(&self, counter: ValueId, next: ValueId) -> Option<f64> {
        let Some(Expr::Op(op, operands)) = self.exprs[next.index()] else { return None };
        let step = match (op, &operands[..]) {
            (Op::Add, &[a, b]) if a == counter => self.constant(b)?,
            (Op::Add, &[a, b]) if b == counter => self.constant(a)?,
            (Op::Sub, &[a, b]) if a == counter => -self.constant(b)?,
            _ => return None,
        };
        (step.abs() <= MAX_COUNT).then_some(step)
    }

    /// A bound that the counter has not passed if the fact holds: an upper bound if it counts up, else a
    /// lower one.
    fn limit(
        &self,
        (condition, holds): Fact,
        counter: ValueId,
        is_up: bool,
        is_number: bool,
        depth: usize,
    ) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let Some(Expr::Op(op, operands)) = self.exprs[condition.index()] else { return None };
        let of = |fact| self.limit(fact, counter, is_up, is_number, depth);
        match (op, &operands[..], holds) {
            (Op::Not, &[a], _) => of((a, !holds)),
            (Op::And, &[a, b], true) | (Op::Or, &[a, b], false) => {
                of((a, holds)).or_else(|| of((b, holds)))
            }
            (Op::Less | Op::LessEqual, &[a, b], _) if holds || is_number => {
                // a < b, or b <= a.
                let (less, more) = if holds { (a, b) } else { (b, a) };
                let is_fine = |bound| holds || self.is_number(bound);
                match is_up {
                    true if less == counter && is_fine(more) => self.bound(more, true, depth),
                    false if more == counter && is_fine(less) => self.bound(less, false, depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// True if a value cannot be NaN.
    fn is_number(&self, value: ValueId) -> bool {
        self.program.ty(value) != Type::NUM || self.constant(value).is_some()
    }

    /// A constant upper or lower bound of a value that is not NaN.
    fn bound(&self, value: ValueId, upper: bool, depth: usize) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        if let Some(known) = self.constant(value) {
            return Some(known);
        }
        let Some(Expr::Op(op, operands)) = self.exprs[value.index()] else { return None };
        let &[a, b] = &operands[..] else { return None };
        let of = [a, b].map(|of| self.bound(of, upper, depth));
        match (op, upper) {
            // Selects the second operand if it is less, or greater; else the first one, also for a NaN.
            (Op::Min, true) | (Op::Max, false) => {
                let second = of[1].filter(|_| self.is_number(b));
                of[0].into_iter().chain(second).reduce(if upper { f64::min } else { f64::max })
            }
            (Op::Min, false) | (Op::Max, true) => {
                let (first, second) = (of[0]?, of[1]?);
                Some(if upper { first.max(second) } else { first.min(second) })
            }
            _ => None,
        }
    }

    /// The value of a constant float or integer; `None` for NaN.
    fn constant(&self, value: ValueId) -> Option<f64> {
        let Some(Expr::Constant(words)) = self.exprs[value.index()] else { return None };
        match (self.program.ty(value).scalar(), &words[..]) {
            (Some(Scalar::F32), &[word]) => {
                Some(f64::from(f32::from_bits(word))).filter(|x| !x.is_nan())
            }
            (Some(Scalar::I32), &[word]) => Some(f64::from(word.cast_signed())),
            (Some(Scalar::U32), &[word]) => Some(f64::from(word)),
            _ => None,
        }
    }
}
