//! Values of a program as the memory that its module reads.

use crate::settings::Settings;
use lambdav_core::inputs::Inputs;
use lambdav_core::interface::{Binding, Interface, LocationSource, Placement};
use lambdav_core::resource::Bound;
use lambdav_spirv_eval::{InputSource, Module, Resources};

/// Blocks, textures and buffers. A block of push constants holds the inputs of λV only if the interface
/// says so.
pub(super) fn resources(module: &Module, interface: &Interface, settings: &Settings) -> Resources {
    let inputs = &settings.inputs;
    let bound = module.resources().iter().map(|of| {
        let binding = Binding::Descriptor { set: of.set, binding: of.binding };
        let number = interface.resource_at(binding, of.element);
        // Declared but unused resources are bound to nothing.
        number.and_then(|number| inputs.resources.get(number).cloned()).unwrap_or(Bound::Nothing)
    });
    let bound = Inputs { resources: bound.collect(), uniforms: Vec::new(), ..inputs.clone() };
    let mut resources = Resources::for_members(&bound, &[], module.resources());
    if interface.blocks.iter().all(|block| block.inputs().next().is_none()) {
        resources.set_block(None, Vec::new());
    }
    set_blocks(&mut resources, interface, settings);
    resources
}

/// Writes the values of uniforms into blocks.
fn set_blocks(resources: &mut Resources, interface: &Interface, settings: &Settings) {
    let inputs = &settings.inputs;
    let mut blocks: Vec<(Binding, Vec<u32>)> = Vec::new();
    for (block, uniform, member) in interface.uniforms() {
        let Placement::Words(offsets) = &member.placement else { continue };
        let index = blocks.iter().position(|(of, _)| *of == block.binding);
        let index = index.unwrap_or_else(|| {
            blocks.push((block.binding, Vec::new()));
            blocks.len() - 1
        });
        let words = &mut blocks[index].1;
        for (&offset, &word) in offsets.iter().zip(inputs.uniforms[uniform].iter()) {
            let place = offset as usize / 4;
            words.resize(words.len().max(place + 1), 0);
            words[place] = word;
        }
    }
    for (binding, words) in blocks {
        resources.set_block(binding.descriptor(), words);
    }
}

/// Sources of the inputs of locations.
pub(super) fn inputs(interface: &Interface, settings: &Settings) -> Vec<(u32, InputSource)> {
    let source = |of: &Result<LocationSource, usize>| match *of {
        Ok(LocationSource::Uv) => InputSource::Uv(settings.inputs.resolution),
        Ok(LocationSource::Position) => InputSource::Position,
        // Of pipelines of two stages, which are drawn otherwise.
        Ok(LocationSource::Attribute(_) | LocationSource::Varying(_)) => InputSource::default(),
        Err(uniform) => InputSource::Words(settings.inputs.uniforms[uniform].as_ref().into()),
    };
    interface.locations.iter().map(|of| (of.location, source(&of.source))).collect()
}
