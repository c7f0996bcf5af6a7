//! Textures: texels from images.

use super::data::BindError;
use lambdav_core::texture::{TextureData, TextureOptions};
use lambdav_image::file::ImageRef;
use lambdav_image::srgb::Decoder;

/// Texels of the texture `name`. Samples of 8 and 16 bits are divided by their maximum, and decoded if
/// the options say so; floats stay unchanged.
///
/// # Errors
///
/// [`BindError::Floats`] and [`BindError::Image`].
pub fn texels(
    name: &str,
    options: TextureOptions,
    image: ImageRef<'_>,
) -> Result<TextureData, BindError> {
    let name = || name.to_owned();
    let TextureOptions { srgb, mipmaps, .. } = options;
    let linear = |max: u16| (0..=max).map(|k| f32::from(k) / f32::from(max)).collect::<Vec<f32>>();
    let sides = |size: lambdav_image::Size| [size.width(), size.height()];
    let made = match image {
        ImageRef::Unorm8(image) => {
            let linear = linear(u8::MAX.into());
            let color = if srgb { Decoder::of_8_bits().values() } else { &linear };
            let texel = |&[r, g, b, a]: &[u8; 4]| {
                let [r, g, b] = [r, g, b].map(|sample| color[usize::from(sample)]);
                [r, g, b, linear[usize::from(a)]]
            };
            TextureData::new(sides(image.size()), image.pixels().iter().map(texel), mipmaps)
        }
        ImageRef::Unorm16(image) => {
            let linear = linear(u16::MAX);
            let color = if srgb { Decoder::of_16_bits().values() } else { &linear };
            let texel = |&[r, g, b, a]: &[u16; 4]| {
                let [r, g, b] = [r, g, b].map(|sample| color[usize::from(sample)]);
                [r, g, b, linear[usize::from(a)]]
            };
            TextureData::new(sides(image.size()), image.pixels().iter().map(texel), mipmaps)
        }
        ImageRef::Float(_) if srgb => return Err(BindError::Floats { name: name() }),
        ImageRef::Float(image) => {
            TextureData::new(sides(image.size()), image.pixels().iter().copied(), mipmaps)
        }
    };
    made.map_err(|error| BindError::Image { name: name(), error })
}
