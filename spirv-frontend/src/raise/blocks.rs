//! Blocks of memory: uniforms, push constants, buffers.

use super::outside::Outside;
use super::raiser::{Raiser, Root};
use crate::error::{RaiseError, Result};
use crate::module::{ModuleType, Variable, word_offsets};
use lambdav_core::graph::NodeId;
use lambdav_core::interface::{Binding, Block, BlockMember, MemberValue, Placement};
use lambdav_core::types::ResourceKind;
use rspirv::spirv::Decoration;

impl Raiser<'_, '_> {
    /// A block as a structure of uniforms. If a compiler only wrapped an unnamed structure in the block,
    /// that structure counts as the block.
    pub(super) fn open_block(
        &mut self,
        variable: &Variable,
        binding: Binding,
        outside: &mut Outside,
    ) -> Result<NodeId> {
        let module = self.module;
        let mut block = module.name(variable.id);
        if block.is_empty() {
            block = module.name(variable.ty);
        }
        let mut block = Block { binding, name: block.to_owned(), members: Vec::new() };
        let Some(inner) = self.wrapped_structure(variable.ty)? else {
            let node = self.open_members(&mut block, variable.ty, 0, outside)?;
            outside.interface.blocks.push(block);
            return Ok(node);
        };
        let offset = module.member_decoration(variable.ty, 0, Decoration::Offset);
        let base = offset.and_then(|offset| offset.first().copied()).unwrap_or(0);
        let inner = self.open_members(&mut block, inner, base, outside)?;
        outside.interface.blocks.push(block);
        let whole = self.core_type(variable.ty)?;
        self.construct(whole, vec![inner])
    }

    /// The unnamed structure that is the only member of a block, if it has that form.
    pub(super) fn wrapped_structure(&self, block: u32) -> Result<Option<u32>> {
        let ModuleType::Structure(members) = self.module.ty(block)? else { return Ok(None) };
        let &[only] = &members[..] else { return Ok(None) };
        let is_structure = matches!(self.module.ty(only)?, ModuleType::Structure(_));
        Ok(Some(only).filter(|_| is_structure && self.module.member_name(block, 0).is_empty()))
    }

    /// The members of a structure in a block; the structure begins at `base`.
    pub(super) fn open_members(
        &mut self,
        block: &mut Block,
        structure: u32,
        base: u32,
        outside: &mut Outside,
    ) -> Result<NodeId> {
        let module = self.module;
        let ModuleType::Structure(members) = module.ty(structure)? else {
            return Err(RaiseError::unsupported("a block that is no structure"));
        };
        let whole = self.core_type(structure)?;
        let binding = block.binding;
        let mut parts = Vec::new();
        for (k, &member) in (0..).zip(members) {
            let ty = self.core_type(member)?;
            let own = module.member_name(structure, k).to_owned();
            let member = if own.is_empty() { k.to_string() } else { own.clone() };
            let in_block = match block.name.as_str() {
                "" => String::new(),
                // A single value that a compiler wrapped in a structure.
                block if own.is_empty() && members.len() == 1 => block.to_owned(),
                block => format!("{block}.{member}"),
            };
            let full = format!("{binding}.{member}");
            let name = outside.name([own, in_block, full]);
            let (node, uniform) = self.uniform(name, ty, outside)?;
            let offsets = word_offsets(module, structure, k, base)?;
            let (value, placement) = (MemberValue::Uniform(uniform), Placement::Words(offsets));
            block.members.push(BlockMember { value, name: member, placement });
            parts.push(node);
        }
        self.construct(whole, parts)
    }

    /// True if a push-constant block is λV's own.
    pub(super) fn is_own(&mut self, variable: &Variable) -> Result<bool> {
        let module = self.module;
        let ModuleType::Structure(members) = module.ty(variable.ty)? else { return Ok(false) };
        let own = Block::of_inputs();
        if module.name(variable.ty) != own.name || members.len() != own.members.len() {
            return Ok(false);
        }
        for (k, (&member, (input, of))) in (0..).zip(members.iter().zip(own.inputs())) {
            let place = module.member_decoration(variable.ty, k, Decoration::Offset);
            if module.member_name(variable.ty, k) != of.name
                || self.core_type(member)? != input.ty()
                || place != Some(&[of.placement.first()])
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The index and element type of the last member, if that is a runtime array.
    pub(super) fn runtime_array(&self, members: &[u32]) -> Result<Option<(u32, u32)>> {
        let Some((&last, others)) = members.split_last() else { return Ok(None) };
        match (self.module.ty(last)?, others) {
            (ModuleType::RuntimeArray(element), []) => Ok(Some((0, *element))),
            (ModuleType::RuntimeArray(_), _) => {
                Err(RaiseError::unsupported("a buffer with members in front of its array"))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn open_buffer(
        &mut self,
        variable: &Variable,
        binding: Binding,
        member: u32,
        element: u32,
        outside: &mut Outside,
    ) -> Result<Root> {
        let element = self.core_type(element)?;
        if !self.graph.types().fits_element(element) {
            let what = self.graph.types().name(element).to_string();
            return Err(RaiseError::unsupported(format!("a buffer of {what}")));
        }
        let node = self.resource(variable, binding, ResourceKind::Buffer(element), outside);
        Ok(Root::Buffer(node, member))
    }
}
