//! Warnings for arguments and definitions that nothing reached and that are ill-typed.
//!
//! Typing follows substitution from the outputs, so such code does not make a program wrong; but
//! its author would like to know.

use super::elaborator::Elaborator;
use super::values::{Denotation, ThunkId, Value};
use crate::resolve::{CodeId, GlobalValue, Items};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use rustc_hash::FxHashSet;

/// Adds the warnings, one for each piece of code, to a program without errors.
pub(super) fn warn(elaborator: &mut Elaborator, globals: &[Denotation], items: &Items) {
    let reached: FxHashSet<CodeId> =
        elaborator.thunks.iter().filter(|t| t.value.is_some()).map(|t| t.code).collect();
    let mut tried = FxHashSet::default();
    let mut candidates: Vec<(CodeId, Denotation)> = elaborator
        .thunks
        .iter()
        .enumerate()
        .filter(|(_, t)| t.value.is_none() && !reached.contains(&t.code))
        .map(|(i, t)| (t.code, Denotation::Thunk(ThunkId(i as u32))))
        .collect();
    for (global, &denotation) in items.globals.iter().zip(globals) {
        if let (GlobalValue::Code(_, code), Denotation::Thunk(_)) = (global, denotation)
            && !reached.contains(code)
        {
            candidates.push((*code, denotation));
        }
    }
    for (code, denotation) in candidates {
        if !tried.insert(code) {
            continue;
        }
        let before = std::mem::replace(&mut elaborator.diagnostics, Diagnostics::new(usize::MAX));
        let value = elaborator.force(denotation);
        let errors = std::mem::replace(&mut elaborator.diagnostics, before);
        if value != Value::Error {
            continue;
        }
        let cause = errors.into_iter().find(Diagnostic::is_error);
        let Some(cause) = cause else { continue };
        if cause.code == DiagnosticCode::ExpansionTooLarge {
            return;
        }
        let span = elaborator.arena.span(code);
        elaborator.report(
            Diagnostic::new(
                DiagnosticCode::UnreachedIllTyped,
                span,
                "this is never used, and ill-typed",
            )
            .label("nothing needs its value")
            .also(cause.primary.span, format!("{} [{}]", cause.message, cause.code.as_str()))
            .help("remove it or mend it"),
        );
        if elaborator.is_stopped() {
            return;
        }
    }
}
