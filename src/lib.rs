//! λV as a library: text in, picture out.
//!
//! ```
//! use lambdav::{Error, Shader, Size, save};
//!
//! fn main() -> Result<(), Error> {
//!     let text = "(uniform tint vec3 (vec3 1)) (* tint (/ (.x (frag-coord)) (.x (resolution))))";
//!     let shader = Shader::new("ramp.lv", text)?; // an error shows the place in the text
//!     let frame = shader.renderer(Size::new(64, 16)?).set("tint", [1.0, 0.8, 0.5])?.render()?;
//!     # let folder = std::env::temp_dir(); std::env::set_current_dir(folder).unwrap();
//!     save("ramp.png", &frame)
//! }
//! ```
//!
//! Rendering uses the threads of the caller's rayon pool, or of the global one. The bits of a frame
//! depend on the program, its inputs and the size alone.
//!
//! | module | is |
//! |---|---|
//! | [`shader`] | the above |
//! | [`program`] | files to programs, with all that is to be said about them |
//! | `foreign` | WGSL and GLSL to SPIR-V |
//! | [`settings`] | inputs and uniforms |
//! | [`engine`] | what computes pixels: machine code and evaluators |
//! | [`amber`], [`core`], [`frontend`], [`image`], [`image_compare`], [`raster`], [`simd`], [`spirv`], [`spirv_backend`], [`spirv_eval`], [`spirv_frontend`] | the crates that this one joins |
//!
//! # Features
//!
//! - `command` (default): the command `lambdav`, which libraries have no use for:
//!   `lambdav = { version = "0.1", default-features = false }` goes without its dependencies
//! - `foreign` (default): WGSL and GLSL in place of λV
//! - `gpu`: Vulkan devices as engines; the command has it
//! - `exr`: OpenEXR files
//! - `image`: frames to and from the buffers of the crate `image`
#![forbid(unsafe_code)]

pub mod engine;
#[cfg(feature = "foreign")]
pub mod foreign;
pub mod program;
pub mod settings;
pub mod shader;

pub use lambdav_amber as amber;
pub use lambdav_core as core;
pub use lambdav_frontend as frontend;
#[cfg(feature = "gpu")]
pub use lambdav_gpu as gpu;
pub use lambdav_image as image;
pub use lambdav_image_compare as image_compare;
pub use lambdav_raster as raster;
pub use lambdav_simd_backend as simd;
pub use lambdav_spirv as spirv;
pub use lambdav_spirv_backend as spirv_backend;
pub use lambdav_spirv_eval as spirv_eval;
pub use lambdav_spirv_frontend as spirv_frontend;

pub use lambdav_image::{Frame, Size};
pub use settings::Settings;
pub use shader::{Error, Renderer, Report, Shader, metadata, save};
