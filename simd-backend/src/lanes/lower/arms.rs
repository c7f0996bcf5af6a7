//! `if`.
//!
//! A decision that is the same for all lanes stays one. Where lanes decide differently, both arms
//! are computed, each for the lanes that take it and under a test whether there are any if it is
//! worth it, and each lane selects its own value.

use lambdav_core::schedule;

use super::state::{Lowering, Task};
use crate::lanes::{End, Statement, ValueId};
use crate::mutants::{Mutant, is_active};

impl Lowering<'_> {
    /// An `if`. Leaves its values.
    pub(super) fn choice(
        &mut self,
        value: schedule::ValueId,
        condition: ValueId,
        [then, otherwise]: [schedule::BlockId; 2],
        mask: ValueId,
    ) {
        let bare = |id| self.program.block(id).statements.is_empty();
        if self.is_uniform(condition) && !(bare(then) && bare(otherwise)) {
            let first = self.out.values.len();
            self.next([
                Task::Open,
                Task::Statements(then, 0, mask),
                Task::Yields(then),
                Task::CloseArm,
                Task::Open,
                Task::Statements(otherwise, 0, mask),
                Task::Yields(otherwise),
                Task::CloseArm,
                Task::Merge { condition, first },
            ]);
            return;
        }
        let [on, off] = self.split(mask, condition);
        if self.program.is_guard(value) {
            // Where the condition does not hold, the value is never needed.
            self.next([Task::Guarded(then, on)]);
            return;
        }
        self.next([
            Task::Guarded(then, on),
            Task::Guarded(otherwise, off),
            Task::Select(condition),
        ]);
    }

    /// What an arm yields for the lanes of `mask`: under a test whether there are any, if the arm
    /// is worth it.
    pub(super) fn guarded(&mut self, id: schedule::BlockId, mask: ValueId) {
        if self.costs[id.index()].is_cheap() || is_active(Mutant::HoistedLoop) {
            self.next([Task::Statements(id, 0, mask), Task::Yields(id)]);
            return;
        }
        let condition = self.any(mask);
        let first = self.out.values.len();
        self.next([
            Task::Open,
            Task::Statements(id, 0, mask),
            Task::Yields(id),
            Task::CloseArm,
            Task::Open,
            Task::Undefined,
            Task::CloseArm,
            Task::Merge { condition, first },
        ]);
    }

    /// The arm of the lanes that there are none of.
    pub(super) fn undefined_arm(&mut self) {
        let like = self.work.values.last().expect("values have been left").clone();
        let kinds = like.into_iter().map(|value| self.out.kind(value));
        let kinds: Vec<_> = kinds.collect();
        let values = kinds.into_iter().map(|kind| self.undefined(kind)).collect();
        self.work.values.push(values);
    }

    /// Each lane's own of two values.
    pub(super) fn select_arms(&mut self, condition: ValueId) {
        let b = self.take_values();
        let a = self.take_values();
        let (a, b) = if is_active(Mutant::WrongBlend) { (b, a) } else { (a, b) };
        let values = a.iter().zip(&b).map(|(&a, &b)| self.select(condition, a, b)).collect();
        self.work.values.push(values);
    }

    /// An `if` on a condition that is the same for all lanes. Where an arm leaves a value
    /// undefined, a value of the other one that does not come from inside it will do.
    pub(super) fn merge(&mut self, condition: ValueId, first: usize) {
        let [b, a] = [(); 2].map(|()| self.take_values());
        let [otherwise, then] = [(); 2].map(|()| self.take_block());
        // A value with a smaller number that an arm can name was there before the arms.
        let was_there = |value: ValueId| value.index() < first;
        let control = self.out.rate(condition);
        let (mut results, mut values) = (Vec::with_capacity(a.len()), Vec::new());
        let (mut yields, mut others) = (Vec::new(), Vec::new());
        for (&a, &b) in a.iter().zip(&b) {
            if a == b || was_there(a) && self.undefined.contains(&b) {
                results.push(a);
                continue;
            }
            if was_there(b) && self.undefined.contains(&a) {
                results.push(b);
                continue;
            }
            let rate = self.out.rate(a) | self.out.rate(b) | control;
            let value = self.value(self.out.kind(a), rate);
            results.push(value);
            values.push(value);
            yields.push(a);
            others.push(b);
        }
        self.out.blocks[then.index()].end = End::Yield(yields.into());
        self.out.blocks[otherwise.index()].end = End::Yield(others.into());
        self.current.push(Statement::If { values: values.into(), condition, then, otherwise });
        self.work.values.push(results);
    }
}
