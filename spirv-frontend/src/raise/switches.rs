//! Switches: a chain of decisions. A case that others fall into is a block where ways meet.

use super::raiser::{Raiser, Task};
use crate::error::Result;
use crate::flow::{FlowId, Target};
use crate::memory::Memory;
use crate::module::{Block, Merge};
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

impl Raiser<'_, '_> {
    pub(super) fn switch(
        &mut self,
        of: &Block<'_>,
        block: usize,
        at: FlowId,
        mut memory: Memory,
    ) -> Result<()> {
        let end = &of.end;
        let selector = self.operand(end, 0)?;
        if !matches!(self.type_of(selector), Type::INT | Type::UINT) {
            return Err(end.unsupported("a selector that is no integer of 32 bits"));
        }
        let default = end.operand(1)?;
        let literals = end.rest(2).chunks_exact(2);
        if let Some(words) = self.graph.constant_words(selector) {
            let word = words[0];
            let taken =
                literals.clone().find(|pair| pair[0] == word).map_or(default, |pair| pair[1]);
            return self.go(of, taken, at, memory);
        }
        self.probe_cases(end, selector, &mut memory)?;
        // Labels in order, each with its literals.
        let mut cases: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut positions = FxHashMap::default();
        for pair in literals.filter(|pair| pair[1] != default) {
            let position = *positions.entry(pair[1]).or_insert(cases.len());
            if position == cases.len() {
                cases.push((pair[1], Vec::new()));
            }
            cases[position].1.push(pair[0]);
        }
        let labels: Vec<u32> = cases.iter().map(|&(label, _)| label).chain([default]).collect();
        let pending = self.fallen_into(of, block, &labels)?;
        for &case in &pending {
            self.frame().add_target(case);
        }
        self.tasks.push(Task::Cases { pending, at });
        let mut at = at;
        for (label, literals) in cases {
            let ty = self.type_of(selector);
            let mut condition: Option<NodeId> = None;
            for literal in literals {
                let literal = self.splat(ty, literal);
                let is_that = self.op(Core::Equal, &[selector, literal])?;
                condition = Some(match condition {
                    Some(others) => self.op(Core::Or, &[others, is_that])?,
                    None => is_that,
                });
            }
            let condition = condition.expect("a case has a literal");
            let [then, otherwise] = self.flow.branch(at, condition);
            self.go(of, label, then, memory.clone())?;
            at = otherwise;
        }
        self.go(of, default, at, memory)
    }

    /// The blocks before a selection's merge block where its arms meet. Each precedes its predecessors
    /// among them.
    pub(super) fn arms_meet(
        &mut self,
        of: &Block<'_>,
        block: usize,
        arms: [u32; 2],
    ) -> Result<Vec<usize>> {
        let frame = self.frame();
        if !frame.has_odd_joins || !matches!(of.merge, Some(Merge::Selection(_))) {
            return Ok(Vec::new());
        }
        let [first, second] = [self.reached(arms[0])?, self.reached(arms[1])?];
        let is_common = |block: &usize| first.contains(block) && second.contains(block);
        let is_inside =
            |from: &usize| *from == block || first.contains(from) != second.contains(from);
        let facts = self.frame().facts;
        let is_entered = |met: &usize| facts.predecessors[*met].iter().any(&is_inside);
        let mut met: Vec<usize> =
            first.iter().copied().filter(|b| is_common(b) && is_entered(b)).collect();
        met.sort_unstable();
        // A block follows all blocks that it reaches.
        let mut order = Vec::with_capacity(met.len());
        while !met.is_empty() {
            let function = self.frame().function;
            let labels: Vec<u32> = met.iter().map(|&b| function.blocks[b].label).collect();
            let mut next = 0;
            for (k, &label) in labels.iter().enumerate() {
                let reached = self.reached(label)?;
                if !met.iter().any(|&other| other != met[k] && reached.contains(&other)) {
                    next = k;
                }
            }
            order.push(met.remove(next));
        }
        Ok(order)
    }

    /// The blocks reachable from a label without passing a target, that block included.
    fn reached(&mut self, label: u32) -> Result<FxHashSet<usize>> {
        let frame = self.frame();
        let function = frame.function;
        let mut stack = vec![function.block(label)?];
        let mut seen = FxHashSet::default();
        while let Some(next) = stack.pop() {
            if !frame.is_target(next) && seen.insert(next) {
                stack.extend(function.successors(next)?);
            }
        }
        Ok(seen)
    }

    /// The cases that other cases fall into. Each precedes those that fall into it.
    pub(super) fn fallen_into(
        &mut self,
        of: &Block<'_>,
        block: usize,
        labels: &[u32],
    ) -> Result<Vec<usize>> {
        let frame = self.frame();
        let (function, facts) = (frame.function, frame.facts);
        let merge = match of.merge {
            Some(Merge::Selection(merge)) => Some(function.block(merge)?),
            _ => None,
        };
        let mut cases = Vec::new();
        for &label in labels {
            let case = function.block(label)?;
            if Some(case) != merge && !frame.is_target(case) {
                cases.push(case);
            }
        }
        let is_entered = |case: &usize| facts.predecessors[*case].iter().any(|&from| from != block);
        let fallen: FxHashSet<usize> = cases.iter().copied().filter(is_entered).collect();
        if fallen.is_empty() || is_active(Mutant::LostFallThrough) {
            return Ok(Vec::new());
        }
        // The cases that each one reaches.
        let mut into: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &case in &cases {
            let mut seen = FxHashSet::default();
            let mut stack = function.successors(case)?;
            while let Some(next) = stack.pop() {
                if next == case {
                    continue;
                }
                if fallen.contains(&next) {
                    into.entry(case).or_default().push(next);
                } else if !frame.is_target(next) && seen.insert(next) {
                    stack.extend(function.successors(next)?);
                }
            }
        }
        // Depth-first postorder: a case follows the cases that it falls into.
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let first = cases.iter().rev().filter(|case| fallen.contains(case));
        let mut stack: Vec<(usize, bool)> = first.map(|&case| (case, false)).collect();
        while let Some((case, is_after)) = stack.pop() {
            if is_after {
                order.push(case);
            } else if seen.insert(case) {
                stack.push((case, true));
                let next = into.get(&case).into_iter().flatten();
                stack.extend(next.map(|&next| (next, false)));
            }
        }
        Ok(order)
    }

    /// Continues with the next case that others fall into.
    pub(super) fn cases(&mut self, mut pending: Vec<usize>, at: FlowId) -> Result<()> {
        let Some(case) = pending.pop() else { return Ok(()) };
        self.frame().remove_target(case);
        let joined = self.join(at, Target::Block(case))?;
        self.tasks.push(Task::Cases { pending, at });
        if let Some((at, leaf)) = joined {
            self.arrive(case, at, leaf.values, leaf.memory);
        }
        Ok(())
    }
}
