//! Places what might not end: exactly where substitution would evaluate it.
//!
//! *Pinned* are loops, and `if`s with an arm that might not end. What only depends on them
//! computes with values that are there already: it *carries* the demand for them to where it is
//! needed itself, and is placed with everything else, later.
//!
//! Nodes are taken users first, so that when a node's turn comes all regions that demand it are
//! known: those of its uses, less those enclosed by another. One: a pinned node is placed there.
//! Several: it is placed in their common ancestor *L* inside `(if guard node zero)`, which replaces
//! it everywhere; the guard says whether control comes to one of the regions. Where all conditions
//! from *L* down to them are data, it is made of what is known of each region and of each set of
//! regions ([`tops`]), so that all guards together are no larger than the program. Else it is a tree
//! of lazy `if`s ([`ways`]).
//!
//! A region cannot be guarded from *L* where a condition on its way depends on the node itself, on
//! a parameter of a loop between *L* and the region, or on something pinned deeper than *L*. It
//! gets a copy of the node; a carrier that is needed on both sides is copied with it. Copies and
//! lazy guards can grow beyond what the text says; [`limits`](crate::limits) end that.

mod copies;
mod guards;
mod tops;
mod ways;

use self::tops::{TopSets, TopsId};
use super::regions::{Placed, ROOT, RegionId, RegionKind};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Graph, LoopId, Node, NodeId};
use crate::limits::{PLACED_NODES, PLACING_WORK};
use crate::mutants::{Mutant, is_active};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// An operand, or output, that needs a node, and the regions in which it does.
#[derive(Clone, Copy, Debug)]
struct Use {
    user: User,
    tops: TopsId,
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
/// LV0502 where copies or guards become too large.
pub(super) fn pin(
    graph: Graph,
    outputs: impl Iterator<Item = NodeId>,
) -> Result<Placed, Diagnostic> {
    let outputs: Vec<NodeId> = outputs.collect();
    let ranks = (0..graph.len() as u32).collect();
    let most_nodes = graph.len() + PLACED_NODES;
    let mut pinning = Pinning {
        placed: Placed::new(graph, outputs.clone()),
        tops: TopSets::default(),
        work: 0,
        uses: FxHashMap::default(),
        carriers: FxHashMap::default(),
        waiting: BTreeSet::new(),
        ranks,
    };
    let root = pinning.one(ROOT);
    for (i, &node) in outputs.iter().enumerate() {
        pinning.demand(node, Use { user: User::Output(i), tops: root });
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
    tops: TopSets,
    /// What copies and lazy guards have taken, in steps.
    work: usize,
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
        if !self.graph().may_diverge(node) {
            return;
        }
        let mut demanded = vec![(node, by)];
        while let Some((node, by)) = demanded.pop() {
            if !self.graph().may_diverge(node) || self.placed.region_of(node).is_some() {
                continue;
            }
            let Some(known) = self.carriers.get_mut(&node) else {
                self.uses.entry(node).or_default().push(by);
                self.waiting.insert((self.rank(node), node));
                continue;
            };
            // It has had its turn; what it carries, it carries on.
            self.work += known.len();
            add(&mut self.tops, &self.placed, known, by);
            for (slot, &operand) in self.placed.graph.operands(node).iter().enumerate() {
                let by = Use { user: User::Operand(node, slot), tops: by.tops };
                match self.uses.get_mut(&operand) {
                    Some(uses) => {
                        self.work += uses.len();
                        add(&mut self.tops, &self.placed, uses, by);
                    }
                    None => demanded.push((operand, by)),
                }
            }
        }
    }

    /// Demands the operand in that slot of a node, in these regions.
    fn demand_operand(&mut self, user: NodeId, slot: usize, tops: TopsId) {
        let operand = self.graph().operands(user)[slot];
        self.demand(operand, Use { user: User::Operand(user, slot), tops });
    }

    /// Demands the operand in that slot of a node, in this region.
    fn demand_in(&mut self, user: NodeId, slot: usize, region: RegionId) {
        let tops = self.one(region);
        self.demand_operand(user, slot, tops);
    }

    fn one(&mut self, region: RegionId) -> TopsId {
        self.tops.one(&self.placed, region)
    }

    fn place(&mut self, node: NodeId, uses: Vec<Use>) {
        let tops = self.tops.union(&self.placed, uses.iter().map(|by| by.tops).collect());
        if !self.is_pinned(node) {
            self.carriers.insert(node, uses);
            for slot in 0..self.graph().operands(node).len() {
                self.demand_operand(node, slot, tops);
            }
            return;
        }
        let above = self.tops.above(tops);
        if self.tops.only(tops).is_some() {
            let region = self.hoist(node, above);
            self.settle(node, region);
            return;
        }
        if self.tops.is_data(&self.placed, tops) {
            let guard = self.guard(tops);
            self.place_guarded(node, &uses, above, guard);
            return;
        }
        self.place_by_ways(node, uses, tops, above);
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

    /// Places the tail of a loop. Its `Rec`s may be shared between arms, and so may be its `If`s of
    /// two leaves; here each arm gets its own.
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

/// Adds a use, joining it with what the same operand needs already.
fn add(tops: &mut TopSets, placed: &Placed, uses: &mut Vec<Use>, by: Use) {
    match uses.iter_mut().find(|known| known.user == by.user) {
        Some(known) => known.tops = tops.union(placed, vec![known.tops, by.tops]),
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
