//! Interned sorted sets: four bytes each, equality in one comparison, memoised unions.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A set in [`Sets`]; the default is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SetId(u32);

impl SetId {
    /// The empty set, in every table.
    pub const EMPTY: Self = Self(0);
}

/// A table of sets.
#[derive(Clone, Debug)]
pub struct Sets<T> {
    sets: Vec<Box<[T]>>,
    ids: FxHashMap<Box<[T]>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl<T: Copy + Ord + Hash> Default for Sets<T> {
    fn default() -> Self {
        let empty: Box<[T]> = Box::default();
        let ids = std::iter::once((empty.clone(), SetId(0))).collect();
        Self { sets: vec![empty], ids, unions: FxHashMap::default() }
    }
}

impl<T: Copy + Ord + Hash> Sets<T> {
    /// The elements, ascending.
    pub fn get(&self, id: SetId) -> &[T] {
        &self.sets[id.0 as usize]
    }

    /// The set with one element.
    pub fn single(&mut self, element: T) -> SetId {
        self.intern([element].into())
    }

    /// The elements of `id` for which `keep` holds.
    pub fn filter(&mut self, id: SetId, keep: impl Fn(T) -> bool) -> SetId {
        let set = self.get(id);
        if set.iter().all(|&e| keep(e)) {
            return id;
        }
        let kept = set.iter().copied().filter(|&e| keep(e)).collect();
        self.intern(kept)
    }

    /// The union of two sets.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId(0) {
            return a;
        }
        if a == SetId(0) {
            return b;
        }
        let key = if a.0 < b.0 { (a, b) } else { (b, a) };
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut all = [self.get(a), self.get(b)].concat();
        all.sort_unstable();
        all.dedup();
        let id = self.intern(all.into());
        self.unions.insert(key, id);
        id
    }

    /// The set of these elements, which must be in ascending order.
    pub fn of(&mut self, elements: Vec<T>) -> SetId {
        debug_assert!(elements.is_sorted_by(|a, b| a < b), "they ascend");
        self.intern(elements.into())
    }

    /// Interns a set, which must be sorted and without duplicates.
    fn intern(&mut self, set: Box<[T]>) -> SetId {
        let next = SetId(self.sets.len() as u32);
        let id = *self.ids.entry(set.clone()).or_insert(next);
        if id == next {
            self.sets.push(set);
        }
        id
    }
}
