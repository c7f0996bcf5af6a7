//! GLSL of all dialects to SPIR-V.
#![forbid(unsafe_code)]

pub mod preprocess;
pub mod token;
pub mod version;
