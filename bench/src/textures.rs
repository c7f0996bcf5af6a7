//! Shaders that sample a texture, and the data of their textures.

use lambdav_core::resource::Bound;
use lambdav_core::texture::TextureData;
use lambdav_core::types::{ResourceKind, Types};

/// Names and texts.
pub(crate) const SHADERS: [(&str, &str); 7] = [
    ("fetch", include_str!("../shaders/textures/fetch.lv")),
    ("nearest", include_str!("../shaders/textures/nearest.lv")),
    ("bilinear", include_str!("../shaders/textures/bilinear.lv")),
    ("trilinear", include_str!("../shaders/textures/trilinear.lv")),
    ("repeat", include_str!("../shaders/textures/repeat.lv")),
    ("blur", include_str!("../shaders/textures/blur.lv")),
    ("dependent", include_str!("../shaders/textures/dependent.lv")),
];

/// Width and height of the textures, in texels.
const SIDE: u32 = 512;

/// The data of all textures, which have the same texels: sums of waves with a little noise, from 0 to 1.
/// They are normal floats, as in an image of 8 bits.
pub(crate) fn data(types: &Types) -> Vec<Bound> {
    let texel = |k: u32| {
        let (x, y) = (k % SIDE, k / SIDE);
        let noise = k.wrapping_mul(747_796_405).wrapping_add(2_891_336_453) >> 28;
        [x ^ y, x + 2 * y, 3 * x + y, x * y / SIDE].map(|wave| {
            let byte = (wave + noise) % 255 + 1;
            byte as f32 / 255.0
        })
    };
    let bound = |kind| match kind {
        ResourceKind::Texture(options) => {
            let texels = (0..SIDE * SIDE).map(texel);
            let data = TextureData::new([SIDE; 2], texels, options.mipmaps);
            Bound::Texture(data.expect("it is small").into())
        }
        ResourceKind::Buffer(_) | ResourceKind::Memory(_) => Bound::Nothing,
    };
    types.resources().iter().map(|resource| bound(resource.kind)).collect()
}
