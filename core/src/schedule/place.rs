//! Places nodes that are not pinned: out of loops, then as deep as their uses allow.

use super::regions::{Placed, ROOT, RegionId, RegionKind};
use crate::graph::{Node, NodeId};
use crate::mutants::{Mutant, is_active};
use rustc_hash::FxHashSet;

/// All nodes below the outputs, operands (and the bodies of loops) before their users.
pub(super) fn topological_order(placed: &Placed) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut entered = FxHashSet::default();
    let mut stack: Vec<(NodeId, bool)> = placed.outputs.iter().rev().map(|&n| (n, false)).collect();
    while let Some((node, done)) = stack.pop() {
        if done {
            order.push(node);
            continue;
        }
        if !entered.insert(node) {
            continue;
        }
        stack.push((node, true));
        if let Node::Loop(of) = placed.graph.node(node) {
            stack.push((placed.graph.loop_(*of).body, false));
        }
        stack.extend(placed.graph.operands(node).iter().rev().map(|&o| (o, false)));
    }
    order
}

/// Gives a region to every node that [`super::demand::pin`] left without one.
pub(super) fn place(placed: &mut Placed) {
    let order = topological_order(placed);
    let earliest = earliest(placed, &order);
    // For each node the deepest region that encloses all uses seen so far.
    let mut latest: Vec<Option<RegionId>> = vec![None; placed.graph.len()];
    for &output in &placed.outputs {
        latest[output.index()] = Some(ROOT);
    }
    for node in order.into_iter().rev() {
        let region = match placed.region_of(node) {
            Some(region) => region,
            None => {
                let region = match placed.graph.node(node) {
                    Node::Constant(..) | Node::Input(_) | Node::Uniform(..) | Node::Stage(..) => {
                        ROOT
                    }
                    Node::Param(..) => continue,
                    _ => {
                        let late = latest[node.index()].expect("users come first");
                        out_of_loops(placed, node, late, earliest[node.index()])
                    }
                };
                placed.set_region(node, region);
                if matches!(placed.graph.node(node), Node::If(_)) {
                    placed.open_arms(node, region);
                }
                region
            }
        };
        let is_if = matches!(placed.graph.node(node), Node::If(_));
        for (slot, operand) in placed.graph.operands(node).to_vec().into_iter().enumerate() {
            let at = if is_if && slot > 0 { placed.arms(node)[slot - 1] } else { region };
            let slot = &mut latest[operand.index()];
            *slot = Some(slot.map_or(at, |other| placed.common(other, at)));
        }
    }
}

/// For each node the deepest region of the pinned nodes on which it depends; it cannot leave that region.
fn earliest(placed: &Placed, order: &[NodeId]) -> Vec<RegionId> {
    let mut earliest = vec![ROOT; placed.graph.len()];
    for &node in order {
        let deepest = |a: RegionId, b: RegionId| {
            if placed.region(a).depth < placed.region(b).depth { b } else { a }
        };
        earliest[node.index()] = match placed.region_of(node) {
            Some(region) => region,
            None => {
                let operands = placed.graph.operands(node).iter();
                operands.map(|o| earliest[o.index()]).fold(ROOT, deepest)
            }
        };
    }
    earliest
}

/// Hoists a node from `late` out of every loop on which it does not depend.
fn out_of_loops(placed: &Placed, node: NodeId, late: RegionId, earliest: RegionId) -> RegionId {
    let limit = placed.region(earliest).depth;
    let mut best = late;
    loop {
        let body = placed.region(placed.region(best).body);
        match body.kind {
            RegionKind::Body { of, .. }
                if body.depth > limit
                    && (!placed.graph.depends_on(node, of)
                        || is_active(Mutant::IgnoredParameter)) =>
            {
                best = body.parent;
            }
            _ => return best,
        }
    }
}
