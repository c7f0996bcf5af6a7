//! Loops.
//!
//! If all lanes leave a loop together, it stays a loop as it is. Else it is *linearised*: its
//! parameters are the live mask, the loop's own parameters, and the captured results; a round computes
//! both ways of every divergent decision and goes on while any lane is live:
//!
//! ```text
//! (if c (rec a) b)   ⇒   loop live, p, result {
//!                          stay, leave = live & c, live & !c
//!                          result' = select(leave, b, result)
//!                          if any(stay) { rec stay, a, result' } else { yield result' }
//!                        }
//! ```
//!
//! Decisions that are the same for all lanes stay branches: those that come before any divergent one
//! in the tail as ends of blocks ([`super::exits`]), the others as `if`s that yield what a part of the tail
//! leaves behind.

use lambdav_core::schedule::{self, BlockId, End as CoreEnd};

use super::exits::Round;
use super::{Lowering, kind_of};
use crate::lanes::{End, Kind, Op, Rate, Statement, ValueId};
use crate::mutants::{Mutant, is_active};

/// What a part of a linearised tail leaves behind.
pub(super) struct Tail {
    /// The lanes that go round again, if any can, and with which arguments.
    again: Option<(ValueId, Vec<ValueId>)>,
    /// The results of the lanes that have left in this or an earlier round.
    pub(super) results: Vec<ValueId>,
}

impl Lowering<'_> {
    pub(super) fn lower_loop(
        &mut self,
        value: schedule::ValueId,
        params: &[schedule::ValueId],
        inits: &[schedule::ValueId],
        body: BlockId,
        mask: ValueId,
    ) -> Vec<ValueId> {
        self.out.sites.push(self.program.values[value.index()].span);
        let site = self.out.sites.len() as u32 - 1;
        let mut inits = self.flat(inits);
        let mut own = Vec::with_capacity(inits.len());
        for &param in params {
            let kind = kind_of(self.program.ty(param));
            let rates = self.rates.of(param).to_vec();
            let components: Box<[_]> = rates.iter().map(|&rate| self.value(kind, rate)).collect();
            own.extend(&*components);
            self.map[param.index()] = components;
        }
        let kind = kind_of(self.program.ty(value));
        let rates = self.rates.of(value).to_vec();
        let values: Box<[_]> = rates.iter().map(|&rate| self.value(kind, rate)).collect();
        let outer = std::mem::replace(&mut self.params, own.clone());
        let body = if self.rates.is_divergent(value) {
            let kinds: Vec<Kind> = own.iter().map(|&v| self.out.kind(v)).collect();
            let live = self.value(Kind::Mask, Rate::VARYING);
            let results: Vec<_> = values.iter().map(|_| self.value(kind, Rate::VARYING)).collect();
            let entering = if is_active(Mutant::DeadLaneAlive) { self.run } else { mask };
            inits.insert(0, entering);
            for _ in &results {
                inits.push(self.undefined(kind));
            }
            own.insert(0, live);
            own.extend(&results);
            self.block(|s| s.divergent_end(body, Round { live, kinds: &kinds }, results))
        } else {
            self.block(|s| s.uniform_end(body, mask))
        };
        self.params = outer;
        self.current.push(Statement::Loop {
            values: values.clone(),
            params: own.into(),
            inits: inits.into(),
            body,
            site,
        });
        values.into()
    }

    /// The arguments of a `rec`, component by component.
    fn arguments(&self, values: &[schedule::ValueId]) -> Vec<ValueId> {
        let mut arguments = self.flat(values);
        if is_active(Mutant::StaleSwap) {
            for k in 0..arguments.len() {
                if let Some(j) = self.params[..k].iter().position(|&p| p == arguments[k]) {
                    arguments[k] = arguments[j];
                }
            }
        }
        arguments
    }

    /// The tail of a loop that all lanes leave together.
    fn uniform_end(&mut self, id: BlockId, mask: ValueId) -> End {
        self.statements(id, mask);
        match &self.program.block(id).end {
            CoreEnd::Yield(values) => End::Yield(self.flat(values).into()),
            CoreEnd::Rec(values) => End::Rec(self.arguments(values).into()),
            CoreEnd::If { condition, then, otherwise } => {
                let condition = self.components(*condition)[0];
                let then = self.block(|s| s.uniform_end(*then, mask));
                let otherwise = self.block(|s| s.uniform_end(*otherwise, mask));
                End::If { condition, then, otherwise }
            }
        }
    }

    /// Ends a round with what its tail leaves behind.
    pub(super) fn next_round(&mut self, live: ValueId, tail: Tail) -> End {
        let Tail { again, results } = tail;
        let Some((stay, mut arguments)) = again else {
            return End::Yield(results.into());
        };
        arguments.insert(0, stay);
        arguments.extend(&results);
        if stay == live {
            return End::Rec(arguments.into());
        }
        let condition = self.any(stay);
        let then = self.block(|_| End::Rec(arguments.into()));
        let otherwise = self.block(|_| End::Yield(results.into()));
        End::If { condition, then, otherwise }
    }

    /// What a block in the tail of a divergent loop does for the lanes of `mask`.
    pub(super) fn tail(
        &mut self,
        id: BlockId,
        mask: ValueId,
        kinds: &[Kind],
        results: Vec<ValueId>,
    ) -> Tail {
        self.statements(id, mask);
        self.tail_end(id, mask, kinds, results)
    }

    pub(super) fn tail_end(
        &mut self,
        id: BlockId,
        mask: ValueId,
        kinds: &[Kind],
        results: Vec<ValueId>,
    ) -> Tail {
        match &self.program.block(id).end {
            CoreEnd::Yield(values) => {
                let values = self.flat(values);
                let captured = values.iter().zip(&results);
                let results = captured.map(|(&v, &old)| self.select(mask, v, old)).collect();
                Tail { again: None, results }
            }
            CoreEnd::Rec(values) => Tail { again: Some((mask, self.arguments(values))), results },
            CoreEnd::If { condition, then, otherwise } => {
                let condition = self.components(*condition)[0];
                if self.is_uniform(condition) {
                    self.uniform_part(condition, [*then, *otherwise], mask, kinds, results)
                } else {
                    self.divergent_part(condition, [*then, *otherwise], mask, kinds, results)
                }
            }
        }
    }

    /// A decision in the tail of a divergent loop that all lanes make alike, though not all lanes that are
    /// still in the loop have come to it.
    fn uniform_part(
        &mut self,
        condition: ValueId,
        [then, otherwise]: [BlockId; 2],
        mask: ValueId,
        kinds: &[Kind],
        results: Vec<ValueId>,
    ) -> Tail {
        let goes_on = self.has_rec(then) || self.has_rec(otherwise);
        let other = results.clone();
        let values = self.branch(
            condition,
            |s| {
                let tail = s.tail(then, mask, kinds, results);
                s.pack(tail, goes_on, kinds)
            },
            |s, _| {
                let tail = s.tail(otherwise, mask, kinds, other);
                s.pack(tail, goes_on, kinds)
            },
        );
        Tail::unpack(values, goes_on, kinds)
    }

    /// A decision in the tail of a divergent loop that lanes make differently.
    pub(super) fn divergent_part(
        &mut self,
        condition: ValueId,
        [then, otherwise]: [BlockId; 2],
        mask: ValueId,
        kinds: &[Kind],
        results: Vec<ValueId>,
    ) -> Tail {
        let [on, off] = self.split(mask, condition);
        let a = self.part(then, on, kinds, results);
        let b = self.part(otherwise, off, kinds, a.results);
        let again = match (a.again, b.again) {
            (Some((x, xs)), Some((y, ys))) => {
                let both = xs.iter().zip(&ys);
                let arguments = both.map(|(&x, &y)| self.select(condition, x, y)).collect();
                Some((self.op(Op::Or, &[x, y]), arguments))
            }
            (one, None) | (None, one) => one,
        };
        Tail { again, results: b.results }
    }

    /// One arm for the lanes of `mask`, under a test whether there are any if it is worth it.
    fn part(&mut self, id: BlockId, mask: ValueId, kinds: &[Kind], results: Vec<ValueId>) -> Tail {
        if self.costs[id.index()].is_cheap() {
            return self.tail(id, mask, kinds, results);
        }
        let any = self.any(mask);
        let goes_on = self.has_rec(id);
        let before = results.clone();
        let values = self.branch(
            any,
            |s| {
                let tail = s.tail(id, mask, kinds, results);
                s.pack(tail, goes_on, kinds)
            },
            |s, _| s.pack(Tail { again: None, results: before }, goes_on, kinds),
        );
        Tail::unpack(values, goes_on, kinds)
    }

    pub(super) fn has_rec(&self, id: BlockId) -> bool {
        self.costs[id.index()].has_rec
    }

    /// A tail as values of an arm: if it `goes_on` in any arm, the lanes that do and their arguments, and
    /// the results.
    fn pack(&mut self, tail: Tail, goes_on: bool, kinds: &[Kind]) -> Vec<ValueId> {
        let mut values = match tail.again {
            Some((live, mut arguments)) => {
                arguments.insert(0, live);
                arguments
            }
            None if goes_on => {
                let none = self.constant(Kind::Mask, 0);
                let undefined = kinds.iter().map(|&kind| self.undefined(kind));
                std::iter::once(none).chain(undefined).collect()
            }
            None => Vec::new(),
        };
        values.extend(tail.results);
        values
    }
}

impl Tail {
    fn unpack(mut values: Vec<ValueId>, goes_on: bool, kinds: &[Kind]) -> Self {
        if !goes_on {
            return Self { again: None, results: values };
        }
        let results = values.split_off(1 + kinds.len());
        let arguments = values.split_off(1);
        Self { again: Some((values[0], arguments)), results }
    }
}
