//! Turns the tree of a loop's body into the tail of a loop of the core.

use super::raiser::{OpenLoop, Raiser};
use crate::error::Result;
use crate::flow::{FlowId, Leaf, Target, structure};
use lambdav_core::graph::{ExprType, NodeId};
use lambdav_core::op::Op as Core;
use lambdav_core::types::Type;
use rustc_hash::FxHashMap;

impl Raiser<'_, '_> {
    /// Makes the loop and returns the fields of its result.
    pub(super) fn make_loop(
        &mut self,
        open: &OpenLoop,
        exits: &[(FlowId, Target)],
        fields: &[Vec<NodeId>],
    ) -> Result<Vec<NodeId>> {
        let span = open.span;
        let whole = match fields[0].len() {
            1 => None,
            _ => Some(structure(&mut self.graph, &fields[0], "Exit")?),
        };
        let mut values: FxHashMap<FlowId, NodeId> = FxHashMap::default();
        for (&(id, _), fields) in exits.iter().zip(fields) {
            let value = match whole {
                None => fields[0],
                Some(ty) => self.graph.op(Core::Construct(ty), fields.clone(), span),
            };
            values.insert(id, value);
        }
        let tail = self.tail(open, &values);
        let mut body = tail.expect("a loop with an exit has a tail");
        if self.graph.expr_type(body).value().is_some() {
            // Constants have shown that the body never continues, but a loop of the core needs a `Rec`.
            let never = self.graph.bool(false, span);
            let back = self.graph.rec(open.id, open.params.clone(), span);
            body = self.graph.if_([never, back, body], span);
        }
        debug_assert!(matches!(self.graph.expr_type(body), ExprType::Rec(_)));
        let (params, inits) = (open.params.clone(), open.inits.clone());
        let value = self.graph.finish_loop(open.id, params, inits, body, span);
        if whole.is_none() {
            return Ok(vec![value]);
        }
        let count = fields[0].len() as u32;
        (0..count).map(|k| self.op(Core::Field(k), &[value])).collect()
    }

    /// The tail of a loop's body, with these values at its exits; `None` if the body is never left or
    /// continued.
    pub(super) fn tail(
        &mut self,
        open: &OpenLoop,
        values: &FxHashMap<FlowId, NodeId>,
    ) -> Option<NodeId> {
        let span = open.span;
        let phis = open.params.len() - open.slots.len();
        let mut done: Vec<Option<NodeId>> = Vec::new();
        let nodes = self.flow.below(open.body);
        for id in nodes {
            let node = if let Some((condition, _)) = self.flow.decision(id) {
                let [otherwise, then] = [done.pop(), done.pop()].map(|of| of.expect("an arm"));
                match (then, otherwise) {
                    (Some(a), Some(b)) if a != b => {
                        Some(self.graph.if_([condition, a, b], self.graph_span(a, span)))
                    }
                    (a, b) => a.or(b),
                }
            } else if let Some(&value) = values.get(&id) {
                Some(value)
            } else if self.flow.is_leaf(id) {
                let leaf = self.flow.leaf(id);
                let slots = open.slots.iter().map(|&slot| leaf.memory.get(slot));
                let arguments = leaf.values.iter().copied().take(phis).chain(slots).collect();
                Some(self.graph.rec(open.id, arguments, span))
            } else {
                None
            };
            done.push(node);
        }
        done.pop().flatten()
    }

    /// A loop without an exit: the program ends in it, so the outputs must depend on its value.
    pub(super) fn endless(&mut self, open: &OpenLoop) -> Result<()> {
        let Some(tail) = self.tail(open, &FxHashMap::default()) else {
            self.flow.never(open.at);
            return Ok(());
        };
        // Its value are a number and the states that it passes on.
        let mut fields = vec![self.number(Type::NUM, 0.0)];
        let slots = open.slots.iter().zip(&open.params[open.params.len() - open.slots.len()..]);
        let states = slots.filter(|(slot, _)| **slot < self.memories.count());
        let (states, params): (Vec<usize>, Vec<NodeId>) = states.unzip();
        fields.extend(params);
        let whole = match states.is_empty() {
            true => None,
            false => Some(structure(&mut self.graph, &fields, "Exit")?),
        };
        let value = match whole {
            None => fields[0],
            Some(ty) => self.op(Core::Construct(ty), &fields)?,
        };
        let always = self.graph.bool(true, open.span);
        let body = self.graph.if_([always, tail, value], open.span);
        let (params, inits) = (open.params.clone(), open.inits.clone());
        let mut node = self.graph.finish_loop(open.id, params, inits, body, open.span);
        let mut memory = open.before.clone();
        if whole.is_some() {
            for (field, &slot) in (1..).zip(&states) {
                memory.set(slot, self.op(Core::Field(field), &[node])?);
            }
            node = self.op(Core::Field(0), &[node])?;
        }
        self.flow.leave(open.at, Leaf { target: Target::Kill, values: vec![node], memory });
        Ok(())
    }
}
