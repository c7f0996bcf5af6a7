//! Which arrays differ in which lanes: what makes it unnecessary to merge them.
//!
//! Words are replaced under masks ([`Expr::Put`](crate::lanes::Expr::Put)), so an array *comes of* another: in all lanes outside
//! a mask it is that one. Where lanes decide differently, and the one arm replaces words of an array in
//! its lanes while the other leaves it as it is, the first array is what both want. Nothing is assumed
//! of what is not known here: then lanes are merged ([`Expr::Merge`](crate::lanes::Expr::Merge)), word by word.
//!
//! Questions are followed so far only, so that the work is linear in the program; where an answer is
//! farther away it is not known. Without arrays nothing is noted at all.
//!
//! Where both arms replace words, the second begins with what the first has left: in its own lanes that
//! is the array from before. So one array goes through both, and nothing is merged or copied.

use rustc_hash::FxHashMap;

use crate::lanes::ValueId;

/// How many masks are looked at for an answer.
const FAR: usize = 64;

/// What is known of arrays and masks.
#[derive(Default)]
pub(super) struct Lineage {
    /// Whether there are arrays.
    has_arrays: bool,
    /// Of an array, another that it equals in the lanes outside the mask.
    parents: FxHashMap<ValueId, (ValueId, ValueId)>,
    /// Of a mask, another of which it holds some of the lanes.
    masks: FxHashMap<ValueId, ValueId>,
    /// Of a mask, two that it holds all lanes of: those of the arms that are executed, of one of them
    /// if one is.
    unions: FxHashMap<ValueId, [ValueId; 2]>,
    /// Of a mask another without any of its lanes.
    opposites: FxHashMap<ValueId, ValueId>,
    /// Of an array, what takes its place in the second of two arms.
    latest: FxHashMap<ValueId, ValueId>,
    /// For which arrays that is so, for each of the arms around.
    arms: Vec<Vec<ValueId>>,
    /// Two arrays that have been merged last, by which mask, and the result.
    pub(super) last: Option<([ValueId; 3], ValueId)>,
}

impl Lineage {
    /// Nothing is known yet.
    pub(super) fn new(has_arrays: bool) -> Self {
        Self { has_arrays, ..Self::default() }
    }

    /// The one mask holds some of the lanes of the other.
    pub(super) fn some_of(&mut self, mask: ValueId, of: ValueId) {
        if self.has_arrays {
            self.masks.insert(mask, of);
        }
    }

    /// No lane is in both masks.
    pub(super) fn opposite(&mut self, a: ValueId, b: ValueId) {
        if self.has_arrays {
            self.opposites.insert(a, b);
            self.opposites.insert(b, a);
        }
    }

    /// The mask, and those of which it holds some lanes.
    fn up(&self, mask: ValueId) -> impl Iterator<Item = ValueId> {
        std::iter::successors(Some(mask), |mask| self.masks.get(mask).copied()).take(FAR)
    }

    fn is_opposite(&self, a: ValueId, b: ValueId) -> bool {
        self.up(a)
            .any(|mask| self.opposites.get(&mask).is_some_and(|&other| self.is_some_of(b, other)))
    }

    /// Begins the second of two arms, for the lanes of the mask: the first has left these arrays.
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

    /// Ends it.
    pub(super) fn end_second(&mut self) {
        for array in self.arms.pop().unwrap_or_default() {
            self.latest.remove(&array);
        }
    }

    /// What is to be used for an array here.
    pub(super) fn latest(&self, array: ValueId) -> ValueId {
        let mut latest = array;
        while let Some(&next) = self.latest.get(&latest) {
            latest = next;
        }
        latest
    }

    /// The mask holds all lanes of both.
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

    /// The one array equals the other in the lanes outside the mask.
    pub(super) fn comes_of(&mut self, array: ValueId, of: ValueId, mask: ValueId) {
        self.parents.insert(array, (of, mask));
    }

    /// What merged arrays are is forgotten where a block ends.
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

    /// The first mask that holds the lanes of two.
    fn around(&self, a: ValueId, b: ValueId) -> Option<ValueId> {
        self.up(a).find(|&mask| self.is_some_of(b, mask))
    }

    /// Whether an array equals another in all lanes outside the mask.
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

    /// Whether an array equals another in all lanes of the mask.
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

    /// What an array was before values with the number `first`.
    pub(super) fn before(&self, array: ValueId, first: usize) -> Option<ValueId> {
        let parent = |array: &ValueId| Some(self.parents.get(array)?.0);
        std::iter::successors(Some(array), parent).find(|array| array.index() < first)
    }

    /// An array is one of two: it comes of what both come of.
    pub(super) fn join(&mut self, array: ValueId, a: ValueId, b: ValueId) {
        // What the first comes of, and in which lanes it differs from that.
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
