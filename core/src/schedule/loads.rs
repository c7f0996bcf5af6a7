//! Places loads before the operations that consume their states.
//!
//! A load floats, but it reads the machine's memory, which the *consumer* of its state changes. Consumers are effects,
//! the initial values of loops, and ends of blocks that pass a state on, since afterwards the state has another name. A
//! structure hands its parts on to its own consumers.
//!
//! A load is placed in the region that it shares with a consumer, as far as its operands allow, and there before the
//! consumer or the statement that contains it. Two arms of one decision are exclusive: no order holds between them.

use super::regions::{Placed, Region, RegionId, RegionKind};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Node, NodeId};
use crate::limits::PLACING_WORK;
use crate::memory::MemoryOp;
use crate::op::Op;
use rustc_hash::FxHashMap;

/// The place at which a state is consumed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Consumer {
    region: RegionId,
    /// The statement; `None` for the end of the region's block.
    node: Option<NodeId>,
}

/// The consumers of each state, and the loads of a schedule.
pub(super) struct Loads {
    consumers: FxHashMap<NodeId, Vec<Consumer>>,
    all: Vec<NodeId>,
    work: usize,
}

/// True for a load from a memory.
pub(super) fn is_load(placed: &Placed, node: NodeId) -> bool {
    matches!(placed.graph.node(node), Node::Op(Op::Memory(MemoryOp::Load), _))
}

impl Loads {
    /// Finds the consumers of all states. `order` has operands before their users; effects and tails are placed.
    ///
    /// # Errors
    ///
    /// LV0502 if states have too many consumers.
    pub(super) fn new(placed: &Placed, order: &[NodeId]) -> Result<Self, Diagnostic> {
        let mut loads = Self { consumers: FxHashMap::default(), all: Vec::new(), work: 0 };
        if placed.graph.types().memories().next().is_none() {
            return Ok(loads);
        }
        for &node in order.iter().rev() {
            loads.add_uses(placed, node);
            if is_load(placed, node) {
                loads.all.push(node);
            }
            loads.within_limit(placed, node)?;
        }
        Ok(loads)
    }

    fn within_limit(&self, placed: &Placed, node: NodeId) -> Result<(), Diagnostic> {
        if self.work <= PLACING_WORK {
            return Ok(());
        }
        Err(Diagnostic::new(
            DiagnosticCode::ExpansionTooLarge,
            placed.graph.span(node),
            "too many loads and branches use one state of a memory",
        )
        .label("the limit was reached for this")
        .note(format!(
            "each load is compared with the places that consume its state, at most {PLACING_WORK} pairs"
        ))
        .help("load the word once, before the branches, and use its value there"))
    }

    /// Adds the consumers that a node is, or hands on, for its operands.
    fn add_uses(&mut self, placed: &Placed, node: NodeId) {
        let graph = &placed.graph;
        for (slot, &operand) in graph.operands(node).iter().enumerate() {
            let is_value = graph.expr_type(operand).value();
            if !is_value.is_some_and(|ty| graph.types().holds_state(ty)) {
                continue;
            }
            let end = |region| Consumer { region, node: None };
            let found = match graph.node(node) {
                Node::Op(Op::Memory(op), _) if !op.is_effect() => continue,
                // The others are awaited, not consumed.
                Node::Op(Op::After, _) if slot > 0 => continue,
                Node::Op(Op::Memory(_), _) | Node::Loop(_) => {
                    placed.region_of(node).map(|region| Consumer { region, node: Some(node) })
                }
                Node::If(_) => placed.region_of(node).map(|_| end(placed.arms(node)[slot - 1])),
                Node::Rec(..) => placed.region_of(node).map(end),
                _ => {
                    let handed_on = self.consumers.get(&node).cloned().unwrap_or_default();
                    self.work += handed_on.len();
                    let known = self.consumers.entry(operand).or_default();
                    known.extend(handed_on);
                    continue;
                }
            };
            self.work += 1;
            self.consumers.entry(operand).or_default().extend(found);
        }
    }

    /// The region of a load that could be in `region`, no further out than `earliest`.
    pub(super) fn region(
        &mut self,
        placed: &Placed,
        load: NodeId,
        mut region: RegionId,
        earliest: RegionId,
    ) -> RegionId {
        let state = placed.graph.operands(load)[0];
        let limit = placed.region(earliest).depth.max(depth_of_params(placed, load, region));
        for consumer in self.consumers.get(&state).into_iter().flatten() {
            self.work += 1;
            let common = placed.common(region, consumer.region);
            let depth = placed.region(common).depth;
            let is_exclusive = inside(placed, region, depth)
                .is_some_and(|of| inside(placed, consumer.region, depth) == Some(of));
            if !is_exclusive {
                let depth = depth.max(limit).min(placed.region(region).depth);
                region = placed.ancestor_at(region, depth).expect("it is no deeper");
            }
        }
        region
    }

    /// Orders all loads, whose places are known, before consumers.
    ///
    /// # Errors
    ///
    /// LV0502 if states have too many consumers.
    pub(super) fn order(mut self, placed: &mut Placed) -> Result<(), Diagnostic> {
        for load in std::mem::take(&mut self.all) {
            let Some(region) = placed.region_of(load) else { continue };
            let state = placed.graph.operands(load)[0];
            for consumer in self.consumers.get(&state).into_iter().flatten() {
                self.work += 1;
                let depth = placed.region(placed.common(region, consumer.region)).depth;
                let first = inside(placed, region, depth).or(Some(load));
                let second = inside(placed, consumer.region, depth).or(consumer.node);
                let is_statement = |node: NodeId| placed.graph.expr_type(node).value().is_some();
                if let (Some(first), Some(second)) = (first, second)
                    && first != second
                    && is_statement(first)
                    && is_statement(second)
                {
                    placed.before.entry(second).or_default().push(first);
                }
            }
            self.within_limit(placed, load)?;
        }
        for before in placed.before.values_mut() {
            before.sort_unstable();
            before.dedup();
        }
        Ok(())
    }
}

/// The depth of the innermost loop's body around a region on whose parameters a node depends; 0 if there is none.
fn depth_of_params(placed: &Placed, node: NodeId, region: RegionId) -> u32 {
    let mut body = placed.region(region).body;
    loop {
        match placed.region(body) {
            Region { kind: RegionKind::Body { of, .. }, depth, parent, .. } => {
                if placed.graph.depends_on(node, of) {
                    return depth;
                }
                body = placed.region(parent).body;
            }
            _ => return 0,
        }
    }
}

/// The `if` or loop in the region at this depth that contains `region`; `None` if it is that region.
fn inside(placed: &Placed, region: RegionId, depth: u32) -> Option<NodeId> {
    match placed.region(placed.ancestor_at(region, depth + 1)?).kind {
        RegionKind::Root => None,
        RegionKind::Arm { of, .. } => Some(of),
        RegionKind::Body { node, .. } => Some(node),
    }
}
