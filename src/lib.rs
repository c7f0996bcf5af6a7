//! λV as a library: load a shader, choose an engine, render a frame.
//!
//! A thin layer that joins the crates; the command `lambdav` is a shell around it.
//!
//! ```
//! use lambdav::{engine::{CoreEngine, Settings}, program::Loaded, raster::{self, Size}};
//!
//! let loaded = Loaded::from_text("half.lv", "(vec3 1 0.5 0)");
//! assert!(loaded.diagnostics.is_empty());
//! let core = loaded.core.expect("no errors");
//! let size = Size::new(4, 2).unwrap();
//! let engine = CoreEngine::new(&core, 0, &Settings::new(&core, size)).unwrap();
//! let frame = raster::render(&engine, size, &raster::Options::default()).unwrap();
//! assert_eq!(frame.pixel(3, 1), Some([1.0, 0.5, 0.0, 1.0]));
//! ```
#![forbid(unsafe_code)]

pub mod engine;
pub mod program;

pub use lambdav_core as core;
pub use lambdav_frontend as frontend;
pub use lambdav_raster as raster;
pub use lambdav_simd_backend as simd;
pub use lambdav_spirv_backend as spirv;
