//! The SPIR-V backend of λV: a scheduled program becomes a fragment shader, and an evaluator says
//! what that shader computes.
//!
//! ```text
//! schedule ─ emit ─▶ words ─▶ any GPU
//!                      └─ eval ─▶ outputs, bit for bit those of the core evaluator
//! ```
//!
//! [`mod@emit`] writes words and [`eval`] reads them; neither knows the other, so that what the
//! evaluator finds in a module is in the module. Together they make the λV report's theorem a
//! test: *eval_λ(e) = eval_S(translate(e))*.
#![forbid(unsafe_code)]

pub mod emit;
pub mod eval;
pub mod exact;
pub mod inspect;
pub mod mutants;
mod sampler;
mod specialise;
mod text;
mod vertex;

pub use emit::emit;
pub use specialise::specialise;
pub use text::{TextError, bytes, disassemble, words};
pub use vertex::full_screen_vertex;
