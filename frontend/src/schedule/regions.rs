//! The tree of regions, and the state that both placements share.

use crate::core::{Graph, LoopId, NodeId};
use rustc_hash::FxHashSet;

/// A region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RegionId(pub(super) u32);

/// The program as a whole.
pub(super) const ROOT: RegionId = RegionId(0);

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegionKind {
    Root,
    /// One arm of an `if`, of values or of tails.
    Arm {
        of: NodeId,
        taken: bool,
    },
    /// The body of a loop.
    Body {
        of: LoopId,
        node: NodeId,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) parent: RegionId,
    pub(super) depth: u32,
    pub(super) kind: RegionKind,
}

/// A graph whose nodes are given regions.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) graph: Graph,
    /// The nodes of the outputs.
    pub(super) outputs: Vec<NodeId>,
    pub(super) regions: Vec<Region>,
    /// The `if`s that are guards.
    pub(super) guards: FxHashSet<NodeId>,
    /// The region of each node, by index.
    region_of: Vec<Option<RegionId>>,
    /// Of an `if`, the regions of its arms; of a loop, twice that of its body.
    inner: Vec<Option<[RegionId; 2]>>,
}

impl Placed {
    pub(super) fn new(graph: Graph, outputs: Vec<NodeId>) -> Self {
        let root = Region { parent: ROOT, depth: 0, kind: RegionKind::Root };
        let count = graph.len();
        Self {
            graph,
            outputs,
            regions: vec![root],
            guards: FxHashSet::default(),
            region_of: vec![None; count],
            inner: vec![None; count],
        }
    }

    pub(super) fn region(&self, id: RegionId) -> Region {
        self.regions[id.0 as usize]
    }

    /// Where the node is placed, if it is.
    pub(super) fn region_of(&self, node: NodeId) -> Option<RegionId> {
        self.region_of.get(node.index()).copied().flatten()
    }

    /// The regions of the arms of a placed `if`.
    pub(super) fn arms(&self, node: NodeId) -> [RegionId; 2] {
        self.inner[node.index()].expect("the if is placed")
    }

    /// The region of the body of a placed loop.
    pub(super) fn body(&self, node: NodeId) -> RegionId {
        self.arms(node)[0]
    }

    pub(super) fn set_region(&mut self, node: NodeId, region: RegionId) {
        self.grow(node);
        self.region_of[node.index()] = Some(region);
    }

    fn grow(&mut self, node: NodeId) {
        let wanted = (node.index() + 1).max(self.graph.len());
        if self.region_of.len() < wanted {
            self.region_of.resize(wanted, None);
            self.inner.resize(wanted, None);
        }
    }

    fn add_region(&mut self, parent: RegionId, kind: RegionKind) -> RegionId {
        let depth = self.region(parent).depth + 1;
        self.regions.push(Region { parent, depth, kind });
        RegionId(self.regions.len() as u32 - 1)
    }

    /// Makes the regions of the arms of an `if` in `region`.
    pub(super) fn open_arms(&mut self, node: NodeId, region: RegionId) -> [RegionId; 2] {
        self.grow(node);
        let arms =
            [true, false].map(|taken| self.add_region(region, RegionKind::Arm { of: node, taken }));
        self.inner[node.index()] = Some(arms);
        arms
    }

    /// Makes the region of the body of a loop in `region`.
    pub(super) fn open_body(&mut self, node: NodeId, of: LoopId, region: RegionId) -> RegionId {
        self.grow(node);
        let body = self.add_region(region, RegionKind::Body { of, node });
        self.inner[node.index()] = Some([body; 2]);
        body
    }

    /// The deepest region that encloses both.
    pub(super) fn common(&self, mut a: RegionId, mut b: RegionId) -> RegionId {
        while a != b {
            if self.region(a).depth >= self.region(b).depth {
                a = self.region(a).parent;
            } else {
                b = self.region(b).parent;
            }
        }
        a
    }

    /// Whether `outer` encloses `inner` or is it.
    pub(super) fn encloses(&self, outer: RegionId, inner: RegionId) -> bool {
        self.ancestor_at(inner, self.region(outer).depth) == Some(outer)
    }

    /// The region at that depth which encloses `region`.
    pub(super) fn ancestor_at(&self, mut region: RegionId, depth: u32) -> Option<RegionId> {
        if self.region(region).depth < depth {
            return None;
        }
        while self.region(region).depth > depth {
            region = self.region(region).parent;
        }
        Some(region)
    }
}
