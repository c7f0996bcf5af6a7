//! Copies of pinned nodes, for regions that cannot be guarded, and of what carries their value
//! there.

use super::{Pinning, Step, Use, User};
use crate::graph::{Node, NodeId};
use crate::schedule::regions::RegionId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

impl Pinning {
    /// Regions that can be guarded together keep the node; the others get copies, one for each
    /// region right below `above`.
    pub(super) fn place_copies(
        &mut self,
        node: NodeId,
        mut uses: Vec<Use>,
        above: RegionId,
        tops: &[RegionId],
        ways: &[Option<Vec<Step>>],
    ) {
        let below = self.placed.region(above).depth + 1;
        let groups: Vec<Option<RegionId>> = tops
            .iter()
            .zip(ways)
            .map(|(&top, way)| match way {
                Some(_) => None,
                None => self.placed.ancestor_at(top, below),
            })
            .collect();
        let mut order = groups.clone();
        order.sort_unstable();
        order.dedup();
        for group in order.into_iter().skip(1) {
            let members: Vec<RegionId> =
                tops.iter().zip(&groups).filter(|(_, g)| **g == group).map(|(&t, _)| t).collect();
            let moved = self.split(&mut uses, &members);
            let copy = self.copy(node);
            self.redirect(&moved, copy);
            self.place(copy, moved);
        }
        self.place(node, uses);
    }

    /// Takes from `uses` what lies in one of the regions `tops`. A carrier that also lies elsewhere
    /// is copied, once however often it needs the node, and with it those that carry its value.
    fn split(&mut self, uses: &mut Vec<Use>, tops: &[RegionId]) -> Vec<Use> {
        let copies = self.copy_carriers(uses, tops);
        let moved = self.divide(uses, tops, &copies);
        let mut others = Vec::new();
        for (&carrier, &copy) in &copies {
            let mut known = self.carriers.remove(&carrier).expect("it has had its turn");
            let theirs = self.divide(&mut known, tops, &copies);
            self.redirect(&theirs, copy);
            self.carriers.insert(carrier, known);
            self.carriers.insert(copy, theirs);
            others.extend_from_slice(self.graph().operands(carrier));
        }
        // What else they need is still needed in the same regions, but by two.
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().filter(|other| !copies.contains_key(other)) {
            let needing = |this: &mut Self| match this.carriers.get_mut(&other) {
                Some(known) => Some(std::mem::take(known)),
                None => this.uses.get_mut(&other).map(std::mem::take),
            };
            let Some(mut known) = needing(self) else { continue };
            let theirs = self.divide(&mut known, tops, &copies);
            known.extend(theirs);
            let place = match self.carriers.get_mut(&other) {
                Some(place) => Some(place),
                None => self.uses.get_mut(&other),
            };
            *place.expect("it was there before") = known;
        }
        moved
    }

    /// Copies of the carriers of that demand, at any distance, that lie both in `tops` and
    /// elsewhere.
    fn copy_carriers(&mut self, uses: &[Use], tops: &[RegionId]) -> BTreeMap<NodeId, NodeId> {
        let mut copies = BTreeMap::new();
        let mut stack = self.astride(uses, tops);
        while let Some(carrier) = stack.pop() {
            if let Entry::Vacant(entry) = copies.entry(carrier) {
                entry.insert(self.copy(carrier));
                stack.extend(self.astride(&self.carriers[&carrier], tops));
            }
        }
        copies
    }

    /// The users that lie both in `tops` and elsewhere.
    fn astride(&self, uses: &[Use], tops: &[RegionId]) -> Vec<NodeId> {
        let is_astride = |by: &&Use| {
            let inside = |&&region: &&RegionId| self.lies_in(region, tops);
            let count = by.regions.iter().filter(inside).count();
            0 < count && count < by.regions.len()
        };
        uses.iter()
            .filter(is_astride)
            .map(|by| match by.user {
                User::Operand(carrier, _) => carrier,
                User::Output(_) => unreachable!("only carriers need a node in several regions"),
            })
            .collect()
    }

    fn lies_in(&self, region: RegionId, tops: &[RegionId]) -> bool {
        tops.iter().any(|&top| self.placed.encloses(top, region))
    }

    /// Takes from `uses` what lies in `tops`: where a carrier that was copied lies there too, its
    /// copy.
    fn divide(
        &self,
        uses: &mut Vec<Use>,
        tops: &[RegionId],
        copies: &BTreeMap<NodeId, NodeId>,
    ) -> Vec<Use> {
        let (mut moved, mut rest) = (Vec::new(), Vec::new());
        for by in std::mem::take(uses) {
            let (inside, outside): (Vec<RegionId>, Vec<RegionId>) =
                by.regions.iter().partition(|&&region| self.lies_in(region, tops));
            match by.user {
                _ if outside.is_empty() => moved.push(by),
                User::Operand(carrier, slot) if !inside.is_empty() => match copies.get(&carrier) {
                    Some(&copy) => {
                        let user = User::Operand(copy, slot);
                        moved.push(Use { user, regions: inside.into() });
                        rest.push(Use { user: by.user, regions: outside.into() });
                    }
                    None => rest.push(by),
                },
                _ => rest.push(by),
            }
        }
        *uses = rest;
        moved
    }

    /// A node like this one that can be placed elsewhere.
    fn copy(&mut self, node: NodeId) -> NodeId {
        let copy = match self.graph().node(node).clone() {
            Node::Loop(of) => self.placed.graph.copy_loop(of, &mut |original, copy| {
                let rank = self.ranks.get(original.index()).copied().unwrap_or(u32::MAX);
                self.ranks.resize(copy.index(), u32::MAX);
                self.ranks.push(rank);
            }),
            other => self.placed.graph.push_copy(other, node),
        };
        let rank = self.rank(node);
        self.ranks.resize(self.graph().len(), u32::MAX);
        self.ranks[copy.index()] = rank;
        copy
    }
}
