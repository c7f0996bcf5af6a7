//! Renders a λV program off-screen on a Vulkan device: the float image that a GPU makes of our SPIR-V.
//!
//! It draws one triangle that covers the image, with the emitted module as its fragment shader, a
//! colour attachment of four 32-bit floats at the location that is asked for, the push constants and
//! the uniform block of LANGUAGE §5.
//!
//! All unsafe code of this crate is in [`device`], whose functions are safe to call: each object that
//! it makes is used as Vulkan's specification demands and destroyed once, after the queue is idle.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "Vulkan is called there")]
mod device;
mod vertex;

pub use device::{Device, Error, Frame, Job};
