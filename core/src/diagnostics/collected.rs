//! A bounded collection of diagnostics: keeps a number of each severity and counts the others.

use super::{Diagnostic, Severity};
use crate::limits;
use std::fmt;
use std::ops::Deref;

/// Diagnostics in the order in which they were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    /// The numbers of errors and warnings kept.
    counts: [usize; 2],
    most: usize,
    omitted: Omitted,
}

/// The numbers of diagnostics not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self::new(limits::ERRORS)
    }
}

impl Diagnostics {
    /// An empty collection with room for `most` errors and `most` warnings.
    pub fn new(most: usize) -> Self {
        Self { kept: Vec::new(), counts: [0; 2], most, omitted: Omitted::default() }
    }

    /// The most diagnostics of one severity that are kept.
    pub fn most(&self) -> usize {
        self.most
    }

    /// True if one more diagnostic of this severity would be kept.
    pub fn has_room(&self, severity: Severity) -> bool {
        self.counts[severity as usize] < self.most
    }

    /// Adds a diagnostic, or counts it if there is no room.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let severity = diagnostic.code.severity();
        if self.has_room(severity) {
            self.counts[severity as usize] += 1;
            self.kept.push(diagnostic);
        } else {
            self.omit(severity);
        }
    }

    /// Changes the last diagnostic that is kept.
    pub fn amend(&mut self, change: impl FnOnce(Diagnostic) -> Diagnostic) {
        if let Some(last) = self.kept.pop() {
            self.kept.push(change(last));
        }
    }

    /// Counts a diagnostic without keeping it.
    pub fn omit(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.omitted.errors += 1,
            Severity::Warning => self.omitted.warnings += 1,
        }
    }

    /// Adds the diagnostics of another stage.
    pub fn append(&mut self, others: Self) {
        others.kept.into_iter().for_each(|d| self.push(d));
        self.omitted.errors += others.omitted.errors;
        self.omitted.warnings += others.omitted.warnings;
    }

    /// Drops the findings of lints ([`is_lint`](super::DiagnosticCode::is_lint)).
    pub fn drop_lints(&mut self) {
        self.retain(|finding| !finding.code.is_lint());
    }

    /// Drops the kept diagnostics that do not satisfy `keep`.
    pub fn retain(&mut self, keep: impl Fn(&Diagnostic) -> bool) {
        self.kept.retain(keep);
        self.counts = [0; 2];
        for kept in &self.kept {
            self.counts[kept.code.severity() as usize] += 1;
        }
    }

    /// The kept diagnostics, to change; none may change its kind.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.kept.iter_mut()
    }

    /// The numbers of diagnostics not kept.
    pub fn omitted(&self) -> Omitted {
        self.omitted
    }

    /// True if any diagnostic is an error, kept or not.
    pub fn has_errors(&self) -> bool {
        self.counts[Severity::Error as usize] > 0 || self.omitted.errors > 0
    }

    /// The kept diagnostics.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.kept
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(all: Vec<Diagnostic>) -> Self {
        let mut found = Self::default();
        all.into_iter().for_each(|d| found.push(d));
        found
    }
}

impl Deref for Diagnostics {
    type Target = Vec<Diagnostic>;

    fn deref(&self) -> &Self::Target {
        &self.kept
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.iter()
    }
}

impl Omitted {
    /// True if none was omitted.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// `13 more errors and 1 more warning are not shown`
impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| match n {
            0 => None,
            1 => Some(format!("1 more {what}")),
            n => Some(format!("{n} more {what}s")),
        };
        let parts = [count(self.errors, "error"), count(self.warnings, "warning")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let verb = if self.errors + self.warnings == 1 { "is" } else { "are" };
        write!(f, "{} {verb} not shown", parts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::DiagnosticCode;
    use crate::source::Span;

    #[test]
    fn what_has_no_room_is_counted() {
        let error = |at| Diagnostic::new(DiagnosticCode::UnboundName, Span::new(at, at), "?");
        let warning = |at| Diagnostic::new(DiagnosticCode::HighLocation, Span::new(at, at), "?");
        let mut found = Diagnostics::new(2);
        assert!(!found.has_errors());
        for at in 0..5 {
            found.push(warning(at));
        }
        assert!(!found.has_errors() && found.has_room(Severity::Error));
        assert_eq!(found.omitted().to_string(), "3 more warnings are not shown");
        for at in 0..3 {
            found.push(error(at));
        }
        assert_eq!(found.len(), 4);
        let text = "1 more error and 3 more warnings are not shown";
        assert_eq!(found.omitted().to_string(), text);
        let mut all = Diagnostics::new(3);
        all.append(found);
        assert_eq!((all.len(), all.omitted()), (4, Omitted { errors: 1, warnings: 3 }));
        let mut none = Diagnostics::new(0);
        none.push(error(0));
        assert!(none.is_empty() && none.has_errors());
    }
}
