//! Blocks of uniforms, and the bindings of blocks, textures and buffers.

use super::declarations::{Declarations, literal};
use super::interface::{Interface, Placed};
use lambdav_core::graph::Uniform;
use lambdav_core::interface::{self, Binding, Block};
use lambdav_core::types::{Type, Types};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

impl Interface {
    /// Begins an entry point: takes names and bindings from an interface of a program with these uniforms, and
    /// assigns the missing ones. Entry points share blocks and resources.
    pub(super) fn begin_entry_point(
        &mut self,
        bound: &interface::Interface,
        uniforms: &[Uniform],
        types: &Types,
    ) {
        self.forget_stage();
        self.bound.clone_from(bound);
        let in_block = |index: usize| index < uniforms.len();
        for block in &mut self.bound.blocks {
            block.members.retain(|member| member.uniform().is_some_and(in_block));
        }
        self.bound.bind_rest(uniforms, types);
        self.blocks.placed.resize(uniforms.len(), None);
        self.blocks.of = vec![0; uniforms.len()];
        for (number, block) in self.bound.blocks.iter().enumerate() {
            block.uniforms().for_each(|(index, _)| self.blocks.of[index] = number);
        }
    }

    /// The place of a uniform. Its block is declared at the first use of a member.
    pub(super) fn uniform(
        &mut self,
        declarations: &mut Declarations<'_>,
        uniforms: &[Uniform],
        index: u32,
    ) -> Placed {
        if let Some(placed) = self.blocks.placed[index as usize] {
            return placed;
        }
        let block: Block = self.bound.blocks[self.blocks.of[index as usize]].clone();
        let members: Vec<(Type, &str, u32)> = block
            .uniforms()
            .map(|(index, of)| (uniforms[index].ty, of.name.as_str(), of.placement.first()))
            .collect();
        let class = match block.binding {
            Binding::Descriptor { .. } => StorageClass::Uniform,
            Binding::PushConstants => StorageClass::PushConstant,
        };
        let base = self.block(declarations, class, &block.name, &members);
        Self::bind(declarations, base, block.binding);
        for (member, (index, _)) in (0..).zip(block.uniforms()) {
            self.blocks.placed[index] = Some(Placed { class, base, member });
        }
        self.blocks.placed[index as usize].expect("it is a member of its block")
    }

    /// Decorates a variable with its binding.
    pub(super) fn bind(declarations: &mut Declarations<'_>, variable: Word, at: Binding) {
        if let Some(at) = at.descriptor() {
            let [set, binding] = at.map(Operand::LiteralBit32);
            declarations.decorate(variable, Decoration::DescriptorSet, [set]);
            declarations.decorate(variable, Decoration::Binding, [binding]);
        }
    }

    /// The name of the entry point.
    pub(super) fn entry_point(&self) -> Operand {
        literal(&self.bound.entry_point.name)
    }
}
