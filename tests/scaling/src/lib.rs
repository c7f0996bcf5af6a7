//! Families of programs that grow, and what the compiler needs for them.
//!
//! *The compiler's time and memory are linear in the text, or a limit refuses it.* A [`Family`] is a
//! function from a size to a text; [`families::all`] has one for everything that a program may have
//! many of. What is done with a text is a [`Way`]: to a picture, to core text and back, or to
//! SPIR-V; on the thread that asks, so that its work can be counted.
//!
//! - `tests/growth.rs` counts, at small sizes, the bytes that are allocated: four times the text may
//!   take little more than four times as much. (Never seconds.)
//! - `cargo run --release -p lambdav-scaling` gives each family a process of its own and a text of
//!   1 MB, and prints a table of time and memory.
#![forbid(unsafe_code)]

pub mod families;
mod way;

pub use families::Family;
pub use way::{Answer, Way};
