//! Pixels that are discarded (LANGUAGE §14).
//!
//! The outputs choose the colour of a discarded pixel by an `if`, for λV and for raised modules alike, so no engine knows of
//! OpKill. The core keeps the condition, and the SPIR-V backend emits OpKill in the arm that chooses that colour.

use super::{Core, Graph, Node, NodeId};
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::source::Span;
use crate::types::{Scalar, Type};

/// The pixels that are discarded. The outputs already choose the clear colour there, so engines may ignore
/// this. A GPU uses it to keep the target's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discard<T = NodeId> {
    /// A `bool` that is no negation.
    pub condition: T,
    /// The value of the condition for which a pixel is discarded.
    pub when: bool,
    /// The words of the clear colour, the colour of such a pixel.
    pub clear: [u32; 4],
}

impl Core {
    /// Discards the pixels where `condition` holds. All outputs become `vec4`s: `clear` for such a pixel,
    /// otherwise the output filled up from (0, 0, 0, 1). Outputs of integers have four already.
    pub fn discard_if(&mut self, condition: NodeId, clear: [f32; 4], span: Span) {
        for output in &mut self.outputs {
            let ty = self.graph.value_type(output.node);
            let is_integer = ty.is_integer();
            let ty = if is_integer { ty } else { Type::vec(4) };
            let words = clear_words(clear, ty.scalar());
            let kept = self.graph.constant(ty, &words, span);
            let colour = match is_integer {
                true => output.node,
                false => filled(&mut self.graph, output.node, output.span),
            };
            let colour = if is_active(Mutant::KeptColour) { kept } else { colour };
            output.node = self.graph.if_([condition, kept, colour], output.span);
        }
        self.discard = discard(&self.graph, condition, true, clear.map(f32::to_bits));
    }

    /// A discard under a copied condition; `None` if the condition is constant.
    pub(super) fn discard_with(&self, condition: NodeId, of: Discard) -> Option<Discard> {
        discard(&self.graph, condition, of.when, of.clear)
    }
}

fn discard(
    graph: &Graph,
    mut condition: NodeId,
    mut when: bool,
    clear: [u32; 4],
) -> Option<Discard> {
    while let Node::Op(Op::Not, negated) = graph.node(condition) {
        (condition, when) = (negated[0], !when);
    }
    graph.constant_words(condition).is_none().then_some(Discard { condition, when, clear })
}

/// The words of a clear colour in an output of these components; integers are truncated.
pub fn clear_words(clear: [f32; 4], scalar: Option<Scalar>) -> [u32; 4] {
    clear.map(|component| match scalar {
        Some(Scalar::I32) => component as i32 as u32,
        Some(Scalar::U32) => component as u32,
        _ => component.to_bits(),
    })
}

/// A colour of four components, missing ones from (0, 0, 0, 1).
fn filled(graph: &mut Graph, node: NodeId, span: Span) -> NodeId {
    let ty = graph.value_type(node);
    let mut parts = match ty.width() {
        Some(4) => return node,
        Some(width) if width > 1 => {
            (0..width).map(|k| graph.op(Op::Component(k), vec![node], span)).collect()
        }
        _ => vec![node],
    };
    while parts.len() < 4 {
        let rest = if parts.len() == 3 { 1.0 } else { 0.0 };
        parts.push(graph.number(rest, span));
    }
    graph.op(Op::Construct(Type::vec(4)), parts, span)
}
