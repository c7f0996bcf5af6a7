//! Compares all engines of λV, bit for bit, on generated programs.
//!
//! Of each program it is checked that
//! - it compiles without error, and without a warning that an unused part is ill-typed;
//! - its schedule keeps all invariants, for each choice of outputs, and an output has the same
//!   value whatever is computed with it;
//! - all engines give the same images: bit for bit, where each NaN equals each other. That a loop
//!   exceeds its limit is a verdict of its own: engines must agree on the first such pixel and the
//!   loop, and where the limit is generous it is a bug in any case, since generated programs end.
//!   Where an engine ran out of fuel, nothing is compared.
//!
//! A program that fails is made smaller, and printed with the numbers that make it again.
//!
//! [`engines::all`] is the place to add an engine.
#![forbid(unsafe_code)]

mod campaign;
mod case;
mod check;
mod conditions;
mod engine;
pub mod engines;
mod profile;
mod reference;
mod report;
mod walk;

pub use campaign::{Campaign, Found};
pub use case::Case;
pub use check::{Bug, Failure, check, compare_all};
pub use conditions::{Conditions, ENOUGH_ITERATIONS};
pub use engine::{Engine, Image, Verdict};
pub use profile::Profile;
pub use report::Report;
