//! Shaders in any language, compiled once and drawn often: everything between a file and a picture.
//!
//! | module | is |
//! |---|---|
//! | [`shader`] | the public face |
//! | [`program`] | files to programs, with their diagnostics |
//! | `foreign` | WGSL and GLSL to SPIR-V |
//! | [`settings`] | inputs and uniforms |
//! | [`engines`] | machine code, evaluators and devices behind one interface |
#![forbid(unsafe_code)]

pub mod engines;
#[cfg(feature = "foreign")]
pub mod foreign;
pub mod program;
pub mod settings;
pub mod shader;

pub use lambdav_image::{Frame, Size};
pub use settings::Settings;
pub use shader::{Error, Renderer, Report, Shader, metadata, save};
