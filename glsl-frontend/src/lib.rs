//! GLSL of all dialects to SPIR-V.
#![forbid(unsafe_code)]

mod check;
pub mod preprocess;
mod syntax;
pub mod token;
mod types;
pub mod version;
