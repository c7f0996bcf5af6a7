//! Guards that compilers put around operations which SPIR-V leaves undefined in some cases, and which are
//! total here: a divisor that is never zero, an index that is clamped. They say what the operation of the core
//! says by itself, so they are taken off, for every value.

use super::raiser::Raiser;
use lambdav_core::graph::{Node, NodeId};
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type};

impl Raiser<'_, '_> {
    /// The operation and the operands of a node, if it is one.
    fn made_of(&self, node: NodeId) -> Option<(Core, &[NodeId])> {
        match self.graph.node(node) {
            Node::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    /// Whether all components of a constant are that word.
    fn is_word(&self, node: NodeId, word: u32) -> bool {
        self.graph.constant_words(node).is_some_and(|words| words.iter().all(|&of| of == word))
    }

    /// An equal node for an operation, where there is a simpler one.
    pub(super) fn unguarded(&mut self, op: Core, operands: &[NodeId]) -> Option<NodeId> {
        match (op, operands) {
            (Core::And | Core::Or, &[a, b]) if self.type_of(a).is_bool() => {
                // What leaves the other operand, and what is the result whatever that is.
                let (neutral, other) = if op == Core::And { (1, 0) } else { (0, 1) };
                [(a, b), (b, a)].into_iter().find_map(|(one, rest)| {
                    match (self.is_word(one, neutral), self.is_word(one, other)) {
                        (true, _) => Some(rest),
                        (_, true) => Some(one),
                        _ => None,
                    }
                })
            }
            (Core::Select, &[condition, then, otherwise]) => {
                match (self.is_word(condition, 1), self.is_word(condition, 0)) {
                    (true, _) => Some(then),
                    (_, true) => Some(otherwise),
                    _ => None,
                }
            }
            (Core::Convert(to), &[of]) if matches!(to, Scalar::I32 | Scalar::U32) => {
                match self.made_of(of)? {
                    (Core::Convert(Scalar::I32 | Scalar::U32), &[inner])
                        if self.type_of(inner).scalar() == Some(to) =>
                    {
                        Some(inner)
                    }
                    _ => None,
                }
            }
            (Core::Div, &[a, divisor]) if self.type_of(a).is_integer() => {
                let b = self.divisor(a, divisor)?;
                Some(self.graph.op(op, vec![a, b], self.span))
            }
            (Core::At | Core::Element | Core::Update, &[of, index, ..]) => {
                let ty = self.type_of(of);
                let last = (self.graph.types().parts(ty).len() as u32).checked_sub(1);
                let index = self.loose(index, |s, end| match op {
                    Core::Element => s.is_last(end, Core::Length, &[of]),
                    _ => last.is_some_and(|last| s.is_word(end, last)),
                })?;
                let mut operands = operands.to_vec();
                operands[1] = index;
                Some(self.graph.op(op, operands, self.span))
            }
            (Core::Texel, &[of, place, level]) => {
                let place =
                    self.loose(place, |s, end| s.is_last(end, Core::TextureSize, &[of, level]))?;
                Some(self.graph.op(op, vec![of, place, level], self.span))
            }
            _ => None,
        }
    }

    /// What is divided by, where a divisor is 1 exactly when the dividend is the quotient.
    fn divisor(&self, a: NodeId, divisor: NodeId) -> Option<NodeId> {
        let (Core::Select, &[condition, one, b]) = self.made_of(divisor)? else { return None };
        let is = |node: NodeId, of: NodeId, word: u32| match self.made_of(node) {
            Some((Core::Equal, &[x, y])) => {
                x == of && self.is_word(y, word) || y == of && self.is_word(x, word)
            }
            _ => false,
        };
        let is_zero = |node| is(node, b, 0);
        let overflows = |node| match self.made_of(node) {
            Some((Core::And, &[x, y])) => {
                [(x, y), (y, x)].into_iter().any(|(x, y)| is(x, a, 1 << 31) && is(y, b, u32::MAX))
            }
            _ => false,
        };
        let is_signed = self.type_of(a).scalar() == Some(Scalar::I32);
        let guards = |node| is_zero(node) || is_signed && overflows(node);
        let holds = guards(condition)
            || matches!(self.made_of(condition), Some((Core::Or, &[x, y])) if guards(x) && guards(y));
        (self.is_word(one, 1) && holds).then_some(b)
    }

    /// An index without what makes it lie inside; `None` if there is no such thing.
    fn loose(&self, index: NodeId, is_last: impl Fn(&Self, NodeId) -> bool) -> Option<NodeId> {
        let inner = |s: &Self, node, op, bound: &dyn Fn(NodeId) -> bool| match s.made_of(node) {
            Some((found, &[x, end])) if found == op && bound(end) => Some(x),
            Some((found, &[end, x])) if found == op && bound(end) => Some(x),
            _ => None,
        };
        let is_signed = self.type_of(index).scalar() == Some(Scalar::I32);
        let is_zero = |node| is_signed && self.is_word(node, 0);
        let below = inner(self, index, Core::Min, &|end| is_last(self, end));
        let outer = below.unwrap_or(index);
        inner(self, outer, Core::Max, &is_zero).or(below)
    }

    /// Whether a node is one less than what an operation gives.
    fn is_last(&self, node: NodeId, op: Core, operands: &[NodeId]) -> bool {
        let Some((Core::Sub, &[count, one])) = self.made_of(node) else { return false };
        let is_it = |of| self.made_of(of) == Some((op, operands));
        // A length as a uint is the same number.
        let is_converted =
            matches!(self.made_of(count), Some((Core::Convert(Scalar::U32), &[of])) if is_it(of));
        self.is_word(one, 1) && (is_it(count) || is_converted && self.type_of(count) == Type::UINT)
    }
}
