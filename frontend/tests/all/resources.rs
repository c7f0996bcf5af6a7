//! Small data for the textures and buffers of a program.

use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::texture::TextureData;
use lambdav_core::types::{Resource, ResourceKind, Types};
use std::sync::Arc;

pub(crate) fn resources(types: &Types) -> Vec<Bound> {
    let data = |resource: &Arc<Resource>| match resource.kind {
        ResourceKind::Texture(options) => {
            let texels = (0..6).map(|k| [k as f32, 0.25, -1.0, 0.5]);
            let data = TextureData::new([3, 2], texels, options.mipmaps);
            Bound::Texture(data.expect("six texels of six").into())
        }
        ResourceKind::Buffer(element) => {
            let words = (0..3 * types.components(element)).map(|k| 0x3f80_0000 + (k << 20) as u32);
            let data = BufferData::new(types, element, words.collect());
            Bound::Buffer(data.expect("three elements").into())
        }
        ResourceKind::Memory(_) => Bound::Nothing,
    };
    types.resources().iter().map(data).collect()
}
