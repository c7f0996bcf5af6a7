//! The resources that a program reads.

use super::{Core, Node};
use std::collections::BTreeSet;

impl Core {
    /// The numbers of the resources that the results of the program depend on.
    pub fn read_resources(&self) -> BTreeSet<usize> {
        let types = self.graph.types();
        let needed = self.graph.needed_by(self.roots()).into_iter();
        let resource = |id| match self.graph.node(id) {
            Node::Constant(ty, _) => types.resource(*ty),
            _ => None,
        };
        needed.filter_map(resource).collect()
    }

    /// Drops all passes if no output reads a result.
    pub fn drop_unread_passes(&mut self) {
        let passes = self.passes.take();
        let read = self.read_resources();
        let is_read = |of: &super::Passes| read.iter().any(|&number| of.result(number).is_some());
        self.passes = passes.filter(|of| is_read(of));
    }
}
