//! λV programs on a Vulkan device: the float images that a GPU makes of our SPIR-V, beside those of the
//! core evaluator.
//!
//! `cargo run --release -p lambdav-gpu-tests` prints how far the gallery and the elementary functions are from
//! the reference; the README has the tables.
#![forbid(unsafe_code)]

pub mod operations;
mod shader;

pub use shader::{Comparison, Output, Shader};

use lambdav_gpu::{Device, DeviceKind, Error, Vulkan};
use lambdav_spirv_backend::emit::{EmitOptions, Exact};

/// A device that can draw, one on the CPU if there is such; none if there is no Vulkan here.
///
/// # Errors
///
/// What Vulkan says.
pub fn open() -> Result<Option<Device>, Error> {
    let vulkan = match Vulkan::load() {
        Err(Error::NoLoader | Error::NoDevice) => return Ok(None),
        vulkan => vulkan?,
    };
    let number = vulkan.devices().iter().position(|about| about.kind == DeviceKind::Cpu);
    vulkan.open(number.map(|number| number.to_string()).as_deref()).map(Some)
}

/// How exact modules for a device are emitted that does not use its floats of 64 bits, where they are else emitted as
/// that says.
pub fn without_float64(device: &Device, options: EmitOptions) -> EmitOptions {
    EmitOptions {
        exact: options.exact.map(|exact| Exact { float64: false, ..exact }),
        float_controls: device.about().float_controls(false),
        ..options
    }
}
