//! Why a pixel has no value, and how that is reported: for evaluators of every form of a program.

use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::source::Span;

/// Why a pixel has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationFault {
    /// A loop, whose `rec-func` is there, wanted more rounds than allowed.
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
    .label("this `rec-func`")
    .help("mend its condition, or allow more with --max-iterations")
}
