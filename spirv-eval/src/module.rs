//! A loaded module.

use super::code::{Function, Step};
use super::debug::{FunctionDebug, Owner};
use super::global::{Output, UniformBlock, Variable, Workgroup};
use super::options::Undefined;
use super::resources::{InputVariable, Member, ResourceBinding};
use lambdav_core::sampler::Sampler;
use lambdav_core::triangles::{DEPTH, POSITION};
use rspirv::spirv::BuiltIn;
use std::collections::BTreeMap;

/// A module that can be executed.
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) undefined: Undefined,
    pub(super) functions: Vec<Function>,
    /// Index of the entry point's function.
    pub(super) entry: usize,
    /// Number of loop headers.
    pub(super) headers: usize,
    /// Number of words of all values.
    pub(super) words: usize,
    /// Places of constants in memory, with their words.
    pub(super) constants: Vec<(usize, Box<[u32]>)>,
    /// Steps that compute specialisation constants.
    pub(super) computed: Vec<Step>,
    pub(super) outputs: Vec<Output>,
    pub(super) inputs: Vec<InputVariable>,
    /// Built-in inputs other than FragCoord, with their places among the variables' words.
    pub(super) built_ins: Vec<(BuiltIn, usize)>,
    pub(super) uniforms: Vec<Member>,
    pub(super) blocks: Vec<UniformBlock>,
    /// Variables of the module and of its functions.
    pub(super) variables: Vec<Variable>,
    /// Number of words of all variables.
    pub(super) variable_words: usize,
    /// The workgroups of a compute shader.
    pub(super) workgroup: Workgroup,
    /// Indices of the module's own variables.
    pub(super) globals: Vec<usize>,
    /// The textures and buffers that the module declares.
    pub(super) resources: Vec<ResourceBinding>,
    /// The samplers of the module, by number.
    pub(super) samplers: Vec<Sampler>,
    pub(super) sources: Vec<Source>,
    pub(super) names: Vec<(u32, String)>,
    /// Debug information by function; empty unless it was asked for.
    pub(super) debug: Vec<FunctionDebug>,
}

/// A source file embedded in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The id by which positions refer to the file.
    pub id: u32,
    /// File name.
    pub name: String,
    /// Text.
    pub text: String,
}

impl Module {
    /// The locations of the outputs, ascending, without [`POSITION`] and [`DEPTH`].
    pub fn locations(&self) -> Vec<u32> {
        let all = self.outputs.iter().map(|output| output.location);
        let mut all: Vec<u32> = all.filter(|of| ![POSITION, DEPTH].contains(of)).collect();
        all.sort_unstable();
        all
    }

    /// The inputs at locations; zero unless set.
    pub fn inputs(&self) -> &[InputVariable] {
        &self.inputs
    }

    /// The members of the uniform block, in order; empty without a block, or with [`Undefined::Total`].
    pub fn uniforms(&self) -> &[Member] {
        &self.uniforms
    }

    /// The textures and buffers of the module, in order of declaration.
    pub fn resources(&self) -> &[ResourceBinding] {
        &self.resources
    }

    /// Invocations of a workgroup along each axis.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup.size
    }

    /// The file name for an id in a [`Position`](crate::Position).
    pub fn file_name(&self, id: u32) -> Option<&str> {
        let held = self.sources.iter().find(|source| source.id == id).map(|source| &source.name);
        let named = || self.names.iter().find(|(of, _)| *of == id).map(|(_, name)| name);
        held.or_else(named).map(String::as_str)
    }

    /// The names that an [`Observer`](crate::Observer) may see.
    pub fn observed_names(&self) -> impl Iterator<Item = &str> {
        self.debug.iter().flat_map(FunctionDebug::names)
    }

    /// The names of values and variables that an [`Observer`](crate::Observer) may see and that belong to one alone.
    pub fn distinct_names(&self) -> impl Iterator<Item = &str> {
        let mut owners: BTreeMap<&str, Option<Owner>> = BTreeMap::new();
        for (name, owner) in self.debug.iter().flat_map(FunctionDebug::owners) {
            let known = owners.entry(name).or_insert(owner);
            *known = known.filter(|known| Some(*known) == owner);
        }
        owners.into_iter().filter_map(|(name, owner)| owner.map(|_| name))
    }

    /// All ids that may name a file in a [`Position`](crate::Position), with the names.
    pub fn file_names(&self) -> impl Iterator<Item = (u32, &str)> {
        let held = self.sources.iter().map(|source| (source.id, &*source.name));
        held.chain(self.names.iter().map(|(id, name)| (*id, &**name)))
    }

    /// The embedded source files, in order.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
}
