//! Places nodes that are not pinned: out of loops, then as deep as their uses allow.

use super::loads::{Loads, is_load};
use super::regions::{Placed, ROOT, RegionId, RegionKind};
use crate::diagnostics::Diagnostic;
use crate::graph::{Node, NodeId};
use crate::mutants::{Mutant, is_active};

/// All nodes below the outputs, operands (and the bodies of loops) before their users, and in the order of
/// [`Placed::before`].
///
/// # Errors
///
/// A node of a cycle: a load whose operands depend on a consumer of its state.
pub(super) fn topological_order(placed: &Placed) -> Result<Vec<NodeId>, NodeId> {
    let mut order = Vec::new();
    // `is_done[n]`: the node and all before it are in the order; false if they are only entered.
    let mut is_done: Vec<Option<bool>> = vec![None; placed.graph.len()];
    let mut stack: Vec<(NodeId, bool)> = placed.outputs.iter().rev().map(|&n| (n, false)).collect();
    while let Some((node, done)) = stack.pop() {
        if done {
            order.push(node);
            is_done[node.index()] = Some(true);
            continue;
        }
        match is_done[node.index()].replace(false) {
            Some(true) => {
                is_done[node.index()] = Some(true);
                continue;
            }
            Some(false) => return Err(node),
            None => {}
        }
        stack.push((node, true));
        if let Some(before) = placed.before.get(&node) {
            stack.extend(before.iter().rev().map(|&o| (o, false)));
        }
        if let Node::Loop(of) = placed.graph.node(node) {
            stack.push((placed.graph.loop_(*of).body, false));
        }
        stack.extend(placed.graph.operands(node).iter().rev().map(|&o| (o, false)));
    }
    Ok(order)
}

/// Gives a region to every node that [`super::demand::pin`] left without one.
///
/// # Errors
///
/// LV0502 if states of memories have too many consumers.
pub(super) fn place(placed: &mut Placed) -> Result<(), Diagnostic> {
    let order = topological_order(placed).expect("operands alone form no cycle");
    let earliest = earliest(placed, &order);
    let mut loads = Loads::new(placed, &order)?;
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
                        let mut late = latest[node.index()].expect("users come first");
                        let earliest = earliest[node.index()];
                        if is_load(placed, node) && !is_active(Mutant::LateLoad) {
                            late = loads.region(placed, node, late, earliest);
                        }
                        out_of_loops(placed, node, late, earliest)
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
    match is_active(Mutant::LateLoad) {
        true => Ok(()),
        false => loads.order(placed),
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
