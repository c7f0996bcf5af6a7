//! Finds fields of variants that are read where the variant's case is unknown.
//!
//! A variant may be of another case at a neighbour than here. So a derivative may read a field only where its
//! own expression has determined the case. This is a forward data-flow analysis from the expression: its
//! facts are the possible cases of the variant where a node is evaluated. An `If` passes to each arm the
//! cases in which its condition may be true, or false. A condition is understood if it consists of
//! comparisons of the tag. That includes decisions that became data (`tail`), whose arms omit values that are
//! never demanded.

use super::{Graph, Node, NodeId};
use crate::op::Op;
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of cases of one variant.
#[derive(Clone, PartialEq, Eq)]
struct Cases(Box<[u64]>);

impl Cases {
    /// The cases, of `count`, for which `is_in` holds.
    fn of(count: u32, is_in: impl Fn(u32) -> bool) -> Self {
        let word = |first: u32| {
            let last = count.min(first + 64);
            (first..last)
                .filter(|&case| is_in(case))
                .fold(0, |word, case| word | 1 << (case - first))
        };
        Self((0..count).step_by(64).map(word).collect())
    }

    fn with(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(&a, &b)| combine(a, b)).collect())
    }

    fn and(&self, other: &Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    fn or(&self, other: &Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

/// The cases in which a condition may be true, and those in which it may be false.
#[derive(Clone)]
struct Answer {
    yes: Cases,
    no: Cases,
}

impl Graph {
    /// A field of a variant read below `root` where the case is unknown; and the number of nodes visited.
    pub fn undecided_field(&self, root: NodeId) -> (Option<NodeId>, usize) {
        let (mut scrutinees, mut seen) = (Vec::new(), FxHashSet::default());
        let nodes = self.unknown_below([root], |_| false);
        let mut looked_at = nodes.len();
        for &id in &nodes {
            if let Node::Op(Op::Payload(..), operands) = self.node(id)
                && !self.has_known_case(operands[0])
                && seen.insert(operands[0])
            {
                scrutinees.push(operands[0]);
            }
        }
        for scrutinee in scrutinees {
            let (found, count) = self.undecided_field_of(&nodes, root, scrutinee);
            looked_at += count;
            if found.is_some() {
                return (found, looked_at);
            }
        }
        (None, looked_at)
    }

    /// The node under all `After`s.
    fn awaited(&self, mut id: NodeId) -> NodeId {
        while let Node::Op(Op::After, operands) = self.node(id) {
            id = operands[0];
        }
        id
    }

    /// True if a condition compares the tag of a variant.
    pub(super) fn asks_for_case(&self, condition: NodeId) -> bool {
        let Node::Op(Op::Equal | Op::NotEqual, operands) = self.node(self.awaited(condition))
        else {
            return false;
        };
        matches!(self.node(self.awaited(operands[0])), Node::Op(Op::Tag, _))
    }

    /// True if a variant has the same case wherever it is evaluated.
    fn has_known_case(&self, of: NodeId) -> bool {
        let of = self.awaited(of);
        matches!(self.node(of), Node::Constant(..) | Node::Op(Op::Inject(..), _))
    }

    /// The same for one variant. `nodes` ascend and end with `root`.
    fn undecided_field_of(
        &self,
        nodes: &[NodeId],
        root: NodeId,
        scrutinee: NodeId,
    ) -> (Option<NodeId>, usize) {
        let ty = self.value_type(scrutinee);
        let count = self.types().variant(ty).map_or(0, |variant| variant.cases.len() as u32);
        let all = Cases::of(count, |_| true);
        let answers = self.answers(nodes, scrutinee, count);
        let mut flow =
            Flow { cases: FxHashMap::default(), changed: Vec::new(), steps: nodes.len() };
        flow.reach(root, &all);
        while let Some(id) = flow.changed.pop() {
            let here = flow.cases[&id].clone();
            match self.node(id) {
                Node::Op(Op::Payload(of, _), operands)
                    if operands[0] == scrutinee && here != Cases::of(count, |case| case == *of) =>
                {
                    return (Some(id), flow.steps);
                }
                Node::If([condition, then, otherwise]) => {
                    flow.reach(*condition, &here);
                    let [yes, no] = match answers.get(condition) {
                        Some(Answer { yes, no }) => [here.and(yes), here.and(no)],
                        None => [here.clone(), here],
                    };
                    flow.reach(*then, &yes);
                    flow.reach(*otherwise, &no);
                    continue;
                }
                Node::Loop(of) => flow.reach(self.loop_(*of).body, &here),
                _ => {}
            }
            for &operand in self.operands(id) {
                flow.reach(operand, &here);
            }
        }
        (None, flow.steps)
    }

    /// The possible cases for each bool among `nodes` that depends on comparisons of the scrutinee's tag.
    fn answers(
        &self,
        nodes: &[NodeId],
        scrutinee: NodeId,
        count: u32,
    ) -> FxHashMap<NodeId, Answer> {
        let mut answers: FxHashMap<NodeId, Answer> = FxHashMap::default();
        let all = || Cases::of(count, |_| true);
        let none = || Cases::of(count, |_| false);
        for &id in nodes {
            if self.expr_type(id).value() != Some(Type::BOOL) {
                continue;
            }
            let of = |id: &NodeId| match self.constant_words(*id) {
                Some([0]) => Answer { yes: none(), no: all() },
                Some(_) => Answer { yes: all(), no: none() },
                None => {
                    answers.get(id).cloned().unwrap_or_else(|| Answer { yes: all(), no: all() })
                }
            };
            let answer = match self.node(id) {
                Node::Op(op @ (Op::Equal | Op::NotEqual), operands) => {
                    let Some(asked) = self.asked_case(operands, scrutinee) else { continue };
                    let is_it = Cases::of(count, |case| case == asked);
                    let is_other = Cases::of(count, |case| case != asked);
                    match op {
                        Op::Equal => Answer { yes: is_it, no: is_other },
                        _ => Answer { yes: is_other, no: is_it },
                    }
                }
                Node::Op(Op::Not, operands) => {
                    let Answer { yes, no } = of(&operands[0]);
                    Answer { yes: no, no: yes }
                }
                Node::Op(Op::After, operands) => of(&operands[0]),
                Node::Op(op @ (Op::And | Op::Or), operands) => {
                    let [a, b] = [0, 1].map(|i| of(&operands[i]));
                    match op {
                        Op::And => Answer { yes: a.yes.and(&b.yes), no: a.no.or(&b.no) },
                        _ => Answer { yes: a.yes.or(&b.yes), no: a.no.and(&b.no) },
                    }
                }
                Node::If(parts) => {
                    let [c, a, b] = [0, 1, 2].map(|i| of(&parts[i]));
                    let yes = c.yes.and(&a.yes).or(&c.no.and(&b.yes));
                    let no = c.yes.and(&a.no).or(&c.no.and(&b.no));
                    Answer { yes, no }
                }
                _ => continue,
            };
            answers.insert(id, answer);
        }
        answers
    }

    /// The case with which a comparison compares the scrutinee's tag.
    fn asked_case(&self, operands: &[NodeId], scrutinee: NodeId) -> Option<u32> {
        let Node::Op(Op::Tag, of) = self.node(self.awaited(operands[0])) else { return None };
        let case = self.constant_words(operands[1])?[0];
        (of[0] == scrutinee).then_some(case)
    }
}

/// The data-flow facts: the cases that reach each node.
struct Flow {
    cases: FxHashMap<NodeId, Cases>,
    /// Worklist: nodes reached by more cases since their last visit.
    changed: Vec<NodeId>,
    steps: usize,
}

impl Flow {
    fn reach(&mut self, id: NodeId, cases: &Cases) {
        self.steps += 1;
        if cases.is_empty() {
            return;
        }
        let known = self.cases.get(&id);
        let more = known.map_or_else(|| cases.clone(), |known| known.or(cases));
        if known != Some(&more) {
            self.cases.insert(id, more);
            self.changed.push(id);
        }
    }
}
