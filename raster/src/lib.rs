//! Kernels run over whole images, by tiles, on threads.
//!
//! The crate knows neither a language nor a backend, and no files. What computes pixels is a [`Kernel`]:
//!
//! | module | is |
//! |---|---|
//! | [`kernel`] | the interface to what computes pixels: tiles, faults, cancelling |
//! | [`render`](mod@render) | a kernel run over a whole frame, on threads |
//!
//! A rendered frame, or the fault reported in its place, depends on the kernel and the size
//! alone: not on threads, on tiles or on time (running out of time is an error of its own).
#![forbid(unsafe_code)]

pub mod kernel;
pub mod render;

pub use kernel::{Cancel, Fault, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
pub use lambdav_workers::{ThreadError, ThreadPool, thread_pool};
pub use render::{
    Attachment, Quantized, RenderError, RenderOptions, SpecialsCounter, Surface, render,
    render_attachments, render_image_into, render_into, render_quantized, render_quantized_into,
};
