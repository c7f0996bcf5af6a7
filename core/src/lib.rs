//! The core of λV: what a program is between its text and the machine, and what it means.
//!
//! A frontend builds a [`graph`] of typed nodes; the [`schedule`] gives each node its place, which
//! is what backends read. [`core_text`] writes a program and reads it back, [`evaluate`] computes
//! it as plainly as possible, through the primitive operations of [`op`] and the correctly rounded
//! functions of [`math`].
//!
//! Modules depend on one another in this order only:
//!
//! ```text
//! source → diagnostics → decode
//! math → texture → types → layout, resource → op → elementary, inputs → graph → interface, schedule → evaluate → closed_loops, core_text
//! ```
#![forbid(unsafe_code)]

mod closed_loops;
pub mod core_text;
pub mod decode;
pub mod diagnostics;
pub mod elementary;
pub mod evaluate;
pub mod graph;
pub mod inputs;
pub mod interface;
pub mod layout;
pub mod limits;
pub mod math;
pub mod mutants;
pub mod op;
pub mod resource;
pub mod schedule;
pub mod sets;
pub mod source;
pub mod texture;
pub mod types;

/// The version of the language that programs are of (LANGUAGE.md).
pub const LANGUAGE_VERSION: u32 = 2;
