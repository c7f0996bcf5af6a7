//! Textures: texels from images.

use super::data::BindError;
#[cfg(feature = "formats")]
use lambdav_core::texture::TextureKind;
use lambdav_core::texture::{Texels, TextureData, TextureOptions};
use lambdav_image::file::ImageRef;
use lambdav_image::srgb::Decoder;
#[cfg(feature = "formats")]
use lambdav_image::texture::{self, TextureFile};

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
                all.extend(image.pixels().iter().map(|of| of.map(u32::from)));
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

/// The texture `name` from a file with its levels.
///
/// # Errors
///
/// [`BindError::Integers`], [`BindError::NoIntegers`], [`BindError::Image`] and [`BindError::File`].
#[cfg(feature = "formats")]
pub fn of_file(
    name: &str,
    options: TextureOptions,
    file: TextureFile,
) -> Result<TextureData, BindError> {
    let TextureOptions { kind, srgb, mipmaps, texels: components, .. } = options;
    let wrong = |what: &str| BindError::File { name: name.to_owned(), what: what.to_owned() };
    let is_volume = kind == TextureKind::Volume;
    let has_planes = file.levels[0][2] > 1;
    if has_planes && file.is_volume.is_some_and(|of_file| of_file != is_volume) {
        return Err(wrong(match is_volume {
            true => "it is a volume, and the file has layers or faces",
            false => "it is no volume, and the file is one",
        }));
    }
    if srgb && !file.is_srgb {
        return Err(wrong(
            "it is decoded from sRGB, and the texels of the file are not encoded so",
        ));
    }
    let mut levels = file.levels;
    let is_one = levels.len() == 1;
    if !mipmaps {
        levels.truncate(1);
    }
    let count = levels.iter().map(|size| size.iter().product::<u32>() as usize).sum();
    let made = match (file.texels, components) {
        (texture::Texels::Numbers(mut texels), Texels::Numbers) => {
            texels.truncate(count);
            match mipmaps && is_one {
                true => TextureData::with_planes(kind, levels[0], texels.into_iter(), true),
                false => TextureData::with_levels(kind, components, &levels, texels),
            }
        }
        (texture::Texels::Integers(texels, _), Texels::Integers | Texels::Unsigned) => {
            let texels = texels.into_iter().take(count).map(|texel| texel.map(f32::from_bits));
            TextureData::with_levels(kind, components, &levels, texels.collect())
        }
        (texture::Texels::Numbers(_), _) => {
            return Err(BindError::NoIntegers { name: name.to_owned() });
        }
        (texture::Texels::Integers(..), _) => {
            return Err(BindError::Integers { name: name.to_owned() });
        }
    };
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
