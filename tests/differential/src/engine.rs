//! What is compared.

use crate::case::Case;
use lambdav_core::source::Span;

/// Something that computes images.
pub trait Engine: Sync {
    /// Its name on the command line and in messages.
    fn name(&self) -> &'static str;

    /// The image of each output, in order of declaration, each computed as if it alone had been
    /// asked for. An error is a bug that is not a wrong image.
    fn run(&self, case: &Case) -> Result<Vec<Image>, String>;
}

/// What an engine makes of one output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// The words of all pixels in scan order, as many words each as the output has components. Any
    /// NaN will do for any other.
    Whole(Vec<u32>),
    /// A loop exceeds the limit.
    LoopLimit {
        /// The first such pixel in scan order.
        pixel: usize,
        /// The loop that the engine reports; `None` where it cannot know the place in the source, or that says nothing.
        span: Option<Span>,
    },
    /// Some pixels, of an engine that is too slow for all.
    Sampled(Vec<(usize, Verdict)>),
    /// The engine took too long. Compared with nothing.
    OutOfFuel,
}

impl Image {
    /// Whether the engine ran out of fuel at a pixel that it was given.
    pub(crate) fn is_partial(&self) -> bool {
        match self {
            Self::Whole(_) | Self::LoopLimit { .. } => false,
            Self::Sampled(pixels) => pixels.iter().any(|(_, v)| *v == Verdict::OutOfFuel),
            Self::OutOfFuel => true,
        }
    }
}

/// What an engine says of one output at one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The words of its components.
    Value(Box<[u32]>),
    /// That loop exceeds the limit.
    LoopLimit(Span),
    /// The engine was stopped, or gave up. Compared with nothing.
    OutOfFuel,
}

/// Whether these words are the same numbers.
pub(crate) fn same(a: &[u32], b: &[u32]) -> bool {
    let nan = |word: u32| f32::from_bits(word).is_nan();
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || (nan(a) && nan(b)))
}
