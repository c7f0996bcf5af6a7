//! Places what might not end: exactly where substitution would evaluate it.
//!
//! *Pinned* are loops, and `if`s with an arm that might not end. What only depends on them
//! computes with values that are there already: it *carries* the demand for them to where it is
//! needed itself, and is placed with everything else, later.
//!
//! Nodes are taken users first, so that when a node's turn comes all regions that demand it are
//! known: those of its uses, less those enclosed by another. One: a pinned node is placed there.
//! Several: it is placed in their common ancestor *L* inside `(if guard node zero)`, which replaces
//! it everywhere; the guard is the disjunction, over the regions, of the conditions from *L* down
//! to them. Conditions are evaluated lazily in the order of the way down, so none is evaluated that
//! would not have been.
//!
//! A region cannot be guarded from *L* where a condition on its way depends on the node itself, on
//! a parameter of a loop between *L* and the region, or on something pinned deeper than *L*. It
//! gets a copy of the node; a carrier that is needed on both sides is copied with it.

mod copies;

use super::regions::{Placed, ROOT, RegionId, RegionKind};
use crate::graph::{Graph, LoopId, Node, NodeId};
use crate::mutants::{Mutant, is_active};
use crate::source::Span;
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// An operand, or output, that needs a node, and the regions in which it does.
#[derive(Clone, Debug)]
struct Use {
    user: User,
    regions: Rc<[RegionId]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Output(usize),
    Operand(NodeId, usize),
}

/// A condition on the way down to a region, and whether it must hold or not.
type Step = (NodeId, bool);

/// Gives a region to every reachable node that is pinned and to every tail.
pub(super) fn pin(graph: Graph, outputs: impl Iterator<Item = NodeId>) -> Placed {
    let outputs: Vec<NodeId> = outputs.collect();
    let ranks = (0..graph.len() as u32).collect();
    let mut pinning = Pinning {
        placed: Placed::new(graph, outputs.clone()),
        uses: FxHashMap::default(),
        carriers: FxHashMap::default(),
        waiting: BTreeSet::new(),
        ranks,
    };
    for (i, &node) in outputs.iter().enumerate() {
        pinning.demand(node, Use { user: User::Output(i), regions: [ROOT].into() });
    }
    while let Some((_, node)) = pinning.waiting.pop_last() {
        let uses = pinning.uses.remove(&node).expect("waiting nodes have uses");
        pinning.place(node, uses);
    }
    pinning.placed
}

struct Pinning {
    placed: Placed,
    /// What needs the nodes that wait.
    uses: FxHashMap<NodeId, Vec<Use>>,
    /// What needs the nodes that carry demand and have had their turn.
    carriers: FxHashMap<NodeId, Vec<Use>>,
    /// Nodes whose users have all had their turn when it is theirs, by rank.
    waiting: BTreeSet<(u32, NodeId)>,
    /// A node's rank is above those of its operands. Copies have that of the original.
    ranks: Vec<u32>,
}

impl Pinning {
    fn graph(&self) -> &Graph {
        &self.placed.graph
    }

    /// Guards have no rank of their own: their turn comes at once.
    fn rank(&self, node: NodeId) -> u32 {
        self.ranks.get(node.index()).copied().unwrap_or(u32::MAX)
    }

    fn is_pinned(&self, node: NodeId) -> bool {
        match self.graph().node(node) {
            Node::Loop(_) => true,
            Node::If([_, then, otherwise]) => {
                self.graph().may_diverge(*then) || self.graph().may_diverge(*otherwise)
            }
            _ => false,
        }
    }

    fn demand(&mut self, node: NodeId, by: Use) {
        if !self.graph().may_diverge(node) || self.placed.region_of(node).is_some() {
            return;
        }
        let Some(known) = self.carriers.get_mut(&node) else {
            self.uses.entry(node).or_default().push(by);
            self.waiting.insert((self.rank(node), node));
            return;
        };
        // It has had its turn; what it carries, it carries on.
        add(known, by.clone());
        for slot in 0..self.graph().operands(node).len() {
            let operand = self.graph().operands(node)[slot];
            let by = Use { user: User::Operand(node, slot), regions: by.regions.clone() };
            match self.uses.get_mut(&operand) {
                Some(uses) => add(uses, by),
                None => self.demand(operand, by),
            }
        }
    }

    /// Demands the operand in that slot of a node, in these regions.
    fn demand_operand(&mut self, user: NodeId, slot: usize, regions: Rc<[RegionId]>) {
        let operand = self.graph().operands(user)[slot];
        self.demand(operand, Use { user: User::Operand(user, slot), regions });
    }

    fn place(&mut self, node: NodeId, uses: Vec<Use>) {
        let tops = self.outermost(&uses);
        if !self.is_pinned(node) {
            self.carriers.insert(node, uses);
            let tops: Rc<[RegionId]> = tops.into();
            for slot in 0..self.graph().operands(node).len() {
                self.demand_operand(node, slot, tops.clone());
            }
            return;
        }
        if let &[region] = tops.as_slice() {
            let region = self.hoist(node, region);
            self.settle(node, region);
            return;
        }
        let above = tops.iter().copied().reduce(|a, b| self.placed.common(a, b));
        let above = above.expect("a demanded node has uses");
        let ways: Vec<Option<Vec<Step>>> =
            tops.iter().map(|&top| self.way(node, above, top)).collect();
        match ways.iter().cloned().collect::<Option<Vec<_>>>() {
            Some(ways) => self.place_guarded(node, &uses, above, &ways),
            None => self.place_copies(node, uses, above, &tops, &ways),
        }
    }

    /// The regions of the uses, without those that another one encloses.
    fn outermost(&self, uses: &[Use]) -> Vec<RegionId> {
        let mut regions: Vec<RegionId> =
            uses.iter().flat_map(|u| u.regions.iter().copied()).collect();
        regions.sort_unstable_by_key(|&r| (self.placed.region(r).depth, r));
        regions.dedup();
        let mut tops: Vec<RegionId> = Vec::new();
        for region in regions {
            if !tops.iter().any(|&top| self.placed.encloses(top, region)) {
                tops.push(region);
            }
        }
        tops
    }

    /// Out of the loops whose first round needs the node in any case and whose parameters it does
    /// not depend on.
    fn hoist(&self, node: NodeId, mut region: RegionId) -> RegionId {
        loop {
            match self.placed.region(region).kind {
                RegionKind::Body { of, .. } if !self.graph().depends_on(node, of) => {}
                RegionKind::Arm { .. } if is_active(Mutant::ShallowLoop) => {}
                _ => return region,
            }
            region = self.placed.region(region).parent;
        }
    }

    /// The conditions from `above` down to `top`, if they can be evaluated in `above` before
    /// `node`.
    fn way(&self, node: NodeId, above: RegionId, top: RegionId) -> Option<Vec<Step>> {
        let mut steps: Vec<Step> = Vec::new();
        let mut at = top;
        while at != above {
            let region = self.placed.region(at);
            match region.kind {
                RegionKind::Root => unreachable!("`above` encloses `top`"),
                RegionKind::Arm { of, taken } => steps.push((self.graph().operands(of)[0], taken)),
                // The first round is entered in any case.
                RegionKind::Body { of, .. } => {
                    if steps.iter().any(|&(c, _)| self.graph().depends_on(c, of)) {
                        return None;
                    }
                }
            }
            at = region.parent;
        }
        steps.reverse();
        steps.iter().all(|&(condition, _)| self.available(condition, above, node)).then_some(steps)
    }

    /// Whether `condition` can be evaluated in `above`, and does not depend on `node`.
    fn available(&self, condition: NodeId, above: RegionId, node: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![condition]);
        while let Some(id) = stack.pop() {
            if !self.graph().may_diverge(id) || !seen.insert(id) {
                continue;
            }
            let fine = match self.placed.region_of(id) {
                Some(region) => self.placed.encloses(region, above) && !self.reaches(id, node),
                None if self.carriers.contains_key(&id) => {
                    stack.extend_from_slice(self.graph().operands(id));
                    true
                }
                // Its turn comes after this node's, so it does not depend on it.
                None => self.rank(id) < self.rank(node),
            };
            if !fine {
                return false;
            }
        }
        true
    }

    /// Whether the value of `from` can depend on `to`.
    fn reaches(&self, from: NodeId, to: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![from]);
        while let Some(id) = stack.pop() {
            if id == to {
                return true;
            }
            if !self.graph().may_diverge(id) && self.graph().expr_type(id).value().is_some() {
                continue;
            }
            if seen.insert(id) {
                stack.extend_from_slice(self.graph().operands(id));
                if let Node::Loop(of) = self.graph().node(id) {
                    stack.push(self.graph().loop_(*of).body);
                }
            }
        }
        false
    }

    fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.placed.graph.push(node, span)
    }

    fn constant(&mut self, ty: Type, word: u32) -> NodeId {
        let words = vec![word; self.graph().types().components(ty)].into();
        self.push(Node::Constant(ty, words), Span::default())
    }

    fn place_guarded(&mut self, node: NodeId, uses: &[Use], above: RegionId, ways: &[Vec<Step>]) {
        let ty = self.graph().value_type(node);
        let constants = [1, 0].map(|word| self.constant(Type::BOOL, word));
        let [yes, no] = constants;
        let mut guard = no;
        for way in ways.iter().rev() {
            let mut holds = yes;
            for &(condition, taken) in way.iter().rev() {
                let arms = if taken { [holds, no] } else { [no, holds] };
                holds = self.decide(condition, arms, constants);
            }
            guard = self.decide(holds, [yes, guard], constants);
        }
        if is_active(Mutant::EscapedGuard) {
            guard = yes;
        }
        let zero = self.constant(ty, 0);
        let guarded = self.placed.graph.push_copy(Node::If([guard, node, zero]), node);
        self.redirect(uses, guarded);
        self.placed.guards.insert(guarded);
        let region = self.hoist(guarded, above);
        self.settle(guarded, region);
    }

    /// `(if condition then otherwise)`, simplified where that drops nothing.
    fn decide(&mut self, condition: NodeId, arms: [NodeId; 2], [yes, no]: [NodeId; 2]) -> NodeId {
        if arms == [yes, no] {
            condition
        } else {
            self.push(Node::If([condition, arms[0], arms[1]]), Span::default())
        }
    }

    /// Makes the users need `new` instead.
    fn redirect(&mut self, uses: &[Use], new: NodeId) {
        for by in uses {
            match by.user {
                User::Output(i) => self.placed.outputs[i] = new,
                User::Operand(user, slot) => self.placed.graph.replace_operand(user, slot, new),
            }
        }
    }

    /// Places a node in a region and demands what it needs.
    fn settle(&mut self, node: NodeId, region: RegionId) {
        self.placed.set_region(node, region);
        if let Node::If(_) = self.graph().node(node) {
            let [then, otherwise] = self.placed.open_arms(node, region);
            for (slot, region) in [region, then, otherwise].into_iter().enumerate() {
                self.demand_operand(node, slot, [region].into());
            }
            return;
        }
        for slot in 0..self.graph().operands(node).len() {
            self.demand_operand(node, slot, [region].into());
        }
        if let Node::Loop(of) = *self.graph().node(node) {
            let body = self.placed.open_body(node, of, region);
            self.settle_tail(of, body);
        }
    }

    /// Places the tail of a loop. Its `Rec`s may be shared between arms, and so may be its `If`s of
    /// two leaves; here each arm gets its own.
    fn settle_tail(&mut self, of: LoopId, body: RegionId) {
        let root = self.graph().loop_(of).body;
        self.placed.set_region(root, body);
        let mut stack = vec![(root, body)];
        while let Some((node, region)) = stack.pop() {
            if matches!(self.graph().node(node), Node::Rec(..)) {
                for slot in 0..self.graph().operands(node).len() {
                    self.demand_operand(node, slot, [region].into());
                }
                continue;
            }
            self.demand_operand(node, 0, [region].into());
            let regions = self.placed.open_arms(node, region);
            for (slot, region) in [1, 2].into_iter().zip(regions) {
                let mut arm = self.graph().operands(node)[slot];
                if self.graph().expr_type(arm).value().is_some() {
                    self.demand_operand(node, slot, [region].into());
                    continue;
                }
                if self.placed.region_of(arm).is_some() {
                    let (shared, span) = (self.graph().node(arm).clone(), self.graph().span(arm));
                    arm = self.push(shared, span);
                    self.placed.graph.replace_operand(node, slot, arm);
                }
                self.placed.set_region(arm, region);
                stack.push((arm, region));
            }
        }
    }
}

/// Adds a use, joining it with what the same operand needs already.
fn add(uses: &mut Vec<Use>, by: Use) {
    match uses.iter_mut().find(|known| known.user == by.user) {
        Some(known) => known.regions = known.regions.iter().chain(&*by.regions).copied().collect(),
        None => uses.push(by),
    }
}
