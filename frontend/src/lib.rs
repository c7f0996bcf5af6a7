//! The front half of λV: from shader text to a typed core, and the evaluators that say what
//! a program means.
//!
//! The stages depend on one another in this order only:
//! [`source`] → [`syntax`] → (resolution, elaboration) → core → schedule → evaluators.
#![forbid(unsafe_code)]

pub mod builtins;
pub mod core;
pub mod diagnostics;
mod elaborate;
pub mod evaluate;
pub mod math;
pub mod op;
mod resolve;
pub mod schedule;
mod sets;
pub mod source;
pub mod syntax;
pub mod types;
