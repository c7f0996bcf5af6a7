//! Faults and limits of a run.

use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::limits;
use lambdav_core::source::Span;

/// The cause of a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFault {
    /// A fault that every evaluator has.
    Pixel(EvaluationFault),
    /// A limit of this evaluator was exceeded; another engine may answer.
    Limit(&'static str),
    /// An error that a program without diagnostics cannot have, as a sentence without a full stop. Either the
    /// compiler refuses the program, or one of the two has a bug.
    Unexpected(Span, &'static str),
}

impl From<EvaluationFault> for SourceFault {
    fn from(fault: EvaluationFault) -> Self {
        Self::Pixel(fault)
    }
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most `rec`s that each entry of a loop may execute.
    pub max_iterations: u64,
    /// The most steps of a run: reductions, and nodes copied by substitution.
    pub max_steps: u64,
}

impl Default for Limits {
    /// The iterations of LANGUAGE §8, and steps for about a minute.
    fn default() -> Self {
        Self { max_iterations: limits::ITERATIONS, max_steps: 1 << 29 }
    }
}
