//! Textures: texels from images.

use super::Settings;
use super::names::instead;
use lambdav_core::limits::TEXELS;
use lambdav_core::texture::{Texture, TextureData, TextureError};
use lambdav_raster::file::ImageRef;
use lambdav_raster::srgb::Decoder;
use std::sync::Arc;
use thiserror::Error;

/// Why an image is not bound to a texture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// There is no such texture.
    #[error("the program has no texture `{name}`; {help}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// What may have been meant.
        help: String,
    },
    /// The program wants samples that are encoded, and these are not.
    #[error(
        "the texture `{name}` is `srgb`, which is for images of 8 or 16 bits, and this one is of floats"
    )]
    Floats {
        /// The texture.
        name: String,
    },
    /// The image is no texture.
    #[error("the texture `{name}`: {error}")]
    Image {
        /// The texture.
        name: String,
        /// Why.
        error: TextureError,
    },
    /// All textures together have too many texels.
    #[error(
        "the texture `{name}` does not fit beside the others: all textures together have at most {TEXELS} texels, all their levels counted"
    )]
    TooMany {
        /// The texture.
        name: String,
    },
}

/// The texels of a texture: samples of 8 and 16 bits as parts of the largest, decoded if it is said so,
/// and floats as they are.
///
/// # Errors
///
/// [`BindError`], but for [`BindError::Unknown`] and [`BindError::TooMany`].
pub fn texels(texture: &Texture, image: ImageRef<'_>) -> Result<TextureData, BindError> {
    let name = || texture.name.to_string();
    let (srgb, mipmaps) = (texture.options.srgb, texture.options.mipmaps);
    let linear = |max: u16| (0..=max).map(|k| f32::from(k) / f32::from(max)).collect::<Vec<f32>>();
    let sides = |size: lambdav_raster::Size| [size.width(), size.height()];
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

impl Settings {
    /// Binds an image to the texture of that name, one of the program's.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub fn bind<'i>(
        &mut self,
        textures: &[Arc<Texture>],
        name: &str,
        image: impl Into<ImageRef<'i>>,
    ) -> Result<(), BindError> {
        let number = find(textures, name)?;
        let data = texels(&textures[number], image.into())?;
        self.bind_texels(textures, name, data)
    }

    /// The same with texels as they are: nothing is decoded.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub fn bind_texels(
        &mut self,
        textures: &[Arc<Texture>],
        name: &str,
        data: TextureData,
    ) -> Result<(), BindError> {
        let number = find(textures, name)?;
        let all = &mut self.inputs.textures;
        all.resize(textures.len(), Arc::default());
        let others = all.iter().enumerate().filter(|(k, _)| *k != number);
        let others: usize = others.map(|(_, data)| data.texels().len()).sum();
        if others + data.texels().len() > TEXELS as usize {
            return Err(BindError::TooMany { name: name.to_owned() });
        }
        all[number] = data.into();
        Ok(())
    }
}

impl BindError {
    /// What is to be said where none of these textures has that name.
    pub fn unknown(textures: &[Arc<Texture>], name: &str) -> Self {
        let help = instead(name, textures.iter().map(|texture| &*texture.name));
        Self::Unknown { name: name.to_owned(), help }
    }
}

fn find(textures: &[Arc<Texture>], name: &str) -> Result<usize, BindError> {
    let number = textures.iter().position(|texture| *texture.name == *name);
    number.ok_or_else(|| BindError::unknown(textures, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_core::texture::TextureOptions;
    use lambdav_raster::{Frame, Image, Size};

    fn declared(names: &[(&str, bool)]) -> Vec<Arc<Texture>> {
        let texture = |&(name, srgb): &(&str, bool)| {
            let options = TextureOptions { srgb, ..TextureOptions::default() };
            Arc::new(Texture { name: name.into(), options })
        };
        names.iter().map(texture).collect()
    }

    #[test]
    fn samples_are_parts_of_the_largest() {
        let textures = declared(&[("a", false), ("b", true)]);
        let size = Size::new(1, 1).expect("within the limits");
        let mut settings = Settings::with_uniforms(&[], size);
        let eight = Image::from_fn(size, |_, _| [0_u8, 51, 255, 128]);
        settings.bind(&textures, "a", &eight).expect("it is one");
        settings.bind(&textures, "b", &eight).expect("it is one");
        let texel = |settings: &Settings, k: usize| settings.inputs.textures[k].texel(0, 0, 0);
        assert_eq!(texel(&settings, 0), [0.0, 0.2, 1.0, 128.0 / 255.0]);
        // ((51/255 + 0.055) / 1.055)^2.4
        assert_eq!(texel(&settings, 1), [0.0, 0.033_104_767, 1.0, 128.0 / 255.0]);
        let sixteen = Image::from_fn(size, |_, _| [0_u16, 13_107, 65_535, 1]);
        settings.bind(&textures, "a", &sixteen).expect("it is one");
        assert_eq!(texel(&settings, 0), [0.0, 0.2, 1.0, 1.0 / 65_535.0]);
        let floats = Frame::from_fn(size, |_, _| [-1.0, 1e30, f32::INFINITY, 0.5]);
        settings.bind(&textures, "a", &floats).expect("it is one");
        assert_eq!(texel(&settings, 0), [-1.0, 1e30, f32::INFINITY, 0.5]);
        let refused = settings.bind(&textures, "b", &floats);
        assert_eq!(refused, Err(BindError::Floats { name: "b".into() }));
        let refused = settings.bind(&textures, "c", &floats).expect_err("there is none");
        assert_eq!(refused.to_string(), "the program has no texture `c`; it has a, b");
    }
}
