//! The core of λV: the compiler's intermediate representation and its semantics.
//!
//! A frontend builds a [`graph`] of typed nodes. The [`schedule`] places each node in a block, and backends
//! read the schedule. [`core_text`] prints and parses programs. [`evaluate`] is the reference evaluator,
//! built on the primitive operations of [`op`] and the correctly rounded functions of [`math`].
//!
//! Each module depends only on modules before it in this order:
//!
//! ```text
//! source → diagnostics → decode
//! files, state
//! float → math → texture → types → flat, layout, memory, resource → op → elementary, inputs → graph → interface, triangles, schedule → evaluate → closed_loops, core_text
//! ```
#![forbid(unsafe_code)]

mod closed_loops;
pub mod core_text;
pub mod decode;
pub mod diagnostics;
pub mod elementary;
pub mod evaluate;
pub mod files;
pub mod flat;
pub mod float;
pub mod graph;
pub mod inputs;
pub mod interface;
pub mod layout;
pub mod limits;
pub mod math;
pub mod memory;
pub mod memory_layout;
pub mod mutants;
pub mod op;
pub mod passes;
pub mod probes;
pub mod resource;
pub mod sampler;
pub mod schedule;
pub mod sets;
pub mod source;
pub mod state;
pub mod texture;
pub mod triangles;
pub mod types;

/// The version of the language (LANGUAGE.md).
pub const LANGUAGE_VERSION: u32 = 2;
