//! The SPIR-V backend of λV: translates a scheduled program to a fragment shader, native or exact
//! ([`mod@emit`]).
//!
//! The evaluator of words (`lambdav-spirv-eval`) computes the value of such a module. It shares no code
//! with the emitter, so neither can hide the other's mistakes. Together they make the λV report's
//! theorem a test: *eval_λ(e) = eval_S(translate(e))*.
#![forbid(unsafe_code)]

pub mod emit;
pub mod library;
pub mod mutants;
mod vertex;

pub use emit::emit;
pub use vertex::full_screen_vertex;
