//! Faults of passes, as diagnostics.

use super::WrittenTwice;
use crate::diagnostics::{Diagnostic, DiagnosticCode, quote};
use crate::source::Span;

/// Most ids of a pass.
pub const MAX_IDS: u64 = 1 << 28;

/// The numbers of ids of a pass: of its axes, which are one to three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// The numbers along x, y and z; 1 for a missing axis.
    pub counts: [u32; 3],
    /// The number of axes.
    pub axes: usize,
}

impl Ids {
    /// The number of all ids.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(1, |all: u64, &along| all.saturating_mul(along.into()))
    }

    /// The coordinates of an id, by its index; x is fastest.
    pub fn coordinates(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.counts.map(|along| along.max(1));
        [index % x, index / x % y, index / x / y]
    }

    /// An id in messages.
    pub fn name(&self, [x, y, z]: [u32; 3]) -> String {
        match self.axes {
            1 => x.to_string(),
            2 => format!("({x}, {y})"),
            _ => format!("({x}, {y}, {z})"),
        }
    }

    /// The note that names the id at which a pass has a fault.
    pub fn first(&self, pass: &str, id: [u32; 3]) -> String {
        format!("the first such id of the pass {} is {}", quote(pass), self.name(id))
    }

    /// The error of a pass with too many ids.
    pub fn too_many(&self, pass: &str, span: Span) -> Option<Diagnostic> {
        if self.total() <= MAX_IDS {
            return None;
        }
        let counts = self.counts[..self.axes.clamp(1, 3)].iter().map(u32::to_string);
        let counts = counts.collect::<Vec<_>>().join(" x ");
        let message = format!("the pass {} has {counts} ids", quote(pass));
        let diagnostic = Diagnostic::new(DiagnosticCode::TooManyIds, span, message);
        let note = format!("a pass has at most {MAX_IDS} ids");
        Some(
            diagnostic.note(note).help("let an id compute several elements, or use several passes"),
        )
    }

    /// The error of a second write to one place; `span` is that of the write.
    pub fn twice(&self, result: &str, span: Span, found: &WrittenTwice) -> Diagnostic {
        let [again, before] = [found.again, found.before].map(|id| self.name(self.coordinates(id)));
        let WrittenTwice { element, .. } = found;
        let message = format!("the id {again} writes element {element} of {} again", quote(result));
        let label = match again == before {
            true => "it has written there before".to_owned(),
            false => format!("the id {before} has written there before"),
        };
        Diagnostic::new(DiagnosticCode::WrittenTwice, span, message)
            .label(label)
            .help("without `unique` the larger id stays; to combine values, use `combine`")
    }
}
