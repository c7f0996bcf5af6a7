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
//! # Features
//!
//! - `command` (default): the command `lambdav`, which libraries have no use for:
//!   `lambdav = { version = "0.1", default-features = false }` goes without its dependencies
//! - `foreign` (default): WGSL and GLSL in place of λV
//! - `gpu`: Vulkan devices as engines; the command has it
//! - `exr`: OpenEXR files
//! - `image`: frames to and from the buffers of the crate `image`
#![forbid(unsafe_code)]

pub use lambdav_engine::*;
