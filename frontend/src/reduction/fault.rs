//! How far a run may go, and why it may have no value.

use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::limits;
use lambdav_core::source::Span;

/// Why the source evaluator has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFault {
    /// As any evaluator.
    Pixel(EvaluationFault),
    /// It gave up: too many of these. Another engine may answer.
    Limit(&'static str),
    /// Something that a program without errors does not contain, as a sentence without a full stop.
    /// Either the program was not accepted by the compiler, or one of the two has a bug.
    Unexpected(Span, &'static str),
}

impl From<EvaluationFault> for SourceFault {
    fn from(fault: EvaluationFault) -> Self {
        Self::Pixel(fault)
    }
}

/// How far a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many `rec`s each entry of a loop may execute.
    pub max_iterations: u64,
    /// How many steps a run may take: reductions, and nodes copied by substitution.
    pub max_steps: u64,
}

impl Default for Limits {
    /// The iterations of LANGUAGE §8, and steps for about a minute.
    fn default() -> Self {
        Self { max_iterations: limits::ITERATIONS, max_steps: 1 << 29 }
    }
}
