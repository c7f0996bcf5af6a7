//! Textures: texels from images.

use super::data::BindError;
use lambdav_core::texture::{Texels, TextureData, TextureOptions};
use lambdav_image::file::ImageRef;
use lambdav_image::srgb::Decoder;

/// Texels of the texture `name`, from the images of its planes, or from one image
/// ([`size_of_image`](lambdav_core::texture::TextureKind::size_of_image)). Samples of 8 and 16 bits are divided by their maximum,
/// and decoded if the options say so; floats stay unchanged.
///
/// # Errors
///
/// [`BindError::Floats`], [`BindError::Image`] and [`BindError::Planes`].
pub fn texels(
    name: &str,
    options: TextureOptions,
    images: &[ImageRef<'_>],
) -> Result<TextureData, BindError> {
    if options.texels != Texels::Numbers {
        return integers(name, options, images);
    }
    let TextureOptions { kind, srgb, mipmaps, .. } = options;
    let sides = images.first().map_or([0; 2], |image| {
        let size = image.size();
        [size.width(), size.height()]
    });
    let mut all: Vec<[f32; 4]> = Vec::new();
    for image in images {
        let size = image.size();
        if [size.width(), size.height()] != sides {
            return Err(BindError::Planes { name: name.to_owned() });
        }
        match image {
            ImageRef::Float(_) if srgb => {
                return Err(BindError::Floats { name: name.to_owned() });
            }
            _ => all.extend(of_image(srgb, *image)),
        }
    }
    let size = match images {
        [_] => kind.size_of_image(sides),
        _ => [sides[0], sides[1], images.len() as u32],
    };
    let made = TextureData::with_planes(kind, size, all.into_iter(), mipmaps);
    made.map_err(|error| BindError::Image { name: name.to_owned(), error })
}

/// The same of a texture of integers: samples of 8 and 16 bits as they are.
fn integers(
    name: &str,
    options: TextureOptions,
    images: &[ImageRef<'_>],
) -> Result<TextureData, BindError> {
    let mut all: Vec<[u32; 4]> = Vec::new();
    let sides =
        images.first().map_or([0; 2], |image| [image.size().width(), image.size().height()]);
    for image in images {
        if [image.size().width(), image.size().height()] != sides {
            return Err(BindError::Planes { name: name.to_owned() });
        }
        match image {
            ImageRef::Unorm8(image) => {
                all.extend(image.pixels().iter().map(|of| of.map(u32::from)))
            }
            ImageRef::Unorm16(image) => {
                all.extend(image.pixels().iter().map(|of| of.map(u32::from)));
            }
            ImageRef::Float(_) => return Err(BindError::NoIntegers { name: name.to_owned() }),
        }
    }
    let size = match images {
        [_] => options.kind.size_of_image(sides),
        _ => [sides[0], sides[1], images.len() as u32],
    };
    let made = TextureData::of_integers(options.kind, options.texels, size, all.into_iter());
    made.map_err(|error| BindError::Image { name: name.to_owned(), error })
}

fn of_image(srgb: bool, image: ImageRef<'_>) -> Vec<[f32; 4]> {
    let linear = |max: u16| (0..=max).map(|k| f32::from(k) / f32::from(max)).collect::<Vec<f32>>();
    match image {
        ImageRef::Unorm8(image) => {
            let linear = linear(u8::MAX.into());
            let color = if srgb { Decoder::of_8_bits().values() } else { &linear };
            let texel = |&[r, g, b, a]: &[u8; 4]| {
                let [r, g, b] = [r, g, b].map(|sample| color[usize::from(sample)]);
                [r, g, b, linear[usize::from(a)]]
            };
            image.pixels().iter().map(texel).collect()
        }
        ImageRef::Unorm16(image) => {
            let linear = linear(u16::MAX);
            let color = if srgb { Decoder::of_16_bits().values() } else { &linear };
            let texel = |&[r, g, b, a]: &[u16; 4]| {
                let [r, g, b] = [r, g, b].map(|sample| color[usize::from(sample)]);
                [r, g, b, linear[usize::from(a)]]
            };
            image.pixels().iter().map(texel).collect()
        }
        ImageRef::Float(image) => image.pixels().to_vec(),
    }
}
