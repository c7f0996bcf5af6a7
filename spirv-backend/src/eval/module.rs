//! A module that has been read.

use super::code::Block;
use super::global::{Output, Variable};
use super::resources::{Member, ResourceBinding};

/// A module that can be executed.
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) blocks: Vec<Block>,
    /// How many words all values take.
    pub(super) words: usize,
    /// Where constants lie in memory, and their words.
    pub(super) constants: Vec<(usize, Box<[u32]>)>,
    pub(super) outputs: Vec<Output>,
    /// How many words all outputs take.
    pub(super) output_words: usize,
    pub(super) uniforms: Vec<Member>,
    /// How many words the uniform block must have at least.
    pub(super) uniform_words: usize,
    pub(super) variables: Vec<Variable>,
    /// The textures and buffers that it reads.
    pub(super) resources: Vec<ResourceBinding>,
    pub(super) sources: Vec<Source>,
}

/// A file of the source that a module carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The id by which positions call it.
    pub id: u32,
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Module {
    /// The locations of the outputs, ascending.
    pub fn locations(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.outputs.iter().map(|output| output.location).collect();
        all.sort_unstable();
        all
    }

    /// The members of the uniform block, in order; none if there is no block.
    pub fn uniforms(&self) -> &[Member] {
        &self.uniforms
    }

    /// The textures and buffers that the module reads, in order of declaration.
    pub fn resources(&self) -> &[ResourceBinding] {
        &self.resources
    }

    /// The files of the source that the module carries, in order; none if it carries no source.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
}
