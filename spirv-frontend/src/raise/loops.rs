//! Loops.
//!
//! A loop's parameters are the φ's of its header and the live variables that the loop may write. The
//! tree of its body becomes its tail: ways to the header are `Rec`s, all others exits. It yields the
//! values needed after it: the kind of exit, if there are several, and those variables, φ's and ids that
//! depend on its rounds.

use super::raiser::{OpenLoop, Raiser, Task, Value};
use crate::error::{RaiseError, Result};
use crate::flow::{FlowId, Leaf, Target, tag};
use crate::memory::Memory;
use crate::module::Instruction;
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::NodeId;
use lambdav_core::source::Span;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// Limit of instructions in a continue construct that is raised once for each way to it.
const SHORT: usize = 8;

/// A value that a loop yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Yielded {
    /// Kind of exit and index: a φ or a result.
    Value(usize, usize),
    /// The content of a slot.
    Slot(usize),
    /// A node of an id that is used after the loop.
    Escaping(usize),
}

impl Raiser<'_, '_> {
    pub(super) fn begin_loop(
        &mut self,
        [header, merge, next]: [usize; 3],
        at: FlowId,
        values: Vec<NodeId>,
        memory: Memory,
    ) -> Result<()> {
        let frame = self.frames.last().expect("a function is being raised");
        let of = &frame.function.blocks[header];
        let facts = &frame.facts.loops[&header];
        let is_live = Self::liveness(frame, self.memories.count(), self.reported, &self.unset);
        let mut slots: Vec<usize> = (0..frame.facts.roots.len())
            .filter_map(|root| frame.root_slots[root].map(|slot| (root, slot)))
            .filter(|&(root, slot)| {
                // A loop that only reads a memory passes its state on, so no store is done before the loop's reads.
                let is_read = self.memories.is_written(slot)
                    && facts.reads.contains(root)
                    && !is_active(Mutant::UnpassedState);
                facts.stores.contains(root) || is_read
            })
            .map(|(_, slot)| slot)
            .filter(|&slot| is_live(Target::Block(header), slot))
            .collect();
        drop(is_live);
        // A variable that is set stays set.
        let bools: Vec<usize> = slots.iter().filter_map(|&of| self.unset.bool_of(of)).collect();
        let is_known = |of: &usize| self.graph.constant_words(memory.get(*of)) == Some(&[1]);
        slots.extend(bools.into_iter().filter(|of| !is_known(of)));
        slots.sort_unstable();
        slots.dedup();
        let span = of.merge_line.and_then(|line| self.module.span(&line, self.source));
        let span = span.unwrap_or(self.span);
        let id = self.graph.begin_loop();
        let mut inits = values;
        let phis = inits.len();
        inits.extend(slots.iter().map(|&slot| memory.get(slot)));
        let mut params = Vec::with_capacity(inits.len());
        for (index, &init) in (0..).zip(&inits) {
            let ty = self.graph.value_type(init);
            params.push(self.graph.param(id, index, ty, span));
        }
        let before = memory.clone();
        let mut memory = memory;
        for (&slot, &param) in slots.iter().zip(&params[phis..]) {
            memory.set(slot, param);
        }
        self.name_slots(&slots, &memory);
        let body = self.flow.hole();
        for target in [header, merge] {
            self.frame().add_target(target);
        }
        if next != header {
            self.frame().add_target(next);
        }
        self.set_phis(of, &params[..phis])?;
        let open =
            OpenLoop { id, header, merge, next, at, body, params, inits, slots, before, span };
        self.tasks.push(Task::Continue(Box::new(open)));
        self.execute(header, 0, body, memory)
    }

    /// Raises the continue construct; a short one is raised once for each way to it.
    pub(super) fn continue_loop(&mut self, open: Box<OpenLoop>) -> Result<()> {
        let (next, body) = (open.next, open.body);
        if next == open.header {
            self.tasks.push(Task::Finish(open));
            return Ok(());
        }
        self.frame().remove_target(next);
        let function = self.frame().function;
        let block = &function.blocks[next];
        let computes = |of: &&Instruction<'_>| !matches!(of.op, Op::Line | Op::NoLine | Op::Phi);
        let is_short = block.instructions.iter().filter(computes).count() <= SHORT
            && block.merge.is_none()
            && block.end.op == Op::Branch
            && function.successors(next)? == [open.header]
            && block.instructions.iter().all(|of| {
                // A barrier stands in one place.
                !matches!(of.op, Op::FunctionCall | Op::ControlBarrier)
            });
        let header = open.header;
        self.tasks.push(Task::Finish(open));
        if !is_short {
            if let Some((at, leaf)) = self.join(body, Target::Block(next))? {
                self.arrive(next, at, leaf.values, leaf.memory);
            }
            return Ok(());
        }
        let mut leaves = self.flow.leaves(body);
        leaves.retain(|&leaf| self.flow.leaf(leaf).target == Target::Block(next));
        for at in leaves {
            let Leaf { values, memory, .. } = self.flow.take(at);
            if is_active(Mutant::SkippedContinue) && self.frame().visited[next] {
                let values = self.frame_phis(header);
                self.flow.leave(at, Leaf { target: Target::Block(header), values, memory });
                continue;
            }
            self.frame().visited[next] = true;
            self.tasks.push(Task::Enter { block: next, at, values, memory, is_again: true });
        }
        Ok(())
    }

    /// The values of a block's φ's.
    fn frame_phis(&mut self, block: usize) -> Vec<NodeId> {
        let of = &self.frame().function.blocks[block];
        let phis = of.instructions.iter().filter(|phi| phi.op == Op::Phi);
        let ids: Vec<u32> = phis.filter_map(|phi| phi.result()).collect();
        ids.into_iter().filter_map(|id| self.node(id).ok()).collect()
    }

    /// Makes a loop of the raised body and continues after it.
    pub(super) fn finish_loop(&mut self, open: OpenLoop) -> Result<()> {
        let targets = [open.header, open.merge];
        targets.into_iter().for_each(|target| self.frame().remove_target(target));
        // Exits of all kinds; those to the merge block are the first kind.
        let mut exits: Vec<(FlowId, Target)> = Vec::new();
        for id in self.flow.leaves(open.body) {
            match self.flow.leaf(id).target {
                Target::Block(block) if block == open.header => {}
                Target::Block(block) if block != open.merge => {
                    let label = self.frame().function.blocks[block].label;
                    let what = format!("a branch to %{label} leaves a loop");
                    let at = self.frame().function.blocks[open.header].end.at;
                    return Err(RaiseError::malformed(what).at(at, None));
                }
                target => exits.push((id, target)),
            }
        }
        let all = [Target::Block(open.merge), Target::Return, Target::Kill];
        let kinds: Vec<Target> =
            all.into_iter().filter(|kind| exits.iter().any(|(_, of)| of == kind)).collect();
        if kinds.is_empty() {
            return self.endless(&open);
        }
        let escaping = self.escaping(open.header);
        let yielded = self.yielded(&open, &exits, &kinds, &escaping);
        let (inside, outside): (Vec<_>, Vec<_>) =
            yielded.into_iter().partition(|(_, nodes)| self.is_inside(&open, nodes));
        let mut found: FxHashMap<Yielded, NodeId> = FxHashMap::default();
        for (key, nodes) in outside {
            found.extend(nodes.into_iter().flatten().next().map(|node| (key, node)));
        }
        // The fields of each exit: the kind, if there are several, and all values that differ.
        let mut fields: Vec<Vec<NodeId>> = Vec::with_capacity(exits.len());
        for (k, (_, target)) in exits.iter().enumerate() {
            let mut of = Vec::with_capacity(inside.len() + 1);
            if kinds.len() > 1 {
                let kind = kinds.iter().position(|kind| kind == target).expect("it is one") as u32;
                of.push(tag(&mut self.graph, kinds.len(), kind, open.span));
            }
            for (_, nodes) in &inside {
                of.push(match nodes[k] {
                    Some(node) => node,
                    None => {
                        let some = nodes.iter().flatten().next().expect("an exit has it");
                        let ty = self.type_of(*some);
                        self.zero(ty)
                    }
                });
            }
            fields.push(of);
        }
        let mut parts = Vec::new();
        if !fields[0].is_empty() {
            parts = self.make_loop(&open, &exits, &fields)?;
        }
        let mut rest = parts.iter().copied();
        let tag = (kinds.len() > 1).then(|| rest.next()).flatten();
        found.extend(inside.iter().map(|&(key, _)| key).zip(rest));
        self.leave_loop(&open, &kinds, tag, &exits, &escaping, &found)
    }

    /// The nodes of ids used after the loop: id, index among the nodes of its value, node.
    fn escaping(&mut self, header: usize) -> Vec<(u32, usize, NodeId)> {
        let mut all = Vec::new();
        let facts = &self.frame().facts.loops[&header];
        for &id in &facts.escaping {
            match self.frame().values.get(&id) {
                Some(&Value::Node(node)) => all.push((id, 0, node)),
                Some(Value::Pointer(pointer)) => {
                    all.extend(pointer.path.iter().enumerate().map(|(k, &node)| (id, k, node)));
                }
                Some(Value::Image(_) | Value::Sampler(_)) | None => {}
            }
        }
        all
    }

    /// The values that code after the loop may need, each with its node at every exit that has it.
    fn yielded(
        &mut self,
        open: &OpenLoop,
        exits: &[(FlowId, Target)],
        kinds: &[Target],
        escaping: &[(u32, usize, NodeId)],
    ) -> Vec<(Yielded, Vec<Option<NodeId>>)> {
        let frame = self.frames.last().expect("a function is being raised");
        let is_live = Self::liveness(frame, self.memories.count(), self.reported, &self.unset);
        let len = open.before.len();
        let mut slots = Vec::new();
        for &(id, target) in exits {
            let memory = &self.flow.leaf(id).memory;
            let changed = open.before.differing(memory, len);
            slots.extend(changed.filter(|&slot| is_live(target, slot)));
        }
        slots.sort_unstable();
        slots.dedup();
        let of_exits = |node: &dyn Fn(&Leaf, Target) -> Option<NodeId>| -> Vec<Option<NodeId>> {
            exits.iter().map(|&(id, target)| node(self.flow.leaf(id), target)).collect()
        };
        let mut all = Vec::new();
        for (k, &kind) in kinds.iter().enumerate() {
            for i in 0..self.count(exits, kind) {
                let value =
                    |leaf: &Leaf, target| leaf.values.get(i).copied().filter(|_| target == kind);
                all.push((Yielded::Value(k, i), of_exits(&value)));
            }
        }
        for slot in slots {
            let content =
                |leaf: &Leaf, target| is_live(target, slot).then(|| leaf.memory.get(slot));
            all.push((Yielded::Slot(slot), of_exits(&content)));
        }
        for (k, &(_, _, node)) in escaping.iter().enumerate() {
            let at_merge = |_: &Leaf, target| matches!(target, Target::Block(_)).then_some(node);
            all.push((Yielded::Escaping(k), of_exits(&at_merge)));
        }
        all.retain(|(_, nodes)| nodes.iter().any(Option::is_some));
        all
    }

    /// True if the nodes differ between exits or depend on the loop.
    fn is_inside(&self, open: &OpenLoop, nodes: &[Option<NodeId>]) -> bool {
        let mut some = nodes.iter().flatten();
        let Some(&first) = some.next() else { return false };
        some.any(|&node| node != first) || self.graph.depends_on(first, open.id)
    }

    /// Number of values at exits of a kind.
    fn count(&self, exits: &[(FlowId, Target)], kind: Target) -> usize {
        let of_kind = exits.iter().filter(|(_, of)| *of == kind);
        of_kind.map(|&(id, _)| self.flow.leaf(id).values.len()).max().unwrap_or(0)
    }

    pub(super) fn graph_span(&self, node: NodeId, otherwise: Span) -> Span {
        let span = self.graph.span(node);
        if span == Span::default() { otherwise } else { span }
    }

    /// Continues after a loop, with its result.
    fn leave_loop(
        &mut self,
        open: &OpenLoop,
        kinds: &[Target],
        tag: Option<NodeId>,
        exits: &[(FlowId, Target)],
        escaping: &[(u32, usize, NodeId)],
        found: &FxHashMap<Yielded, NodeId>,
    ) -> Result<()> {
        let mut memory = open.before.clone();
        let mut slots: Vec<usize> = Vec::new();
        for (key, &node) in found {
            if let Yielded::Slot(slot) = *key {
                memory.set(slot, node);
                slots.push(slot);
            }
        }
        slots.sort_unstable();
        self.name_slots(&slots, &memory);
        for (k, &(id, part, _)) in escaping.iter().enumerate() {
            let Some(&node) = found.get(&Yielded::Escaping(k)) else { continue };
            match self.frame().values.get_mut(&id) {
                Some(Value::Node(of)) => *of = node,
                Some(Value::Pointer(pointer)) => pointer.path[part] = node,
                _ => {}
            }
        }
        let places = self.flow.ways(&mut self.graph, open.at, tag, kinds.len(), self.span);
        for (k, (&kind, here)) in kinds.iter().zip(places).enumerate() {
            let values =
                (0..self.count(exits, kind)).map(|i| found[&Yielded::Value(k, i)]).collect();
            match kind {
                Target::Block(block) => self.arrive(block, here, values, memory.clone()),
                Target::Return | Target::Kill => {
                    let target = if is_active(Mutant::LostReturn) && kinds.len() > 1 {
                        Target::Block(open.merge)
                    } else {
                        kind
                    };
                    self.flow.leave(here, Leaf { target, values, memory: memory.clone() });
                }
            }
        }
        Ok(())
    }
}
