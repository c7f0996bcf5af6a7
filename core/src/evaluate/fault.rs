//! The faults of an evaluation, and their diagnostics: for evaluators of every form of a program.

use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::source::Span;

/// The cause of a pixel without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationFault {
    /// A loop exceeded the iteration limit; the span is its `rec-func`'s.
    LoopLimit(Span),
    /// The caller asked to stop.
    Cancelled,
}

/// The message for a loop that exceeds `max_iterations`.
pub fn loop_limit_diagnostic(span: Span, max_iterations: u64) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::LoopLimit,
        span,
        format!("this loop does not end within {max_iterations} rounds"),
    )
    .label("this loop")
    .help("mend its condition, or allow more with --max-iterations")
}
