//! Assembly of vertices to triangles.

use super::state::Topology;

/// The triangles of a list of `count` vertices: three places in the list each. Leftover vertices are dropped.
pub fn triangles(topology: Topology, count: usize) -> Vec<[usize; 3]> {
    match topology {
        Topology::Triangles => (0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
        Topology::Strip => {
            let one = |i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i, i + 2, i + 1] };
            (0..count.saturating_sub(2)).map(one).collect()
        }
        Topology::Fan => (0..count.saturating_sub(2)).map(|i| [i + 1, i + 2, 0]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_drop_leftover_vertices() {
        let triangles = |count| triangles(Topology::Triangles, count);
        for few in 0..3 {
            assert_eq!(triangles(few).len(), 0);
        }
        assert_eq!(triangles(8), [[0, 1, 2], [3, 4, 5]]);
    }

    #[test]
    fn odd_triangles_of_strips_exchange_the_last_two() {
        assert_eq!(triangles(Topology::Strip, 2).len(), 0);
        let found = triangles(Topology::Strip, 6);
        assert_eq!(found, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
    }

    #[test]
    fn fans_end_with_their_first_vertex() {
        assert_eq!(triangles(Topology::Fan, 2).len(), 0);
        assert_eq!(triangles(Topology::Fan, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    }
}
