//! Triangles from indices, and the vertices that they use.

use super::draw::{Draw, DrawError, MAX_VERTICES};
use super::state::Topology;
use crate::mutants::{Mutant, is_active};

/// The triangles of an instance, and its vertices: each index that a triangle uses, once, ascending.
#[derive(Debug)]
pub(super) struct Assembled {
    /// The index of each vertex.
    pub(super) indices: Vec<u32>,
    /// The vertices of each triangle, by number in `indices`, in their order.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) instances: u32,
}

impl Assembled {
    /// The number of vertices of all instances.
    pub(super) fn vertices(&self) -> usize {
        self.indices.len() * self.instances as usize
    }

    /// The number of triangles of all instances.
    pub(super) fn triangles(&self) -> usize {
        self.triangles.len() * self.instances as usize
    }
}

/// The places in the list of indices of a triangle's vertices.
fn places(topology: Topology, triangle: usize) -> [usize; 3] {
    let i = triangle;
    match topology {
        Topology::Triangles => [3 * i, 3 * i + 1, 3 * i + 2],
        // The first vertex is always i.
        Topology::Strip if i % 2 == 1 && !is_active(Mutant::StripWinding) => [i, i + 2, i + 1],
        Topology::Strip => [i, i + 1, i + 2],
        Topology::Fan => [i + 1, i + 2, 0],
    }
}

/// The indices that triangles use, each once, ascending; `None` without memory.
fn used(triangles: &[[u32; 3]]) -> Option<Vec<u32>> {
    let mut used: Vec<u32> = Vec::new();
    let all = || triangles.iter().flatten().copied();
    let end = all().max().map_or(0, |last| last as usize + 1);
    // Indices are mostly dense: marking them is faster than sorting.
    if end <= 16 * triangles.len() {
        let mut marks: Vec<bool> = Vec::new();
        marks.try_reserve_exact(end).ok()?;
        marks.resize(end, false);
        all().for_each(|index| marks[index as usize] = true);
        let count = marks.iter().filter(|mark| **mark).count();
        used.try_reserve_exact(count).ok()?;
        used.extend((0..).zip(marks).filter(|(_, mark)| *mark).map(|(index, _)| index));
        return Some(used);
    }
    used.try_reserve_exact(3 * triangles.len()).ok()?;
    used.extend(all());
    used.sort_unstable();
    used.dedup();
    used.shrink_to_fit();
    Some(used)
}

pub(super) fn assemble(draw: &Draw<'_>) -> Result<Assembled, DrawError> {
    let (indices, topology, instances) = (draw.indices, draw.state.topology, draw.instances);
    let count = match topology {
        Topology::Triangles => indices.len() / 3,
        Topology::Strip | Topology::Fan => indices.len().saturating_sub(2),
    };
    let too_large = |vertices| DrawError::TooLarge { vertices, instances };
    if count.saturating_mul(instances as usize) > MAX_VERTICES {
        return Err(too_large(indices.len()));
    }
    let mut triangles = Vec::new();
    triangles.try_reserve_exact(count).map_err(|_| DrawError::OutOfMemory)?;
    let all = (0..count).map(|i| places(topology, i).map(|at| indices.get(at)));
    triangles.extend(all);
    let used = used(&triangles).ok_or(DrawError::OutOfMemory)?;
    if used.len().saturating_mul(instances as usize) > MAX_VERTICES {
        return Err(too_large(used.len()));
    }
    let is_dense = used.last().is_none_or(|&last| last as usize + 1 == used.len());
    if !is_dense {
        for index in triangles.iter_mut().flatten() {
            *index = used.binary_search(index).expect("it is used") as u32;
        }
    }
    Ok(Assembled { indices: used, triangles, instances })
}
