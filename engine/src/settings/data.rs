//! Data of textures and buffers, and errors of binding it.

use super::names::instead;
use lambdav_core::resource::BufferError;
use lambdav_core::texture::TextureError;
use lambdav_core::types::Types;
use lambdav_image::file::{ImageRef, npy};
use lambdav_image::{AnyImage, Frame, Image};
use thiserror::Error;

/// Data of a texture or a buffer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DataRef<'a> {
    /// An image, for a texture. Faces of cubes are squares one below the other.
    Image(ImageRef<'a>),
    /// Images of equal size, for the planes of a texture: layers, slices, or the faces +x, −x, +y, −y, +z and −z of a cube.
    Planes(&'a [ImageRef<'a>]),
    /// Components of a buffer's elements, in order, all of type num.
    Nums(&'a [f32]),
    /// Components of type int.
    Ints(&'a [i32]),
    /// Components of type uint.
    Uints(&'a [u32]),
    /// Components of type bool.
    Bools(&'a [bool]),
    /// Bytes of an NPY file: a number, or a row of numbers, per element.
    Npy(&'a [u8]),
    /// Bytes of a module's block of uniforms.
    Bytes(&'a [u8]),
    /// Elements as a JSON list; required for elements with components of several types.
    Json(&'a str),
}

/// Conversions of types into data.
macro_rules! data {
    ($($from:ty => $kind:ident,)*) => {
        $(impl<'a> From<&'a $from> for DataRef<'a> {
            fn from(data: &'a $from) -> Self {
                Self::$kind(data.into())
            }
        })*
    };
}

data!(Frame => Image, Image<u8> => Image, Image<u16> => Image, AnyImage => Image,);

impl<'a> DataRef<'a> {
    /// Elements in the bytes of an NPY or JSON file.
    ///
    /// # Errors
    ///
    /// A description for messages if the bytes are neither.
    pub fn of_array(bytes: &'a [u8]) -> Result<Self, &'static str> {
        match str::from_utf8(bytes) {
            _ if npy::is_npy(bytes) => Ok(Self::Npy(bytes)),
            Ok(text) => Ok(Self::Json(text)),
            Err(_) => Err("neither NPY nor JSON, which a buffer takes"),
        }
    }
}

impl<'a> From<ImageRef<'a>> for DataRef<'a> {
    fn from(image: ImageRef<'a>) -> Self {
        Self::Image(image)
    }
}

/// Conversions of slices into data: of components, and of rows of components.
macro_rules! slices {
    ($($scalar:ty => $kind:ident,)*) => {
        $(impl<'a> From<&'a [$scalar]> for DataRef<'a> {
            fn from(components: &'a [$scalar]) -> Self {
                Self::$kind(components)
            }
        }

        impl<'a, const N: usize> From<&'a [[$scalar; N]]> for DataRef<'a> {
            fn from(rows: &'a [[$scalar; N]]) -> Self {
                Self::$kind(rows.as_flattened())
            }
        })*
    };
}

slices!(f32 => Nums, i32 => Ints, u32 => Uints, bool => Bools,);

/// Reason why data cannot be bound to a texture or buffer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BindError {
    /// No texture or buffer has this name.
    #[error("the program has no texture or buffer `{name}`; {help}")]
    Unknown {
        /// The given name.
        name: String,
        /// Suggestions.
        help: String,
    },
    /// The buffer is a result.
    #[error("`{name}` is a result, which passes write; it is zero before them, and takes no data")]
    Result {
        /// The result.
        name: String,
    },
    /// No buffer that a dispatch writes has this name.
    #[error("the program writes no buffer `{name}`; {help}")]
    NoMemory {
        /// The given name.
        name: String,
        /// Its buffers.
        help: String,
    },
    /// An image is given to a buffer, or numbers to a texture.
    #[error("`{name}` is a {declared}, which takes {wanted}")]
    Kind {
        /// The texture or buffer.
        name: String,
        /// The declared kind.
        declared: &'static str,
        /// The data that this kind takes.
        wanted: &'static str,
    },
    /// The program declares encoded samples (`srgb`), but the image has floats.
    #[error(
        "the texture `{name}` is `srgb`, which is for images of 8 or 16 bits, and this one is of floats"
    )]
    Floats {
        /// The texture.
        name: String,
    },
    /// Integers for a texture of nums.
    #[error("the texture `{name}` has nums, and this file has integers")]
    Integers {
        /// The texture.
        name: String,
    },
    /// A texture file that does not fit the texture.
    #[error("the texture `{name}`: {what}")]
    File {
        /// The texture.
        name: String,
        /// The difference.
        what: String,
    },
    /// Floats for a texture of integers.
    #[error(
        "the texture `{name}` has integers, and this image has floats: bind one of 8 or 16 bits"
    )]
    NoIntegers {
        /// The texture.
        name: String,
    },
    /// The images of a texture's planes differ in size.
    #[error("the texture `{name}`: its planes differ in size")]
    Planes {
        /// The texture.
        name: String,
    },
    /// The image cannot be a texture.
    #[error("the texture `{name}`: {error}")]
    Image {
        /// The texture.
        name: String,
        /// The cause.
        error: TextureError,
    },
    /// There are no elements, or too many.
    #[error("the buffer `{name}`: {error}")]
    Elements {
        /// The buffer.
        name: String,
        /// The cause.
        error: BufferError,
    },
    /// The data does not match the type of the elements.
    #[error("the buffer `{name}`: {reason}")]
    Form {
        /// The buffer.
        name: String,
        /// The mismatch.
        reason: String,
    },
    /// The bytes do not fill the block of uniforms.
    #[error("{reason}")]
    Block {
        /// The block.
        name: String,
        /// The missing part.
        reason: String,
    },
    /// All textures, or all buffers, together are too large.
    #[error("`{name}` does not fit beside the others: all {what}")]
    TooMany {
        /// The texture or buffer.
        name: String,
        /// The limit.
        what: String,
    },
}

impl BindError {
    /// Error of a name that no resource in `types` has.
    pub fn unknown(types: &Types, name: &str) -> Self {
        Self::unknown_beside(types, std::iter::empty(), name)
    }

    /// Like [`Self::unknown`], with `others` as further candidates for suggestions.
    pub fn unknown_beside<'a>(
        types: &'a Types,
        others: impl Iterator<Item = &'a str> + Clone,
        name: &str,
    ) -> Self {
        let resources = types.resources().iter().map(|resource| &*resource.name);
        let help = instead(name, resources.chain(others));
        Self::Unknown { name: name.to_owned(), help }
    }
}
