//! Draws triangles (LANGUAGE §14): from vertices to tiles of samples.
//!
//! ```text
//! indices ─ assemble ─▶ triangles ─ clip, snap ─▶ pieces ─ bins ─▶ tiles ─ cover, test, shade, blend ─▶ samples ─ resolve ─▶ pixels
//!           vertices ───────────────┘
//! ```
//!
//! | module | is |
//! |---|---|
//! | [`state`], [`draw`](mod@draw) | the options and the data of a draw |
//! | [`kernel`] | the interface of kernels of vertices, and faults |
//! | [`job`], [`chunks`] | the work on threads |
//! | [`assemble`] | triangles from indices, and the vertices that they use |
//! | [`vertices`] | the values of vertices, each computed once |
//! | [`clip`] | triangles against the planes of the clip volume |
//! | [`setup`] | pieces of triangles: snapping, facing, values at the vertices |
//! | [`piece`] | a piece of a triangle in the image: edge functions, words for kernels |
//! | [`bins`] | the pieces of each tile, in order |
//! | [`cover`] | the covered pixels of a piece in a tile, and their depths |
//! | [`depth`] | the depths of a tile |
//! | [`tile`] | all pieces of a tile: tests, shading, blending, resolve |
//!
//! # Guarantees
//!
//! - *Order.* The pieces of a tile are drawn in the order of instance, triangle and piece, by one worker. So a
//!   picture depends on no number of threads, no tile size and no time.
//! - *Exactness.* Coordinates are integers in 1/256 of a pixel. Edge functions are computed in binary64, where
//!   all their values are exact: sides are at most 2^16 and images at most 2^28 pixels, so products are at most
//!   2^52 and sums at most 2^53 in magnitude.
//! - *One shading path.* Fragments run through a [`QuadKernel`](crate::QuadKernel), as the kernels of full-screen pixels do. The
//!   run mask of a quad is its store mask: a helper pixel is never at fault.
//! - *Faults.* Vertices come before fragments. The reported vertex is the first by (instance, index), the
//!   reported fragment the first by (instance, triangle, pixel in scan order, piece).

mod assemble;
mod bins;
mod chunks;
mod clip;
mod cover;
mod depth;
mod draw;
mod job;
mod kernel;
mod piece;
mod setup;
mod state;
mod tile;
mod vertices;

pub use draw::{Depths, Draw, DrawError, Indices, Interpolated, Varied};
pub use job::draw;
pub use kernel::{FragmentFault, VertexFault, VertexKernel, VertexStop};
pub use piece::TRIANGLE_WORDS;
pub use state::{Blend, Compare, DrawState, Face, Topology};
