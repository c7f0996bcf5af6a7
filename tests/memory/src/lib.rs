//! Random dispatches: programs that write memories, with loads, stores, atomic operations, barriers, branches and loops.
//!
//! [`generate()`] makes the tree of a program. [`oracle`] executes the tree in program order on one mutable memory; it shares
//! nothing with the core but [`Atomic`](lambdav_core::memory::Atomic)'s names. [`graph`] builds the core. [`compare()`]
//! schedules it, whole and for each memory alone, evaluates it, and compares all words; again after core text. The same
//! program as a text in WGSL ([`wgsl`]), compiled by the front end, is executed by eval_S, and raised to a core again.
//! The SIMD backend executes the program ([`machine`]); its interpreters make the oracle's changes (`logs`). And the modules that are emitted for all, native
//! and exact ([`modules`]), by eval_S. The engine's reports of undefined behaviour are those of the core evaluator
//! ([`compare_reports`]).

#![forbid(unsafe_code)]

pub mod compare;
mod generate;
pub mod graph;
mod layouts;
mod logs;
pub mod machine;
pub mod modules;
pub mod oracle;
pub mod program;
mod reports;
#[cfg(test)]
mod tiers;
pub mod wgsl;
mod words;

pub use compare::{Mismatch, Verdict, compare};
pub use generate::generate;
pub use layouts::{compare_layouts, layouts};
pub use reports::compare_reports;
