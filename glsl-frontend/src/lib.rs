//! GLSL of all dialects to SPIR-V.
#![forbid(unsafe_code)]

mod syntax;
pub mod preprocess;
pub mod token;
mod types;
pub mod version;
