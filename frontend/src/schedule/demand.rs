//! Places what might not end: exactly where substitution would evaluate it.
//!
//! Nodes are taken users first, so that when a node's turn comes all regions that demand it are
//! known. Only nodes that may diverge take part, and the tails of loops; their users may diverge
//! too, or are tails, so nothing else can demand them.
//!
//! The demand of a node is the set of regions of its uses, less those enclosed by another. One: it
//! is placed there. Several: it is placed in their common ancestor *L* inside `(if guard node zero)`,
//! which replaces it everywhere; the guard is the disjunction, over the uses, of the conditions
//! from *L* down to the use. Conditions are evaluated lazily in the order of the way down, so none
//! is evaluated that would not have been.
//!
//! A use cannot be guarded from *L* where a condition on its way depends on the node itself, on a
//! parameter of a loop between *L* and the use, or is itself pinned deeper than *L*. Such uses get a
//! copy of the node, placed for them alone.

use super::regions::{Placed, ROOT, RegionId, RegionKind};
use crate::core::{Graph, LoopId, Node, NodeId};
use crate::source::Span;
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A place that needs a node.
#[derive(Clone, Copy, Debug)]
struct Use {
    user: User,
    region: RegionId,
}

#[derive(Clone, Copy, Debug)]
enum User {
    Output(usize),
    Operand(NodeId, usize),
}

/// A condition on the way down to a use, and whether it must hold or not.
type Step = (NodeId, bool);

/// Gives a region to every reachable node that may diverge and to every tail.
pub(super) fn pin(graph: Graph, outputs: impl Iterator<Item = NodeId>) -> Placed {
    let outputs: Vec<NodeId> = outputs.collect();
    let ranks = (0..graph.len() as u32).collect();
    let mut pinning = Pinning {
        placed: Placed::new(graph, outputs.clone()),
        uses: FxHashMap::default(),
        waiting: BTreeSet::new(),
        ranks,
    };
    for (i, &node) in outputs.iter().enumerate() {
        pinning.demand(node, Use { user: User::Output(i), region: ROOT });
    }
    while let Some((_, node)) = pinning.waiting.pop_last() {
        let uses = pinning.uses.remove(&node).expect("waiting nodes have uses");
        pinning.place(node, uses);
    }
    pinning.placed
}

struct Pinning {
    placed: Placed,
    uses: FxHashMap<NodeId, Vec<Use>>,
    /// Nodes whose users are all placed once it is their turn, by rank.
    waiting: BTreeSet<(u32, NodeId)>,
    /// A node's rank is above those of its operands; copies have that of the original.
    ranks: Vec<u32>,
}

impl Pinning {
    fn graph(&self) -> &Graph {
        &self.placed.graph
    }

    fn rank(&self, node: NodeId) -> u32 {
        // Nodes made here without a rank are placed at once and never wait.
        self.ranks.get(node.index()).copied().unwrap_or(u32::MAX)
    }

    fn demand(&mut self, node: NodeId, by: Use) {
        if self.graph().may_diverge(node) && self.placed.region_of(node).is_none() {
            self.uses.entry(node).or_default().push(by);
            self.waiting.insert((self.rank(node), node));
        }
    }

    /// Demands the operand in that slot of a node, from a region.
    fn demand_operand(&mut self, user: NodeId, slot: usize, region: RegionId) {
        let operand = self.graph().operands(user)[slot];
        self.demand(operand, Use { user: User::Operand(user, slot), region });
    }

    fn place(&mut self, node: NodeId, uses: Vec<Use>) {
        let tops = self.outermost(&uses);
        if let &[region] = tops.as_slice() {
            let region = self.hoist(node, region);
            self.settle(node, region);
            return;
        }
        let above = tops.iter().copied().reduce(|a, b| self.placed.common(a, b));
        let above = above.expect("a demanded node has uses");
        let ways: Vec<Option<Vec<Step>>> =
            tops.iter().map(|&top| self.way(node, above, top)).collect();
        if let Some(ways) = ways.iter().cloned().collect::<Option<Vec<_>>>() {
            self.place_guarded(node, &uses, above, &ways);
            return;
        }
        // Those that can be guarded together keep the node; the others get copies, one for each
        // region below `above`.
        let below = self.placed.region(above).depth + 1;
        let mut groups: Vec<(Option<RegionId>, Vec<Use>)> = Vec::new();
        for by in uses {
            let top = tops.iter().position(|&t| self.placed.encloses(t, by.region));
            let top = top.expect("each use is below an outermost one");
            let group = match ways[top] {
                Some(_) => None,
                None => self.placed.ancestor_at(by.region, below),
            };
            match groups.iter_mut().find(|(g, _)| *g == group) {
                Some((_, members)) => members.push(by),
                None => groups.push((group, vec![by])),
            }
        }
        for (i, (_, members)) in groups.into_iter().enumerate() {
            if i == 0 {
                self.place(node, members);
            } else {
                let copy = self.copy(node);
                self.redirect(&members, copy);
                self.place(copy, members);
            }
        }
    }

    /// The regions of the uses, without those that another one encloses.
    fn outermost(&self, uses: &[Use]) -> Vec<RegionId> {
        let mut regions: Vec<RegionId> = uses.iter().map(|u| u.region).collect();
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
        while let RegionKind::Body { of, .. } = self.placed.region(region).kind {
            if self.graph().depends_on(node, of) {
                break;
            }
            region = self.placed.region(region).parent;
        }
        region
    }

    /// The conditions from `above` down to `top`, if they can be evaluated in `above` before `node`.
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
        let available = steps.iter().all(|&(condition, _)| {
            if !self.graph().may_diverge(condition) {
                return true;
            }
            match self.placed.region_of(condition) {
                Some(region) => {
                    self.placed.encloses(region, above) && !self.reaches(condition, node)
                }
                // Its turn comes after this node's, so it does not depend on it.
                None => self.rank(condition) < self.rank(node),
            }
        });
        steps.reverse();
        available.then_some(steps)
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
        let words = vec![word; ty.components()].into();
        self.push(Node::Constant(ty, words), Span::default())
    }

    fn place_guarded(
        &mut self,
        node: NodeId,
        uses: &[Use],
        above: RegionId,
        ways: &[Vec<Step>],
    ) {
        let span = self.graph().span(node);
        let ty = self.graph().value_type(node);
        let first_new = NodeId(self.graph().len() as u32);
        let (yes, no) = (self.constant(Type::BOOL, 1), self.constant(Type::BOOL, 0));
        let mut guard = no;
        for way in ways.iter().rev() {
            let mut holds = yes;
            for &(condition, taken) in way.iter().rev() {
                holds = self.decide(condition, if taken { [holds, no] } else { [no, holds] }, [yes, no]);
            }
            guard = self.decide(holds, [yes, guard], [yes, no]);
        }
        let zero = self.constant(ty, 0);
        let guarded = self.push(Node::If([guard, node, zero]), span);
        self.redirect(uses, guarded);
        self.placed.guards.insert(guarded);
        let region = self.hoist(guarded, above);
        self.settle_new(guarded, region, first_new);
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

    /// Places nodes that were just made, and demands the older ones that they need.
    fn settle_new(&mut self, node: NodeId, region: RegionId, first_new: NodeId) {
        let mut stack = vec![(node, region)];
        while let Some((node, region)) = stack.pop() {
            self.settle(node, region);
            let Node::If(operands) = *self.graph().node(node) else {
                unreachable!("guards are made of ifs")
            };
            let [then, otherwise] = self.placed.arms(node);
            for (operand, region) in operands.into_iter().zip([region, then, otherwise]) {
                if operand >= first_new && self.graph().may_diverge(operand) {
                    self.forget(operand);
                    stack.push((operand, region));
                }
            }
        }
    }

    /// Takes back the demand of a node that is placed right away.
    fn forget(&mut self, node: NodeId) {
        self.uses.remove(&node);
        self.waiting.remove(&(self.rank(node), node));
    }

    /// Places a node in a region and demands what it needs.
    fn settle(&mut self, node: NodeId, region: RegionId) {
        self.placed.set_region(node, region);
        match *self.graph().node(node) {
            Node::If(_) => {
                let [then, otherwise] = self.placed.open_arms(node, region);
                for (slot, region) in [region, then, otherwise].into_iter().enumerate() {
                    self.demand_operand(node, slot, region);
                }
            }
            Node::Loop(of) => {
                for slot in 0..self.graph().operands(node).len() {
                    self.demand_operand(node, slot, region);
                }
                let body = self.placed.open_body(node, of, region);
                self.settle_tail(of, body);
            }
            _ => {
                for slot in 0..self.graph().operands(node).len() {
                    self.demand_operand(node, slot, region);
                }
            }
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
                    self.demand_operand(node, slot, region);
                }
                continue;
            }
            self.demand_operand(node, 0, region);
            let regions = self.placed.open_arms(node, region);
            for (slot, region) in [1, 2].into_iter().zip(regions) {
                let mut arm = self.graph().operands(node)[slot];
                if self.graph().expr_type(arm).value().is_some() {
                    self.demand_operand(node, slot, region);
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

    /// A node like this one that can be placed elsewhere.
    fn copy(&mut self, node: NodeId) -> NodeId {
        let span = self.graph().span(node);
        let copy = match self.graph().node(node).clone() {
            Node::Loop(of) => self.placed.graph.copy_loop(of, &mut |original, copy| {
                let rank = self.ranks.get(original.index()).copied().unwrap_or(u32::MAX);
                self.ranks.resize(copy.index(), u32::MAX);
                self.ranks.push(rank);
            }),
            other => self.push(other, span),
        };
        let rank = self.rank(node);
        self.ranks.resize(self.graph().len(), u32::MAX);
        self.ranks[copy.index()] = rank;
        copy
    }
}
