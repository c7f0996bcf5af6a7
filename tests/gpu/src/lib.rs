//! λV programs on a Vulkan device: the float images that a GPU makes of our SPIR-V, beside those of the
//! core evaluator.
//!
//! A [`Device`] draws one triangle that covers the image, off-screen, with the emitted module as its
//! fragment shader, a colour attachment of four 32-bit floats at the location that is asked for, the
//! push constants and the uniform block of LANGUAGE §5. `cargo run --release -p lambdav-gpu` prints
//! how far the gallery and the elementary functions are from the reference; the README has the tables.
//!
//! All unsafe code of this crate is in [`device`], whose functions are safe to call: each object that
//! it makes is used as Vulkan's specification demands and destroyed once, after the queue is idle.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "Vulkan is called there")]
mod device;
mod difference;
pub mod functions;
mod shader;

pub use device::{Device, Error, Job, PixelBits, Prepared};
pub use difference::Difference;
pub use shader::{Output, Shader};
