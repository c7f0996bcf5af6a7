//! The core: a typed, first-order, pure graph of hash-consed nodes.
//!
//! A node stands for the value of an expression; functions are gone, loops are first-order. The
//! graph is *lazy*: the value of the program is the value of an output node, where
//!
//! - an operation first evaluates all its operands,
//! - an [`Node::If`] evaluates its condition and then one arm,
//! - a [`Node::Loop`] evaluates all its initial values, binds its parameters to them and evaluates
//!   its body; where that ends in a [`Node::Rec`], the arguments are evaluated, become the new
//!   parameters all at once, and the body is evaluated again; otherwise its value is the loop's,
//!
//! and within one round of its innermost loop a node is evaluated at most once. This is call by
//! need, so it gives what substitution gives. Where things are computed is not the graph's
//! business: [`crate::schedule`] finds a place for each node.
//!
//! # Invariants
//!
//! - Operands have smaller indices than their users, a loop's body smaller than the loop: a loop
//!   over the arena visits definitions first, and no pass recurses on the program's depth.
//! - Equal nodes are one node. Constants are keyed on bits (0.0 is not −0.0) and a NaN constant is
//!   always 0x7fc00000.
//! - A node of type `Rec τ` or `PureRec` is used as the arm of an `If` of such a type or as the
//!   body of the loop that its `Rec`s belong to, and nowhere else. Only leaves (`Rec` nodes and
//!   values) of such a tail are shared; its `If`s form a tree (see `finish_loop`).
//! - [`Node::Param`]s are used only below the body of their loop.
//!
//! Beside what it computes, a node has places in the source and may have a name, and it may be known
//! which other node has its value at another pixel; none of this tells nodes apart.

mod builder;
mod cases;
mod copy;
mod discard;
mod fixed;
mod name;
mod neighbour;
mod parts;
mod tail;

use crate::diagnostics::{Diagnostic, DiagnosticCode, quote};
use crate::inputs::Input;
use crate::op::Op;
use crate::resource::{self, Bound};
use crate::source::Span;
use crate::texture::TextureOptions;
use crate::types::{Resource, ResourceKind, Type};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use builder::Graph;
pub use discard::Discard;
pub use name::Name;
pub use neighbour::{Axis, Neighbour, Neighbours, Side, neighbour};

/// Index of a node in a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A loop of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

impl LoopId {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant: type and one word per component, as [`Op::apply`] wants them.
    Constant(Type, Box<[u32]>),
    /// A quantity given from outside.
    Input(Input),
    /// The uniform of that index in [`Core::uniforms`].
    Uniform(u32, Type),
    /// A parameter of a loop. The index is its name within the loop, not its position: parameters
    /// that nobody needs are dropped.
    Param(LoopId, u32, Type),
    /// An operation on its operands.
    Op(Op, Box<[NodeId]>),
    /// Condition, then, else.
    If([NodeId; 3]),
    /// The value of a loop.
    Loop(LoopId),
    /// The next round of a loop: the new values of its parameters, in the order of
    /// [`Loop::params`].
    Rec(LoopId, Box<[NodeId]>),
}

/// The type of an expression in the sense of the report (§5): a value, or something that may or
/// must go on with the next round of the enclosing loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExprType {
    /// A value.
    Value(Type),
    /// Either a value of that type, or the next round.
    Rec(Type),
    /// The next round in any case.
    PureRec,
}

impl ExprType {
    /// The type of a value; `None` for the types of tails.
    pub fn value(self) -> Option<Type> {
        match self {
            Self::Value(t) => Some(t),
            Self::Rec(_) | Self::PureRec => None,
        }
    }

    /// The report's `rec-match`: the type of an `if` with arms of these types, or `None` where they
    /// do not fit together.
    pub fn rec_match(self, other: Self) -> Option<Self> {
        use ExprType::*;
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Rec(t), Value(u)) | (Value(u), Rec(t)) if t == u => Some(Rec(t)),
            (PureRec, Rec(t) | Value(t)) | (Rec(t) | Value(t), PureRec) => Some(Rec(t)),
            _ => None,
        }
    }
}

/// A loop: parameters, their initial values, and the body that says how it goes on.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The `Param` nodes.
    pub params: Vec<NodeId>,
    /// Their initial values.
    pub inits: Vec<NodeId>,
    /// A node of type `Rec τ`.
    pub body: NodeId,
    /// The type τ of the loop's value.
    pub ty: Type,
    /// The `rec-func` that it was made from, for messages.
    pub span: Span,
}

/// A uniform of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The words of its default value.
    pub default: Arc<[u32]>,
}

/// An output of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The colour attachment, 0…7.
    pub location: u32,
    /// Its value: `num` or `vec2`…`vec4`.
    pub node: NodeId,
    /// The expression in the source.
    pub span: Span,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// The nodes.
    pub graph: Graph,
    /// The uniforms in order of declaration.
    pub uniforms: Vec<Uniform>,
    /// What was fixed when it was compiled, in order of declaration, with the values that it has in
    /// place of defaults.
    pub constants: Vec<Uniform>,
    /// The outputs in order of declaration.
    pub outputs: Vec<Output>,
    /// Which pixels keep the colour that is cleared to.
    pub discard: Option<Discard>,
}

impl Core {
    /// The built-in inputs that the outputs read, each once.
    pub fn inputs(&self) -> Vec<Input> {
        let needed = self.graph.needed_by(self.outputs.iter().map(|output| output.node));
        let all = needed.into_iter().filter_map(|id| match self.graph.node(id) {
            Node::Input(input) => Some(*input),
            _ => None,
        });
        let all: BTreeSet<Input> = all.collect();
        all.into_iter().collect()
    }

    /// The error of a program that has a resource without data among these.
    pub fn unbound(&self, bound: &[Bound]) -> Option<Diagnostic> {
        let missing = resource::unbound(self.graph.types(), bound);
        missing.map(|resource| self.without_data(resource))
    }

    /// The error of a program that leaves samples to a device, which has no other engine.
    pub fn native(&self) -> Option<Diagnostic> {
        let mut all = self.graph.types().resources().iter();
        let is_native =
            |kind| matches!(kind, ResourceKind::Texture(TextureOptions { native: true, .. }));
        all.find(|resource| is_native(resource.kind)).map(|found| self.without_data(found))
    }

    fn without_data(&self, Resource { name, kind }: &Resource) -> Diagnostic {
        let types = self.graph.types();
        let is_it = |ty| types.resource(ty).is_some_and(|k| types.resources()[k].name == *name);
        let mut nodes = (0..self.graph.len() as u32).map(NodeId);
        let node =
            nodes.find(|&id| matches!(self.graph.node(id), Node::Constant(ty, _) if is_it(*ty)));
        let span = node.map_or_else(Span::default, |node| self.graph.span(node));
        if let ResourceKind::Texture(TextureOptions { native: true, .. }) = kind {
            let message = format!("samples of the texture {} are a device's", quote(name));
            return Diagnostic::new(DiagnosticCode::Unbound, span, message)
                .label("its sampler is not here")
                .help("compile the shader without `--native-sampling`");
        }
        let message = format!("the {} {} is not bound", kind.word(), quote(name));
        let data = match kind {
            ResourceKind::Texture(_) => "an image",
            ResourceKind::Buffer(_) => "a file of NPY or JSON",
        };
        Diagnostic::new(DiagnosticCode::Unbound, span, message)
            .label("nothing says what is in it")
            .help(format!("give it {data}: `--bind {name}=FILE`"))
    }
}
