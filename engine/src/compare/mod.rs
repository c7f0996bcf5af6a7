//! Compares a program's pictures from the processor and a Vulkan device, and finds the cause of a
//! difference.
//!
//! [`compare`] draws both. For the first pixel that differs, `operations` searches for the operation:
//! it records the float operations that the core evaluator executes, and has the device compute each
//! alone, with the same operands. If no operation differs, `bindings` searches for the first named
//! value that does. `subject` is the program and the device that both examine. For a program that draws
//! triangles (`triangles`) the cause is not searched.

mod bindings;
mod operations;
mod outcome;
mod subject;
mod triangles;

pub use bindings::Binding;
pub use operations::{MAX_OPERATIONS, Operation};
pub use outcome::{Cause, CompareError, Found, Outcome, Pixel};

use crate::bindings::Bindings;
use crate::engines::{GpuEngine, GpuError, GpuMode};
use crate::error::{Error, Report};
use crate::options::Options;
use crate::shader::Shader;
use bindings::first_binding;
use lambdav_gpu::{Device, Difference};
use lambdav_image::{Frame, Size};
use lambdav_raster::RenderOptions;
use operations::{Sought, first_operation};
use outcome::first_pixel;
use std::time::Duration;
use subject::{Comparing, Unknown};

/// Draws the outputs at these locations on the processor and, all at once, on the device, and compares
/// them bit for bit; all NaNs count as one value. `options` are those of the processor; `left` returns
/// the remaining time.
///
/// # Errors
///
/// [`CompareError`].
pub fn compare(
    shader: &Shader,
    bindings: &Bindings,
    size: Size,
    locations: &[u32],
    (device, mode): (&Device, GpuMode),
    options: &Options,
    left: &dyn Fn() -> Duration,
) -> Result<Vec<Outcome>, CompareError> {
    let core = shader.core();
    if core.triangles.is_some() {
        return triangles::compare(
            shader,
            bindings,
            size,
            locations,
            (device, mode),
            options,
            left,
        );
    }
    let settings = bindings.settings(size, options.max_iterations);
    let patience = || !left().is_zero();
    let made = GpuEngine::new(core, locations, &settings, device, mode);
    let on_device = made.map_err(|error| match error {
        GpuError::Program(diagnostic) => Error::Program(Report::of(shader.source(), diagnostic)),
        GpuError::Emit(error) => Error::Unsupported(error.to_string()),
    })?;
    let pictures = on_device.pictures(size, &patience)?;
    let remark = crate::engines::BoundKernel::remark(&on_device);
    let emit = mode.emit_options(device, None);
    let comparing = Comparing { core, settings: &settings, device, emit, patience: &patience };
    let mut outcomes = Vec::new();
    for (&location, found) in locations.iter().zip(&pictures) {
        let pipeline = shader.pipeline(&options.clone().output(location))?;
        let how = RenderOptions { timeout: Some(left()), ..RenderOptions::default() };
        let blank = Frame::zeros(size).map_err(|error| Error::Machine(error.to_string()));
        let mut expected = blank?;
        pipeline.render_with(bindings, &mut expected, &how)?;
        let expected: Vec<[u32; 4]> =
            expected.pixels().iter().map(|pixel| pixel.map(f32::to_bits)).collect();
        let difference = Difference::new(&expected, found);
        let found = match first_pixel(&expected, found, size.width()) {
            None => None,
            Some(pixel) => {
                let cause = comparing.cause(location, pixel.at)?;
                Some(Found { difference, pixel, cause })
            }
        };
        outcomes.push(Outcome { location, size, found, remark: remark.clone() });
    }
    Ok(outcomes)
}

impl Comparing<'_> {
    /// Finds the cause of a difference in that pixel of the output.
    fn cause(&self, location: u32, at: [u32; 2]) -> Result<Cause, Unknown> {
        let is_cut = match first_operation(self, location, at)? {
            Sought::Found(operation) => return Ok(Cause::Operation(operation)),
            Sought::None { is_cut } => is_cut,
        };
        Ok(match first_binding(self, location, at)? {
            Some(binding) => Cause::Binding { binding, is_cut },
            None => Cause::Unknown { is_cut },
        })
    }
}
