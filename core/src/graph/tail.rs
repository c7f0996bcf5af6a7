//! Completion of a loop once its body is known: drops dead parameters, and turns shared decisions in the body
//! into data, so that the tail becomes a tree.
//!
//! # Shared tails
//!
//! A tail is a decision: `If`s that end in `Rec` or in a value. A named tail can be reached from several
//! arms, as in `(let ((k (if c (rec …) v))) (if a k (if b k w)))`. Structured control flow has no place for
//! such a node, and copying it would be exponential. So a shared `If` of tails is *reified*: its continuation
//! flag, each argument of its `Rec` and its value become values of their own, made of lazy `If`s over the
//! same conditions. (One `If` makes all arguments, which are evaluated together.) Each use becomes `(if
//! goes-on (rec argument …) value)`. Such a value has no meaning in some arms; these arms are omitted, since
//! they are never demanded. A decision by the case of a variant keeps the arm, with a zero, so that a field
//! is still read only where the case is known.

use super::{ExprType, Graph, Loop, LoopId, Node, NodeId};
use crate::op::Op;
use crate::source::Span;
use crate::types::{Field, Structure, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A reified tail. `None`: the tail never continues, or never yields a value.
#[derive(Clone)]
struct Reified {
    goes_on: NodeId,
    arguments: Option<Vec<NodeId>>,
    value: Option<NodeId>,
}

impl Graph {
    /// Completes a loop. `body` has type `Rec τ`; its `Rec`s belong to `of` and have one argument for each of
    /// `params`.
    pub fn finish_loop(
        &mut self,
        of: LoopId,
        params: Vec<NodeId>,
        inits: Vec<NodeId>,
        body: NodeId,
        span: Span,
    ) -> NodeId {
        let ExprType::Rec(ty) = self.expr_type(body) else {
            unreachable!("the caller has checked the type of the body")
        };
        let keep = self.live_params(of, &params, &inits, body);
        let select = |all: &[NodeId]| -> Vec<NodeId> {
            keep.iter().zip(all).filter(|(keep, _)| **keep).map(|(_, &id)| id).collect()
        };
        let (params, inits) = (select(&params), select(&inits));
        let body = self.rebuild_tail(body, &keep);
        self.set_loop(of, Loop { params, inits, body, ty, span })
    }

    /// The nodes of the tail under `root`, each `If` and leaf once, arms before their `If`; and the `If`s
    /// that are reached more than once.
    fn tail_nodes(&self, root: NodeId) -> (Vec<NodeId>, FxHashSet<NodeId>) {
        let (mut seen, mut shared) = (FxHashSet::default(), FxHashSet::default());
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let tail_if = self.tail_arms(id);
            if !seen.insert(id) {
                if tail_if.is_some() {
                    shared.insert(id);
                }
                continue;
            }
            stack.extend(tail_if.into_iter().flatten());
        }
        let mut all: Vec<NodeId> = seen.into_iter().collect();
        all.sort_unstable();
        (all, shared)
    }

    /// The leaves of the tail under `root`: `Rec` nodes and values.
    pub fn tail_leaves(&self, root: NodeId) -> Vec<NodeId> {
        let (all, _) = self.tail_nodes(root);
        all.into_iter().filter(|&id| self.tail_arms(id).is_none()).collect()
    }

    /// The arms of an `If` of tails; `None` for a leaf.
    pub fn tail_arms(&self, id: NodeId) -> Option<[NodeId; 2]> {
        match *self.node(id) {
            Node::If([_, then, otherwise]) if self.expr_type(id).value().is_none() => {
                Some([then, otherwise])
            }
            _ => None,
        }
    }

    /// The live parameters: those that a condition or a result needs, directly or through later rounds, and
    /// those whose arguments might not end (they must be evaluated).
    fn live_params(
        &self,
        of: LoopId,
        params: &[NodeId],
        inits: &[NodeId],
        body: NodeId,
    ) -> Vec<bool> {
        let (tail, _) = self.tail_nodes(body);
        let mut recs: Vec<&[NodeId]> = Vec::new();
        let mut demanded = Vec::new();
        for &id in &tail {
            match self.node(id) {
                Node::Rec(_, arguments) => recs.push(arguments),
                Node::If([condition, ..]) if self.tail_arms(id).is_some() => {
                    demanded.push(*condition);
                }
                _ => demanded.push(id),
            }
        }
        let position: FxHashMap<NodeId, usize> =
            params.iter().enumerate().map(|(i, &p)| (p, i)).collect();
        let mut live = vec![false; params.len()];
        for (i, init) in inits.iter().enumerate() {
            if self.may_diverge(*init) || recs.iter().any(|r| self.may_diverge(r[i])) {
                live[i] = true;
                demanded.extend(recs.iter().map(|r| r[i]));
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(id) = demanded.pop() {
            if !self.depends_on(id, of) || !seen.insert(id) {
                continue;
            }
            if let Some(&i) = position.get(&id) {
                if !std::mem::replace(&mut live[i], true) {
                    demanded.extend(recs.iter().map(|r| r[i]));
                }
                continue;
            }
            demanded.extend_from_slice(self.operands(id));
            if let Node::Loop(inner) = self.node(id) {
                demanded.push(self.loop_(*inner).body);
            }
        }
        live
    }

    /// The tail without dead arguments and with shared `If`s reified.
    fn rebuild_tail(&mut self, root: NodeId, keep: &[bool]) -> NodeId {
        let (tail, shared) = self.tail_nodes(root);
        if shared.is_empty() && keep.iter().all(|&k| k) {
            return root;
        }
        let mut rebuilt: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut reified: FxHashMap<NodeId, Reified> = FxHashMap::default();
        let inside_shared = self.below(&shared);
        for id in tail {
            let span = self.span(id);
            let (new, parts) = match self.node(id).clone() {
                Node::Rec(of, arguments) => {
                    let kept = keep.iter().zip(&arguments).filter(|(k, _)| **k);
                    let arguments: Vec<NodeId> = kept.map(|(_, &a)| a).collect();
                    let goes_on = self.bool(true, Span::default());
                    let parts =
                        Reified { goes_on, arguments: Some(arguments.clone()), value: None };
                    (self.rec(of, arguments, span), parts)
                }
                Node::If([condition, then, otherwise]) if self.tail_arms(id).is_some() => {
                    let of = self.loop_of_tail(id);
                    if inside_shared.contains(&id) {
                        let parts = self.join(
                            condition,
                            reified[&then].clone(),
                            reified[&otherwise].clone(),
                            span,
                        );
                        (self.tail_from(of, &parts, span), parts)
                    } else {
                        let arms = [condition, rebuilt[&then], rebuilt[&otherwise]];
                        rebuilt.insert(id, self.if_(arms, span));
                        continue;
                    }
                }
                _ => {
                    let goes_on = self.bool(false, Span::default());
                    (id, Reified { goes_on, arguments: None, value: Some(id) })
                }
            };
            rebuilt.insert(id, new);
            reified.insert(id, parts);
        }
        self.unshare(rebuilt[&root])
    }

    /// Unfolds the tail into a tree: an `If` reached again is added again. Rebuilt `If`s can be equal where
    /// the originals were not, and a reified `If` has several uses by nature. The tree is no larger than the
    /// original tail plus these uses.
    fn unshare(&mut self, root: NodeId) -> NodeId {
        let (mut seen, mut done) = (FxHashSet::default(), Vec::new());
        let mut stack = vec![(root, false)];
        while let Some((id, arms_done)) = stack.pop() {
            let Some([then, otherwise]) = self.tail_arms(id) else {
                done.push(id);
                continue;
            };
            if !arms_done {
                stack.extend([(id, true), (otherwise, false), (then, false)]);
                continue;
            }
            let new_arms = done.split_off(done.len() - 2);
            if seen.insert(id) && new_arms == [then, otherwise] {
                done.push(id);
            } else {
                let condition = self.operands(id)[0];
                let node = Node::If([condition, new_arms[0], new_arms[1]]);
                done.push(self.push(node, self.span(id)));
            }
        }
        done.pop().expect("the root leaves one")
    }

    /// The tail nodes at or below any of `roots`.
    fn below(&self, roots: &FxHashSet<NodeId>) -> FxHashSet<NodeId> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<NodeId> = roots.iter().copied().collect();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.tail_arms(id).into_iter().flatten());
            }
        }
        seen
    }

    fn loop_of_tail(&self, mut id: NodeId) -> LoopId {
        loop {
            match *self.node(id) {
                Node::Rec(of, _) => return of,
                Node::If([_, then, otherwise]) => {
                    id = if self.expr_type(then).value().is_none() { then } else { otherwise };
                }
                _ => unreachable!("a tail of type Rec τ or PureRec has a Rec below it"),
            }
        }
    }

    fn join(&mut self, condition: NodeId, a: Reified, b: Reified, span: Span) -> Reified {
        let goes_on = self.if_([condition, a.goes_on, b.goes_on], span);
        let values = [a.value, b.value].map(|value| value.map(|value| vec![value]));
        let value = self.either(condition, values, span).map(|value| value[0]);
        let arguments = self.either(condition, [a.arguments, b.arguments], span);
        Reified { goes_on, arguments, value }
    }

    /// Chooses between two lists of values, or takes the only one. Of the result all values are evaluated, or
    /// none.
    fn either(
        &mut self,
        condition: NodeId,
        [a, b]: [Option<Vec<NodeId>>; 2],
        span: Span,
    ) -> Option<Vec<NodeId>> {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) if self.needs_question(condition, true, &a) => {
                let zeros = self.zeros(&a);
                (a, zeros)
            }
            (None, Some(b)) if self.needs_question(condition, false, &b) => (self.zeros(&b), b),
            (a, b) => return a.or(b),
        };
        Some(self.choose_each(condition, &a, &b, span))
    }

    /// True if `condition` compares a tag, and some of `values` is not already zero where the condition is
    /// not `is_true`. (So reading a reified tail back from text does not reify it further.)
    fn needs_question(&self, condition: NodeId, is_true: bool, values: &[NodeId]) -> bool {
        if values.iter().any(|&value| self.types().holds_state(self.value_type(value))) {
            // A state has no zero.
            return false;
        }
        let is_zero = |id: NodeId| {
            self.constant_words(id).is_some_and(|words| words.iter().all(|&word| word == 0))
        };
        let is_guarded = |&value: &NodeId| {
            let of = match self.node(value) {
                Node::Op(Op::Field(_), operands) => operands[0],
                _ => value,
            };
            let Node::If([asked, then, otherwise]) = *self.node(of) else { return is_zero(value) };
            let other = |is_same: bool| if is_same == is_true { otherwise } else { then };
            self.is_same_question(asked, condition).is_some_and(|same| is_zero(other(same)))
        };
        self.asks_for_case(condition) && !values.iter().all(is_guarded)
    }

    /// `Some(true)` if two conditions are equal, `Some(false)` if one negates the other.
    fn is_same_question(&self, a: NodeId, b: NodeId) -> Option<bool> {
        match (self.node(a), self.node(b)) {
            _ if a == b => Some(true),
            (Node::Op(Op::Equal, of), Node::Op(Op::NotEqual, than))
            | (Node::Op(Op::NotEqual, of), Node::Op(Op::Equal, than))
                if of == than =>
            {
                Some(false)
            }
            _ => None,
        }
    }

    /// A zero of the type of each value.
    fn zeros(&mut self, like: &[NodeId]) -> Vec<NodeId> {
        let zero = |&like: &NodeId| {
            let ty = self.value_type(like);
            self.constant(ty, &vec![0; self.types().components(ty)], Span::default())
        };
        like.iter().map(zero).collect()
    }

    /// Selects pairwise between two lists of which all values are evaluated, or none. Several differing pairs
    /// share one `If`, of a structure.
    fn choose_each(
        &mut self,
        condition: NodeId,
        a: &[NodeId],
        b: &[NodeId],
        span: Span,
    ) -> Vec<NodeId> {
        let may_diverge = self.may_diverge(condition);
        let differs = |(a, b): &(&NodeId, &NodeId)| a != b || may_diverge;
        let (then, otherwise): (Vec<NodeId>, Vec<NodeId>) = a.iter().zip(b).filter(differs).unzip();
        let fields = (0..).zip(&then).map(|(k, &value): (u32, _)| Field {
            name: k.to_string().into(),
            ty: self.value_type(value),
            is_generic: false,
        });
        let structure = Structure { name: "Arguments".into(), fields: fields.collect() };
        // A single value, or values too large for a structure, get an `If` each.
        let ty = (then.len() > 1).then(|| self.types_mut().add_structure(structure).ok()).flatten();
        let Some(ty) = ty else {
            return a.iter().zip(b).map(|(&a, &b)| self.if_([condition, a, b], span)).collect();
        };
        let arms = [then, otherwise].map(|arm| self.op(Op::Construct(ty), arm, span));
        let chosen = self.if_([condition, arms[0], arms[1]], span);
        let mut fields = 0..;
        let choose = |pair: (&NodeId, &NodeId)| match differs(&pair) {
            true => self.op(Op::Field(fields.next().expect("it has no end")), vec![chosen], span),
            false => *pair.0,
        };
        a.iter().zip(b).map(choose).collect()
    }

    fn tail_from(&mut self, of: LoopId, parts: &Reified, span: Span) -> NodeId {
        debug_assert_eq!(self.value_type(parts.goes_on), Type::BOOL);
        match (&parts.arguments, parts.value) {
            (Some(arguments), Some(value)) => {
                let next = self.rec(of, arguments.clone(), span);
                self.if_([parts.goes_on, next, value], span)
            }
            (Some(arguments), None) => {
                // Both arms continue. The condition stays, since its evaluation might not end.
                let next = self.rec(of, arguments.clone(), span);
                match self.constant_words(parts.goes_on) {
                    Some(_) => next,
                    None => self.if_([parts.goes_on, next, next], span),
                }
            }
            (None, Some(value)) => value,
            (None, None) => unreachable!("a tail does something"),
        }
    }
}
