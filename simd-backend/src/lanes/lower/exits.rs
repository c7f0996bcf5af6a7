//! The decisions of a divergent loop's tail that all lanes still in the loop come to.
//!
//! They are ends of blocks, so that a round does no more than it must:
//!
//! - A decision that is the same for all lanes is a branch. `and` and `or` of such a condition
//!   with a divergent one are two decisions.
//! - In most rounds no lane leaves. Where one arm leaves the loop and what remains of the tail is
//!   small, that is computed, and then asked: if so, the live mask and the results stay as they
//!   are, without a mask computed or a result captured, and nobody need ask whether any lane is
//!   left:
//!
//! ```text
//! (if c (rec a) b)   ⇒   a is computed
//!                        leave = live & !c
//!                        if any(leave) { stay = live & !leave; result' = select(leave, b, result)
//!                                        if any(stay) { rec stay, a, result' } else { yield result' } }
//!                        else { rec live, a, result }
//! ```

use lambdav_core::op::Op as CoreOp;
use lambdav_core::schedule::{self, BlockId, End as CoreEnd};

use super::state::{Exit, Leaving, Lowering, Round, Task};
use crate::lanes::{Op, ValueId};

impl Lowering<'_> {
    pub(super) fn exit(&mut self, exit: Exit) {
        let task = |exit| Task::Exit(Box::new(exit));
        match exit {
            Exit::Block(round, id, results) => {
                let statements = Task::Statements(id, 0, round.live);
                self.next([statements, task(Exit::End(round, id, results))]);
            }
            Exit::End(round, id, results) => match self.program.block(id).end {
                CoreEnd::If { condition, then, otherwise } => {
                    self.decide(round, condition, [then, otherwise], results);
                }
                CoreEnd::Yield(_) | CoreEnd::Rec(_) => {
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
                // Not of the mask: nothing else keeps that, so that who leaves is one comparison
                // where such is made under a mask.
                let staying = self.op(Op::AndNot, &[round.live, leaves]);
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
            // One arm is written twice.
            if op == CoreOp::And && self.costs[otherwise.index()].is_cheap() {
                self.fork(uniform, [again(round.clone()), block(round, otherwise)]);
                return;
            }
            if op == CoreOp::Or && self.costs[then.index()].is_cheap() {
                self.fork(uniform, [block(round.clone(), then), again(round)]);
                return;
            }
        }
        let stays =
            [then, otherwise].map(|arm| self.has_rec(arm) && self.costs[arm.index()].is_small());
        let leaves = [then, otherwise].map(|arm| !self.has_rec(arm));
        let (leave, stay, op) = match (leaves, stays) {
            ([true, false], [_, true]) => (then, otherwise, Op::And),
            ([false, true], [true, _]) => (otherwise, then, Op::AndNot),
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

    /// If the condition is `and` or `or` of one that is the same for all lanes and another: which,
    /// and the two.
    fn partly_uniform(
        &self,
        condition: schedule::ValueId,
    ) -> Option<(CoreOp, schedule::ValueId, schedule::ValueId)> {
        let (op, [a, b]) = self.logic.get(&condition)?;
        match [*a, *b].map(|v| self.is_uniform(self.components(v)[0])) {
            [true, _] => Some((*op, *a, *b)),
            [_, true] => Some((*op, *b, *a)),
            [false, false] => None,
        }
    }
}
