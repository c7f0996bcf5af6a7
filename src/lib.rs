//! λV as a library: text in, picture out.
//!
//! A [`Shader`] is an accepted program. Its [`Pipeline`] is compiled once, and draws a [`Frame`] with
//! any [`Bindings`], at any size, from any thread.
//!
//! ```
//! use lambdav::{Error, Options, Shader, Size, save};
//!
//! fn main() -> Result<(), Error> {
//!     let text = "(uniform tint vec3 (vec3 1)) (* tint (/ (.x (frag-coord)) (.x (resolution))))";
//!     let shader = Shader::new("ramp.lv", text)?; // an error shows the place in the text
//!     let pipeline = shader.pipeline(&Options::default())?; // compiled once, drawn often, from any thread
//!     let mut bindings = pipeline.bindings();
//!     bindings.set("tint", [1.0, 0.8, 0.5])?;
//!     let frame = pipeline.render(&bindings, Size::new(64, 16)?)?;
//!     # let folder = tempfile::tempdir().unwrap(); std::env::set_current_dir(&folder).unwrap();
//!     save("ramp.png", &frame)
//! }
//! ```
//!
//! WGSL (feature `foreign`) with a texture, and with an input that a vertex stage would provide:
//!
//! ```
//! # #[cfg(feature = "foreign")] fn main() -> Result<(), lambdav::Error> {
//! use lambdav::{Frame, LocationInput, Options, Shader, ShaderOptions, Size};
//!
//! let text = "@group(0) @binding(0) var photo: texture_2d<f32>;
//!     @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
//!         return textureLoad(photo, vec2i(uv * 4.0), 0);
//!     }";
//! let options = ShaderOptions::default().input(0, LocationInput::Uv);
//! let shader = Shader::with_options("photo.wgsl", text, &options)?;
//! let pipeline = shader.pipeline(&Options::default())?;
//! let mut bindings = pipeline.bindings();
//! let photo = Frame::from_fn(Size::new(4, 4)?, |x, y| [x as f32, y as f32, 0.0, 1.0]);
//! bindings.bind("photo", &photo)?;
//! let frame = pipeline.render(&bindings, Size::new(64, 64)?)?;
//! assert_eq!(frame.pixel(63, 0), Some([3.0, 0.0, 0.0, 1.0]));
//! # Ok(()) }
//! # #[cfg(not(feature = "foreign"))] fn main() {}
//! ```
//!
//! A thousand frames on four threads, each of which draws into its own memory:
//!
//! ```
//! use lambdav::{Error, Frame, Options, Shader, Size};
//!
//! fn main() -> Result<(), Error> {
//!     let pipeline = Shader::new("blink.lv", "(vec3 (fract (time)))")?.pipeline(&Options::default())?;
//!     let film = |thread: u16| {
//!         let mut bindings = pipeline.bindings();
//!         let mut frame = Frame::from_fn(Size::new(8, 8)?, |_, _| [0.0; 4]);
//!         for number in (thread..1000).step_by(4) {
//!             pipeline.render_into(bindings.time(f32::from(number) / 60.0), &mut frame)?;
//!         }
//!         Ok::<(), Error>(())
//!     };
//!     std::thread::scope(|scope| {
//!         let threads: Vec<_> = (0..4).map(|k| scope.spawn(move || film(k))).collect();
//!         threads.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
//!     })
//! }
//! ```
//!
//! Rendering uses the threads of the caller's rayon pool, or of the global one. The bits of a frame
//! depend only on the program, its inputs and the size.
//!
//! # Features
//!
//! By default all features except `image` are enabled. `lambdav = { version = "0.1", default-features =
//! false }` reads λV and core text, and writes and reads PNG and NPY.
//!
//! - `command`: the command `lambdav`, which libraries do not need
//! - `spirv`: reading and emitting SPIR-V modules
//! - `foreign`: WGSL and GLSL
//! - `gpu`: Vulkan devices as engines
//! - `exr`: OpenEXR files
//! - `formats`: reading image files of other programs
//! - `image`: conversions of frames to and from the buffers of the crate `image`
#![forbid(unsafe_code)]

pub use lambdav_engine::*;
