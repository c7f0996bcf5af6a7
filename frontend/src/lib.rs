//! The front half of λV: from shader text to a typed core, and the evaluators that say what
//! a program means.
//!
//! The stages depend on one another in this order only:
//! [`source`] → [`syntax`] → (resolution, elaboration) → core → schedule → evaluators.
#![forbid(unsafe_code)]

pub mod builtins;
pub mod core;
pub mod core_text;
pub mod diagnostics;
mod elaborate;
pub mod evaluate;
pub mod math;
pub mod op;
pub mod planted;
mod resolve;
pub mod schedule;
mod sets;
pub mod source;
pub mod syntax;
pub mod types;

use core::Core;
use diagnostics::Diagnostic;
use source::SourceFile;

/// The version of the language that this compiler implements (LANGUAGE.md).
pub const LANGUAGE_VERSION: u32 = 1;

/// Compiles a program: its core, if no diagnostic is an error, and all that is to be said about it.
pub fn compile(source: &SourceFile) -> (Option<Core>, Vec<Diagnostic>) {
    let (tree, mut diagnostics) = syntax::parse(source);
    let mut arena = resolve::CodeArena::default();
    let (items, mut found) = resolve::resolve(&mut arena, &tree, source);
    if diagnostics.iter().any(Diagnostic::is_error) {
        // What could not be read may have been meant as the output.
        found.retain(|d| d.code != diagnostics::Code::NoOutput);
    }
    diagnostics.extend(found);
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    let (core, found) = elaborate::elaborate(arena, &items, sound);
    diagnostics.extend(found);
    let whole = !diagnostics.iter().any(Diagnostic::is_error);
    debug_assert!(!whole || core.outputs.len() == items.outputs.len(), "an output is lost");
    (whole.then_some(core), diagnostics)
}
