//! Bit-identical pictures on every machine, compared with one list of digests, `tests/golden/gallery.txt`.
//!
//! | module | content |
//! |---|---|
//! | [`pictures`] | the shaders, and digests of their pictures |
//! | [`configurations`] | numbers of lanes and threads, tiles, and processor features |
//! | [`compare`] | all pictures in all configurations, on this machine |
//! | [`emulated`] | this program built for another architecture, and run by an emulator |
//!
//! The core evaluator alone writes the list: `BLESS=1 cargo test --test all gallery`.
#![forbid(unsafe_code)]

pub mod compare;
pub mod configurations;
pub mod emulated;
pub mod pictures;
