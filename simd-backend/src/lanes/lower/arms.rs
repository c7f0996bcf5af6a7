//! Lowers `if`s.
//!
//! A uniform decision stays a branch. For a divergent one both arms are computed, each for the lanes that
//! take it, under a test if any lane takes it when that pays. Then each lane selects its own value.

use lambdav_core::schedule;

use super::state::{Lowering, Task};
use crate::lanes::{Kind, LaneEnd, LaneExpr, LaneStatement, ValueId};
use crate::mutants::{Mutant, is_active};

impl Lowering<'_> {
    /// Lowers an `if`. Pushes its values.
    pub(super) fn choice(
        &mut self,
        value: schedule::ValueId,
        condition: ValueId,
        [then, otherwise]: [schedule::BlockId; 2],
        mask: ValueId,
    ) {
        let has_arrays = !self.arrays.of(self.program.ty(value)).is_empty();
        let bare = |id| self.program.block(id).statements.is_empty() && !has_arrays;
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
            // The value of a guard is not needed where its condition is false.
            self.next([Task::Guarded(then, on)]);
            return;
        }
        self.next([
            Task::Guarded(then, on),
            Task::Second(off),
            Task::Guarded(otherwise, off),
            Task::Select(condition, [on, off]),
        ]);
    }

    /// Lowers an arm for the lanes of `mask`, under a test if any lane is active when that pays.
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
            Task::Undefined(first),
            Task::CloseArm,
            Task::Merge { condition, first },
        ]);
    }

    /// The values of an arm that no lane takes. They are undefined. An array stays the one that it was
    /// before the value of index `first`.
    pub(super) fn undefined_arm(&mut self, first: usize) {
        let like = self.work.values.last().expect("values were pushed").clone();
        let value = |like| match self.lineage.before(like, first) {
            Some(array) if self.out.kind(like).words().is_some() => array,
            _ => self.undefined(self.out.kind(like)),
        };
        let values = like.into_iter().map(value).collect();
        self.work.values.push(values);
    }

    /// Selects between the values of two arms, lane by lane.
    pub(super) fn select_arms(&mut self, condition: ValueId, ways: [ValueId; 2]) {
        self.lineage.end_second();
        let b = self.take_values();
        let a = self.take_values();
        let (a, b) = if is_active(Mutant::WrongBlend) { (b, a) } else { (a, b) };
        let both = a.iter().zip(&b);
        let values = both.map(|(&a, &b)| self.of_arms(condition, ways, a, b)).collect();
        self.work.values.push(values);
    }

    /// An `if` with a uniform condition. If one arm's value is undefined, and the other arm's value is
    /// defined before the `if`, it is used directly.
    pub(super) fn merge(&mut self, condition: ValueId, first: usize) {
        let [b, a] = [(); 2].map(|()| self.take_values());
        let [otherwise, then] = [(); 2].map(|()| self.take_block());
        // Values of a smaller index that an arm can name are defined before the arms.
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
            match self.out.kind(value) {
                Kind::Array(_) => self.lineage.join(value, a, b),
                Kind::Mask => {
                    self.lineage.union_of(value, [a, b]);
                    // If one mask is false, the merged mask has lanes of the other one only.
                    if self.constants.get(&b) == Some(&0) {
                        self.lineage.some_of(value, a);
                    } else if self.constants.get(&a) == Some(&0) {
                        self.lineage.some_of(value, b);
                    }
                }
                _ => {}
            }
            results.push(value);
            values.push(value);
            yields.push(a);
            others.push(b);
        }
        self.out.blocks[then.index()].end = LaneEnd::Yield(yields.into());
        self.out.blocks[otherwise.index()].end = LaneEnd::Yield(others.into());
        self.are_defined(&values);
        self.current.push(LaneStatement::If { values: values.into(), condition, then, otherwise });
        self.work.values.push(results);
    }
}

impl Lowering<'_> {
    /// `a` in the lanes of a mask, `b` in the others, for values of any kind. If one of two arrays is
    /// already right in all lanes, no select is made.
    pub(super) fn keep(&mut self, mask: ValueId, a: ValueId, b: ValueId) -> ValueId {
        if self.lineage.is_within(a, b, mask) {
            a
        } else if self.lineage.is_without(b, a, mask) {
            b
        } else {
            self.select(mask, a, b)
        }
    }

    /// The value of two arms: `a` in lanes `on`, `b` in lanes `off`. If one of two arrays is right in both,
    /// no select is made.
    pub(super) fn of_arms(
        &mut self,
        condition: ValueId,
        [on, off]: [ValueId; 2],
        a: ValueId,
        b: ValueId,
    ) -> ValueId {
        if self.lineage.is_within(a, b, on) {
            a
        } else if self.lineage.is_within(b, a, off) {
            b
        } else {
            self.select(condition, a, b)
        }
    }

    /// Merges two arrays word by word.
    pub(super) fn merge_arrays(&mut self, mask: ValueId, a: ValueId, b: ValueId) -> ValueId {
        if let Some((known, merged)) = self.lineage.last
            && known == [mask, a, b]
        {
            return merged;
        }
        let (kind, rate) = (self.out.kind(a), self.out.width.lanes());
        let merged = self.define(kind, rate, LaneExpr::Merge(mask, [a, b]));
        self.lineage.join(merged, a, b);
        self.lineage.last = Some(([mask, a, b], merged));
        merged
    }
}
