//! λV programs on a Vulkan device: float images drawn by the device from our SPIR-V, compared with those of
//! the core evaluator.
//!
//! `cargo run --release -p lambdav-gpu-tests` prints the differences for the gallery and the elementary
//! functions; the README has the tables.
#![forbid(unsafe_code)]

pub mod dispatches;
pub mod operations;
pub mod samplers;
mod shader;
pub mod triangles;

pub use shader::{Comparison, Output, Shader};

use lambdav_gpu::{Device, DeviceKind, Error, Vulkan};
use lambdav_spirv_backend::emit::{EmitOptions, Exact};

/// A device that can draw, preferably one on the CPU; `None` if there is no Vulkan.
///
/// # Errors
///
/// The errors of Vulkan.
pub fn open() -> Result<Option<Device>, Error> {
    let vulkan = match Vulkan::load() {
        Err(Error::NoLoader | Error::NoDevice) => return Ok(None),
        vulkan => vulkan?,
    };
    let number = vulkan.devices().iter().position(|about| about.kind == DeviceKind::Cpu);
    vulkan.open(number.map(|number| number.to_string()).as_deref()).map(Some)
}

/// The options without the device's 64-bit floats.
pub fn without_float64(device: &Device, options: EmitOptions) -> EmitOptions {
    EmitOptions {
        exact: options.exact.map(|exact| Exact { float64: false, ..exact }),
        float_controls: device.about().float_controls(false),
        ..options
    }
}
