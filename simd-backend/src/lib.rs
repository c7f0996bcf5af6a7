//! The SIMD backend of λV: compiles a scheduled program to machine code that computes many pixels at once,
//! one in each lane; and programs of invocations, which change memories.
//!
//! ```text
//! schedule ─▶ lane program ─▶ register program ─▶ machine code ─▶ kernel
//!             masks,          W lanes × k,        bytes           tiles
//!             any width       spilled
//! ```
//!
//! | module | is |
//! |---|---|
//! | [`pipeline`] | the stages in order, and the decisions between them; the entry point |
//! | [`lanes`] | the lane program: lowering, verifier, interpreter, printer |
//! | [`registers`] | the register program: lowering, spilling, verifier, interpreter, printer |
//! | [`machine`], [`cost`] | descriptions of machines, and the cost model |
//! | [`emit`] | machine code of the register program: the ABI, emitters, memory and calls |
//! | [`kernel`] | compiled programs as kernels of the raster, and dispatches |
//! | [`activity`] | lane utilisation |
//!
//! Each stage depends on earlier stages only. Lane programs and register programs have verifiers and
//! interpreters, so mistakes in masks or in spilling show without any machine code.
#![deny(unsafe_code)]

pub mod activity;
pub mod cost;
pub mod emit;
pub mod kernel;
pub mod lanes;
pub mod machine;
pub mod mutants;
pub mod pipeline;
pub mod registers;

pub use emit::{BindError, EmitError, Target};
pub use kernel::{CompiledKernel, SimdKernel};
pub use pipeline::Compiler;
