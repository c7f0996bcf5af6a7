//! The log of an execution: nodes, each with the nodes on which it depends.

/// The most nodes and dependences that a log keeps; beyond that there is no slice.
const LIMIT: usize = 1 << 24;

/// The node of constants, and of values from outside.
pub(super) const NOTHING: u32 = 0;

/// Nodes in the order of execution.
#[derive(Debug)]
pub(super) struct Log {
    /// For each node, where its dependences begin.
    starts: Vec<u32>,
    dependences: Vec<u32>,
    limit: usize,
    is_full: bool,
}

impl Default for Log {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl Log {
    fn with_limit(limit: usize) -> Self {
        Self { starts: vec![0], dependences: Vec::new(), limit, is_full: false }
    }

    /// Adds a node; [`NOTHING`] if the log is full.
    pub(super) fn add(&mut self, dependences: impl IntoIterator<Item = u32>) -> u32 {
        if self.is_full || self.starts.len() + self.dependences.len() >= self.limit {
            self.is_full = true;
            return NOTHING;
        }
        self.starts.push(self.dependences.len() as u32);
        self.dependences.extend(dependences.into_iter().filter(|&of| of != NOTHING));
        self.starts.len() as u32 - 1
    }

    /// For each node, true if one of `roots` depends on it, directly or not; `None` if the log was full. Dependences have
    /// smaller numbers, so one pass suffices.
    pub(super) fn needed(&self, roots: impl IntoIterator<Item = u32>) -> Option<Vec<bool>> {
        if self.is_full {
            return None;
        }
        let mut needed = vec![false; self.starts.len()];
        roots.into_iter().for_each(|root| needed[root as usize] = true);
        let mut end = self.dependences.len();
        for node in (1..self.starts.len()).rev() {
            let start = self.starts[node] as usize;
            if needed[node] {
                self.dependences[start..end].iter().for_each(|&of| needed[of as usize] = true);
            }
            end = start;
        }
        Some(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_transitive() {
        let mut log = Log::default();
        let a = log.add([]);
        let b = log.add([a]);
        let c = log.add([NOTHING]);
        let d = log.add([c, b]);
        let e = log.add([c]);
        assert_eq!(log.needed([d]), Some(vec![false, true, true, true, true, false]));
        assert_eq!(log.needed([e]), Some(vec![false, false, false, true, false, true]));
        assert_eq!(log.needed([]), Some(vec![false; 6]));
    }

    #[test]
    fn a_full_log_has_no_slice() {
        let mut log = Log::with_limit(4);
        let nodes: Vec<u32> = (0..5).map(|_| log.add([])).collect();
        assert_eq!(nodes, [1, 2, 3, NOTHING, NOTHING]);
        assert_eq!(log.needed([1]), None);
    }
}
