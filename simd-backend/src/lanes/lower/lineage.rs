//! Lineage of arrays: the lanes in which two arrays differ, so that merges can be left out.
//!
//! Updates store under masks ([`LaneExpr::Put`](crate::lanes::LaneExpr::Put)), so an array *comes of* another: it
//! equals the other in all lanes outside a mask. Assume that a divergent decision has one arm that updates
//! an array in its lanes, and another that leaves it as it is. Then the updated array is right for both
//! arms. If the analysis does not know, the arrays are merged word by word
//! ([`LaneExpr::Merge`](crate::lanes::LaneExpr::Merge)).
//!
//! Queries stop after a fixed number of steps, so that the work is linear in the program. Then the answer
//! is unknown, and a merge is made. Without arrays no fact is recorded.
//!
//! If both arms update an array, the second arm starts with the array of the first, which equals the old
//! array in the second arm's lanes. So one array goes through both arms, without a merge or a copy.

use rustc_hash::FxHashMap;

use crate::lanes::ValueId;

/// Maximum number of masks that a query visits.
const FAR: usize = 64;

/// Facts about arrays and masks.
#[derive(Default)]
pub(super) struct Lineage {
    /// True if the program has arrays in memory.
    has_arrays: bool,
    /// For an array, another one and a mask: both are equal in the lanes outside the mask.
    parents: FxHashMap<ValueId, (ValueId, ValueId)>,
    /// For a mask, a superset of it.
    masks: FxHashMap<ValueId, ValueId>,
    /// For a mask, two masks whose lanes it contains: those of the arms of an `if`. If only one arm is
    /// executed, only its lanes are contained.
    unions: FxHashMap<ValueId, [ValueId; 2]>,
    /// For a mask, a disjoint one.
    opposites: FxHashMap<ValueId, ValueId>,
    /// For an array, its replacement in the second of two arms.
    latest: FxHashMap<ValueId, ValueId>,
    /// The arrays with such replacements, for each open second arm.
    arms: Vec<Vec<ValueId>>,
    /// The last merge: mask, both arrays, and the result.
    pub(super) last: Option<([ValueId; 3], ValueId)>,
}

impl Lineage {
    /// No facts yet.
    pub(super) fn new(has_arrays: bool) -> Self {
        Self { has_arrays, ..Self::default() }
    }

    /// Records that a mask is a subset of another.
    pub(super) fn some_of(&mut self, mask: ValueId, of: ValueId) {
        if self.has_arrays {
            self.masks.insert(mask, of);
        }
    }

    /// Records that two masks are disjoint.
    pub(super) fn opposite(&mut self, a: ValueId, b: ValueId) {
        if self.has_arrays {
            self.opposites.insert(a, b);
            self.opposites.insert(b, a);
        }
    }

    /// The mask and its recorded supersets.
    fn up(&self, mask: ValueId) -> impl Iterator<Item = ValueId> {
        std::iter::successors(Some(mask), |mask| self.masks.get(mask).copied()).take(FAR)
    }

    fn is_opposite(&self, a: ValueId, b: ValueId) -> bool {
        self.up(a)
            .any(|mask| self.opposites.get(&mask).is_some_and(|&other| self.is_some_of(b, other)))
    }

    /// Begins the second of two arms, for the lanes of the mask. `left` has the values of the first arm.
    pub(super) fn begin_second(&mut self, mask: ValueId, left: &[ValueId]) {
        let mut replaced = Vec::new();
        if let Some(&first) = self.opposites.get(&mask) {
            for &array in left {
                let mut before = array;
                while let Some(&(parent, under)) = self.parents.get(&before)
                    && self.is_some_of(under, first)
                {
                    before = parent;
                }
                if before != array && !self.latest.contains_key(&before) {
                    self.latest.insert(before, array);
                    replaced.push(before);
                }
            }
        }
        self.arms.push(replaced);
    }

    /// Ends the second arm.
    pub(super) fn end_second(&mut self) {
        for array in self.arms.pop().unwrap_or_default() {
            self.latest.remove(&array);
        }
    }

    /// The array to use here instead of `array`.
    pub(super) fn latest(&self, array: ValueId) -> ValueId {
        let mut latest = array;
        while let Some(&next) = self.latest.get(&latest) {
            latest = next;
        }
        latest
    }

    /// Records that a mask contains the lanes of both masks.
    pub(super) fn union_of(&mut self, mask: ValueId, of: [ValueId; 2]) {
        if !self.has_arrays {
            return;
        }
        self.unions.insert(mask, of);
        if let Some(around) = self.around(of[0], of[1]).or_else(|| self.masks.get(&of[0]).copied())
        {
            self.some_of(mask, around);
        }
    }

    /// Records that two arrays are equal in the lanes outside the mask.
    pub(super) fn comes_of(&mut self, array: ValueId, of: ValueId, mask: ValueId) {
        self.parents.insert(array, (of, mask));
    }

    /// Forgets the last merge at the end of a block, where its result is out of scope.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    fn is_some_of(&self, mask: ValueId, of: ValueId) -> bool {
        let mut all = vec![of];
        let mut looked = 0;
        while let Some(of) = all.pop()
            && looked < FAR
        {
            looked += 1;
            if self.up(mask).any(|mask| mask == of) {
                return true;
            }
            all.extend(self.unions.get(&of).into_iter().flatten());
        }
        false
    }

    /// The nearest recorded mask that contains both masks.
    fn around(&self, a: ValueId, b: ValueId) -> Option<ValueId> {
        self.up(a).find(|&mask| self.is_some_of(b, mask))
    }

    /// True if two arrays are known to be equal in all lanes outside the mask.
    pub(super) fn is_within(&self, array: ValueId, of: ValueId, mask: ValueId) -> bool {
        let mut array = array;
        while array != of {
            match self.parents.get(&array) {
                Some(&(parent, under)) if self.is_some_of(under, mask) => array = parent,
                _ => return false,
            }
        }
        true
    }

    /// True if two arrays are known to be equal in all lanes of the mask.
    pub(super) fn is_without(&self, array: ValueId, of: ValueId, mask: ValueId) -> bool {
        let mut array = array;
        while array != of {
            match self.parents.get(&array) {
                Some(&(parent, under)) if self.is_opposite(under, mask) => array = parent,
                _ => return false,
            }
        }
        true
    }

    /// The ancestor of an array that was defined before the value of index `first`.
    pub(super) fn before(&self, array: ValueId, first: usize) -> Option<ValueId> {
        let parent = |array: &ValueId| Some(self.parents.get(array)?.0);
        std::iter::successors(Some(array), parent).find(|array| array.index() < first)
    }

    /// Records the nearest common ancestor of an array that is `a` or `b`.
    pub(super) fn join(&mut self, array: ValueId, a: ValueId, b: ValueId) {
        // The ancestors of `a`, each with a mask outside which it equals `a`.
        let mut of_a = vec![(a, None)];
        while let Some(&(of, under)) = of_a.last()
            && let Some(&(parent, mask)) = self.parents.get(&of)
            && let Some(mask) = under.map_or(Some(mask), |under| self.around(under, mask))
        {
            of_a.push((parent, Some(mask)));
        }
        let (mut b, mut under) = (b, None::<ValueId>);
        loop {
            if let Some(&(of, mask)) = of_a.iter().find(|(of, _)| *of == b) {
                let mask = match (mask, under) {
                    (Some(mask), Some(under)) => self.around(mask, under),
                    (mask, under) => mask.or(under),
                };
                if let Some(mask) = mask {
                    self.comes_of(array, of, mask);
                }
                return;
            }
            let Some(&(parent, mask)) = self.parents.get(&b) else { return };
            let Some(mask) = under.map_or(Some(mask), |under| self.around(under, mask)) else {
                return;
            };
            (b, under) = (parent, Some(mask));
        }
    }
}
