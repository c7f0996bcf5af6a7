//! The core: a typed, first-order, pure graph of hash-consed nodes.
//!
//! A node stands for the value of an expression. There are no functions; loops are first-order. The graph is
//! *lazy*: the value of the program is the value of an output node, where
//!
//! - an operation first evaluates all its operands,
//! - an [`Node::If`] evaluates its condition and then one arm,
//! - a [`Node::Loop`] evaluates all its initial values, binds its parameters to them and evaluates its body;
//!   if the body ends in a [`Node::Rec`], the arguments are evaluated, become the new parameters all at once,
//!   and the body is evaluated again; otherwise the body's value is the loop's,
//!
//! and a node is evaluated at most once within one round of its innermost loop. This is call by need, so it
//! yields the same values as substitution. The graph does not say where a node is computed:
//! [`crate::schedule`] places each node.
//!
//! # Invariants
//!
//! - Operands have smaller indices than their users, and a loop's body than the loop. So a loop over the
//!   arena visits definitions first, and no pass recurses on the program's depth.
//! - Equal nodes are one node. Constants are keyed on bits (0.0 is not −0.0) and a NaN constant is
//!   always 0x7fc00000.
//! - A node of type `Rec τ` or `PureRec` is used only as the arm of an `If` of such a type, or as the body of
//!   the loop to which its `Rec`s belong. In such a tail only leaves (`Rec` nodes and values) are shared; its
//!   `If`s form a tree (see `finish_loop`).
//! - [`Node::Param`]s are used only inside the body of their loop.
//!
//! - The rules for states of memories hold ([`crate::memory`]). Operations with effects are not hash-consed: two equal
//!   stores are two.
//!
//! A node also has positions in the source, perhaps a name, and perhaps a link to the node that has its value
//! at another pixel. Equality of nodes ignores these.

mod builder;
mod cases;
mod copy;
mod discard;
mod fixed;
mod name;
mod neighbour;
mod parts;
mod passes;
mod read;
mod tail;
mod triangles;

use crate::diagnostics::{Diagnostic, DiagnosticCode, quote};
use crate::inputs::Input;
use crate::op::Op;
use crate::probes::{MetSites, Site};
use crate::resource::{self, Bound};
use crate::source::Span;
use crate::texture::TextureOptions;
use crate::types::{Resource, ResourceKind, Type};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use builder::Graph;
pub use discard::{Discard, clear_words};
pub use name::Name;
pub use neighbour::{Axis, Neighbour, Neighbours, Side, neighbour};
pub use passes::{Combine, Pass, PassResult, Passes, ResultLength, Way, Write};
pub use triangles::{
    Attribute, AttributeRate, Interpolation, Place, Readers, StageInput, Triangles, Varying,
};

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

/// The computation of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant: type and one word per component, as in [`Op::apply`].
    Constant(Type, Box<[u32]>),
    /// A built-in input.
    Input(Input),
    /// A uniform, by its index in [`Core::uniforms`].
    Uniform(u32, Type),
    /// An input of a stage of a program that draws triangles, with its type.
    Stage(StageInput, Type),
    /// A parameter of a loop. The index identifies it within the loop, and is not its position: unused
    /// parameters are dropped.
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

/// The type of an expression in the sense of the report (§5): a value, or a tail that may or must continue
/// with the next round of the enclosing loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExprType {
    /// A value.
    Value(Type),
    /// Either a value of this type, or the next round.
    Rec(Type),
    /// Always the next round.
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

    /// The report's `rec-match`: the type of an `if` with arms of these types; `None` if they do not match.
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

/// A loop: parameters, their initial values, and a body, whose tail ends the loop or starts the next round.
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
    /// The `rec-func` from which it was made, for messages.
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

/// A final state of a memory: a result of a compute program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The state. Its type tells the memory.
    pub node: NodeId,
    /// Its position in the source.
    pub span: Span,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// The nodes.
    pub graph: Graph,
    /// The uniforms in order of declaration.
    pub uniforms: Vec<Uniform>,
    /// Declarations whose values were fixed at compile time, in order of declaration. `default` is the fixed
    /// value.
    pub constants: Vec<Uniform>,
    /// The outputs in order of declaration.
    pub outputs: Vec<Output>,
    /// The pixels that are discarded: they keep the clear colour. None in a program that draws triangles.
    pub discard: Option<Discard>,
    /// The vertex stage and the interface of a program that draws triangles.
    pub triangles: Option<Box<Triangles>>,
    /// The passes that run before the outputs, and the buffers that they write.
    pub passes: Option<Box<Passes>>,
    /// The final states of memories, one for each memory that the program changes.
    pub effects: Vec<Effect>,
    /// The number of invocations of a workgroup, by axes, of a compute program.
    pub workgroup: Option<[u32; 3]>,
    /// The sites of probes, by their numbers; none in a program that reports nothing.
    pub sites: Vec<Site>,
    /// The sites that the compiler met: in defaults, and in applications to constants under `@`.
    pub met: MetSites,
}

impl Core {
    /// The nodes that stand for results of the program: outputs, final states, of triangles the roots of both stages, and
    /// the roots of passes.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        let outputs = self.outputs.iter().map(|output| output.node);
        let outputs = outputs.chain(self.effects.iter().map(|effect| effect.node));
        let triangles = self.triangles.iter().flat_map(|of| {
            let varyings = of.varyings.iter().map(|varying| varying.node);
            varyings.chain([of.position]).chain(of.depth).chain(of.discard)
        });
        outputs.chain(triangles).chain(self.passes.iter().flat_map(|passes| passes.roots()))
    }

    /// [`Self::roots`], to be replaced.
    pub(crate) fn roots_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        let outputs = self.outputs.iter_mut().map(|output| &mut output.node);
        let outputs = outputs.chain(self.effects.iter_mut().map(|effect| &mut effect.node));
        let triangles = self.triangles.iter_mut().flat_map(|of| {
            let Triangles { varyings, position, depth, discard, .. } = &mut **of;
            let varyings = varyings.iter_mut().map(|varying| &mut varying.node);
            varyings.chain([position]).chain(depth).chain(discard)
        });
        let passes = self.passes.iter_mut().flat_map(|passes| passes.roots_mut());
        outputs.chain(triangles).chain(passes)
    }

    /// The built-in inputs that the results read, each once.
    pub fn inputs(&self) -> Vec<Input> {
        let needed = self.graph.needed_by(self.roots());
        let all = needed.into_iter().filter_map(|id| match self.graph.node(id) {
            Node::Input(input) => Some(*input),
            _ => None,
        });
        let all: BTreeSet<Input> = all.collect();
        all.into_iter().collect()
    }

    /// The numbers of the memories that the program changes, in the order of its effects.
    pub fn changed_memories(&self) -> Vec<usize> {
        let types = self.graph.types();
        let of = |effect: &Effect| types.resource(self.graph.value_type(effect.node));
        self.effects.iter().filter_map(of).collect()
    }

    /// The error of a program that declares a resource without data in `bound`.
    pub fn unbound(&self, bound: &[Bound]) -> Option<Diagnostic> {
        let missing = resource::unbound(self.graph.types(), bound);
        missing.map(|resource| self.without_data(resource))
    }

    /// The error of a program with device samples ([`TextureOptions::native`]), which only a device can run.
    pub fn native(&self) -> Option<Diagnostic> {
        let mut all = self.graph.types().resources().iter();
        let is_native =
            |kind| matches!(kind, ResourceKind::Texture(TextureOptions { native: true, .. }));
        all.find(|resource| is_native(resource.kind)).map(|found| self.without_data(found))
    }

    /// The error of a program with memories, of which engines that draw make no pictures.
    pub fn dispatched(&self) -> Option<Diagnostic> {
        let types = self.graph.types();
        let (number, _) = types.memories().next()?;
        let name = &types.resources()[number].name;
        let span = self.effects.first().map_or(Span::default(), |effect| effect.span);
        let message =
            format!("a program that accesses the memory {} draws no picture", quote(name));
        Some(
            Diagnostic::new(DiagnosticCode::Dispatched, span, message)
                .label("its results are the contents of memories")
                .help("`lambdav run` dispatches workgroups of it"),
        )
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
            ResourceKind::Buffer(_) | ResourceKind::Memory(_) => "a file of NPY or JSON",
        };
        Diagnostic::new(DiagnosticCode::Unbound, span, message)
            .label("nothing says what is in it")
            .help(format!("give it {data}: `--bind {name}=FILE`"))
    }
}
