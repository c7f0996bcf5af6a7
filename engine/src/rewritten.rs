//! Layout of blocks, textures and buffers in re-emitted modules.

use lambdav_core::graph::Core;
use lambdav_core::interface::{Block, Interface, Placement};
use lambdav_core::layout::{Layout, Rules};

/// The interface with members laid out by std140, and the names of members whose offsets change:
/// members with other layouts move after the end of their block. No member of λV moves.
pub(super) fn by_std140(core: &Core, interface: &Interface) -> (Interface, Vec<String>) {
    let types = core.graph.types();
    let layout = Layout::new(types, Rules::Std140);
    let mut written = interface.clone();
    let mut blocks: Vec<Block> = Vec::new();
    for block in std::mem::take(&mut written.blocks) {
        // A module may declare several blocks with one binding.
        match blocks.iter_mut().find(|of| of.binding == block.binding) {
            Some(first) => first.members.extend(block.members),
            None => blocks.push(block),
        }
    }
    let mut elsewhere = Vec::new();
    for block in &mut blocks {
        let (mut moved, mut end) = (Vec::new(), 0);
        for (number, member) in block.members.iter_mut().enumerate() {
            let Placement::Words(all) = &member.placement else { continue };
            let Some(uniform) = member.uniform() else { continue };
            let first = member.placement.first();
            let by_rules = Placement::Std140(first);
            end = end.max(all.iter().max().map_or(0, |&last| u64::from(last) + 4));
            if *by_rules.offsets(&layout, types, core.uniforms[uniform].ty) != all[..] {
                moved.push((number, uniform));
            }
            member.placement = by_rules;
            if member.name.bytes().all(|byte| byte.is_ascii_digit()) {
                member.name.clear();
            }
        }
        for (number, uniform) in moved {
            let uniform = &core.uniforms[uniform];
            let first = layout.place(uniform.ty, &mut end) as u32;
            block.members[number].placement = Placement::Std140(first);
            elsewhere.push(uniform.name.clone());
        }
        block.members.sort_by_key(|member| member.placement.first());
    }
    written.blocks = blocks;
    (written, elsewhere)
}
