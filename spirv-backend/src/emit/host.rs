//! Where a host program has its blocks, textures and buffers: of a module that is written again, where they were.

use super::declarations::Declarations;
use lambdav_core::graph::Uniform;
use lambdav_core::layout::Rules;
use rspirv::spirv::{StorageClass, Word};

/// What a host program gives under which names and numbers. What is not listed lies where the emitter puts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostInterface {
    /// The name of the entry point; without one it is `main`.
    pub entry_point: Option<String>,
    /// Blocks of uniforms. No uniform is in two of them.
    pub blocks: Vec<HostBlock>,
    /// Textures and buffers, by their numbers.
    pub resources: Vec<HostResource>,
}

/// A block of uniforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBlock {
    /// Descriptor set and binding; of push constants none.
    pub binding: Option<[u32; 2]>,
    /// Its name; may be empty.
    pub name: String,
    /// What it holds, ascending by offsets.
    pub members: Vec<HostMember>,
}

/// A member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMember {
    /// The index of the uniform.
    pub uniform: u32,
    /// Its name; may be empty.
    pub name: String,
    /// How many bytes lie before it. It is laid out as std140 says.
    pub offset: u32,
}

/// A texture or a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostResource {
    /// Its name; may be empty.
    pub name: String,
    /// Its descriptor set.
    pub set: u32,
    /// Its number there.
    pub binding: u32,
}

/// Where a uniform lies: the class and the variable of its block, and its number there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) class: StorageClass,
    pub(super) base: Word,
    pub(super) member: u32,
}

/// Where all uniforms lie.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// By their indices, as soon as their blocks are declared.
    pub(super) placed: Vec<Option<Placed>>,
    /// Which block each is in, and its number there; empty before it is asked for.
    pub(super) of: Vec<(usize, u32)>,
    /// All blocks, one for what the host says nothing of last.
    pub(super) all: Vec<HostBlock>,
}

impl HostInterface {
    /// All blocks: those that are listed, and one for what these do not hold.
    pub(super) fn all_blocks(
        &self,
        declarations: &Declarations<'_>,
        uniforms: &[Uniform],
    ) -> Vec<HostBlock> {
        let mut all = self.blocks.clone();
        let mut is_listed = vec![false; uniforms.len()];
        for member in all.iter().flat_map(|block| &block.members) {
            is_listed[member.uniform as usize] = true;
        }
        let mut end = 0;
        let mut members = Vec::new();
        for (index, uniform) in (0..).zip(uniforms).filter(|&(index, _)| !is_listed[index as usize])
        {
            let offset = declarations.layout(Rules::Std140).place(uniform.ty, &mut end) as u32;
            members.push(HostMember { uniform: index, name: uniform.name.clone(), offset });
        }
        if !members.is_empty() {
            let of_blocks = all.iter().filter_map(|block| block.binding);
            let taken: Vec<[u32; 2]> =
                of_blocks.chain(self.resources.iter().map(|of| [of.set, of.binding])).collect();
            let mut free = (0..).map(|binding| [0, binding]).filter(|at| !taken.contains(at));
            all.push(HostBlock { binding: free.next(), name: "uniforms".to_owned(), members });
        }
        all
    }
}
