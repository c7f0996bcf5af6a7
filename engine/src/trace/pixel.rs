//! A traced pixel, for all evaluators.

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::source::SourceFile;
use lambdav_trace::Place;

/// A traced pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Its bits.
    pub colour: [u32; 4],
    /// True if it was discarded; then it has the clear colour.
    pub is_discarded: bool,
    /// The events that made it.
    pub needed: Needed,
}

/// The events that made a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed(pub(super) Option<Vec<bool>>);

impl Needed {
    /// True if the event of that number made the result. All did if it is not known which.
    pub fn has(&self, number: u32) -> bool {
        self.0.as_ref().is_none_or(|all| all.get(number as usize).copied().unwrap_or(false))
    }
}

/// Reason why an evaluator stops.
pub(super) enum Stop {
    Cancelled,
    Fault(Box<Diagnostic>),
}

/// The place of an offset.
pub(super) fn place_of(source: &SourceFile, offset: u32) -> Place {
    let at = source.line_column(offset);
    Place { file: source.file_index(offset) as u32, line: at.line, column: at.column }
}
