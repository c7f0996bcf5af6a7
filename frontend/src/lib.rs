//! The frontend of λV: compiles shader text to the typed core. It also contains the source evaluator, which
//! defines the meaning of a text independently of the core.
//!
//! Stages depend only on earlier ones: [`syntax`] → resolution → elaboration; all of them use the table of
//! [`builtins`]. [`reduction`], the source evaluator, works on the syntax tree.
#![forbid(unsafe_code)]

pub mod builtins;
mod compile;
mod elaborate;
pub mod mutants;
pub mod reduction;
mod resolve;
pub mod syntax;
mod texture_options;

pub use compile::{
    Expressed, Kept, Times, compile, compile_expression, compile_fixed, compile_for_samplers,
    compile_keeping, compile_reporting, compile_within,
};
pub use elaborate::Fix;
