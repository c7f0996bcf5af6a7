//! The tree of regions, and the state shared by both placements.

use crate::graph::{Graph, LoopId, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RegionId(pub(super) u32);

/// The region of the whole program.
pub(super) const ROOT: RegionId = RegionId(0);

/// The kind of a region.
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
    /// The innermost enclosing body of a loop, possibly this region; [`ROOT`] outside loops.
    pub(super) body: RegionId,
    /// An ancestor, for finding ancestors in logarithmic time (Myers, "An applicative random-access stack",
    /// 1983). Its distance depends only on the depth.
    jump: RegionId,
}

/// A graph, and the regions of its nodes.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) graph: Graph,
    /// The nodes of the outputs.
    pub(super) outputs: Vec<NodeId>,
    pub(super) regions: Vec<Region>,
    /// The `if`s that are guards.
    pub(super) guards: FxHashSet<NodeId>,
    /// For a node, the nodes of its region that must be computed before it, though it does not need their values.
    pub(super) before: FxHashMap<NodeId, Vec<NodeId>>,
    /// The region of each node, by index.
    region_of: Vec<Option<RegionId>>,
    /// For an `if`, the regions of its arms; for a loop, twice that of its body.
    inner: Vec<Option<[RegionId; 2]>>,
}

impl Placed {
    pub(super) fn new(graph: Graph, outputs: Vec<NodeId>) -> Self {
        let root =
            Region { parent: ROOT, depth: 0, kind: RegionKind::Root, body: ROOT, jump: ROOT };
        let count = graph.len();
        Self {
            graph,
            outputs,
            regions: vec![root],
            guards: FxHashSet::default(),
            before: FxHashMap::default(),
            region_of: vec![None; count],
            inner: vec![None; count],
        }
    }

    pub(super) fn region(&self, id: RegionId) -> Region {
        self.regions[id.0 as usize]
    }

    /// The region of a node; `None` before it is placed.
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
        let id = RegionId(self.regions.len() as u32);
        let outer = self.region(parent);
        let jumped = self.region(outer.jump);
        let next = self.region(jumped.jump);
        let equally_far = outer.depth - jumped.depth == jumped.depth - next.depth;
        let jump = if equally_far { jumped.jump } else { parent };
        let body = if matches!(kind, RegionKind::Body { .. }) { id } else { outer.body };
        self.regions.push(Region { parent, depth: outer.depth + 1, kind, body, jump });
        id
    }

    /// Adds the regions of the arms of an `if` in `region`.
    pub(super) fn open_arms(&mut self, node: NodeId, region: RegionId) -> [RegionId; 2] {
        self.grow(node);
        let arms =
            [true, false].map(|taken| self.add_region(region, RegionKind::Arm { of: node, taken }));
        self.inner[node.index()] = Some(arms);
        arms
    }

    /// Adds the region of the body of a loop in `region`.
    pub(super) fn open_body(&mut self, node: NodeId, of: LoopId, region: RegionId) -> RegionId {
        self.grow(node);
        let body = self.add_region(region, RegionKind::Body { of, node });
        self.inner[node.index()] = Some([body; 2]);
        body
    }

    /// The deepest region that encloses both.
    pub(super) fn common(&self, a: RegionId, b: RegionId) -> RegionId {
        let depth = self.region(a).depth.min(self.region(b).depth);
        let (mut a, mut b) = (self.outward(a, depth), self.outward(b, depth));
        while a != b {
            let (inner, other) = (self.region(a), self.region(b));
            // At equal depth, both jumps go equally far.
            (a, b) = if inner.jump == other.jump {
                (inner.parent, other.parent)
            } else {
                (inner.jump, other.jump)
            };
        }
        a
    }

    /// True if `outer` encloses `inner` or is the same region.
    pub(super) fn encloses(&self, outer: RegionId, inner: RegionId) -> bool {
        self.ancestor_at(inner, self.region(outer).depth) == Some(outer)
    }

    /// The region at this depth that encloses `region`, or is the same one.
    pub(super) fn ancestor_at(&self, region: RegionId, depth: u32) -> Option<RegionId> {
        (self.region(region).depth >= depth).then(|| self.outward(region, depth))
    }

    /// The region at this depth that encloses `region`; `depth` is at most the region's own.
    fn outward(&self, mut region: RegionId, depth: u32) -> RegionId {
        while self.region(region).depth > depth {
            let Region { parent, jump, .. } = self.region(region);
            region = if self.region(jump).depth >= depth { jump } else { parent };
        }
        region
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with plain walks outwards, in a tree both deep and wide.
    #[test]
    fn ancestors() {
        let mut placed = Placed::new(Graph::default(), Vec::new());
        let mut state = 1u32;
        for count in 1..600u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let back = if state >> 26 == 0 { state } else { 0 } % count;
            let kind = match state >> 28 & 3 {
                0 => RegionKind::Body { of: LoopId(count), node: NodeId(0) },
                _ => RegionKind::Arm { of: NodeId(0), taken: true },
            };
            placed.add_region(RegionId(count - 1 - back), kind);
        }
        let path = |mut at: RegionId| {
            let mut path = vec![at];
            while at != ROOT {
                at = placed.region(at).parent;
                path.push(at);
            }
            path
        };
        let all = (0..600).map(RegionId);
        assert!(all.clone().any(|a| placed.region(a).depth > 100));
        for a in all.clone() {
            let outer = path(a);
            let is_body =
                |r: &&RegionId| matches!(placed.region(**r).kind, RegionKind::Body { .. });
            assert_eq!(placed.region(a).body, *outer.iter().find(is_body).unwrap_or(&ROOT));
            for b in all.clone() {
                let other = path(b);
                let common = *outer.iter().find(|r| other.contains(r)).expect("the root is common");
                assert_eq!(placed.common(a, b), common);
                assert_eq!(placed.encloses(b, a), outer.contains(&b));
            }
        }
    }
}
