//! Passes: functions from ids to writes of buffers (LANGUAGE §18).
//!
//! A pass is data over the graph of its program: nodes for the number of its ids, and for each write its condition, index
//! and value, which may read the id ([`StageInput::Id`]). A result is a read-only buffer for all of
//! them, so no graph of a program with passes has states. [`crate::passes`] makes a compute program of a pass.

use super::{Core, Graph, Node, NodeId, StageInput};
use crate::inputs::Input;
use crate::limits::PASS_NODES;
use crate::source::Span;
use crate::types::{Type, TypeKind, Types};

/// The passes of a program, and the buffers that they write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// The buffers that passes write, in order of declaration.
    pub results: Vec<PassResult>,
    /// The passes, in the order in which they run.
    pub passes: Vec<Pass>,
}

impl Passes {
    /// The nodes of all passes, in order: sizes, then for each write its condition, index and value.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.passes.iter().flat_map(Pass::roots)
    }

    /// [`Self::roots`], to be replaced.
    pub(super) fn roots_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.passes.iter_mut().flat_map(|pass| {
            let writes = pass.writes.iter_mut().flat_map(|write| {
                let Write { condition, index, value, .. } = write;
                condition.iter_mut().chain(index).chain([value])
            });
            pass.size.iter_mut().chain(writes)
        })
    }

    /// A node of an input that a root lacks, if there is one: an id outside passes or of other axes, and in a pass an input
    /// of pixels, vertices or triangles.
    pub fn misplaced(core: &Core) -> Option<NodeId> {
        // A bit for the ids of each number of axes, and one for inputs that no pass has.
        let (graph, mut read) = (&core.graph, vec![0_u8; core.graph.len()]);
        for id in (0..graph.len() as u32).map(NodeId) {
            let mut of = match graph.node(id) {
                Node::Stage(StageInput::Id(axes), _) => 1 << axes,
                Node::Stage(..) | Node::Input(Input::FragCoord | Input::Resolution) => 1,
                Node::Loop(of) => read[graph.loop_(*of).body.index()],
                _ => 0,
            };
            graph.operands(id).iter().for_each(|operand| of |= read[operand.index()]);
            read[id.index()] = of;
        }
        let wrong = |root: NodeId, allowed: u8| {
            let wrong = read[root.index()] & !allowed;
            let is_it = |id: &NodeId| match graph.node(*id) {
                Node::Stage(StageInput::Id(axes), _) => wrong & 1 << axes != 0,
                Node::Stage(..) | Node::Input(Input::FragCoord | Input::Resolution) => {
                    wrong & 1 != 0
                }
                _ => false,
            };
            let found = (wrong != 0).then(|| graph.needed_by([root]))?;
            found.into_iter().find(is_it)
        };
        let passes = core.passes.as_deref().map_or(&[][..], |passes| &passes.passes);
        let of_passes = passes.iter().flat_map(|pass| {
            let axes = 1_u8 << pass.size.len();
            let writes = pass.writes.iter().flat_map(Write::roots);
            let sizes = pass.size.iter().map(|&root| (root, 0));
            sizes.chain(writes.map(move |root| (root, axes)))
        });
        let of_passes: Vec<(NodeId, u8)> = of_passes.collect();
        let others = core.roots().take(core.roots().count() - of_passes.len());
        let mut all = others.map(|root| (root, 1)).chain(of_passes);
        all.find_map(|(root, allowed)| wrong(root, allowed))
    }

    /// The first pass with which all together have more operations than the limit: each is compiled by itself.
    pub fn beyond_limit(&self, graph: &Graph) -> Option<&Pass> {
        let mut left = PASS_NODES;
        self.passes.iter().find(|pass| {
            let needed = graph.needed_by(pass.roots()).len();
            let is_beyond = needed > left;
            left = left.saturating_sub(needed);
            is_beyond
        })
    }

    /// The result with this number among the resources, or with this counter.
    pub fn result(&self, resource: usize) -> Option<&PassResult> {
        let is_it = |of: &&PassResult| {
            of.resource as usize == resource || of.counter == Some(resource as u32)
        };
        self.results.iter().find(is_it)
    }
}

/// A buffer that passes write. It is zero before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassResult {
    /// The number of the buffer among the resources.
    pub resource: u32,
    /// The number of its elements.
    pub length: ResultLength,
    /// The number, among the resources, of the buffer of one `uint` that counts its appended elements; none if no pass
    /// appends to it.
    pub counter: Option<u32>,
    /// The declaration.
    pub span: Span,
}

/// The number of elements of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultLength {
    /// That many.
    Elements(u32),
    /// As many as the buffer of this number has.
    Of(u32),
}

/// A pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The author's name.
    pub name: String,
    /// The numbers of ids along one to three axes, each an `int` or a `uint`.
    pub size: Vec<NodeId>,
    /// Its writes, in the order of the text.
    pub writes: Vec<Write>,
    /// The position of its name.
    pub span: Span,
}

impl Pass {
    /// All nodes: sizes, then for each write its condition, index and value.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.size.iter().copied().chain(self.writes.iter().flat_map(Write::roots))
    }
}

/// A write of a pass: at most one for each id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The way in which the element changes.
    pub way: Way,
    /// The number of the result's buffer among the resources.
    pub resource: u32,
    /// The index of the element, an `int` or a `uint`; none for [`Way::Append`].
    pub index: Option<NodeId>,
    /// A value of the type of the elements.
    pub value: NodeId,
    /// A `bool`; where it is false nothing else is evaluated.
    pub condition: Option<NodeId>,
    /// The form.
    pub span: Span,
}

impl Write {
    /// Its nodes: condition, index and value.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.condition.into_iter().chain(self.index).chain([self.value])
    }
}

/// A way to change a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// The element becomes the value. The write of the larger id stays.
    Scatter,
    /// The same; a second write to its place is an error.
    Unique,
    /// The element is combined with the value.
    Combine(Combine),
    /// The value becomes the next element.
    Append,
}

impl Way {
    /// All ways.
    pub const ALL: [Self; 9] = [
        Self::Scatter,
        Self::Unique,
        Self::Combine(Combine::Add),
        Self::Combine(Combine::Min),
        Self::Combine(Combine::Max),
        Self::Combine(Combine::And),
        Self::Combine(Combine::Or),
        Self::Combine(Combine::Xor),
        Self::Append,
    ];

    /// Its name in core text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scatter => "scatter",
            Self::Unique => "scatter.unique",
            Self::Combine(Combine::Add) => "combine.add",
            Self::Combine(Combine::Min) => "combine.min",
            Self::Combine(Combine::Max) => "combine.max",
            Self::Combine(Combine::And) => "combine.bit-and",
            Self::Combine(Combine::Or) => "combine.bit-or",
            Self::Combine(Combine::Xor) => "combine.bit-xor",
            Self::Append => "append",
        }
    }

    /// True for a `scatter`, `unique` or not.
    pub fn is_scatter(self) -> bool {
        matches!(self, Self::Scatter | Self::Unique)
    }
}

/// The operation of a `combine`, by components. The order of values does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// The sum of integers, modulo 2^32.
    Add,
    /// The lesser. Of nums −0 is below +0, a NaN value changes nothing, and a NaN element stays.
    Min,
    /// The greater, likewise.
    Max,
    /// Bitwise, of integers.
    And,
    /// Bitwise, of integers.
    Or,
    /// Bitwise, of integers.
    Xor,
}

impl Combine {
    /// All operations.
    pub const ALL: [Self; 6] = [Self::Add, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];

    /// Its name in λV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "bit-and",
            Self::Or => "bit-or",
            Self::Xor => "bit-xor",
        }
    }

    /// The operation of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }

    /// True if elements of this type can be combined so: integers and vectors of them, and by `min` and `max` a `num`.
    pub fn fits(self, types: &Types, element: Type) -> bool {
        let is_num = element == Type::NUM && matches!(self, Self::Min | Self::Max);
        let is_simple = matches!(types.kind(element), TypeKind::Scalar(_) | TypeKind::Vector(..));
        is_num || is_simple && element.is_integer()
    }
}
