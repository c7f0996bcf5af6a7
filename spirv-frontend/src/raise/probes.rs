//! Probes of a module whose undefined behaviour is reported ([`lambdav_core::probes`]).
//!
//! An instruction is reported where it is executed. The content of the variable [`REPORTED`](crate::module::REPORTED) is a bool that waits
//! for the probes executed so far; at the end every output and every memory waits for that content. So the raise joins it where ways meet, and
//! passes it on in loops, as the content of any variable.
//!
//! Conditions are those of docs/spirv.md. A condition that is false whatever the inputs are leaves nothing behind.

use super::conditions::Hit;
use super::operation_names::{is_defined_in_wgsl, name_of};
use super::outside::Outside;
use super::raiser::{Pointer, Raiser, Root, Value};
use super::unset::partial_loads;
use crate::error::Result;
use crate::flow::{FlowId, Leaf};
use crate::memory::Memory;
use crate::module::{Block, EntryPoint, Instruction};
use crate::mutants::{Mutant, is_active};
use crate::options::OperationNames;
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::probes::Site;
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type};
use lambdav_spirv::Guard;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

impl Raiser<'_, '_> {
    /// Probes an instruction before it is executed, if undefined behaviour is reported.
    pub(super) fn probe(&mut self, of: &Instruction<'_>, memory: &mut Memory) -> Result<()> {
        if self.names.is_none() {
            return Ok(());
        }
        if of.op == Op::Load
            && let Some((is_set, name)) = self.unset_read(of, memory)?
        {
            let node = self.op(Core::Not, &[is_set])?;
            let hit = self.guarded(of, Hit::new("read before it is written", node, []))?;
            self.note_as(name, of, 0, hit, memory);
        }
        for (order, hit) in (0..).zip(self.conditions(of, memory)?) {
            let hit = self.guarded(of, hit)?;
            self.note(of, order, hit, memory);
        }
        Ok(())
    }

    /// The condition, if the instruction is the author's.
    fn guarded(&mut self, of: &Instruction<'_>, mut hit: Hit) -> Result<Hit> {
        for guard in self.guards_of(of) {
            let condition = self.node(guard.condition)?;
            let holds = if guard.when { condition } else { self.op(Core::Not, &[condition])? };
            hit.node = self.op(Core::And, &[hit.node, holds])?;
        }
        Ok(hit)
    }

    /// The conditions under which an instruction is the author's.
    fn guards_of(&self, of: &Instruction<'_>) -> Vec<Guard> {
        let guards = of.result().and_then(|id| self.guards.get(&id));
        guards.filter(|_| !is_active(Mutant::BothArms)).cloned().unwrap_or_default()
    }

    /// Probes a branch that leads to OpUnreachable where `condition` holds.
    pub(super) fn probe_way(
        &mut self,
        block: &Block<'_>,
        labels: [u32; 2],
        condition: NodeId,
        memory: &mut Memory,
    ) -> Result<()> {
        if self.names.is_none() {
            return Ok(());
        }
        for (label, is_otherwise) in labels.into_iter().zip([false, true]) {
            if self.is_unreachable(label)? {
                let node = if is_otherwise { self.op(Core::Not, &[condition])? } else { condition };
                self.note(&block.end, 0, Hit::new("OpUnreachable is reached", node, []), memory);
            }
        }
        Ok(())
    }

    /// Probes a switch with cases that lead to OpUnreachable.
    pub(super) fn probe_cases(
        &mut self,
        end: &Instruction<'_>,
        selector: NodeId,
        memory: &mut Memory,
    ) -> Result<()> {
        if self.names.is_none() {
            return Ok(());
        }
        let default = self.is_unreachable(end.operand(1)?)?;
        let ty = self.type_of(selector);
        let mut leads = self.graph.bool(default, self.span);
        for case in end.rest(2).chunks_exact(2) {
            let literal = self.splat(ty, case[0]);
            let is_it = self.op(Core::Equal, &[selector, literal])?;
            leads = match self.is_unreachable(case[1])? {
                true => self.op(Core::Or, &[leads, is_it])?,
                false => {
                    let other = self.op(Core::Not, &[is_it])?;
                    self.op(Core::And, &[leads, other])?
                }
            };
        }
        self.note(end, 0, Hit::new("OpUnreachable is reached", leads, [selector]), memory);
        Ok(())
    }

    /// True if a block and those that it leads to without a condition end in OpUnreachable.
    fn is_unreachable(&mut self, label: u32) -> Result<bool> {
        let function = self.frame().function;
        let mut block = function.block(label)?;
        for _ in 0..function.blocks.len() {
            let of = &function.blocks[block];
            match of.end.op {
                Op::Unreachable => return Ok(true),
                Op::Branch if of.merge.is_none() => block = function.block(of.end.operand(0)?)?,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    /// The outputs, each after a probe that it is finite. The place is that of the last store to the output in the text.
    pub(super) fn probe_outputs(
        &mut self,
        entry: &EntryPoint,
        outside: &Outside,
        outputs: &mut [NodeId],
    ) -> Result<()> {
        let Some(names) = self.names else { return Ok(()) };
        let stores = self.last_stores(entry)?;
        for (node, &(location, slot)) in outputs.iter_mut().zip(&outside.outputs) {
            let ty = self.type_of(*node);
            if ty.scalar() != Some(Scalar::F32) {
                continue;
            }
            // The difference of an infinity and itself is a NaN.
            let difference = self.op(Core::Sub, &[*node, *node])?;
            let differs = self.op(Core::NotEqual, &[difference, difference])?;
            let hit = self.any(differs)?;
            let span = stores.iter().rev().find(|(of, _)| *of == slot).map(|&(_, span)| span);
            let operation = match names {
                OperationNames::Instructions => format!("output {location}"),
                OperationNames::Glsl | OperationNames::Wgsl => "output".to_owned(),
            };
            let span = span.unwrap_or_default();
            let order = u32::MAX;
            let condition = "NaN or infinity";
            let site = Site { span, operation, condition, order, is_defined: false };
            if let Some(probe) = self.site(site, hit, &[*node]) {
                *node = self.graph.after(*node, [probe], span);
            }
        }
        Ok(())
    }

    /// The slots of variables of the module that functions store to, with the places, in the order of the text.
    fn last_stores(&mut self, entry: &EntryPoint) -> Result<Vec<(usize, Span)>> {
        let mut all = Vec::new();
        let mut ids: Vec<u32> = self.facts.keys().copied().collect();
        // The entry point counts as the last function.
        ids.sort_unstable_by_key(|&id| (id == entry.function, self.module.functions[&id].at));
        for id in ids {
            let function = &self.module.functions[&id];
            let mut span = Span::default();
            let mut bases = FxHashMap::default();
            for of in function.blocks.iter().flat_map(|block| &block.instructions) {
                match of.op {
                    Op::Line => span = self.module.span(of, self.source).unwrap_or_default(),
                    Op::NoLine => span = Span::default(),
                    Op::AccessChain | Op::InBoundsAccessChain => {
                        let base = of.operand(2)?;
                        let base = bases.get(&base).copied().unwrap_or(base);
                        bases.insert(of.operand(1)?, base);
                    }
                    Op::Store => {
                        let to = of.operand(0)?;
                        let to = bases.get(&to).copied().unwrap_or(to);
                        if let Some(Value::Pointer(pointer)) = self.globals.get(&to)
                            && let Root::Slot(slot) = pointer.root
                        {
                            all.push((slot, span));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(all)
    }

    /// The value at the end that waits for all probes.
    pub(super) fn all_probes(&mut self, root: FlowId) -> Result<Option<NodeId>> {
        let Some(slot) = self.reported else { return Ok(None) };
        let of = |_, leaf: &Leaf| Some(vec![leaf.memory.get(slot)]);
        let all = self.flow.all_values(&mut self.graph, root, 1, of, Span::default())?;
        Ok(all.and_then(|all| all.first().copied()))
    }

    /// Adds a probe to those that the rest of the program waits for.
    fn note(&mut self, of: &Instruction<'_>, order: u32, hit: Hit, memory: &mut Memory) {
        if let Some(names) = self.names {
            self.note_as(name_of(of, names), of, order, hit, memory);
        }
    }

    /// The same with the name of the operation.
    fn note_as(
        &mut self,
        operation: String,
        of: &Instruction<'_>,
        order: u32,
        hit: Hit,
        memory: &mut Memory,
    ) {
        let (Some(names), Some(slot)) = (self.names, self.reported) else { return };
        let is_defined = names == OperationNames::Wgsl && is_defined_in_wgsl(of.op);
        let (span, condition) = (self.span, hit.condition);
        let site = Site { span, operation, condition, order, is_defined };
        if let Some(probe) = self.site(site, hit.node, &hit.shown) {
            let before = memory.get(slot);
            // The result of the probe does not matter, but it is waited for.
            let all = self.graph.op(Core::Or, vec![before, probe], span);
            memory.set(slot, all);
        }
    }

    /// A probe, unless its condition is false.
    fn site(&mut self, site: Site, hit: NodeId, shown: &[NodeId]) -> Option<NodeId> {
        let is_folded = is_active(Mutant::FoldedProbe);
        match self.graph.constant_words(hit) {
            Some([0]) => return None,
            Some(_) if is_folded => return None,
            _ => {}
        }
        let span = site.span;
        let number = self.sites.number(site);
        let operands = std::iter::once(hit).chain(shown.iter().copied()).collect();
        Some(self.graph.op(Core::Probe(number), operands, span))
    }

    /// True if any component is.
    pub(super) fn any(&mut self, of: NodeId) -> Result<NodeId> {
        if self.type_of(of) == Type::BOOL { Ok(of) } else { self.op(Core::Any, &[of]) }
    }

    /// Adds the bool of a variable without an initialiser, if undefined behaviour is reported. (WGSL's variables are zero.)
    pub(super) fn open_unset(&mut self, id: u32, slot: usize, memory: &mut Memory) {
        // The slots of a function are those of others before.
        self.unset.forget(slot);
        if !matches!(self.names, Some(OperationNames::Glsl | OperationNames::Instructions)) {
            return;
        }
        let is_set = memory.push(self.graph.bool(false, self.span));
        self.unset.forget(is_set);
        self.unset.bools.insert(slot, (is_set, id));
        self.unset.variables.insert(is_set, slot);
    }

    /// Notes that something was stored to a variable.
    pub(super) fn set(&mut self, slot: usize, memory: &mut Memory) {
        if let Some(is_set) = self.unset.bool_of(slot) {
            memory.set(is_set, self.graph.bool(true, self.span));
        }
    }

    /// For a read through a pointer: the bool that something was stored, and the name of the variable.
    pub(super) fn unset_read(
        &mut self,
        of: &Instruction<'_>,
        memory: &Memory,
    ) -> Result<Option<(NodeId, String)>> {
        let Ok(Pointer { root: Root::Slot(slot), .. }) = self.pointer(of.operand(2)?) else {
            return Ok(None);
        };
        let Some(&(is_set, id)) = self.unset.bools.get(&slot) else { return Ok(None) };
        let is_set = memory.get(is_set);
        if self.graph.constant_words(is_set).is_some_and(|words| words == [1]) {
            return Ok(None);
        }
        let function = self.frame().function;
        let partial =
            self.unset.partial.entry(function.at).or_insert_with(|| partial_loads(function));
        if of.result().is_some_and(|result| partial.contains(&result)) {
            return Ok(None);
        }
        let name = match self.module.name(id) {
            // Of texts, the copy of an argument.
            "" if self.names == Some(OperationNames::Glsl) => "argument".to_owned(),
            "" => format!("%{id}"),
            name => name.to_owned(),
        };
        Ok(Some((is_set, name)))
    }
}
