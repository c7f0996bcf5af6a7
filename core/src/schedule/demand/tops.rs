//! Sets of regions that need something, and whether control is in one of them.
//!
//! What needs a node needs it in regions, and what carries a demand passes its regions on to all its
//! operands. So the sets share their parts: a set is a region or a union of sets, and equal ones are
//! one. What is asked of a set is answered from what is known of its parts, so a chain of sums, of
//! which each is needed in an arm of its own too, takes time by its length.
//!
//! Whether control comes to a region is *reach*: that it comes to its *anchor*, a region around it,
//! and that all conditions on the way from there hold. The anchor is the outermost region such that no
//! loop begins and no condition on the way might not end: these conditions can be computed wherever the
//! anchor encloses, in any order, as data, and once for all guards.

use crate::graph::NodeId;
use crate::schedule::regions::{Placed, ROOT, RegionId, RegionKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A set in [`TopSets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TopsId(u32);

/// A set of regions.
pub(super) enum Members {
    One(RegionId),
    /// Two sets or more, ascending.
    Union(Rc<[TopsId]>),
}

struct Tops {
    members: Members,
    /// The deepest region that encloses all.
    above: RegionId,
    /// How deep the deepest of their anchors is.
    anchor_depth: u32,
}

/// What is known of a region.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) anchor: RegionId,
    /// Whether control comes here if it comes to the anchor; `None` for always, or where nobody has asked.
    pub(super) holds: Option<NodeId>,
}

/// All sets.
#[derive(Default)]
pub(super) struct TopSets {
    all: Vec<Tops>,
    ones: FxHashMap<RegionId, TopsId>,
    unions: FxHashMap<Rc<[TopsId]>, TopsId>,
    /// Whether control is in one of a set, as far as that is known.
    pub(super) guards: FxHashMap<TopsId, NodeId>,
    pub(super) reaches: Vec<Option<Reach>>,
}

impl TopSets {
    /// The set of one region.
    pub(super) fn one(&mut self, placed: &Placed, region: RegionId) -> TopsId {
        if let Some(&known) = self.ones.get(&region) {
            return known;
        }
        let anchor_depth = placed.region(self.anchor(placed, region)).depth;
        let id = self.push(Tops { members: Members::One(region), above: region, anchor_depth });
        self.ones.insert(region, id);
        id
    }

    /// The union of sets, at least one. Regions that another one encloses do not count.
    pub(super) fn union(&mut self, placed: &Placed, mut sets: Vec<TopsId>) -> TopsId {
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
        let sets: Rc<[TopsId]> = sets.into();
        if let Some(&known) = self.unions.get(&sets) {
            return known;
        }
        let depths = sets.iter().map(|&set| self.get(set).anchor_depth);
        let anchor_depth = depths.max().expect("there is one");
        let members = Members::Union(sets.clone());
        let id = self.push(Tops { members, above, anchor_depth });
        self.unions.insert(sets, id);
        id
    }

    fn push(&mut self, tops: Tops) -> TopsId {
        self.all.push(tops);
        TopsId(self.all.len() as u32 - 1)
    }

    fn get(&self, id: TopsId) -> &Tops {
        &self.all[id.0 as usize]
    }

    pub(super) fn members(&self, id: TopsId) -> &Members {
        &self.get(id).members
    }

    /// The deepest region that encloses all.
    pub(super) fn above(&self, id: TopsId) -> RegionId {
        self.get(id).above
    }

    /// The only region, if there is only one.
    pub(super) fn only(&self, id: TopsId) -> Option<RegionId> {
        match self.get(id).members {
            Members::One(region) => Some(region),
            Members::Union(_) => None,
        }
    }

    /// Whether, in `above`, it can be known as data which of the regions are reached.
    pub(super) fn is_data(&self, placed: &Placed, id: TopsId) -> bool {
        self.get(id).anchor_depth <= placed.region(self.above(id)).depth
    }

    /// All regions, those apart that another one encloses, outer ones first.
    pub(super) fn regions(&self, placed: &Placed, id: TopsId) -> Vec<RegionId> {
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
        }
        let mut regions: Vec<RegionId> = found.iter().copied().collect();
        regions.sort_unstable_by_key(|&region| (placed.region(region).depth, region));
        let above = placed.region(self.above(id)).depth;
        let mut enclosing = Enclosing::new(found, above);
        regions.retain(|&region| {
            let Region { parent, depth } = Region::of(placed, region);
            depth == above || enclosing.of(placed, parent).is_none()
        });
        regions
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
                && placed.graph.may_diverge(placed.graph.operands(of)[0])
            {
                anchor = at;
            }
            self.reaches[at.0 as usize] = Some(Reach { anchor, holds: None });
        }
        anchor
    }
}

/// A region, as far as it matters here.
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

/// Finds the outermost region of a set that encloses a region. Each region on the way is looked at once.
pub(super) struct Enclosing {
    set: FxHashSet<RegionId>,
    /// No region of the set is further out.
    depth: u32,
    known: FxHashMap<RegionId, Option<RegionId>>,
}

impl Enclosing {
    pub(super) fn new(set: FxHashSet<RegionId>, depth: u32) -> Self {
        Self { set, depth, known: FxHashMap::default() }
    }

    /// The outermost region of the set that encloses `region` or is it.
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
