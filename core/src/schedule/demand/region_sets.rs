//! Hash-consed sets of demanding regions, and their guards.
//!
//! A use needs a node in a set of regions, and a carrier passes its set on to all its operands. So sets share
//! parts: a set is one region or a union of sets, and equal sets are one. Queries on a set are answered from
//! those on its parts. So a chain of sums, each also needed in an arm of its own, takes time linear in its
//! length.
//!
//! A region's *reach* is the condition under which control gets there: it reaches the region's *anchor*, a
//! region around it, and all conditions on the path from the anchor hold. The anchor is the outermost region
//! from which the path enters no loop and has no condition that might not end or depends on an effect. Hence these conditions can be
//! computed anywhere inside the anchor, in any order, as data, and once for all guards.

use crate::graph::NodeId;
use crate::mutants::{Mutant, is_active};
use crate::schedule::regions::{Placed, ROOT, RegionId, RegionKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Most sets that [`RegionSets::joined`] visits.
const MAX_JOINED: usize = 256;

/// A set in [`RegionSets`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RegionSetId(u32);

/// A set of regions.
pub(super) enum Members {
    One(RegionId),
    /// Two sets or more, ascending.
    Union(Rc<[RegionSetId]>),
}

struct RegionSet {
    members: Members,
    /// The deepest region that encloses all members.
    above: RegionId,
    /// The depth of the deepest anchor of a member.
    anchor_depth: u32,
}

/// The reach of a region.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) anchor: RegionId,
    /// A bool: control gets here if it reaches the anchor. `None` if that is always so, or before it is
    /// asked.
    pub(super) holds: Option<NodeId>,
}

/// All sets, and memoised queries.
#[derive(Default)]
pub(super) struct RegionSets {
    all: Vec<RegionSet>,
    ones: FxHashMap<RegionId, RegionSetId>,
    unions: FxHashMap<Rc<[RegionSetId]>, RegionSetId>,
    /// The known guards: bools that are true if control is in a region of the set.
    pub(super) guards: FxHashMap<RegionSetId, NodeId>,
    pub(super) reaches: Vec<Option<Reach>>,
}

impl RegionSets {
    /// The set of one region.
    pub(super) fn one(&mut self, placed: &Placed, region: RegionId) -> RegionSetId {
        if let Some(&known) = self.ones.get(&region) {
            return known;
        }
        let anchor_depth = placed.region(self.anchor(placed, region)).depth;
        let id =
            self.push(RegionSet { members: Members::One(region), above: region, anchor_depth });
        self.ones.insert(region, id);
        id
    }

    /// The union of sets, at least one. A member enclosed by another one is redundant.
    pub(super) fn union(&mut self, placed: &Placed, mut sets: Vec<RegionSetId>) -> RegionSetId {
        sets.sort_unstable();
        sets.dedup();
        if let &[one] = sets.as_slice() {
            return one;
        }
        let above = sets.iter().map(|&set| self.above(set)).reduce(|a, b| placed.common(a, b));
        let above = above.expect("there is one");
        if let Some(all) = self.ones.get(&above)
            && sets.binary_search(all).is_ok()
        {
            return *all;
        }
        let sets: Rc<[RegionSetId]> = sets.into();
        if let Some(&known) = self.unions.get(&sets) {
            return known;
        }
        let depths = sets.iter().map(|&set| self.get(set).anchor_depth);
        let anchor_depth = depths.max().expect("there is one");
        let members = Members::Union(sets.clone());
        let id = self.push(RegionSet { members, above, anchor_depth });
        self.unions.insert(sets, id);
        id
    }

    /// True if a set was made of `part`, or a region of the set encloses it. If neither is so, the set can still
    /// hold all regions of `part`. Adds to `steps` the number of sets visited.
    pub(super) fn includes(
        &self,
        placed: &Placed,
        set: RegionSetId,
        part: RegionSetId,
        steps: &mut usize,
    ) -> bool {
        let above = self.above(part);
        let (mut seen, mut stack) = (FxHashSet::default(), vec![set]);
        while let Some(set) = stack.pop() {
            if set == part {
                return true;
            }
            if !seen.insert(set) {
                continue;
            }
            *steps += 1;
            match &self.get(set).members {
                Members::One(region) if placed.common(*region, above) == *region => return true,
                Members::One(_) => {}
                Members::Union(sets) => stack.extend_from_slice(sets),
            }
        }
        false
    }

    fn push(&mut self, set: RegionSet) -> RegionSetId {
        self.all.push(set);
        RegionSetId(self.all.len() as u32 - 1)
    }

    fn get(&self, id: RegionSetId) -> &RegionSet {
        &self.all[id.0 as usize]
    }

    pub(super) fn members(&self, id: RegionSetId) -> &Members {
        &self.get(id).members
    }

    /// The deepest region that encloses all members.
    pub(super) fn above(&self, id: RegionSetId) -> RegionId {
        self.get(id).above
    }

    /// The only region of a set; `None` for a union.
    pub(super) fn only(&self, id: RegionSetId) -> Option<RegionId> {
        match self.get(id).members {
            Members::One(region) => Some(region),
            Members::Union(_) => None,
        }
    }

    /// True if, in `above`, guards of the regions can be computed as data.
    pub(super) fn is_data(&self, placed: &Placed, id: RegionSetId) -> bool {
        self.get(id).anchor_depth <= placed.region(self.above(id)).depth
    }

    /// All regions that no other region of the set encloses, outer ones first.
    pub(super) fn regions(&self, placed: &Placed, id: RegionSetId) -> Vec<RegionId> {
        outermost(placed, self.of_few(id, usize::MAX).expect("there are no more sets"))
    }

    /// All regions of a set; `None` if it was made of more than so many sets.
    fn of_few(&self, id: RegionSetId, most: usize) -> Option<FxHashSet<RegionId>> {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![id]);
        let mut found = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.get(id).members {
                Members::One(region) => drop(found.insert(*region)),
                Members::Union(sets) => stack.extend_from_slice(sets),
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(found)
    }

    /// The same demand, with fewer regions: where both arms of a decision are in a set, or arms of two decisions by one
    /// condition, the region around them stands for them, since control that gets there goes on to one of them. A large set
    /// stays.
    pub(super) fn joined(&mut self, placed: &Placed, id: RegionSetId) -> RegionSetId {
        let Some(mut all) = self.of_few(id, MAX_JOINED) else { return id };
        let mut arms: FxHashMap<(RegionId, NodeId), [bool; 2]> = FxHashMap::default();
        let mut open: Vec<RegionId> = all.iter().copied().collect();
        let before = all.len();
        while let Some(region) = open.pop() {
            let RegionKind::Arm { of, taken } = placed.region(region).kind else { continue };
            let (parent, condition) = (placed.region(region).parent, placed.graph.operands(of)[0]);
            // A condition that might not end is met before its arms.
            if placed.graph.is_ordered(condition) {
                continue;
            }
            let arms = arms.entry((parent, condition)).or_default();
            arms[usize::from(taken)] = true;
            let is_both = *arms == [true; 2] || is_active(Mutant::OneArm);
            if is_both && all.insert(parent) {
                open.push(parent);
            }
        }
        if all.len() == before {
            return id;
        }
        let regions = outermost(placed, all).into_iter();
        let ones = regions.map(|region| self.one(placed, region)).collect();
        self.union(placed, ones)
    }

    fn anchor(&mut self, placed: &Placed, region: RegionId) -> RegionId {
        self.reaches.resize(placed.regions.len(), None);
        let (mut at, mut below) = (region, Vec::new());
        let mut anchor = loop {
            if let Some(known) = self.reaches[at.0 as usize] {
                break known.anchor;
            }
            below.push(at);
            match placed.region(at).kind {
                RegionKind::Arm { .. } => at = placed.region(at).parent,
                _ => break at,
            }
        };
        while let Some(at) = below.pop() {
            if let RegionKind::Arm { of, .. } = placed.region(at).kind
                && placed.graph.is_ordered(placed.graph.operands(of)[0])
            {
                anchor = at;
            }
            self.reaches[at.0 as usize] = Some(Reach { anchor, holds: None });
        }
        anchor
    }
}

/// Those of some regions that no other encloses, outer ones first.
fn outermost(placed: &Placed, all: FxHashSet<RegionId>) -> Vec<RegionId> {
    let mut regions: Vec<RegionId> = all.iter().copied().collect();
    regions.sort_unstable_by_key(|&region| (placed.region(region).depth, region));
    let least = regions.first().map_or(0, |&region| placed.region(region).depth);
    let mut enclosing = Enclosing::new(all, least);
    regions.retain(|&region| {
        let Region { parent, depth } = Region::of(placed, region);
        depth == least || enclosing.of(placed, parent).is_none()
    });
    regions
}

/// The parent and depth of a region.
struct Region {
    parent: RegionId,
    depth: u32,
}

impl Region {
    fn of(placed: &Placed, region: RegionId) -> Self {
        let found = placed.region(region);
        Self { parent: found.parent, depth: found.depth }
    }
}

/// Finds the outermost region of a set that encloses a given region. Visits each region on the paths once.
pub(super) struct Enclosing {
    set: FxHashSet<RegionId>,
    /// The least depth of a region of the set.
    depth: u32,
    known: FxHashMap<RegionId, Option<RegionId>>,
}

impl Enclosing {
    pub(super) fn new(set: FxHashSet<RegionId>, depth: u32) -> Self {
        Self { set, depth, known: FxHashMap::default() }
    }

    /// The outermost region of the set that encloses `region` or is the same one.
    pub(super) fn of(&mut self, placed: &Placed, region: RegionId) -> Option<RegionId> {
        let (mut at, mut below) = (region, Vec::new());
        let mut found = loop {
            let Region { parent, depth } = Region::of(placed, at);
            if depth < self.depth {
                break None;
            }
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            below.push(at);
            if at == ROOT {
                break None;
            }
            at = parent;
        };
        while let Some(at) = below.pop() {
            found = found.or(self.set.contains(&at).then_some(at));
            self.known.insert(at, found);
        }
        found
    }
}
