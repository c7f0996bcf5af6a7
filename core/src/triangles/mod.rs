//! The stages of a program that draws triangles, as programs for engines of the processor.
//!
//! No engine of the processor knows a stage input. Each stage becomes a plain [`Core`](crate::graph::Core):
//!
//! - [`VertexStage`]: attributes are elements of buffers, at the index of the vertex or of the instance.
//!   `frag-coord` carries these two indices as bits.
//! - [`FragmentStage`]: interpolation is arithmetic on words of the triangle, which are uniforms. Only the edge
//!   functions need an operation of their own ([`Op::Plane`](crate::op::Op::Plane)), which computes them exactly
//!   in binary64.
//!
//! So masks, rates and derivatives are those of any program: values of the triangle alone are computed once for
//! it, and the value at a neighbour is the same arithmetic at another place.
//!
//! SPIR-V has both stages and names the inputs: [`EntryPoints`] has the stages with their inputs as they are.

mod entry_points;
mod fragment;
mod vertex;

pub use entry_points::{DEPTH, DISCARD, EntryPoints, POSITION};
pub use fragment::{FragmentStage, TriangleWord};
pub use vertex::{VertexInput, VertexStage};
