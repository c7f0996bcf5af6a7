//! Programs with fixed values of uniforms, and programs some of whose nodes become constants.
//!
//! A program is rebuilt node by node, through the same constructors, so it is simplified as any other program.

use super::{Core, Graph, LoopId, Neighbour, Node, NodeId};
use crate::types::Types;
use lambdav_float_environment::with_default;
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Core {
    /// The program with `values` for the uniforms whose index satisfies `is_fixed`. Each value has as many
    /// words as its uniform's type has components. These uniforms are still declared, but nothing reads them.
    ///
    /// Computations that depend only on fixed values are folded like constants of the text. No bit of an
    /// output changes.
    #[must_use]
    pub fn with_uniforms_fixed(
        &self,
        values: &[Arc<[u32]>],
        is_fixed: impl Fn(usize) -> bool,
    ) -> Self {
        let value = |index: usize| is_fixed(index).then(|| &*values[index]);
        with_default(|| self.rebuilt(value, |_, _, _| None))
    }

    /// Rebuilds the program node by node, with `value(index)` for the uniforms that have one. `evaluate` is
    /// called with each node, the new graph and the new node; it may return the words of a constant to
    /// replace it.
    pub(crate) fn rebuilt<'v>(
        &self,
        value: impl Fn(usize) -> Option<&'v [u32]>,
        evaluate: impl FnMut(&Graph, NodeId, NodeId) -> Option<Box<[u32]>>,
    ) -> Self {
        let replace = |graph: &mut Graph, id: NodeId| match self.graph.node(id) {
            Node::Uniform(index, ty) => {
                let words = value(*index as usize)?;
                Some(graph.constant(*ty, words, self.graph.span(id)))
            }
            _ => None,
        };
        let types = self.graph.types().clone();
        let (graph, map) = self.graph.rebuilt(self.roots(), types, replace, evaluate);
        let mut fixed = Self {
            graph,
            uniforms: self.uniforms.clone(),
            constants: self.constants.clone(),
            sites: self.sites.clone(),
            met: self.met.clone(),
            outputs: self.outputs.clone(),
            discard: None,
            triangles: self.triangles.clone(),
            passes: self.passes.clone(),
            effects: self.effects.clone(),
            workgroup: self.workgroup,
        };
        fixed.roots_mut().for_each(|root| *root = map[root]);
        // If the outputs no longer depend on the condition, it became constant.
        fixed.discard =
            self.discard.and_then(|of| fixed.discard_with(*map.get(&of.condition)?, of));
        fixed
    }
}

impl Graph {
    /// The nodes that `roots` need, rebuilt in a graph with these types, which contain those of this graph
    /// in order; and each node's new one. `replace` may give the new node of an input, a uniform or a stage
    /// input. `evaluate` is called with each node, the new graph and the new node; it may return the words of
    /// a constant to replace it.
    pub(crate) fn rebuilt(
        &self,
        roots: impl IntoIterator<Item = NodeId>,
        types: Types,
        mut replace: impl FnMut(&mut Graph, NodeId) -> Option<NodeId>,
        mut evaluate: impl FnMut(&Graph, NodeId, NodeId) -> Option<Box<[u32]>>,
    ) -> (Graph, FxHashMap<NodeId, NodeId>) {
        let mut graph = Graph::default();
        *graph.types_mut() = types;
        let mut loops: FxHashMap<LoopId, LoopId> = FxHashMap::default();
        let mut map: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let needed = self.needed_by(roots);
        for &id in &needed {
            let span = self.span(id);
            let all = |old: &[NodeId]| -> Vec<NodeId> { old.iter().map(|o| map[o]).collect() };
            let mut renamed = |graph: &mut Graph, of: LoopId| {
                *loops.entry(of).or_insert_with(|| graph.begin_loop())
            };
            let new = match self.node(id) {
                Node::Constant(ty, words) => graph.constant(*ty, words, span),
                leaf @ (Node::Uniform(..) | Node::Input(_) | Node::Stage(..)) => {
                    replace(&mut graph, id).unwrap_or_else(|| graph.intern(leaf.clone(), span))
                }
                Node::Param(of, index, ty) => {
                    let of = renamed(&mut graph, *of);
                    graph.param(of, *index, *ty, span)
                }
                Node::Op(op, operands) => graph.op(*op, all(operands), span),
                Node::If(parts) => graph.if_(parts.map(|part| map[&part]), span),
                Node::Rec(of, arguments) => {
                    let of = renamed(&mut graph, *of);
                    graph.rec(of, all(arguments), span)
                }
                Node::Loop(of) => {
                    let (new, old) = (renamed(&mut graph, *of), self.loop_(*of));
                    let (params, inits) = (all(&old.params), all(&old.inits));
                    graph.finish_loop(new, params, inits, map[&old.body], old.span)
                }
            };
            let new = match evaluate(&graph, id, new) {
                Some(words) => graph.constant(graph.value_type(new), &words, span),
                None => new,
            };
            if let Some(name) = self.name(id) {
                graph.set_name(new, name);
            }
            map.insert(id, new);
        }
        for id in needed {
            if let Some(neighbour) = self.neighbour_of(id)
                && let Some(&of) = map.get(&neighbour.of)
            {
                graph.set_neighbour(map[&id], Neighbour { of, ..neighbour });
            }
        }
        (graph, map)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Output, Uniform};
    use super::*;
    use crate::op::Op;
    use crate::source::Span;
    use crate::types::Type;

    #[test]
    fn what_uniforms_decide_is_decided() {
        let (mut graph, span) = (Graph::default(), Span::default());
        let gain = graph.uniform(0, Type::NUM, span);
        let (one, two) = (graph.number(1.0, span), graph.number(2.0, span));
        let condition = graph.op(Op::Less, vec![one, gain], span);
        // A loop that counts down from the uniform to one.
        let of = graph.begin_loop();
        let n = graph.param(of, 0, Type::NUM, span);
        let less = graph.op(Op::Sub, vec![n, one], span);
        let (more, next) =
            (graph.op(Op::Less, vec![one, n], span), graph.rec(of, vec![less], span));
        let body = graph.if_([more, next, n], span);
        let loops = graph.finish_loop(of, vec![n], vec![gain], body, span);
        let chosen = graph.if_([condition, loops, two], span);
        let output = Output { location: 0, node: chosen, span };
        let uniform = Uniform { name: "gain".into(), ty: Type::NUM, default: [0].into() };
        let core =
            Core { graph, uniforms: vec![uniform], outputs: vec![output], ..Core::default() };
        let fixed = |gain: f32| core.with_uniforms_fixed(&[[gain.to_bits()].into()], |_| true);
        let constant = fixed(1.0);
        let node = constant.outputs[0].node;
        assert_eq!(constant.graph.constant_words(node), Some(&[2f32.to_bits()][..]));
        let looping = fixed(3.0);
        let node = looping.outputs[0].node;
        assert!(matches!(looping.graph.node(node), Node::Loop(_)));
        assert!(!looping.graph.depends_on_inputs(node));
    }
}
