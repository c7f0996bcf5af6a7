//! All stages, from text to the core.

use crate::{elaborate, resolve, syntax};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;
use lambdav_float_environment::with_default;
use std::time::{Duration, Instant};

/// How long the stages of a compilation took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// From text to the syntax tree.
    pub parse: Duration,
    /// From the tree to code.
    pub resolve: Duration,
    /// From code to the core.
    pub elaborate: Duration,
}

/// Compiles a program: its core, if no diagnostic is an error, and all that is to be said about it.
pub fn compile(source: &SourceFile) -> (Option<Core>, Vec<Diagnostic>) {
    let (core, diagnostics, _) = compile_timed(source);
    (core, diagnostics)
}

/// The same, and how long it took.
pub fn compile_timed(source: &SourceFile) -> (Option<Core>, Vec<Diagnostic>, Times) {
    with_default(|| stages(source))
}

fn stages(source: &SourceFile) -> (Option<Core>, Vec<Diagnostic>, Times) {
    let mut times = Times::default();
    let mut last = Instant::now();
    let mut took = |time: &mut Duration| {
        let now = Instant::now();
        *time = now - std::mem::replace(&mut last, now);
    };
    let (tree, mut diagnostics) = syntax::parse(source);
    took(&mut times.parse);
    let mut arena = resolve::CodeArena::default();
    let (items, mut found) = resolve::resolve(&mut arena, &tree, source);
    took(&mut times.resolve);
    if diagnostics.iter().any(Diagnostic::is_error) {
        // What could not be read may have been meant as the output.
        found.retain(|d| d.code != DiagnosticCode::NoOutput);
    }
    diagnostics.extend(found);
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    let (core, found) = elaborate::elaborate(arena, &items, sound);
    took(&mut times.elaborate);
    diagnostics.extend(found);
    let whole = !diagnostics.iter().any(Diagnostic::is_error);
    debug_assert!(!whole || core.outputs.len() == items.outputs.len(), "an output is lost");
    (whole.then_some(core), diagnostics, times)
}
