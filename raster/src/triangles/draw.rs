//! The data of a draw, and the reasons why there is no picture.

use std::time::Duration;

use lambdav_workers::ThreadError;
use thiserror::Error;

use super::kernel::{FragmentFault, VertexFault, VertexKernel};
use super::state::DrawState;
use crate::kernel::QuadKernel;

/// A draw: kernels, indices and state.
pub struct Draw<'a> {
    /// Computes vertices: attachment 0 is the position, the others are the varyings in order.
    pub vertices: &'a dyn VertexKernel,
    /// Shades fragments. Its attachments are those of the picture, and the mask if there is one.
    pub colours: &'a dyn QuadKernel,
    /// Computes mask and depth of fragments with a depth of their own, as its first two channels. Then the depth
    /// test comes after it, and only fragments that pass are shaded.
    pub test: Option<&'a dyn QuadKernel>,
    /// True if the last attachment of `colours` has 1 as its first channel for fragments that are kept, and 0 for
    /// discarded ones.
    pub has_mask: bool,
    /// The varyings.
    pub varied: &'a [Varied],
    /// The indices of vertices.
    pub indices: Indices<'a>,
    /// The number of instances.
    pub instances: u32,
    /// The state of the pipeline.
    pub state: DrawState,
}

/// Interpolation of a varying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolated {
    /// Linear in clip space.
    Perspective,
    /// Linear in the image.
    Linear,
    /// The value at the first vertex.
    Flat,
}

/// A varying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varied {
    /// Its components, 1 to 4.
    pub components: u8,
    /// Its interpolation.
    pub interpolated: Interpolated,
}

/// The indices of a draw.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// 0, 1, 2, … below this number.
    Count(u32),
    /// These.
    List(&'a [u32]),
}

impl Indices<'_> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Count(count) => count as usize,
            Self::List(list) => list.len(),
        }
    }
}

/// The failure of a draw.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A vertex is at fault.
    #[error("vertex {} of instance {} is at fault", .0.vertex, .0.instance)]
    Vertex(VertexFault),
    /// A fragment is at fault.
    #[error("a fragment of pixel ({}, {}) is at fault", .0.x, .0.y)]
    Fragment(FragmentFault),
    /// The timeout of the options has passed.
    #[error("drawing took longer than {timeout:?}")]
    TimedOut {
        /// The timeout.
        timeout: Duration,
    },
    /// More vertices than can be numbered or held.
    #[error("a draw of {instances} instances of {vertices} vertices is too large")]
    TooLarge {
        /// Vertices of an instance.
        vertices: usize,
        /// Instances.
        instances: u32,
    },
    /// The system gave no memory.
    #[error("there is no memory for the draw")]
    OutOfMemory,
    /// A kernel stopped without a reason.
    #[error("a kernel abandoned the draw")]
    Abandoned,
    /// No thread could be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
}

/// The most vertices of all instances: their numbers fit into the bits of a number.
pub(super) const MAX_VERTICES: usize = 1 << 28;

/// A depth buffer of the caller: the depth of the first sample of each pixel, row by row.
pub type Depths<'a> = &'a mut [f32];
