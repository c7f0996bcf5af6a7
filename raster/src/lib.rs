//! Runs kernels over whole images, by tiles, on threads.
//!
//! The crate knows no language, no backend and no files. Pixels are computed by a [`Kernel`]:
//!
//! | module | is |
//! |---|---|
//! | [`kernel`] | the interface of pixel kernels: tiles, faults, cancellation |
//! | [`render`](mod@render) | runs a kernel over a whole frame, on threads |
//! | [`mutants`] | deliberate mistakes, to show that tests find them |
//! | [`triangles`] | draws triangles through kernels of vertices and fragments |
//!
//! A rendered frame, or the fault reported in its place, depends only on the kernel and the size: not on threads, tiles
//! or time (a timeout is a separate error).
#![forbid(unsafe_code)]

pub mod kernel;
pub mod mutants;
pub mod render;
pub mod triangles;

pub use kernel::{Cancel, Fault, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
pub use lambdav_workers::{ThreadError, ThreadPool, thread_pool};
pub use render::{
    Attachment, Quantized, RenderError, RenderOptions, SpecialsCounter, Surface, render,
    render_attachments, render_image_into, render_into, render_quantized, render_quantized_into,
};
