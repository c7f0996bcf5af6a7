//! Writes whose order a device keeps, since no two invocations write one place.
//!
//! A `combine` has no order. A `unique` scatter has none unless it is an error. A `scatter` has none if all such writes of the
//! pass to its buffer have one index, which differs between any two ids:
//!
//! - `(id)` along one axis, also converted, or with a value added that is the same for all ids;
//! - `x + X*y` of two axes, with X the number of ids along the first one.
//!
//! The order of an `append` is that of the ids, so none is emitted.

use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Core, Node, NodeId, Pass, StageInput, Way, Write};
use crate::op::Op;
use crate::source::Span;
use crate::types::{Scalar, Type};

/// A write whose order a device would not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// The write.
    pub span: Span,
    /// The way in which it writes.
    pub way: Way,
}

impl Disorder {
    /// The error of a program that is compiled for devices.
    pub fn diagnostic(&self) -> Diagnostic {
        let (message, help) = match self.way {
            Way::Append => (
                "a device does not keep the order in which a pass appends",
                "count in a pass, sum up the counts in others, and `scatter` each element to the sum before it",
            ),
            _ => (
                "two ids might write this place, and a device does not keep their order",
                "scatter to the place `(id)`; or, if each place is written once, say so: `unique`",
            ),
        };
        Diagnostic::new(DiagnosticCode::UnorderedWrite, self.span, message)
            .label("the larger id comes later")
            .help(help)
    }
}

impl Pass {
    /// The first write whose order a device would not keep.
    pub fn disorder(&self, core: &Core) -> Option<Disorder> {
        let mut writes = self.writes.iter();
        let found = writes.find(|write| match write.way {
            Way::Combine(_) | Way::Unique => false,
            Way::Append => true,
            Way::Scatter => !self.is_apart(core, write),
        });
        found.map(|write| Disorder { span: write.span, way: write.way })
    }

    /// True if all writes like this one have its index, and no two ids share it.
    fn is_apart(&self, core: &Core, write: &Write) -> bool {
        let mut others = self
            .writes
            .iter()
            .filter(|other| other.resource == write.resource && other.way == Way::Scatter);
        let index = write.index.expect("a scatter has an index");
        others.all(|other| other.index == Some(index)) && self.is_injective(core, index)
    }

    fn is_injective(&self, core: &Core, mut index: NodeId) -> bool {
        let graph = &core.graph;
        loop {
            index = match graph.node(index) {
                Node::Stage(StageInput::Id(1), _) => return true,
                Node::Op(Op::Convert(Scalar::I32 | Scalar::U32), of)
                    if graph.value_type(of[0]).is_integer() =>
                {
                    of[0]
                }
                Node::Op(Op::Add, of) if self.is_place(core, of[0], of[1]) => return true,
                Node::Op(Op::Add, of) if self.is_place(core, of[1], of[0]) => return true,
                Node::Op(Op::Add | Op::Sub, of) if is_shared(core, of[1]) => of[0],
                Node::Op(Op::Add, of) if is_shared(core, of[0]) => of[1],
                _ => return false,
            }
        }
    }

    /// True for the first coordinate of a plane of ids, and a row: the second one times the length of a row.
    fn is_place(&self, core: &Core, x: NodeId, row: NodeId) -> bool {
        let axis = |node: NodeId| match core.graph.node(node) {
            Node::Op(Op::Component(axis), of)
                if matches!(core.graph.node(of[0]), Node::Stage(StageInput::Id(2), _)) =>
            {
                Some(*axis)
            }
            _ => None,
        };
        let is_length = |node: NodeId| {
            let words = |node| core.graph.constant_words(node).map(|words| words[0]);
            let is_equal = words(node).is_some() && words(node) == words(self.size[0]);
            is_equal || node == self.size[0]
        };
        let Node::Op(Op::Mul, of) = core.graph.node(row) else { return false };
        let is_row = |a, b| axis(a) == Some(1) && is_length(b);
        axis(x) == Some(0) && (is_row(of[0], of[1]) || is_row(of[1], of[0]))
    }
}

/// True for a value that is the same for all ids. (Others are, too.)
fn is_shared(core: &Core, node: NodeId) -> bool {
    let is_integer = |ty: Type| ty.is_integer();
    match core.graph.node(node) {
        Node::Constant(ty, _) | Node::Uniform(_, ty) => is_integer(*ty),
        _ => false,
    }
}
