//! Places nodes that might not end exactly where substitution would evaluate them.
//!
//! Loops and probes are *pinned*, and so are `if`s with an arm that might not end, and *effects*: operations that change a memory, states
//! that wait for others, and `if`s and loops of states. A node that only depends on pinned nodes computes with values that
//! exist already. It is a *carrier*: it passes the demand for its operands on to the regions that need it, and is placed
//! later, with everything else.
//!
//! Nodes are taken users first. So when a node's turn comes, all regions that demand it are known: those of
//! its uses, less regions enclosed by another one. Both arms of a decision count as the region around it. If there
//! is one region, a pinned node is placed there. If there are several, it is placed in their common ancestor *L* inside `(if guard node zero)`, which replaces
//! it everywhere; the guard is true if control reaches one of the regions. If all conditions on the paths
//! from *L* down to the regions are data, the guard is built from shared guards of each region and of each
//! set of regions ([`region_sets`]), so that all guards together are no larger than the program. Otherwise it is a
//! tree of lazy `if`s ([`ways`]).
//!
//! A region cannot be guarded from *L* if a condition on its path depends on the node itself, on a parameter
//! of a loop between *L* and the region, or on a node pinned deeper than *L*. Such a region gets a copy of
//! the node; a carrier needed on both sides is copied with it. Copies and lazy guards can outgrow the text,
//! so [`limits`](crate::limits) bound them.
//!
//! An effect has neither guard nor copy. States are linear ([`crate::memory`]): if several regions demand one, all ways through
//! their common ancestor go on with its state. So it is placed there, and outside each loop on which it does not depend, unless
//! the round that executes it is the last one.

mod copies;
mod guards;
mod region_sets;
mod ways;

use self::region_sets::{RegionSetId, RegionSets};
use super::regions::{Placed, ROOT, RegionId, RegionKind};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Graph, LoopId, Node, NodeId};
use crate::limits::{PLACED_NODES, PLACING_WORK};
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// An operand, or output, that needs a node, and the regions in which it needs it.
#[derive(Clone, Copy, Debug)]
struct Use {
    user: User,
    regions: RegionSetId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Output(usize),
    Operand(NodeId, usize),
}

/// Gives a region to every reachable node that is pinned and to every tail.
///
/// # Errors
///
/// LV0502 if copies or guards exceed a limit.
pub(super) fn pin(
    graph: Graph,
    outputs: impl Iterator<Item = NodeId>,
) -> Result<Placed, Diagnostic> {
    let outputs: Vec<NodeId> = outputs.collect();
    let ranks = (0..graph.len() as u32).collect();
    let most_nodes = graph.len() + PLACED_NODES;
    let mut pinning = Pinning {
        placed: Placed::new(graph, outputs.clone()),
        region_sets: RegionSets::default(),
        work: 0,
        uses: FxHashMap::default(),
        carriers: FxHashMap::default(),
        waiting: BTreeSet::new(),
        ranks,
    };
    let root = pinning.one(ROOT);
    for (i, &node) in outputs.iter().enumerate() {
        pinning.demand(node, Use { user: User::Output(i), regions: root });
    }
    while let Some((_, node)) = pinning.waiting.pop_last() {
        let uses = pinning.uses.remove(&node).expect("waiting nodes have uses");
        pinning.place(node, uses);
        if pinning.work > PLACING_WORK || pinning.graph().len() > most_nodes {
            return Err(too_much(pinning.graph().span(node)));
        }
    }
    Ok(pinning.placed)
}

struct Pinning {
    placed: Placed,
    region_sets: RegionSets,
    /// The number of steps taken for late demands, copies and lazy guards.
    work: usize,
    /// The uses of waiting nodes.
    uses: FxHashMap<NodeId, Vec<Use>>,
    /// The uses of carriers that have had their turn.
    carriers: FxHashMap<NodeId, Vec<Use>>,
    /// Nodes to place, by rank. All users of the last one have had their turn.
    waiting: BTreeSet<(u32, NodeId)>,
    /// The rank of a node is above those of its operands. A copy has the rank of its original.
    ranks: Vec<u32>,
}

impl Pinning {
    fn graph(&self) -> &Graph {
        &self.placed.graph
    }

    /// A guard has no rank of its own: its turn comes at once.
    fn rank(&self, node: NodeId) -> u32 {
        self.ranks.get(node.index()).copied().unwrap_or(u32::MAX)
    }

    fn is_pinned(&self, node: NodeId) -> bool {
        match self.graph().node(node) {
            Node::Loop(_) | Node::Op(Op::Probe(_), _) => true,
            Node::If([_, then, otherwise]) => {
                self.graph().may_diverge(*then)
                    || self.graph().may_diverge(*otherwise)
                    || self.graph().is_effect(node)
            }
            _ => self.graph().is_effect(node),
        }
    }

    fn demand(&mut self, node: NodeId, by: Use) {
        if !self.graph().is_ordered(node) {
            return;
        }
        let mut demanded = vec![(node, by)];
        while let Some((node, by)) = demanded.pop() {
            if self.work > PLACING_WORK {
                return;
            }
            if !self.graph().is_ordered(node) || self.placed.region_of(node).is_some() {
                continue;
            }
            let Some(known) = self.carriers.get_mut(&node) else {
                self.uses.entry(node).or_default().push(by);
                self.waiting.insert((self.rank(node), node));
                continue;
            };
            // The node has had its turn: it carries a demand that is new on to its operands. All paths through carriers
            // would be too many.
            self.work += known.len();
            let (sets, placed, steps) = (&self.region_sets, &self.placed, &mut self.work);
            let mut known_regions = known.iter().map(|known| known.regions);
            let is_new = !known_regions.any(|of| sets.includes(placed, of, by.regions, steps));
            add(&mut self.region_sets, &self.placed, known, by);
            if !is_new {
                continue;
            }
            for (slot, &operand) in self.placed.graph.operands(node).iter().enumerate() {
                let by = Use { user: User::Operand(node, slot), regions: by.regions };
                match self.uses.get_mut(&operand) {
                    Some(uses) => {
                        self.work += uses.len();
                        add(&mut self.region_sets, &self.placed, uses, by);
                    }
                    None => demanded.push((operand, by)),
                }
            }
        }
    }

    /// Demands the operand in a slot of a node, in these regions.
    fn demand_operand(&mut self, user: NodeId, slot: usize, regions: RegionSetId) {
        let operand = self.graph().operands(user)[slot];
        self.demand(operand, Use { user: User::Operand(user, slot), regions });
    }

    /// Demands the operand in a slot of a node, in this region.
    fn demand_in(&mut self, user: NodeId, slot: usize, region: RegionId) {
        let regions = self.one(region);
        self.demand_operand(user, slot, regions);
    }

    fn one(&mut self, region: RegionId) -> RegionSetId {
        self.region_sets.one(&self.placed, region)
    }

    fn place(&mut self, node: NodeId, uses: Vec<Use>) {
        let regions =
            self.region_sets.union(&self.placed, uses.iter().map(|by| by.regions).collect());
        if !self.is_pinned(node) {
            self.carriers.insert(node, uses);
            for slot in 0..self.graph().operands(node).len() {
                self.demand_operand(node, slot, regions);
            }
            return;
        }
        let above = self.region_sets.above(regions);
        if self.graph().is_effect(node) && !is_active(Mutant::GuardedEffect) {
            let region = self.leave_loops(node, above);
            self.settle(node, region);
            return;
        }
        let regions = self.region_sets.joined(&self.placed, regions);
        let above = self.region_sets.above(regions);
        if self.region_sets.only(regions).is_some() {
            let region = self.hoist(node, above);
            self.settle(node, region);
            return;
        }
        if self.region_sets.is_data(&self.placed, regions) {
            let guard = self.guard(regions);
            self.place_guarded(node, &uses, above, guard);
            return;
        }
        self.place_by_ways(node, uses, regions, above);
    }

    /// Hoists a node out of loops whose first round always needs it and on whose parameters it does not
    /// depend.
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

    /// Moves an effect out of loops on which it does not depend, unless no round follows the one that executes it.
    fn leave_loops(&self, node: NodeId, region: RegionId) -> RegionId {
        let (mut best, mut at, mut is_last_round) = (region, region, false);
        while at != ROOT {
            match self.placed.region(at).kind {
                RegionKind::Root => {}
                // An arm of a decision at a block's end that is a value leaves the loop.
                RegionKind::Arm { of, taken } => {
                    let is_tail = self.graph().expr_type(of).value().is_none();
                    let arm = self.graph().operands(of)[if taken { 1 } else { 2 }];
                    is_last_round |= is_tail && self.graph().expr_type(arm).value().is_some();
                }
                RegionKind::Body { of, .. } => {
                    if self.graph().depends_on(node, of) {
                        return best;
                    }
                    if !is_last_round {
                        best = self.placed.region(at).parent;
                    }
                    is_last_round = false;
                }
            }
            at = self.placed.region(at).parent;
        }
        best
    }

    fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.placed.graph.push(node, span)
    }

    fn place_guarded(&mut self, node: NodeId, uses: &[Use], above: RegionId, mut guard: NodeId) {
        let ty = self.graph().value_type(node);
        if is_active(Mutant::EscapedGuard) {
            guard = self.placed.graph.bool(true, Span::default());
        }
        let words = vec![0; self.graph().types().components(ty)];
        let zero = self.placed.graph.constant(ty, &words, Span::default());
        let guarded = self.placed.graph.push_copy(Node::If([guard, node, zero]), node);
        self.redirect(uses, guarded);
        self.placed.guards.insert(guarded);
        let region = self.hoist(guarded, above);
        self.settle(guarded, region);
    }

    /// Replaces the operand of each use by `new`.
    fn redirect(&mut self, uses: &[Use], new: NodeId) {
        for by in uses {
            match by.user {
                User::Output(i) => self.placed.outputs[i] = new,
                User::Operand(user, slot) => self.placed.graph.replace_operand(user, slot, new),
            }
        }
    }

    /// Places a node in a region and demands its operands.
    fn settle(&mut self, node: NodeId, region: RegionId) {
        self.placed.set_region(node, region);
        if let Node::If(_) = self.graph().node(node) {
            let [then, otherwise] = self.placed.open_arms(node, region);
            for (slot, region) in [region, then, otherwise].into_iter().enumerate() {
                self.demand_in(node, slot, region);
            }
            return;
        }
        for slot in 0..self.graph().operands(node).len() {
            self.demand_in(node, slot, region);
        }
        if let Node::Loop(of) = *self.graph().node(node) {
            let body = self.placed.open_body(node, of, region);
            self.settle_tail(of, body);
        }
    }

    /// Places the tail of a loop. Arms may share `Rec`s, and `If`s of two leaves; here each arm gets its own.
    fn settle_tail(&mut self, of: LoopId, body: RegionId) {
        let root = self.graph().loop_(of).body;
        self.placed.set_region(root, body);
        let mut stack = vec![(root, body)];
        while let Some((node, region)) = stack.pop() {
            if matches!(self.graph().node(node), Node::Rec(..)) {
                for slot in 0..self.graph().operands(node).len() {
                    self.demand_in(node, slot, region);
                }
                continue;
            }
            self.demand_in(node, 0, region);
            let regions = self.placed.open_arms(node, region);
            for (slot, region) in [1, 2].into_iter().zip(regions) {
                let mut arm = self.graph().operands(node)[slot];
                if self.graph().expr_type(arm).value().is_some() {
                    self.demand_in(node, slot, region);
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

/// Adds a use, joined with an earlier use by the same operand.
fn add(region_sets: &mut RegionSets, placed: &Placed, uses: &mut Vec<Use>, by: Use) {
    match uses.iter_mut().find(|known| known.user == by.user) {
        Some(known) => known.regions = region_sets.union(placed, vec![known.regions, by.regions]),
        None => uses.push(by),
    }
}

fn too_much(at: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::ExpansionTooLarge,
        at,
        "it takes too much code to say where loops are needed",
    )
    .label("the limit was reached for this loop")
    .note(format!(
        "what several branches need is computed before them if one of them is taken; at most \
         {PLACED_NODES} operations and {PLACING_WORK} steps are accepted for that"
    ))
    .help("compute it in one place, with `let` before the branches, and use its value there")
}
