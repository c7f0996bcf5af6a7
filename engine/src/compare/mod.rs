//! Compares a program's pictures from the processor and a Vulkan device, and finds the cause of a
//! difference.
//!
//! [`compare`] draws both. For the first pixel that differs, `operations` searches for the operation:
//! it records the float operations that the core evaluator executes, and has the device compute each
//! alone, with the same operands. If no operation differs, `bindings` searches for the first named
//! value that does. `subject` is the program and the device that both examine. For a program that draws
//! triangles the cause is not searched.

mod bindings;
mod operations;
mod subject;

pub use bindings::Binding;
pub use operations::{MAX_OPERATIONS, Operation};

use crate::before::Before;
use crate::bindings::Bindings;
use crate::engines::{GpuEngine, GpuError, GpuMode};
use crate::error::{Error, Report};
use crate::options::Options;
use crate::shader::Shader;
use crate::target::Target;
use bindings::first_binding;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::float::same_bits;
use lambdav_gpu::{Device, Difference};
use lambdav_image::{Frame, Size};
use lambdav_raster::RenderOptions;
use operations::{Sought, first_operation};
use std::time::Duration;
use subject::{Comparing, Unknown};

/// Comparison of an output.
#[derive(Debug)]
pub struct Outcome {
    /// Location of the output.
    pub location: u32,
    /// Width and height.
    pub size: Size,
    /// The difference, if there is one.
    pub found: Option<Found>,
    /// The device's remark, for all outputs.
    pub remark: Option<String>,
}

/// A difference.
#[derive(Debug)]
pub struct Found {
    /// Size of the difference.
    pub difference: Difference,
    /// The first differing pixel in scan order.
    pub pixel: Pixel,
    /// Cause of the difference.
    pub cause: Cause,
}

/// A pixel that differs.
#[derive(Clone, Copy, Debug)]
pub struct Pixel {
    /// Column and row.
    pub at: [u32; 2],
    /// Its bits on the processor.
    pub expected: [u32; 4],
    /// Its bits on the device.
    pub found: [u32; 4],
}

/// Cause of a difference.
#[derive(Debug)]
pub enum Cause {
    /// A single operation differs.
    Operation(Operation),
    /// No single operation differs; this binding is the first that does.
    Binding {
        /// The binding.
        binding: Binding,
        /// True if there were more operations than were tested.
        is_cut: bool,
    },
    /// The program draws triangles. Coverage and interpolation are the device's.
    Triangles,
    /// Neither an operation nor a binding differs.
    Unknown {
        /// True if there were more operations than were tested.
        is_cut: bool,
    },
}

/// Reason why there is no comparison.
#[derive(Debug)]
pub enum CompareError {
    /// The program or the processor failed.
    Error(Error),
    /// The device failed.
    Device(lambdav_gpu::Error),
    /// The differing pixel alone exceeds the limit of iterations.
    Iterations,
    /// The time limit was exceeded.
    TimedOut,
    /// A program derived from the shader for the search does not compile.
    Part(String),
}

impl From<Error> for CompareError {
    fn from(error: Error) -> Self {
        match error {
            Error::TimedOut { .. } => Self::TimedOut,
            error => Self::Error(error),
        }
    }
}

impl From<lambdav_gpu::Error> for CompareError {
    fn from(error: lambdav_gpu::Error) -> Self {
        match error {
            lambdav_gpu::Error::TimedOut => Self::TimedOut,
            error => Self::Device(error),
        }
    }
}

impl From<Unknown> for CompareError {
    fn from(unknown: Unknown) -> Self {
        match unknown {
            Unknown::Device(error) => error.into(),
            Unknown::Evaluation(EvaluationFault::Cancelled) => Self::TimedOut,
            Unknown::Evaluation(EvaluationFault::LoopLimit(_)) => Self::Iterations,
            Unknown::Program(message) => Self::Part(message),
        }
    }
}

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
    let settings = bindings.settings(size, options.max_iterations);
    // The device gets the results that passes have on the processor.
    let passes = Before::new(&shader.0, core, options)?;
    let (settings, _) = passes.run(&shader.0, settings, Some(left()), "rendering")?;
    let patience = || !left().is_zero();
    if let Some(triangles) = core.triangles.as_deref()
        && let Some(missing) = bindings.draw.missing(triangles)
    {
        return Err(Error::Mismatch(missing).into());
    }
    let made = GpuEngine::new(core, locations, &settings, &bindings.draw, device, mode);
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
        // The device's picture begins with the program's first row, too.
        pipeline.draw(bindings, vec![&mut Target::from(&mut expected).attachment()], &how)?;
        let expected: Vec<[u32; 4]> =
            expected.pixels().iter().map(|pixel| pixel.map(f32::to_bits)).collect();
        let difference = Difference::new(&expected, found);
        let found = match first_pixel(&expected, found, size, shader.is_lower_left()) {
            None => None,
            Some(mut pixel) => {
                let cause = match core.triangles {
                    Some(_) => Cause::Triangles,
                    None => comparing.cause(location, pixel.at)?,
                };
                if shader.is_lower_left() {
                    pixel.at[1] = size.height() - 1 - pixel.at[1];
                }
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

/// The first pixel in scan order of the written picture whose bits differ; all NaNs count as one value. Its place is
/// the program's.
fn first_pixel(
    expected: &[[u32; 4]],
    found: &[[u32; 4]],
    size: Size,
    lower_left: bool,
) -> Option<Pixel> {
    let (width, height) = (size.width(), size.height());
    let row = |y: u32| if lower_left { height - 1 - y } else { y };
    let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, row(y)]));
    let mut all = places.map(|at| {
        let index = size.index(at[0], at[1]) as usize;
        Pixel { at, expected: expected[index], found: found[index] }
    });
    let differ = |(a, b): (&u32, &u32)| !same_bits(*a, *b);
    all.find(|pixel| pixel.expected.iter().zip(&pixel.found).any(differ))
}
