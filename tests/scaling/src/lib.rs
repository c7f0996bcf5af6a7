//! Families of growing programs, to measure the compiler's time and memory.
//!
//! *The compiler's time and memory are linear in the text, or a limit refuses the text.* A [`Family`] is a
//! function from a size to a text; [`families::all`] has one for everything that can occur many times in a
//! program. A [`Way`] compiles a text: to a picture, to core text and back, or to SPIR-V. Texts in GLSL have a
//! way of their own, to a checked core. It runs on the
//! calling thread, so that its work can be counted.
//!
//! - `tests/growth.rs` counts allocated bytes at small sizes: for a text of four times the length they may be
//!   little more than four times as many. (It never measures seconds.)
//! - `cargo run --release -p lambdav-scaling` runs each family in its own process on a text of 1 MB, and
//!   prints a table of time and memory.
#![forbid(unsafe_code)]

pub mod families;
mod way;

pub use families::Family;
pub use way::{Answer, Way};
