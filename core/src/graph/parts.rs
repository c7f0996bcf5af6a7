//! Simplification of operations that construct values and take parts of them.
//!
//! A part of a constructed value is the operand for that part. Construction evaluates all parts, so the
//! result comes after the other operands that might not end ([`Op::After`]).

use super::{Graph, Node, NodeId};
use crate::op::{Op, clamped_index};
use crate::source::Span;
use crate::types::{Type, TypeKind};

/// Most parts of a constructed value for which an update becomes a new construction. Larger values are not
/// written out for each update.
const WRITTEN_OUT: usize = 64;

impl Graph {
    /// The node's operation and operands; `None` for other nodes.
    fn operation(&self, id: NodeId) -> Option<(Op, &[NodeId])> {
        match self.node(id) {
            Node::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    /// The index of the part of `of` that a constant index selects.
    fn constant_index(&self, of: NodeId, index: NodeId) -> Option<usize> {
        let words = self.constant_words(index)?;
        let count = self.types().parts(self.value_type(of)).len();
        Some(clamped_index(self.value_type(index), words[0], count))
    }

    /// The index of the part that an operation takes of its first operand, if it is constant.
    fn part_taken(&self, op: Op, operands: &[NodeId]) -> Option<usize> {
        match (op, operands) {
            (Op::At, &[of, index]) => self.constant_index(of, index),
            _ => op.fixed_part(),
        }
    }

    /// An equal node for an operation whose operands are not all constant.
    pub(super) fn simplify_parts(
        &mut self,
        op: Op,
        operands: &[NodeId],
        span: Span,
    ) -> Option<NodeId> {
        match (op, operands) {
            (Op::After, &[value, ref others @ ..]) => {
                let others = others.to_vec();
                Some(self.part_after(value, others, span))
            }
            (Op::Construct(ty), parts) => self.whole_value(ty, parts),
            (Op::Update, &[whole, index, part]) => self.simplify_update(whole, index, part, span),
            // A part of a value after others is the part, after those others.
            (_, &[whole, ref rest @ ..]) => match self.operation(whole) {
                Some((Op::After, inner)) => {
                    let (value, others) = (inner[0], inner[1..].to_vec());
                    let operands = [&[value], rest].concat();
                    let part = self.op(op, operands, span);
                    Some(self.part_after(part, others, span))
                }
                _ => self.simplify_projection(op, operands, span),
            },
            _ => None,
        }
    }

    /// `value` after others for which its whole waited. A state still waits for effects, other values do not.
    fn part_after(&mut self, value: NodeId, others: Vec<NodeId>, span: Span) -> NodeId {
        match self.types().memory(self.value_type(value)) {
            Some(_) => self.waiting(value, others, span),
            None => self.after(value, others, span),
        }
    }

    /// The value of which `parts` are all parts, in order.
    fn whole_value(&self, ty: Type, parts: &[NodeId]) -> Option<NodeId> {
        let source = |(k, &part): (usize, &NodeId)| {
            let (op, operands) = self.operation(part)?;
            (self.part_taken(op, operands)? == k).then_some(operands[0])
        };
        let mut sources = parts.iter().enumerate().map(source);
        let first = sources.next()??;
        (self.value_type(first) == ty && sources.all(|s| s == Some(first))).then_some(first)
    }

    fn simplify_update(
        &mut self,
        whole: NodeId,
        index: NodeId,
        part: NodeId,
        span: Span,
    ) -> Option<NodeId> {
        let place = self.constant_index(whole, index)?;
        let (Op::Construct(ty), parts) = self.operation(whole)? else { return None };
        if parts.len() > WRITTEN_OUT {
            return None;
        }
        let mut parts = parts.to_vec();
        parts[place] = self.after(part, [parts[place]], span);
        Some(self.op(Op::Construct(ty), parts, span))
    }

    fn simplify_projection(&mut self, op: Op, operands: &[NodeId], span: Span) -> Option<NodeId> {
        let whole = operands[0];
        let part = self.part_taken(op, operands);
        if let (Some(part), Some((Op::Construct(_), parts))) = (part, self.operation(whole)) {
            let (value, others) = (parts[part], parts.to_vec());
            return Some(self.after(value, others, span));
        }
        match (op, self.operation(whole)) {
            (Op::At, Some((Op::Update, &[before, index, new]))) => {
                self.at_of_updates(operands[1], [before, index, new], span)
            }
            (Op::Component(_), Some((Op::Update, &[before, index, new]))) => {
                self.component_of_updates(op, part?, [before, index, new], span)
            }
            (Op::Tag, Some((Op::Inject(_, case), fields))) => {
                let fields = fields.to_vec();
                let tag = self.constant(Type::UINT, &[case], span);
                Some(self.after(tag, fields, span))
            }
            (Op::Payload(case, field), Some((Op::Inject(_, injected), fields)))
                if case == injected =>
            {
                let (value, others) = (fields[field as usize], fields.to_vec());
                Some(self.after(value, others, span))
            }
            (Op::At, _) => self.canonical_at(whole, operands[1], part?, span),
            _ => None,
        }
    }

    /// The part at `index` of a value made by a chain of updates; `update` is the operands of the last one.
    /// The chain may be long, so this does not recurse.
    fn at_of_updates(
        &mut self,
        index: NodeId,
        mut update: [NodeId; 3],
        span: Span,
    ) -> Option<NodeId> {
        let mut passed = Vec::new();
        let part = loop {
            let [before, place, new] = update;
            if index == place {
                break self.after(new, [before, index], span);
            }
            match [index, place].map(|index| self.constant_index(before, index)) {
                [Some(at), Some(place)] if at == place => break self.after(new, [before], span),
                [Some(_), Some(_)] => passed.push(new),
                _ => return None,
            }
            update = match self.operation(before) {
                Some((Op::Update, &[inner, place, new]))
                    if index == place || self.constant_index(inner, place).is_some() =>
                {
                    [inner, place, new]
                }
                _ => break self.op(Op::At, vec![before, index], span),
            };
        };
        Some(passed.into_iter().rev().fold(part, |part, new| self.after(part, [new], span)))
    }

    /// The same for a component of a vector.
    fn component_of_updates(
        &mut self,
        op: Op,
        part: usize,
        mut update: [NodeId; 3],
        span: Span,
    ) -> Option<NodeId> {
        let mut passed = Vec::new();
        let part = loop {
            let [before, place, new] = update;
            match self.constant_index(before, place) {
                Some(place) if place == part => break self.after(new, [before], span),
                Some(_) => passed.push(new),
                None => return None,
            }
            update = match self.operation(before) {
                Some((Op::Update, &[inner, place, new]))
                    if self.constant_index(inner, place).is_some() =>
                {
                    [inner, place, new]
                }
                _ => break self.op(op, vec![before], span),
            };
        };
        Some(passed.into_iter().rev().fold(part, |part, new| self.after(part, [new], span)))
    }

    /// The canonical operation for the part at a constant index.
    fn canonical_at(
        &mut self,
        whole: NodeId,
        index: NodeId,
        part: usize,
        span: Span,
    ) -> Option<NodeId> {
        let op = match self.types().kind(self.value_type(whole)) {
            TypeKind::Vector(..) => Op::Component(part as u8),
            TypeKind::Matrix(..) => Op::Column(part as u8),
            _ => {
                let canonical = self.constant(Type::INT, &[part as u32], span);
                return (canonical != index).then(|| self.op(Op::At, vec![whole, canonical], span));
            }
        };
        Some(self.op(op, vec![whole], span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ExprType;
    use crate::inputs::Input;
    use crate::types::{Case, Field, Structure, Variant};

    fn fields(types: &[Type]) -> Box<[Field]> {
        let field = |&ty: &Type| Field { name: "x".into(), ty, is_generic: false };
        types.iter().map(field).collect()
    }

    /// A loop that might not end, of type `num`.
    fn endless(graph: &mut Graph) -> NodeId {
        let span = Span::default();
        let of = graph.begin_loop();
        let param = graph.param(of, 0, Type::NUM, span);
        let next = graph.rec(of, vec![param], span);
        let zero = graph.number(0.0, span);
        let condition = graph.op(Op::Less, vec![zero, param], span);
        let body = graph.if_([condition, next, param], span);
        assert_eq!(graph.expr_type(body), ExprType::Rec(Type::NUM));
        let time = graph.input(Input::Time, span);
        graph.finish_loop(of, vec![param], vec![time], body, span)
    }

    #[test]
    fn a_part_comes_after_what_might_not_end() {
        let (mut graph, span) = (Graph::default(), Span::default());
        let ty = Structure { name: "S".into(), fields: fields(&[Type::NUM; 3]) };
        let ty = graph.types_mut().add_structure(ty).expect("is small");
        let (time, frame) = (graph.input(Input::Time, span), graph.input(Input::Frame, span));
        let slow = endless(&mut graph);
        let made = graph.op(Op::Construct(ty), vec![time, slow, frame], span);
        let first = graph.op(Op::Field(0), vec![made], span);
        assert_eq!(graph.node(first), &Node::Op(Op::After, [time, slow].into()));
        assert_eq!(graph.op(Op::Field(1), vec![made], span), slow);
        let parts = [0, 1, 2].map(|k| graph.op(Op::Field(k), vec![made], span));
        let again = graph.op(Op::Construct(ty), parts.to_vec(), span);
        assert!(graph.may_diverge(again));
        let quick = graph.op(Op::Construct(ty), vec![time, time, frame], span);
        assert_eq!(graph.op(Op::Field(2), vec![quick], span), frame);
        // A part of a value after others comes after those others.
        let late = graph.after(quick, [slow, frame, slow], span);
        let part = graph.op(Op::Field(2), vec![late], span);
        assert_eq!(graph.node(part), &Node::Op(Op::After, [frame, slow].into()));
        assert_eq!(graph.after(quick, [frame], span), quick);
    }

    #[test]
    fn elements_of_updated_arrays() {
        let (mut graph, span) = (Graph::default(), Span::default());
        let ty = graph.types_mut().add_array(Type::NUM, 3).expect("is small");
        let int = |graph: &mut Graph, i: i32| graph.constant(Type::INT, &[i as u32], span);
        let uniform = graph.uniform(0, ty, span);
        let (time, one) = (graph.input(Input::Time, span), int(&mut graph, 1));
        let index = graph.op(Op::Convert(crate::types::Scalar::I32), vec![time], span);
        let at = |graph: &mut Graph, of, index| graph.op(Op::At, vec![of, index], span);
        let changed = graph.op(Op::Update, vec![uniform, one, time], span);
        assert_eq!(at(&mut graph, changed, one), time);
        let zero = int(&mut graph, 0);
        let first = at(&mut graph, uniform, zero);
        assert_eq!(at(&mut graph, changed, zero), first);
        let below = int(&mut graph, -7);
        assert_eq!(at(&mut graph, uniform, below), first);
        // An index past the end is the last element.
        let (seven, two) = (int(&mut graph, 7), int(&mut graph, 2));
        let last = at(&mut graph, uniform, two);
        assert_eq!(at(&mut graph, changed, seven), last);
        let varying = graph.op(Op::Update, vec![uniform, index, time], span);
        assert_eq!(at(&mut graph, varying, index), time);
        let unknown = at(&mut graph, varying, zero);
        assert_eq!(graph.node(unknown), &Node::Op(Op::At, [varying, zero].into()));
        let frame = graph.input(Input::Frame, span);
        let made = graph.op(Op::Construct(ty), vec![time, frame, time], span);
        let made = graph.op(Op::Update, vec![made, zero, frame], span);
        let all = [frame, frame, time];
        assert_eq!(graph.node(made), &Node::Op(Op::Construct(ty), all.into()));
        let parts = [0, 1, 2].map(|i| int(&mut graph, i)).map(|i| at(&mut graph, uniform, i));
        assert_eq!(graph.op(Op::Construct(ty), parts.to_vec(), span), uniform);
        // A part of a vector or matrix has one canonical form.
        let coord = graph.input(Input::FragCoord, span);
        let component = graph.op(Op::Component(3), vec![coord], span);
        assert_eq!(at(&mut graph, coord, seven), component);
        let changed = graph.op(Op::Update, vec![coord, seven, time], span);
        assert_eq!(graph.op(Op::Component(3), vec![changed], span), time);
        let first = graph.op(Op::Component(0), vec![coord], span);
        assert_eq!(graph.op(Op::Component(0), vec![changed], span), first);
    }

    #[test]
    fn fields_of_a_known_case() {
        let (mut graph, span) = (Graph::default(), Span::default());
        let case = |name: &str, of: &[Type]| Case { name: name.into(), fields: fields(of) };
        let cases = [case("A", &[]), case("B", &[Type::NUM, Type::NUM])].into();
        let ty = graph.types_mut().add_variant(Variant { name: "V".into(), cases });
        let ty = ty.expect("is small");
        let (time, slow) = (graph.input(Input::Time, span), endless(&mut graph));
        let value = graph.op(Op::Inject(ty, 1), vec![time, slow], span);
        let field = graph.op(Op::Payload(1, 0), vec![value], span);
        assert_eq!(graph.node(field), &Node::Op(Op::After, [time, slow].into()));
        assert_eq!(graph.op(Op::Payload(1, 1), vec![value], span), slow);
        let one = graph.constant(Type::UINT, &[1], span);
        let tag = graph.op(Op::Tag, vec![value], span);
        assert_eq!(graph.node(tag), &Node::Op(Op::After, [one, slow].into()));
        let constant = graph.op(Op::Inject(ty, 0), vec![], span);
        assert_eq!(graph.constant_words(constant), Some(&[0, 0, 0][..]));
    }
}
