//! What the program has besides nodes, and names for it.

use lambdav_core::graph::Uniform;
use lambdav_core::interface::Interface;
use rustc_hash::FxHashSet;

/// What the program has, besides nodes.
#[derive(Default)]
pub(super) struct Outside {
    pub(super) interface: Interface,
    pub(super) uniforms: Vec<Uniform>,
    /// How many words these have.
    pub(super) uniform_words: usize,
    /// Locations and slots.
    pub(super) outputs: Vec<(u32, usize)>,
    /// The slot that holds whether the pixel has become a helper, if it ever may.
    pub(super) demoted: Option<usize>,
    pub(super) taken: FxHashSet<String>,
}

impl Outside {
    /// A name that nothing has yet: the first of these.
    pub(super) fn name(&mut self, candidates: impl IntoIterator<Item = String>) -> String {
        let mut last = String::new();
        for name in candidates {
            if !name.is_empty() && self.taken.insert(name.clone()) {
                return name;
            }
            last = name;
        }
        let mut number = 2;
        while !self.taken.insert(format!("{last}.{number}")) {
            number += 1;
        }
        format!("{last}.{number}")
    }
}
