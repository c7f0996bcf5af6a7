//! A module that is written again: where it had its blocks, textures and buffers.

use lambdav_core::graph::Core;
use lambdav_core::interface::Interface;
use lambdav_core::layout::{Layout, Rules};
use lambdav_core::schedule::Program;
use lambdav_spirv_backend::emit::{HostBlock, HostInterface, HostMember, HostResource};

/// What a host program gives, as the module had it, and the names of members that lie elsewhere now: whatever is laid out by
/// other rules than std140 comes behind the end of its block.
pub(super) fn host(
    core: &Core,
    program: &Program,
    interface: &Interface,
) -> (HostInterface, Vec<String>) {
    let types = core.graph.types();
    let layout = Layout::new(&program.types, Rules::Std140);
    let mut blocks: Vec<(HostBlock, Vec<usize>, u64)> = Vec::new();
    for of in &interface.members {
        let binding = of.binding.descriptor();
        let index = blocks.iter().position(|(block, ..)| block.binding == binding);
        let index = index.unwrap_or_else(|| {
            let (name, members) = (of.block.clone(), Vec::new());
            blocks.push((HostBlock { binding, name, members }, Vec::new(), 0));
            blocks.len() - 1
        });
        let (block, moved, end) = &mut blocks[index];
        let ty = core.uniforms[of.uniform].ty;
        let last = of.offsets.iter().max().map_or(0, |&last| u64::from(last) + 4);
        *end = (*end).max(last);
        let offset = of.offsets.first().copied().unwrap_or(0);
        let mut words = Vec::new();
        layout.words(types, ty, offset.into(), &mut words);
        if !words.into_iter().eq(of.offsets.iter().map(|&offset| u64::from(offset))) {
            moved.push(block.members.len());
        }
        let is_number = of.member.bytes().all(|byte| byte.is_ascii_digit());
        let name = if is_number { String::new() } else { of.member.clone() };
        block.members.push(HostMember { uniform: of.uniform as u32, name, offset });
    }
    let mut elsewhere = Vec::new();
    let blocks = blocks.into_iter().map(|(mut block, moved, mut end)| {
        for index in moved {
            let member = &mut block.members[index];
            let uniform = &core.uniforms[member.uniform as usize];
            member.offset = layout.place(uniform.ty, &mut end) as u32;
            elsewhere.push(uniform.name.clone());
        }
        block.members.sort_by_key(|member| member.offset);
        block
    });
    let blocks = blocks.collect();
    let resources = interface.resources.iter().map(|of| {
        let [set, binding] = of.binding.descriptor().unwrap_or_default();
        let name = if of.name == of.binding.to_string() { String::new() } else { of.name.clone() };
        HostResource { name, set, binding }
    });
    let entry_point = Some(interface.entry_point.clone());
    (HostInterface { entry_point, blocks, resources: resources.collect() }, elsewhere)
}
