//! The decisions of a divergent loop's tail that all lanes still in the loop come to.
//!
//! They are ends of blocks, so that a round does no more than it must:
//!
//! - A decision that is the same for all lanes is a branch. `and` and `or` of such a condition
//!   with a divergent one are two decisions.
//! - In most rounds no lane leaves. Where one arm leaves the loop and what remains of the tail is
//!   small, that is computed, and then asked: if so, the live mask and the results stay as they are, without a
//!   mask computed or a result captured, and nobody need ask whether any lane is left:
//!
//! ```text
//! (if c (rec a) b)   ⇒   a is computed
//!                        leave = live & !c
//!                        if any(leave) { stay = live & c; result' = select(leave, b, result)
//!                                        if any(stay) { rec stay, a, result' } else { yield result' } }
//!                        else { rec live, a, result }
//! ```

use lambdav_core::op::Op as CoreOp;
use lambdav_core::schedule::{self, BlockId, End as CoreEnd};

use super::Lowering;
use crate::lanes::{End, Kind, Op, ValueId};

/// A round of a divergent loop: what all of its tail needs.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    /// The lanes that are still in the loop.
    pub(super) live: ValueId,
    /// The kinds of the loop's own parameters.
    pub(super) kinds: &'a [Kind],
}

impl Lowering<'_> {
    /// The tail of a divergent loop that begins with a block to which all live lanes come.
    pub(super) fn divergent_end(
        &mut self,
        id: BlockId,
        round: Round<'_>,
        results: Vec<ValueId>,
    ) -> End {
        self.statements(id, round.live);
        self.end(id, round, results)
    }

    /// The same after the statements of the block.
    fn end(&mut self, id: BlockId, round: Round<'_>, results: Vec<ValueId>) -> End {
        if let CoreEnd::If { condition, then, otherwise } = self.program.block(id).end {
            return self.decide(condition, [then, otherwise], round, results);
        }
        let tail = self.tail_end(id, round.live, round.kinds, results);
        self.next_round(round.live, tail)
    }

    fn decide(
        &mut self,
        condition: schedule::ValueId,
        [then, otherwise]: [BlockId; 2],
        round: Round<'_>,
        results: Vec<ValueId>,
    ) -> End {
        let mask = self.components(condition)[0];
        if self.is_uniform(mask) {
            let other = results.clone();
            return self.fork(
                mask,
                |s| s.divergent_end(then, round, results),
                |s| s.divergent_end(otherwise, round, other),
            );
        }
        if let Some((op, uniform, rest)) = self.partly_uniform(condition) {
            let uniform = self.components(uniform)[0];
            let other = results.clone();
            // One arm is written twice.
            if op == CoreOp::And && self.costs[otherwise.index()].is_cheap() {
                return self.fork(
                    uniform,
                    |s| s.decide(rest, [then, otherwise], round, results),
                    |s| s.divergent_end(otherwise, round, other),
                );
            }
            if op == CoreOp::Or && self.costs[then.index()].is_cheap() {
                return self.fork(
                    uniform,
                    |s| s.divergent_end(then, round, results),
                    |s| s.decide(rest, [then, otherwise], round, other),
                );
            }
        }
        let stays =
            [then, otherwise].map(|arm| self.has_rec(arm) && self.costs[arm.index()].is_small());
        let leaves = [then, otherwise].map(|arm| !self.has_rec(arm));
        let (leave, stay, ops) = match (leaves, stays) {
            ([true, false], [_, true]) => (then, otherwise, [Op::And, Op::AndNot]),
            ([false, true], [true, _]) => (otherwise, then, [Op::AndNot, Op::And]),
            _ => {
                let tail =
                    self.divergent_part(mask, [then, otherwise], round.live, round.kinds, results);
                return self.next_round(round.live, tail);
            }
        };
        self.statements(stay, round.live);
        let leaving = self.op(ops[0], &[round.live, mask]);
        let any = self.any(leaving);
        let other = results.clone();
        self.fork(
            any,
            |s| {
                let staying = s.op(ops[1], &[round.live, mask]);
                let results = s.tail(leave, leaving, round.kinds, results).results;
                let tail = s.tail_end(stay, staying, round.kinds, results);
                s.next_round(round.live, tail)
            },
            |s| s.end(stay, round, other),
        )
    }

    fn fork(
        &mut self,
        condition: ValueId,
        then: impl FnOnce(&mut Self) -> End,
        otherwise: impl FnOnce(&mut Self) -> End,
    ) -> End {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        End::If { condition, then, otherwise }
    }

    /// If the condition is `and` or `or` of one that is the same for all lanes and another: which, and the two.
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
