//! The interface of engines, and the images that are compared.

use crate::case::Case;
use lambdav_core::source::Span;

/// An implementation of the language that computes images.
pub trait Engine: Sync {
    /// Its name on the command line and in messages.
    fn name(&self) -> &'static str;

    /// The image of each output, in order of declaration, as if each output had been requested alone.
    ///
    /// # Errors
    ///
    /// A bug other than a wrong image.
    fn run(&self, case: &Case) -> Result<Vec<Image>, String>;
}

/// The result of an engine for one output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// The words of all pixels in scan order, as many for each pixel as the output has components. All NaNs
    /// compare equal.
    Whole(Vec<u32>),
    /// A loop exceeds its limit.
    LoopLimit {
        /// The first such pixel in scan order.
        pixel: usize,
        /// The loop that the engine reports; `None` where it does not know the place in the source, or where
        /// the choice among several loops is not specified.
        span: Option<Span>,
    },
    /// Some pixels, from an engine that is too slow for all.
    Sampled(Vec<(usize, Verdict)>),
    /// The engine took too long. Compares equal to every image.
    OutOfFuel,
}

impl Image {
    /// True if the engine ran out of fuel at a pixel.
    pub(crate) fn is_partial(&self) -> bool {
        match self {
            Self::Whole(_) | Self::LoopLimit { .. } => false,
            Self::Sampled(pixels) => pixels.iter().any(|(_, v)| *v == Verdict::OutOfFuel),
            Self::OutOfFuel => true,
        }
    }
}

/// The result of an engine for one output at one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The words of its components.
    Value(Box<[u32]>),
    /// The loop at this place exceeds its limit.
    LoopLimit(Span),
    /// The engine was stopped, or gave up. Compares equal to every verdict.
    OutOfFuel,
}
