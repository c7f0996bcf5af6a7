//! A module that has been read.

use super::code::{Function, Step};
use super::global::{Block, Output, Variable};
use super::options::Undefined;
use super::resources::{InputVariable, Member, ResourceBinding};

/// A module that can be executed.
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) undefined: Undefined,
    pub(super) functions: Vec<Function>,
    /// The function where a pixel begins.
    pub(super) entry: usize,
    /// How many headers of loops there are.
    pub(super) headers: usize,
    /// How many words all values take.
    pub(super) words: usize,
    /// Where constants lie in memory, and their words.
    pub(super) constants: Vec<(usize, Box<[u32]>)>,
    /// Constants that are computed.
    pub(super) computed: Vec<Step>,
    pub(super) outputs: Vec<Output>,
    pub(super) inputs: Vec<InputVariable>,
    pub(super) uniforms: Vec<Member>,
    pub(super) blocks: Vec<Block>,
    /// Of the module itself and of its functions.
    pub(super) variables: Vec<Variable>,
    /// How many words all variables take.
    pub(super) variable_words: usize,
    /// Those of the module itself.
    pub(super) globals: Vec<usize>,
    /// The textures and buffers that it reads.
    pub(super) resources: Vec<ResourceBinding>,
    pub(super) sources: Vec<Source>,
    pub(super) names: Vec<(u32, String)>,
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

    /// The inputs of locations; all are zero unless they are set.
    pub fn inputs(&self) -> &[InputVariable] {
        &self.inputs
    }

    /// The members of the uniform block, in order; none if there is no block, or all is defined
    /// ([`Undefined::Total`]).
    pub fn uniforms(&self) -> &[Member] {
        &self.uniforms
    }

    /// The textures and buffers that the module reads, in order of declaration.
    pub fn resources(&self) -> &[ResourceBinding] {
        &self.resources
    }

    /// The name of the file that positions call so.
    pub fn file_name(&self, id: u32) -> Option<&str> {
        let held = self.sources.iter().find(|source| source.id == id).map(|source| &source.name);
        let named = || self.names.iter().find(|(of, _)| *of == id).map(|(_, name)| name);
        held.or_else(named).map(String::as_str)
    }

    /// The files of the source that the module carries, in order; none if it carries no source.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
}
