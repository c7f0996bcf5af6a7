//! Golden images in `cargo test`.
//!
//! A *golden* is a picture that a person has checked and kept. [`assert_image!`] compares it with a
//! picture that is drawn now: by λV's exact CPU renderer, whose pictures have the same bits on all
//! machines, or by your own code, for instance on a GPU, within the limits of [`CompareOptions`].
//!
//! ```
//! use lambdav::{Options, Shader, Size};
//! use lambdav_test::{CompareOptions, assert_image};
//!
//! fn main() -> Result<(), lambdav::Error> {
//!     // A shader, 512 pixels wide and high, with the defaults of its uniforms.
//!     assert_image!("shaders/disk.lv", "goldens/disk.png");
//!
//!     // A picture with values and a size of its own.
//!     let shader = Shader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/disk.lv"))?;
//!     let pipeline = shader.pipeline(&Options::default())?;
//!     let mut bindings = pipeline.bindings();
//!     bindings.set("colour", [1.0, 0.5, 0.0])?;
//!     let drawn = pipeline.render(&bindings, Size::new(48, 32)?)?;
//!     assert_image!(drawn, "goldens/orange.png");
//!
//!     // A picture from elsewhere, such as an `image::RgbaImage` that was read back from a GPU.
//!     let allowed = CompareOptions { tolerance: Some([1.0; 4]), ..CompareOptions::default() };
//!     assert_image!(drawn, "goldens/orange.png", allowed);
//!     Ok(())
//! }
//! ```
//!
//! Paths are relative to the folder of the package's Cargo.toml. A golden is PNG, OpenEXR or NPY, by
//! its file name extension. The first run fails, since there is no golden: `LAMBDAV_BLESS=1 cargo test`
//! creates it, and replaces it later if it differs by more than is allowed. A failed test writes the
//! drawn picture beside the golden, as `NAME.new.png`, and a picture of the differences, as
//! `NAME.diff.png`, and prints their paths.
#![forbid(unsafe_code)]

mod check;
mod picture;

pub use check::{Failure, check};
pub use lambdav;
pub use lambdav_image_compare::CompareOptions;
pub use picture::{Picture, PictureError};

/// Environment variable that makes drawn pictures goldens, unless it is empty or `0`.
pub const BLESS: &str = "LAMBDAV_BLESS";

/// Panics unless a picture equals its golden, bit for bit, or within the limits of the third argument,
/// a [`CompareOptions`].
///
/// The first argument is a [`Picture`]: the path of a shader, a frame, or an image of the crate
/// `image`; the second is the path of the golden.
#[macro_export]
macro_rules! assert_image {
    ($picture:expr, $golden:expr $(,)?) => {
        $crate::assert_image!($picture, $golden, $crate::CompareOptions::default())
    };
    ($picture:expr, $golden:expr, $allowed:expr $(,)?) => {{
        let folder = ::std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        if let Err(failure) = $crate::check(&$picture, $golden.as_ref(), &$allowed, folder) {
            panic!("{failure}");
        }
    }};
}
