//! The data of textures and buffers, and why it does not fit.

use super::names::instead;
use lambdav_core::resource::BufferError;
use lambdav_core::texture::TextureError;
use lambdav_core::types::Types;
use lambdav_image::file::{ImageRef, npy};
use lambdav_image::{AnyImage, Frame, Image};
use thiserror::Error;

/// The data of a texture or a buffer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DataRef<'a> {
    /// An image, for a texture.
    Image(ImageRef<'a>),
    /// The components of a buffer's elements, one after the other, all of them nums.
    Nums(&'a [f32]),
    /// The same of ints.
    Ints(&'a [i32]),
    /// The same of uints.
    Uints(&'a [u32]),
    /// The same of bools.
    Bools(&'a [bool]),
    /// The bytes of an NPY file: one number an element, or a row of numbers.
    Npy(&'a [u8]),
    /// The bytes of a block of uniforms of a module.
    Bytes(&'a [u8]),
    /// A list of elements as JSON, which is what gives elements that have components of several kinds.
    Json(&'a str),
}

/// Defines how a type becomes data.
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
    /// The elements in the bytes of a file, NPY or JSON.
    ///
    /// # Errors
    ///
    /// A text that says what the bytes are not.
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

/// Defines how slices become data: of components, and of rows of them.
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

/// Why data is not bound to a texture or a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BindError {
    /// There is nothing of that name.
    #[error("the program has no texture or buffer `{name}`; {help}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// What may have been meant.
        help: String,
    },
    /// An image is for a texture, numbers are for a buffer.
    #[error("`{name}` is a {declared}, which takes {wanted}")]
    Kind {
        /// The texture or buffer.
        name: String,
        /// Which of the two it is.
        declared: &'static str,
        /// What it takes.
        wanted: &'static str,
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
    /// There are no elements, or too many.
    #[error("the buffer `{name}`: {error}")]
    Elements {
        /// The buffer.
        name: String,
        /// Why.
        error: BufferError,
    },
    /// The data has another form than the elements.
    #[error("the buffer `{name}`: {reason}")]
    Form {
        /// The buffer.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// The bytes do not fill a block of uniforms.
    #[error("{reason}")]
    Block {
        /// The block.
        name: String,
        /// What is missing.
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
    /// What is to be said where none of these resources has that name.
    pub fn unknown(types: &Types, name: &str) -> Self {
        Self::unknown_beside(types, std::iter::empty(), name)
    }

    /// The same where these could have been meant, too.
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
