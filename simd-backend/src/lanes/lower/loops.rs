//! Lowers loops.
//!
//! A loop that all lanes leave together stays a loop. Any other loop is *linearised*. Its parameters are
//! the live mask, the loop's own parameters and the captured results. A round computes both arms of every
//! divergent decision, and the loop runs while any lane is live:
//!
//! ```text
//! (if c (rec a) b)   ⇒   loop live, p, result {
//!                          stay, leave = live & c, live & !c
//!                          result' = select(leave, b, result)
//!                          if any(stay) { rec stay, a, result' } else { yield result' }
//!                        }
//! ```
//!
//! Uniform decisions stay branches. Those before any divergent decision in the tail are ends of blocks
//! ([`super::exits`]). The others are `if`s that yield the state of their part of the tail.

use std::rc::Rc;

use lambdav_core::schedule::{self, BlockId, End};

use super::state::{Exit, Lowering, OpenLoop, Round, Tail, Task};
use crate::lanes::{Kind, LaneEnd, LaneOp, LaneStatement, Rate, ValueId};
use crate::mutants::{Mutant, is_active};

impl Lowering<'_> {
    /// Lowers a loop. Pushes its values.
    pub(super) fn begin_loop(
        &mut self,
        value: schedule::ValueId,
        params: &[schedule::ValueId],
        inits: &[schedule::ValueId],
        body: BlockId,
        mask: ValueId,
    ) {
        self.out.sites.push(self.program.values[value.index()].span);
        let site = self.out.sites.len() as u32 - 1;
        let carriers = self.carriers(value, params, body);
        let mut inits = self.flat(inits);
        let mut own = Vec::with_capacity(inits.len());
        for &param in params {
            let values = self.values_of(param);
            own.extend(&*values);
            self.map[param.index()] = self.spread(param, &values).into();
        }
        let values = self.values_of(value);
        for (&value, &carrier) in values.iter().zip(&carriers) {
            if let Some(carrier) = carrier {
                self.lineage.comes_of(value, inits[carrier], mask);
            }
        }
        let outer = std::mem::replace(&mut self.params, own.clone());
        let first = if self.rates.is_divergent(value) {
            let live = self.value(Kind::Mask, Rate::VARYING);
            let entering = if is_active(Mutant::DeadLaneAlive) { self.run } else { mask };
            self.lineage.some_of(live, entering);
            let own_params: Rc<[ValueId]> = own.as_slice().into();
            inits.insert(0, entering);
            own.insert(0, live);
            let mut results = Vec::with_capacity(values.len());
            for (&value, &carrier) in values.iter().zip(&carriers) {
                if let Some(carrier) = carrier {
                    results.push(own_params[carrier]);
                    continue;
                }
                let kind = self.out.kind(value);
                let result = self.value(kind, Rate::VARYING);
                results.push(result);
                own.push(result);
                inits.push(self.undefined(kind));
            }
            let round = Round { live, params: own_params, carried: carriers.into() };
            Task::Exit(Box::new(Exit::Block(round, body, results)))
        } else {
            Task::Uniform(body, mask)
        };
        let open = OpenLoop { values, params: own, inits, site, outer };
        self.next([Task::Open, first, Task::Close, Task::Loop(Box::new(open))]);
    }

    /// For each value of a loop, the index of the parameter that carries it, if any: an array that rounds
    /// change by updates only, and that lanes leave with.
    fn carriers(
        &self,
        value: schedule::ValueId,
        params: &[schedule::ValueId],
        body: BlockId,
    ) -> Vec<Option<usize>> {
        let (program, ty) = (self.program, self.program.ty(value));
        // Number of lane-program values before a component.
        let before = |ty, component: usize| {
            let ranges = self.arrays.of(ty).iter();
            let inner = ranges.take_while(|range| range.end <= component);
            component - inner.map(|range| range.len() - 1).sum::<usize>()
        };
        let count = before(ty, program.types.components(ty));
        let mut carriers = vec![None; count];
        for range in self.arrays.of(ty) {
            let carrier = self.arrays.carrier(program, params, body, range.start);
            carriers[before(ty, range.start)] = carrier.map(|(param, component)| {
                let all =
                    |&param| before(program.ty(param), program.types.components(program.ty(param)));
                params[..param].iter().map(all).sum::<usize>()
                    + before(program.ty(params[param]), component)
            });
        }
        carriers
    }

    /// Completes a loop after its body.
    pub(super) fn end_loop(&mut self, open: OpenLoop) {
        let OpenLoop { values, params, inits, site, outer } = open;
        self.params = outer;
        let body = self.take_block();
        self.work.values.push(values.to_vec());
        let (params, inits) = (params.into(), inits.into());
        self.are_defined(&values);
        self.current.push(LaneStatement::Loop { values, params, inits, body, site });
    }

    /// The arguments of a `rec`, split into components.
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

    /// The end of a block in a uniform loop.
    pub(super) fn uniform_end(&mut self, id: BlockId, mask: ValueId) {
        match &self.program.block(id).end {
            End::Yield(values) => {
                let values = self.flat(values);
                self.work.ends.push(LaneEnd::Yield(values.into()));
            }
            End::Rec(values) => {
                let arguments = self.arguments(values);
                self.work.ends.push(LaneEnd::Rec(arguments.into()));
            }
            End::If { condition, then, otherwise } => {
                let condition = self.components(*condition)[0];
                let arms = [*then, *otherwise].map(|id| Task::Uniform(id, mask));
                self.fork(condition, arms);
            }
        }
    }

    /// Two blocks whose ends the tasks make, and an end that chooses one of them.
    pub(super) fn fork(&mut self, condition: ValueId, [then, otherwise]: [Task; 2]) {
        self.next([
            Task::Open,
            then,
            Task::Close,
            Task::Open,
            otherwise,
            Task::Close,
            Task::Fork(condition),
        ]);
    }

    /// Ends a round. A parameter that carries a result keeps its words in the lanes that have left.
    pub(super) fn next_round(&mut self, round: &Round) {
        let Tail { again, results } = self.take_tail();
        let Some((stay, mut arguments)) = again else {
            self.work.ends.push(LaneEnd::Yield(results.into()));
            return;
        };
        for (&result, carrier) in results.iter().zip(&*round.carried) {
            if let Some(carrier) = *carrier {
                arguments[carrier] = self.keep(stay, arguments[carrier], result);
            }
        }
        arguments.insert(0, stay);
        let others = results.iter().zip(&*round.carried);
        arguments
            .extend(others.filter(|(_, carrier)| carrier.is_none()).map(|(&result, _)| result));
        if stay == round.live {
            self.work.ends.push(LaneEnd::Rec(arguments.into()));
            return;
        }
        let condition = self.any(stay);
        let then = self.empty_block(LaneEnd::Rec(arguments.into()));
        let otherwise = self.empty_block(LaneEnd::Yield(results.into()));
        self.work.ends.push(LaneEnd::If { condition, then, otherwise });
    }

    /// Lowers the end of a block in the tail of a divergent loop, for the lanes of `mask`. Pushes a tail.
    pub(super) fn tail_end(
        &mut self,
        round: Round,
        id: BlockId,
        mask: ValueId,
        results: Vec<ValueId>,
    ) {
        match &self.program.block(id).end {
            End::Yield(values) => {
                let values = self.flat(values);
                let captured = values.iter().zip(results).zip(&*round.carried);
                let results = captured
                    .map(|((&v, old), carrier)| match *carrier {
                        // Lanes that stay may change: `next_round` takes their argument, not the result.
                        Some(carrier) if old == round.params[carrier] => {
                            self.keep(round.live, v, old)
                        }
                        _ => self.keep(mask, v, old),
                    })
                    .collect();
                self.work.tails.push(Tail { again: None, results });
            }
            End::Rec(values) => {
                let again = Some((mask, self.arguments(values)));
                self.work.tails.push(Tail { again, results });
            }
            End::If { condition, then, otherwise } => {
                let condition = self.components(*condition)[0];
                let arms = [*then, *otherwise];
                if self.is_uniform(condition) {
                    self.uniform_part(round, condition, arms, mask, results);
                } else {
                    self.divergent_part(round, condition, arms, mask, results);
                }
            }
        }
    }

    /// A uniform decision in the tail of a divergent loop. Some live lanes may not have reached it.
    fn uniform_part(
        &mut self,
        round: Round,
        condition: ValueId,
        [then, otherwise]: [BlockId; 2],
        mask: ValueId,
        results: Vec<ValueId>,
    ) {
        let goes_on = self.has_rec(then) || self.has_rec(otherwise);
        let first = self.out.values.len();
        let arms = [
            Task::Tail(round.clone(), then, mask, results.clone()),
            Task::Tail(round.clone(), otherwise, mask, results),
        ];
        self.merged_tails(round, condition, first, arms, goes_on);
    }

    /// An `if` whose arms are the tails that the tasks push.
    fn merged_tails(
        &mut self,
        round: Round,
        condition: ValueId,
        first: usize,
        [then, otherwise]: [Task; 2],
        goes_on: bool,
    ) {
        self.next([
            Task::Open,
            then,
            Task::Pack(round.clone(), goes_on),
            Task::CloseArm,
            Task::Open,
            otherwise,
            Task::Pack(round.clone(), goes_on),
            Task::CloseArm,
            Task::Merge { condition, first },
            Task::Unpack(round, goes_on),
        ]);
    }

    /// A divergent decision in the tail of a divergent loop.
    pub(super) fn divergent_part(
        &mut self,
        round: Round,
        condition: ValueId,
        [then, otherwise]: [BlockId; 2],
        mask: ValueId,
        results: Vec<ValueId>,
    ) {
        let [on, off] = self.split(mask, condition);
        self.next([
            Task::Part(round.clone(), then, on, results),
            Task::SecondPart(round, otherwise, off),
            Task::Combine(condition, [on, off]),
        ]);
    }

    /// Combines the tails of both arms. The results are those of the second arm, which started with the
    /// results of the first.
    pub(super) fn combine(&mut self, condition: ValueId, ways: [ValueId; 2]) {
        self.lineage.end_second();
        let [b, a] = [(); 2].map(|()| self.take_tail());
        let again = match (a.again, b.again) {
            (Some((x, xs)), Some((y, ys))) => {
                let both = xs.iter().zip(&ys);
                let arguments = both.map(|(&x, &y)| self.of_arms(condition, ways, x, y)).collect();
                let all = self.op(LaneOp::Or, &[x, y]);
                self.lineage.union_of(all, [x, y]);
                Some((all, arguments))
            }
            (one, None) | (None, one) => one,
        };
        self.work.tails.push(Tail { again, results: b.results });
    }

    /// Lowers an arm for the lanes of `mask`, under a test if any lane is active when that pays.
    pub(super) fn part(&mut self, round: Round, id: BlockId, mask: ValueId, results: Vec<ValueId>) {
        if self.costs[id.index()].is_cheap() {
            self.next([Task::Tail(round, id, mask, results)]);
            return;
        }
        let any = self.any(mask);
        let goes_on = self.has_rec(id);
        let first = self.out.values.len();
        let arms = [Task::Tail(round.clone(), id, mask, results.clone()), Task::Leave(results)];
        self.merged_tails(round, any, first, arms, goes_on);
    }

    pub(super) fn has_rec(&self, id: BlockId) -> bool {
        self.costs[id.index()].has_rec
    }

    /// A tail as values of an arm. If any arm `goes_on`, these are the lanes that go on and their
    /// arguments, then the results. Otherwise only the results.
    pub(super) fn pack(&mut self, tail: Tail, goes_on: bool, round: &Round) -> Vec<ValueId> {
        let mut values = match tail.again {
            Some((live, mut arguments)) => {
                arguments.insert(0, live);
                arguments
            }
            None if goes_on => {
                let none = self.constant(Kind::Mask, 0);
                let undefined = round.params.iter().map(|&param| match self.out.kind(param) {
                    Kind::Array(_) => param,
                    kind => self.undefined(kind),
                });
                std::iter::once(none).chain(undefined).collect()
            }
            None => Vec::new(),
        };
        values.extend(tail.results);
        values
    }
}
