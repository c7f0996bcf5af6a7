//! Compares all engines of λV, bit for bit, on generated programs.
//!
//! Of each program it is checked that
//! - it compiles without error, and without a warning that an unused part is ill-typed;
//! - its schedule keeps all invariants, for each choice of outputs, and an output has the same value
//!   whatever is computed with it;
//! - all engines give the same values: bit for bit, where each NaN equals each other. That a loop exceeds
//!   its limit is a verdict of its own, and since generated programs end, always a bug. Where an
//!   engine ran out of fuel, nothing is compared.
//!
//! A program that fails is made smaller, and printed with the numbers that make it again.
#![forbid(unsafe_code)]

mod campaign;
mod case;
mod check;
mod engines;
mod profile;

pub use campaign::{Campaign, Found, Report};
pub use case::{Case, MAX_ITERATIONS, SIDE};
pub use check::{Bug, Failure, check};
pub use engines::{Engine, Pixel, Verdict, all};
pub use profile::Profile;
