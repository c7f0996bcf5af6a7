//! Sizes, pixels in memory, pixel formats and image files. The crate knows no language and no renderer.
//!
//! | module | is |
//! |---|---|
//! | [`size`] | the size of an image, bounded on construction, so that memory is bounded, too |
//! | [`pixels`] | RGBA pixels in memory; a [`Frame`] holds binary32 |
//! | [`srgb`] | the sRGB transfer function, correctly rounded |
//! | [`quantize`] | binary32 to UNORM8 and UNORM16 |
//! | [`file`](mod@file) | PNG, OpenEXR and NPY files, written atomically, and read |
//! | `buffers` | conversions to and from the buffers of the crate `image`, with the feature `image` |
//!
//! # Invariants
//!
//! 1. Every NaN of an [`Image<f32>`](Image) has the bits `0x7fc00000`.
//! 2. Encoding the same image with the same metadata gives the same bytes.
//! 3. No file, however malformed, makes a reader panic, nor touch more memory than the image
//!    limits of [`size`] allow.
//! 4. [`file::write_atomically`] leaves a regular file either unchanged or completely written.
#![forbid(unsafe_code)]

#[cfg(feature = "image")]
pub mod buffers;
pub mod file;
pub mod pixels;
pub mod quantize;
pub mod size;
pub mod srgb;
pub mod texel;
#[cfg(feature = "formats")]
pub mod texture;

pub use pixels::{AnyImage, Frame, Image, Specials};
pub use size::{Size, SizeError};
