//! Copies of loops, for uses that cannot share one, and of subgraphs.

use super::{Graph, Loop, LoopId, Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Graph {
    /// A copy of a loop with its own parameters. Nodes that do not depend on the parameters are shared. Calls
    /// `copied` with each node and its copy.
    pub(crate) fn copy_loop(
        &mut self,
        of: LoopId,
        copied: &mut dyn FnMut(NodeId, NodeId),
    ) -> NodeId {
        let mut inside = FxHashSet::default();
        let mut stack = vec![self.loop_(of).body];
        let (mut loops, mut copied_loops) = (vec![of], FxHashSet::default());
        copied_loops.insert(of);
        stack.extend_from_slice(&self.loop_(of).params);
        while let Some(id) = stack.pop() {
            // A node independent of the parameters is shared, with all its operands.
            let is_inside = self.expr_type(id).value().is_none()
                || self.free_loops(id).iter().any(|l| copied_loops.contains(l));
            if !is_inside || !inside.insert(id) {
                continue;
            }
            stack.extend_from_slice(self.operands(id));
            if let Node::Loop(inner) = *self.node(id) {
                stack.push(self.loop_(inner).body);
                stack.extend_from_slice(&self.loop_(inner).params);
                loops.push(inner);
                copied_loops.insert(inner);
            }
        }
        let renamed: FxHashMap<LoopId, LoopId> =
            loops.into_iter().map(|l| (l, self.begin_loop())).collect();
        let mut inside: Vec<NodeId> = inside.into_iter().collect();
        inside.sort_unstable();
        let mut map: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        for id in inside {
            let new = |old: &NodeId| map.get(old).copied().unwrap_or(*old);
            let all = |old: &[NodeId]| -> Box<[NodeId]> { old.iter().map(new).collect() };
            let changed = self.operands(id).iter().any(|o| map.contains_key(o));
            let copy = match self.node(id) {
                Node::Param(l, index, ty) => renamed.get(l).map(|&l| Node::Param(l, *index, *ty)),
                Node::Rec(l, arguments) => renamed.get(l).map(|&l| Node::Rec(l, all(arguments))),
                Node::Loop(l) => renamed.get(l).map(|&l| Node::Loop(l)),
                Node::Op(op, operands) => changed.then(|| Node::Op(*op, all(operands))),
                Node::If(parts) => changed.then(|| Node::If(parts.map(|p| new(&p)))),
                Node::Constant(..) | Node::Input(_) | Node::Uniform(..) | Node::Stage(..) => None,
            };
            let Some(copy) = copy else { continue };
            if let (Node::Loop(old), Node::Loop(l)) = (self.node(id), &copy) {
                let old = self.loop_(*old).clone();
                let renamed = Loop {
                    params: all(&old.params).into(),
                    inits: all(&old.inits).into(),
                    body: new(&old.body),
                    ..old
                };
                self.define_loop(*l, renamed);
            }
            let copy = self.push_copy(copy, id);
            copied(id, copy);
            map.insert(id, copy);
        }
        let old = self.loop_(of).clone();
        let get = |id: &NodeId| map.get(id).copied().unwrap_or(*id);
        let copy = Loop {
            params: old.params.iter().map(get).collect(),
            inits: old.inits.clone(),
            body: get(&old.body),
            ..old
        };
        let (l, span) = (renamed[&of], copy.span);
        self.define_loop(l, copy);
        self.push(Node::Loop(l), span)
    }

    /// All nodes that `roots` depend on, ascending.
    pub(crate) fn needed_by(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        self.unknown_below(roots, |_| false)
    }

    /// All nodes that `roots` depend on, ascending. Does not descend into known nodes.
    pub(super) fn unknown_below(
        &self,
        roots: impl IntoIterator<Item = NodeId>,
        is_known: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let mut inside = FxHashSet::default();
        let mut stack: Vec<NodeId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if is_known(id) || !inside.insert(id) {
                continue;
            }
            stack.extend_from_slice(self.operands(id));
            if let Node::Loop(of) = *self.node(id) {
                stack.push(self.loop_(of).body);
                stack.extend_from_slice(&self.loop_(of).params);
            }
        }
        let mut inside: Vec<NodeId> = inside.into_iter().collect();
        inside.sort_unstable();
        inside
    }

    /// The nodes that a node needs, as a graph of its own, and the node in it. Takes time by the size of that
    /// subgraph.
    pub(crate) fn part(&self, root: NodeId) -> (Self, NodeId) {
        let mut part = Self::default();
        *part.types_mut() = self.types().clone();
        let mut loops: FxHashMap<LoopId, LoopId> = FxHashMap::default();
        let mut map: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        for id in self.needed_by([root]) {
            let all = |old: &[NodeId]| -> Box<[NodeId]> { old.iter().map(|o| map[o]).collect() };
            let mut renamed = |l: &LoopId| *loops.entry(*l).or_insert_with(|| part.begin_loop());
            let copy = match self.node(id) {
                Node::Param(l, index, ty) => Node::Param(renamed(l), *index, *ty),
                Node::Rec(l, arguments) => Node::Rec(renamed(l), all(arguments)),
                Node::Op(op, operands) => Node::Op(*op, all(operands)),
                Node::If(parts) => Node::If(parts.map(|p| map[&p])),
                Node::Loop(l) => {
                    let (l, old) = (renamed(l), self.loop_(*l).clone());
                    let (params, inits) = (all(&old.params).into(), all(&old.inits).into());
                    part.define_loop(l, Loop { params, inits, body: map[&old.body], ..old });
                    Node::Loop(l)
                }
                other @ (Node::Constant(..)
                | Node::Input(_)
                | Node::Uniform(..)
                | Node::Stage(..)) => other.clone(),
            };
            map.insert(id, part.push(copy, self.span(id)));
        }
        (part, map[&root])
    }
}
