//! Units of work that meet undefined behaviour.

use std::fmt;

/// A unit of work: undefined behaviour that it meets several times at one place counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Column and row of a pixel, from the upper left.
    Pixel([u32; 2]),
    /// A vertex of a program that draws triangles.
    Vertex {
        /// Its index.
        vertex: u32,
        /// The index of its instance.
        instance: u32,
    },
    /// The global id of an invocation of a compute program.
    Invocation([u32; 3]),
    /// An id of a pass.
    Id {
        /// Name of the pass.
        pass: String,
        /// The id, of as many components as the pass has.
        id: Vec<u32>,
    },
}

impl Unit {
    /// The noun for one unit of this kind, and that for several.
    pub(super) fn nouns(&self) -> [&'static str; 2] {
        match self {
            Self::Pixel(_) => ["pixel", "pixels"],
            Self::Vertex { .. } => ["vertex", "vertices"],
            Self::Invocation(_) => ["invocation", "invocations"],
            Self::Id { .. } => ["id", "ids"],
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |id: &[u32]| id.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::Pixel([x, y]) => write!(f, "({x}, {y})"),
            Self::Vertex { vertex, instance } => {
                write!(f, "vertex {vertex} of instance {instance}")
            }
            Self::Invocation(id) => write!(f, "invocation ({})", list(id)),
            Self::Id { pass, id } => match &id[..] {
                [one] => write!(f, "id {one} of {pass}"),
                all => write!(f, "id ({}) of {pass}", list(all)),
            },
        }
    }
}
