//! Where a host program has its blocks, textures and buffers: of a module that is written again, where they were.

use super::declarations::{Declarations, literal};
use super::interface::Interface;
use lambdav_core::graph::Uniform;
use lambdav_core::layout::Rules;
use lambdav_core::types::Type;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

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
    placed: Vec<Option<Placed>>,
    /// Which block each is in, and its number there; empty before it is asked for.
    of: Vec<(usize, u32)>,
    /// All blocks, one for what the host says nothing of last.
    all: Vec<HostBlock>,
}

impl HostInterface {
    /// All blocks: those that are listed, and one for what these do not hold.
    fn all_blocks(&self, declarations: &Declarations<'_>, uniforms: &[Uniform]) -> Vec<HostBlock> {
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

impl Interface {
    /// Where the uniform of that index lies. The block is declared when the first of its members is used.
    pub(super) fn uniform(
        &mut self,
        declarations: &mut Declarations<'_>,
        uniforms: &[Uniform],
        index: u32,
    ) -> Placed {
        if self.blocks.of.is_empty() {
            self.blocks.all = self.host.all_blocks(declarations, uniforms);
            self.blocks.of = vec![(0, 0); uniforms.len()];
            self.blocks.placed = vec![None; uniforms.len()];
            for (number, block) in self.blocks.all.iter().enumerate() {
                for (place, member) in (0..).zip(&block.members) {
                    self.blocks.of[member.uniform as usize] = (number, place);
                }
            }
        }
        if let Some(placed) = self.blocks.placed[index as usize] {
            return placed;
        }
        let number = self.blocks.of[index as usize].0;
        let block = self.blocks.all[number].clone();
        let members = block.members.iter();
        let members: Vec<(Type, &str, u32)> = members
            .map(|of| (uniforms[of.uniform as usize].ty, of.name.as_str(), of.offset))
            .collect();
        let class = match block.binding {
            Some(_) => StorageClass::Uniform,
            None => StorageClass::PushConstant,
        };
        let base = self.block(declarations, class, &block.name, &members);
        if let Some(at) = block.binding {
            Self::bind(declarations, base, at);
        }
        for (member, of) in (0..).zip(&block.members) {
            self.blocks.placed[of.uniform as usize] = Some(Placed { class, base, member });
        }
        self.blocks.placed[index as usize].expect("it is a member of its block")
    }

    /// Says where a variable is bound.
    pub(super) fn bind(declarations: &mut Declarations<'_>, variable: Word, at: [u32; 2]) {
        let [set, binding] = at.map(Operand::LiteralBit32);
        declarations.decorate(variable, Decoration::DescriptorSet, [set]);
        declarations.decorate(variable, Decoration::Binding, [binding]);
    }

    /// Name, set and binding of the texture or buffer of that number.
    pub(super) fn place_of(&self, number: u32, name: &str) -> (String, [u32; 2]) {
        match self.host.resources.get(number as usize) {
            Some(of) => (of.name.clone(), [of.set, of.binding]),
            None => (name.to_owned(), [0, number + 1]),
        }
    }

    /// The name of the entry point.
    pub(super) fn entry_point(&self) -> Operand {
        literal(self.host.entry_point.as_deref().unwrap_or("main"))
    }
}
