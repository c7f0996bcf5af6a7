//! Evaluation of closed loops: loops that depend on no input, uniform or resource.
//!
//! Emitters of SPIR-V do this first: drivers unroll such loops, and a table of 256 of them took one driver over two minutes.

use crate::evaluate::constant;
use crate::graph::{Core, Graph, Node, NodeId};
use crate::limits::{CLOSED_LOOP_OPERATIONS, CLOSED_LOOPS_OPERATIONS};
use lambdav_float_environment::with_default;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

impl Core {
    /// The program with closed loops replaced by constants.
    ///
    /// A loop stays if it takes more than [`CLOSED_LOOP_OPERATIONS`] operations, if all loops together take
    /// more than [`CLOSED_LOOPS_OPERATIONS`], or if it might take more than `max_iterations` rounds. The core
    /// evaluator computes the constants, so no bit of an output changes.
    #[must_use]
    pub fn with_closed_loops_evaluated(&self, max_iterations: u64) -> Cow<'_, Self> {
        let closed = self.closed_loops();
        // The probes in such a loop are to be met.
        if closed.is_empty() || !self.sites.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut budget = Budget {
            each: CLOSED_LOOP_OPERATIONS.min(max_iterations),
            all: CLOSED_LOOPS_OPERATIONS,
        };
        // Loops that stay, and all nodes that depend on them. A larger loop around one of them is not tried.
        let mut open: FxHashSet<NodeId> = FxHashSet::default();
        let from = &self.graph;
        let evaluate = |graph: &Graph, id: NodeId, new: NodeId| {
            let is_open = from.operands(id).iter().any(|operand| open.contains(operand))
                || matches!(from.node(id), Node::Loop(of) if open.contains(&from.loop_(*of).body));
            if is_open {
                open.insert(id);
                return None;
            }
            if !closed.contains(&id) || !matches!(graph.node(new), Node::Loop(_)) {
                return None;
            }
            let words = budget.evaluate(graph, new);
            if words.is_none() {
                open.insert(id);
            }
            words
        };
        Cow::Owned(with_default(|| self.rebuilt(|_| None, evaluate)))
    }

    /// The loops that depend on no input, uniform, resource or parameter of another loop.
    fn closed_loops(&self) -> FxHashSet<NodeId> {
        let from = &self.graph;
        // Here a parameter counts as closed: its loop may itself be closed.
        let mut closed: FxHashSet<NodeId> = FxHashSet::default();
        let mut loops = FxHashSet::default();
        for id in from.needed_by(self.roots()) {
            let is_closed = match from.node(id) {
                Node::Constant(..) | Node::Param(..) => true,
                Node::Input(_) | Node::Uniform(..) | Node::Stage(..) => false,
                Node::Op(op, _) if op.reads_resource() => false,
                Node::Loop(of) if !closed.contains(&from.loop_(*of).body) => false,
                _ => from.operands(id).iter().all(|operand| closed.contains(operand)),
            };
            if is_closed {
                closed.insert(id);
                if matches!(from.node(id), Node::Loop(_)) && from.free_loops(id).is_empty() {
                    loops.insert(id);
                }
            }
        }
        loops
    }
}

/// The number of operations that closed loops may still execute.
struct Budget {
    each: u64,
    all: u64,
}

impl Budget {
    /// The words of a closed loop, unless computing them exceeds the budget.
    fn evaluate(&mut self, graph: &Graph, node: NodeId) -> Option<Box<[u32]>> {
        let allowed = self.each.min(self.all);
        if allowed == 0 {
            return None;
        }
        let mut left = Some(allowed);
        let words = constant(graph, node, &mut left, &mut ()).ok();
        // A loop that does not end uses up its whole allowance.
        self.all -= allowed - left.unwrap_or_default();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Output;
    use crate::op::Op;
    use crate::source::Span;
    use crate::types::Type;

    /// Adds an output: a loop that counts from `first` by `step` to `end`.
    fn count(core: &mut Core, [first, step, end]: [f32; 3]) {
        let (graph, span) = (&mut core.graph, Span::default());
        let [first, step, end] = [first, step, end].map(|number| graph.number(number, span));
        let of = graph.begin_loop();
        let n = graph.param(of, 0, Type::NUM, span);
        let more = graph.op(Op::Less, vec![n, end], span);
        let sum = graph.op(Op::Add, vec![n, step], span);
        let next = graph.rec(of, vec![sum], span);
        let body = graph.if_([more, next, n], span);
        let node = graph.finish_loop(of, vec![n], vec![first], body, span);
        core.outputs.push(Output { location: core.outputs.len() as u32, node, span });
    }

    #[test]
    fn closed_loops_are_constants_within_limits() {
        let tenths = (0..10).fold(0.0, |sum: f32, _| sum + 0.1);
        for (step, end, most, value) in [
            (1.0, 8.0, u64::MAX, Some(8.0_f32)),
            (0.1, 1.0, u64::MAX, Some(tenths)),
            // More rounds than allowed.
            (1.0, 8.0, 7, None),
            // More operations than one loop may take.
            (1.0, 16_000_000.0, u64::MAX, None),
            // Endless.
            (0.0, 1.0, u64::MAX, None),
        ] {
            let mut core = Core::default();
            count(&mut core, [0.0, step, end]);
            let evaluated = core.with_closed_loops_evaluated(most);
            let words = evaluated.graph.constant_words(evaluated.outputs[0].node);
            assert_eq!(words, value.map(|x| [x.to_bits()]).as_ref().map(|x| &x[..]));
        }
    }

    #[test]
    fn all_closed_loops_share_a_limit() {
        // Endless loops use up the shared budget; a loop that ends follows.
        let most = CLOSED_LOOPS_OPERATIONS / CLOSED_LOOP_OPERATIONS;
        let mut core = Core::default();
        (0..most).for_each(|k| count(&mut core, [k as f32, 0.0, 100.0]));
        count(&mut core, [99.0, 1.0, 100.0]);
        let last = core.outputs.len() - 1;
        let is_known = |core: &Core| {
            let evaluated = core.with_closed_loops_evaluated(u64::MAX);
            evaluated.graph.constant_words(evaluated.outputs[last].node).is_some()
        };
        assert!(!is_known(&core));
        // With one endless loop less, some of the budget is left.
        core.outputs[0].node = core.outputs[last].node;
        assert!(is_known(&core));
    }

    #[test]
    fn programs_without_closed_loops_stay_as_they_are() {
        let (mut graph, span) = (Graph::default(), Span::default());
        let node = graph.number(1.0, span);
        let outputs = vec![Output { location: 0, node, span }];
        let core = Core { graph, outputs, ..Core::default() };
        assert!(matches!(core.with_closed_loops_evaluated(u64::MAX), Cow::Borrowed(_)));
    }
}
