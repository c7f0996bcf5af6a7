//! Compares all engines of λV, bit for bit, on generated programs.
//!
//! Each program is checked for these properties:
//! - It compiles without errors, and without the warning that an unused part is ill-typed.
//! - Its schedule keeps all invariants, for each subset of outputs. An output's value does not depend on the
//!   other outputs of the schedule.
//! - All engines give the same images, bit for bit; all NaNs are equal. A loop that exceeds its limit is a
//!   verdict of its own: engines must agree on the first such pixel and on the loop. Where the limit is
//!   generous this verdict is always a bug, since generated programs end. Where an engine ran out of fuel
//!   nothing is compared.
//!
//! A failing program is shrunk, and printed with the seed and number that generate it.
//!
//! New engines are added in [`engines::all`].
#![forbid(unsafe_code)]

mod campaign;
mod case;
mod check;
mod conditions;
mod engine;
pub mod engines;
mod passes;
mod profile;
mod reference;
mod report;
mod traces;
mod walk;

pub use campaign::{Campaign, Found};
pub use case::Case;
pub use check::{Bug, Failure, check, compare_all};
pub use conditions::{Conditions, ENOUGH_ITERATIONS};
pub use engine::{Engine, Image, Verdict};
pub use passes::{PassProfile, check_passes, pass_program};
pub use profile::Profile;
pub use report::Report;
pub use traces::{TraceProfile, check_traces};
