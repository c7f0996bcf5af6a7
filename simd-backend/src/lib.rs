//! The SIMD backend of λV: a scheduled program becomes machine code that computes many pixels at
//! once, each in a lane.
//!
//! ```text
//! schedule ─ lanes::lower ─▶ lane program ─ registers::lower ─▶ register program ─ cranelift ─▶ code
//!                            masks, any width                   W lanes × k                     kernel
//! ```
//!
//! Each stage depends on the one before it only. The lane program has an interpreter, so what
//! is wrong in the masks shows without any machine code.
#![deny(unsafe_code)]

pub mod activity;
pub mod cost;
pub mod elementary;
pub mod emit;
pub mod kernel;
pub mod lanes;
pub mod machine;
pub mod mutants;
pub mod pipeline;
pub mod registers;
mod walk;

pub use emit::{EmitError, Target};
pub use kernel::SimdKernel;
pub use pipeline::Compiler;
