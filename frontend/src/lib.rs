//! The front half of λV: from shader text to a typed core, and the evaluators that say what
//! a program means.
//!
//! The stages depend on one another in this order only:
//! [`source`] → [`syntax`] → (resolution, elaboration) → core → schedule → evaluators.
#![forbid(unsafe_code)]

pub mod builtins;
pub mod diagnostics;
pub mod math;
pub mod op;
pub mod source;
pub mod syntax;
pub mod types;
