//! Loops that end whatever numbers their programs compute.
//!
//! The fast function may go on with wrong numbers, so its loops have a way out for pixels that have noted something. Few of them
//! need it: most count, and leave when the count has reached a bound. Without that way out they are simpler for the compilers of
//! drivers, which take such loops apart. (LLVM's analysis of counters takes a time that doubles with each loop that stays one.)
//!
//! A counter is a parameter, a number or an integer, to which each next round adds a constant of one sign. The loop ends by itself
//! if each way to a next round is taken only where the counter has not reached a bound, and the first count and the bound lie
//! between constants. Nothing else is believed: a number that is computed may be any, NaN included, for which all comparisons
//! fail. So a condition that fails says something only of integers and of numbers that are no NaN: constants, and what starts as one.

use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Event, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many rounds a loop may have, together with those around it.
const MOST_ROUNDS: f64 = 4096.0;

/// The largest count, and the least step: together so near that rounding loses an eighth of a step at most.
const MOST: f64 = 4096.0;
const LEAST_STEP: f64 = 1.0 / 1024.0;

/// How deep conditions and bounds are looked into, and how many blocks a body may have.
const DEPTH: usize = 8;
const MOST_BLOCKS: usize = 64;

/// The values of the loops that end by themselves.
pub(super) fn bounded(program: &Program) -> FxHashSet<ValueId> {
    let mut known = Bounds { program, exprs: vec![None; program.values.len()] };
    for statement in program.blocks.iter().flat_map(|block| &block.statements) {
        if let Statement::Let { value, expr } = statement {
            known.exprs[value.index()] = Some(expr);
        }
    }
    let mut bounded = FxHashSet::default();
    // The rounds of the loops around, all together; of `if`s as well, which have one.
    let mut around = vec![1.0];
    for event in program.walk() {
        match event {
            Event::Statement(_, Statement::If { .. }) => around.extend(around.last().copied()),
            Event::Statement(_, Statement::Loop { value, params, inits, body }) => {
                let outer = around.last().copied().unwrap_or(1.0);
                let all = known.rounds(params, inits, *body).map(|rounds| rounds * outer);
                let all = all.filter(|&all| all <= MOST_ROUNDS);
                bounded.extend(all.map(|_| *value));
                // (Others end as soon as anything is wrong.)
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

/// A condition on which a way is taken: that a value holds, or that it does not.
type Fact = (ValueId, bool);

struct Bounds<'p> {
    program: &'p Program,
    /// What each value is, of those that are computed without control flow.
    exprs: Vec<Option<&'p Expr>>,
}

impl Bounds<'_> {
    /// How many rounds a loop has at most, if one of its parameters counts.
    fn rounds(&self, params: &[ValueId], inits: &[ValueId], body: BlockId) -> Option<f64> {
        // The arguments of each next round, and the facts on the way to it.
        let mut facts: FxHashMap<BlockId, Vec<Fact>> = FxHashMap::default();
        let mut nexts: Vec<(&[ValueId], Vec<Fact>)> = Vec::new();
        let blocks = self.program.tail(body);
        if blocks.len() > MOST_BLOCKS {
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

    /// How many rounds there are at most by the count of the k-th parameter.
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
        // (Without a sign, a count that passes zero is a large one.)
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
            if start.abs() > MOST || end.abs() > MOST {
                return None;
            }
            let way = if is_up { end - start } else { start - end };
            rounds = rounds.max(way / least * 1.25 + 2.0);
        }
        Some(rounds)
    }

    /// What is added to a counter.
    fn step(&self, counter: ValueId, next: ValueId) -> Option<f64> {
        let Some(Expr::Op(op, operands)) = self.exprs[next.index()] else { return None };
        let step = match (op, &operands[..]) {
            (Op::Add, &[a, b]) if a == counter => self.constant(b)?,
            (Op::Add, &[a, b]) if b == counter => self.constant(a)?,
            (Op::Sub, &[a, b]) if a == counter => -self.constant(b)?,
            _ => return None,
        };
        (step.abs() <= MOST).then_some(step)
    }

    /// What a counter has not reached where a fact holds: a number that it is less than, or more than. (Or equal to.)
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

    /// Whether a value is known not to be NaN.
    fn is_number(&self, value: ValueId) -> bool {
        self.program.ty(value) != Type::NUM || self.constant(value).is_some()
    }

    /// A constant that a value is not above (`upper`), or not below, unless it is NaN.
    fn bound(&self, value: ValueId, upper: bool, depth: usize) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        if let Some(known) = self.constant(value) {
            return Some(known);
        }
        let Some(Expr::Op(op, operands)) = self.exprs[value.index()] else { return None };
        let &[a, b] = &operands[..] else { return None };
        let of = [a, b].map(|of| self.bound(of, upper, depth));
        match (op, upper) {
            // The second one, if that is less, or more; else the first one, also where one of them is NaN.
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

    /// A constant, a number or an integer; NaN is none.
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
