//! Copies of pinned nodes, for regions that cannot be guarded, and of the carriers of their value there.

use super::region_sets::{Enclosing, RegionSetId};
use super::{Pinning, Use, User};
use crate::graph::{Node, NodeId};
use crate::schedule::regions::RegionId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

impl Pinning {
    /// Guardable regions (those with a way) keep the node and are guarded together. The others get copies,
    /// one for each region right below `above`. All these nodes have their turns next.
    pub(super) fn place_copies(
        &mut self,
        node: NodeId,
        uses: Vec<Use>,
        above: RegionId,
        regions: &[RegionId],
        has_way: &[bool],
    ) {
        let depth = self.placed.region(above).depth;
        let mut groups: BTreeMap<RegionId, Vec<RegionId>> = BTreeMap::new();
        let mut group_of: FxHashMap<RegionId, Option<RegionId>> = FxHashMap::default();
        for (&region, &has_way) in regions.iter().zip(has_way) {
            let group = if has_way { None } else { self.placed.ancestor_at(region, depth + 1) };
            group_of.insert(region, group);
            if let Some(group) = group {
                groups.entry(group).or_default().push(region);
            }
        }
        // Most uses belong to one group.
        let mut enclosing = Enclosing::new(regions.iter().copied().collect(), depth);
        let mut of_groups: FxHashMap<Option<RegionId>, Vec<Use>> = FxHashMap::default();
        let (mut others, mut known) = (Vec::new(), FxHashMap::default());
        for by in uses {
            let group = *known.entry(by.regions).or_insert_with(|| {
                let found = self.region_sets.regions(&self.placed, by.regions);
                self.work += found.len();
                let mut groups = found.iter().map(|&region| {
                    let outer = enclosing.of(&self.placed, region).expect("it is one of `regions`");
                    group_of[&outer]
                });
                let first = groups.next().expect("a demand comes from somewhere");
                groups.all(|group| group == first).then_some(first)
            });
            match group {
                Some(group) => of_groups.entry(group).or_default().push(by),
                None => others.push(by),
            }
        }
        let mut turns = Vec::new();
        for (group, members) in groups {
            let mut moved = of_groups.remove(&Some(group)).unwrap_or_default();
            if !others.is_empty() {
                moved.extend(self.split(&mut others, &members));
            }
            turns.push((self.copy(node), moved));
        }
        others.extend(of_groups.remove(&None).into_iter().flatten());
        for (copy, moved) in turns {
            self.redirect(&moved, copy);
            self.take_turn(copy, moved);
        }
        if !others.is_empty() {
            self.take_turn(node, others);
        }
    }

    fn take_turn(&mut self, node: NodeId, uses: Vec<Use>) {
        self.waiting.insert((self.rank(node), node));
        self.uses.insert(node, uses);
    }

    /// Takes from `uses` those inside the regions `outermost`. A carrier that also lies elsewhere is copied,
    /// once however often it needs the node, and so are the carriers of its own value.
    fn split(&mut self, uses: &mut Vec<Use>, outermost: &[RegionId]) -> Vec<Use> {
        let copies = self.copy_carriers(uses, outermost);
        let moved = self.divide(uses, outermost, &copies);
        let mut others = Vec::new();
        self.work += copies.len();
        for (&carrier, &copy) in &copies {
            let mut known = self.carriers.remove(&carrier).expect("it has had its turn");
            let theirs = self.divide(&mut known, outermost, &copies);
            self.redirect(&theirs, copy);
            self.carriers.insert(carrier, known);
            self.carriers.insert(copy, theirs);
            others.extend_from_slice(self.graph().operands(carrier));
        }
        // The carriers' other operands are still needed in the same regions, but now by two nodes.
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().filter(|other| !copies.contains_key(other)) {
            let needing = |this: &mut Self| match this.carriers.get_mut(&other) {
                Some(known) => Some(std::mem::take(known)),
                None => this.uses.get_mut(&other).map(std::mem::take),
            };
            let Some(mut known) = needing(self) else { continue };
            let theirs = self.divide(&mut known, outermost, &copies);
            known.extend(theirs);
            let place = match self.carriers.get_mut(&other) {
                Some(place) => Some(place),
                None => self.uses.get_mut(&other),
            };
            *place.expect("it was there before") = known;
        }
        moved
    }

    /// Copies the direct and indirect carriers of this demand that lie both inside `outermost` and outside.
    fn copy_carriers(&mut self, uses: &[Use], outermost: &[RegionId]) -> BTreeMap<NodeId, NodeId> {
        let mut copies = BTreeMap::new();
        let mut stack = self.astride(uses, outermost);
        while let Some(carrier) = stack.pop() {
            if let Entry::Vacant(entry) = copies.entry(carrier) {
                entry.insert(self.copy(carrier));
                let known = self.carriers[&carrier].clone();
                stack.extend(self.astride(&known, outermost));
            }
        }
        copies
    }

    /// The users that lie both inside `outermost` and outside.
    fn astride(&mut self, uses: &[Use], outermost: &[RegionId]) -> Vec<NodeId> {
        let mut inside = self.inside(outermost);
        let mut found = Vec::new();
        for by in uses {
            let [inside, outside] = self.parts(by.regions, &mut inside);
            if inside.is_some() && outside.is_some() {
                match by.user {
                    User::Operand(carrier, _) => found.push(carrier),
                    User::Output(_) => unreachable!("only carriers need a node in several regions"),
                }
            }
        }
        found
    }

    fn inside(&self, outermost: &[RegionId]) -> Enclosing {
        let depth =
            outermost.iter().map(|&region| self.placed.region(region).depth).min().unwrap_or(0);
        Enclosing::new(outermost.iter().copied().collect(), depth)
    }

    /// Splits a set into its regions inside `inside` and those outside.
    fn parts(&mut self, set: RegionSetId, inside: &mut Enclosing) -> [Option<RegionSetId>; 2] {
        let regions = self.region_sets.regions(&self.placed, set);
        self.work += regions.len();
        let mut parts = [Vec::new(), Vec::new()];
        for region in regions {
            let is_outside = inside.of(&self.placed, region).is_none();
            parts[usize::from(is_outside)].push(self.one(region));
        }
        parts.map(|part| match part.is_empty() {
            true => None,
            false => Some(self.region_sets.union(&self.placed, part)),
        })
    }

    /// Takes from `uses` those inside `outermost`. A use by a copied carrier that lies on both sides is split:
    /// inside, its copy is the user.
    fn divide(
        &mut self,
        uses: &mut Vec<Use>,
        outermost: &[RegionId],
        copies: &BTreeMap<NodeId, NodeId>,
    ) -> Vec<Use> {
        let mut enclosing = self.inside(outermost);
        let (mut moved, mut rest) = (Vec::new(), Vec::new());
        for by in std::mem::take(uses) {
            match (self.parts(by.regions, &mut enclosing), by.user) {
                ([_, None], _) => moved.push(by),
                ([Some(inside), Some(outside)], User::Operand(carrier, slot))
                    if copies.contains_key(&carrier) =>
                {
                    let user = User::Operand(copies[&carrier], slot);
                    moved.push(Use { user, regions: inside });
                    rest.push(Use { user: by.user, regions: outside });
                }
                _ => rest.push(by),
            }
        }
        *uses = rest;
        moved
    }

    /// An equal node that can be placed elsewhere.
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
