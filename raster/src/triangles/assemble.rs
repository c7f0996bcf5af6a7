//! Triangles from indices, and the vertices that they use.

use super::draw::{Draw, DrawError, Indices, MAX_VERTICES};
use super::state::Topology;
use crate::mutants::{Mutant, is_active};

/// The triangles of an instance, and its vertices: each index that a triangle uses, once, ascending.
#[derive(Debug)]
pub(super) struct Assembled {
    used: Used,
    triangles: Triangles,
    pub(super) instances: u32,
}

/// The indices that triangles use, ascending.
#[derive(Debug)]
enum Used {
    /// All below this number.
    Below(usize),
    Listed(Vec<u32>),
}

/// The vertices of each triangle, by number among those that are used, in their order.
#[derive(Debug)]
enum Triangles {
    /// So many triangles of indices that are counted.
    Counted(Topology, usize),
    Listed(Vec<[u32; 3]>),
}

impl Assembled {
    /// The number of vertices of an instance.
    pub(super) fn vertices_of_instance(&self) -> usize {
        match &self.used {
            Used::Below(count) => *count,
            Used::Listed(list) => list.len(),
        }
    }

    /// The number of triangles of an instance.
    pub(super) fn triangles_of_instance(&self) -> usize {
        match &self.triangles {
            Triangles::Counted(_, count) => *count,
            Triangles::Listed(list) => list.len(),
        }
    }

    /// The number of vertices of all instances.
    pub(super) fn vertices(&self) -> usize {
        self.vertices_of_instance() * self.instances as usize
    }

    /// The number of triangles of all instances.
    pub(super) fn triangles(&self) -> usize {
        self.triangles_of_instance() * self.instances as usize
    }

    /// The index of a vertex, by number.
    pub(super) fn index(&self, vertex: usize) -> u32 {
        match &self.used {
            Used::Below(_) => vertex as u32,
            Used::Listed(list) => list[vertex],
        }
    }

    /// The vertices of a triangle, by number, in their order.
    pub(super) fn triangle(&self, triangle: usize) -> [u32; 3] {
        match &self.triangles {
            Triangles::Counted(topology, _) => places(*topology, triangle).map(|at| at as u32),
            Triangles::Listed(list) => list[triangle],
        }
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
    let Indices::List(list) = indices else {
        // Triangles use all vertices below the last one's.
        let used = match (topology, count) {
            (_, 0) => 0,
            (Topology::Triangles, _) => 3 * count,
            (Topology::Strip | Topology::Fan, _) => count + 2,
        };
        if used.saturating_mul(instances as usize) > MAX_VERTICES {
            return Err(too_large(used));
        }
        let triangles = Triangles::Counted(topology, count);
        return Ok(Assembled { used: Used::Below(used), triangles, instances });
    };
    let mut triangles = Vec::new();
    triangles.try_reserve_exact(count).map_err(|_| DrawError::OutOfMemory)?;
    triangles.extend((0..count).map(|i| places(topology, i).map(|at| list[at])));
    let used = used(&triangles).ok_or(DrawError::OutOfMemory)?;
    if used.len().saturating_mul(instances as usize) > MAX_VERTICES {
        return Err(too_large(used.len()));
    }
    let is_dense = used.last().is_none_or(|&last| last as usize + 1 == used.len());
    let used = match is_dense {
        true => Used::Below(used.len()),
        false => {
            for index in triangles.iter_mut().flatten() {
                *index = used.binary_search(index).expect("it is used") as u32;
            }
            Used::Listed(used)
        }
    };
    Ok(Assembled { used, triangles: Triangles::Listed(triangles), instances })
}
