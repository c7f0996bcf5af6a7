//! The interface of the program under construction, and unique names for it.

use lambdav_core::graph::{Attribute, Uniform};
use lambdav_core::interface::Interface;
use rustc_hash::FxHashSet;

/// Uniforms, outputs and interface of the program.
#[derive(Default)]
pub(super) struct Outside {
    pub(super) interface: Interface,
    pub(super) uniforms: Vec<Uniform>,
    /// Total words of the uniforms.
    pub(super) uniform_words: usize,
    /// Locations and slots.
    pub(super) outputs: Vec<(u32, usize)>,
    /// The slot that holds if the pixel has become a helper, if the module has one.
    pub(super) demoted: Option<usize>,
    pub(super) taken: FxHashSet<String>,
    /// Inputs of the vertex stage of a pipeline.
    pub(super) attributes: Vec<Attribute>,
}

impl Outside {
    /// The first unused name among the candidates; the last one gets a number if all are used.
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
