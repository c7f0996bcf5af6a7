//! Removes guards that compilers put around operations which are undefined in SPIR-V for some operands
//! but total in the core: a non-zero divisor, a clamped index. The core's operation gives the same
//! result without the guard, for every value.

use super::raiser::Raiser;
use lambdav_core::graph::{Node, NodeId};
use lambdav_core::op::{NAN, Op as Core};
use lambdav_core::types::{Scalar, Type};

impl Raiser<'_, '_> {
    /// The operation and the operands of a node, unless it is of another kind.
    fn made_of(&self, node: NodeId) -> Option<(Core, &[NodeId])> {
        match self.graph.node(node) {
            Node::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    /// True if a node is a constant whose components all are that word.
    fn is_word(&self, node: NodeId, word: u32) -> bool {
        self.graph.constant_words(node).is_some_and(|words| words.iter().all(|&of| of == word))
    }

    /// A simpler node with the same value as an operation, if there is one.
    pub(super) fn unguarded(&mut self, op: Core, operands: &[NodeId]) -> Option<NodeId> {
        match (op, operands) {
            (Core::And | Core::Or, &[a, b]) if self.type_of(a).is_bool() => {
                // The neutral operand leaves the other one; the absorbing operand is the result.
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
                self.chosen(condition, then, otherwise)
            }
            (Core::Sub, &[a, product]) if self.type_of(a).is_integer() => {
                let b = self.remainder(a, product)?;
                Some(self.graph.op(Core::Rem, vec![a, b], self.span))
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

    /// A simpler node with the same value as a select, if there is one.
    fn chosen(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Option<NodeId> {
        if self.is_word(condition, 1) {
            return Some(then);
        }
        if self.is_word(condition, 0) {
            return Some(otherwise);
        }
        let of_bools = self.type_of(condition) == self.type_of(then);
        let (op, operands) = match self.made_of(condition) {
            // `x < y ? x : y` and `x < y ? y : x` are the core's definitions.
            Some((Core::Less, &[x, y])) if (then, otherwise) == (x, y) => (Core::Min, vec![y, x]),
            Some((Core::Less, &[x, y])) if (then, otherwise) == (y, x) => (Core::Max, vec![x, y]),
            // A condition that broadcasts one bool to all components.
            Some((Core::Construct(_), &[first, ref rest @ ..]))
                if rest.iter().all(|&part| part == first) =>
            {
                (Core::Select, vec![first, then, otherwise])
            }
            // `Bits` already gives the canonical NaN.
            Some((Core::Equal, &[x, y]))
                if x == y
                    && self.is_word(otherwise, NAN)
                    && self.made_of(then) == Some((Core::Bits, &[x])) =>
            {
                return Some(then);
            }
            Some((Core::LessEqual, &[limit, x])) => {
                let to = self.saturated(x, limit, [then, otherwise])?;
                (Core::Convert(to), vec![x])
            }
            _ if of_bools && otherwise == condition => (Core::And, vec![condition, then]),
            _ if of_bools && then == condition => (Core::Or, vec![condition, otherwise]),
            _ => return None,
        };
        Some(self.graph.op(op, operands, self.span))
    }

    /// Recognises a guarded conversion to integers: `limit <= x` chooses between the largest integer and
    /// the conversion of x, which is raised to the smallest integer and is 0 if not below the limit.
    /// Returns the integer type.
    fn saturated(&self, x: NodeId, limit: NodeId, [last, rest]: [NodeId; 2]) -> Option<Scalar> {
        let (Core::Convert(to), &[inside]) = self.made_of(rest)? else { return None };
        let (first, end, most) = match to {
            Scalar::I32 => (-2_147_483_648.0_f32, 2_147_483_648.0_f32, i32::MAX as u32),
            Scalar::U32 => (0.0, 4_294_967_296.0, u32::MAX),
            Scalar::F32 | Scalar::Bool => return None,
        };
        let is_end = |node| self.is_word(node, end.to_bits());
        let (Core::Select, &[is_below, raised, zero]) = self.made_of(inside)? else { return None };
        let (Core::Less, &[compared, bound]) = self.made_of(is_below)? else { return None };
        let (Core::Max, &[of, least]) = self.made_of(raised)? else { return None };
        let holds = is_end(limit)
            && is_end(bound)
            && compared == raised
            && of == x
            && self.is_word(least, first.to_bits())
            && self.is_word(zero, 0)
            && self.is_word(last, most);
        holds.then_some(to)
    }

    /// The divisor b of a remainder `a − (a / b)·b`.
    fn remainder(&self, a: NodeId, product: NodeId) -> Option<NodeId> {
        let (Core::Mul, &[quotient, divisor]) = self.made_of(product)? else { return None };
        let (Core::Div, &[dividend, b]) = self.made_of(quotient)? else { return None };
        // A non-zero constant divisor needs no guard.
        let is_safe = divisor == b
            && self.graph.constant_words(b).is_some_and(|words| words.iter().all(|&of| of != 0));
        (dividend == a && (is_safe || self.divisor(a, divisor) == Some(b))).then_some(b)
    }

    /// The divisor b behind a guard that divides by 1 if b is 0 or the quotient overflows: the quotient
    /// is then the dividend.
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

    /// The other operand of a minimum or a maximum, if one is such a bound.
    fn bounded(&self, node: NodeId, op: Core, is_bound: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        match self.made_of(node) {
            Some((found, &[x, end])) if found == op && is_bound(end) => Some(x),
            Some((found, &[end, x])) if found == op && is_bound(end) => Some(x),
            _ => None,
        }
    }

    /// An index without the clamps that keep it in bounds; `None` if it has none.
    fn loose(&self, index: NodeId, is_last: impl Fn(&Self, NodeId) -> bool) -> Option<NodeId> {
        let is_signed = self.type_of(index).scalar() == Some(Scalar::I32);
        let is_zero = |node| is_signed && self.is_word(node, 0);
        let below = self.bounded(index, Core::Min, |end| is_last(self, end));
        let outer = below.unwrap_or(index);
        self.bounded(outer, Core::Max, is_zero).or(below)
    }

    /// True if an index is clamped to the elements of a buffer, from below too if it is signed.
    pub(super) fn stays_inside(&self, buffer: NodeId, index: NodeId) -> bool {
        let raised = |node| self.bounded(node, Core::Max, |end| self.is_word(end, 0));
        let lowered =
            |node| self.bounded(node, Core::Min, |end| self.is_last(end, Core::Length, &[buffer]));
        let is_signed = self.type_of(index).scalar() == Some(Scalar::I32);
        match is_signed {
            true => lowered(index).and_then(raised).or(raised(index).and_then(lowered)).is_some(),
            false => lowered(index).is_some(),
        }
    }

    /// True if a node is one less than the result of that operation.
    fn is_last(&self, node: NodeId, op: Core, operands: &[NodeId]) -> bool {
        let Some((Core::Sub, &[count, one])) = self.made_of(node) else { return false };
        let is_it = |of| self.made_of(of) == Some((op, operands));
        // Converting a length to a uint keeps the number.
        let is_converted =
            matches!(self.made_of(count), Some((Core::Convert(Scalar::U32), &[of])) if is_it(of));
        self.is_word(one, 1) && (is_it(count) || is_converted && self.type_of(count) == Type::UINT)
    }
}
