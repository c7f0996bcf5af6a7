//! Blocks of uniforms, and where they, textures and buffers are bound.

use super::declarations::{Declarations, literal};
use super::host::Placed;
use super::interface::Interface;
use lambdav_core::graph::Uniform;
use lambdav_core::types::Type;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

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
