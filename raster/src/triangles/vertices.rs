//! The values of vertices, each computed once for each instance.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use super::assemble::Assembled;
use super::chunks::in_chunks;
use super::draw::{Draw, DrawError};
use super::kernel::VertexStop;

/// Vertices of a chunk: their results are computed by one call.
const CHUNK: NonZeroUsize = NonZeroUsize::new(1 << 12).expect("it is not zero");

/// The values of all vertices of all instances.
#[derive(Debug)]
pub(super) struct Vertices {
    /// Values of each vertex.
    pub(super) values: usize,
    /// Vertices of the last chunk.
    last: usize,
    /// Chunks of [`CHUNK`] vertices, each attachment by attachment.
    chunks: Vec<Vec<[f32; 4]>>,
}

impl Vertices {
    /// The value of a vertex, by the number of the vertex in all instances: the position is value 0.
    #[inline]
    pub(super) fn get(&self, vertex: u32, value: usize) -> [f32; 4] {
        let vertex = vertex as usize;
        let number = vertex / CHUNK;
        // All chunks but the last one are full.
        let length = if number + 1 < self.chunks.len() { CHUNK.get() } else { self.last };
        self.chunks[number][value * length + vertex % CHUNK]
    }

    pub(super) fn compute(
        draw: &Draw<'_>,
        assembled: &Assembled,
        begun: Instant,
        deadline: Option<Instant>,
        timed_out: impl Fn() -> DrawError,
    ) -> Result<Self, DrawError> {
        let values = draw.vertices.attachments();
        let each = assembled.vertices_of_instance();
        let compute = |range: std::ops::Range<usize>, frontier: &AtomicU64| {
            let item = |number: usize| [assembled.index(number % each), (number / each) as u32];
            let items: Vec<[u32; 2]> = range.map(item).collect();
            let mut results = Vec::new();
            if results.try_reserve_exact(items.len() * values).is_err() {
                return Err(None);
            }
            results.resize(items.len() * values, [0.0; 4]);
            draw.vertices.vertices(&items, &mut results, frontier).map_err(Some)?;
            Ok(results)
        };
        let stack = draw.vertices.stack_size();
        let all = in_chunks(assembled.vertices(), CHUNK, stack, (begun, deadline), compute)?;
        let Some(all) = all else { return Err(timed_out()) };
        // Chunks are in order, and so are the vertices in each.
        let chunks: Result<Vec<_>, _> = all.into_iter().collect();
        match chunks {
            Ok(chunks) => {
                let last = chunks.last().map_or(0, |chunk| chunk.len() / values);
                Ok(Self { values, last, chunks })
            }
            Err(None) => Err(DrawError::OutOfMemory),
            Err(Some(VertexStop::Fault(fault))) => Err(DrawError::Vertex(fault)),
            Err(Some(VertexStop::Cancelled)) => Err(DrawError::Abandoned),
        }
    }
}
