//! Programs for certain values of their uniforms, and programs whose closed loops are evaluated.

use super::{Core, Graph, LoopId, Neighbour, Node, NodeId};
use crate::evaluate::constant;
use crate::limits::{CLOSED_LOOP_OPERATIONS, CLOSED_LOOPS_OPERATIONS};
use lambdav_float_environment::with_default;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

impl Core {
    /// The program where the uniforms have these values, which are as many words each as its type
    /// has components. It still has the uniforms, and nothing reads them.
    ///
    /// What is computed from them is folded as constants of the text are; no bit of an output
    /// changes.
    #[must_use]
    pub fn with_uniforms_fixed(&self, values: &[Box<[u32]>]) -> Self {
        with_default(|| self.rebuilt(Some(values), |_, _, _| None))
    }

    /// The program where closed loops, which depend on nothing from outside, are constants.
    ///
    /// A loop stays where it takes more than [`CLOSED_LOOP_OPERATIONS`] or, with all others,
    /// [`CLOSED_LOOPS_OPERATIONS`], or might take more than `max_iterations` rounds. The core's
    /// evaluator computes the constants, so no bit of an output changes.
    #[must_use]
    pub fn with_closed_loops_evaluated(&self, max_iterations: u64) -> Cow<'_, Self> {
        let closed = self.closed_loops();
        if closed.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut budget = Budget {
            each: CLOSED_LOOP_OPERATIONS.min(max_iterations),
            all: CLOSED_LOOPS_OPERATIONS,
        };
        // Loops that stay, and all that depends on them: they are not tried again in a larger loop.
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
        Cow::Owned(with_default(|| self.rebuilt(None, evaluate)))
    }

    /// The loops that depend on nothing from outside: no input, uniform, resource or parameter of
    /// another loop.
    fn closed_loops(&self) -> FxHashSet<NodeId> {
        let from = &self.graph;
        // Parameters of loops count as closed here.
        let mut closed: FxHashSet<NodeId> = FxHashSet::default();
        let mut loops = FxHashSet::default();
        for id in from.needed_by(self.outputs.iter().map(|output| output.node)) {
            let is_closed = match from.node(id) {
                Node::Constant(..) | Node::Param(..) => true,
                Node::Input(_) | Node::Uniform(..) => false,
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

    /// The same program made node by node, with these values of the uniforms, if there are any.
    /// `evaluate` gets each node of this graph with the new graph and its node there, and may give
    /// the words of a constant that replaces it.
    fn rebuilt(
        &self,
        values: Option<&[Box<[u32]>]>,
        mut evaluate: impl FnMut(&Graph, NodeId, NodeId) -> Option<Box<[u32]>>,
    ) -> Self {
        let from = &self.graph;
        let mut graph = Graph::default();
        *graph.types_mut() = from.types().clone();
        let mut loops: FxHashMap<LoopId, LoopId> = FxHashMap::default();
        let mut map: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let needed = from.needed_by(self.outputs.iter().map(|output| output.node));
        for &id in &needed {
            let span = from.span(id);
            let all = |old: &[NodeId]| -> Vec<NodeId> { old.iter().map(|o| map[o]).collect() };
            let mut renamed = |graph: &mut Graph, of: LoopId| {
                *loops.entry(of).or_insert_with(|| graph.begin_loop())
            };
            let new = match from.node(id) {
                Node::Constant(ty, words) => graph.constant(*ty, words, span),
                Node::Uniform(index, ty) => match values {
                    Some(values) => graph.constant(*ty, &values[*index as usize], span),
                    None => graph.uniform(*index, *ty, span),
                },
                Node::Input(input) => graph.input(*input, span),
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
                    let (new, old) = (renamed(&mut graph, *of), from.loop_(*of));
                    let (params, inits) = (all(&old.params), all(&old.inits));
                    graph.finish_loop(new, params, inits, map[&old.body], old.span)
                }
            };
            let new = match evaluate(&graph, id, new) {
                Some(words) => graph.constant(graph.value_type(new), &words, span),
                None => new,
            };
            if let Some(name) = from.name(id) {
                graph.set_name(new, name);
            }
            map.insert(id, new);
        }
        for id in needed {
            if let Some(neighbour) = from.neighbour_of(id)
                && let Some(&of) = map.get(&neighbour.of)
            {
                graph.set_neighbour(map[&id], Neighbour { of, ..neighbour });
            }
        }
        let mut outputs = self.outputs.clone();
        outputs.iter_mut().for_each(|output| output.node = map[&output.node]);
        let (uniforms, constants) = (self.uniforms.clone(), self.constants.clone());
        let mut fixed = Self { graph, outputs, uniforms, constants, discard: None };
        // Where the outputs do not choose by it any more, it is known.
        fixed.discard =
            self.discard.and_then(|of| fixed.discard_with(*map.get(&of.condition)?, of));
        fixed
    }
}

/// How many operations closed loops may still execute.
struct Budget {
    each: u64,
    all: u64,
}

impl Budget {
    /// The words of a closed loop, if few enough operations compute it.
    fn evaluate(&mut self, graph: &Graph, node: NodeId) -> Option<Box<[u32]>> {
        let allowed = self.each.min(self.all);
        if allowed == 0 {
            return None;
        }
        let mut left = Some(allowed);
        let words = constant(graph, node, &mut left).ok();
        // A loop that does not end takes all that it may.
        self.all -= allowed - left.unwrap_or_default();
        words
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
        // A loop that counts from the uniform down to one.
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
        let fixed = |gain: f32| core.with_uniforms_fixed(&[[gain.to_bits()].into()]);
        let constant = fixed(1.0);
        let node = constant.outputs[0].node;
        assert_eq!(constant.graph.constant_words(node), Some(&[2f32.to_bits()][..]));
        let looping = fixed(3.0);
        let node = looping.outputs[0].node;
        assert!(matches!(looping.graph.node(node), Node::Loop(_)));
        assert!(!looping.graph.depends_on_inputs(node));
    }

    /// Adds an output that is a loop which counts from `first` by `step` to `end`.
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
            // More rounds than are asked for.
            (1.0, 8.0, 7, None),
            // More than one loop may have.
            (1.0, 16_000_000.0, u64::MAX, None),
            // It never ends.
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
        // Loops that do not end, and one behind them that does.
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
        // With one less of them there is something left.
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
