//! Assembly: triangles of lists, strips and fans, in Vulkan's order.

/// Order of corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    /// Three corners for each triangle; leftover corners are dropped.
    List,
    /// Triangle i is (i, i+1, i+2), with its last two exchanged where i is odd.
    Strip,
    /// Triangle i is (i+1, i+2, 0).
    Fan,
}

impl Topology {
    /// Number of triangles of that many corners.
    pub(crate) fn triangles(self, corners: u64) -> u64 {
        match self {
            Self::List => corners / 3,
            Self::Strip | Self::Fan => corners.saturating_sub(2),
        }
    }

    /// The corners of triangle `i`.
    pub(crate) fn corners(self, i: usize) -> [usize; 3] {
        match self {
            Self::List => [3 * i, 3 * i + 1, 3 * i + 2],
            Self::Strip if i % 2 == 1 => [i, i + 2, i + 1],
            Self::Strip => [i, i + 1, i + 2],
            Self::Fan => [i + 1, i + 2, 0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(topology: Topology, corners: u64) -> Vec<[usize; 3]> {
        (0..topology.triangles(corners) as usize).map(|i| topology.corners(i)).collect()
    }

    #[test]
    fn triangles_are_vulkans() {
        assert_eq!(all(Topology::List, 8), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(all(Topology::Strip, 6), [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
        assert_eq!(all(Topology::Fan, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
        for topology in [Topology::List, Topology::Strip, Topology::Fan] {
            for corners in 0..3 {
                assert_eq!(all(topology, corners), [[0; 3]; 0]);
            }
        }
    }
}
