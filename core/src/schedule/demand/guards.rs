//! Guards that are data: one shared guard for each region and each set of regions.

use super::Pinning;
use super::region_sets::{Members, RegionSetId};
use crate::graph::NodeId;
use crate::op::Op;
use crate::schedule::regions::{RegionId, RegionKind};
use crate::source::Span;

impl Pinning {
    /// A bool, as data: control, once in the region above all, reaches a region of the set.
    pub(super) fn guard(&mut self, id: RegionSetId) -> NodeId {
        let mut stack = vec![id];
        while let Some(&id) = stack.last() {
            if self.region_sets.guards.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = match self.region_sets.members(id) {
                Members::One(region) => self.reach(*region),
                Members::Union(sets) => {
                    let sets = sets.clone();
                    let missing = |set: &&RegionSetId| !self.region_sets.guards.contains_key(set);
                    let before = stack.len();
                    stack.extend(sets.iter().filter(missing));
                    if stack.len() > before {
                        continue;
                    }
                    let guards = sets.iter().map(|set| self.region_sets.guards[set]);
                    let guards: Vec<NodeId> = guards.collect();
                    let either = guards.into_iter().reduce(|a, b| self.logic(Op::Or, a, b));
                    either.expect("there is one")
                }
            };
            self.region_sets.guards.insert(id, node);
            stack.pop();
        }
        self.region_sets.guards[&id]
    }

    /// A bool: control reaches the region if it reaches the region's anchor.
    fn reach(&mut self, region: RegionId) -> NodeId {
        let (mut at, mut below) = (region, Vec::new());
        let mut holds = loop {
            let known = self.region_sets.reaches[at.0 as usize].expect("the anchor is known");
            if known.anchor == at {
                break None;
            }
            if let Some(holds) = known.holds {
                break Some(holds);
            }
            below.push(at);
            at = self.placed.region(at).parent;
        };
        while let Some(at) = below.pop() {
            let RegionKind::Arm { of, taken } = self.placed.region(at).kind else {
                unreachable!("what is no arm is an anchor")
            };
            let mut condition = self.graph().operands(of)[0];
            if !taken {
                condition = self.placed.graph.op(Op::Not, vec![condition], Span::default());
            }
            let all = match holds {
                Some(holds) => self.logic(Op::And, holds, condition),
                None => condition,
            };
            self.region_sets.reaches[at.0 as usize].as_mut().expect("it is known").holds =
                Some(all);
            holds = Some(all);
        }
        holds.unwrap_or_else(|| self.placed.graph.bool(true, Span::default()))
    }

    /// `and` or `or` of two bools that are data.
    fn logic(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        if a == b { a } else { self.placed.graph.op(op, vec![a, b], Span::default()) }
    }
}
