//! Results of a comparison.

use super::bindings::Binding;
use super::operations::Operation;
use super::subject::Unknown;
use crate::error::Error;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::float::same_bits;
use lambdav_gpu::Difference;
use lambdav_image::Size;

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

/// The first pixel in scan order whose bits differ; all NaNs count as one value.
pub(super) fn first_pixel(expected: &[[u32; 4]], found: &[[u32; 4]], width: u32) -> Option<Pixel> {
    let differ = |(a, b): (&u32, &u32)| !same_bits(*a, *b);
    let pairs = (0_u32..).zip(expected.iter().zip(found));
    let mut different = pairs.filter(|(_, (a, b))| a.iter().zip(b.iter()).any(differ));
    let (index, (expected, found)) = different.next()?;
    Some(Pixel { at: [index % width, index / width], expected: *expected, found: *found })
}
