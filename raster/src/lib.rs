//! Tiles, threads, pixel formats, image files and comparison of images.
//!
//! The crate knows neither a language nor a backend. What computes pixels is a [`Kernel`]; the
//! rest is what every kernel needs around it:
//!
//! | module | is |
//! |---|---|
//! | [`size`] | the size of an image, bounded when it is made, so that memory is bounded too |
//! | [`image`] | RGBA pixels in memory; a [`Frame`] is what a kernel rendered, in binary32 |
//! | [`kernel`] | the interface to what computes pixels: tiles, faults, cancelling |
//! | [`srgb`] | the sRGB transfer function, correctly rounded |
//! | [`quantize`] | binary32 to UNORM8 and UNORM16 |
//! | [`render`](mod@render) | a kernel run over a whole frame, on threads |
//! | [`file`](mod@file) | PNG, OpenEXR and NPY, written whole or not at all; and read again |
//! | [`compare`] | how two images differ |
//! | `buffers` | conversions to and from the buffers of the crate `image`, with the feature `image` |
//!
//! Dependencies between the modules run down this table's order only: a later one uses earlier
//! ones, never the reverse.
//!
//! # Invariants
//!
//! 1. A rendered frame, or the fault reported in its place, depends on the kernel and the size
//!    alone: not on threads, on tiles or on time (running out of time is an error of its own).
//! 2. Every NaN of an [`Image<f32>`](Image) has the bits `0x7fc00000`.
//! 3. Encoding the same image with the same metadata gives the same bytes.
//! 4. No file, however malformed, makes a reader panic, nor touch more memory than the image
//!    limits of [`size`] allow.
//! 5. [`file::write_atomically`] leaves a regular file either as it was or whole and new.
#![forbid(unsafe_code)]

#[cfg(feature = "image")]
pub mod buffers;
pub mod compare;
pub mod file;
pub mod image;
pub mod kernel;
pub mod quantize;
pub mod render;
pub mod size;
pub mod srgb;

pub use image::{AnyImage, Frame, Image, Specials};
pub use kernel::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
pub use rayon::ThreadPool;
pub use render::{
    RenderError, RenderOptions, SpecialsCounter, ThreadError, render, render_into,
    render_quantized, render_quantized_into, thread_pool,
};
pub use size::{Size, SizeError};
