//! The SPIR-V backend of λV: a scheduled program becomes a fragment shader, of each kind of device ([`mod@emit`]).
//!
//! What such a module computes, the evaluator of words says (`lambdav-spirv-eval`). Neither knows the other, so that
//! what the evaluator finds in a module is in the module. Together they make the λV report's theorem a test:
//! *eval_λ(e) = eval_S(translate(e))*.
#![forbid(unsafe_code)]

pub mod emit;
pub mod exact;
pub mod mutants;
mod vertex;

pub use emit::emit;
pub use vertex::full_screen_vertex;
