//! Two stages of a program that draws triangles, and the interface between them (LANGUAGE §14).
//!
//! A program with a position has two *stages* over one graph. The roots of the vertex stage are the position
//! and the varyings; those of the fragment stage are the outputs, the condition of `discard-if` and the depth.
//! [`Triangles`] has all of them but the outputs.
//!
//! Inputs of a stage are nodes ([`StageInput`]), and so are those of the invocations of a compute program and of passes. The vertex
//! stage reads attributes and indices. The fragment stage reads interpolated values and properties of its triangle.
//! Uniforms, resources and inputs of the frame are the same in both.

use super::{Axis, Core, Node, NodeId, Side};
use crate::inputs::Input;
use crate::memory::InvocationInput;
use crate::source::Span;
use crate::state::State;
use crate::types::{Scalar, Type};
use rustc_hash::FxHashSet;

/// The part of a program that draws triangles, besides its outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangles {
    /// Inputs of the vertex stage, in order of declaration.
    pub attributes: Vec<Attribute>,
    /// Values that are interpolated, in order of declaration.
    pub varyings: Vec<Varying>,
    /// The clip-space position, a `vec4` of the vertex stage.
    pub position: NodeId,
    /// The fragment's own depth, a `num` of the fragment stage.
    pub depth: Option<NodeId>,
    /// The condition of `discard-if`, a `bool` of the fragment stage.
    pub discard: Option<NodeId>,
    /// The state of the pipeline.
    pub state: State,
}

impl Triangles {
    /// The varyings that the vertex stage computes for the outputs at these locations, ascending: those that an
    /// output, `discard-if` or the depth uses.
    pub fn used(&self, core: &Core, locations: &[u32]) -> Vec<u32> {
        let outputs = core.outputs.iter().filter(|output| locations.contains(&output.location));
        let roots = outputs.map(|output| output.node).chain(self.depth).chain(self.discard);
        let read: FxHashSet<u32> = (core.graph.needed_by(roots).into_iter())
            .filter_map(|id| match core.graph.node(id) {
                Node::Stage(StageInput::Varying(index, _), _) => Some(*index),
                _ => None,
            })
            .collect();
        let is_used = |index: &u32| {
            let Readers { outputs, in_test } = &self.varyings[*index as usize].readers;
            *in_test
                || outputs.iter().any(|location| locations.contains(location))
                || read.contains(index)
        };
        (0..self.varyings.len() as u32).filter(is_used).collect()
    }

    /// A node that a stage reads and that belongs to the other stage, if there is one: an input, or
    /// `frag-coord` in the vertex stage.
    pub fn misplaced(&self, core: &Core) -> Option<NodeId> {
        let vertex = self.varyings.iter().map(|varying| varying.node).chain([self.position]);
        let outputs = core.outputs.iter().map(|output| output.node);
        let fragment = outputs.chain(self.depth).chain(self.discard);
        let in_stage = |roots: Vec<NodeId>, is_vertex: bool| {
            let needed = core.graph.needed_by(roots);
            needed.into_iter().find(|&id| match core.graph.node(id) {
                Node::Stage(input, _) => input.is_of_vertex() != is_vertex,
                Node::Input(Input::FragCoord) => is_vertex,
                _ => false,
            })
        };
        in_stage(vertex.collect(), true).or_else(|| in_stage(fragment.collect(), false))
    }
}

/// An input of the vertex stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The author's name.
    pub name: String,
    /// A number, a vector of numbers or, of instances, a `mat4`.
    pub ty: Type,
    /// The source of its values.
    pub rate: AttributeRate,
    /// The declaration.
    pub span: Span,
}

impl Attribute {
    /// True if an attribute may have this type.
    pub fn fits(ty: Type, rate: AttributeRate) -> bool {
        Varying::fits(ty) || rate == AttributeRate::Instance && ty == Type::mat(4)
    }
}

/// The source of an attribute's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeRate {
    /// One value for each vertex of the mesh.
    Vertex,
    /// One value for each instance.
    Instance,
}

impl AttributeRate {
    /// All rates.
    pub const ALL: [Self; 2] = [Self::Vertex, Self::Instance];

    /// Its name in core text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Instance => "instance",
        }
    }
}

/// A value that the vertex stage computes and the fragment stage reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// The author's name.
    pub name: String,
    /// A number or a vector of numbers.
    pub ty: Type,
    /// The interpolation; integers are flat.
    pub interpolation: Interpolation,
    /// Its value in the vertex stage.
    pub node: NodeId,
    /// The results that use it.
    pub readers: Readers,
    /// The declaration.
    pub span: Span,
}

/// The results of the fragment stage that use a varying.
///
/// A program uses what its text mentions, whether or not a fragment evaluates it there. So the graph does not
/// tell: its simplifications drop reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readers {
    /// Locations of outputs, ascending.
    pub outputs: Vec<u32>,
    /// True for `discard-if` or the depth.
    pub in_test: bool,
}

impl Varying {
    /// True if a varying may have this type.
    pub fn fits(ty: Type) -> bool {
        ty.scalar().is_some_and(|scalar| scalar != Scalar::Bool) && ty.width().is_some()
    }
}

/// The interpolation of a varying over a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Linear in clip space.
    #[default]
    Perspective,
    /// Linear in the image.
    Linear,
    /// The value at the triangle's first vertex.
    Flat,
}

impl Interpolation {
    /// All interpolations.
    pub const ALL: [Self; 3] = [Self::Perspective, Self::Linear, Self::Flat];

    /// Its name in λV and in core text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Perspective => "perspective",
            Self::Linear => "linear",
            Self::Flat => "flat",
        }
    }

    /// The interpolation of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|interpolation| interpolation.name() == name)
    }
}

/// An input of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageInput {
    /// Vertex: an attribute, by index.
    Attribute(u32),
    /// Vertex: the index of the vertex, an `int`.
    VertexIndex,
    /// Vertex: the index of the instance, an `int`.
    InstanceIndex,
    /// Fragment: the number of the triangle in its instance, an `int`.
    PrimitiveIndex,
    /// Fragment: a `bool`, true on the front of a triangle.
    FrontFacing,
    /// Fragment: a varying, by index, at a place.
    Varying(u32, Place),
    /// Fragment: the depth of the triangle at a place, the third component of `frag-coord`.
    Depth(Place),
    /// Fragment: the interpolated 1/w at a place, the fourth component of `frag-coord`.
    W(Place),
    /// Compute: an input of an invocation.
    Invocation(InvocationInput),
    /// Pass: the id along so many axes, 1 to 3: an `int`, `ivec2` or `ivec3`.
    Id(u8),
}

impl StageInput {
    /// Its type.
    ///
    /// # Panics
    ///
    /// If there is no such attribute or varying.
    pub fn ty(self, attributes: &[Attribute], varyings: &[Varying]) -> Type {
        match self {
            Self::Attribute(index) => attributes[index as usize].ty,
            Self::Varying(index, _) => varyings[index as usize].ty,
            Self::VertexIndex | Self::InstanceIndex | Self::PrimitiveIndex => Type::INT,
            Self::FrontFacing => Type::BOOL,
            Self::Depth(_) | Self::W(_) => Type::NUM,
            Self::Invocation(input) => input.ty(),
            Self::Id(axes) => Type::of(Scalar::I32, axes),
        }
    }

    /// True for an input of the vertex stage.
    pub fn is_of_vertex(self) -> bool {
        matches!(self, Self::Attribute(_) | Self::VertexIndex | Self::InstanceIndex)
    }

    /// The place of an interpolated value.
    pub fn place(self) -> Option<Place> {
        match self {
            Self::Varying(_, place) | Self::Depth(place) | Self::W(place) => Some(place),
            _ => None,
        }
    }

    /// The same input at another place.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        match self {
            Self::Varying(index, _) => Self::Varying(index, place),
            Self::Depth(_) => Self::Depth(place),
            Self::W(_) => Self::W(place),
            other => other,
        }
    }

    /// Its name in core text, without the name of an attribute or varying.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attribute(_) => "attribute",
            Self::VertexIndex => "vertex-index",
            Self::InstanceIndex => "instance-index",
            Self::PrimitiveIndex => "primitive-index",
            Self::FrontFacing => "front-facing",
            Self::Varying(..) => "varying",
            Self::Depth(_) => "depth",
            Self::W(_) => "w",
            Self::Invocation(input) => input.name(),
            Self::Id(1) => "id",
            Self::Id(2) => "id.2",
            Self::Id(_) => "id.3",
        }
    }
}

/// The place at which a value is interpolated: the centre of the pixel itself, or of another pixel of its quad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The column of that side of the quad, instead of the pixel's own.
    pub x: Option<Side>,
    /// The row of that side of the quad, instead of the pixel's own.
    pub y: Option<Side>,
}

impl Place {
    /// The centre of the pixel itself.
    pub const HERE: Self = Self { x: None, y: None };

    /// True if the value differs between the pixels of a quad along an axis. A value that is taken from one side
    /// is the same at both.
    pub fn moves(self, axis: Axis) -> bool {
        match axis {
            Axis::X => self.x.is_none(),
            Axis::Y => self.y.is_none(),
        }
    }
}
