//! Binding data to textures and buffers.

use super::Settings;
use super::buffers::elements;
use super::data::{BindError, DataRef};
use super::textures::texels;
use lambdav_core::limits::{BUFFER_WORDS, TEXELS};
use lambdav_core::resource::Bound;
use lambdav_core::texture::levels;
use lambdav_core::types::{Resource, ResourceKind, Types};
use lambdav_image::Size;
use std::sync::Arc;

impl Settings {
    /// Binds data to the texture or buffer `name` of this table.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub fn bind<'d>(
        &mut self,
        types: &Types,
        name: &str,
        data: impl Into<DataRef<'d>>,
    ) -> Result<(), BindError> {
        let number = find(types, name)?;
        let Resource { kind, .. } = &*types.resources()[number];
        let wrong = |wanted| {
            let (name, declared) = (name.to_owned(), kind.word());
            Err(BindError::Kind { name, declared, wanted })
        };
        let bound = match (*kind, data.into()) {
            (ResourceKind::Texture(options), DataRef::Image(image)) => {
                Bound::Texture(Arc::new(texels(name, options, &[image])?))
            }
            (ResourceKind::Texture(options), DataRef::Planes(images)) => {
                Bound::Texture(Arc::new(texels(name, options, images)?))
            }
            (ResourceKind::Texture(_), _) => return wrong("an image"),
            (ResourceKind::Buffer(_), DataRef::Image(_) | DataRef::Planes(_)) => {
                return wrong("numbers, not an image");
            }
            (ResourceKind::Buffer(element), data) => {
                Bound::Buffer(Arc::new(elements(types, name, element, data)?))
            }
            (ResourceKind::Memory(_), _) => return wrong("the words of a dispatch"),
        };
        self.bind_data(types, name, bound)
    }

    /// Checks that images of that size, so many, can be bound to a texture, before they are decoded; errors are those of
    /// [`Self::bind`].
    ///
    /// # Errors
    ///
    /// [`BindError::Unknown`], [`BindError::Kind`] and [`BindError::Image`].
    pub fn check_size(
        &self,
        types: &Types,
        name: &str,
        size: Size,
        images: u32,
    ) -> Result<(), BindError> {
        let kind = types.resources()[find(types, name)?].kind;
        let ResourceKind::Texture(options) = kind else {
            let (name, declared) = (name.to_owned(), kind.word());
            return Err(BindError::Kind { name, declared, wanted: "numbers, not an image" });
        };
        let [width, height] = [size.width(), size.height()];
        let size = match images {
            1 => options.kind.size_of_image([width, height]),
            _ => [width, height, images],
        };
        let checked = levels(options.kind, size, options.mipmaps);
        checked.map_err(|error| BindError::Image { name: name.to_owned(), error }).map(drop)
    }

    /// Like [`Self::bind`], without decoding or conversion.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub fn bind_data(&mut self, types: &Types, name: &str, data: Bound) -> Result<(), BindError> {
        let number = find(types, name)?;
        let all = &mut self.inputs.resources;
        all.resize(types.resources().len(), Bound::Nothing);
        all[number] = data;
        let words = |bound: &&Bound| bound.words().len() as u64;
        let textures = all.iter().filter(|bound| bound.texture().is_some());
        let buffers = all.iter().filter(|bound| bound.buffer().is_some());
        let sums = [
            textures.map(|bound| words(&bound)).sum::<u64>() / 4,
            buffers.map(|bound| words(&bound)).sum(),
        ];
        let what = if sums[0] > TEXELS.into() {
            format!("textures together have at most {TEXELS} texels, all their levels counted")
        } else if sums[1] > BUFFER_WORDS.into() {
            format!("buffers together have at most {BUFFER_WORDS} words")
        } else {
            return Ok(());
        };
        all[number] = Bound::Nothing;
        Err(BindError::TooMany { name: name.to_owned(), what })
    }
}

fn find(types: &Types, name: &str) -> Result<usize, BindError> {
    let number = types.resources().iter().position(|resource| *resource.name == *name);
    number.ok_or_else(|| BindError::unknown(types, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_core::texture::TextureOptions;
    use lambdav_core::types::Type;
    use lambdav_image::{Frame, Image, Size};

    fn declared() -> Types {
        let mut types = Types::default();
        for (name, srgb) in [("a", false), ("b", true)] {
            let options = TextureOptions { srgb, ..TextureOptions::default() };
            let kind = ResourceKind::Texture(options);
            types.add_resource(Resource { name: name.into(), kind });
        }
        for (name, element) in [("c", Type::vec(2)), ("d", Type::BOOL)] {
            let kind = ResourceKind::Buffer(element);
            types.add_resource(Resource { name: name.into(), kind });
        }
        types
    }

    fn settings() -> Settings {
        Settings::with_uniforms(&[], Size::new(1, 1).expect("within the limits"))
    }

    #[test]
    fn samples_are_parts_of_the_largest() {
        let (types, mut settings) = (declared(), settings());
        let size = Size::new(1, 1).expect("within the limits");
        let eight = Image::from_fn(size, |_, _| [0_u8, 51, 255, 128]);
        settings.bind(&types, "a", &eight).expect("it is one");
        settings.bind(&types, "b", &eight).expect("it is one");
        let texel = |settings: &Settings, k: usize| {
            settings.inputs.resources[k].texture().expect("it is bound").texel(0, 0, 0)
        };
        assert_eq!(texel(&settings, 0), [0.0, 0.2, 1.0, 128.0 / 255.0]);
        // ((51/255 + 0.055) / 1.055)^2.4
        assert_eq!(texel(&settings, 1), [0.0, 0.033_104_767, 1.0, 128.0 / 255.0]);
        let sixteen = Image::from_fn(size, |_, _| [0_u16, 13_107, 65_535, 1]);
        settings.bind(&types, "a", &sixteen).expect("it is one");
        assert_eq!(texel(&settings, 0), [0.0, 0.2, 1.0, 1.0 / 65_535.0]);
        let floats = Frame::from_fn(size, |_, _| [-1.0, 1e30, f32::INFINITY, 0.5]);
        settings.bind(&types, "a", &floats).expect("it is one");
        assert_eq!(texel(&settings, 0), [-1.0, 1e30, f32::INFINITY, 0.5]);
        let refused = settings.bind(&types, "b", &floats);
        assert_eq!(refused, Err(BindError::Floats { name: "b".into() }));
        let refused = settings.bind(&types, "e", &floats).expect_err("there is none");
        let message = "the program has no texture or buffer `e`; it has a, b, c, d";
        assert_eq!(refused.to_string(), message);
    }

    #[test]
    fn slices_are_elements() {
        let (types, mut settings) = (declared(), settings());
        settings.bind(&types, "c", &[[1.0_f32, 2.0], [3.0, 4.0]][..]).expect("two of two");
        let words = [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits);
        assert_eq!(settings.inputs.resources[2].words(), words);
        settings.bind(&types, "c", &[5.0_f32, 6.0][..]).expect("one of two");
        assert_eq!(settings.inputs.resources[2].buffer().map(|data| data.len()), Some(1));
        settings.bind(&types, "d", &[true, false][..]).expect("two of one");
        assert_eq!(settings.inputs.resources[3].words(), [1, 0]);
        let mut refused = |name: &str, data: DataRef<'_>| {
            settings.bind(&types, name, data).expect_err("it does not fit").to_string()
        };
        let empty: &[f32] = &[];
        let all = [
            ("c", empty.into(), "the buffer `c`: a buffer has at least one element"),
            ("c", (&[1.0_f32; 3][..]).into(), "3 numbers are not those of elements of 2 each"),
            (
                "c",
                (&[1_i32; 4][..]).into(),
                "these are ints, and elements of type vec2 are of nums",
            ),
            ("a", (&[1.0_f32; 4][..]).into(), "`a` is a texture, which takes an image"),
        ];
        for (name, data, wanted) in all {
            let found = refused(name, data);
            assert!(found.contains(wanted), "{found}");
        }
        let pixel = Frame::from_fn(Size::new(1, 1).expect("is small"), |_, _| [0.0; 4]);
        let found = refused("d", DataRef::from(&pixel));
        assert_eq!(found, "`d` is a buffer, which takes numbers, not an image");
    }
}
