//! Decisions in the tail of a divergent loop that all live lanes reach.
//!
//! These decisions become ends of blocks, so that a round does minimal work:
//!
//! - A uniform decision is a branch. `and` and `or` of a uniform condition and a divergent one become two
//!   decisions.
//! - In most rounds no lane leaves. If one arm leaves the loop and the rest of the tail is small, the rest
//!   is computed first, then the exit is tested. If no lane leaves, the live mask and the results stay as
//!   they are: no mask is computed, no result captured, and no test if any lane is left is needed.
//!
//! ```text
//! (if c (rec a) b)   ⇒   a is computed
//!                        leave = live & !c
//!                        if any(leave) { stay = live & !leave; result' = select(leave, b, result)
//!                                        if any(stay) { rec stay, a, result' } else { yield result' } }
//!                        else { rec live, a, result }
//! ```

use lambdav_core::op::Op;
use lambdav_core::schedule::{self, BlockId, End};

use super::state::{Exit, Leaving, Lowering, Round, Task};
use crate::lanes::{LaneOp, ValueId};

impl Lowering<'_> {
    pub(super) fn exit(&mut self, exit: Exit) {
        let task = |exit| Task::Exit(Box::new(exit));
        match exit {
            Exit::Block(round, id, results) => {
                let statements = Task::Statements(id, 0, round.live);
                self.next([statements, task(Exit::End(round, id, results))]);
            }
            Exit::End(round, id, results) => match self.program.block(id).end {
                End::If { condition, then, otherwise } => {
                    self.decide(round, condition, [then, otherwise], results);
                }
                End::Yield(_) | End::Rec(_) => {
                    let live = round.live;
                    let next = Task::NextRound(round.clone());
                    self.next([Task::TailEnd(round, id, live, results), next]);
                }
            },
            Exit::Decide(round, condition, arms, results) => {
                self.decide(round, condition, arms, results);
            }
            Exit::Test(leaving, results) => {
                let Leaving { ref round, mask, stay, op, .. } = leaving;
                let leaves = self.op(op, &[round.live, mask]);
                self.lineage.some_of(leaves, round.live);
                let any = self.any(leaves);
                let stays = Exit::End(round.clone(), stay, results.clone());
                self.fork(any, [task(Exit::Leave(leaving, leaves, results)), task(stays)]);
            }
            Exit::Leave(leaving, leaves, results) => {
                let Leaving { ref round, leave, .. } = leaving;
                // Use the leave mask, so that the condition dies here. Then a machine with comparisons
                // under a mask computes the leave mask in one instruction.
                let staying = self.op(LaneOp::AndNot, &[round.live, leaves]);
                self.lineage.some_of(staying, round.live);
                self.lineage.opposite(staying, leaves);
                let tail = Task::Tail(round.clone(), leave, leaves, results);
                self.next([tail, task(Exit::Stay(leaving, staying))]);
            }
            Exit::Stay(Leaving { round, stay, .. }, staying) => {
                let results = self.take_tail().results;
                let next = Task::NextRound(round.clone());
                self.next([Task::TailEnd(round, stay, staying, results), next]);
            }
        }
    }

    fn decide(
        &mut self,
        round: Round,
        condition: schedule::ValueId,
        [then, otherwise]: [BlockId; 2],
        results: Vec<ValueId>,
    ) {
        let task = |exit| Task::Exit(Box::new(exit));
        let mask = self.components(condition)[0];
        if self.is_uniform(mask) {
            let arms =
                [then, otherwise].map(|arm| task(Exit::Block(round.clone(), arm, results.clone())));
            self.fork(mask, arms);
            return;
        }
        if let Some((op, uniform, rest)) = self.partly_uniform(condition) {
            let uniform = self.components(uniform)[0];
            let again = |round| task(Exit::Decide(round, rest, [then, otherwise], results.clone()));
            let block = |round, arm| task(Exit::Block(round, arm, results.clone()));
            // One arm is duplicated.
            if op == Op::And && self.costs[otherwise.index()].is_cheap() {
                self.fork(uniform, [again(round.clone()), block(round, otherwise)]);
                return;
            }
            if op == Op::Or && self.costs[then.index()].is_cheap() {
                self.fork(uniform, [block(round.clone(), then), again(round)]);
                return;
            }
        }
        let stays =
            [then, otherwise].map(|arm| self.has_rec(arm) && self.costs[arm.index()].is_small());
        let leaves = [then, otherwise].map(|arm| !self.has_rec(arm));
        let (leave, stay, op) = match (leaves, stays) {
            ([true, false], [_, true]) => (then, otherwise, LaneOp::And),
            ([false, true], [true, _]) => (otherwise, then, LaneOp::AndNot),
            _ => {
                let live = round.live;
                let next = Task::NextRound(round.clone());
                let tail = Task::Divergent(round, mask, [then, otherwise], live, results);
                self.next([tail, next]);
                return;
            }
        };
        let live = round.live;
        let leaving = Leaving { round, mask, leave, stay, op };
        self.next([Task::Statements(stay, 0, live), task(Exit::Test(leaving, results))]);
    }

    /// Splits a condition that is `and` or `or` of a uniform condition and another one: the operation, the
    /// uniform condition, the other one.
    fn partly_uniform(
        &self,
        condition: schedule::ValueId,
    ) -> Option<(Op, schedule::ValueId, schedule::ValueId)> {
        let (op, [a, b]) = self.logic.get(&condition)?;
        match [*a, *b].map(|v| self.is_uniform(self.components(v)[0])) {
            [true, _] => Some((*op, *a, *b)),
            [_, true] => Some((*op, *b, *a)),
            [false, false] => None,
        }
    }
}
