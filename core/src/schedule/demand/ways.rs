//! Lazy guards: the ways from a region down to those that need a node, if a condition on a way might not end
//! or a way enters a loop. The conditions are evaluated lazily, in order from the top, so none is evaluated
//! that substitution would not have evaluated.
//!
//! Ways share their common prefixes: they form a tree by conditions.

use super::region_sets::RegionSetId;
use super::{Pinning, Use};
use crate::graph::{LoopId, Node, NodeId};
use crate::schedule::regions::{RegionId, RegionKind};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A place on a way.
#[derive(Clone, Copy)]
struct Place {
    /// The index of the step that leads here; 0 at the beginning.
    step: usize,
    /// The index of the innermost loop that the way has entered.
    entered: Option<usize>,
}

/// A node of the tree of ways.
#[derive(Default)]
struct Step {
    /// A region that needs the node is here.
    is_end: bool,
    /// The conditions asked next, each with the steps for true and false.
    asks: Vec<(NodeId, [Option<usize>; 2])>,
}

/// The ways from `above` to the regions that need `node`.
struct Ways {
    node: NodeId,
    above: RegionId,
    steps: Vec<Step>,
    /// For a step and a condition, the index into [`Step::asks`].
    asks: FxHashMap<(usize, NodeId), usize>,
    /// The entered loops, each with the index of the one around it.
    entered: Vec<(LoopId, Option<usize>)>,
    /// The place of each region; `None` if a condition on its way cannot be evaluated in `above`.
    places: FxHashMap<RegionId, Option<Place>>,
    /// True for conditions that can be evaluated in `above`.
    available: FxHashMap<NodeId, bool>,
}

impl Ways {
    fn new(node: NodeId, above: RegionId) -> Self {
        let begin = Place { step: 0, entered: None };
        Self {
            node,
            above,
            steps: vec![Step::default()],
            asks: FxHashMap::default(),
            entered: Vec::new(),
            places: std::iter::once((above, Some(begin))).collect(),
            available: FxHashMap::default(),
        }
    }

    /// Adds a region that needs the node; returns true if there is a way to it.
    fn add(&mut self, pinning: &mut Pinning, region: RegionId) -> bool {
        let (mut at, mut below) = (region, Vec::new());
        let mut place = loop {
            if let Some(&known) = self.places.get(&at) {
                break known;
            }
            below.push(at);
            at = pinning.placed.region(at).parent;
        };
        pinning.work += 1 + below.len();
        while let Some(at) = below.pop() {
            place = place.and_then(|place| self.step(pinning, place, at));
            self.places.insert(at, place);
        }
        if let Some(place) = place {
            self.steps[place.step].is_end = true;
        }
        place.is_some()
    }

    /// Extends a way into a region.
    fn step(&mut self, pinning: &mut Pinning, from: Place, region: RegionId) -> Option<Place> {
        let (of, taken) = match pinning.placed.region(region).kind {
            RegionKind::Root => unreachable!("`above` encloses the region"),
            // The first round is always entered.
            RegionKind::Body { of, .. } => {
                self.entered.push((of, from.entered));
                return Some(Place { entered: Some(self.entered.len() - 1), ..from });
            }
            RegionKind::Arm { of, taken } => (of, taken),
        };
        let condition = pinning.graph().operands(of)[0];
        let mut entered = from.entered;
        while let Some(index) = entered {
            let (of, around) = self.entered[index];
            if pinning.graph().depends_on(condition, of) {
                return None;
            }
            entered = around;
        }
        let (above, node) = (self.above, self.node);
        let available = self.available.entry(condition);
        if !*available.or_insert_with(|| pinning.available(condition, above, node)) {
            return None;
        }
        let asks = &mut self.steps[from.step].asks;
        let ask = *self.asks.entry((from.step, condition)).or_insert_with(|| {
            asks.push((condition, [None; 2]));
            asks.len() - 1
        });
        let way = usize::from(!taken);
        let step = match self.steps[from.step].asks[ask].1[way] {
            Some(step) => step,
            None => {
                self.steps.push(Step::default());
                let step = self.steps.len() - 1;
                self.steps[from.step].asks[ask].1[way] = Some(step);
                step
            }
        };
        Some(Place { step, entered: from.entered })
    }

    /// A bool: control reaches one of the added regions that have a way.
    fn guard(self, pinning: &mut Pinning) -> NodeId {
        let [yes, no] = [true, false].map(|b| pinning.placed.graph.bool(b, Span::default()));
        // A step comes after the step that leads to it.
        let mut guards = vec![no; self.steps.len()];
        for (index, step) in self.steps.iter().enumerate().rev() {
            let mut guard = if step.is_end { yes } else { no };
            if !step.is_end {
                for &(condition, arms) in step.asks.iter().rev() {
                    let arms = arms.map(|step| step.map_or(no, |step| guards[step]));
                    let holds = pinning.decide(condition, arms, [yes, no]);
                    guard = pinning.decide(holds, [yes, guard], [yes, no]);
                }
            }
            guards[index] = guard;
        }
        guards[0]
    }
}

impl Pinning {
    /// Places a node needed in several regions, some of which have no guard that is data.
    pub(super) fn place_by_ways(
        &mut self,
        node: NodeId,
        uses: Vec<Use>,
        set: RegionSetId,
        above: RegionId,
    ) {
        let mut ways = Ways::new(node, above);
        let regions = self.region_sets.regions(&self.placed, set);
        self.work += regions.len();
        let has_way: Vec<bool> = regions.iter().map(|&region| ways.add(self, region)).collect();
        if has_way.iter().all(|&has_way| has_way) {
            let guard = ways.guard(self);
            self.place_guarded(node, &uses, above, guard);
        } else {
            self.place_copies(node, uses, above, &regions, &has_way);
        }
    }

    /// True if `condition` can be evaluated in `above`, and does not depend on `node`.
    fn available(&mut self, condition: NodeId, above: RegionId, node: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![condition]);
        while let Some(id) = stack.pop() {
            self.work += 1;
            if !self.graph().is_ordered(id) || !seen.insert(id) {
                continue;
            }
            let fine = match self.placed.region_of(id) {
                Some(region) => self.placed.encloses(region, above) && !self.reaches(id, node),
                None if self.carriers.contains_key(&id) => {
                    stack.extend_from_slice(self.graph().operands(id));
                    true
                }
                // A demand from a guard could move an effect out of the arm that contains it.
                None if self.graph().has_effect(id) => false,
                // The condition has a lower rank, so it does not depend on the node.
                None => self.rank(id) < self.rank(node),
            };
            if !fine {
                return false;
            }
        }
        true
    }

    /// True if the value of `from` can depend on `to`.
    fn reaches(&mut self, from: NodeId, to: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![from]);
        while let Some(id) = stack.pop() {
            if id == to {
                return true;
            }
            if !self.graph().is_ordered(id) && self.graph().expr_type(id).value().is_some() {
                continue;
            }
            if seen.insert(id) {
                stack.extend_from_slice(self.placed.graph.operands(id));
                if let Node::Loop(of) = self.placed.graph.node(id) {
                    stack.push(self.placed.graph.loop_(*of).body);
                }
            }
        }
        self.work += seen.len();
        false
    }

    /// `(if condition then otherwise)` of bools. Simplification drops at most a condition that is evaluated
    /// in any case.
    fn decide(&mut self, condition: NodeId, arms: [NodeId; 2], [yes, no]: [NodeId; 2]) -> NodeId {
        if arms[0] == arms[1] {
            arms[0]
        } else if arms == [yes, no] || condition == yes {
            if condition == yes { arms[0] } else { condition }
        } else if condition == no {
            arms[1]
        } else {
            self.work += 1;
            self.push(Node::If([condition, arms[0], arms[1]]), Span::default())
        }
    }
}
