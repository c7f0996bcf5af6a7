//! The rasterizer, as literal as LANGUAGE §14 allows.
//!
//! A [`DrawCall`] has the sizes, indices and state of a picture. A [`Shader`] evaluates vertices and
//! fragments. [`draw`] returns the picture, or the first error in the order of the section.
//!
//! The modules follow the section's items: `assembly`, `clip`, `setup` (snap, facing, coverage),
//! `fragment` (interpolation, derivatives), `output` (depth test, blend, samples).

mod assembly;
mod clip;
mod fragment;
mod interface;
mod number;
mod output;
mod setup;
mod state;

pub use assembly::triangles;
pub use fragment::Fragment;
pub use interface::{DrawCall, Error, Interpolation, Shader, VaryingKind, Vertex};
pub(crate) use number::power_of_two;
pub use number::{canonical, clamp, num};
pub use output::draw;
pub use state::{Blend, Cull, DepthTest, Front, Samples, State, Topology};
