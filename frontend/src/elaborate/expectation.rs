//! The value of an expression as outputs that hold its words.

use super::elaborator::Elaborator;
use super::values::Data;
use crate::resolve::CodeId;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::flat::{FLAT_WORDS, FlatType};
use lambdav_core::graph::{NodeId, Output};
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type, TypeKind};

impl Elaborator {
    /// The type of an expression, and outputs with the words of its value; reports values that have none.
    pub(super) fn expectation(&mut self, code: CodeId) -> Option<(FlatType, Vec<Output>)> {
        let span = self.arena.span(code);
        let value = self.evaluate(code);
        let Data { node, .. } = self.require_value(value, span, "an expectation", None)?;
        let ty = self.graph.value_type(node);
        let found = self.a(ty);
        let count = self.graph.types().components(ty);
        let (message, help) = if count > FLAT_WORDS {
            let message = format!("{found} has {count} components");
            (format!("{message}, and {FLAT_WORDS} can be compared"), "compare its parts")
        } else if let Some(flat) = FlatType::of(self.graph.types(), ty) {
            if count > 0 {
                let words = self.words(node, span);
                return Some((flat, self.outputs_of(&words, span)));
            }
            (format!("{found} has no components"), "compare a value that has some")
        } else {
            (format!("{found} cannot be compared"), "compare its parts, a number or a vector")
        };
        let diagnostic = Diagnostic::new(DiagnosticCode::OutputType, span, message);
        self.report(diagnostic.label(format!("this is {found}")).help(help));
        None
    }

    /// The words of a value, each a `uint`, in the order of [`FlatType::components`].
    fn words(&mut self, value: NodeId, span: Span) -> Vec<NodeId> {
        let (mut words, mut open) = (Vec::new(), vec![value]);
        while let Some(node) = open.pop() {
            let ty = self.graph.value_type(node);
            let kind = *self.graph.types().kind(ty);
            if let TypeKind::Scalar(scalar) = kind {
                words.push(match scalar {
                    Scalar::F32 => self.graph.op(Op::Bits, vec![node], span),
                    Scalar::U32 => node,
                    Scalar::Bool | Scalar::I32 => {
                        self.graph.op(Op::Convert(Scalar::U32), vec![node], span)
                    }
                });
                continue;
            }
            let count = self.graph.types().parts(ty).len();
            for k in (0..count).rev() {
                let part = match kind {
                    TypeKind::Vector(..) => self.graph.op(Op::Component(k as u8), vec![node], span),
                    TypeKind::Matrix(..) => self.graph.op(Op::Column(k as u8), vec![node], span),
                    TypeKind::Structure(_) => self.graph.op(Op::Field(k as u32), vec![node], span),
                    _ => {
                        let index = self.graph.constant(Type::UINT, &[k as u32], span);
                        self.graph.op(Op::At, vec![node, index], span)
                    }
                };
                open.push(part);
            }
        }
        words
    }

    /// Outputs with two words each.
    fn outputs_of(&mut self, words: &[NodeId], span: Span) -> Vec<Output> {
        let low = self.graph.constant(Type::UINT, &[0xffff], span);
        let sixteen = self.graph.constant(Type::UINT, &[16], span);
        let zero = self.graph.number(0.0, span);
        let mut outputs = Vec::new();
        for (location, pair) in (0..).zip(words.chunks(2)) {
            let mut channels = Vec::new();
            for &word in pair {
                let halves = [
                    self.graph.op(Op::And, vec![word, low], span),
                    self.graph.op(Op::ShiftRight, vec![word, sixteen], span),
                ];
                let convert = Op::Convert(Scalar::F32);
                channels.extend(halves.map(|half| self.graph.op(convert, vec![half], span)));
            }
            channels.resize(4, zero);
            let node = self.graph.op(Op::Construct(Type::vec(4)), channels, span);
            outputs.push(Output { location, node, span });
        }
        outputs
    }
}
