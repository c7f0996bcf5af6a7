//! The interface of kernels of vertices, and the faults of both stages.

use std::sync::atomic::AtomicU64;

use crate::kernel::Fault;

/// A vertex that could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexFault {
    /// The instance.
    pub instance: u32,
    /// The index of the vertex.
    pub vertex: u32,
    /// Cause and place, as in [`Fault`].
    pub site: u32,
}

/// Reason why a kernel left vertices uncomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexStop {
    /// The first faulty vertex in the order of the items.
    Fault(VertexFault),
    /// The frontier has fallen to 0.
    Cancelled,
}

/// A function that computes vertices.
pub trait VertexKernel: Sync {
    /// Computes items, each an index of a vertex and of an instance, into `results`: attachment by attachment,
    /// item by item.
    ///
    /// The kernel polls `frontier`; at 0 the vertices are no longer wanted.
    ///
    /// # Errors
    ///
    /// [`VertexStop`].
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop>;

    /// Number of attachments.
    fn attachments(&self) -> usize;

    /// Upper bound of the stack, as [`Kernel::stack_size`](crate::kernel::Kernel::stack_size).
    fn stack_size(&self) -> usize {
        0
    }
}

/// A fragment that could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FragmentFault {
    /// The pixel's column.
    pub x: u32,
    /// The pixel's row.
    pub y: u32,
    /// Cause and place, as in [`Fault`].
    pub site: u32,
    /// True if the kernel at fault is [`Draw::test`](super::Draw::test).
    pub of_test: bool,
}

impl FragmentFault {
    pub(super) fn new(Fault { x, y, site }: Fault, of_test: bool) -> Self {
        Self { x, y, site, of_test }
    }
}
