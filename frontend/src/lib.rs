//! The frontend of λV: from shader text to the typed core, and the source evaluator, which says
//! what a text means without it.
//!
//! Stages depend on earlier ones only: [`syntax`] → resolution → elaboration; all of them read the
//! table of [`builtins`]. [`reduction`] reads the syntax tree.
#![forbid(unsafe_code)]

pub mod builtins;
mod compile;
mod elaborate;
pub mod mutants;
pub mod reduction;
mod resolve;
pub mod syntax;

pub use compile::{
    Kept, Times, compile, compile_fixed, compile_for_samplers, compile_keeping, compile_within,
};
pub use elaborate::Fix;
